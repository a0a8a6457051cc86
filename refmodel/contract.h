/* SPDX-License-Identifier: Apache-2.0 */
/* The block contract: what every block model promises, and the words it uses.
 *
 * A block is a plain value that the caller owns. Per block, in <block>.h:
 *
 *   wr_status wr_<block>_init (wr_<block> *s, const wr_<block>_cfg *cfg);
 *   void      wr_<block>_reset(wr_<block> *s);
 *   void      wr_<block>_eval (const wr_<block> *s, const wr_<block>_in *in, wr_<block>_out *out);
 *   void      wr_<block>_tick (wr_<block> *s, const wr_<block>_in *in);
 *
 * A block that its toml calls free-running (windows, epochs, intervals) also has
 *
 *   void     wr_<block>_skip (wr_<block> *s, const wr_<block>_in *in, uint64_t n);
 *   uint64_t wr_<block>_quiet(const wr_<block> *s, const wr_<block>_in *in);
 *
 * skip is n ticks with these inputs held, to the byte, at a cost that hardly grows with n (loops
 * over the cycles of a few windows where the inputs are active). quiet is the number of ticks with
 * these inputs held that leave every output as it is now: the first that changes one is the tick
 * behind them. UINT64_MAX: never.
 *
 * Invariants:
 * - state has no pointers, so a copy is a snapshot; registers end in _q;
 * - eval is pure: outputs are a function of state and inputs, and every output settles
 *   before any block ticks, so the order of ticks cannot matter;
 * - bad configuration is a status of init; a protocol fault of the caller is the sticky
 *   output fault; a broken invariant of the model is an assertion.
 */
#ifndef WR_REFMODEL_CONTRACT_H
#define WR_REFMODEL_CONTRACT_H

#include <stdbool.h>
#include <stdint.h>

typedef enum wr_status {
    WR_OK = 0,
    WR_ERR_CONFIG, /* a parameter is outside the range that the block's toml gives */
} wr_status;

/* Pattern code of a compressed vector register, {a,b} of Lin-P Fig. 10 and dead = 00. */
typedef enum wr_pattern {
    WR_PATTERN_DEAD = 0,
    WR_PATTERN_UNIFORM = 1,
    WR_PATTERN_RANDOM = 2,
    WR_PATTERN_STRIDED = 3,
} wr_pattern;

/* Code of the pattern analysing group (PAG): lanes per group = 8 << code. */
typedef enum wr_pag {
    WR_PAG_8 = 0,
    WR_PAG_16 = 1,
    WR_PAG_32 = 2, /* 3 is reserved: a protocol fault, treated as 32 */
} wr_pag;

#endif
