/* SPDX-License-Identifier: Apache-2.0 */
/* The test of one block: the contract of all blocks, random traffic against the block's oracle, and
 * the block's own cases.
 *
 * A test keeps a struct of its own, its bench, with a rig as the first member, the block's
 * configuration, the model, the oracle and counts of what has happened; this table says where they
 * are and how to play. What wr_bench_main runs of it:
 *
 *   contract   configurations, determinism, registered, reset, snapshot (contract.h), that each
 *              configuration of `refused` is refused, and that each compared register is as
 *              `after_reset` says in each configuration
 *   stimulus   in each configuration, named ones too: episodes of the block's stimulus, with and
 *              without protocol faults, the oracle checking each cycle. With WARPREF_VECTORS=DIR
 *              what it has checked of each named one goes to DIR/<block>.<config>.hex as vectors
 *   golden     the golden vectors, the oracle checking each row
 *   traffic    in each configuration: play `legal`, which must raise no fault; `rounds` times
 *              play `faulty` with protocol faults, a reset between rounds; then `covered`
 *   snapshot   in each configuration: play `before` with faults, copy the bench, spoil the
 * original's model, and play `after` twice from the copy: the oracle checks each cycle, and both
 *              times must go alike
 */
#ifndef WR_TESTS_BLOCKS_BENCH_H
#define WR_TESTS_BLOCKS_BENCH_H

#include "dpi/block.h"
#include "tests/blocks/rig.h"

typedef struct wr_bench {
    const wr_block_desc *block;
    struct {
        size_t size, cfg, model; /* of the bench; where configuration and model are in it */
        size_t fault;            /* the oracle's, sticky: a bool */
        size_t transactions;     /* what has been done: a uint64_t */
    } at;
    struct {
        const void *list; /* the block's cfg structs */
        unsigned count;
    } configs, refused; /* refused: in range one by one, but not together; may be none */

    /* The oracle as after reset, and what else the bench holds; cfg and model are in place. */
    void (*reset)(void *bench);
    /* What a compared register holds after reset; NULL: all hold 0. */
    uint64_t (*after_reset)(const void *cfg, const char *name, unsigned element);
    /* One cycle with these inputs; every output is checked against the oracle. */
    void (*cycle)(void *bench, const void *in, void *out);
    /* So much random traffic, in a measure of the test's own; each cycle is checked. */
    void (*play)(void *bench, unsigned amount, bool with_faults);
    /* Each asserts that what should come up did: in the legal part of one configuration, in one
     * configuration, over the benches of all. Each may be NULL. */
    void (*covered_legal)(const void *bench);
    void (*covered)(const void *bench);
    void (*covered_in_all)(const void *benches, unsigned count);

    struct {
        unsigned legal, faulty;
        unsigned rounds;  /* of faulty; 0 is 1 */
        unsigned repeats; /* runs of each configuration, each with another seed; 0 is 1 */
    } amount;
    struct {
        unsigned before, after;
    } snapshot;
    bool must_fault; /* in each round */
    bool may_fault;  /* in legal traffic too */
} wr_bench;

/* Clears the bench, and sets it up with a model fresh from init. */
void wr_bench_init(const wr_bench *t, void *bench, uint64_t seed, const void *cfg);

/* Resets model and oracle. */
void wr_bench_reset(const wr_bench *t, void *bench);

/* The outputs of this cycle. First the model sees the inputs with every bit turned over, of which
 * a pin that is not combinational must show nothing. */
void wr_bench_settle(const wr_bench *t, void *bench, const void *in, void *out);

/* Clocks the model, and counts the cycle. */
void wr_bench_clock(const wr_bench *t, void *bench, const void *in);

/* Runs all of the above and the block's own tests; the exit status of the program. */
int wr_bench_main(const wr_bench *t, const struct CMUnitTest *own, size_t own_count);

#endif
