/* SPDX-License-Identifier: Apache-2.0 */
/* System mascar on the real shell: when an SM is saturated, who owns its memory side and who may
 * issue is worked out from the SM's own state and from what warps wait for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/gpu/state.h"
#include "tests/systems/choices.h"

typedef struct here {
    bool saturated;
    int owner, last;
    bool hits[64]; /* loads of others that find all of their lines */
    uint64_t seen_at;
} here;
static here of[CHOICES_SMS];
static uint32_t high;
static bool lets_hits;
static uint64_t cycles, owners, owners_stopped, kept, first_accesses, hit_loads, told[3];

static bool is_access(const wr_sm *sm, uint32_t warp)
{
    const wr_insn *insn = sm->tbs[sm->warps[warp].tb].program->uops[sm->warps[warp].next].insn;
    const bool memory = insn->op == WR_OP_LD || insn->op == WR_OP_ST || insn->op == WR_OP_ATOM ||
                        insn->op == WR_OP_RED;

    return memory && (insn->space == WR_SPACE_GLOBAL || insn->space == WR_SPACE_GENERIC ||
                      insn->space == WR_SPACE_LOCAL);
}

/* It could issue, but for the loads that are held. */
static bool is_able(const wr_sm *sm, uint32_t warp)
{
    const uint64_t bit = UINT64_C(1) << warp;

    return (sm->valid & sm->fetch.buffered & sm->ready & bit) != 0 &&
           ((sm->done | sm->stopped | sm->barrier | sm->membar) & bit) == 0;
}

static bool is_held_by_l1(const wr_sm *sm, uint64_t address)
{
    const wr_l1 *l1 = &sm->l1;
    bool found = false;

    for (uint32_t i = 0; i < l1->sets * l1->ways; i++) {
        found |= l1->lines[i].taken && l1->lines[i].line == address / l1->line_bytes &&
                 l1->lines[i].valid == l1->all;
    }
    return found;
}

/* Byte for byte of each lane. */
static bool hits(const wr_sm *sm, uint32_t warp)
{
    static const uint32_t sizes[WR_TYPE_COUNT] = {
        [WR_U8] = 1,  [WR_S8] = 1,  [WR_B8] = 1,  [WR_U16] = 2, [WR_S16] = 2,
        [WR_B16] = 2, [WR_F16] = 2, [WR_U32] = 4, [WR_S32] = 4, [WR_B32] = 4,
        [WR_F32] = 4, [WR_U64] = 8, [WR_S64] = 8, [WR_B64] = 8, [WR_F64] = 8};
    const wr_insn *insn = sm->tbs[sm->warps[warp].tb].program->uops[sm->warps[warp].next].insn;
    const uint32_t on = sm->warps[warp].stack[sm->warps[warp].depth - 1].mask;
    uint32_t lanes = 0;

    if (insn->op != WR_OP_LD || insn->space != WR_SPACE_GLOBAL || insn->is_volatile) {
        return false;
    }
    assert_int_not_equal(sizes[insn->type], 0);
    for (uint32_t i = 0; i < 32; i++) {
        bool guard = insn->guard == WR_ISA_PT || (sm->warps[warp].preds[insn->guard] >> i & 1) != 0;
        uint32_t word = insn->src[0] == WR_ISA_RZ ? 0 : wr_warp_row(sm, warp, insn->src[0])[i];

        assert_int_not_equal(insn->src_regs[0], 2); /* the kernels have 32-bit addresses */
        if ((on >> i & 1) != 0 && guard != insn->guard_neg) {
            for (uint32_t b = 0; b < sizes[insn->type] * insn->vec; b += 4) {
                if (!is_held_by_l1(sm, (uint64_t)(word + insn->imm) + b)) {
                    return false;
                }
            }
            lanes++;
        }
    }
    return lanes != 0;
}

static int want(wr_sm *sm, uint32_t scheduler, uint64_t candidates)
{
    const here *h = &of[wr_sm_id(sm)];
    uint64_t others = 0;

    for (uint32_t k = 0; k < 64; k++) {
        others |= (candidates >> k & 1) != 0 && !is_access(sm, k) ? UINT64_C(1) << k : 0;
    }
    if (!h->saturated) {
        return choices_round_robin(wr_sm_id(sm), scheduler, candidates);
    }
    if (others != 0) {
        return choices_round_robin(wr_sm_id(sm), scheduler, others);
    }
    if (h->owner != CHOICES_NONE && (candidates >> h->owner & 1) != 0) {
        return h->owner;
    }
    uint64_t hitting = 0;
    for (uint32_t k = 0; k < 64; k++) {
        hitting |= (candidates >> k & 1) != 0 && h->hits[k] ? UINT64_C(1) << k : 0;
    }
    if (hitting != 0) {
        return choices_round_robin(wr_sm_id(sm), scheduler, hitting);
    }
    kept++;
    return CHOICES_NONE;
}

/* Loads of others that miss do not issue, in no way. */
static void issues(wr_sm *sm, uint32_t warp)
{
    const here *h = &of[wr_sm_id(sm)];
    const bool loads =
        sm->tbs[sm->warps[warp].tb].program->uops[sm->warps[warp].next].insn->op == WR_OP_LD;

    assert_false(h->saturated && h->owner != (int)warp && !h->hits[warp] && loads &&
                 is_access(sm, warp));
    hit_loads += h->saturated && h->hits[warp] && loads && is_access(sm, warp);
    first_accesses += h->saturated && is_access(sm, warp);
}

