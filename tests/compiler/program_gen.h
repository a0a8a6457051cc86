/* SPDX-License-Identifier: Apache-2.0 */
/* Of the generator in program.c: what its files share. */
#ifndef WR_TESTS_COMPILER_PROGRAM_GEN_H
#define WR_TESTS_COMPILER_PROGRAM_GEN_H

#include <stdbool.h>

#include "program.h"

#define GEN_WORDS 12 /* %r1.. are data */
#define GEN_PAIRS 5  /* %d1.. */
#define GEN_F32   4  /* %f1.. */
#define GEN_F64   3  /* %g1.. */
#define GEN_PREDS 6  /* %p0.. */
#define GEN_LOOPS 4
#define GEN_MASKS 8
#define GEN_CELLS 64 /* byte place, behind the threads' words, of the words of all */

/* A loop around: its label, and whether lanes may leave it as they like. */
typedef struct gen_loop {
    unsigned label;
    bool open;
} gen_loop;

typedef struct gen {
    uint64_t state;
    char *buf;
    size_t size, used;
    wr_program *program;
    unsigned bits, label, depth, budget;
    unsigned words, pairs; /* data registers that may be used */
    gen_loop loops[GEN_LOOPS];
    unsigned loop_count;
    bool all;                         /* all threads that live pass here together */
    int mask;                         /* %m that names the lanes that are here together; -1: open */
    bool exits;                       /* threads may end early */
    bool inside;                      /* a function's body */
    bool guards;                      /* nearly everything is under a guard */
    unsigned branches, uniform_loops; /* uniform ones around */
} gen;

unsigned gen_pick(gen *g, unsigned n);
void gen_say(gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* One instruction, perhaps under a guard. */
void gen_op(gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gen_count(gen *g, wr_program_kind kind);
unsigned gen_word(gen *g);
unsigned gen_pair(gen *g);
unsigned gen_pred(gen *g);

/* A statement without control flow; program_ops.c. */
void gen_straight(gen *g);
/* A statement at which lanes or threads meet; false where none may stand. program_meet.c. */
bool gen_lanes(gen *g);
bool gen_threads(gen *g);
/* Sets %q<label> from values that are the same in all threads. */
void gen_uniform_pred(gen *g, unsigned label);

#endif
