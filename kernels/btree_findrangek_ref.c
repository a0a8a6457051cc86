/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of btree_findrangek: the tree's leaves, read as one sorted list, are searched by
 * bisection for both ends. */
#include "kernels/reference.h"

#include <string.h>

enum { ORDER = 256, WORDS = ORDER + 1 };

/* The record whose key is `key`, or -1. Leaves begin at node `first` and are full. */
static int64_t find(const int32_t *keys, uint64_t first, uint64_t leaves, int64_t key)
{
    int64_t low = 0, high = (int64_t)(leaves * ORDER) - 1;
    while (low <= high) {
        int64_t middle = (low + high) / 2;
        int64_t at = ((int64_t)first + middle / ORDER) * WORDS + middle % ORDER;
        if (keys[at] == key) {
            return middle;
        }
        if (keys[at] < key) {
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    return -1;
}

const char *wr_reference_btree_findrangek(const wr_reference_launch *launch)
{
    if (strcmp(launch->kernel, "btree_build") == 0) {
        return wr_reference_btree_findk(launch);
    }
    if (!wr_reference_takes(launch, "niiiiiiiiii")) {
        return "btree_findrangek takes a height and 32-bit buffers keys, children, low_nodes, "
               "low_next, high_nodes, high_next, starts, extents, first, length";
    }
    if (!wr_reference_shape(launch, (uint32_t[]){launch->grid[0], 1, 1},
                            (uint32_t[]){ORDER, 1, 1})) {
        return "btree_findrangek needs block [256, 1, 1] and grid [queries, 1, 1]";
    }
    for (size_t i = 3; i < 11; i++) {
        if (!wr_reference_holds(launch, i, launch->grid[0])) {
            return "a buffer is shorter than the count of queries";
        }
    }
    if (launch->args[1].count != launch->args[2].count) {
        return "keys and children differ in length";
    }
    const int32_t *keys = launch->args[1].data;
    const int32_t *starts = launch->args[7].data;
    const int32_t *extents = launch->args[8].data;
    int32_t *first = launch->args[9].data;
    int32_t *length = launch->args[10].data;
    uint64_t nodes = launch->args[1].count / WORDS;
    uint64_t first_leaf = 0;
    while (first_leaf < nodes && keys[first_leaf * WORDS + ORDER - 1] == INT32_MAX) {
        first_leaf++;
    }

    for (uint32_t q = 0; q < launch->grid[0]; q++) {
        int64_t end = (int64_t)starts[q] + extents[q];
        int64_t from = find(keys, first_leaf, nodes - first_leaf, starts[q]);
        int64_t to = find(keys, first_leaf, nodes - first_leaf, end);
        if (from >= 0) {
            first[q] = (int32_t)from;
        }
        if (to >= 0) {
            length[q] = (int32_t)(to - first[q] + 1);
        }
    }
    return NULL;
}
