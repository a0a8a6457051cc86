/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: kernels of several lie side by side, work of one is in order, events join them, and the
 * default stream waits for all.
 */
#include <vector>

#include "check.h"

/* Busy for a while in one block, so that several fit beside each other. */
__global__ void work(int *at, int rounds)
{
    int x = at[threadIdx.x];

    for (int i = 0; i < rounds; i++) {
        x = x * 1664525 + 1013904223;
    }
    at[threadIdx.x] = x;
}
__global__ void add(const int *a, const int *b, int *to)
{
    to[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

static int host_work(int x, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        x = (int)((unsigned)x * 1664525u + 1013904223u);
    }
    return x;
}

int main()
{
    enum { N = 64, STREAMS = 4, ROUNDS = 2000 };
    cudaStream_t stream[STREAMS];
    cudaEvent_t begin, end, done;
    int *at[STREAMS], *sum, *pinned;
    float one = 0, all = 0;
    bool good = true;

    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    CHECK(cudaMallocHost(&pinned, N * sizeof *pinned));
    CHECK(cudaMalloc(&sum, N * sizeof *sum));
    for (int i = 0; i < STREAMS; i++) {
        CHECK(cudaStreamCreate(&stream[i]));
        CHECK(cudaMalloc(&at[i], N * sizeof *at[i]));
        for (int k = 0; k < N; k++) {
            pinned[k] = k + i;
        }
        CHECK(
            cudaMemcpyAsync(at[i], pinned, N * sizeof *pinned, cudaMemcpyHostToDevice, stream[i]));
        CHECK(cudaStreamSynchronize(stream[i]));
    }
    CHECK(cudaEventRecord(begin));
    work<<<1, N>>>(at[0], ROUNDS);
    CHECK(cudaEventRecord(end));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&one, begin, end));

    CHECK(cudaEventRecord(begin));
    for (int i = 0; i < STREAMS; i++) {
        work<<<1, N, 0, stream[i]>>>(at[i], ROUNDS);
    }
    CHECK(cudaEventRecord(end)); /* in the default stream: behind all of them */
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&all, begin, end));
    printf("one kernel alone %.1f us, %d side by side %.1f us\n", one * 1000, STREAMS, all * 1000);
    good = good && all < 2 * one;

    /* stream 1 adds what stream 0 has made, once it has */
    work<<<1, N, 0, stream[0]>>>(at[0], ROUNDS);
    CHECK(cudaEventRecord(done, stream[0]));
    CHECK(cudaStreamWaitEvent(stream[1], done, 0));
    add<<<1, N, 0, stream[1]>>>(at[0], at[1], sum);
    CHECK(cudaMemcpyAsync(pinned, sum, N * sizeof *sum, cudaMemcpyDeviceToHost, stream[1]));
    CHECK(cudaStreamSynchronize(stream[1]));
    for (int k = 0; k < N; k++) {
        unsigned want = (unsigned)host_work(k, 3 * ROUNDS) + (unsigned)host_work(k + 1, ROUNDS);
        good = good && pinned[k] == (int)want;
    }
    for (int i = 0; i < STREAMS; i++) {
        CHECK(cudaStreamDestroy(stream[i]));
        CHECK(cudaFree(at[i]));
    }
    CHECK(cudaFreeHost(pinned));
    return verdict(good);
}
