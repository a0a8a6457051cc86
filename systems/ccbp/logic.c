/* SPDX-License-Identifier: Apache-2.0 */
/* The CCBP logic of Fig. 4.6, from a window's counts to the combination of CTAs and the quotas of
 * the miss queues; an operation a cycle.
 *
 *   counts of SMs, of banks --> bandwidth_converter --costs--------------------> miss queues
 *                                     | entries of nbw[], dbw[]                      ^
 *                                     v                                             |
 *   needs of a CTA ------------> ccbp_allocator --CTAs--> dispatcher    shares of bandwidth
 *
 * Both blocks are one unit, clocked while the logic works. What the converter writes goes to the
 * allocator in the same cycle.
 */
#include "systems/ccbp/state.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Parts of the peak that can be sustained: 60 % of the NoC (Lin-D 4.3.2), 75 % of DRAM. */
enum { NOC_PERCENT = 60, DRAM_PERCENT = 75, NEEDS = 5, MOST_CTAS = 32 };
/* What the blocks count up to. An SM's share of DRAM is larger on a GPU of few SMs, but not what
 * the port of an SM carries. */
enum { FLITS_MOST = 255, BYTES_MOST = 4095 };

static uint32_t at_most(uint64_t value, uint32_t most)
{
    return value < most ? (uint32_t)value : most;
}

uint32_t wr_ccbp_noc_flits(const wr_gpu_config *c)
{
    const uint64_t clocks = (uint64_t)WR_CCBP_UNIT * c->clock.noc_mhz;

    return at_most(clocks * NOC_PERCENT / (100 * (uint64_t)c->clock.core_mhz), FLITS_MOST);
}

uint32_t wr_ccbp_dram_bytes(const wr_gpu_config *c)
{
    const uint64_t bytes = (uint64_t)WR_CCBP_UNIT * c->clock.dram_mhz * c->dram.channels *
                           c->dram.burst_bytes * DRAM_PERCENT;

    return at_most(bytes / (100 * (uint64_t)c->clock.core_mhz * c->dram.burst_clocks * c->sms),
                   BYTES_MOST);
}

static uint32_t flits_of(const wr_gpu_config *c, uint32_t bytes)
{
    return (c->noc.header_bytes + bytes + c->noc.flit_bytes - 1) / c->noc.flit_bytes;
}

/* A cycle of both blocks. */
static void clock_once(wr_ccbp *p)
{
    wr_ccbp_logic *l = &p->logic;
    char text[512];

    (void)wr_bay_begin(p->bay, l->unit, l->cycles);
    wr_bandwidth_converter_port_eval(&l->converter, &l->converter_in, &l->converter_out);
    if (l->converter_out.we) {
        l->allocator_in.we = true;
        l->allocator_in.what = l->converter_out.what ? WR_CCBP_DBW : WR_CCBP_NBW;
        l->allocator_in.kernel = l->converter_out.out_kernel;
        l->allocator_in.index = l->converter_out.index;
        l->allocator_in.value = l->converter_out.value;
    }
    wr_ccbp_allocator_port_eval(&l->allocator, &l->allocator_in, &l->allocator_out);
    wr_bandwidth_converter_port_tick(&l->converter, &l->converter_in);
    wr_ccbp_allocator_port_tick(&l->allocator, &l->allocator_in);
    (void)wr_bay_end(p->bay, l->unit);
    l->cycles++;
    if (wr_bay_check(p->bay, l->unit, text, sizeof text)) {
        wr_gpu_abort(p->gpu, wr_bay_fail(p->bay, l->unit, text));
    }
}

/* Step `at` of the stage as an operation of the converter; false: the stage is over. */
static bool counts_of_sm(const wr_ccbp *p, uint32_t at, wr_bandwidth_converter_in *in)
{
    const uint32_t kernels = (uint32_t)__builtin_popcount(p->decided);
    const uint32_t sm = at / kernels;
    const uint32_t k = wr_ccbp_nth(p->decided, at % kernels);

    if (sm == p->sm_count) {
        return false;
    }
    *in = (wr_bandwidth_converter_in){.req = true,
                                      .op = WR_BANDWIDTH_REQUESTS,
                                      .kernel = (uint8_t)k,
                                      .a = p->logic.sm[sm].loads[k],
                                      .b = p->logic.sm[sm].stores[k]};
    return true;
}

