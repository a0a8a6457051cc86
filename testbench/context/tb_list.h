/* SPDX-License-Identifier: Apache-2.0 */
/* The thread blocks that a stimulus believes to be in an allocation table, in any order.
 *
 * Invariant: the list follows what the hardware says. Hardware that is wrong may say anything, so
 * what does not fit is passed over.
 */
#ifndef WR_TESTBENCH_CONTEXT_TB_LIST_H
#define WR_TESTBENCH_CONTEXT_TB_LIST_H

#include <stdbool.h>
#include <stdint.h>

enum { WR_TB_LIST_MAX = 32 };

typedef struct wr_tb_item {
    uint8_t kernel;
    uint16_t number;
    uint16_t start;
    uint16_t size;
} wr_tb_item;

typedef struct wr_tb_list {
    wr_tb_item tb[WR_TB_LIST_MAX];
    uint32_t used;
} wr_tb_list;

/* Place of a TB in the list, `used` where it is not there. */
static inline uint32_t wr_tb_list_find(const wr_tb_list *l, uint8_t kernel, uint16_t number)
{
    uint32_t i = 0;
    while (i < l->used && (l->tb[i].kernel != kernel || l->tb[i].number != number)) {
        i++;
    }
    return i;
}

static inline bool wr_tb_list_has(const wr_tb_list *l, uint8_t kernel, uint16_t number)
{
    return wr_tb_list_find(l, kernel, number) < l->used;
}

/* TBs of one kernel. */
static inline uint32_t wr_tb_list_count(const wr_tb_list *l, uint8_t kernel)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->used; i++) {
        n += l->tb[i].kernel == kernel;
    }
    return n;
}

/* The unit behind the highest TB. */
static inline uint32_t wr_tb_list_top(const wr_tb_list *l)
{
    uint32_t top = 0;
    for (uint32_t i = 0; i < l->used; i++) {
        const uint32_t end = (uint32_t)l->tb[i].start + l->tb[i].size;
        top = end > top ? end : top;
    }
    return top;
}

static inline void wr_tb_list_add(wr_tb_list *l, wr_tb_item tb)
{
    if (l->used < WR_TB_LIST_MAX) {
        l->tb[l->used++] = tb;
    }
}

static inline void wr_tb_list_remove(wr_tb_list *l, uint8_t kernel, uint16_t number)
{
    const uint32_t i = wr_tb_list_find(l, kernel, number);
    if (i < l->used) {
        l->tb[i] = l->tb[--l->used];
    }
}

#endif
