/* SPDX-License-Identifier: Apache-2.0 */
/* System duet on the real shell: outputs stay right while warps and TBs are switched, tables and
 * machine agree in every cycle that is looked at, the tables are the machine's only truth (a bit of
 * any of them turned over shows), and no extra TB means no other cycle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "shell/core/gpu/state.h"
#include "systems/duet/duet.h"
#include "systems/duet/state.h"
#include "tests/systems/jobs.h"
#include "tests/systems/rows.h"

enum { UNITS = 3072, FREE = 0xffff };

/* What stands around the system's own hooks. */
typedef struct spy {
    wr_system_hooks hooks;
    const wr_system_hooks *own;
    uint64_t every, looks; /* cycles between two looks; 0: none */
    void (*plant)(wr_duet_sm *u, void *arg);
    void *arg;
    uint64_t plant_at, switches;
    bool planted;
    uint32_t me, me_most, back; /* of the first SM; back: how often ME fell while it was frozen */
} spy;

static wr_duet *duet_of(const spy *s)
{
    return s->own->self;
}

/* Who has each line of the unified space: the entries of the tables say so. */
static void claim(uint16_t *owner, uint32_t addr, uint32_t count, uint32_t who)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_true(addr + i < UNITS);
        assert_int_equal(owner[addr + i], FREE);
        owner[addr + i] = (uint16_t)who;
    }
}

static void claim_warp(const wr_duet_sm *u, uint32_t w, uint16_t *owner)
{
    const wr_duet *d = u->duet;
    const wr_warp_context_table *t = &u->block.model.unit.wct;
    uint32_t meta = t->meta_addr_q[w];
    bool home = t->reg_addr_q[w] < d->rf_lines && meta >= WR_CSL_META_SLOT;

    if (home || !wr_duet_registers_move(d)) {
        claim(owner, t->reg_addr_q[w], d->regs, w);
    }
    if (home) {
        return;
    }
    if (wr_duet_registers_move(d)) {
        claim(owner, t->reg_addr_q[w], d->shape.lines + d->st_lines, w);
        assert_int_equal(meta, t->reg_addr_q[w] + d->shape.lines);
    } else if (!wr_duet_whole_tbs(d)) {
        claim(owner, meta, d->st_lines, w);
    }
}

static void claim_tb(const wr_duet_sm *u, uint32_t t, uint16_t *owner)
{
    const wr_duet *d = u->duet;
    uint32_t addr = u->block.model.unit.tct.addr_q[t];
    bool home = addr >= d->rf_lines && addr < d->rf_lines + d->smem_lines;

    if (d->smem == 0) {
        assert_int_equal(addr, WR_TB_CONTEXT_NO_SMEM);
    } else if (home) {
        claim(owner, addr, d->smem, 256 + t);
    } else {
        assert_true(wr_duet_whole_tbs(d));
        claim(owner, addr, d->smem + d->warps * d->st_lines, 256 + t);
        for (uint32_t j = 0; j < d->warps; j++) {
            assert_int_equal(u->block.model.unit.wct.meta_addr_q[t * d->warps + j],
                             addr + d->smem + j * d->st_lines);
        }
    }
}

/* A warp is where its entry says. */
static void look_at_warp(const wr_duet_sm *u, uint32_t w)
{
    const wr_duet *d = u->duet;
    const wr_warp_context_table *t = &u->block.model.unit.wct;
    uint32_t tb = w / d->warps;
    bool present = t->state_q[w] == WR_WARP_RUNNING || t->state_q[w] == WR_WARP_STALLED;
    uint32_t slot = (uint32_t)t->meta_addr_q[w] - WR_CSL_META_SLOT;

    assert_int_equal((u->block.model.unit.tct.absent_q[tb] >> w % d->warps & 1) != 0, !present);
    if (u->block.model.unit.launcher.ended_q[tb] || wr_duet_has(&u->finished, w)) {
        return;
    }
    assert_int_equal(wr_sm_warp_slot(u->sm, u->identity[w]), present ? slot : UINT32_MAX);
    if (present) {
        assert_ptr_equal(u->sm->warps[slot].rows, u->sm->regs + (size_t)t->reg_addr_q[w] * 32);
        assert_int_equal(u->owner[slot], w);
        assert_true(u->block.model.unit.slots.taken_q[slot]);
        assert_int_equal(u->block.model.unit.slots.warp_q[slot], w);
    }
}

