/* SPDX-License-Identifier: Apache-2.0 */
/* The test of one block: see bench.h. */
#include "tests/blocks/bench.h"

#include "testbench/stim.h"
#include "testbench/traffic.h"
#include "tests/blocks/contract.h"
#include "vectors/vectors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OWN_MAX = 32,
    EPISODE = 400, /* cycles of stimulus from reset */
    STORY = 10000, /* of the episode with the directed cases */
    RECORD = 1000, /* of these go into a file */
    ROUNDS = 3,    /* each kind of fault comes first so often, and as many episodes without */
};

static void *part(void *bench, size_t offset)
{
    return (uint8_t *)bench + offset;
}

void wr_bench_init(const wr_bench *t, void *bench, uint64_t seed, const void *cfg)
{
    const wr_block_desc *block = t->block;
    wr_rig *rig = bench;
    char text[sizeof rig->config] = "";
    size_t used = 0;

    memset(bench, 0, t->at.size);
    for (size_t i = 0; i < block->params_count && used < sizeof text; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, " %s=%" PRIu32,
                                 block->params[i].name, ((const uint32_t *)cfg)[i]);
    }
    wr_rig_init(rig, seed, "%s%s", block->name, text);
    memcpy(part(bench, t->at.cfg), cfg, block->cfg_size);
    assert_int_equal(block->init(part(bench, t->at.model), part(bench, t->at.cfg)), WR_OK);
    t->reset(bench);
}

void wr_bench_reset(const wr_bench *t, void *bench)
{
    t->block->reset(part(bench, t->at.model));
    t->reset(bench);
}

void wr_bench_settle(const wr_bench *t, void *bench, const void *in, void *out)
{
    const wr_block_desc *block = t->block;
    const void *cfg = part(bench, t->at.cfg);
    const void *model = part(bench, t->at.model);
    wr_rig *rig = bench;
    _Alignas(8) uint8_t other_in[WR_MAX_PINS_BYTES];
    _Alignas(8) uint8_t other[WR_MAX_PINS_BYTES];
    uint32_t words[WR_MAX_WORDS];
    uint32_t count = wr_pack(block, WR_IN, cfg, in, words);

    for (uint32_t i = 0; i < count; i++) {
        words[i] = ~words[i];
    }
    wr_unpack(block, WR_IN, cfg, words, other_in);
    memset(other, 0xa5, sizeof other);
    memset(out, 0x5a, block->out_size);
    block->eval(model, other_in, other);
    block->eval(model, in, out);
    for (size_t p = block->ins_count; p < block->pins_count; p++) {
        const wr_pin_desc *pin = &block->pins[p];
        for (uint32_t e = 0; !pin->comb && e < wr_pin_count(pin, cfg); e++) {
            uint64_t got = wr_pin_value(pin, other, e);
            uint64_t want = wr_pin_value(pin, out, e);
            rig->checks++;
            if (got != want) {
                fail_msg("%s, seed %" PRIu64 ", cycle %" PRIu64
                         ": pin %s[%u] is registered and follows the inputs: 0x%" PRIx64
                         " and 0x%" PRIx64,
                         rig->config, rig->seed, rig->cycle, pin->name, e, got, want);
            }
        }
    }
}

void wr_bench_clock(const wr_bench *t, void *bench, const void *in)
{
    t->block->tick(part(bench, t->at.model), in);
    wr_rig_next_cycle(bench);
}

static bool faulted(const wr_bench *t, void *bench)
{
    return *(const bool *)part(bench, t->at.fault);
}

static unsigned at_least_one(unsigned n)
{
    return n > 0 ? n : 1;
}

static const void *config(const wr_bench *t, unsigned i)
{
    return (const uint8_t *)t->configs.list + i % t->configs.count * t->block->cfg_size;
}

static void *room(size_t bytes)
{
    void *p = malloc(bytes);

    assert_non_null(p);
    return p;
}

static void keeps(void **state, wr_contract_check *check)
{
    const wr_bench *t = *state;
    char err[512];

    if (!check(t->block, wr_rig_seed(), err, sizeof err)) {
        fail_msg("%s", err);
    }
}

static void contract_configurations(void **state)
{
    const wr_bench *t = *state;
    void *model = room(t->block->state_size);

    keeps(state, wr_contract_configurations);
    for (unsigned i = 0; i < t->refused.count; i++) {
        const void *cfg = (const uint8_t *)t->refused.list + i * t->block->cfg_size;
        if (t->block->init(model, cfg) != WR_ERR_CONFIG) {
            fail_msg("%s: accepted: refused[%u]", t->block->name, i);
        }
    }
    free(model);
}

static void contract_determinism(void **state)
{
    keeps(state, wr_contract_determinism);
}

static void contract_registered(void **state)
{
    keeps(state, wr_contract_registered);
}

static void contract_reset(void **state)
{
    keeps(state, wr_contract_reset);
}

/* Model and RTL agree on the registers that lockstep compares; that they do on the right values,
 * no pin need show. */
