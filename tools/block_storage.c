/* SPDX-License-Identifier: Apache-2.0 */
/* Bits of storage, block by block and in the papers' totals: see block_storage.h. */
#include "tools/block_storage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What the parts of all blocks bring to a total. */
typedef struct sum {
    uint64_t paper;
    uint64_t ours;
} sum;

wr_block_storage wr_block_storage_of(const wr_block_desc *block)
{
    wr_block_storage s = {0, 0, block->storage_bits};

    for (size_t i = 0; i < block->parts_count; i++) {
        const wr_storage_part *part = &block->parts[i];
        if (part->paper_bits > 0) {
            s.paper += part->paper_bits;
            s.same += part->bits;
            s.beyond -= part->bits;
        }
    }
    return s;
}

static sum sum_of(const wr_storage_total *total)
{
    size_t count;
    const wr_block_desc *const *all = wr_blocks(&count);
    sum s = {0, 0};

    for (size_t b = 0; b < count; b++) {
        for (size_t i = 0; i < all[b]->parts_count; i++) {
            const wr_storage_part *part = &all[b]->parts[i];
            if (part->total != NULL && strcmp(part->total, total->name) == 0) {
                s.paper += (uint64_t)part->paper_bits * part->instances;
                s.ours += (uint64_t)part->bits * part->instances;
            }
        }
    }
    return s;
}

static void print_or_dash(uint64_t bits, int width)
{
    if (bits > 0) {
        (void)printf("%*" PRIu64, width, bits);
    } else {
        (void)printf("%*s", width, "-");
    }
}

void wr_print_storage_columns(const wr_block_desc *block)
{
    wr_block_storage s = wr_block_storage_of(block);

    print_or_dash(s.paper, 8);
    print_or_dash(s.same, 12);
    print_or_dash(s.beyond, 10);
}

void wr_print_storage_parts(const wr_block_desc *block)
{
    wr_block_storage s = wr_block_storage_of(block);

    (void)printf(
        "\nstorage             paper     ours  what, in bits of the default configuration\n");
    for (size_t i = 0; i < block->parts_count; i++) {
        const wr_storage_part *part = &block->parts[i];
        (void)printf("%-17s", part->name);
        print_or_dash(part->paper_bits, 8);
        (void)printf("%9" PRIu32 "  %s", part->bits, part->doc);
        if (part->total != NULL) {
            (void)printf(" (%" PRIu32 " in total '%s')", part->instances, part->total);
        }
        (void)printf("\n");
    }
    (void)printf("%-17s", "sum");
    print_or_dash(s.paper, 8);
    (void)printf("%9" PRIu32 "  %" PRIu32 " for what the paper counts, %" PRIu32
                 " beyond; paper: %s\n",
                 block->storage_bits, s.same, s.beyond, block->storage_paper);
}

void wr_print_storage_totals(void)
{
    size_t count;
    const wr_storage_total *totals = wr_storage_totals(&count);

    (void)printf("\nTotals of storage that the papers state, in bits\n"
                 "total              per                    paper   blocks     ours  as printed\n");
    for (size_t i = 0; i < count; i++) {
        sum s = sum_of(&totals[i]);
        (void)printf("%-18s %-19s %8" PRIu32 " ", totals[i].name, totals[i].per, totals[i].bits);
        print_or_dash(s.paper, 8);
        print_or_dash(s.ours, 9);
        (void)printf("  %s, %s\n", totals[i].figure, totals[i].source);
    }
    (void)printf(
        "blocks: what the paper counts, added up over the parts of the blocks; ours: flip-flops "
        "of the RTL for that state.\n");
}

cJSON *wr_json_storage(const wr_block_desc *block)
{
    wr_block_storage s = wr_block_storage_of(block);
    cJSON *storage = cJSON_CreateObject();
    cJSON *parts = cJSON_AddArrayToObject(storage, "parts");

    cJSON_AddNumberToObject(storage, "bits", block->storage_bits);
    cJSON_AddStringToObject(storage, "paper", block->storage_paper);
    cJSON_AddNumberToObject(storage, "paper_bits", s.paper);
    cJSON_AddNumberToObject(storage, "same_state_bits", s.same);
    cJSON_AddNumberToObject(storage, "beyond_bits", s.beyond);
    for (size_t i = 0; i < block->parts_count; i++) {
        const wr_storage_part *part = &block->parts[i];
        cJSON *p = cJSON_CreateObject();
        cJSON_AddStringToObject(p, "name", part->name);
        cJSON_AddNumberToObject(p, "bits", part->bits);
        cJSON_AddNumberToObject(p, "paper_bits", part->paper_bits);
        cJSON_AddStringToObject(p, "meaning", part->doc);
        if (part->total != NULL) {
            cJSON_AddStringToObject(p, "total", part->total);
            cJSON_AddNumberToObject(p, "instances", part->instances);
        }
        cJSON_AddItemToArray(parts, p);
    }
    return storage;
}

cJSON *wr_json_storage_totals(void)
{
    size_t count;
    const wr_storage_total *totals = wr_storage_totals(&count);
    cJSON *array = cJSON_CreateArray();

    for (size_t i = 0; i < count; i++) {
        sum s = sum_of(&totals[i]);
        cJSON *t = cJSON_CreateObject();
        cJSON_AddStringToObject(t, "name", totals[i].name);
        cJSON_AddStringToObject(t, "per", totals[i].per);
        cJSON_AddStringToObject(t, "source", totals[i].source);
        cJSON_AddStringToObject(t, "figure", totals[i].figure);
        cJSON_AddNumberToObject(t, "paper_bits", totals[i].bits);
        cJSON_AddNumberToObject(t, "blocks_paper_bits", (double)s.paper);
        cJSON_AddNumberToObject(t, "blocks_bits", (double)s.ours);
        cJSON_AddItemToArray(array, t);
    }
    return array;
}
