/* SPDX-License-Identifier: Apache-2.0 */
/* System ccws on the real shell, beside scores and victims kept in the plainest way from what the
 * L1 tells: whose loads are held is the same in every cycle, and none of them issues.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/gpu/state.h"
#include "systems/ccws/state.h"
#include "tests/core/kit.h"
#include "tests/systems/rivals.h"

enum { SMS = 2, LINES = 1024, MOST_WAYS = 16 };

/* What the test knows of an SM. */
typedef struct seen {
    struct {
        uint64_t line[2][MOST_WAYS]; /* of each set, the oldest first */
        uint32_t count[2];
        uint64_t score;
    } warp[64];
    struct {
        uint64_t line;
        uint32_t warp;
    } brought[LINES]; /* lines that are in the L1 */
    uint32_t lines;
    uint64_t hits, issued;
    uint64_t held, was_held;
} seen;
static seen of[SMS];
static uint32_t sets, ways, k, base;
static uint64_t held_cycles, released, most_held, stores;

static void forget(seen *s, uint32_t w, uint32_t set, uint32_t at)
{
    s->warp[w].count[set]--;
    memmove(&s->warp[w].line[set][at], &s->warp[w].line[set][at + 1],
            (s->warp[w].count[set] - at) * sizeof(uint64_t));
}

static bool take_out(seen *s, uint32_t w, uint64_t line)
{
    const uint32_t set = (uint32_t)(line % sets);

    for (uint32_t i = 0; i < s->warp[w].count[set]; i++) {
        if (s->warp[w].line[set][i] == line) {
            forget(s, w, set, i);
            return true;
        }
    }
    return false;
}

static void put_in(seen *s, uint32_t w, uint64_t line)
{
    const uint32_t set = (uint32_t)(line % sets);

    (void)take_out(s, w, line);
    if (s->warp[w].count[set] == ways) {
        forget(s, w, set, 0);
    }
    s->warp[w].line[set][s->warp[w].count[set]++] = line;
}

static void on_missed(void *self, wr_sm *sm, uint32_t warp, uint64_t line, uint32_t place,
                      uint64_t evicted)
{
    seen *s = &of[wr_sm_id(sm)];

    (void)self;
    assert_true(place < wr_sm_l1_places(sm));
    if (take_out(s, warp, line)) {
        s->hits++;
        s->warp[warp].score =
            s->hits * k * base * (uint64_t)__builtin_popcountll(wr_sm_live_warps(sm)) / s->issued;
    }
    bool known = evicted == UINT64_MAX;
    for (uint32_t i = 0; !known && i < s->lines; i++) {
        if (s->brought[i].line == evicted) {
            put_in(s, s->brought[i].warp, evicted);
            s->brought[i] = s->brought[--s->lines];
            known = true;
        }
    }
    assert_true(known);
    for (uint32_t i = 0; i < s->lines; i++) { /* a store may have taken it out of the L1 */
        if (s->brought[i].line == line) {
            s->brought[i] = s->brought[--s->lines];
            break;
        }
    }
    assert_true(s->lines < LINES);
    s->brought[s->lines].line = line;
    s->brought[s->lines++].warp = warp;
}

static void on_issued(void *self, wr_sm *sm, uint32_t warp, uint32_t lanes)
{
    (void)self;
    (void)warp;
    (void)lanes;
    of[wr_sm_id(sm)].issued++;
}

static void on_done(void *self, wr_sm *sm, uint32_t warp)
{
    (void)self;
    memset(&of[wr_sm_id(sm)].warp[warp], 0, sizeof of[0].warp[0]);
}

/* Scores one after another, the largest first; each cycle takes one from those above the base. */
static uint64_t work_out(seen *s, const wr_sm *sm)
{
    uint64_t left = wr_sm_live_warps(sm);
    uint64_t cutoff = base * (uint64_t)__builtin_popcountll(left);
    uint64_t sum = 0;
    uint64_t held = 0;

    for (uint32_t w = 0; w < 64; w++) {
        s->warp[w].score -= s->warp[w].score > base;
        s->warp[w].score = s->warp[w].score < base ? base : s->warp[w].score;
    }
    for (bool first = true; left != 0; first = false) {
        uint32_t best = (uint32_t)__builtin_ctzll(left);

        for (uint32_t w = best; w < 64; w++) {
            if ((left >> w & 1) != 0 && s->warp[w].score > s->warp[best].score) {
                best = w;
            }
        }
        sum += s->warp[best].score;
        held |= !first && sum > cutoff ? UINT64_C(1) << best : 0;
        left &= ~(UINT64_C(1) << best);
    }
    return held;
}

