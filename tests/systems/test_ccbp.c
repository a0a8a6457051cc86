/* SPDX-License-Identifier: Apache-2.0 */
/* System ccbp on the real shell, its state open to the test. In every cycle of every run:
 *
 * - no TB comes to an SM that holds as many of its kernel as it was given;
 * - a miss queue holds what it was given and has not sent, and no more than it has entries;
 * - counts of a window are what SMs have sent and L2 has met in it, by the machine's own counters;
 * - quotas of the miss queues are those of the kernels' shares and costs.
 *
 * What a window's counts come to is worked out here anew, by the oracle of ccbp_allocator; water
 * filling with doubles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "systems/ccbp/state.h"
#include "tests/core/kit.h"
#include "tests/long.h"
#include "tests/oracle/ccbp_allocator_oracle.h"
#include "tests/systems/rivals.h"

enum { KERNELS = 4, SMS = 9, CTAS = 33 };

static const wr_ccbp *ccbp(void)
{
    return rivals_now.system;
}

static uint32_t held_before[SMS][KERNELS];
static wr_ccbp_phase phase_before;
static uint64_t decisions_before, checked, sampled, shared_cycles, waited;
static uint32_t most_waiting;

/* CTAs that an SM may have of a kernel, from what stands in the state. */
static uint32_t may_have(uint32_t sm, uint32_t k)
{
    const wr_ccbp *p = ccbp();
    const uint32_t kernels = (uint32_t)__builtin_popcount(p->decided);
    uint32_t at = 0;

    if (p->phase == WR_CCBP_FREE) {
        return UINT32_MAX;
    }
    if (p->phase == WR_CCBP_SAMPLING) {
        return p->group[sm] == k ? p->group_ctas[sm] : 0;
    }
    for (uint32_t j = 0; j < KERNELS; j++) {
        const bool there = (p->decided >> j & 1u) != 0;
        if (there && at++ == (sm + p->turn) % kernels && p->kernel[j].ctas == 0) {
            return j == k ? p->kernel[j].alone : 0;
        }
    }
    return p->kernel[k].ctas;
}

static void check_sm(uint32_t id, bool same)
{
    const wr_ccbp *p = ccbp();
    wr_sm *sm = wr_gpu_sm(rivals_now.gpu, id);

    for (uint32_t k = 0; k < KERNELS; k++) {
        const uint32_t held =
            p->kernel[k].in_flight ? wr_sm_tb_count(sm, 1u << p->kernel[k].stream) : 0;

        if (same && held > held_before[id][k]) {
            assert_true(held <= may_have(id, k));
        }
        held_before[id][k] = held;
    }
}

static void check_station(uint32_t id)
{
    const wr_ccbp_station *s = &ccbp()->station[id];
    uint32_t held = 0;
    uint32_t behind = 0;

    for (uint32_t k = 0; k < KERNELS; k++) {
        held += s->held[k];
        behind += s->port.port.backend == WR_BACKEND_MODEL ? s->port.model.held_q[k] : 0;
    }
    assert_int_equal(held + s->free_count, WR_CCBP_DEPTH);
    assert_true(held >= s->pipe_count);
    assert_true(behind <= held + 1); /* one leaves in this cycle */
    waited += held;
    most_waiting = held > most_waiting ? held : most_waiting;
}

/* Percent by CTAs of a kernel: the samples, never falling, and straight lines between them. */
static void table_of(const wr_ccbp_kernel *own, unsigned table[CTAS + 1], bool dram)
{
    const wr_gpu_config *c = &rivals_now.cfg;
    unsigned n0 = 0;
    unsigned v0 = 0;

    for (unsigned n = 1; n < CTAS; n++) {
        if (!own->is_sampled[n]) {
            continue;
        }
        const unsigned long requests = own->loads[n] + own->stores[n];
        const unsigned long line =
            (c->noc.header_bytes + c->l1.line_bytes + c->noc.flit_bytes - 1) / c->noc.flit_bytes;
        const unsigned long used =
            dram ? requests * own->dreq : line * own->loads[n] + own->stores[n];
        const unsigned long all = 50 * (dram ? wr_ccbp_dram_bytes(c) : wr_ccbp_noc_flits(c));
        unsigned v = 100 * used / all > 100 ? 100 : (unsigned)(100 * used / all);

        v = v > v0 ? v : v0;
        for (unsigned i = n0 + 1; i <= n; i++) {
            table[i] = v0 + (v - v0) * (i - n0) / (n - n0);
        }
        n0 = n;
        v0 = v;
    }
}

