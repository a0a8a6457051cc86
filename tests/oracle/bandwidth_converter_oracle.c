/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of bandwidth_converter: see the header. */
#include "tests/oracle/bandwidth_converter_oracle.h"

typedef unsigned long long number;

enum { NBW, DBW };

static number least(number a, number b)
{
    return a < b ? a : b;
}

static number greatest(number a, number b)
{
    return a > b ? a : b;
}

void wr_oracle_bandwidth_converter_reset(wr_oracle_bandwidth_converter *o,
                                         const wr_oracle_bandwidth_cfg *cfg)
{
    *o = (wr_oracle_bandwidth_converter){.cfg = *cfg};
}

static bool is_ready(const wr_oracle_bandwidth_converter *o)
{
    return o->cycle >= o->ready_from;
}

static unsigned shown(const wr_oracle_bandwidth_converter *o, const wr_oracle_bandwidth_value *v)
{
    return (unsigned)(o->cycle >= v->from ? v->is : v->was);
}

void wr_oracle_bandwidth_converter_outputs(const wr_oracle_bandwidth_converter *o, unsigned view,
                                           wr_oracle_bandwidth_out *out)
{
    *out = (wr_oracle_bandwidth_out){.ready = is_ready(o), .fault = o->fault};
    for (unsigned i = 0; i < o->writes; i++) {
        const wr_oracle_bandwidth_write *w = &o->write[i];
        if (w->cycle == o->cycle) {
            out->we = true;
            out->what = w->what;
            out->kernel = w->kernel;
            out->index = w->index;
            out->value = w->value;
        }
    }
    if (view < o->cfg.kernels) {
        out->n16 = shown(o, &o->kernel[view].n16);
        out->dreq = shown(o, &o->kernel[view].dreq);
    }
}

/* No operation is taken before both costs show, so that what a cost was is what it became last. */
static void becomes(wr_oracle_bandwidth_value *v, number value, number from)
{
    v->was = v->is;
    v->is = value;
    v->from = from;
}

static void take_cost(wr_oracle_bandwidth_converter *o, unsigned kernel)
{
    const wr_oracle_bandwidth_cfg *cfg = &o->cfg;
    wr_oracle_bandwidth_kernel *k = &o->kernel[kernel];
    const number loads = least(65535, k->loads);
    const number stores = least(65535, k->stores);
    const number accesses = least(262143, k->accesses);
    const number lines = least(524287, k->lines);
    const number requests = loads + stores;

    o->seen[WR_ORACLE_BANDWIDTH_NOTHING_SENT] += requests == 0;
    o->seen[WR_ORACLE_BANDWIDTH_NO_ACCESS] += accesses == 0;
    o->seen[WR_ORACLE_BANDWIDTH_LOADS_MOST] += k->loads > loads;
    o->seen[WR_ORACLE_BANDWIDTH_STORES_MOST] += k->stores > stores;
    o->seen[WR_ORACLE_BANDWIDTH_ACCESSES_MOST] += k->accesses > accesses;
    o->seen[WR_ORACLE_BANDWIDTH_LINES_MOST] += k->lines > lines;
    if (requests > 0) {
        const number flits = cfg->load_flits * loads + cfg->store_flits * stores;
        becomes(&k->n16, least(255, 16 * flits / requests), o->cycle + 11);
    }
    if (accesses > 0) {
        const number bytes = cfg->line_bytes * lines / accesses;
        becomes(&k->dreq, least(255, bytes), o->cycle + 20);
        o->seen[WR_ORACLE_BANDWIDTH_BYTES_MOST] += bytes > 255;
    }
    k->loads = 0;
    k->stores = 0;
    k->accesses = 0;
    k->lines = 0;
    o->cost_kernel = kernel;
    o->before.ctas = 0;
    o->before.nbw = 0;
    o->before.dbw = 0;
    o->ready_from = o->cycle + 20;
}

static void write_at(wr_oracle_bandwidth_converter *o, number cycle, unsigned what, unsigned index,
                     number value)
{
    o->write[o->writes] = (wr_oracle_bandwidth_write){.cycle = cycle,
                                                      .what = what,
                                                      .kernel = o->cost_kernel,
                                                      .index = index,
                                                      .value = (unsigned)value};
    o->writes++;
}

