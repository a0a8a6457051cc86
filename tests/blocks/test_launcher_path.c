/* SPDX-License-Identifier: Apache-2.0 */
/* tb_launcher among its neighbours (launcher_path.h): sound, and with bugs planted in the wiring
 * that the comparisons have to find. WARPREF_PATH_LAUNCHES=10000 is the long form. */
#include <inttypes.h>
#include <stdlib.h>

#include "tests/blocks/launcher_path.h"

static void test_sound(void **state)
{
    (void)state;
    const char *text = getenv("WARPREF_PATH_LAUNCHES");
    const uint32_t launches = text != NULL ? (uint32_t)strtoul(text, NULL, 10) : 25;
    const path *p = wr_path_run(launches, SOUND);
    if (p->wrong != NULL) {
        fail_msg("cycle %llu: %s", (unsigned long long)p->cycle, p->wrong);
    }
    print_message("%" PRIu64 " cycles, %" PRIu64 " comparisons: %" PRIu64 " native, %" PRIu64
                  " extra, %" PRIu64 " handed over, %" PRIu64 " refused, %" PRIu64
                  " without lines, %" PRIu64 " vacated\n",
                  p->cycle, p->checks, p->placed[0], p->placed[1], p->placed[2], p->refused,
                  p->wanting, p->vacated);
    for (int kind = 0; kind < 3; kind++) {
        assert_true(p->placed[kind] > launches / 4);
    }
    assert_true(p->refused > 0 && p->wanting > 0 && p->vacated > 0 && p->ins > launches &&
                p->outs > launches);
    assert_true(p->checks > p->cycle / 50);
}

static void found(plant planted, const char *what)
{
    const path *p = wr_path_run(400, planted);
    assert_non_null(p->wrong);
    assert_string_equal(p->wrong, what);
}

static void test_planted(void **state)
{
    (void)state;
    found(FREE_LOST, "the bitmap is wrong");
    found(CLAIM_LOST, "a slot is not its warp's");
    found(LEFT_LOST, "a slot is lost");
    found(PROMISE_SHOWN, "a fault of warp_slots");
    found(LEAVE_LOST, "me_controller counts wrong");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound),
        cmocka_unit_test(test_planted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