static bool rests(const wr_duet_unit *m)
{
    return m->state_q == WR_DUET_UNIT_RUN && m->csl.op_q == WR_CSL_NONE && !m->csl.give_q &&
           m->launcher.job_q == WR_LAUNCHER_NONE && !m->launcher.map_busy_q;
}

/* Everything that the tables say, where no switch, launch or end is under way. */
static bool look_at_unit(const wr_duet_sm *u)
{
    static uint16_t owner[UNITS];

    if (!rests(&u->block.model.unit)) {
        return false;
    }
    memset(owner, 0xff, sizeof owner);
    for (uint32_t t = 0; t < WR_DUET_TBS; t++) {
        if (u->block.model.unit.tct.valid_q[t]) {
            claim_tb(u, t, owner);
            assert_true(u->sm->tbs[t].valid || u->block.model.unit.launcher.ended_q[t] ||
                        (u->tbs_ended >> t & 1) != 0);
        }
    }
    for (uint32_t w = 0; w < WR_DUET_WARPS; w++) {
        if (u->block.model.unit.wct.valid_q[w]) {
            claim_warp(u, w, owner);
            look_at_warp(u, w);
        }
    }
    for (uint32_t i = 0; i < UNITS; i++) {
        assert_int_equal(u->block.model.unit.map.taken_q[i], owner[i] != FREE);
    }
    return true;
}

/* Once frozen ME falls, if it changes. */
static void look_at_me(spy *s, const wr_me_controller *now, bool frozen)
{
    assert_true(!frozen || (now->frozen_q && now->me_q <= s->me));
    s->back += frozen && now->me_q < s->me;
    s->me = now->me_q;
    s->me_most = now->me_q > s->me_most ? now->me_q : s->me_most;
}

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    spy *s = self;
    wr_duet *d = duet_of(s);
    uint64_t now = wr_gpu_cycle(gpu);

    if (s->plant != NULL && now >= s->plant_at) {
        for (uint32_t i = 0; i < d->sms && !s->planted; i++) {
            if (rests(&d->sm[i].block.model.unit)) {
                s->plant(&d->sm[i], s);
            }
        }
    }
    const wr_duet_unit *first = &d->sm[0].block.model.unit;
    bool frozen = first->me.frozen_q && !d->sm[0].starts && !first->due_q; /* of this launch */
    s->own->gpu_cycle(s->own->self, gpu);
    look_at_me(s, &first->me, frozen);
    for (uint32_t i = 0; s->every != 0 && now % s->every == 0 && i < d->sms; i++) {
        s->looks += look_at_unit(&d->sm[i]);
    }
}

#define PASS(name, args, call)                                                                     \
    static void name args                                                                          \
    {                                                                                              \
        const spy *s = self;                                                                       \
        s->own->call;                                                                              \
    }
PASS(on_launch_begin, (void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch),
     launch_begin(s->own->self, gpu, stream, launch))
PASS(on_launch_end, (void *self, wr_gpu *gpu, uint32_t stream),
     launch_end(s->own->self, gpu, stream))
PASS(on_tb_placed, (void *self, wr_sm *sm, uint32_t slot), tb_placed(s->own->self, sm, slot))
PASS(on_tb_done, (void *self, wr_sm *sm, uint32_t slot, uint32_t stream),
     tb_done(s->own->self, sm, slot, stream))
PASS(on_stalled, (void *self, wr_sm *sm, uint32_t warp, wr_wait why),
     warp_stalled(s->own->self, sm, warp, why))
PASS(on_woken, (void *self, wr_sm *sm, uint32_t warp), warp_woken(s->own->self, sm, warp))
PASS(on_done, (void *self, wr_sm *sm, uint32_t warp), warp_done(s->own->self, sm, warp))
PASS(on_loaded, (void *self, wr_sm *sm, uint32_t id, uint64_t regs),
     warp_loaded(s->own->self, sm, id, regs))
PASS(on_passed, (void *self, wr_sm *sm, uint32_t id), warp_passed(s->own->self, sm, id))

static uint64_t on_next_cycle(void *self, uint64_t now)
{
    const spy *s = self;

    return s->own->next_cycle(s->own->self, now);
}