static void reset_leaves(const wr_bench *t, const void *cfg, uint8_t *model)
{
    assert_int_equal(t->block->init(model, cfg), WR_OK);
    for (size_t i = 0; i < t->block->states_count; i++) {
        const wr_state_desc *reg = &t->block->states[i];
        for (unsigned e = 0; e < reg->count; e++) {
            const uint64_t want = t->after_reset != NULL ? t->after_reset(cfg, reg->name, e) : 0;
            uint64_t got = 0;
            memcpy(&got, model + reg->offset + (size_t)e * reg->elem_bytes, reg->elem_bytes);
            if (got != want) {
                fail_msg("%s: reset leaves %s[%u] = 0x%" PRIx64 ", not 0x%" PRIx64, t->block->name,
                         reg->name, e, got, want);
            }
        }
    }
}

static void contract_registers_after_reset(void **state)
{
    const wr_bench *t = *state;
    uint8_t *model = room(t->block->state_size);

    for (size_t i = 0; i < t->block->configs_count; i++) {
        reset_leaves(t, t->block->configs[i].value, model);
    }
    for (unsigned i = 0; i < t->configs.count; i++) {
        reset_leaves(t, config(t, i), model);
    }
    free(model);
}

static void contract_snapshot(void **state)
{
    keeps(state, wr_contract_snapshot);
}

/* Bits that a pin does not have fall away. */
static void as_wide_as_pins(const wr_block_desc *block, const void *cfg, void *in)
{
    uint32_t words[WR_MAX_WORDS];

    (void)wr_pack(block, WR_IN, cfg, in, words);
    wr_unpack(block, WR_IN, cfg, words, in);
}

/* Of the stimulus: odd, so that the first episode keeps the protocol. */
static uint64_t first_seed(uint64_t seed)
{
    return 2 * seed + 1;
}

/* Episodes of the stimulus in one configuration. In those that keep the protocol the oracle may not
 * see a fault; of the others, those are counted in which it does. */
static uint64_t stimulate(const wr_bench *t, const wr_stim *stim, uint64_t seed, const void *cfg,
                          wr_vectors_writer *record)
{
    uint8_t *b = room(t->at.size);
    uint8_t *s = room(stim->state_size);
    const uint64_t episodes = 2 * ROUNDS * (stim->faults + 1);
    uint64_t faults = 0;

    wr_bench_init(t, b, seed, cfg);
    for (uint64_t e = 0; e < episodes; e++) {
        _Alignas(8) uint8_t in[WR_MAX_PINS_BYTES];
        _Alignas(8) uint8_t out[WR_MAX_PINS_BYTES] = {0};

        if (e > 0) {
            wr_bench_reset(t, b);
        }
        memset(s, 0, stim->state_size);
        stim->init(s, cfg, first_seed(seed) + e, e == 0);
        for (uint64_t cycle = 0; cycle < (e == 0 ? STORY : EPISODE); cycle++) {
            memset(in, 0, sizeof in);
            stim->next(s, cycle, out, in);
            as_wide_as_pins(t->block, cfg, in);
            t->cycle(b, in, out);
            if (record != NULL && e == 0 && cycle < RECORD) {
                uint32_t words[2][WR_MAX_WORDS];
                (void)wr_pack(t->block, WR_IN, cfg, in, words[0]);
                (void)wr_pack(t->block, WR_OUT, cfg, out, words[1]);
                wr_vectors_row(record, words[0], words[1]);
            }
        }
        if (stim->faults > 0 && ((const wr_faults *)(s + stim->faults_at))->first != 0) {
            faults += faulted(t, b);
        } else if (faulted(t, b)) {
            fail_msg("%s, seed %" PRIu64 ": a fault where the stimulus should keep the protocol",
                     ((const wr_rig *)b)->config, first_seed(seed) + e);
        }
    }
    free(b);
    free(s);
    return faults;
}

static void stimulus(void **state)
{
    const wr_bench *t = *state;
    const wr_stim *stim = wr_stim_find(t->block->name);
    uint64_t seed = wr_rig_seed();
    uint64_t faults = 0;

    const char *folder = getenv("WARPREF_VECTORS");

    assert_non_null(stim);
    for (size_t i = 0; i < t->block->configs_count; i++) {
        const wr_config_desc *named = &t->block->configs[i];
        wr_vectors_writer record;
        char path[512];
        char err[512];

        (void)snprintf(path, sizeof path, "%s/%s.%s.hex", folder != NULL ? folder : "",
                       t->block->name, named->name);
        if (folder != NULL && !wr_vectors_create(&record, path, t->block, named->value,
                                                 first_seed(seed), 0, err, sizeof err)) {
            fail_msg("%s", err);
        }
        faults += stimulate(t, stim, seed, named->value, folder != NULL ? &record : NULL);
        assert_true(folder == NULL || wr_vectors_finish(&record));
    }
    for (unsigned i = 0; i < t->configs.count; i++) {
        (void)stimulate(t, stim, seed + 1 + i, config(t, i), NULL);
    }
    assert_true(faults >= stim->faults);
}

