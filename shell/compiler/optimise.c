/* SPDX-License-Identifier: Apache-2.0 */
/* The clean-ups between lowering and register allocation, as a table: each can be left out by its
 * name, and what the code computes stays the same.
 */
#include <string.h>

#include "shell/compiler/compiler.h"
#include "shell/compiler/passes.h"

static bool run_branches(wr_ir *ir, wr_cfg **cfg)
{
    (void)cfg;
    wr_pass_branches(ir);
    return false;
}

static bool run_spaces(wr_ir *ir, wr_cfg **cfg)
{
    (void)cfg;
    wr_pass_spaces(ir);
    return false;
}

static bool run_promote(wr_ir *ir, wr_cfg **cfg)
{
    (void)cfg;
    wr_pass_promote(ir);
    return false;
}

static bool run_clean(wr_ir *ir, wr_cfg **cfg)
{
    wr_pass_clean(ir, *cfg);
    return false;
}

static bool run_narrow(wr_ir *ir, wr_cfg **cfg)
{
    return wr_pass_narrow(ir, *cfg);
}

static bool run_strength(wr_ir *ir, wr_cfg **cfg)
{
    (void)cfg;
    return wr_pass_strength(ir);
}

static bool run_cse(wr_ir *ir, wr_cfg **cfg)
{
    return wr_pass_cse(ir, *cfg);
}

static bool run_predicates(wr_ir *ir, wr_cfg **cfg)
{
    return wr_pass_predicates(ir, *cfg);
}

static bool run_fuse(wr_ir *ir, wr_cfg **cfg)
{
    (void)wr_pass_fuse(ir, *cfg);
    return false;
}

static bool run_ifconv(wr_ir *ir, wr_cfg **cfg)
{
    *cfg = wr_pass_ifconv(ir, *cfg);
    return false;
}

static bool run_schedule(wr_ir *ir, wr_cfg **cfg)
{
    wr_pass_schedule(ir, *cfg);
    return false;
}

/* In the order in which they run. A pass that returns true is followed by `clean`. */
typedef struct row {
    wr_pass_info info;
    wr_pass_stage stage;
    bool (*run)(wr_ir *ir, wr_cfg **cfg);
} row;

static const row rows[] = {
    {{"branches", "turn branches around branches"}, WR_STAGE_GRAPHLESS, run_branches},
    {{"spaces", "give generic accesses their space where it is certain"},
     WR_STAGE_SCALAR,
     run_spaces},
    {{"promote", "registers in place of local memory that is only loaded and stored"},
     WR_STAGE_SCALAR,
     run_promote},
    {{"clean", "propagate copies and constants, fold, drop dead code"}, WR_STAGE_SCALAR, run_clean},
    {{"narrow", "words in place of pairs whose high word nobody needs"},
     WR_STAGE_SCALAR,
     run_narrow},
    {{"strength", "cheaper operations for the same results"}, WR_STAGE_SCALAR, run_strength},
    {{"cse", "copies of what is computed again"}, WR_STAGE_SCALAR, run_cse},
    {{"predicates", "propagate predicates, and into comparisons what they are combined with"},
     WR_STAGE_SCALAR,
     run_predicates},
    {{"fuse", "products into the additions that need them"}, WR_STAGE_SCALAR, run_fuse},
    {{"ifconv", "guards in place of short branches"}, WR_STAGE_GUARDS, run_ifconv},
    {{"schedule", "order instructions for fewer registers, then for latency"},
     WR_STAGE_LEGAL,
     run_schedule},
};
#define COUNT (sizeof rows / sizeof rows[0])

const wr_pass_info *wr_pass_row(size_t i)
{
    return i < COUNT ? &rows[i].info : NULL;
}

uint32_t wr_pass_bit(const char *name)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (strcmp(rows[i].info.name, name) == 0) {
            return UINT32_C(1) << i;
        }
    }
    return 0;
}

wr_cfg *wr_optimise(wr_ir *ir, wr_cfg *cfg, wr_pass_stage stage, uint32_t without)
{
    bool cleans = (without & wr_pass_bit("clean")) == 0;

    for (size_t i = 0; i < COUNT; i++) {
        if (rows[i].stage != stage || (without >> i & 1) != 0) {
            continue;
        }
        if (rows[i].run(ir, &cfg) && cleans) {
            wr_pass_clean(ir, cfg);
        }
    }
    return cfg;
}