/* The job under the system, with a spy on it. */
static job_outcome run_spied(wr_job *job, const wr_gpu_config *cfg, const char *spec, spy *s)
{
    char err[256];
    wr_system_group *systems = wr_system_group_open(&spec, 1, NULL, cfg, err, sizeof err);

    if (systems == NULL) {
        fail_msg("%s", err);
    }
    s->own = wr_system_group_hooks(systems);
    s->hooks = (wr_system_hooks){.self = s,
                                 .launch_begin = on_launch_begin,
                                 .launch_end = on_launch_end,
                                 .tb_placed = on_tb_placed,
                                 .tb_done = on_tb_done,
                                 .warp_stalled = on_stalled,
                                 .warp_woken = on_woken,
                                 .warp_done = on_done,
                                 .warp_loaded = on_loaded,
                                 .warp_passed = on_passed,
                                 .gpu_cycle = on_gpu_cycle,
                                 .next_cycle = on_next_cycle,
                                 .reads_memory = s->own->reads_memory};
    job_outcome o = jobs_run(job, cfg, &s->hooks);
    const wr_duet *d = duet_of(s);
    for (uint32_t i = 0; i < d->sms; i++) {
        const uint64_t *ops = d->sm[i].counts.ops;

        s->switches += ops[WR_CSL_OUT] + ops[WR_CSL_IN] + ops[WR_CSL_EXCHANGE];
    }
    wr_system_group_close(systems);
    return o;
}

/* Kernels and machines on which an SM has many more TBs than fit, by what limits them. */
static const struct load {
    const char *file;
    uint32_t sms, registers, shared;
} loads[] = {
    {"kernels/bfs_kernel2.yaml", 2, 65536, 98304},              /* warp slots */
    {"kernels/hotspot.yaml", 2, 16384, 98304},                  /* registers, barriers */
    {"kernels/scan.yaml", 1, 32768, 98304},                     /* registers and barriers */
    {"kernels/hybridsort_histogram1024.yaml", 1, 65536, 98304}, /* shared memory: whole TBs */
    {"kernels/dwt2d_copy_components.yaml", 2, 24576, 98304},
    {"kernels/transpose.yaml", 1, 65536, 16384}, /* shared memory and barriers */
};
enum { LOADS = sizeof loads / sizeof loads[0] };

static wr_gpu_config machine(const struct load *l)
{
    wr_gpu_config cfg = jobs_config("maxwell");

    cfg.sms = l->sms;
    cfg.sm.registers = l->registers;
    cfg.sm.shared_bytes = l->shared;
    return cfg;
}

static void ignore(void *arg, const wr_row *row)
{
    (void)arg;
    (void)row;
}

static void test_kernels(void **state)
{
    static const char *const specs[] = {"duet:me=bound", "duet:me=2,port=64,meta=1",
                                        "duet:me=dynamic,warmup=200,window=300,port=256"};

    (void)state;
    for (size_t i = 0; i < LOADS; i++) {
        wr_gpu_config cfg = machine(&loads[i]);
        wr_job job;

        jobs_load(&job, loads[i].file, 0);
        job_outcome plain = jobs_run(&job, &cfg, NULL);
        assert_int_equal(plain.result.status, WR_RUN_DONE);
        for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k++) {
            spy s = {.every = 7};
            job_outcome o = run_spied(&job, &cfg, specs[k], &s);

            if (o.result.status != WR_RUN_DONE || !o.right) {
                fail_msg("%s under %s: %s", loads[i].file, specs[k], o.result.message);
            }
            assert_memory_equal(o.hash, plain.hash, sizeof o.hash);
            print_message("%s, %s: %llu cycles, %llu without; %llu switches, %llu looks\n",
                          loads[i].file, specs[k], (unsigned long long)o.result.cycles,
                          (unsigned long long)plain.result.cycles, (unsigned long long)s.switches,
                          (unsigned long long)s.looks);
            assert_true(k == 2 || (s.switches > 20 && s.looks > 50));
        }
        job_outcome off = jobs_run_under(&job, &cfg, "duet:me=0", ignore, NULL);
        assert_int_equal(off.result.cycles, plain.result.cycles);
        wr_job_free(&job);
    }
}

/* Extra TBs that keep a part of the machine saturated go one by one, window after window, until
 * none is allowed: what is left of the grid has its native TBs. */
