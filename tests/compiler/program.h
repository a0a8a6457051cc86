/* SPDX-License-Identifier: Apache-2.0 */
/* Random PTX kernels of every kind of control flow, whose threads meet at barriers and across
 * lanes. What a program does is the same for every order of its threads. */
#ifndef WR_TESTS_COMPILER_PROGRAM_H
#define WR_TESTS_COMPILER_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

/* Memory: WR_PROGRAM_SHARED_BYTES before the address `out` belong to all threads, and behind it
 * WR_PROGRAM_BYTES to each. Parameters of the entry `k` are those of random.h. */
#define WR_PROGRAM_SHARED_BYTES 1024
#define WR_PROGRAM_BYTES        512
#define WR_PROGRAM_MAX_THREADS  96

typedef enum wr_program_kind {
    WR_KIND_IF,
    WR_KIND_IF_ELSE,
    WR_KIND_UNIFORM_IF,
    WR_KIND_LOOP,
    WR_KIND_UNIFORM_LOOP,
    WR_KIND_LANES_LOOP, /* lanes leave one by one, those that stay know each other */
    WR_KIND_NEST,       /* a loop in a loop */
    WR_KIND_BREAK,
    WR_KIND_CONTINUE,
    WR_KIND_BREAK_OUTER,
    WR_KIND_CONTINUE_OUTER,
    WR_KIND_RETURN_IN_BRANCH,
    WR_KIND_GUARDED_EXIT,
    WR_KIND_TANGLE,        /* jumps to and fro, into loops too: irreducible */
    WR_KIND_WRITTEN_APART, /* a branch on what is the same for all unless some wrote it again */
    WR_KIND_TABLE,         /* brx.idx */
    WR_KIND_CALL,
    WR_KIND_CALL_APART, /* in divergent code */
    WR_KIND_RECURSION,
    WR_KIND_INDIRECT_CALL,
    WR_KIND_EXIT_IN_CALL,
    WR_KIND_BARRIER,
    WR_KIND_BARRIER_IN_BRANCH,
    WR_KIND_BARRIER_IN_LOOP,
    WR_KIND_BARRIER_WITH_COUNT,
    WR_KIND_ARRIVE,
    WR_KIND_BARRIER_REDUCTION,
    WR_KIND_EXCHANGE, /* through shared memory */
    WR_KIND_SHARED_ATOMIC,
    WR_KIND_GLOBAL_ATOMIC,
    WR_KIND_OWN_ATOMIC, /* of a word of the thread's own: the old value counts */
    WR_KIND_SHUFFLE,
    WR_KIND_VOTE,
    WR_KIND_MATCH,
    WR_KIND_REDUX,
    WR_KIND_SOME_LANES, /* of these four, where only some lanes are */
    WR_KIND_GUARDED_LANES,
    WR_KIND_F32,
    WR_KIND_F64,
    WR_KIND_PAIR,
    WR_KIND_LOCAL_ARRAY,
    WR_KIND_GENERIC,
    WR_KIND_VECTOR,
    WR_KIND_GUARDS_EVERYWHERE,
    WR_KIND_COUNT
} wr_program_kind;

extern const char *const wr_program_kind_names[WR_KIND_COUNT];

typedef struct wr_program {
    uint32_t threads;
    uint32_t kinds[WR_KIND_COUNT]; /* how many statements of each kind */
} wr_program;

/* Writes a module into buf (cut short if it does not fit); the same seed, the same text. */
void wr_program_write(uint64_t seed, unsigned address_size, char *buf, size_t size,
                      wr_program *program);

#endif