static bool counts_of_bank(const wr_ccbp *p, uint32_t at, wr_bandwidth_converter_in *in)
{
    const uint32_t kernels = (uint32_t)__builtin_popcount(p->decided);
    const uint32_t bank = at / kernels;
    const uint32_t k = wr_ccbp_nth(p->decided, at % kernels);

    if (bank == p->bank_count) {
        return false;
    }
    *in = (wr_bandwidth_converter_in){.req = true,
                                      .op = WR_BANDWIDTH_SLICE,
                                      .kernel = (uint8_t)k,
                                      .a = p->logic.bank[bank].accesses[k],
                                      .b = p->logic.bank[bank].fetches[k],
                                      .c = p->logic.bank[bank].write_backs[k]};
    return true;
}

/* For each kernel its cost and, if a combination is to be found, what was sampled of it: its
 * requests by CTAs, at the cost that they have now. */
static bool cost_or_sample(const wr_ccbp *p, uint32_t at, wr_bandwidth_converter_in *in)
{
    const uint32_t each = p->logic.decides ? 1 + MOST_CTAS : 1;
    const uint32_t k = wr_ccbp_nth(p->decided, at / each);
    const uint32_t ctas = at % each;

    if (k == WR_CCBP_NONE) {
        return false;
    }
    *in = (wr_bandwidth_converter_in){.req = true, .op = WR_BANDWIDTH_COST, .kernel = (uint8_t)k};
    if (ctas != 0) {
        in->req = p->kernel[k].is_sampled[ctas];
        in->op = WR_BANDWIDTH_SAMPLE;
        in->a = p->kernel[k].loads[ctas];
        in->b = p->kernel[k].stores[ctas];
        in->c = (uint16_t)ctas;
    }
    return true;
}

typedef bool (*operation)(const wr_ccbp *p, uint32_t at, wr_bandwidth_converter_in *in);

static void enter(wr_ccbp *p, wr_ccbp_stage stage)
{
    p->logic.stage = stage;
    p->logic.at = 0;
    p->logic.offered = false;
}

/* A cycle of a stage that talks to the converter; `then`: what follows it. */
static void convert(wr_ccbp *p, operation of, wr_ccbp_stage then)
{
    wr_ccbp_logic *l = &p->logic;

    while (!l->offered) {
        if (!of(p, l->at, &l->converter_in)) {
            l->converter_in = (wr_bandwidth_converter_in){0};
            break;
        }
        l->at++;
        l->offered = l->converter_in.req;
    }
    clock_once(p);
    if (l->converter_out.ready && l->offered) {
        l->offered = false;
        l->converter_in = (wr_bandwidth_converter_in){0};
    } else if (l->converter_out.ready) {
        enter(p, then);
    }
}

/* Step `at` as a write into the allocator: what a CTA needs, how many there may be, and that the
 * type is found by rule; false: all is written. */
static bool write_need(wr_ccbp *p, uint32_t at, wr_ccbp_allocator_in *in)
{
    static const uint8_t codes[NEEDS] = {WR_CCBP_REGS, WR_CCBP_SMEM, WR_CCBP_THREADS, WR_CCBP_CTAS,
                                         WR_CCBP_TYPE};
    const uint32_t k = at / NEEDS;
    const wr_ccbp_kernel *own = &p->kernel[k < WR_CCBP_MOST ? k : 0];
    const bool there = wr_ccbp_has(p->decided, k);
    const uint32_t values[NEEDS] = {own->needs.registers, own->needs.shared_bytes,
                                    own->needs.threads, there ? own->alone : 0, WR_CCBP_BY_RULE};

    if (k == WR_CCBP_MOST) {
        return false;
    }
    *in = (wr_ccbp_allocator_in){
        .we = true, .what = codes[at % NEEDS], .kernel = (uint8_t)k, .value = values[at % NEEDS]};
    return true;
}

