/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle/ccbp_allocator_oracle.h"

#include <assert.h>
#include <string.h>

enum { LATENCY, NOC, DRAM, BY_RULE };

void wr_oracle_ccbp_reset(wr_oracle_ccbp *o, const wr_ccbp_allocator_cfg *cfg)
{
    memset(o, 0, sizeof *o);
    o->cfg = *cfg;
}

static bool busy(const wr_oracle_ccbp *o)
{
    return o->started && o->cycle < o->ends;
}

void wr_oracle_ccbp_outputs(const wr_oracle_ccbp *o, const wr_ccbp_allocator_in *in,
                            wr_ccbp_allocator_out *out)
{
    memset(out, 0, sizeof *out);
    out->busy = busy(o);
    out->done = o->started && !busy(o);
    out->fault = o->fault;
    for (unsigned i = 0; i < o->steps; i++) {
        const wr_oracle_ccbp_step *s = &o->step[i];
        if (o->cycle >= s->shows) {
            out->steps++;
        }
        if (s->kernel != in->view || !s->fits) {
            continue;
        }
        if (o->cycle >= s->shows) {
            out->cta = (uint8_t)s->cta;
            out->nbw = (uint8_t)s->nbw;
            out->dbw = (uint8_t)s->dbw;
        }
        if (o->cycle >= s->dom_shows) {
            out->dom = (uint16_t)s->dom;
        }
    }
    if (o->started && in->view < o->cfg.kernels) {
        const bool found = o->cycle >= o->start + 2 + in->view;
        out->kind = (uint8_t)(found ? o->kind[in->view] : o->kind_before[in->view]);
    }
}

static void write_value(wr_oracle_ccbp *o, const wr_ccbp_allocator_in *in)
{
    const bool table = in->what <= 1;
    if (busy(o) || in->kernel >= o->cfg.kernels || in->what == 7 ||
        (table && (in->index == 0 || in->index > o->cfg.max_ctas))) {
        o->fault = true;
        return;
    }
    wr_oracle_ccbp_kernel *k = &o->kernel[in->kernel];
    unsigned value = in->value;
    if (table && value > 100) {
        o->fault = true;
        value = 100;
    }
    if (in->what == 5 && value > o->cfg.max_ctas) {
        o->fault = true;
        value = o->cfg.max_ctas;
    }
    switch (in->what) {
    case 0:
        k->nbw[in->index] = value;
        break;
    case 1:
        k->dbw[in->index] = value;
        break;
    case 2:
        k->regs = value;
        break;
    case 3:
        k->smem = value;
        break;
    case 4:
        k->threads = value;
        break;
    case 5:
        k->ctas = value;
        break;
    default:
        k->type = value % 4;
        break;
    }
}

static unsigned rule(const wr_oracle_ccbp *o, const wr_oracle_ccbp_kernel *k)
{
    const unsigned n = k->nbw[k->ctas];
    const unsigned d = k->dbw[k->ctas];
    if (k->type != BY_RULE) {
        return k->type;
    }
    if (n < o->cfg.ls_percent && d < o->cfg.ls_percent) {
        return LATENCY;
    }
    return n >= d ? NOC : DRAM;
}

