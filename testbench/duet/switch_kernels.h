/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that the stimulus of context_switch_logic plays: their figures, what follows from
 * these, the ids that their units can have, and the protocol faults of both.
 *
 * Figures that a level does not look at are noise. Figures that are looked at meet their limits but
 * for one bit: in a sound kernel from the one side, in a refused one from the other.
 */
#ifndef WR_TESTBENCH_DUET_SWITCH_KERNELS_H
#define WR_TESTBENCH_DUET_SWITCH_KERNELS_H

#include "refmodel/duet/context_switch_logic.h"
#include "testbench/traffic.h"

enum { R = WR_CSL_LIMIT_REGISTERS, W = WR_CSL_LIMIT_SLOTS, S = WR_CSL_LIMIT_SHARED };
enum { LINES_MAX = 1023, LINE_BITS = 10, TBS = 32, WARPS = 128, ID_BITS = 7 };

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_WARPS_0,
    FAULT_WARPS_ABOVE,
    FAULT_LINES_0,
    FAULT_FULL_0,
    FAULT_FULL_BELOW,
    FAULT_STALLED_WARP,
    FAULT_STALLED_TB,
    FAULT_STALLED_PAST,
    FAULT_READY_WARP,
    FAULT_READY_TB,
    FAULT_READY_PAST,
    FAULT_CFG_BUSY,
    FAULT_STALLED_GONE,
    FAULT_STALLED_OTHER,
    FAULT_READY_GONE,
    FAULT_READY_OTHER,
    FAULT_TAB_ACK_NONE,
    FAULT_TAB_ACK_BITMAP,
    FAULT_MEM_ACK_NONE,
    FAULT_MEM_ACK_TABLES,
    FAULT_MOVE_ACK,
    FAULT_STATE_READ_OUT,
    FAULT_STATE_READ_IN,
    FAULT_STATE_RD_OUT,
    FAULT_STATE_RD_IN,
    FAULT_META_OUT_BELOW,
    FAULT_META_OUT_ABOVE,
    FAULT_META_IN,
    FAULT_SLOTS,
    FAULT_KINDS = FAULT_SLOTS,
} fault_kind;

typedef struct kernel {
    uint8_t limits;
    uint8_t warps; /* 33: the most that fit */
    uint16_t lines;
    uint16_t full;
    bool use_l1;
    bool refused;
} kernel;

static inline wr_csl_level level_of(const kernel *k)
{
    const uint32_t rs = k->limits & (R | S);
    return k->refused || k->limits == 0 || rs == (R | S) ? WR_CSL_OFF
           : rs == S                                     ? WR_CSL_TB
                                                         : WR_CSL_WARP;
}

static inline bool moves_body(const kernel *k)
{
    return level_of(k) == WR_CSL_TB || (level_of(k) == WR_CSL_WARP && (k->limits & R) != 0);
}

static inline uint32_t unit_warps(const kernel *k)
{
    return level_of(k) == WR_CSL_TB ? k->warps : 1;
}

static inline bool is_cfg_fault(uint32_t fault)
{
    return fault >= FAULT_WARPS_0 && fault <= FAULT_FULL_BELOW;
}

static inline bool is_stalled_id(uint32_t fault)
{
    return fault >= FAULT_STALLED_WARP && fault <= FAULT_STALLED_PAST;
}

static inline uint8_t random_warps(const wr_context_switch_logic_cfg *cfg, wr_rng *r)
{
    const uint32_t most = cfg->tb_warps;
    const uint32_t pick = wr_rng_below(r, 10);
    const uint32_t n = pick < 3   ? most
                       : pick < 5 ? 1 + wr_rng_below(r, most)
                       : pick < 6 ? (uint32_t)wr_near_value(most, 6, r)
                       : pick < 7 ? 1u << wr_rng_below(r, 6)
                                  : 1 + wr_rng_below(r, 8);
    return (uint8_t)(n >= 1 && n <= most ? n : most);
}

/* A kernel whose units can break the protocol so, if it is about them. */
static inline void suit(kernel *k, uint32_t fault, const wr_context_switch_logic_cfg *cfg,
                        wr_rng *r)
{
    const uint32_t few = cfg->tb_warps < 3 ? cfg->tb_warps : 3;
    const uint8_t limits[] = {R, W, R | W};
    switch (fault) {
    case FAULT_STALLED_WARP:
    case FAULT_READY_WARP:
        k->limits = limits[wr_rng_below(r, 3)];
        k->warps = (uint8_t)(1 + wr_rng_below(r, few));
        break;
    case FAULT_STALLED_PAST:
    case FAULT_READY_PAST:
        k->limits = S;
        k->warps = (uint8_t)(wr_rng_chance(r, 40) ? cfg->tb_warps
                                                  : 5 + wr_rng_below(r, cfg->tb_warps - 4));
        break;
    case FAULT_STALLED_TB:
    case FAULT_READY_TB:
        k->limits = S;
        break;
    case FAULT_STATE_READ_OUT:
    case FAULT_STATE_READ_IN:
        k->limits = limits[wr_rng_below(r, 3)];
        break;
    case FAULT_STALLED_GONE:
    case FAULT_STALLED_OTHER:
    case FAULT_READY_GONE:
    case FAULT_READY_OTHER:
    case FAULT_TAB_ACK_BITMAP:
    case FAULT_MOVE_ACK:
    case FAULT_CFG_BUSY:
        k->limits = wr_rng_chance(r, 50) ? R : S;
        k->use_l1 = true;
        break;
    default:
        break;
    }
}

