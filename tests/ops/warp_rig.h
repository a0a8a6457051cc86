/* One PTX instruction form at a time, end to end: text -> parser -> compiler -> machine, against
 * an oracle in plain C that shares nothing with the shell.
 *
 * A case is the body of a kernel. Before it runs %in holds the address of the thread's `nin`
 * input words and %out that of its `nout` output words; %t is the thread's number in its block,
 * %g in the grid. Declared are %r<40> (b32), %d<20> (b64), %f<10>, %h<10> (b16), %fd<10>, %p<10>,
 * and %a<10> of the address size. In the text @P stands for u32 or u64 and @B for b32 or b64,
 * by the address size, and @8 for its bytes.
 */
#ifndef WR_TESTS_OPS_WARP_RIG_H
#define WR_TESTS_OPS_WARP_RIG_H

#include <stdbool.h>
#include <stdint.h>

enum { RIG_GRID = 3, RIG_BLOCK = 96, RIG_WORDS = 8 };

typedef struct rig_case {
    const char *name;
    const char *module; /* text in front of the kernel, or NULL */
    const char *body;
    uint32_t nin, nout; /* words per thread, at most RIG_WORDS */
    uint32_t block;     /* threads of a block; 0 = RIG_BLOCK */
    /* One block: the words of its threads, thread by thread. Output words start as 0. */
    void (*oracle)(const uint32_t *in, uint32_t *out, uint32_t threads);
} rig_case;

/* Input words of the rig: small numbers, few different ones, and any. */
typedef enum rig_inputs { RIG_ANY, RIG_FEW } rig_inputs;

/* Runs the case in 32 and 64 bits, cleaned up and not, and preempted again and again at points
 * a few instructions apart; each must give the oracle's words. Returns the contexts saved. */
uint64_t rig_check(const rig_case *c, rig_inputs inputs);

/* Runs it once, under the system where one is given, and returns the end's message, which must not
 * be a proper end. */
const char *rig_fault(const rig_case *c, const char *system, char message[512]);

#endif
