/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of the launches that duet_unit is given: by what limits them, and by how much. */
#ifndef WR_TESTBENCH_DUET_UNIT_FIGURES_H
#define WR_TESTBENCH_DUET_UNIT_FIGURES_H

#include "refmodel/duet/duet_unit.h"
#include "testbench/rng.h"

enum {
    TB_WARPS_MOST = 32, /* TbWarps of the parts */
    FIELD_10 = 1023,
    FIELD_12 = 4095,
    META_MOST = 127,
    MOST_ANY = 63,
};

typedef struct figures {
    uint8_t limits, warps, most;
    uint16_t regs, lines, tb_regs, tb_reduced, smem, meta;
    uint8_t mc; /* TBs that fit natively */
} figures;

typedef enum limit {
    BY_REGISTERS,    /* level warp, registers move */
    BY_SLOTS,        /* level warp, they stay */
    BY_SHARED,       /* level TB */
    BY_TWO,          /* off */
    BY_REGISTERS_L1, /* an extra TB has room in the L1 alone */
    BY_SHARED_L1,
    BY_REGISTERS_ALL, /* native TBs take all of them; what moves is short */
} limit;

static inline uint32_t less(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t more(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static inline uint32_t up_to(wr_rng *r, uint32_t most)
{
    return 1 + wr_rng_below(r, most);
}

static inline uint32_t tb_warps_of(const wr_duet_unit_cfg *cfg)
{
    return less(cfg->warps, TB_WARPS_MOST);
}

/* What one TB more would not find. */
static inline uint32_t limits_at(const wr_duet_unit_cfg *cfg, const figures *f, uint32_t tbs)
{
    const bool slots = tbs * f->warps > cfg->slots || tbs > cfg->tbs;

    return (tbs * f->tb_regs > cfg->reg_units ? WR_CSL_LIMIT_REGISTERS : 0u) |
           (slots ? WR_CSL_LIMIT_SLOTS : 0u) |
           (tbs * f->smem > cfg->smem_units ? WR_CSL_LIMIT_SHARED : 0u);
}

/* All that follows from N, lines of a warp's registers, whole and as they are stored, and shared
 * memory. */
static inline void derive(const wr_duet_unit_cfg *cfg, figures *f, uint32_t reduced)
{
    f->tb_regs = (uint16_t)less(FIELD_12, (uint32_t)f->warps * f->regs);
    f->meta = (uint16_t)less(META_MOST, f->warps * cfg->st_lines);
    f->mc = 0;
    while (limits_at(cfg, f, f->mc + 1u) == 0) {
        f->mc++;
    }
    f->limits = (uint8_t)limits_at(cfg, f, f->mc + 1u);

    const bool moves = (f->limits & WR_CSL_LIMIT_REGISTERS) != 0;
    const bool shared = (f->limits & WR_CSL_LIMIT_SHARED) != 0;
    f->lines = shared ? f->smem : moves ? (uint16_t)less(reduced, f->regs) : 0;
    f->tb_reduced = moves && !shared ? (uint16_t)(f->warps * f->lines) : f->tb_regs;
}

/* From what is needed for one TB more than `tbs` not to fit, up to what lets `tbs` fit. */
static inline uint32_t limiting(wr_rng *r, uint32_t units, uint32_t tbs)
{
    const uint32_t least = units / (tbs + 1) + 1;
    const uint32_t most = more(least, units / tbs);

    return least + wr_rng_below(r, most - least + 1);
}

static inline uint32_t some_of(wr_rng *r, uint32_t most)
{
    return wr_rng_below(r, 1 + most);
}

/* tbs of `warps` warps fit; what they leave of the other regions gives extra ones room. */
static inline figures figures_by(const wr_duet_unit_cfg *cfg, wr_rng *r, limit by, uint32_t tbs,
                                 uint32_t warps)
{
    figures f = {.warps = (uint8_t)warps, .most = MOST_ANY};
    const uint32_t all = tbs * warps;
    uint32_t regs = some_of(r, cfg->reg_units / (all * 3 + warps));
    uint32_t smem = wr_rng_chance(r, 30) ? 0 : some_of(r, cfg->smem_units / (tbs * 2 + 1));
    uint32_t reduced = 0, spare = 0;

    switch (by) {
    case BY_REGISTERS:
    case BY_TWO:
        regs = limiting(r, cfg->reg_units / warps, tbs);
        reduced = wr_rng_chance(r, 20) ? regs : some_of(r, less(regs, 12));
        smem = by == BY_TWO ? limiting(r, cfg->smem_units, tbs) : smem;
        break;
    case BY_REGISTERS_ALL:
        regs = cfg->reg_units / all;
        reduced = 2;
        smem = cfg->smem_units / 8;
        break;
    case BY_SHARED:
        smem = limiting(r, cfg->smem_units, tbs);
        break;
    case BY_REGISTERS_L1: /* both regions are full, or are with one TB more */
        f.warps = (uint8_t)less(warps, cfg->l1_units / cfg->st_lines);
        regs = cfg->reg_units / f.warps;
        reduced = cfg->l1_units / f.warps - cfg->st_lines;
        spare = cfg->reg_units - f.warps * less(regs, FIELD_10);
        smem = cfg->smem_units > cfg->l1_units && wr_rng_chance(r, 60)
                   ? (cfg->smem_units - cfg->l1_units + spare) / 2 + 1
                   : cfg->smem_units / 8;
        break;
    case BY_SHARED_L1: /* so they are with one TB more */
        tbs = more(tbs, less(cfg->tbs - 1, 2 * cfg->smem_units / cfg->l1_units));
        smem = limiting(r, cfg->smem_units, tbs);
        warps = less(warps, cfg->slots / tbs);
        warps = less(warps, smem < cfg->l1_units ? (cfg->l1_units - smem) / cfg->st_lines : 1);
        f.warps = (uint8_t)more(1, warps);
        regs = cfg->reg_units / (tbs + 1) / f.warps;
        break;
    default:
        break;
    }
    f.regs = (uint16_t)more(1, less(regs, FIELD_10));
    f.smem = (uint16_t)less(smem, FIELD_10);
    derive(cfg, &f, reduced);
    return f;
}

/* Room comes with the end of a TB alone. Level warp: native warps fill the slots where N divides
 * them, or native TBs leave one entry; level TB: shared memory is full. */
static inline figures full_figures(const wr_duet_unit_cfg *cfg, wr_rng *r)
{
    static const uint8_t kinds[] = {BY_SLOTS, BY_REGISTERS, BY_SHARED, BY_SHARED_L1};
    const limit by = (limit)kinds[wr_rng_below(r, 4)];
    const uint32_t widest = less(tb_warps_of(cfg), cfg->slots);
    uint32_t warps = less(widest, cfg->slots / cfg->tbs + 1);
    uint32_t tbs = more(1, less(cfg->tbs - 1, up_to(r, 10)));

    if (by == BY_SHARED || by == BY_SHARED_L1) {
        return figures_by(cfg, r, by, tbs, less(up_to(r, 2), cfg->slots / tbs));
    }
    switch (wr_rng_below(r, 5)) {
    case 0:
        tbs = more(1, less(cfg->slots, cfg->tbs - 1));
        warps = more(1, less(cfg->slots / tbs, cfg->warps / cfg->tbs));
        return figures_by(cfg, r, BY_REGISTERS, tbs, warps);
    case 1:
        warps = more(1, cfg->slots / 2);
        break;
    default:
        break;
    }
    while (warps < widest && cfg->slots % warps != 0) {
        warps++;
    }
    return figures_by(cfg, r, by, cfg->slots / warps, warps);
}

/* Figures of any kind that at least one TB fits. */
static inline figures any_figures(const wr_duet_unit_cfg *cfg, wr_rng *r)
{
    static const uint8_t kinds[] = {BY_REGISTERS, BY_REGISTERS, BY_REGISTERS,    BY_SLOTS,
                                    BY_SLOTS,     BY_SHARED,    BY_SHARED,       BY_SHARED,
                                    BY_TWO,       BY_SHARED_L1, BY_REGISTERS_L1, BY_REGISTERS_L1};
    const limit by = (limit)kinds[wr_rng_below(r, sizeof kinds)];
    const uint32_t widest = less(tb_warps_of(cfg), cfg->slots);
    const uint32_t many = wr_rng_chance(r, 85) ? 4 : widest;
    uint32_t warps = up_to(r, less(widest, up_to(r, many)));
    uint32_t tbs = up_to(r, less(cfg->tbs, wr_rng_chance(r, 60) ? 5 : cfg->tbs));
    figures f;

    if (wr_rng_chance(r, 4)) {
        warps = less(widest, more(1, cfg->warps / 2));
    }
    warps = more(1, warps);
    tbs = less(tbs, cfg->slots / warps);
    if (by == BY_SLOTS) { /* nearly as many warps as fill them */
        tbs = cfg->slots / warps;
    }
    f = figures_by(cfg, r, by, tbs, warps);
    if (f.mc == 0) {
        f = figures_by(cfg, r, BY_SLOTS, 1, 1);
    }
    f.most = (uint8_t)(wr_rng_chance(r, 50)   ? MOST_ANY
                       : wr_rng_chance(r, 80) ? up_to(r, up_to(r, 3))
                                              : 0);
    return f;
}

static inline void show_figures(const figures *f, wr_duet_unit_in *in)
{
    in->limits = f->limits;
    in->warps = f->warps;
    in->regs = f->regs;
    in->lines = f->lines;
    in->tb_regs = f->tb_regs;
    in->tb_reduced = f->tb_reduced;
    in->smem = f->smem;
    in->meta = (uint8_t)f->meta;
    in->most = f->most;
}

#endif
