/* SPDX-License-Identifier: Apache-2.0 */
/* Register banks; see operands.h. */
#include "shell/core/sm/operands.h"

void wr_operands_init(wr_operands *o, const wr_sm_config *cfg)
{
    *o = (wr_operands){.banks = cfg->rf_banks,
                       .read_latency = cfg->read_latency,
                       .dispatch_latency = cfg->dispatch_latency,
                       .write_latency = cfg->write_latency};
}

/* The first free cycle of a bank from `from` on, taken. */
static uint64_t book(wr_operands *o, uint32_t bank, uint64_t now, uint64_t from)
{
    struct wr_bank *b = &o->bank[bank];
    uint64_t passed = now - b->base;
    uint64_t taken = passed < 64 ? b->taken >> passed : 0;
    uint64_t ahead = from - now;
    b->base = now;
    b->taken = taken;
    if (ahead >= 64) {
        return from;
    }
    uint64_t open = ~taken & (UINT64_MAX << ahead);
    if (open == 0) {
        return now + 64;
    }
    uint32_t at = (uint32_t)__builtin_ctzll(open);
    b->taken = taken | UINT64_C(1) << at;
    o->conflicts += at - ahead;
    return now + at;
}

uint64_t wr_operands_read(wr_operands *o, uint64_t now, uint32_t warp, const wr_uop *uop)
{
    uint64_t at = now + o->read_latency;
    for (uint64_t left = uop->read; left != 0; left &= left - 1) {
        uint32_t reg = (uint32_t)__builtin_ctzll(left);
        at = book(o, (reg + warp) & (o->banks - 1), now, at) + 1;
    }
    return at + o->dispatch_latency;
}

uint64_t wr_operands_write(wr_operands *o, uint64_t now, uint64_t at, uint32_t warp, uint64_t regs)
{
    uint64_t last = at + o->write_latency;
    for (uint64_t left = regs & ~(UINT64_C(1) << WR_ISA_RZ); left != 0; left &= left - 1) {
        uint32_t reg = (uint32_t)__builtin_ctzll(left);
        uint64_t done = book(o, (reg + warp) & (o->banks - 1), now, at + o->write_latency);
        last = done > last ? done : last;
    }
    return last;
}