static void golden(void **state)
{
    const wr_bench *t = *state;
    uint8_t *b = room(t->at.size);

    for (size_t i = 0; i < t->block->configs_count; i++) {
        char path[512];
        char err[512];
        wr_vectors v;

        (void)snprintf(path, sizeof path, "%s/vectors/golden/%s.%s.hex", WR_SOURCE_DIR,
                       t->block->name, t->block->configs[i].name);
        if (!wr_vectors_load(&v, path, err, sizeof err)) {
            fail_msg("%s", err);
        }
        wr_bench_init(t, b, v.seed, v.cfg);
        for (uint32_t row = 0; row < v.count; row++) {
            _Alignas(8) uint8_t in[WR_MAX_PINS_BYTES] = {0};
            _Alignas(8) uint8_t out[WR_MAX_PINS_BYTES];
            uint32_t words[WR_MAX_WORDS];

            wr_unpack(t->block, WR_IN, v.cfg, v.in + (size_t)row * v.in_words, in);
            t->cycle(b, in, out);
            (void)wr_pack(t->block, WR_OUT, v.cfg, out, words);
            if (memcmp(words, v.out + (size_t)row * v.out_words, v.out_words * 4) != 0) {
                fail_msg("%s:%" PRIu32 ": not what model and oracle say", path, v.line[row]);
            }
        }
        assert_true(v.count > 0);
        wr_vectors_free(&v);
    }
    free(b);
}

static void random_traffic(void **state)
{
    const wr_bench *t = *state;
    uint64_t seed = wr_rig_seed();
    unsigned runs = t->configs.count * at_least_one(t->amount.repeats);
    void *benches = room(runs * t->at.size);

    for (unsigned i = 0; i < runs; i++) {
        void *b = part(benches, i * t->at.size);
        wr_bench_init(t, b, seed + i, config(t, i));
        t->play(b, t->amount.legal, false);
        assert_true(!faulted(t, b) || t->may_fault);
        if (t->covered_legal != NULL) {
            t->covered_legal(b);
        }
        for (unsigned round = 0; round < at_least_one(t->amount.rounds); round++) {
            if (round > 0) {
                wr_bench_reset(t, b);
            }
            t->play(b, t->amount.faulty, true);
            assert_true(faulted(t, b) || !t->must_fault);
        }
        if (t->covered != NULL) {
            t->covered(b);
        }
        wr_rig_report(b, *(const uint64_t *)part(b, t->at.transactions));
    }
    if (t->covered_in_all != NULL) {
        t->covered_in_all(benches, runs);
    }
    free(benches);
}

static void snapshot_in_traffic(void **state)
{
    const wr_bench *t = *state;
    uint64_t seed = wr_rig_seed();
    uint8_t *b = room(t->at.size);
    uint8_t *twin[2] = {room(t->at.size), room(t->at.size)};

    for (unsigned i = 0; i < t->configs.count; i++) {
        wr_bench_init(t, b, seed + i, config(t, i));
        t->play(b, t->snapshot.before + i, true);
        for (unsigned k = 0; k < 2; k++) {
            memcpy(twin[k], b, t->at.size);
        }
        memset(part(b, t->at.model), 0xa5, t->block->state_size);
        for (unsigned k = 0; k < 2; k++) {
            t->play(twin[k], t->snapshot.after, true);
        }
        assert_memory_equal(twin[0], twin[1], sizeof(wr_rig));
        assert_true(((const wr_rig *)twin[0])->cycle > ((const wr_rig *)b)->cycle);
    }
    free(b);
    free(twin[0]);
    free(twin[1]);
}

int wr_bench_main(const wr_bench *t, const struct CMUnitTest *own, size_t own_count)
{
    static const struct CMUnitTest shared[] = {
        cmocka_unit_test(contract_configurations),
        cmocka_unit_test(contract_determinism),
        cmocka_unit_test(contract_registered),
        cmocka_unit_test(contract_reset),
        cmocka_unit_test(contract_registers_after_reset),
        cmocka_unit_test(contract_snapshot),
        cmocka_unit_test(stimulus),
        cmocka_unit_test(golden),
        cmocka_unit_test(random_traffic),
        cmocka_unit_test(snapshot_in_traffic),
    };
    enum { SHARED = sizeof shared / sizeof shared[0] };
    struct CMUnitTest all[SHARED + OWN_MAX];
    wr_bench table = *t; /* cmocka hands on what is not const */

    assert_true(own_count <= OWN_MAX);
    memcpy(all, shared, sizeof shared);
    memcpy(all + SHARED, own, own_count * sizeof own[0]);
    for (unsigned i = 0; i < SHARED; i++) {
        all[i].initial_state = &table;
    }
    return _cmocka_run_group_tests(t->block->name, all, SHARED + own_count, NULL, NULL);
}
