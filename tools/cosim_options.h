/* SPDX-License-Identifier: Apache-2.0 */
/* What `warpref cosim` is asked for, as its options say. */
#ifndef WR_TOOLS_COSIM_OPTIONS_H
#define WR_TOOLS_COSIM_OPTIONS_H

#include "dpi/align.h"
#include "dpi/rtl_sources.h"
#include "tools/cmd_block.h"

typedef struct wr_cosim_asked {
    const char *block;
    const char *config; /* NULL: none is named */
    wr_cmd_params params;
    const char *wave;
    const char *rtl_wave;
    const char *ring;     /* NULL: a name by block and configuration */
    const char *shortest; /* the same */
    const char *coverage;
    wr_rtl_sources sources; /* the user's */
    bool is_user;           /* there are some */
    const char *needs_rtl;  /* an option that means nothing without them; NULL: none */
    wr_align align;
    const char *inputs; /* a vector file to play; or NULL */
    uint64_t watchdog;
    uint64_t last;
    bool bins;
    bool pins_only;
    bool no_shrink;
    bool no_wild;
    bool four_state; /* all of the run in four states; else the beginning, where it can be */
    uint64_t four_state_cycles;
    bool no_four_state;
    bool json;
    uint64_t seed;
    uint64_t cycles; /* 0: not given */
} wr_cosim_asked;

/* False: bad usage, which is told on standard error. wr_cosim_asked_free in either case. */
bool wr_cosim_asked_parse(wr_cosim_asked *o, int argc, char **argv);
void wr_cosim_asked_free(wr_cosim_asked *o);

/* No option is about a single configuration: all named ones are meant. */
bool wr_cosim_asked_all(const wr_cosim_asked *o);

#endif
