/* SPDX-License-Identifier: Apache-2.0 */
/* Register allocation: the rounds of build, coalesce, colour, spill, and the assignment.
 *
 * Coalescing is tried to the full first; where the colours then don't suffice, the round is done
 * again without it before anything is spilled. Instructions are moved, too, before that.
 */
#include "shell/compiler/alloc.h"

#include "shell/compiler/passes.h"

#define MAX_ROUNDS  64
#define FEW_MISSING 16 /* groups without a colour */
#define PATIENCE    12 /* rounds that look for the cheapest */
#define MAX_RELIEF  8

static uint32_t degree_of(const wr_alloc *alloc, const wr_group *group)
{
    uint32_t degree = 0;

    for (uint32_t cell = group->first; cell != WR_NO_CELL; cell = alloc->next[cell]) {
        degree += alloc->conflicts.count[cell];
    }
    return degree;
}

/* Worth of keeping a group in registers: uses by loop depth, against what it is in the way of.
 * Infinite for spill temporaries. */
static bool cheaper(const wr_alloc *alloc, uint32_t a, uint32_t b)
{
    const wr_group *ga = &alloc->groups[a], *gb = &alloc->groups[b];

    if (ga->must_stay != gb->must_stay) {
        return gb->must_stay;
    }
    if (ga->rebuilt != gb->rebuilt) {
        return ga->rebuilt;
    }
    return ga->cost * (degree_of(alloc, gb) + 1) < gb->cost * (degree_of(alloc, ga) + 1);
}

void wr_alloc_mark_rebuilt(wr_alloc *alloc, const wr_remat *remat)
{
    for (uint32_t r = 0; r < remat->alloc->ir->reg_count; r++) {
        wr_remat_chain chain;

        alloc->groups[r].rebuilt = wr_remat_find(remat, r, NULL, &chain) && wr_remat_pays(remat, r);
    }
}

/* The cheapest to spill of a group without a colour and those it conflicts with. One that is
 * spilled already may be enough; where `far`, a further one is taken if there is one. */
static uint32_t pick_victim(const wr_alloc *alloc, uint32_t group, const bool *spill, bool far)
{
    const wr_group *g = &alloc->groups[group];
    uint32_t best = group, spilled = WR_NO_COLOUR;

    for (uint32_t cell = g->first; cell != WR_NO_CELL; cell = alloc->next[cell]) {
        uint32_t count;
        const uint32_t *with = wr_alloc_with(alloc, cell, &count);

        for (uint32_t k = 0; k < count; k++) {
            uint32_t other = alloc->group_of[with[k]];

            if (spill[other] && !far) {
                return other;
            }
            if (spill[other]) {
                spilled = other;
            } else if (cheaper(alloc, other, best)) {
                best = other;
            }
        }
    }
    return alloc->groups[best].must_stay && spilled != WR_NO_COLOUR ? spilled : best;
}

/* False where only temporaries of spilling are left to choose from. Few registers too many go one
 * by one, as one long life may be in the way of all; many go at once, or rounds would not end.
 * Where `itself` a group without a colour goes, however dear: the cheapest of its neighbours are
 * of no use to one that lives all through the program and has too many at each place. */
static bool pick_victims(const wr_alloc *alloc, bool *spill, bool itself)
{
    uint32_t missing = 0;

    for (uint32_t g = 0; g < alloc->group_count; g++) {
        missing += !alloc->groups[g].gone && alloc->groups[g].colour == WR_NO_COLOUR;
    }
    for (uint32_t g = 0; g < alloc->group_count; g++) {
        uint32_t victim;

        if (alloc->groups[g].gone || alloc->groups[g].colour != WR_NO_COLOUR) {
            continue;
        }
        victim = itself && !alloc->groups[g].must_stay
                     ? g
                     : pick_victim(alloc, g, spill, missing > FEW_MISSING);
        if (alloc->groups[victim].must_stay) {
            return false;
        }
        spill[victim] = true;
    }
    return true;
}

static bool is_coloured(const wr_alloc *alloc)
{
    for (uint32_t g = 0; g < alloc->group_count; g++) {
        if (!alloc->groups[g].gone && alloc->groups[g].colour == WR_NO_COLOUR) {
            return false;
        }
    }
    return true;
}

