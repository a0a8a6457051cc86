/* SPDX-License-Identifier: Apache-2.0 */
/* bandwidth_converter: an operation is worked out when it is taken, and shows when the RTL's
 * divider would be done: DIVISION cycles for each quotient. */
#include "refmodel/sharing/bandwidth_converter.h"

#include "refmodel/minmax.h"

#include <string.h>

enum {
    DIVISION = 9,
    FIRST = 10, /* cycle of the first quotient; the others follow, DIVISION cycles apart */
    SECOND = FIRST + DIVISION,
    QUOTIENT_MAX = 255,
    REQUESTS_MAX = 65535,
    ACCESSES_MAX = (1 << 18) - 1,
    LINES_MAX = (1 << 19) - 1,
};

wr_status wr_bandwidth_converter_init(wr_bandwidth_converter *s,
                                      const wr_bandwidth_converter_cfg *cfg)
{
    if (!wr_bandwidth_converter_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_bandwidth_converter_reset(s);
    return WR_OK;
}

void wr_bandwidth_converter_reset(wr_bandwidth_converter *s)
{
    const wr_bandwidth_converter_cfg cfg = s->cfg;

    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

/* A value between two, at step j of g. */
static uint32_t between(uint32_t from, uint32_t to, uint32_t j, uint32_t g)
{
    return from + (to - from) * j / g;
}

/* The value that is written in this cycle: 2 the NoC's of the first entry, 3 DRAM's of it, and so
 * on; 0: none is. */
static uint32_t value_number(const wr_bandwidth_converter *s)
{
    const bool due = s->op_q == WR_BANDWIDTH_SAMPLE && s->cycle_q > SECOND &&
                     (s->cycle_q - FIRST) % DIVISION == 0;

    return due ? (s->cycle_q - (uint32_t)FIRST) / DIVISION : 0;
}

void wr_bandwidth_converter_eval(const wr_bandwidth_converter *s,
                                 const wr_bandwidth_converter_in *in,
                                 wr_bandwidth_converter_out *out)
{
    const uint32_t number = value_number(s);

    memset(out, 0, sizeof *out);
    out->ready = s->cycle_q == 0;
    out->n16 = s->n16_q[in->view & 3u];
    out->dreq = s->dreq_q[in->view & 3u];
    out->fault = s->fault_q;
    if (number != 0) {
        const wr_bandwidth_point *from = &s->from_q;
        const wr_bandwidth_point *to = &s->to_q;
        const uint32_t j = number / 2;
        const uint32_t g = (uint32_t)to->ctas - from->ctas;

        out->we = true;
        out->what = number % 2 == 1;
        out->out_kernel = s->kernel_q;
        out->index = (uint8_t)(from->ctas + j);
        out->value = (uint8_t)(out->what ? between(from->dbw, to->dbw, j, g)
                                         : between(from->nbw, to->nbw, j, g));
    }
}

static uint8_t quotient(uint64_t dividend, uint64_t divisor)
{
    return (uint8_t)wr_min(dividend / divisor, QUOTIENT_MAX);
}

static void cost(wr_bandwidth_converter *s, uint32_t k)
{
    const uint32_t requests = (uint32_t)s->loads_q[k] + s->stores_q[k];
    const uint32_t flits = s->cfg.load_flits * s->loads_q[k] + s->cfg.store_flits * s->stores_q[k];
    const uint32_t bytes = s->cfg.line_bytes * s->lines_q[k];

    s->new_n16_q = requests == 0 ? s->n16_q[k] : quotient(UINT64_C(16) * flits, requests);
    s->new_dreq_q = s->accesses_q[k] == 0 ? s->dreq_q[k] : quotient(bytes, s->accesses_q[k]);
    s->length_q = SECOND;
}

static uint8_t percent(uint32_t used, uint32_t all, uint32_t least)
{
    return (uint8_t)wr_max(least, wr_min(100u * used / all, 100));
}

static void sample(wr_bandwidth_converter *s, const wr_bandwidth_converter_in *in, uint32_t k)
{
    const uint32_t loads = in->a & 4095u;
    const uint32_t stores = in->b & 4095u;
    const uint32_t flits = s->cfg.load_flits * loads + s->cfg.store_flits * stores;
    const uint32_t bytes = (loads + stores) * s->dreq_q[k];

    s->from_q = s->before_q;
    s->to_q = (wr_bandwidth_point){
        .ctas = in->c & 63u,
        .nbw = percent(flits, s->cfg.noc_flits * s->cfg.units, s->before_q.nbw),
        .dbw = percent(bytes, s->cfg.dram_bytes * s->cfg.units, s->before_q.dbw)};
    if (s->to_q.ctas == s->from_q.ctas) {
        s->from_q.ctas--;
    }
    s->length_q = (uint16_t)(SECOND + 2 * DIVISION * ((uint32_t)s->to_q.ctas - s->from_q.ctas));
}

static void add(uint32_t *sum, uint32_t more, uint32_t most)
{
    *sum = (uint32_t)wr_min(*sum + more, most);
}

static void take(wr_bandwidth_converter *s, const wr_bandwidth_converter_in *in)
{
    const uint32_t k = in->kernel & 3u;
    const uint32_t op = in->op & 3u;
    const uint32_t ctas = in->c & 63u;
    const bool bad =
        k >= s->cfg.kernels ||
        (op == WR_BANDWIDTH_SAMPLE &&
         (k != s->kernel_q || ctas == 0 || ctas > s->cfg.max_ctas || ctas < s->before_q.ctas));

    if (bad) {
        s->fault_q = true;
        return;
    }
    switch (op) {
    case WR_BANDWIDTH_REQUESTS:
        s->loads_q[k] = (uint16_t)wr_min(s->loads_q[k] + (in->a & 4095u), REQUESTS_MAX);
        s->stores_q[k] = (uint16_t)wr_min(s->stores_q[k] + (in->b & 4095u), REQUESTS_MAX);
        return;
    case WR_BANDWIDTH_SLICE:
        add(&s->accesses_q[k], in->a, ACCESSES_MAX);
        add(&s->lines_q[k], (uint32_t)in->b + in->c, LINES_MAX);
        return;
    case WR_BANDWIDTH_COST:
        cost(s, k);
        break;
    default:
        sample(s, in, k);
        break;
    }
    s->op_q = (uint8_t)op;
    s->kernel_q = (uint8_t)k;
    s->cycle_q = 1;
}

/* The last cycle of cost. */
static void costs_known(wr_bandwidth_converter *s)
{
    const uint32_t k = s->kernel_q;

    s->dreq_q[k] = s->new_dreq_q;
    s->loads_q[k] = s->stores_q[k] = 0;
    s->accesses_q[k] = s->lines_q[k] = 0;
    s->before_q = (wr_bandwidth_point){0};
}

void wr_bandwidth_converter_tick(wr_bandwidth_converter *s, const wr_bandwidth_converter_in *in)
{
    if (s->cycle_q == 0) {
        if (in->req) {
            take(s, in);
        }
        return;
    }
    if (s->op_q == WR_BANDWIDTH_COST && s->cycle_q == FIRST) {
        s->n16_q[s->kernel_q] = s->new_n16_q;
    }
    if (s->cycle_q != s->length_q) {
        s->cycle_q++;
        return;
    }
    s->cycle_q = 0;
    if (s->op_q == WR_BANDWIDTH_COST) {
        costs_known(s);
    } else {
        s->before_q = s->to_q;
    }
}
