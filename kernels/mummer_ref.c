/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of mummer. */
#include "kernels/reference.h"

enum { THREADS = 256, LETTERS = 4 };

typedef struct tree {
    const int32_t *children, *positions;
    const uint8_t *text;
    int64_t nodes;
    uint64_t leaves, text_length;
} tree;

/* The match of read[start ...]: its length, and into `place` where in the text, -1 if it ends
 * inside the tree. */
static const char *match(const tree *t, const uint8_t *read, int64_t start, int64_t read_length,
                         int64_t *length, int64_t *place)
{
    int64_t node = 0;
    int64_t depth = 0;

    *place = -1;
    for (; node < t->nodes; depth++) {
        if (start + depth == read_length) {
            *length = depth;
            return NULL;
        }
        if (read[start + depth] >= LETTERS) {
            return "a read has a character that is not in 0..3";
        }
        int64_t child = t->children[LETTERS * node + read[start + depth]];

        if (child <= node || child >= t->nodes + (int64_t)t->leaves) {
            return "a node has a child that is not behind it, or that is no leaf";
        }
        node = child;
    }
    *place = t->positions[node - t->nodes];
    for (; start + depth < read_length; depth++) {
        if (*place < 0 || (uint64_t)(*place + depth) >= t->text_length) {
            return "a leaf's position is not in the reference, or a read's length from its end";
        }
        if (t->text[*place + depth] != read[start + depth]) {
            break;
        }
    }
    *length = depth;
    return NULL;
}

const char *wr_reference_mummer(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "biibbinnnnn")) {
        return "mummer takes a buffer of bytes reads, 32-bit buffers children and positions, "
               "buffers of bytes reference and lengths, a 32-bit buffer found, and the values "
               "read_count, read_length, step, nodes and least";
    }
    int64_t reads = launch->args[6].integer;
    int64_t read_length = launch->args[7].integer;
    int64_t step = launch->args[8].integer;
    int64_t least = launch->args[10].integer;
    tree t = {.children = launch->args[1].data,
              .positions = launch->args[2].data,
              .text = launch->args[3].data,
              .nodes = launch->args[9].integer,
              .leaves = launch->args[2].count,
              .text_length = launch->args[3].count};

    if (!wr_reference_shape(launch, (uint32_t[]){launch->grid[0], 1, 1},
                            (uint32_t[]){THREADS, 1, 1}) ||
        reads < 0 || reads > THREADS * (int64_t)launch->grid[0]) {
        return "mummer needs block [256, 1, 1] and a grid [n, 1, 1] that covers all reads";
    }
    if (step < 1 || least < 1 || least > read_length || read_length > UINT8_MAX) {
        return "a read has 1 to 255 characters, a match 1 to as many, and a step is at least 1";
    }
    int64_t starts = (read_length - least) / step + 1;

    if (!wr_reference_holds(launch, 0, (uint64_t)(reads * read_length)) ||
        !wr_reference_holds(launch, 4, (uint64_t)(reads * starts)) ||
        !wr_reference_holds(launch, 5, (uint64_t)(reads * starts))) {
        return "the buffer of reads, lengths or found is too short for the reads";
    }
    if (t.nodes < 1 || !wr_reference_holds(launch, 1, LETTERS * (uint64_t)t.nodes)) {
        return "there are four children a node, and at least one node";
    }
    const uint8_t *read = launch->args[0].data;
    uint8_t *lengths = launch->args[4].data;
    int32_t *found = launch->args[5].data;

    for (int64_t i = 0; i < reads * starts; i++) {
        int64_t length = 0;
        int64_t place = -1;
        const char *fault = match(&t, &read[i / starts * read_length], i % starts * step,
                                  read_length, &length, &place);

        if (fault) {
            return fault;
        }
        lengths[i] = (uint8_t)length;
        found[i] = length < least ? -1 : (int32_t)place;
    }
    return NULL;
}
