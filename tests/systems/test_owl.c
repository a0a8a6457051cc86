/* SPDX-License-Identifier: Apache-2.0 */
/* System owl on the real shell: whom it lets issue is worked out from the TBs that came, in their
 * order, for each choice anew.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/seam/launch.h"
#include "shell/core/seam/warp.h"
#include "tests/systems/choices.h"

enum { MOST = 64 };

/* TBs of an SM, the first that came in front. */
typedef struct here {
    uint64_t tb[MOST]; /* warp slots */
    uint32_t count, most_groups;
} here;
static here of[CHOICES_SMS];
static uint32_t warps;
static bool spread;
static uint64_t firsts, others, back, told_firsts, told_others;

static void on_placed(void *self, wr_sm *sm, uint32_t slot)
{
    here *h = &of[wr_sm_id(sm)];
    const wr_tb_info tb = wr_sm_tb(sm, slot);

    (void)self;
    h->tb[h->count] = 0;
    for (uint32_t k = 0; k < tb.warps; k++) {
        h->tb[h->count] |= UINT64_C(1) << wr_sm_tb_warp(sm, slot, k);
    }
    h->count++;
}

static void on_left(void *self, wr_sm *sm, uint64_t left)
{
    here *h = &of[wr_sm_id(sm)];
    here rest = {.most_groups = h->most_groups};

    (void)self;
    for (uint32_t i = 0; i < h->count; i++) {
        if (h->tb[i] != left) {
            rest.tb[rest.count++] = h->tb[i];
        }
    }
    assert_true(rest.count + 1 >= h->count);
    *h = rest;
}

/* The number of its TB's group, by warp slot. */
static uint32_t number_groups(const here *h, uint32_t group[64])
{
    uint32_t groups = 0;
    uint32_t filled = 0;

    memset(group, 0xff, 64 * sizeof group[0]);
    for (uint32_t i = 0; i < h->count; i++) {
        uint32_t of_tb = 0;

        groups += filled == 0;
        for (uint32_t k = 0; k < 64; k++) {
            if ((h->tb[i] >> k & 1) != 0) {
                group[k] = groups - 1;
                of_tb++;
            }
        }
        filled = filled + of_tb >= warps ? 0 : filled + of_tb;
    }
    return groups;
}

/* TBs of these warps that nobody has told of, since they did not come from the dispatcher. */
static void look_for_returned(wr_sm *sm, uint64_t candidates)
{
    for (uint32_t k = 0; k < 64; k++) {
        uint64_t known = 0;

        for (uint32_t i = 0; i < of[wr_sm_id(sm)].count; i++) {
            known |= of[wr_sm_id(sm)].tb[i];
        }
        if ((candidates & ~known & UINT64_C(1) << k) != 0) {
            on_placed(NULL, sm, wr_sm_warp(sm, k).tb_slot);
            back++;
        }
    }
}

static int want(wr_sm *sm, uint32_t scheduler, uint64_t candidates)
{
    uint32_t group[64];
    uint32_t best = UINT32_MAX;
    uint64_t allowed = 0;

    look_for_returned(sm, candidates);
    const uint32_t groups = number_groups(&of[wr_sm_id(sm)], group);

    if (groups == 0) {
        return CHOICES_NONE;
    }
    for (uint32_t k = 0; k < 64; k++) {
        if ((candidates >> k & 1) != 0) {
            /* how far it is behind the group that is first on this SM */
            const uint32_t first = spread ? wr_sm_id(sm) % groups : 0;
            const uint32_t rank = (group[k] + groups - first) % groups;

            assert_true(group[k] < groups);
            allowed = rank < best ? 0 : allowed;
            best = rank < best ? rank : best;
            allowed |= rank == best ? UINT64_C(1) << k : 0;
        }
    }
    firsts += best == 0;
    others += best != 0;
    of[wr_sm_id(sm)].most_groups =
        groups > of[wr_sm_id(sm)].most_groups ? groups : of[wr_sm_id(sm)].most_groups;
    return choices_round_robin(wr_sm_id(sm), scheduler, allowed);
}

static void note_row(void *arg, const wr_row *row)
{
    (void)arg;
    told_firsts = strcmp(row->name, "first") == 0 ? row->count : told_firsts;
    told_others = strcmp(row->name, "others") == 0 ? row->count : told_others;
}

static void test_choices(void **state)
{
    static const struct {
        const char *file, *machine, *spec;
        uint32_t warps;
        bool spread;
        uint32_t groups; /* on an SM at least, at a time */
        const char *beside;
    } rows[] = {
        {"kernels/gemm.yaml", "k20x", "owl", 8, true, 5, NULL},
        {"kernels/jacobi.yaml", "k20x", "owl:warps=20,spread=0", 20, false, 2, NULL},
        {"kernels/mvt.yaml", "gtx480", "owl:warps=3", 3, true, 1, NULL},
        {"kernels/spmv_csr.yaml", "k20x", "owl:warps=1,spread=0", 1, false, 3, NULL},
        {"kernels/bfs_kernel1.yaml", "gtx980", "owl:warps=16", 16, true, 2, NULL},
        {"kernels/bitonic_sort.yaml", "k20x", "owl:warps=9", 9, true, 1, NULL},
        {"kernels/matrixmul.yaml", "gtx480", "owl", 8, true, 1, "preemption:period=300"},
        {"kernels/spmv_csr.yaml", "maxwell", "owl:warps=1", 1, true, 3,
         "preemption:period=200,scheme=flush"},
    };
    const choices_test test = {
        .want = want, .events = {.tb_placed = on_placed, .warps_left = on_left}, .row = note_row};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const wr_gpu_config cfg = choices_machine(rows[i].machine);

        memset(of, 0, sizeof of);
        firsts = others = back = 0;
        warps = rows[i].warps;
        spread = rows[i].spread;
        const choices_seen s = choices_run(rows[i].file, &cfg, rows[i].spec, rows[i].beside, &test);

        print_message("%s, %s: %lu cycles, %lu choices of the first group, %lu of others, %lu TBs "
                      "came back\n",
                      rows[i].file, rows[i].spec, s.cycles, firsts, others, back);
        assert_true(rows[i].beside != NULL ? back > 10 : back == 0);
        assert_int_equal(told_firsts, firsts);
        assert_int_equal(told_others, others);
        assert_true(of[0].most_groups >= rows[i].groups);
        assert_true(firsts > 500 && s.none == 0);
        assert_true(rows[i].groups == 1 || others > 500);
    }
}

/* One group of all TBs: the cycles of the machine without it, whatever its scheduler. */
static void test_off(void **state)
{
    wr_gpu_config cfg = choices_machine("k20x");

    (void)state;
    choices_off("kernels/gemm.yaml", &cfg, "owl:warps=64");
    cfg.sm.policy = WR_SCHED_GTO;
    choices_off("kernels/jacobi.yaml", &cfg, "owl:warps=64,spread=0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_choices), cmocka_unit_test(test_off)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