/* What the allocator has come to, kernel by kernel. */
static void read_result(wr_ccbp *p)
{
    wr_ccbp_logic *l = &p->logic;

    for (uint32_t k = 0; k < WR_CCBP_MOST; k++) {
        wr_ccbp_kernel *own = &p->kernel[k];

        l->allocator_in.view = (uint8_t)k;
        wr_ccbp_allocator_port_eval(&l->allocator, &l->allocator_in, &l->allocator_out);
        own->of_rule = l->allocator_out.cta;
        own->nbw = l->allocator_out.nbw;
        own->dbw = l->allocator_out.dbw;
        own->kind = l->allocator_out.kind;
    }
    p->counts.steps += l->allocator_out.steps;
    p->counts.decisions++;
}

static void allocate(wr_ccbp *p, uint64_t now)
{
    wr_ccbp_logic *l = &p->logic;

    l->allocator_in =
        (wr_ccbp_allocator_in){.start = l->at == 0, .prior = l->at == 0 ? (uint8_t)p->prior : 0};
    clock_once(p);
    if (l->at++ != 0 && l->allocator_out.done) {
        read_result(p);
        wr_ccbp_combine(p);
        wr_ccbp_share(p, now);
        enter(p, WR_CCBP_TELL);
    }
}

/* A kernel's share and costs go to all miss queues at once, which take them in 14 cycles. */
static void tell(wr_ccbp *p, uint64_t now)
{
    enum { CYCLES = 14 };
    wr_ccbp_logic *l = &p->logic;
    const uint32_t k = wr_ccbp_nth(p->decided, l->at / CYCLES);

    if (k == WR_CCBP_NONE || p->queue < WR_CCBP_PRIORITY) {
        enter(p, WR_CCBP_REST);
        return;
    }
    wr_ccbp_kernel *own = &p->kernel[k];
    const bool is_alone = p->phase != WR_CCBP_SHARED;
    const bool limits = p->queue == WR_CCBP_RATE;
    const wr_issue_rate_controller_in in = {.cfg = true,
                                            .cfg_kernel = (uint8_t)k,
                                            .cfg_ls = is_alone || own->kind == WR_CCBP_LATENCY,
                                            .cfg_nbw = limits ? own->nbw : 100,
                                            .cfg_dbw = limits ? own->dbw : 100,
                                            .cfg_n16 = limits ? own->n16 : 0,
                                            .cfg_dreq = limits ? own->dreq : 0};

    for (uint32_t i = 0; l->at % CYCLES == 0 && i < p->sm_count; i++) {
        wr_ccbp_station_clock(p, i, now, &in);
    }
    l->at++;
}

static void read_costs(wr_ccbp *p)
{
    wr_ccbp_logic *l = &p->logic;

    for (uint32_t k = 0; k < WR_CCBP_MOST; k++) {
        l->converter_in.view = (uint8_t)k;
        wr_bandwidth_converter_port_eval(&l->converter, &l->converter_in, &l->converter_out);
        p->kernel[k].n16 = l->converter_out.n16;
        p->kernel[k].dreq = l->converter_out.dreq;
    }
    l->converter_in.view = 0;
}

void wr_ccbp_logic_cycle(wr_ccbp *p, uint64_t now)
{
    wr_ccbp_logic *l = &p->logic;

    l->allocator_in = (wr_ccbp_allocator_in){0};
    switch (l->stage) {
    case WR_CCBP_REST:
        break;
    case WR_CCBP_ADD_SMS:
        convert(p, counts_of_sm, WR_CCBP_ADD_BANKS);
        break;
    case WR_CCBP_ADD_BANKS:
        convert(p, counts_of_bank, WR_CCBP_COSTS);
        break;
    case WR_CCBP_COSTS:
        convert(p, cost_or_sample, l->decides ? WR_CCBP_NEEDS : WR_CCBP_TELL);
        if (l->stage != WR_CCBP_COSTS) {
            read_costs(p);
        }
        break;
    case WR_CCBP_NEEDS:
        if (!write_need(p, l->at++, &l->allocator_in)) {
            enter(p, WR_CCBP_ALLOCATE);
            break;
        }
        clock_once(p);
        break;
    case WR_CCBP_ALLOCATE:
        allocate(p, now);
        break;
    case WR_CCBP_TELL:
        tell(p, now);
        break;
    }
}