/* Algorithm 1 on what was counted. */
static void check_decision(void)
{
    static wr_oracle_ccbp o;
    const wr_ccbp *p = ccbp();
    wr_ccbp_allocator_in in = {.start = true, .prior = (uint8_t)p->prior};
    wr_ccbp_allocator_out out;

    wr_oracle_ccbp_reset(&o, &p->logic.allocator.cfg);
    for (uint32_t k = 0; k < KERNELS; k++) {
        wr_oracle_ccbp_kernel *to = &o.kernel[k];

        to->type = WR_CCBP_BY_RULE;
        if ((p->decided >> k & 1u) == 0) {
            continue;
        }
        to->regs = p->kernel[k].needs.registers;
        to->smem = p->kernel[k].needs.shared_bytes;
        to->threads = p->kernel[k].needs.threads;
        to->ctas = p->kernel[k].alone;
        table_of(&p->kernel[k], to->nbw, false);
        table_of(&p->kernel[k], to->dbw, true);
    }
    wr_oracle_ccbp_clock(&o, &in);
    o.cycle = o.ends;
    for (uint32_t k = 0; k < KERNELS; k++) {
        in = (wr_ccbp_allocator_in){.view = (uint8_t)k};
        wr_oracle_ccbp_outputs(&o, &in, &out);
        if ((p->decided >> k & 1u) != 0) {
            assert_int_equal(p->kernel[k].of_rule, out.cta);
            assert_int_equal(p->kernel[k].nbw, out.nbw);
            assert_int_equal(p->kernel[k].dbw, out.dbw);
            assert_int_equal(p->kernel[k].kind, out.kind);
        }
    }
    checked++;
}

/* A group's j-th SM of g has j / g of the CTAs that an SM of its own has, rounded up. */
static void check_groups(void)
{
    const wr_ccbp *p = ccbp();

    for (uint32_t k = 0; k < KERNELS; k++) {
        uint32_t size = 0;
        uint32_t j = 0;

        for (uint32_t i = 0; i < p->sm_count; i++) {
            size += p->group[i] == k;
        }
        for (uint32_t i = 0; i < p->sm_count; i++) {
            if (p->group[i] == k) {
                const double part = (double)++j / size * p->kernel[k].alone;

                assert_true(p->group_ctas[i] > part - 0.001 && p->group_ctas[i] < part + 1);
            }
        }
        assert_true((p->decided >> k & 1u) == 0 || size >= p->sm_count / KERNELS);
    }
    sampled++;
}

/* Since the counts were taken before: requests of an SM, and what L2 has met of a kernel. */
static uint64_t sent_before[SMS], accesses_before[RIVALS_MOST], write_backs_before[RIVALS_MOST];
static bool warm_before, counts_taken; /* once at least */
static wr_ccbp_stage stage_before;
static uint64_t compared, written_back;

static uint64_t sent_by(uint32_t id)
{
    const wr_ccbp_station *s = &ccbp()->station[id];
    uint64_t sent = 0;

    for (uint32_t k = 0; k < KERNELS; k++) {
        sent += s->sent[k];
    }
    return sent - (s->popped_at == wr_gpu_cycle(rivals_now.gpu) ? 1 : 0); /* of the next window */
}

