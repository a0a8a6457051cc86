/* SPDX-License-Identifier: Apache-2.0 */
/* Splitting: a value that goes to memory stays in a register of its own all through an innermost
 * loop that reads it and does not write it, and is loaded on the ways into the loop.
 *
 * The loop must have room for it beside what else it reads and writes. Where registers are then
 * short because of values that only live through the loop, these are spilled in the next round. The
 * register is one like any other and may be spilled, too, but is not split.
 */
#include <string.h>

#include "shell/compiler/alloc.h"

#define SPARE 2 /* words a loop keeps for the temporaries of spilling */

/* What a register is to the loop in whose blocks it was seen last. */
typedef struct sight {
    uint32_t head, uses;
    bool written;
} sight;

typedef struct splitter {
    const wr_alloc *alloc;
    const wr_live *live;
    const bool *spill;     /* by group */
    const bool *in_memory; /* by register */
    sight *sights;         /* by register */
    wr_cell_set set;
    uint32_t *first, *next; /* by head of an innermost loop: a block of it + 1; the next */
    wr_split *split;
    uint32_t *best; /* by register: how often the loop reads it in which it stays */
} splitter;

static void list_members(splitter *s)
{
    const wr_cfg *cfg = s->alloc->cfg;

    for (uint32_t k = 0; k < cfg->order_count; k++) {
        uint32_t b = cfg->order[k], head = cfg->loop_head[b];

        if (head == WR_IR_NO_BLOCK || !cfg->inner_head[head]) {
            continue;
        }
        s->next[b] = s->first[head];
        s->first[head] = b + 1;
    }
}

static void see(splitter *s, const wr_ir_operand *operand, uint32_t head, bool writes)
{
    sight *seen;

    if (operand->kind != WR_IR_REG) {
        return;
    }
    seen = &s->sights[operand->reg];
    if (seen->head != head) {
        *seen = (sight){.head = head};
    }
    seen->uses += writes ? 0 : 1;
    seen->written = seen->written || writes;
}

static void see_block(splitter *s, uint32_t block, uint32_t head)
{
    const wr_ir_list *list = &s->alloc->ir->blocks[block].insns;

    for (uint32_t i = 0; i < list->count; i++) {
        for (unsigned k = 0; k < wr_ir_src_count(&list->at[i]); k++) {
            see(s, &list->at[i].src[k], head, false);
        }
        see(s, &list->at[i].dst, head, true);
    }
}

/* Words of the set that stay in registers and that the loop reads or writes. */
static uint32_t words_of_loop(const splitter *s, uint32_t head)
{
    uint32_t words = 0;

    for (uint32_t i = 0; i < s->set.count; i++) {
        uint32_t reg = s->alloc->group_of[s->set.cells[i]];

        if (s->set.cells[i] < s->alloc->ir->word_count && !s->spill[reg] &&
            s->sights[reg].head == head) {
            words++;
        }
    }
    return words;
}

static uint32_t most_words(splitter *s, uint32_t block, uint32_t head)
{
    const wr_ir_list *list = &s->alloc->ir->blocks[block].insns;
    uint32_t most;

    wr_live_out(s->live, block, &s->set);
    most = words_of_loop(s, head);
    for (uint32_t i = list->count; i-- > 0;) {
        uint32_t words;

        wr_live_step(s->alloc->ir, &list->at[i], &s->set);
        words = words_of_loop(s, head);
        most = words > most ? words : most;
    }
    return most;
}

/* Takes the register into the loop, if that reads it more often than the loop in which it stays so
 * far; returns the words that it takes there. */
static uint32_t take(splitter *s, uint32_t reg, uint32_t head, uint32_t room)
{
    const wr_ir_reg *r = &s->alloc->ir->regs[reg];

    if (!s->in_memory[reg] || r->split || r->words > 2 || r->words > room ||
        s->sights[reg].written || s->sights[reg].uses <= s->best[reg] ||
        s->split[reg].head == head) {
        return 0;
    }
    s->split[reg].head = head;
    s->best[reg] = s->sights[reg].uses;
    return r->words;
}

static void split_in_loop(splitter *s, uint32_t head)
{
    uint32_t taken = SPARE;

    for (uint32_t m = s->first[head]; m != 0; m = s->next[m - 1]) {
        see_block(s, m - 1, head);
    }
    for (uint32_t m = s->first[head]; m != 0; m = s->next[m - 1]) {
        uint32_t words = most_words(s, m - 1, head) + SPARE;

        taken = words > taken ? words : taken;
    }
    for (uint32_t m = s->first[head]; m != 0; m = s->next[m - 1]) {
        const wr_ir_list *list = &s->alloc->ir->blocks[m - 1].insns;

        for (uint32_t i = 0; i < list->count; i++) {
            for (unsigned k = 0; k < wr_ir_src_count(&list->at[i]); k++) {
                if (list->at[i].src[k].kind == WR_IR_REG && taken < s->alloc->max_regs) {
                    taken += take(s, list->at[i].src[k].reg, head, s->alloc->max_regs - taken);
                }
            }
        }
    }
}

wr_split *wr_alloc_split(wr_alloc *alloc, const wr_live *live, const bool *spill,
                         const bool *in_memory)
{
    wr_ir *ir = alloc->ir;
    wr_pool *pool = alloc->pool;
    uint32_t n = ir->reg_count;
    bool any = false;
    splitter s = {.alloc = alloc,
                  .live = live,
                  .spill = spill,
                  .in_memory = in_memory,
                  .sights = wr_pool_alloc(pool, n, sizeof *s.sights),
                  .set = wr_cell_set_new(pool, live->cells),
                  .first = wr_pool_alloc(pool, ir->block_count, sizeof *s.first),
                  .next = wr_pool_alloc(pool, ir->block_count, sizeof *s.next),
                  .split = wr_pool_alloc(pool, n, sizeof *s.split),
                  .best = wr_pool_alloc(pool, n, sizeof *s.best)};

    for (uint32_t r = 0; r < n; r++) {
        s.sights[r].head = WR_IR_NO_BLOCK;
        s.split[r] = (wr_split){WR_IR_NO_BLOCK, WR_IR_NO_REG};
    }
    list_members(&s);
    for (uint32_t head = 0; head < ir->block_count; head++) {
        if (s.first[head] != 0) {
            split_in_loop(&s, head);
        }
    }
    for (uint32_t r = 0; r < n; r++) {
        if (s.split[r].head == WR_IR_NO_BLOCK) {
            continue;
        }
        s.split[r].reg = wr_ir_new_reg(ir, ir->regs[r].words);
        ir->regs[s.split[r].reg].split = true;
        any = true;
    }
    return any ? s.split : NULL;
}
