/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that host and GPU address alike: a list that one makes and the other walks. */
#include <new>

#include "check.h"

struct node {
    node *next;
    int value;
};

__global__ void walk(node *first, int *sum)
{
    int total = 0;

    for (node *n = first; n; n = n->next) {
        total += n->value;
        n->value *= 2;
    }
    *sum = total;
}

int main()
{
    const int n = 500;
    node *nodes;
    int *sum, want = 0;
    bool good = true;

    CHECK(cudaMallocManaged(&nodes, n * sizeof *nodes));
    CHECK(cudaMallocManaged(&sum, sizeof *sum));
    for (int i = 0; i < n; i++) {
        nodes[i].next = i + 1 < n ? &nodes[i + 1] : nullptr;
        nodes[i].value = i;
        want += i;
    }
    for (int round = 0; round < 3; round++) {
        walk<<<1, 1>>>(nodes, sum);
        CHECK(cudaDeviceSynchronize());
        good = good && *sum == want;
        nodes[0].value += 7; /* between kernels it is the host's */
        want = 2 * want + 7;
    }
    printf("sum %d\n", *sum);
    CHECK(cudaFree(nodes));
    CHECK(cudaFree(sum));
    return verdict(good);
}