/* Counts have been taken in this cycle; compare: they are still there. */
static void check_counts(bool compare)
{
    const wr_ccbp *p = ccbp();

    for (uint32_t i = 0; i < p->sm_count; i++) {
        const wr_ccbp_sm_counts *c = &p->logic.sm[i];
        const uint64_t sent = sent_by(i);
        uint64_t counted = 0;
        bool is_full = false;

        for (uint32_t k = 0; k < KERNELS; k++) {
            counted += (uint64_t)c->loads[k] + c->stores[k];
            is_full = is_full || c->loads[k] == 4095 || c->stores[k] == 4095;
        }
        /* dropped, where they are not of a window */
        assert_true(!compare || counted == 0 || is_full || counted == sent - sent_before[i]);
        compared += compare ? counted : 0;
        sent_before[i] = sent;
    }
    for (uint32_t stream = 0; stream < RIVALS_MOST; stream++) {
        const uint32_t k = p->kernel_of[stream];
        uint64_t accesses = 0;
        uint64_t write_backs = 0;
        uint64_t counted[2] = {0};

        for (uint32_t i = 0; i < wr_meter_partitions(rivals_now.gpu); i++) {
            const wr_stream_traffic t = wr_meter_traffic(rivals_now.gpu, i, stream);

            accesses += t.accesses;
            write_backs += t.write_backs;
        }
        for (uint32_t i = 0; k != WR_CCBP_NONE && i < p->bank_count; i++) {
            counted[0] += p->logic.bank[i].accesses[k];
            counted[1] += p->logic.bank[i].write_backs[k];
        }
        if (compare && k != WR_CCBP_NONE && counted[0] + counted[1] != 0) {
            assert_int_equal(counted[0], accesses - accesses_before[stream]);
            /* lines' worth of sectors, of which a line has one at least */
            assert_true(counted[1] <= write_backs - write_backs_before[stream]);
            assert_true(4 * (counted[1] + p->bank_count) >=
                        write_backs - write_backs_before[stream]);
            written_back += counted[1];
        }
        accesses_before[stream] = accesses;
        write_backs_before[stream] = write_backs;
    }
}

/* Where the logic rests, each SM's queue has what it was told last. */
static void check_quotas(void)
{
    const wr_ccbp *p = ccbp();
    const wr_gpu_config *c = &rivals_now.cfg;

    for (uint32_t k = 0; k < KERNELS; k++) {
        const wr_ccbp_kernel *own = &p->kernel[k];
        double noc = 4095;
        double dram = 4095;

        if ((p->decided >> k & 1u) == 0) {
            continue;
        }
        if (own->n16 != 0) {
            noc = 256.0 * wr_ccbp_noc_flits(c) * own->nbw / (100.0 * own->n16);
        }
        if (own->dreq != 0) {
            dram = 16.0 * wr_ccbp_dram_bytes(c) * own->dbw / (100.0 * own->dreq);
        }
        double quota = noc < dram ? noc : dram;

        quota = quota < 16 ? 16 : quota > 4095 ? 4095 : quota;
        for (uint32_t i = 0; i < p->sm_count; i++) {
            const wr_ccbp_station *s = &p->station[i];
            const wr_issue_rate_controller *q = &s->port.model;

            /* who looks brings it up to this cycle */
            (void)s->ops.head(s->ops.self, wr_gpu_sm(rivals_now.gpu, i),
                              wr_gpu_cycle(rivals_now.gpu));

            assert_int_equal(q->ls_q >> k & 1u, own->kind == WR_CCBP_LATENCY);
            assert_true(q->quota_q[k] <= quota + 1e-6 && q->quota_q[k] > quota - 1);
        }
    }
}

static void check_all(void)
{
    const wr_ccbp *p = ccbp();
    const bool same = p->phase == phase_before && p->counts.decisions == decisions_before;

    for (uint32_t i = 0; i < p->sm_count; i++) {
        check_sm(i, same);
        if (p->station) {
            check_station(i);
        }
    }
    if (p->phase == WR_CCBP_SAMPLING && phase_before != WR_CCBP_SAMPLING) {
        check_groups();
    }
    if (p->counts.decisions != decisions_before) {
        check_decision();
    }
    if (p->has_logic && (p->logic.stage == WR_CCBP_ADD_SMS || p->is_warm != warm_before) &&
        (stage_before != WR_CCBP_ADD_SMS || p->is_warm != warm_before)) {
        check_counts(p->logic.stage == WR_CCBP_ADD_SMS && counts_taken);
        counts_taken = true;
    }
    if (p->logic.stage == WR_CCBP_REST && stage_before == WR_CCBP_TELL &&
        p->phase == WR_CCBP_SHARED && p->queue == WR_CCBP_RATE && !p->stale) {
        check_quotas();
    }
    warm_before = p->is_warm;
    stage_before = p->logic.stage;
    shared_cycles += p->phase == WR_CCBP_SHARED;
    phase_before = p->phase;
    decisions_before = p->counts.decisions;
}