static inline kernel random_kernel(uint32_t fault, const wr_context_switch_logic_cfg *cfg,
                                   wr_rng *r)
{
    kernel k = {.limits = (uint8_t)wr_rng_below(r, 8),
                .warps = random_warps(cfg, r),
                .lines = (uint16_t)(wr_rng_chance(r, 20) ? 0 : wr_rng_below(r, LINES_MAX + 1)),
                .full = (uint16_t)wr_rng_below(r, LINES_MAX + 1),
                .use_l1 = wr_rng_chance(r, 60)};
    suit(&k, fault, cfg, r);
    if (!moves_body(&k)) {
        return k;
    }
    const bool tb = level_of(&k) == WR_CSL_TB;
    const uint16_t bit = (uint16_t)(1u << wr_rng_below(r, LINE_BITS));
    const uint32_t span = wr_rng_chance(r, 4) ? LINES_MAX + 1 : 24;
    uint16_t full = (uint16_t)(1 + wr_rng_below(r, span - 1));
    uint16_t lines = wr_rng_chance(r, 30) ? full : (uint16_t)wr_rng_below(r, full + 1u);
    if (span > LINES_MAX && wr_rng_chance(r, 40)) {
        lines = LINES_MAX;
        full = LINES_MAX;
        k.warps = wr_rng_chance(r, 80) ? (uint8_t)cfg->tb_warps : k.warps;
    } else if (wr_rng_chance(r, 15)) { /* lines are not 0, or full is not, by a bit; few are many */
        lines = tb ? bit : 0;
        full = bit;
    } else if (wr_rng_chance(r, 10)) { /* full is above lines by a bit */
        full = lines | bit;
        lines = (uint16_t)(full & ~bit);
    }
    k.lines = tb && lines == 0 ? 1 : lines;
    k.full = tb ? k.full : full;
    return k;
}

/* Makes the figures ones that are refused. */
static inline void refuse(kernel *k, uint32_t fault, uint32_t round,
                          const wr_context_switch_logic_cfg *cfg, wr_rng *r)
{
    const uint32_t near = cfg->tb_warps ^ 1u << round % 6;
    const uint32_t alone = 32u >> wr_rng_below(r, 3);
    const uint16_t bit = (uint16_t)(1u << round % LINE_BITS);
    const uint8_t and_slots = wr_rng_chance(r, 50) ? W : 0;
    k->refused = true;
    switch (fault) {
    case FAULT_WARPS_0:
        k->warps = 0;
        break;
    case FAULT_WARPS_ABOVE:
        k->warps = (uint8_t)(cfg->tb_warps + 1 + wr_rng_below(r, 63 - cfg->tb_warps));
        k->warps = (uint8_t)(near > cfg->tb_warps ? near : k->warps);
        k->warps = (uint8_t)(alone > cfg->tb_warps && wr_rng_chance(r, 30) ? alone : k->warps);
        break;
    case FAULT_LINES_0:
        k->limits = S | and_slots;
        k->lines = 0;
        break;
    case FAULT_FULL_0:
        k->limits = R | and_slots;
        k->lines = 0;
        k->full = 0;
        break;
    default: /* below lines, by a bit */
        k->limits = R | and_slots;
        k->full = (uint16_t)((1 + wr_rng_below(r, LINES_MAX)) & ~(uint32_t)bit);
        k->full = k->full == 0 ? (uint16_t)(bit == 1 ? 2 : 1) : k->full;
        k->lines = k->full | bit;
        break;
    }
}

/* Units that can be: at level off there are no others. */
static inline uint32_t ids_of(const kernel *k)
{
    const uint32_t n = k->warps;
    switch (level_of(k)) {
    case WR_CSL_TB:
        return WARPS / n < TBS ? WARPS / n : TBS;
    case WR_CSL_WARP:
        return TBS * n < WARPS ? TBS * n : WARPS;
    default:
        return WARPS;
    }
}

static inline uint8_t random_id(const kernel *k, wr_rng *r)
{
    const uint32_t ids = ids_of(k);
    return (uint8_t)(wr_rng_chance(r, 15) ? ids - 1 : wr_rng_below(r, ids));
}

/* An id that cannot be, as the fault says, or any where the kernel has none of that kind. */
static inline uint8_t bad_id(const kernel *k, uint32_t fault, uint32_t round, wr_rng *r)
{
    const uint8_t good = random_id(k, r);
    const uint32_t ids = ids_of(k);
    const bool tb = level_of(k) == WR_CSL_TB;
    const bool warp = level_of(k) == WR_CSL_WARP;
    switch (fault) {
    case FAULT_STALLED_WARP:
    case FAULT_READY_WARP:
        if (!warp || ids == WARPS) {
            return good;
        }
        return (uint8_t)(wr_rng_chance(r, 50) ? ids : ids + wr_rng_below(r, WARPS - ids));
    case FAULT_STALLED_TB:
    case FAULT_READY_TB:
        return tb ? (uint8_t)(good | (round % 2 == 0 ? 32 : 64)) : good;
    case FAULT_STALLED_PAST:
    case FAULT_READY_PAST:
        if (!tb || ids == TBS) {
            return good;
        }
        return (uint8_t)(round % 3 == 0   ? ids
                         : round % 3 == 1 ? TBS - 1
                                          : ids + wr_rng_below(r, TBS - ids));
    default:
        return good;
    }
}

#endif
