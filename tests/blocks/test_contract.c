/* SPDX-License-Identifier: Apache-2.0 */
/* The contract can fail: models with a planted fault each, and the check that must catch it. Each
 * is a sound block with one of its functions replaced.
 */
#include "tests/blocks/contract.h"

#include "dpi/gen/alloc_table_port.h"
#include "dpi/gen/reg_compressor_port.h"
#include "tests/blocks/rig.h"

#include <stdio.h>
#include <string.h>

static void expect(wr_contract_check *check, const wr_block_desc *sound,
                   const wr_block_desc *broken, const char *message)
{
    char err[512] = "";

    if (!check(sound, wr_rig_seed(), err, sizeof err)) {
        fail_msg("the sound block: %s", err);
    }
    if (check(broken, 1, err, sizeof err)) {
        fail_msg("not caught; wanted: %s", message);
    }
    if (strstr(err, message) == NULL) {
        fail_msg("'%s' has no '%s'", err, message);
    }
}

/* A register in a static: what one instance leaves there the next one finds. */
static bool hidden_fault;

static void tick_static(void *state, const void *in)
{
    const wr_reg_compressor_in *pins = in;

    wr_reg_compressor_tick(state, in);
    hidden_fault = hidden_fault || (pins->valid && pins->pag == 3);
}

static void reset_static(void *state)
{
    wr_reg_compressor_reset(state);
    hidden_fault = false;
}

static void eval_static(const void *state, const void *in, void *out)
{
    wr_reg_compressor_eval(state, in, out);
    ((wr_reg_compressor_out *)out)->fault = hidden_fault;
}

static wr_status init_static(void *state, const void *cfg)
{
    hidden_fault = false;
    return wr_reg_compressor_init(state, cfg);
}

static void test_static(void **state)
{
    (void)state;
    wr_block_desc broken = wr_reg_compressor_block;

    broken.tick = tick_static;
    broken.init = init_static;
    broken.reset = reset_static;
    broken.eval = eval_static;
    expect(wr_contract_snapshot, &wr_reg_compressor_block, &broken, "from a snapshot: cycle");
}

/* A static that counts the cycles of all instances. */
static void tick_count(void *state, const void *in)
{
    static uint64_t ticks;
    const wr_reg_compressor_in none = {.ready = true};

    wr_reg_compressor_tick(state, ++ticks % 1009 == 0 ? &none : in);
}

static void test_counter(void **state)
{
    (void)state;
    wr_block_desc broken = wr_reg_compressor_block;

    broken.tick = tick_count;
    expect(wr_contract_snapshot, &wr_reg_compressor_block, &broken, "from a snapshot: cycle");
    expect(wr_contract_determinism, &wr_reg_compressor_block, &broken, "plays alike: cycle");
}

/* State that points into itself: a copy would look into the original. */
typedef struct pointing {
    wr_reg_compressor model;
    wr_reg_compressor *self;
} pointing;

static wr_status init_pointing(void *state, const void *cfg)
{
    pointing *p = state;

    p->self = &p->model;
    return wr_reg_compressor_init(&p->model, cfg);
}

static void reset_pointing(void *state)
{
    wr_reg_compressor_reset(((pointing *)state)->self);
}

static void eval_pointing(const void *state, const void *in, void *out)
{
    const pointing *p = state;

    /* Only to be read: where the original is spoilt, self has another value than its address. */
    wr_reg_compressor_eval(&p->model, in, out);
    ((wr_reg_compressor_out *)out)->fault ^= p->self != &p->model;
}

static void tick_pointing(void *state, const void *in)
{
    wr_reg_compressor_tick(&((pointing *)state)->model, in);
}

static void test_pointer(void **state)
{
    (void)state;
    wr_block_desc broken = wr_reg_compressor_block;

    broken.state_size = sizeof(pointing);
    broken.init = init_pointing;
    broken.reset = reset_pointing;
    broken.eval = eval_pointing;
    broken.tick = tick_pointing;
    expect(wr_contract_snapshot, &wr_reg_compressor_block, &broken, "from a snapshot: cycle");
}

static wr_status init_lenient(void *state, const void *cfg)
{
    wr_alloc_table_cfg taken = *(const wr_alloc_table_cfg *)cfg;

    taken.tb_bits = taken.tb_bits == 17 ? 16 : taken.tb_bits;
    return wr_alloc_table_init(state, &taken);
}

static wr_status init_strict(void *state, const void *cfg)
{
    const wr_alloc_table_cfg *wanted = cfg;

    return wanted->entries == 11 ? WR_ERR_CONFIG : wr_alloc_table_init(state, cfg);
}

static void test_configuration(void **state)
{
    (void)state;
    wr_block_desc broken = wr_alloc_table_block;

    broken.init = init_lenient;
    expect(wr_contract_configurations, &wr_alloc_table_block, &broken,
           "TbBits=17: accepted, though TbBits must be 5 to 16");
    broken.init = init_strict;
    expect(wr_contract_configurations, &wr_alloc_table_block, &broken,
           "configuration odd is refused");
}

static void reset_forgetful(void *state)
{
    wr_reg_compressor *s = state;
    bool kept = s->s2_valid_q;

    wr_reg_compressor_reset(s);
    s->s2_valid_q = kept;
}

static void test_reset(void **state)
{
    (void)state;
    wr_block_desc broken = wr_reg_compressor_block;

    broken.reset = reset_forgetful;
    expect(wr_contract_reset, &wr_reg_compressor_block, &broken, "reset leaves byte");
}

/* init that leaves a register as memory had it. */
static wr_status init_lazy(void *state, const void *cfg)
{
    wr_reg_compressor *s = state;
    uint8_t before;

    memcpy(&before, &s->s1_tag_q, sizeof before);
    wr_status status = wr_reg_compressor_init(state, cfg);
    s->s2_tag_q = before & 63;
    return status;
}

static void test_init(void **state)
{
    (void)state;
    wr_block_desc broken = wr_reg_compressor_block;

    broken.init = init_lazy;
    expect(wr_contract_determinism, &wr_reg_compressor_block, &broken, "plays alike: cycle");
}

/* An output that eval does not write. */
static void eval_silent(const void *state, const void *in, void *out)
{
    wr_reg_compressor_out *pins = out;
    uint8_t before = pins->tag;

    wr_reg_compressor_eval(state, in, out);
    pins->tag = pins->valid ? pins->tag : before & 63;
}

static void eval_follows(const void *state, const void *in, void *out)
{
    wr_reg_compressor_out *pins = out;

    wr_reg_compressor_eval(state, in, out);
    pins->valid = pins->valid && ((const wr_reg_compressor_in *)in)->ready;
}

static void test_eval(void **state)
{
    (void)state;
    wr_block_desc broken = wr_reg_compressor_block;

    broken.eval = eval_silent;
    expect(wr_contract_determinism, &wr_reg_compressor_block, &broken, "eval again: cycle");
    broken.eval = eval_follows;
    expect(wr_contract_registered, &wr_reg_compressor_block, &broken,
           "pin valid is registered and follows the inputs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_static),  cmocka_unit_test(test_counter),
        cmocka_unit_test(test_pointer), cmocka_unit_test(test_configuration),
        cmocka_unit_test(test_reset),   cmocka_unit_test(test_init),
        cmocka_unit_test(test_eval),
    };
    return cmocka_run_group_tests_name("contract", tests, NULL, NULL);
}