static void on_stalled(void *self, wr_sm *sm, uint32_t warp, wr_wait why)
{
    here *h = &of[wr_sm_id(sm)];

    (void)self;
    if (h->owner == (int)warp &&
        (why == WR_WAIT_MEMORY || why == WR_WAIT_BARRIER || why == WR_WAIT_MEMBAR)) {
        h->owner = CHOICES_NONE;
    }
}

static void on_done(void *self, wr_sm *sm, uint32_t warp)
{
    here *h = &of[wr_sm_id(sm)];

    (void)self;
    h->owner = h->owner == (int)warp ? CHOICES_NONE : h->owner;
}

static void on_stopped(void *self, wr_sm *sm, uint32_t warp)
{
    owners_stopped += of[wr_sm_id(sm)].owner == (int)warp;
    on_done(self, sm, warp);
}

static void on_cycle(void *self, wr_gpu *gpu)
{
    (void)self;
    for (uint32_t i = 0; i < CHOICES_SMS; i++) {
        const wr_sm *sm = &gpu->sms[i];
        here *h = &of[i];
        const uint32_t mshrs = sm->l1.mshr_count - sm->l1.free_count;

        cycles += h->saturated ? gpu->cycle - h->seen_at : 0;
        h->seen_at = gpu->cycle;
        h->saturated = mshrs * 100 >= high * sm->l1.mshr_count ||
                       sm->miss_count * 100 >= high * sm->miss_limit;
        if (!h->saturated) {
            h->owner = CHOICES_NONE;
            continue;
        }
        for (int k = 1; h->owner == CHOICES_NONE && k <= 64; k++) {
            const int w = (h->last + k) % 64;

            if (is_able(sm, (uint32_t)w) && is_access(sm, (uint32_t)w)) {
                h->owner = h->last = w;
                owners++;
            }
        }
        for (uint32_t k = 0; k < 64; k++) {
            h->hits[k] = lets_hits && (int)k != h->owner && is_able(sm, k) && is_access(sm, k) &&
                         hits(sm, k);
        }
    }
}

static void note_row(void *arg, const wr_row *row)
{
    static const char *const names[3] = {"saturated", "owners", "kept"};

    (void)arg;
    for (uint32_t i = 0; i < 3; i++) {
        told[i] = strcmp(row->name, names[i]) == 0 ? row->count : told[i];
    }
}

static void test_owners(void **state)
{
    static const struct {
        const char *file, *machine, *spec;
        uint32_t high;
        const char *beside;
    } rows[] = {
        {"kernels/gemm.yaml", "k20x", "mascar:hits=1", 80, NULL},
        {"kernels/gemm.yaml", "k20x", "mascar", 80, NULL},
        {"kernels/jacobi.yaml", "k20x", "mascar:high=50,hits=1", 50, NULL},
        {"kernels/mvt.yaml", "gtx480", "mascar:high=30,hits=1", 30, NULL},
        {"kernels/spmv_csr.yaml", "k20x", "mascar:high=90", 90, NULL},
        {"kernels/bfs_kernel1.yaml", "gtx980", "mascar:high=20,hits=1", 20, NULL},
        {"kernels/histo.yaml", "k20x", "mascar:high=10,hits=0", 10, NULL},
        {"kernels/jacobi.yaml", "gtx480", "mascar:high=10", 10, "preemption:period=150"},
        {"kernels/gemm.yaml", "maxwell", "mascar:high=20,hits=1", 20,
         "preemption:period=200,scheme=flush"},
    };
    const choices_test test = {.want = want,
                               .issues = issues,
                               .events = {.warp_stalled = on_stalled,
                                          .warp_stopped = on_stopped,
                                          .warp_done = on_done,
                                          .gpu_cycle = on_cycle},
                               .row = note_row};

    uint64_t all_hits = 0;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const wr_gpu_config cfg = choices_machine(rows[i].machine);

        for (uint32_t k = 0; k < CHOICES_SMS; k++) {
            of[k] = (here){.owner = CHOICES_NONE, .last = 63};
        }
        cycles = owners = owners_stopped = kept = first_accesses = hit_loads = 0;
        lets_hits = strstr(rows[i].spec, "hits=1") != NULL;
        high = rows[i].high;
        const choices_seen s = choices_run(rows[i].file, &cfg, rows[i].spec, rows[i].beside, &test);

        print_message("%s, %s: %lu cycles, %lu saturated, %lu owners, %lu loads of others that "
                      "hit, %lu slots kept\n",
                      rows[i].file, rows[i].spec, s.cycles, cycles, owners, hit_loads, kept);
        assert_true(rows[i].beside == NULL || owners_stopped != 0);
        assert_int_equal(told[0], cycles);
        assert_int_equal(told[1], owners);
        assert_int_equal(told[2], kept);
        assert_true(lets_hits || hit_loads == 0);
        all_hits += hit_loads;
        assert_true(cycles > 100 && owners > 20 && first_accesses > 20);
    }
    assert_true(all_hits > 1000);
}

/* Never saturated: the cycles of the machine without it. */
static void test_off(void **state)
{
    wr_gpu_config cfg = choices_machine("k20x");

    (void)state;
    choices_off("kernels/gemm.yaml", &cfg, "mascar:high=101");
    cfg.sm.policy = WR_SCHED_GTO;
    choices_off("kernels/spmv_csr.yaml", &cfg, "mascar:high=101");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_owners), cmocka_unit_test(test_off)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
