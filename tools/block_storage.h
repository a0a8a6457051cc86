/* SPDX-License-Identifier: Apache-2.0 */
/* The storage audit of `warpref blocks`: flip-flops of the RTL beside what the papers count. */
#ifndef WR_TOOLS_BLOCK_STORAGE_H
#define WR_TOOLS_BLOCK_STORAGE_H

#include "dpi/block.h"

#include <cjson/cJSON.h>

typedef struct wr_block_storage {
    uint32_t paper;  /* bits that the paper counts; 0: none */
    uint32_t same;   /* our bits for that state */
    uint32_t beyond; /* our other bits */
} wr_block_storage;

wr_block_storage wr_block_storage_of(const wr_block_desc *block);

/* Three columns, 30 characters: paper, same state, beyond. */
void wr_print_storage_columns(const wr_block_desc *block);
/* The parts of one block. */
void wr_print_storage_parts(const wr_block_desc *block);
/* The totals that the papers state, and what the parts of the blocks add up to. */
void wr_print_storage_totals(void);

cJSON *wr_json_storage(const wr_block_desc *block);
cJSON *wr_json_storage_totals(void);

#endif
