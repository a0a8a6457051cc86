/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of tb_compressor, from the documents alone (Lin-P III.C, Fig. 11, RESOLUTIONS P14
 * to P17, the block's toml): what one logical register of a thread block becomes.
 *
 * The bases and strides of all groups are kept as lists, and the class is worked out from the
 * whole lists when the last warp has been taken: strides first, then the differences of
 * neighbouring bases, in 64 bits and reduced modulo 2^32 by a division.
 */
#ifndef WR_TESTS_ORACLE_TB_COMPRESSOR_ORACLE_H
#define WR_TESTS_ORACLE_TB_COMPRESSOR_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

enum { WR_ORACLE_TB_GROUPS = 64 };

enum {
    WR_ORACLE_TB_NONE = 0,
    WR_ORACLE_TB_LOCAL_UNIFORM = 1,
    WR_ORACLE_TB_RANDOM = 2,
    WR_ORACLE_TB_LOCAL_STRIDED = 3,
    WR_ORACLE_TB_BYPASS = 4,
    WR_ORACLE_TB_GLOBAL_UNIFORM = 5,
    WR_ORACLE_TB_GLOBAL_STRIDED = 6,
};

typedef struct wr_oracle_tb {
    unsigned words; /* parameters */
    unsigned entries;

    /* the register that is being collected or emitted */
    bool begun; /* a result was taken: its PAG stands */
    unsigned pag_lanes;
    unsigned groups; /* of all results so far, random ones counted */
    bool over;
    bool random;
    unsigned listed; /* groups in the lists */
    uint32_t base[WR_ORACLE_TB_GROUPS];
    uint32_t stride[WR_ORACLE_TB_GROUPS];

    bool emitting;
    unsigned beat;
    bool fault; /* sticky */
} wr_oracle_tb;

/* One warp's result, as it is offered. */
typedef struct wr_oracle_tb_result {
    bool last;
    unsigned pag;
    unsigned pattern;
    const uint32_t *word;
} wr_oracle_tb_result;

/* What stands at the output. */
typedef struct wr_oracle_tb_beat {
    bool valid;
    bool last;
    unsigned tb_class;
    unsigned count;
    uint32_t word[2];
} wr_oracle_tb_beat;

void wr_oracle_tb_reset(wr_oracle_tb *t, unsigned words, unsigned entries);

/* Class of what is held. */
unsigned wr_oracle_tb_class(const wr_oracle_tb *t);

wr_oracle_tb_beat wr_oracle_tb_output(const wr_oracle_tb *t);

/* One clock edge; offered may be NULL. */
void wr_oracle_tb_step(wr_oracle_tb *t, const wr_oracle_tb_result *offered, bool ready);

#endif