/* An L2 so small that lines are fetched again and written back. */
static void small_l2(wr_gpu_config *cfg)
{
    cfg->l2.bytes = cfg->l2.banks * cfg->l2.ways * cfg->l2.line_bytes;
}

/* And a DRAM so slow that it is what kernels lack. */
static void weak_memory(wr_gpu_config *cfg)
{
    small_l2(cfg);
    cfg->clock.dram_mhz /= 8;
}

static void open_watched(const char *spec, uint32_t sms, void (*tune)(wr_gpu_config *cfg))
{
    rivals_open_tuned(spec, sms, tune);
    rivals_now.look = check_all;
    memset(held_before, 0, sizeof held_before);
    phase_before = WR_CCBP_FREE;
    decisions_before = 0;
    warm_before = counts_taken = false;
    stage_before = WR_CCBP_REST;
}

/* A kernel of a shape; times: of the loop. */
static rival *add(rivals_kind kind, uint32_t tbs, uint32_t threads, uint32_t shared, uint32_t times,
                  uint64_t at)
{
    rival *r = rivals_add(kind, tbs, threads, times, 0, at);

    r->launch.shared_dynamic = shared;
    return r;
}

/* What is sampled is Algorithm 1's; the CTAs and shares are its; costs follow from window to
 * window. */
static void test_algorithm(void **state)
{
    (void)state;
    open_watched("ccbp:warm_up=500", 4, weak_memory);
    checked = sampled = shared_cycles = waited = compared = written_back = 0;
    (void)add(RIVALS_READS, 128, 128, 0, 30, 0);
    (void)add(RIVALS_CLEAN, 250, 64, 2000, 900, 700);
    (void)rivals_run();
    assert_int_equal(sampled, 1);
    assert_true(checked > 2);
    assert_true(shared_cycles > 20000);
    assert_true(waited > 0 && compared > 1000 && written_back > 100);
    assert_int_equal(ccbp()->phase, WR_CCBP_FREE);
}

/* The combinations of the other schemes. */
static void test_combinations(void **state)
{
    (void)state;
    open_watched("ccbp:ctas=given,given=3:2", 2, small_l2);
    shared_cycles = 0;
    (void)add(RIVALS_CLEAN, 200, 64, 0, 60, 0);
    (void)add(RIVALS_CLEAN, 200, 64, 0, 60, 300);
    (void)rivals_run();
    assert_true(shared_cycles > 1000);

    rivals_open("ccbp:ctas=given,given=32:32", 2);
    (void)add(RIVALS_CLEAN, 9, 64, 0, 60, 0);
    (void)add(RIVALS_CLEAN, 9, 64, 0, 60, 0);
    const wr_run_result refused = rivals_try();
    assert_int_equal(refused.status, WR_RUN_REFUSED);
    assert_non_null(strstr(refused.message, "option given"));

    /* SMK: equal kernels share an SM evenly. */
    open_watched("ccbp:ctas=smk", 2, small_l2);
    (void)add(RIVALS_CLEAN, 60, 128, 0, 200, 0);
    (void)add(RIVALS_CLEAN, 60, 128, 0, 200, 300);
    (void)rivals_run();
    assert_int_equal(ccbp()->kernel[0].ctas, ccbp()->kernel[1].ctas);
    assert_true(ccbp()->kernel[0].ctas > 0);
}

/* Water filling: the least of what kernels keep of their own speed is as high as it can be, over
 * all combinations of sampled points that fit. */
