/* SPDX-License-Identifier: Apache-2.0 */
/* The exchange kernel; see exchange.h. */
#include "tests/core/exchange.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void add_imm(kit_kernel *kk, unsigned dst, unsigned src, uint32_t v)
{
    kit_add(kk, kit_imm(kit_op(WR_OP_ADD, WR_U32, dst, src, RZ, RZ), 1, v));
}

void exchange_build(kit_kernel *kk, uint32_t base)
{
    kit_begin(kk, "moved", EXCHANGE_REGS);
    kk->k.shared_bytes = EXCHANGE_SHARED;
    kk->k.local_bytes = 4;
    kit_add(kk, kit_s2r(0, WR_SREG_CTAID_X));
    kit_add(kk, kit_s2r(1, WR_SREG_NTID_X));
    kit_add(kk, kit_s2r(2, WR_SREG_TID_X));
    kit_add(kk, kit_op(WR_OP_MAD, WR_U32, 0, 0, 1, 2));
    kit_add(kk, kit_imm(kit_op(WR_OP_SHL, WR_B32, 1, 0, RZ, RZ), 1, 2));
    add_imm(kk, 1, 1, base);
    kit_add(kk, kit_imm(kit_op(WR_OP_SHL, WR_B32, 3, 2, RZ, RZ), 1, 2));
    kit_add(kk, kit_imm(kit_op(WR_OP_XOR, WR_B32, 4, 3, RZ, RZ), 1, 0x3fc));
    kit_add(kk, kit_op(WR_OP_MOV, WR_B32, 5, 0, RZ, RZ)); /* value */
    kit_add(kk, kit_imm(kit_op(WR_OP_MOV, WR_B32, 6, RZ, RZ, RZ), 0, 0));
    kit_add(kk, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_LOCAL, 1, 0, RZ, 0));
    size_t head = kk->count;
    kit_add(kk, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_SHARED, 1, 5, 3, 0));
    kit_add(kk, kit_plain(WR_OP_BAR_PP));
    kit_add(kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_SHARED, 1, 7, 4, 0));
    kit_add(kk, kit_plain(WR_OP_BAR_PP));
    kit_add(kk, kit_imm(kit_op(WR_OP_MAD, WR_U32, 5, 7, RZ, 6), 1, 3));
    add_imm(kk, 6, 6, 1);
    kit_add(kk, kit_imm(kit_setp(WR_CMP_LT, WR_U32, 0, 6, RZ), 1, 12));
    kit_add(kk, kit_guard(kit_bra(head, head + 8), 0, false));
    kit_add(kk, kit_imm(kit_op(WR_OP_AND, WR_B32, 8, 0, RZ, RZ), 1, 15));
    size_t loop = kk->count;
    kit_add(kk, kit_plain(WR_OP_PP));
    kit_add(kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 9, 1, 0));
    kit_add(kk, kit_op(WR_OP_ADD, WR_U32, 5, 5, 9, RZ));
    add_imm(kk, 5, 5, 17);
    add_imm(kk, 8, 8, UINT32_MAX);
    kit_add(kk, kit_setp(WR_CMP_GE, WR_S32, 1, 8, RZ));
    kit_add(kk, kit_guard(kit_bra(loop, loop + 7), 1, false));
    kit_add(kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_LOCAL, 1, 10, RZ, 0));
    kit_add(kk, kit_op(WR_OP_ADD, WR_U32, 5, 5, 10, RZ));
    kit_add(kk, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_GLOBAL, 1, 5, 1, 0));
    kit_add(kk, kit_plain(WR_OP_EXIT));
    kit_build(kk);
}

uint64_t exchange_slots(const wr_gpu *gpu)
{
    uint64_t digest = 0;
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        for (uint32_t s = 0; s < gpu->cfg.sm.schedulers; s++) {
            for (uint32_t u = 0; u < WR_SLOT_USES; u++) {
                digest = (digest ^ gpu->sms[i].slots[s][u]) * UINT64_C(0x9e3779b97f4a7c15);
                digest ^= digest >> 31;
            }
        }
        const wr_sm_stats *t = &gpu->sms[i].stats;
        digest += t->miss_occupancy + 3 * t->lsu_occupancy + 5 * t->warp_cycles;
    }
    return digest;
}

static uint32_t tbs_of(const exchange_how *how)
{
    return how->tbs != 0 ? how->tbs : EXCHANGE_TBS;
}

static uint64_t run(const exchange_how *how, uint32_t *out)
{
    static kit_kernel kk;
    wr_gpu_config cfg = how->config != NULL ? kit_named(how->config) : kit_config();
    cfg.sms = how->sms != 0 ? how->sms : 3;
    cfg.sm.warp_limit = how->warp_limit;
    cfg.sm.registers = how->registers != 0 ? how->registers : cfg.sm.registers;
    wr_gpu *gpu = wr_gpu_create(&cfg);
    uint64_t base = wr_gpu_alloc(gpu, EXCHANGE_WORDS * 4, 256);
    for (uint32_t i = 0; i < EXCHANGE_WORDS; i++) {
        assert_true(wr_gpu_write(gpu, base + 4 * (uint64_t)i, &i, 4));
    }
    exchange_build(&kk, (uint32_t)base);
    gpu->no_skip = how->no_skip;
    assert_true(wr_gpu_set_threads(gpu, how->threads != 0 ? how->threads : 1));
    gpu->balance.stubborn = true;
    if (how->hooks != NULL) {
        wr_gpu_attach(gpu, how->hooks);
    }
    if (how->prepare != NULL) {
        how->prepare(how->arg, gpu);
    }
    wr_launch l = kit_launch(&kk, tbs_of(how), EXCHANGE_BLOCK, NULL);
    uint64_t cycles = kit_run(gpu, &l);
    assert_true(wr_gpu_read(gpu, base, out, EXCHANGE_WORDS * 4));
    if (how->look != NULL) {
        how->look(how->arg, gpu);
    }
    wr_gpu_free(gpu);
    return cycles;
}

uint64_t exchange_run(const exchange_how *how)
{
    static uint32_t plain[EXCHANGE_WORDS];
    static uint32_t got[EXCHANGE_WORDS];
    static bool known;
    if (!known) {
        run(&(exchange_how){.sms = 3}, plain);
        known = true;
    }
    uint64_t cycles = run(how, got);
    assert_memory_equal(plain, got, tbs_of(how) * EXCHANGE_BLOCK * sizeof plain[0]);
    return cycles;
}