static unsigned most(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* The bandwidth of the other kind that comes with `grown` percent, where the table says own and
 * other. */
static unsigned along(unsigned grown, unsigned own, unsigned other)
{
    const unsigned q = own == 0 ? 0 : (other * grown + own / 2) / own;
    return q > 511 ? 511 : q;
}

typedef struct allocation {
    unsigned cta, nbw, dbw, dom;
} allocation;

static allocation tentative(const wr_oracle_ccbp_kernel *k, unsigned kind, allocation a)
{
    const unsigned percent = (kind == NOC ? a.nbw : a.dbw) + 1;
    const unsigned *own = kind == NOC ? k->nbw : k->dbw;
    const unsigned *other = kind == NOC ? k->dbw : k->nbw;
    if (kind == LATENCY) {
        a.cta++;
        a.nbw = a.cta <= WR_ORACLE_CCBP_CTAS ? k->nbw[a.cta] : 0;
        a.dbw = a.cta <= WR_ORACLE_CCBP_CTAS ? k->dbw[a.cta] : 0;
        return a;
    }
    if (own[a.cta] < percent) {
        a.cta++;
    }
    const unsigned rest = along(percent, own[a.cta], other[a.cta]);
    a.nbw = kind == NOC ? percent : rest;
    a.dbw = kind == NOC ? rest : percent;
    return a;
}

static bool can_alloc(const wr_oracle_ccbp *o, const allocation *all, unsigned k, allocation t)
{
    unsigned long long regs = 0;
    unsigned long long smem = 0;
    unsigned long long threads = 0;
    unsigned ctas = 0;
    unsigned nbw = 0;
    unsigned dbw = 0;
    for (unsigned j = 0; j < o->cfg.kernels; j++) {
        const allocation a = j == k ? t : all[j];
        regs += (unsigned long long)a.cta * o->kernel[j].regs;
        smem += (unsigned long long)a.cta * o->kernel[j].smem;
        threads += (unsigned long long)a.cta * o->kernel[j].threads;
        ctas += a.cta;
        nbw += a.nbw;
        dbw += a.dbw;
    }
    return t.cta <= o->kernel[k].ctas && regs <= o->cfg.regs && smem <= o->cfg.smem &&
           threads <= o->cfg.threads && ctas <= o->cfg.slots && nbw <= 100 && dbw <= 100;
}

static unsigned dom_of(const wr_oracle_ccbp *o, unsigned k, allocation a, unsigned prior)
{
    const wr_oracle_ccbp_kernel *n = &o->kernel[k];
    if (o->kind[k] != LATENCY) {
        return 256 * (o->kind[k] == NOC ? a.nbw : a.dbw) / 100;
    }
    unsigned share = 256 * a.cta * n->regs / o->cfg.regs;
    share = most(share, 256 * a.cta * n->smem / o->cfg.smem);
    share = most(share, 256 * a.cta * n->threads / o->cfg.threads);
    share = most(share, 256 * a.cta / o->cfg.slots);
    return share / prior;
}

static void run(wr_oracle_ccbp *o, unsigned prior)
{
    allocation all[WR_ORACLE_CCBP_KERNELS] = {{0}};
    bool unfinished[WR_ORACLE_CCBP_KERNELS] = {false};
    unsigned long long begins = o->cycle + o->cfg.kernels + 1;
    for (unsigned k = 0; k < o->cfg.kernels; k++) {
        o->kind_before[k] = o->kind[k];
        o->kind[k] = rule(o, &o->kernel[k]);
        unfinished[k] = true;
    }
    o->steps = 0;
    for (;;) {
        unsigned k = WR_ORACLE_CCBP_KERNELS;
        for (unsigned j = 0; j < o->cfg.kernels; j++) {
            if (unfinished[j] && (k == WR_ORACLE_CCBP_KERNELS || all[j].dom < all[k].dom)) {
                k = j;
            }
        }
        if (k == WR_ORACLE_CCBP_KERNELS) {
            o->ends = begins + 1;
            return;
        }
        const bool latency = o->kind[k] == LATENCY;
        allocation t = tentative(&o->kernel[k], o->kind[k], all[k]);
        const bool fits = can_alloc(o, all, k, t);
        unsigned cycles = latency ? 4 : 13;
        assert(o->steps < WR_ORACLE_CCBP_STEPS);
        wr_oracle_ccbp_step *s = &o->step[o->steps++];
        *s = (wr_oracle_ccbp_step){.kernel = k, .fits = fits, .shows = begins + cycles};
        if (fits) {
            cycles = latency ? 48 : 24;
            t.dom = dom_of(o, k, t, prior);
            all[k] = t;
            s->cta = t.cta;
            s->nbw = t.nbw;
            s->dbw = t.dbw;
            s->dom = t.dom;
        } else {
            unfinished[k] = false;
        }
        begins += cycles;
        s->dom_shows = begins;
    }
}

void wr_oracle_ccbp_clock(wr_oracle_ccbp *o, const wr_ccbp_allocator_in *in)
{
    if (in->we) {
        write_value(o, in);
    }
    if (in->start) {
        o->fault = o->fault || in->prior == 0;
        if (busy(o)) {
            o->fault = true;
        } else {
            run(o, in->prior == 0 ? 1 : in->prior);
            o->started = true;
            o->start = o->cycle;
        }
    }
    o->cycle++;
}