static void test_saturated_for_long(void **state)
{
    const struct load load = {"kernels/transpose.yaml", 2, 65536, 98304};
    wr_gpu_config cfg = machine(&load);
    spy s = {.every = 7};
    wr_job job;

    (void)state;
    jobs_load(&job, load.file, 0);
    job_outcome o = run_spied(&job, &cfg, "duet:me=dynamic,warmup=200,window=300", &s);
    assert_true(o.result.status == WR_RUN_DONE && o.right);
    print_message("ME %u at most, back %u times to %u\n", s.me_most, s.back, s.me);
    assert_true(s.me_most > 2 && s.switches > 20 && s.looks > 50);
    assert_int_equal(s.back, s.me_most - 1); /* the first time back is what froze it */
    assert_int_equal(s.me, 0);
    wr_job_free(&job);
}

/* A bit of a table turned over, in the first unit that has such an entry. */
typedef bool turn(wr_duet_sm *u);

static uint32_t find_warp(const wr_duet_sm *u, wr_warp_state state)
{
    uint32_t w = 0;

    while (w < WR_DUET_WARPS &&
           (!u->block.model.unit.wct.valid_q[w] || u->block.model.unit.wct.state_q[w] != state)) {
        w++;
    }
    return w;
}

static bool turn_away_registers(wr_duet_sm *u)
{
    uint32_t w = find_warp(u, WR_WARP_READY);

    if (w < WR_DUET_WARPS) {
        u->block.model.unit.wct.reg_addr_q[w] ^= 1;
    }
    return w < WR_DUET_WARPS;
}

static bool turn_home_registers(wr_duet_sm *u)
{
    uint32_t w = find_warp(u, WR_WARP_RUNNING);

    if (w < WR_DUET_WARPS) {
        u->block.model.unit.wct.reg_addr_q[w] ^= 1;
    }
    return w < WR_DUET_WARPS;
}

static bool turn_metadata(wr_duet_sm *u)
{
    uint32_t w = find_warp(u, WR_WARP_READY);

    if (w < WR_DUET_WARPS) {
        u->block.model.unit.wct.meta_addr_q[w] ^= 1;
    }
    return w < WR_DUET_WARPS;
}

static bool turn_slot(wr_duet_sm *u)
{
    uint32_t w = find_warp(u, WR_WARP_RUNNING);

    if (w < WR_DUET_WARPS) {
        u->block.model.unit.wct.meta_addr_q[w] ^= 1;
    }
    return w < WR_DUET_WARPS;
}

static bool turn_state(wr_duet_sm *u)
{
    uint32_t w = find_warp(u, WR_WARP_READY);

    if (w < WR_DUET_WARPS) {
        u->block.model.unit.wct.state_q[w] = WR_WARP_ABSENT;
    }
    return w < WR_DUET_WARPS;
}

static bool is_absent(const wr_duet_sm *u, uint32_t w, bool barrier)
{
    const wr_warp_context_table *t = &u->block.model.unit.wct;

    return t->valid_q[w] && t->state_q[w] == WR_WARP_ABSENT && t->barrier_q[w] == barrier;
}

/* Of one at a barrier that another warp of its TB, absent too, has still to reach: the TB is to be
 * brought back for it. */
static bool turn_barrier(wr_duet_sm *u)
{
    const uint32_t n = u->duet->warps;

    for (uint32_t w = 0; w < WR_DUET_WARPS; w++) {
        for (uint32_t v = w / n * n; is_absent(u, w, true) && v < (w / n + 1) * n; v++) {
            if (is_absent(u, v, false) && u->flying[v] != 0) {
                u->block.model.unit.wct.barrier_q[w] = false;
                return true;
            }
        }
    }
    return false;
}

/* Of one that goes on running: what is switched has its bit written anew. */
static bool turn_mask(wr_duet_sm *u)
{
    for (uint32_t w = 0; w < WR_DUET_WARPS; w++) {
        uint32_t slot = (uint32_t)u->block.model.unit.wct.meta_addr_q[w] - WR_CSL_META_SLOT;

        if (u->block.model.unit.wct.valid_q[w] &&
            u->block.model.unit.wct.state_q[w] == WR_WARP_RUNNING &&
            ((u->wait_memory | u->wait_barrier) >> slot & 1) == 0) {
            u->block.model.unit.tct.absent_q[w / u->duet->warps] ^= UINT32_C(1)
                                                                    << w % u->duet->warps;
            return true;
        }
    }
    return false;
}