static void take_sample(wr_oracle_bandwidth_converter *o, number loads, number stores,
                        unsigned ctas)
{
    const wr_oracle_bandwidth_cfg *cfg = &o->cfg;
    const number flits = cfg->load_flits * loads + cfg->store_flits * stores;
    const number bytes = (loads + stores) * o->kernel[o->cost_kernel].dreq.is;
    const number all_flits = (number)cfg->noc_flits * cfg->units;
    const number all_bytes = (number)cfg->dram_bytes * cfg->units;
    const number x0 = o->before.nbw;
    const number y0 = o->before.dbw;
    const number percent_noc = 100 * flits / all_flits;
    const number percent_dram = 100 * bytes / all_bytes;
    const number x = greatest(x0, least(100, percent_noc));
    const number y = greatest(y0, least(100, percent_dram));
    /* As many CTAs as before: their entry is written again. */
    const unsigned n0 = ctas == o->before.ctas ? ctas - 1 : o->before.ctas;
    const unsigned g = ctas - n0;

    o->seen[WR_ORACLE_BANDWIDTH_CLAMPED_NOC] += percent_noc > 100;
    o->seen[WR_ORACLE_BANDWIDTH_CLAMPED_DRAM] += percent_dram > 100;
    o->seen[WR_ORACLE_BANDWIDTH_FELL_NOC] += percent_noc < x0;
    o->seen[WR_ORACLE_BANDWIDTH_FELL_DRAM] += percent_dram < y0;
    o->seen[WR_ORACLE_BANDWIDTH_SAME_CTAS] += ctas == o->before.ctas;
    o->seen[WR_ORACLE_BANDWIDTH_BETWEEN] += g > 1 && x > x0 && x0 > 0 && y > y0 && y0 > 0;
    o->writes = 0;
    for (unsigned j = 1; j <= g; j++) {
        write_at(o, o->cycle + 10 + 18 * j, NBW, n0 + j, x0 + (x - x0) * j / g);
        write_at(o, o->cycle + 19 + 18 * j, DBW, n0 + j, y0 + (y - y0) * j / g);
    }
    o->before.ctas = ctas;
    o->before.nbw = x;
    o->before.dbw = y;
    o->ready_from = o->cycle + 20 + 18 * g;
}

static void fault(wr_oracle_bandwidth_converter *o, wr_oracle_bandwidth_seen which)
{
    o->fault = true;
    o->seen[which]++;
}

static void take(wr_oracle_bandwidth_converter *o, const wr_oracle_bandwidth_in *in)
{
    const unsigned ctas = in->c % 64;

    o->seen[in->op]++;
    if (in->kernel >= o->cfg.kernels) {
        fault(o, WR_ORACLE_BANDWIDTH_NO_KERNEL);
        return;
    }
    wr_oracle_bandwidth_kernel *k = &o->kernel[in->kernel];

    if (in->op == WR_ORACLE_BANDWIDTH_REQUESTS) {
        k->loads += in->a % 4096;
        k->stores += in->b % 4096;
    } else if (in->op == WR_ORACLE_BANDWIDTH_SLICE) {
        k->accesses += in->a;
        k->lines += in->b + in->c;
    } else if (in->op == WR_ORACLE_BANDWIDTH_COST) {
        take_cost(o, in->kernel);
    } else if (in->kernel != o->cost_kernel) {
        fault(o, WR_ORACLE_BANDWIDTH_OTHER_KERNEL);
    } else if (ctas == 0) {
        fault(o, WR_ORACLE_BANDWIDTH_NO_CTAS);
    } else if (ctas > o->cfg.max_ctas) {
        fault(o, WR_ORACLE_BANDWIDTH_TOO_MANY_CTAS);
    } else if (ctas < o->before.ctas) {
        fault(o, WR_ORACLE_BANDWIDTH_FEWER_CTAS);
    } else {
        take_sample(o, in->a % 4096, in->b % 4096, ctas);
    }
}

void wr_oracle_bandwidth_converter_clock(wr_oracle_bandwidth_converter *o,
                                         const wr_oracle_bandwidth_in *in)
{
    if (in->req && is_ready(o)) {
        take(o, in);
    } else if (in->req) {
        o->seen[WR_ORACLE_BANDWIDTH_WAITED]++;
    }
    o->cycle++;
}
