/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of inverted_index: looks for the end of each link where one begins. */
#include "kernels/reference.h"

enum { ROWS = 1024 };

static uint32_t hash_of(const uint8_t *link, int64_t length)
{
    uint32_t hash = 2166136261U;

    for (int64_t i = 0; i < length; i++) {
        hash = (hash ^ link[i]) * 16777619U;
    }
    return hash;
}

const char *wr_reference_inverted_index(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "biiinn")) {
        return "inverted_index takes a buffer of bytes text, 32-bit buffers lengths, index and "
               "links, the bytes of a cell and the count of documents";
    }
    const uint8_t *text = launch->args[0].data;
    const int32_t *lengths = launch->args[1].data;
    uint32_t *index = launch->args[2].data;
    int32_t *links = launch->args[3].data;
    int64_t pitch = launch->args[4].integer;
    int64_t documents = launch->args[5].integer;
    int64_t words = (documents + 31) / 32;

    if ((int64_t)launch->block[0] != 256 || documents < 0 ||
        documents > 256 * (int64_t)launch->grid[0]) {
        return "inverted_index needs block [256] and a grid that covers the documents";
    }
    if (!wr_reference_holds(launch, 1, (uint64_t)documents) ||
        !wr_reference_holds(launch, 2, (uint64_t)(ROWS * words)) ||
        !wr_reference_holds(launch, 3, ROWS)) {
        return "buffer lengths has no element a document, index no 1024 rows of a bit a "
               "document, or links no 1024 elements";
    }
    for (int64_t d = 0; d < documents; d++) {
        int64_t start = pitch * d;
        int64_t end = start + lengths[d];
        int64_t begin = -1;

        if (pitch < 0 || lengths[d] < 0 || lengths[d] > pitch || end > INT32_MAX ||
            !wr_reference_holds(launch, 0, (uint64_t)end)) {
            return "a document does not fit its cell, or lies outside buffer text";
        }
        for (int64_t i = start; i < end; i++) {
            if (text[i] == '<') {
                begin = i + 1;
            } else if (text[i] == '>' && begin >= 0) {
                int64_t row = hash_of(text + begin, i - begin) % ROWS;

                index[row * words + d / 32] |= 1U << (d % 32);
                links[row]++;
                begin = -1;
            }
        }
    }
    return NULL;
}