static void look(void)
{
    const uint64_t now = wr_gpu_cycle(rivals_now.gpu);

    for (uint32_t i = 0; i < SMS; i++) {
        wr_sm *sm = wr_gpu_sm(rivals_now.gpu, i);
        seen *s = &of[i];
        const uint64_t held = work_out(s, sm);

        for (uint32_t e = 0; e < sm->lsu_count; e++) {
            const wr_lsu_entry *entry = wr_lsu_entry_at(sm, e);

            assert_false(entry->issued_at == now && entry->path == WR_LSU_LOAD &&
                         (s->held >> entry->warp & 1) != 0);
            stores += entry->issued_at == now && entry->path == WR_LSU_STORE &&
                      (s->held >> entry->warp & 1) != 0;
        }
        if (sm->loads_held != held) {
            fail_msg("SM %u, cycle %lu: loads of %lx are held, not of %lx", i, now, sm->loads_held,
                     held);
        }
        const uint64_t count = (uint64_t)__builtin_popcountll(held);

        most_held = count > most_held ? count : most_held;
        held_cycles += held != 0;
        released += (s->held & ~held) != 0;
        s->held = held;
    }
}

static void tune(wr_gpu_config *cfg)
{
    cfg->l1.bytes = 2048;
    cfg->l1.ways = 2;
}

static void open_with(const char *spec, uint32_t entries, uint32_t set_ways, uint32_t raise,
                      uint32_t lowest)
{
    static wr_chain chain;

    rivals_open_tuned(spec, SMS, tune);
    rivals_now.look = look;
    rivals_now.watcher.l1_missed = on_missed;
    rivals_now.watcher.warp_issued = on_issued;
    rivals_now.watcher.warp_done = on_done;
    const wr_system_hooks *tables[2] = {wr_system_group_hooks(rivals_now.systems),
                                        &rivals_now.watcher};
    wr_gpu_attach(rivals_now.gpu, wr_chain_join(&chain, tables, 2));
    memset(of, 0, sizeof of);
    sets = entries / set_ways;
    ways = set_ways;
    k = raise;
    base = lowest;
    held_cycles = released = most_held = stores = 0;
}

static void add_launches(void)
{
    (void)rivals_add(RIVALS_REUSES, 8, 256, 60, 0, 0);
    (void)rivals_add(RIVALS_CLEAN, 6, 128, 400, 0, 2000);
    (void)rivals_add(RIVALS_REUSES, 16, 64, 60, 0, 30000);
}

static void test_scores(void **state)
{
    static const struct {
        const char *spec;
        uint32_t entries, ways, k, base;
    } rows[] = {
        {"ccws", 16, 8, 8, 100},
        {"ccws:entries=8,ways=4,k=60,base=700", 8, 4, 60, 700},
        {"ccws:entries=3,ways=3,k=200,base=1", 3, 3, 200, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        open_with(rows[i].spec, rows[i].entries, rows[i].ways, rows[i].k, rows[i].base);
        add_launches();
        const uint64_t cycles = rivals_run();

        print_message("%s: %lu cycles, in %lu loads are held, of %lu warps at most, let go %lu "
                      "times\n",
                      rows[i].spec, cycles, held_cycles, most_held, released);
        assert_true(of[0].hits > 50 && of[1].hits > 50);
        assert_true(held_cycles > 500 && released > 20 && most_held > 3);
        assert_true(stores != 0); /* they are not held */
    }
}

/* A warp is alone on its SM, and loses its own lines: four to a set of two ways. Others come, whose
 * loads wait at once. */
static void test_newcomers(void **state)
{
    (void)state;
    open_with("ccws:k=60", 16, 8, 60, 100);
    (void)rivals_add(RIVALS_REUSES, 2, 32, 200, 0, 0);
    (void)rivals_add(RIVALS_REUSES, 6, 64, 50, 0, 20000);
    (void)rivals_run();
    assert_true(of[0].hits > 100 && most_held >= 3);
}

/* No loss, no hold, and the cycles of the machine without it. */
static void test_off(void **state)
{
    uint64_t cycles[2];

    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        rivals_open(i != 0 ? "ccws" : NULL, SMS);
        (void)rivals_add(RIVALS_CLEAN, 12, 256, 300, 0, 0);
        cycles[i] = rivals_run();
    }
    assert_int_equal(cycles[0], cycles[1]);
}

static void test_options(void **state)
{
    static const char *spec = "ccws:entries=12,ways=8";
    wr_gpu_config cfg = kit_config();
    char err[256];

    (void)state;
    assert_null(wr_system_group_open(&spec, 1, NULL, &cfg, err, sizeof err));
    assert_non_null(strstr(err, "entries=12 are no whole number of sets of ways=8"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_scores, rivals_teardown),
        cmocka_unit_test_teardown(test_newcomers, rivals_teardown),
        cmocka_unit_test_teardown(test_off, rivals_teardown),
        cmocka_unit_test(test_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