void wr_ccbp_logic_begin(wr_ccbp *p, bool decides)
{
    wr_ccbp_logic *l = &p->logic;

    assert(l->stage == WR_CCBP_REST && p->decided != 0);
    l->decides = decides;
    enter(p, WR_CCBP_ADD_SMS);
}

void wr_ccbp_logic_tell(wr_ccbp *p)
{
    enter(p, WR_CCBP_TELL);
}

static bool sizes_fit(const wr_bandwidth_converter_cfg *c, const wr_gpu_config *g, char *err,
                      size_t err_size)
{
    const bool ok = wr_bandwidth_converter_cfg_ok(c) && g->sm.max_tbs <= MOST_CTAS;

    if (!ok) {
        (void)snprintf(
            err, err_size,
            "system ccbp: in %d cycles an SM gets %u flits and %u bytes of DRAM, replies "
            "are of %u and %u flits; the blocks count up to 255, 4095, 15 and 15",
            WR_CCBP_UNIT, c->noc_flits, c->dram_bytes, c->load_flits, c->store_flits);
    }
    return ok;
}

bool wr_ccbp_logic_open(wr_ccbp *p, const wr_system_setup *setup, char *err, size_t err_size)
{
    const wr_gpu_config *c = setup->cfg;
    wr_ccbp_logic *l = &p->logic;
    const wr_bandwidth_converter_cfg converter = {.kernels = WR_CCBP_MOST,
                                                  .max_ctas = c->sm.max_tbs,
                                                  .units = WR_CCBP_UNITS,
                                                  .noc_flits = wr_ccbp_noc_flits(c),
                                                  .dram_bytes = wr_ccbp_dram_bytes(c),
                                                  .load_flits = flits_of(c, c->l1.line_bytes),
                                                  .store_flits = flits_of(c, 0),
                                                  .line_bytes = c->l2.line_bytes};
    const wr_ccbp_allocator_cfg allocator = {.kernels = WR_CCBP_MOST,
                                             .max_ctas = c->sm.max_tbs,
                                             .regs = (uint32_t)p->limit[0],
                                             .threads = (uint32_t)p->limit[1],
                                             .smem = (uint32_t)p->limit[2],
                                             .slots = (uint32_t)p->limit[3],
                                             .ls_percent = 65};

    if (!sizes_fit(&converter, c, err, err_size)) {
        return false;
    }
    l->converter_open = wr_bandwidth_converter_port_open_behind(
        &l->converter, wr_bay_behind(p->bay), &converter, err, err_size);
    l->allocator_open = l->converter_open &&
                        wr_ccbp_allocator_port_open_behind(&l->allocator, wr_bay_behind(p->bay),
                                                           &allocator, err, err_size);
    if (!l->allocator_open) {
        return false;
    }
    wr_bandwidth_converter_port_reset(&l->converter);
    wr_ccbp_allocator_port_reset(&l->allocator);
    l->unit = wr_bay_add_unit(p->bay, "logic", WR_BAY_FREE);
    wr_bay_add_port(p->bay, l->unit, &l->converter.port, &l->converter_out);
    wr_bay_add_port(p->bay, l->unit, &l->allocator.port, &l->allocator_out);
    return true;
}

void wr_ccbp_logic_close(wr_ccbp *p)
{
    if (p->logic.converter_open) {
        wr_bandwidth_converter_port_close(&p->logic.converter);
    }
    if (p->logic.allocator_open) {
        wr_ccbp_allocator_port_close(&p->logic.allocator);
    }
}
