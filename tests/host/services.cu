/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that call what the machine itself does: printf, malloc, free, assertions. */
#include "cuda.h"

struct node {
    int value;
    node *next;
};

extern "C" __global__ void say(int n, double x)
{
    int i = threadIdx.x;
    if (i < n)
        printf("%d: %s %6.2f %c%5u|%-4x|%lld\n", i, i % 2 ? "odd" : "even", x * i, 'a' + i,
               (unsigned)(i * i), i * 17, (long long)i << 40);
    if (i == 3)
        printf("no arguments\n");
}

/* Lanes apart, two warps, and places to be preempted. */
extern "C" __global__ void chat(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        if ((threadIdx.x + i) % 3 == 0)
            printf("%d.%d.%d\n", blockIdx.x, threadIdx.x, i);
        __syncthreads();
    }
}

/* A list of n numbers a thread, its sum, and all back. */
extern "C" __global__ void lists(int *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    node *head = 0;
    for (int i = 0; i < n; i++) {
        node *fresh = (node *)malloc(sizeof(node));
        if (!fresh) {
            sum = -1;
            break;
        }
        fresh->value = t * i;
        fresh->next = head;
        head = fresh;
    }
    __syncthreads();
    while (head) {
        node *next = head->next;
        sum += head->value;
        free(head);
        head = next;
    }
    out[t] = sum;
}

/* How many blocks there are. */
extern "C" __global__ void exhaust(int *out, int bytes)
{
    void *volatile block = malloc(bytes); /* clang may not leave it out */
    out[threadIdx.x] = block != 0;
}

/* One kernel's blocks are another's to use and give back. */
extern "C" __global__ void keep(int **ptr)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    ptr[t] = (int *)malloc(8);
    ptr[t][0] = 3 * t;
}

extern "C" __global__ void use(int **ptr, int *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = ptr[t][0];
    free(ptr[t]);
    int *again = (int *)malloc(16);
    if (again) {
        again[0] = 1;
        out[t] += again[0];
    }
}

extern "C" __global__ void spoil(int *out, int how)
{
    int *block = (int *)malloc(64);
    int *other = how == 0 ? block + 4 : how == 1 ? out : block;
    block[0] = 1;
    out[threadIdx.x] = block[0];
    free(other);
    if (how == 2)
        free(other);
}

extern "C" __global__ void claim(int *out)
{
    assert(out[threadIdx.x] != 5);
    out[threadIdx.x] = 1;
}

extern "C" __global__ void stray(int *out)
{
    printf("before ");
    printf("%s\n", (const char *)(out + 1000000));
}

/* Calls from frames of a stack: text, blocks and results of each activation are its own. */
static __device__ __attribute__((noinline)) int walk(int n, int *sum)
{
    int *block = (int *)malloc(8);
    block[0] = n;
    printf("%d:%d %.1f\n", threadIdx.x, n, n * 0.5);
    int r = n <= 0 ? 0 : walk(n - 1 - (threadIdx.x & 1), sum) + walk(n - 2, sum);
    r += block[0];
    *sum += r;
    assert(n < 100);
    free(block);
    return r;
}

extern "C" __global__ void climb(int *out, int n)
{
    int sum = 0, r = walk(n, &sum);
    out[threadIdx.x] = r * 1000 + sum;
}

static __device__ __attribute__((noinline)) int depth(int n)
{
    return n == 0 ? 0 : 1 + depth(n - 1) * (n > -1);
}

extern "C" __global__ void deep(int *out, int n)
{
    out[threadIdx.x] = depth(n + threadIdx.x % 2);
}