static uint8_t machine_reg(const wr_alloc *alloc, const wr_ir_operand *operand)
{
    uint32_t cell;

    if (operand->kind != WR_IR_REG) {
        return WR_ISA_RZ;
    }
    cell = alloc->ir->regs[operand->reg].word0 + operand->word;
    return (uint8_t)(alloc->groups[alloc->group_of[cell]].colour + alloc->pos[cell]);
}

static uint8_t machine_pred(const wr_alloc *alloc, uint32_t pred)
{
    if (pred == WR_IR_NO_REG) {
        return WR_ISA_PT;
    }
    return (uint8_t)alloc->groups[alloc->group_of[alloc->ir->word_count + pred]].colour;
}

static void assign(const wr_alloc *alloc, wr_ir_insn *insn)
{
    insn->m.dst = machine_reg(alloc, &insn->dst);
    for (unsigned i = 0; i < 3; i++) {
        insn->m.src[i] = machine_reg(alloc, &insn->src[i]);
    }
    insn->m.guard = machine_pred(alloc, insn->guard);
    insn->m.pd = machine_pred(alloc, insn->pd);
    insn->m.pd2 = machine_pred(alloc, insn->pd2);
    insn->m.ps = machine_pred(alloc, insn->ps);
    insn->m.ps2 = machine_pred(alloc, insn->ps2);
    insn->dead = insn->m.op == WR_OP_MOV && insn->m.ext == WR_EXT_NONE &&
                 insn->src[0].kind == WR_IR_REG && insn->m.dst == insn->m.src[0];
}

static void assign_all(const wr_alloc *alloc)
{
    for (uint32_t b = 0; b < alloc->ir->block_count; b++) {
        for (uint32_t i = 0; i < alloc->ir->blocks[b].insns.count; i++) {
            assign(alloc, &alloc->ir->blocks[b].insns.at[i]);
        }
    }
    wr_ir_sweep(alloc->ir);
}

static uint32_t colour(wr_alloc *alloc, const wr_live *live)
{
    uint32_t used;

    wr_alloc_conflicts(alloc, live);
    wr_alloc_groups(alloc);
    wr_alloc_coalesce(alloc);
    used = wr_alloc_colour(alloc);
    if (!is_coloured(alloc)) {
        wr_alloc_groups(alloc);
        used = wr_alloc_colour(alloc);
    }
    return used == 0 ? 1 : used;
}

/* Spills until the rest is of a size that a graph can be made of. */
static void relieve(wr_alloc *alloc)
{
    bool more = true;

    for (unsigned round = 0; more && round < MAX_RELIEF; round++) {
        alloc->pool = wr_pool_new();
        more = wr_alloc_relieve(alloc);
        wr_pool_free(alloc->pool);
    }
}

/* One round; 0 where another one is needed, and *stuck where that is of no use. */
static uint32_t allocate_once(wr_alloc *alloc, unsigned round, bool *stuck)
{
    const wr_live *live = wr_live_build(alloc->ir, alloc->cfg, alloc->pool);
    uint32_t used = colour(alloc, live);
    const wr_remat *remat;
    bool *spill;

    if (is_coloured(alloc)) {
        assign_all(alloc);
        return used;
    }
    if (!alloc->sunk) {
        alloc->sunk = true;
        wr_alloc_sink(alloc, live);
        return 0;
    }
    remat = wr_remat_new(alloc, live);
    wr_alloc_mark_rebuilt(alloc, remat);
    spill = wr_pool_alloc(alloc->pool, alloc->group_count, sizeof *spill);
    *stuck = !pick_victims(alloc, spill, round >= PATIENCE);
    if (!*stuck) {
        wr_alloc_spill(alloc, remat, spill);
    }
    return 0;
}

uint32_t wr_pass_allocate(wr_ir *ir, wr_cfg *cfg, uint32_t max_regs)
{
    wr_alloc alloc = {.ir = ir, .cfg = cfg, .max_regs = max_regs};
    uint32_t used = 0;
    bool stuck = false;

    ir->pred_temps = ir->pred_count;
    relieve(&alloc);
    for (unsigned round = 0; used == 0 && !stuck && round < MAX_ROUNDS; round++) {
        alloc.pool = wr_pool_new();
        used = allocate_once(&alloc, round, &stuck);
        wr_pool_free(alloc.pool);
    }
    return used;
}
