/* SPDX-License-Identifier: Apache-2.0 */
/* The duet blocks together, in the storm of duet_storm.h: sound, and with bugs planted in the
 * wiring that the comparisons have to find. */
#include <stdlib.h>

#include "tests/blocks/duet_storm.h"

static void test_sound(void **state)
{
    (void)state;
    const char *text = getenv("WARPREF_STORM_CYCLES");
    const uint64_t cycles = text != NULL ? strtoull(text, NULL, 10) : 500000;
    const storm *s = wr_storm_run(cycles, SOUND);
    if (s->violation != NULL) {
        fail_msg("cycle %llu: %s", (unsigned long long)s->cycle, s->violation);
    }
    assert_true(s->checks > cycles / 1000 && s->exits > 0 && s->barriers > 0 && s->ran > 1);
    for (int op = WR_CSL_OUT; op <= WR_CSL_BACK; op++) {
        assert_true(s->ops[op] > 0);
    }
}

static void found(plant p, const char *what)
{
    const storm *s = wr_storm_run(500000, p);
    assert_non_null(s->violation);
    if (what != NULL) {
        assert_string_equal(s->violation, what);
    }
}

static void test_planted(void **state)
{
    (void)state;
    found(FREE_LOST, "a unit is lost");
    found(MASK_LOST, "the mask of a TB is wrong");
    found(POP_LOST, NULL); /* a fault of some block, which one comes first is chance */
    found(LINE_LOST, "a line of a context is not its own");
    found(META_LOST, "metadata of a warp are not its own");
    found(PASS_LOST, "a warp slot is another warp's");
}

/* Lin-D 3.6.3: where warps at barriers may not leave, those that should reach the barrier may find
 * no room to come back. */
static void test_deadlock(void **state)
{
    (void)state;
    found(BARRIERS_STAY, "a warp starves");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound),
        cmocka_unit_test(test_planted),
        cmocka_unit_test(test_deadlock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
