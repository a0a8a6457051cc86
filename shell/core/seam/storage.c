/* SPDX-License-Identifier: Apache-2.0 */
/* Storage of an SM, for systems; see storage.h. */
#include "shell/core/seam/storage.h"

#include "shell/core/gpu/state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

uint8_t *wr_sm_register_line(wr_sm *sm, uint32_t row)
{
    assert(row < sm->cfg->sm.registers / WR_LANES);
    return (uint8_t *)(sm->regs + (size_t)row * WR_LANES);
}

uint8_t *wr_sm_shared_line(wr_sm *sm, uint32_t line)
{
    assert(line < sm->cfg->sm.shared_bytes / WR_LINE_BYTES);
    return sm->shared + (size_t)line * WR_LINE_BYTES;
}

/* The TB's storage, out of `from`, an image of the SM's. */
static void move_tb(wr_sm *sm, wr_tb *tb, const wr_tb_where *where, const uint8_t *from)
{
    const wr_program *p = tb->program;
    size_t file = (size_t)sm->cfg->sm.registers * sizeof(uint32_t);
    for (uint32_t i = 0; i < p->warps; i++) {
        uint32_t warp = sm->slot_of[tb->ids[i]];
        uint32_t *to = sm->regs + ((size_t)where->row + (size_t)i * p->regs) * WR_LANES;
        assert(warp != WR_AWAY);
        size_t old = (size_t)((uint8_t *)sm->warps[warp].rows - (uint8_t *)sm->regs);
        size_t bytes = (size_t)p->kernel->regs * WR_ROW_BYTES;
        assert((size_t)((uint8_t *)to - (uint8_t *)sm->regs) + bytes <= file);
        (void)file;
        memcpy(to, from + old, bytes);
        sm->warps[warp].rows = to;
    }
    size_t old = (size_t)(tb->shared - sm->shared);
    assert(where->shared + p->shared <= sm->cfg->sm.shared_bytes);
    tb->shared = sm->shared + where->shared;
    memcpy(tb->shared, from + wr_sm_register_bytes(sm->cfg) + old, p->shared);
}

bool wr_sm_tbs_locate(wr_sm *sm, const wr_tb_where *where, uint32_t poison)
{
    size_t regs = wr_sm_register_bytes(sm->cfg);
    size_t shared = (size_t)sm->cfg->sm.max_tbs * sm->cfg->sm.shared_bytes;
    uint8_t *image = malloc(regs + shared);
    if (image == NULL) {
        return false;
    }
    memcpy(image, sm->regs, regs);
    memcpy(image + regs, sm->shared, shared);
    memset(sm->regs, (int)(poison & 0xff), regs);
    memset(sm->shared, (int)(poison & 0xff), shared);
    for (uint64_t left = sm->tb_valid; left != 0; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        move_tb(sm, &sm->tbs[slot], &where[slot], image);
    }
    free(image);
    return true;
}

void wr_sm_tb_share_at(wr_sm *sm, uint32_t tb_slot, uint32_t shared)
{
    assert(tb_slot < sm->cfg->sm.max_tbs && sm->tbs[tb_slot].valid);
    wr_tb *tb = &sm->tbs[tb_slot];
    assert(tb->live == 0);
    sm->shared_used -= tb->shared != NULL ? tb->program->shared_charge : 0;
    sm->shared_used += shared != WR_ELSEWHERE ? tb->program->shared_charge : 0;
    assert(sm->shared_used <= sm->cfg->sm.shared_bytes);
    assert(shared == WR_ELSEWHERE || shared + tb->program->shared <= sm->cfg->sm.shared_bytes);
    tb->shared = shared != WR_ELSEWHERE ? sm->shared + shared : NULL;
}

void wr_sm_l1_off(wr_sm *sm, bool off)
{
    assert(sm->cfg->l1.write == WR_L1_THROUGH);
    wr_sm_settle(sm, sm->gpu->elapsed);
    sm->l1_off = off;
    wr_l1_drop(&sm->l1);
}

bool wr_sm_l1_empty(const wr_sm *sm)
{
    for (uint32_t i = 0; i < sm->lsu_count; i++) {
        const wr_lsu_entry *e = wr_lsu_entry_at(sm, i);
        if (e->path == WR_LSU_LOAD && !e->no_l1) {
            return false;
        }
    }
    return sm->l1.free_count == sm->l1.mshr_count;
}
