/* SPDX-License-Identifier: Apache-2.0 */
/* lanes.h for `warpref cc`: a launch and its copies; all else is CUDA's own. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define UNSET(type, name) type name
#define NO_RETURN(value)
#define MORE_STEPS 1
#define HD         __host__ __device__

/* A program that fails ends the whole run: a kernel's fault stays. */
static inline void wr_must(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        exit(4);
    }
}

/* The host is asked first: what it found endless does not come here. */
static inline bool wr_endless()
{
    return false;
}

/* launch(in, out, cells) with the device's memory in their places. */
template <typename Launch>
static void wr_on_device(const u64 *in, u64 *out, u64 *cells, unsigned values, Launch launch)
{
    u64 *at;
    size_t first = THREADS * INPUTS, second = (size_t)THREADS * values,
           total = first + second + CELLS;

    wr_must(cudaMalloc((void **)&at, total * 8), "cudaMalloc");
    wr_must(cudaMemset(at, 0, total * 8), "cudaMemset");
    wr_must(cudaMemcpy(at, in, first * 8, cudaMemcpyHostToDevice), "the inputs");
    wr_must(cudaMemcpy(at + first + second, cells, CELLS * 8, cudaMemcpyHostToDevice), "the cells");
    launch(at, at + first, at + first + second);
    wr_must(cudaGetLastError(), "the launch");
    wr_must(cudaDeviceSynchronize(), "the kernel");
    wr_must(cudaMemcpy(out, at + first, second * 8, cudaMemcpyDeviceToHost), "the values");
    wr_must(cudaMemcpy(cells, at + first + second, CELLS * 8, cudaMemcpyDeviceToHost), "the cells");
    wr_must(cudaFree(at), "cudaFree");
}
#define LAUNCH(values, in, out, cells, kernel, ...)                                                \
    wr_on_device(in, out, cells, values, [&](const u64 *in, u64 *out, u64 *cells) {                \
        kernel<<<1, THREADS>>>(__VA_ARGS__);                                                       \
    })