static void test_slicer(void **state)
{
    (void)state;
    open_watched("ccbp:ctas=slicer,warm_up=300", SMS, small_l2);
    (void)add(RIVALS_CLEAN, 250, 128, 0, 2000, 0);
    (void)add(RIVALS_CLEAN, 250, 32, 3000, 700, 100);
    (void)rivals_run();

    const wr_ccbp *p = ccbp();
    const wr_ccbp_kernel *a = &p->kernel[0];
    const wr_ccbp_kernel *b = &p->kernel[1];
    double best = 0;

    for (uint32_t i = 1; i <= a->alone; i++) {
        for (uint32_t j = 1; j <= b->alone; j++) {
            const uint32_t ctas[KERNELS] = {i, j};
            const double keeps_a = (double)a->issued[i] / (double)a->issued[a->alone];
            const double keeps_b = (double)b->issued[j] / (double)b->issued[b->alone];
            const double least = keeps_a < keeps_b ? keeps_a : keeps_b;

            best = wr_ccbp_fits(p, ctas) && least > best ? least : best;
        }
    }
    const double keeps_a = (double)a->issued[a->ctas] / (double)a->issued[a->alone];
    const double keeps_b = (double)b->issued[b->ctas] / (double)b->issued[b->alone];

    assert_true(best > 0.2);
    assert_true((keeps_a < keeps_b ? keeps_a : keeps_b) > best - 1e-9);
}

static uint32_t most_under_way, limits_held;

/* No more are under way than a kernel's limit, and what the schedulers issue in a cycle. */
static void look_limits(void)
{
    const wr_ccbp *p = ccbp();

    check_all();
    for (uint32_t i = 0; p->phase == WR_CCBP_SHARED && i < p->sm_count; i++) {
        wr_sm *sm = wr_gpu_sm(rivals_now.gpu, i);

        for (uint32_t k = 0; k < 2; k++) {
            const uint32_t now = wr_meter_in_flight(sm, p->kernel[k].stream);
            const uint32_t limit = p->memory[i].of[k].limit;

            if (p->mil == WR_CCBP_STATIC) {
                assert_int_equal(limit, p->limits[k]);
                assert_true(wr_gpu_cycle(rivals_now.gpu) < p->since + 2000 ||
                            now < limit + rivals_now.cfg.sm.schedulers);
            }
            most_under_way = now > most_under_way ? now : most_under_way;
        }
    }
    limits_held += p->counts.waits != 0;
}

/* Limits hold, and with each rule of Dai et al. both kernels end. */
static void test_limits(void **state)
{
    static const char *const specs[] = {
        "ccbp:ctas=smk,mil=smil,limits=3:2", "ccbp:ctas=smk,bmi=rbmi", "ccbp:ctas=smk,bmi=qbmi",
        "ccbp:ctas=smk,mil=dmil", "ccbp:ctas=smk,bmi=qbmi,mil=dmil"};

    (void)state;
    for (uint32_t s = 0; s < 5; s++) {
        open_watched(specs[s], 2, NULL);
        rivals_now.look = look_limits;
        most_under_way = limits_held = 0;
        (void)add(RIVALS_READS, 32, 128, 0, 20, 0);
        (void)add(RIVALS_READS, 32, 64, 0, 30, 10);
        (void)rivals_run();
        assert_true(limits_held > 100);
        assert_true(s != 0 || most_under_way < 20);
        assert_true(s < 3 || ccbp()->counts.lowered > 0);
    }
}

/* Kernels that do not fit an SM together: each has SMs to itself, in turns on a GPU of one SM;
 * neither waits for the other's end. */
static void test_no_room(void **state)
{
    static const char *const specs[] = {"ccbp:warm_up=200", "ccbp:ctas=smk",
                                        "ccbp:ctas=slicer,warm_up=200"};

    (void)state;
    for (uint32_t s = 0; s < 3; s++) {
        for (uint32_t sms = 1; sms <= 3; sms++) {
            open_watched(specs[s], sms, small_l2);
            const uint32_t most = rivals_now.cfg.sm.shared_bytes;
            rival *a = add(RIVALS_CLEAN, 40 * sms, 64, most * 3 / 5, 300, 0);
            rival *b = add(RIVALS_CLEAN, 40 * sms, 64, most * 3 / 5, 300, 50);

            (void)rivals_run();
            assert_true(a->first_end < b->result.ended && b->first_end < a->result.ended);
        }
    }
}

