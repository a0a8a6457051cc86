/* SPDX-License-Identifier: Apache-2.0 */
/* Order across streams: a program that is drawn from a seed. Each kernel takes a number from one
 * counter as it begins and as it ends; what CUDA says must be over before it begins has ended with
 * a lower one. Streams that wait for the default stream and such that do not, events, copies,
 * memory set in between, and waits of the host for a stream or an event.
 *
 *   order SEED
 *
 * The last line is PASS or FAIL with how many pairs were to be in order, and how many of the others
 * lay side by side.
 */
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

enum { STREAMS = 6, EVENTS = 4, MOST = 60 };

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            printf("FAIL %s: %s\n", #call, cudaGetErrorString(error));                             \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

__global__ void work(unsigned *counter, unsigned *begins, unsigned *ends, int id, int rounds)
{
    __shared__ unsigned x;

    if (threadIdx.x == 0) {
        x = atomicAdd(counter, 1u);
        atomicMin(&begins[id], x);
    }
    __syncthreads();
    for (int i = 0; i < rounds; i++) {
        atomicAdd(&x, (unsigned)i);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicMax(&ends[id], atomicAdd(counter, 1u) + (x == 1u << 31 ? 1u : 0u));
    }
}

/* Which kernels must have ended before something begins. */
typedef std::vector<bool> set;
static void join(set &into, const set &more)
{
    for (int i = 0; i < MOST; i++) {
        into[i] = into[i] || more[i];
    }
}

int main(int argc, char **argv)
{
    std::mt19937 random(argc > 1 ? (unsigned)atoi(argv[1]) : 1u);
    auto draw = [&](int n) { return (int)(random() % (unsigned)n); };
    cudaStream_t streams[STREAMS] = {};
    cudaEvent_t events[EVENTS];
    bool apart[STREAMS] = {};
    set behind[STREAMS], of_event[EVENTS], of_host(MOST), before[MOST];
    unsigned *counter, *begins, *ends, *noise, host[2 * MOST];
    int kernels = 0, pairs = 0, wrong = 0, beside = 0;

    CHECK(cudaMalloc(&counter, (2 * MOST + 1) * sizeof *counter));
    CHECK(cudaMemset(counter, 0, (2 * MOST + 1) * sizeof *counter));
    CHECK(cudaMalloc(&noise, 4096));
    begins = counter + 1;
    ends = begins + MOST;
    CHECK(cudaMemset(begins, 0xff, MOST * sizeof *begins));
    for (int i = 0; i < STREAMS; i++) {
        apart[i] = i > 0 && draw(3) == 0;
        if (i > 0) {
            CHECK(cudaStreamCreateWithFlags(&streams[i],
                                            apart[i] ? cudaStreamNonBlocking : cudaStreamDefault));
        }
        behind[i] = set(MOST);
    }
    for (int i = 0; i < EVENTS; i++) {
        CHECK(cudaEventCreate(&events[i]));
        of_event[i] = set(MOST);
    }
    /* what the next piece of work in a stream waits for */
    auto needs = [&](int s) {
        set all = behind[s];
        join(all, of_host);
        for (int i = 0; i < STREAMS; i++) {
            if (!apart[s] && !apart[i] && (s == 0 || i == 0)) {
                join(all, behind[i]);
            }
        }
        return all;
    };
    while (kernels < MOST) {
        int s = draw(STREAMS), e = draw(EVENTS);
        switch (draw(12)) {
        case 0: /* an event waits for what stands before it in its stream */
            of_event[e] = needs(s);
            behind[s] = of_event[e];
            CHECK(cudaEventRecord(events[e], streams[s]));
            break;
        case 1:
            behind[s] = needs(s);
            join(behind[s], of_event[e]);
            CHECK(cudaStreamWaitEvent(streams[s], events[e], 0));
            break;
        case 2:
            behind[s] = needs(s);
            CHECK(cudaMemsetAsync(noise, s, 4096, streams[s]));
            break;
        case 3:
            if (draw(4) == 0) {
                join(of_host, behind[s]);
                CHECK(cudaStreamSynchronize(streams[s]));
            }
            break;
        case 4:
            if (draw(4) == 0) {
                join(of_host, of_event[e]);
                CHECK(cudaEventSynchronize(events[e]));
            }
            break;
        case 5:
            if (draw(8) == 0) {
                for (const set &all : behind) {
                    join(of_host, all);
                }
                CHECK(cudaDeviceSynchronize());
            }
            break;
        default:
            before[kernels] = needs(s);
            work<<<1 + draw(3) * 7, 32 << draw(3), 0, streams[s]>>>(counter, begins, ends, kernels,
                                                                    draw(40));
            CHECK(cudaGetLastError());
            behind[s] = before[kernels];
            behind[s][kernels] = true;
            kernels++;
        }
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host, begins, sizeof host, cudaMemcpyDeviceToHost));
    for (int k = 0; k < MOST; k++) {
        for (int i = 0; i < k; i++) {
            bool over = host[MOST + i] < host[k];
            pairs += before[k][i];
            wrong += before[k][i] && !over;
            beside += !before[k][i] && !over;
        }
    }
    printf("%s %d pairs in order, %d side by side, %d wrong\n", wrong ? "FAIL" : "PASS",
           pairs - wrong, beside, wrong);
    return wrong != 0;
}
