/* SPDX-License-Identifier: Apache-2.0 */
/* liveness_decoder: the decode is one step of a start; the walk clears one bit of rest_q a take. */
#include "refmodel/context/liveness_decoder.h"

#include <assert.h>
#include <string.h>

enum {
    VECTOR_BITS = 54,           /* Lin-P IV.A: 64 bits less the 10 of the opcode */
    HIGH_BIT = VECTOR_BITS - 1, /* stands for every allocated register from HIGH_BIT up */
};

typedef struct decode {
    bool is_pp;
    bool is_bar;
    uint64_t mask;
    bool fault;
} decode;

static uint64_t low_bits(uint32_t n)
{
    return n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

static uint32_t opcode_of(uint64_t word)
{
    return (uint32_t)(word >> VECTOR_BITS);
}

static decode decode_word(const wr_liveness_decoder_cfg *cfg, const wr_liveness_decoder_in *in)
{
    const uint8_t offered = in->alloc & 127u;
    const bool alloc_high = offered > cfg->regs;
    const uint32_t alloc = alloc_high ? cfg->regs : offered;
    decode d = {
        .is_pp = opcode_of(in->word) == cfg->op_pp,
        .is_bar = opcode_of(in->word) == cfg->op_bar_pp,
        .fault = alloc_high,
    };
    if (!d.is_pp && !d.is_bar) {
        return d;
    }

    const bool dummy = opcode_of(in->next) == cfg->op_dummy;
    const uint64_t source = d.is_pp && in->diverged && dummy ? in->next : in->word;
    uint64_t live = source & low_bits(HIGH_BIT);
    if ((source >> HIGH_BIT) & 1u) {
        live |= ~low_bits(HIGH_BIT);
        /* "From 53 up" names registers that exist only where some are allocated there. */
        d.fault = d.fault || alloc <= HIGH_BIT;
    }
    d.mask = live & low_bits(alloc);
    d.fault = d.fault || (live & low_bits(HIGH_BIT) & ~low_bits(alloc)) != 0;
    d.fault = d.fault || (in->diverged && (d.is_bar || !dummy));
    return d;
}

wr_status wr_liveness_decoder_init(wr_liveness_decoder *s, const wr_liveness_decoder_cfg *cfg)
{
    if (!wr_liveness_decoder_cfg_ok(cfg) || cfg->op_pp == cfg->op_bar_pp ||
        cfg->op_pp == cfg->op_dummy || cfg->op_bar_pp == cfg->op_dummy) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_liveness_decoder_reset(s);
    return WR_OK;
}

void wr_liveness_decoder_reset(wr_liveness_decoder *s)
{
    wr_liveness_decoder_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

void wr_liveness_decoder_eval(const wr_liveness_decoder *s, const wr_liveness_decoder_in *in,
                              wr_liveness_decoder_out *out)
{
    (void)in; /* no output of this block is combinational */
    assert((s->rest_q & ~s->mask_q) == 0);
    const bool valid = s->rest_q != 0;
    uint8_t index = 0;
    while (valid && ((s->rest_q >> index) & 1u) == 0) {
        index++;
    }
    out->busy = valid;
    out->decoded = s->decoded_q;
    out->is_pp = s->is_pp_q;
    out->is_bar = s->is_bar_q;
    out->mask = s->mask_q;
    out->valid = valid;
    out->index = index;
    out->last = valid && (s->rest_q & (s->rest_q - 1)) == 0;
    out->fault = s->fault_q;
}

void wr_liveness_decoder_tick(wr_liveness_decoder *s, const wr_liveness_decoder_in *in)
{
    const bool busy = s->rest_q != 0;
    s->decoded_q = in->start && !busy;
    if (busy) {
        s->fault_q = s->fault_q || in->start;
        if (in->ready) {
            s->rest_q &= s->rest_q - 1;
        }
    } else if (in->start) {
        decode d = decode_word(&s->cfg, in);
        s->is_pp_q = d.is_pp;
        s->is_bar_q = d.is_bar;
        s->mask_q = d.mask;
        s->rest_q = d.mask;
        s->fault_q = s->fault_q || d.fault;
    }
}