/* With one kernel a scheme costs less than 1 %, and without a miss queue of its own nothing. */
static void test_alone(void **state)
{
    static const char *const specs[] = {NULL,   "ccbp:ctas=smk",   "ccbp:ctas=slicer",
                                        "ccbp", "ccbp:queue=fifo", "ccbp:ctas=smk,queue=priority"};
    uint64_t cycles[6];

    (void)state;
    for (uint32_t s = 0; s < 6; s++) {
        rivals_open(specs[s], 3);
        (void)add(RIVALS_SPOILT, 250, 128, 0, 20, 0);
        cycles[s] = rivals_run();
        assert_true(cycles[s] * 100 <= cycles[0] * 101 && cycles[s] * 101 >= cycles[0] * 100);
        assert_true(s > 2 || cycles[s] == cycles[0]);
    }
}

static uint64_t seed;

static uint32_t below(uint32_t n)
{
    return (uint32_t)(kit_random(&seed) >> 33) % n;
}

/* Runs of any kernels, schemes and machines. */
static void test_random(void **state)
{
    static const char *const specs[] = {
        "ccbp:warm_up=%u",
        "ccbp:warm_up=%u,prior=3",
        "ccbp:warm_up=%u,queue=fifo",
        "ccbp:warm_up=%u,queue=priority",
        "ccbp:warm_up=%u,ctas=smk,queue=priority",
        "ccbp:warm_up=%u,ctas=slicer",
        "ccbp:warm_up=%u,ctas=given,given=2:1:1:3,queue=fifo",
    };
    static const uint32_t threads[] = {32, 64, 96, 128, 256};
    const uint32_t runs = wr_test_long() ? 300 : 12;

    (void)state;
    checked = sampled = shared_cycles = 0;
    most_waiting = 0;
    for (uint32_t i = 0; i < runs; i++) {
        char spec[128];
        const uint32_t sms = 1 + below(SMS);
        const uint32_t kernels = 2 + below(3);

        (void)snprintf(spec, sizeof spec, specs[below(7)], 1 + below(3000));
        open_watched(spec, sms, small_l2);
        for (uint32_t k = 0; k < kernels; k++) {
            const uint32_t kind = below(3);

            if (kind == 0) {
                (void)add(RIVALS_READS, 1u << below(8), 32u << below(4), 0, 1 + below(60),
                          below(5000));
                continue;
            }
            (void)add(kind == 1 ? RIVALS_SPOILT : RIVALS_CLEAN, 1 + below(250), threads[below(5)],
                      below(3) == 0 ? below(20000) : 0, 1 + below(400), below(5000));
        }
        (void)rivals_run();
    }
    assert_true(checked > runs / 4 && sampled > runs / 4 && shared_cycles > 0);
    assert_true(most_waiting > 8);
}

static void not_made(const char *spec, const char *why)
{
    wr_gpu_config cfg = kit_config();
    char err[512] = "";
    wr_system_group *g = wr_system_group_open(&spec, 1, NULL, &cfg, err, sizeof err);

    if (g != NULL || strstr(err, why) == NULL) {
        fail_msg("%s: '%s' is not in '%s'", spec, why, err);
    }
}

static void test_refused(void **state)
{
    (void)state;
    not_made("ccbp:queue=plain", "take queue=fifo");
    not_made("ccbp:ctas=smk,queue=rate", "ctas=ccbp");
    not_made("ccbp:ctas=given", "given=7:4");
    not_made("ccbp:ctas=given,given=3", "given=7:4");
    not_made("ccbp:given=3:4", "wants ctas=given");
    not_made("ccbp:ctas=smk,queue=plain,mil=dmil", "take queue=fifo");
    not_made("ccbp:ctas=smk,mil=smil", "limits=8:64");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_algorithm, rivals_teardown),
        cmocka_unit_test_teardown(test_combinations, rivals_teardown),
        cmocka_unit_test_teardown(test_slicer, rivals_teardown),
        cmocka_unit_test_teardown(test_limits, rivals_teardown),
        cmocka_unit_test_teardown(test_no_room, rivals_teardown),
        cmocka_unit_test_teardown(test_alone, rivals_teardown),
        cmocka_unit_test_teardown(test_random, rivals_teardown),
        cmocka_unit_test(test_refused),
    };
    seed = kit_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
