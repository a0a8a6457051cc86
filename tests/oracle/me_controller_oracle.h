/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of me_controller, from the documents alone (Lin-D 3.6.4, 3.6.6, RESOLUTIONS D5, D6,
 * D14, D15, D17, D19, the block's toml).
 *
 * At the start of a kernel it works out the whole search at once, by trying TB after TB, and then
 * only counts cycles to know how much of the answer the pins show. ME follows from the list of all
 * verdicts taken since, gone through from the first one each time.
 */
#ifndef WR_TESTS_ORACLE_ME_CONTROLLER_ORACLE_H
#define WR_TESTS_ORACLE_ME_CONTROLLER_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum { WR_ORACLE_ME_VERDICTS = 4096 };

typedef struct wr_oracle_me_cfg {
    unsigned rf_lines;
    unsigned smem_lines;
    unsigned l1_lines;
    unsigned warp_slots;
    unsigned warps;
    unsigned tb_slots;
    unsigned tbs;
    bool sat_zero;
} wr_oracle_me_cfg;

/* A kernel's figures, of one TB. */
typedef struct wr_oracle_me_kernel {
    unsigned warps;
    unsigned regs;
    unsigned reduced;
    unsigned smem;
    unsigned meta;
} wr_oracle_me_kernel;

typedef struct wr_oracle_me_in {
    bool start;
    wr_oracle_me_kernel kernel;
    bool valid;
    int verdict;
    bool l1_idle;
    bool launch;
    bool leave;
} wr_oracle_me_in;

/* What the search finds. */
typedef struct wr_oracle_me_limits {
    unsigned mc;
    int level; /* 0 off, 1 warp, 2 tb */
    unsigned extra;
    unsigned extra_l1; /* with L1, tried only where extra is 0 */
} wr_oracle_me_limits;

typedef struct wr_oracle_me_out {
    bool busy;
    unsigned mc;
    unsigned bound;
    bool needs_l1;
    int level;
    unsigned me;
    bool bypass;
    bool frozen;
    unsigned tbs;
    bool allow;
    bool fault;
} wr_oracle_me_out;

typedef struct wr_oracle_me {
    wr_oracle_me_cfg cfg;
    bool started;
    uint64_t age; /* cycles since start; 1 in the first behind it */
    wr_oracle_me_limits limits;
    unsigned verdicts; /* taken since start */
    int verdict[WR_ORACLE_ME_VERDICTS];
    bool first_l1_idle;
    unsigned tbs;
    bool fault;
} wr_oracle_me;

wr_oracle_me_limits wr_oracle_me_search(const wr_oracle_me_cfg *cfg, const wr_oracle_me_kernel *k);

void wr_oracle_me_reset(wr_oracle_me *m, const wr_oracle_me_cfg *cfg);
wr_oracle_me_out wr_oracle_me_eval(const wr_oracle_me *m);

/* One clock edge. */
void wr_oracle_me_step(wr_oracle_me *m, const wr_oracle_me_in *in);

#endif
