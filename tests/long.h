/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that have a long form run it where WARPREF_LONG is set, as `./check --long` does, and a
 * smaller one of the same kind elsewhere. */
#ifndef WR_TESTS_LONG_H
#define WR_TESTS_LONG_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool wr_test_long(void)
{
    return getenv("WARPREF_LONG") != NULL;
}

#endif
