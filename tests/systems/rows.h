/* SPDX-License-Identifier: Apache-2.0 */
/* For tests: the rows of what the systems of a GPU measured, one by one. */
#ifndef WR_TESTS_SYSTEMS_ROWS_H
#define WR_TESTS_SYSTEMS_ROWS_H

#include "systems/frame/group.h"

#include <assert.h>

static inline void each_row(const wr_system_group *systems, void (*fn)(void *arg, const wr_row *),
                            void *arg)
{
    for (uint32_t i = 0; i < wr_system_group_count(systems); i++) {
        wr_report *report = wr_system_group_report(systems, i);

        assert(report);
        for (size_t row = 0; row < wr_report_rows(report); row++) {
            fn(arg, wr_report_row(report, row));
        }
        wr_report_free(report);
    }
}

#endif
