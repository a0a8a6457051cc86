/* SPDX-License-Identifier: Apache-2.0 */
/* Option `shares` of systems that part something among the streams of a run. */
#ifndef WR_SYSTEMS_FRAME_SHARES_H
#define WR_SYSTEMS_FRAME_SHARES_H

#include "shell/core/gpu.h"
#include "systems/frame/system.h"

/* Its row in the options of such a system. */
#define WR_SHARES_ROW                                                                              \
    {                                                                                              \
        .name = "shares", .kind = WR_OPTION_LIST, .min = 1, .max = 1000, .most = WR_MAX_STREAMS,   \
        .preset = "",                                                                              \
        .doc = "one of each stream, in the order of the files; 1 each where none are given"        \
    }

/* Of each stream, in the order of the files; all 1 where none are given. False, with one line in
 * err: there are more or fewer of them than streams. */
bool wr_shares_read(const wr_system_setup *setup, const char *system, const wr_option_value *shares,
                    uint32_t share[WR_MAX_STREAMS], char *err, size_t err_size);

#endif
