/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of btree_findk: the tree holds record r under key r * gap, so a query is answered by
 * division. The build launch is followed by the definition of the layout. */
#include "kernels/reference.h"

#include <string.h>

enum { ORDER = 256, WORDS = ORDER + 1 };

/* Fills one node whose records begin at `record` with `each` of them under one key. */
static void fill_node(int32_t *keys, int32_t *children, int64_t used, int64_t record, int64_t each,
                      int64_t gap, int64_t child, int64_t child_step)
{
    for (int64_t i = 0; i < WORDS; i++) {
        keys[i] = i < used ? (int32_t)((record + i * each) * gap) : INT32_MAX;
        children[i] = i < ORDER ? (int32_t)(child + i * child_step) : 0;
    }
}

static const char *build(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "iinnn")) {
        return "btree_build takes 32-bit buffers keys, children, and levels, fanout, gap";
    }
    int64_t levels = launch->args[2].integer;
    int64_t fanout = launch->args[3].integer;
    int64_t gap = launch->args[4].integer;
    if (levels < 1 || levels > 8 || fanout < 2 || fanout > 64 || gap < 1) {
        return "levels must be 1 to 8, fanout 2 to 64, gap positive";
    }
    int64_t leaves = 1, nodes = 1;
    for (int64_t l = 1; l < levels; l++) {
        leaves *= fanout;
        nodes += leaves;
        if (leaves * ORDER * gap > INT32_MAX) {
            return "the tree is too large for its keys";
        }
    }
    if (!wr_reference_shape(launch, (uint32_t[]){(uint32_t)nodes, 1, 1},
                            (uint32_t[]){ORDER, 1, 1})) {
        return "btree_build needs block [256, 1, 1] and one TB a node";
    }
    if (!wr_reference_holds(launch, 0, (uint64_t)nodes * WORDS) ||
        !wr_reference_holds(launch, 1, (uint64_t)nodes * WORDS)) {
        return "a buffer is too short for the tree";
    }
    int32_t *keys = launch->args[0].data;
    int32_t *children = launch->args[1].data;

    int64_t node = 0;
    for (int64_t width = 1; width <= leaves; width *= fanout) {
        int64_t below = leaves / width; /* leaves under a node of this level */
        int64_t next_level = node + width;
        for (int64_t place = 0; place < width; place++, node++) {
            int64_t record = place * below * ORDER;
            if (below == 1) {
                fill_node(keys + node * WORDS, children + node * WORDS, ORDER, record, 1, gap,
                          record, 1);
            } else {
                fill_node(keys + node * WORDS, children + node * WORDS, fanout, record,
                          below / fanout * ORDER, gap, next_level + place * fanout, 1);
            }
        }
    }
    return NULL;
}

const char *wr_reference_btree_findk(const wr_reference_launch *launch)
{
    if (strcmp(launch->kernel, "btree_build") == 0) {
        return build(launch);
    }
    if (!wr_reference_takes(launch, "niiiiiii")) {
        return "btree_findk takes a height and 32-bit buffers keys, children, records, nodes, "
               "next, queries, answers";
    }
    if (!wr_reference_shape(launch, (uint32_t[]){launch->grid[0], 1, 1},
                            (uint32_t[]){ORDER, 1, 1})) {
        return "btree_findk needs block [256, 1, 1] and grid [queries, 1, 1]";
    }
    for (size_t i = 4; i < 8; i++) {
        if (!wr_reference_holds(launch, i, launch->grid[0])) {
            return "a buffer is shorter than the count of queries";
        }
    }
    if (launch->args[1].count != launch->args[2].count) {
        return "keys and children differ in length";
    }
    const int32_t *keys = launch->args[1].data;
    const int32_t *records = launch->args[3].data;
    const int32_t *queries = launch->args[6].data;
    int32_t *answers = launch->args[7].data;
    uint64_t leaves = launch->args[1].count / WORDS;
    uint64_t first_leaf = 0;
    while (first_leaf < leaves && keys[first_leaf * WORDS + ORDER - 1] == INT32_MAX) {
        first_leaf++;
    }
    if (first_leaf == leaves) {
        return "the tree has no full leaf";
    }
    int32_t gap = keys[first_leaf * WORDS + 1];

    for (uint32_t q = 0; q < launch->grid[0]; q++) {
        int32_t record = queries[q] / gap;
        if (queries[q] < 0 || (uint64_t)record >= (leaves - first_leaf) * ORDER ||
            (uint64_t)record >= launch->args[3].count) {
            return "a query is outside the tree";
        }
        if (queries[q] % gap == 0) {
            answers[q] = records[record];
        }
    }
    return NULL;
}
