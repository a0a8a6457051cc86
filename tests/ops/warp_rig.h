/* SPDX-License-Identifier: Apache-2.0 */
/* One PTX instruction form at a time, end to end: text -> parser -> compiler -> machine, against
 * an oracle in plain C that shares nothing with the shell.
 *
 * A case is the body of a kernel. Before it runs %in holds the address of the thread's `nin`
 * input words and %out that of its `nout` output words; %t is the thread's number in its block,
 * %g in the grid. Declared are %r<40> (b32), %d<30> (b64), %f<10>, %h<10> (b16), %fd<10>, %p<10>,
 * and %a<10> of the address size. In the text @P stands for u32 or u64 and @B for b32 or b64,
 * by the address size, and @8 for its bytes. A third parameter is `pdata`, RIG_PDATA bytes of which
 * byte i is rig_pdata(i).
 *
 * What counts as a set of operands is the case's matter: a thread with its own input words, unless
 * `sets` says otherwise. For barriers it is a thread that arrives, where block, barrier number,
 * count and who takes part are random; for special registers a thread in its own place and time;
 * for fences and prefetches a thread that passes one between a store and the load of it.
 */
#ifndef WR_TESTS_OPS_WARP_RIG_H
#define WR_TESTS_OPS_WARP_RIG_H

#include <stdbool.h>
#include <stdint.h>

enum { RIG_GRID = 3, RIG_BLOCK = 96, RIG_WORDS = 24, RIG_PDATA = 64 };

typedef struct rig_case {
    const char *name;
    const char *module; /* text in front of the kernel, or NULL */
    const char *body;
    uint32_t nin, nout; /* words per thread, at most RIG_WORDS */
    uint32_t block;     /* threads of a block; 0 = RIG_BLOCK */
    /* One block: the words of its threads, thread by thread. Output words start as 0. */
    void (*oracle)(const uint32_t *in, uint32_t *out, uint32_t threads);
    /* The instructions that the case is about, words as in ops_list.h. NULL: none, and no long run
     */
    const char *subject;
    uint64_t want; /* sets of operands in the long run; 0 = OPS_SETS */
    bool alone;    /* threads have nothing to do with each other: some lanes are left out */
    bool both;     /* the long run in 32 bits too */
    /* Of the block, with the product `block`; all 0: one dimension. The grid is then 2 x 3 x n. */
    uint32_t shape[3];
    /* Changes the input words of a block, or counts their sets. */
    void (*prepare)(uint32_t *in, uint32_t threads, uint32_t block, uint64_t *seed);
    uint64_t (*sets)(const uint32_t *in, uint32_t threads);
    /* In place of oracle, for cases that are made from a table. */
    void (*oracle_of)(const void *arg, const uint32_t *in, uint32_t *out, uint32_t threads);
    const void *arg;
} rig_case;

uint64_t rig_next(uint64_t *seed);
uint8_t rig_pdata(uint32_t i);
/* Puts a random mask of lanes into word `word` of each warp's threads, now and then an extreme. */
void rig_warp_masks(uint32_t *in, uint32_t threads, uint32_t nin, uint32_t word, uint64_t *seed);

/* Input words of the rig: small numbers, few different ones, and any. */
typedef enum rig_inputs { RIG_ANY, RIG_FEW } rig_inputs;

/* Runs the case in 32 and 64 bits, cleaned up and not, and preempted again and again at points
 * a few instructions apart; each must give the oracle's words. The plain run in 64 bits is long:
 * as many blocks as it takes for the sets of operands that are wanted, which it counts and asserts.
 * Returns the contexts saved. */
uint64_t rig_check(const rig_case *c, rig_inputs inputs);

/* Runs it once, under the system where one is given, and returns the end's message, which must not
 * be a proper end. Where the case has an oracle, the threads that have come to its results count,
 * and must be at least OPS_SETS. */
const char *rig_fault(const rig_case *c, const char *system, char message[512]);

#endif