static bool turn_shared(wr_duet_sm *u)
{
    uint32_t t = 0;

    while (t < WR_DUET_TBS && (!u->block.model.unit.tct.valid_q[t] ||
                               u->block.model.unit.tct.addr_q[t] >= u->duet->rf_lines)) {
        t++; /* one whose shared memory lies in the register file */
    }
    if (t < WR_DUET_TBS) {
        u->block.model.unit.tct.addr_q[t] ^= 1;
    }
    return t < WR_DUET_TBS;
}

static bool turn_bitmap(wr_duet_sm *u)
{
    uint32_t w = find_warp(u, WR_WARP_RUNNING);

    if (w < WR_DUET_WARPS) {
        u->block.model.unit.map.taken_q[u->block.model.unit.wct.reg_addr_q[w]] = false;
    }
    return w < WR_DUET_WARPS;
}

static bool turn_queue(wr_duet_sm *u)
{
    bool found = u->block.model.unit.queues.warp_count_q[1] > 1;

    if (found) {
        u->block.model.unit.queues.warp_q[1][1] ^= 1;
    }
    return found;
}

static void plant(wr_duet_sm *u, void *arg)
{
    spy *s = arg;

    s->planted = (*(turn *const *)s->arg)(u);
}

/* Runs with the fault in a process of its own: it must not end well. `looks`: with tables and
 * machine compared, too. */
static void planted(const struct load *l, const char *spec, turn *fault, bool looks)
{
    pid_t child = fork();
    int status = 0;

    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit none = {0, 0};
        wr_gpu_config cfg = machine(l);
        spy s = {.every = looks, .plant = plant, .plant_at = 3000, .arg = &fault};
        wr_job job;

        (void)setrlimit(RLIMIT_CORE, &none);
        (void)freopen("/dev/null", "w", stderr);
        (void)freopen("/dev/null", "w", stdout);
        jobs_load(&job, l->file, 0);
        job_outcome o = run_spied(&job, &cfg, spec, &s);
        bool well = o.result.status == WR_RUN_DONE && o.right;
        _exit(!s.planted ? 2 : well ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) != 1) {
        fail_msg("%s: %s", l->file,
                 WEXITSTATUS(status) == 0 ? "nobody saw the fault" : "the fault had no place");
    }
}

/* The tables are the machine's only truth. */
static void test_tables_decide(void **state)
{
    static const struct {
        turn *fault;
        uint32_t load;
        bool looks; /* what it changes may go well by chance */
    } faults[] = {
        {turn_away_registers, 1, false},
        {turn_home_registers, 1, false},
        {turn_metadata, 0, false},
        {turn_slot, 1, false},
        {turn_state, 1, false},
        {turn_barrier, 5, false},
        {turn_mask, 3, true},
        {turn_shared, 3, false},
        {turn_bitmap, 1, false},
        {turn_queue, 1, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        print_message("fault %zu\n", i);
        planted(&loads[faults[i].load], "duet:me=bound", faults[i].fault, faults[i].looks);
    }
}

/* What stands behind the pins changes nothing. */
static void test_same_everywhere(void **state)
{
    wr_gpu_config cfg = jobs_config("maxwell"); /* RTL of these sizes is the build's */
    wr_job job;
    spy s = {0};

    (void)state;
    jobs_load(&job, "kernels/conv2d.yaml", 0);
    job_outcome model = run_spied(&job, &cfg, "duet:me=bound", &s);
    assert_true(model.result.status == WR_RUN_DONE && model.right && s.switches > 100);
    uint64_t switches = s.switches;
    s = (spy){0};
    job_outcome locked = run_spied(&job, &cfg, "duet:me=bound,blocks=lockstep", &s);
    assert_int_equal(locked.result.status, WR_RUN_DONE);
    assert_int_equal(locked.result.cycles, model.result.cycles);
    assert_int_equal(s.switches, switches);
    assert_memory_equal(locked.hash, model.hash, sizeof model.hash);
    wr_job_free(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels), cmocka_unit_test(test_saturated_for_long),
        cmocka_unit_test(test_tables_decide), cmocka_unit_test(test_same_everywhere)};
    return cmocka_run_group_tests_name("duet", tests, NULL, NULL);
}
