/* SPDX-License-Identifier: Apache-2.0 */
/* Of the interpreter in reference.c: its threads, and the values of instructions. */
#ifndef WR_TESTS_COMPILER_REFERENCE_THREAD_H
#define WR_TESTS_COMPILER_REFERENCE_THREAD_H

#include "shell/ptx/ptx.h"

#define WR_TEST_SHARED 8192 /* bytes */
#define WR_TEST_LOCAL  8192 /* bytes a thread, its calls' included */
#define WR_TEST_SLOTS  16   /* parameters and results of a function, and of its calls: 16 B each */

/* An activation. Every register is 64 bits that hold its value cut to its type's size. */
typedef struct wr_test_frame {
    const wr_ptx_func *func;
    uint32_t pc, local; /* local: where its variables begin */
    uint64_t *regs;
    uint8_t slots[WR_TEST_SLOTS][16];
    struct wr_test_frame *caller;
} wr_test_frame;

typedef enum wr_test_wait {
    WR_TEST_RUNS,
    WR_TEST_AT_BARRIER,
    WR_TEST_AT_LANES,
    WR_TEST_DONE
} wr_test_wait;

typedef struct wr_test_thread {
    wr_test_frame *top;
    const uint8_t *params;
    uint8_t *memory, *shared, *local;
    uint32_t size, tid, threads, depth;
    wr_test_wait wait;
    const wr_ptx_insn *at; /* where it waits */
    uint32_t steps;
    const char *error;
} wr_test_thread;

uint64_t wr_test_cut(uint64_t value, wr_ptx_type type);
uint64_t wr_test_get(wr_test_thread *t, const wr_ptx_operand *o, wr_ptx_type type);
bool wr_test_get_pred(wr_test_thread *t, const wr_ptx_operand *o);
void wr_test_put(wr_test_thread *t, const wr_ptx_operand *o, uint64_t value);

/* The place of a parameter or result, or of a variable in .param, in the frame. */
uint8_t *wr_test_slot(wr_test_thread *t, wr_test_frame *frame, const wr_ptx_var *var);
/* Bytes of the function's local variables; `var` gets its place. */
uint32_t wr_test_local(const wr_ptx_func *func, const wr_ptx_var *var, uint32_t *place);

/* Executes what is neither control nor waits for others. */
void wr_test_execute(wr_test_thread *t, const wr_ptx_insn *i);

#endif
