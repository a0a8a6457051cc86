/* SPDX-License-Identifier: Apache-2.0 */
/* Services for systems: stopping at preemption points, eviction and return of TBs with their
 * state moved by hand through the services, and the context queue. */
#include "tests/core/exchange.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static kit_kernel kk;
enum { WORDS = EXCHANGE_WORDS, POISON = 0xdeadbeef };

typedef struct saved_warp {
    uint32_t regs[63][32];
    uint32_t preds[WR_ISA_PREDS];
    wr_simt_entry stack[WR_SIMT_DEPTH];
    uint32_t depth;
} saved_warp;

typedef struct saved_tb {
    wr_tb_info info;
    wr_tb_where where;
    saved_warp warps[32];
    uint8_t shared[49152];
} saved_tb;

typedef enum phase { RUNNING, STOPPING, AWAY, LINGER } phase;

/* What a mover does beside the plain way. */
typedef struct manner {
    bool resume_first; /* resume with the signal still up, and leave it so for a while */
    bool at_once;      /* stops warps where they are */
    bool parks;        /* places TBs itself, in cells, and leaves parts of them where they are */
} manner;

/* Rows and shared memory of an SM in cells of a TB's size; a bit for each that is taken. */
enum { CELLS = 6, SMS = 3, TBS = 8 };
typedef struct cells {
    uint32_t rows, shared;
    wr_tb_where of[TBS]; /* of the TB in this slot */
} cells;

/* A system that preempts one SM now and then, with state kept in C memory. */
typedef struct mover {
    manner how;
    cells cells[SMS];
    uint32_t kept[4]; /* TBs that left, by what stayed of them */
    uint64_t random;
    uint64_t next; /* cycle of the next signal */
    uint64_t back_at;
    wr_sm *sm;
    phase phase;
    saved_tb saved[8];
    uint32_t saved_count;
    uint32_t preemptions, moved_warps, diverged, elsewhere;
    uint64_t issued; /* by the SM when its warps were resumed */
} mover;

static void mover_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    (void)stream;
    (void)launch;
    mover *m = self;
    m->phase = RUNNING;
    m->next = wr_gpu_cycle(gpu) + 300;
    for (uint32_t i = 0; m->how.parks && i < SMS; i++) {
        wr_sm_close(wr_gpu_sm(gpu, i), 0, WR_ALL_STREAMS);
    }
}

static uint32_t lowest_free(uint32_t taken)
{
    return (uint32_t)__builtin_ctz(~taken);
}

/* Takes cells for what is not kept. */
static void take_cells(cells *c, wr_tb_where *where, const wr_tb_needs *needs, bool highest)
{
    uint32_t rows = needs->registers / 32;
    if ((where->kept & WR_KEEPS_REGISTERS) == 0) {
        uint32_t cell = highest ? 31 - (uint32_t)__builtin_clz(~c->rows & ((1u << CELLS) - 1))
                                : lowest_free(c->rows);
        c->rows |= 1u << cell;
        where->row = cell * rows;
    }
    if ((where->kept & WR_KEEPS_SHARED) == 0) {
        uint32_t cell = lowest_free(c->shared);
        c->shared |= 1u << cell;
        where->shared = cell * needs->shared_bytes;
    }
}

static void free_cells(cells *c, const wr_tb_where *where, const wr_tb_needs *needs)
{
    if ((where->kept & WR_KEEPS_REGISTERS) == 0) {
        c->rows &= ~(1u << where->row / (needs->registers / 32));
    }
    if ((where->kept & WR_KEEPS_SHARED) == 0) {
        c->shared &= ~(1u << where->shared / needs->shared_bytes);
    }
}

/* The dispatcher's work, where the mover says where TBs lie. */
static void deal(mover *m, wr_gpu *gpu)
{
    wr_tb_needs needs = wr_gpu_tb_needs(gpu, 0);
    for (uint32_t i = 0; i < SMS; i++) {
        wr_sm *sm = wr_gpu_sm(gpu, i);
        wr_tb_info tb;
        if ((m->phase != RUNNING && m->sm == sm) || !wr_sm_tb_room(sm, 0, 0) ||
            !wr_gpu_tb_take(gpu, 0, &tb)) {
            continue;
        }
        wr_tb_where where = {0};
        take_cells(&m->cells[i], &where, &needs, false);
        uint32_t slot = wr_sm_tb_place(sm, &tb, &where, POISON);
        assert_true(slot != UINT32_MAX);
        m->cells[i].of[slot] = where;
        wr_sm_tb_start(sm, slot);
    }
}

static void mover_done(void *self, wr_sm *sm, uint32_t slot, uint32_t stream)
{
    mover *m = self;
    if (m->how.parks) {
        cells *c = &m->cells[wr_sm_id(sm)];
        wr_tb_needs needs = wr_gpu_tb_needs(wr_sm_gpu(sm), stream);
        c->of[slot].kept = 0;
        free_cells(c, &c->of[slot], &needs);
    }
}

static void raise_signal(const mover *m, bool up)
{
    if (m->how.at_once) {
        wr_sm_halt_tbs(m->sm, 0, up ? WR_ALL_TBS : 0);
    } else {
        wr_sm_stop_tbs(m->sm, 0, up ? WR_ALL_TBS : 0);
    }
    wr_sm_close(m->sm, 0, up || m->how.parks ? WR_ALL_STREAMS : 0);
}

static void mover_gpu_cycle(void *self, wr_gpu *gpu)
{
    mover *m = self;
    uint64_t now = wr_gpu_cycle(gpu);
    if (m->how.parks) {
        deal(m, gpu);
    }
    if (m->phase != RUNNING || now < m->next) {
        return;
    }
    m->sm = wr_gpu_sm(gpu, (uint32_t)(kit_random(&m->random) % wr_gpu_sm_count(gpu)));
    m->phase = STOPPING;
    m->preemptions++;
    raise_signal(m, true);
    wr_sm_attend(m->sm, 0, true);
}

static uint64_t mover_next(void *self, uint64_t now)
{
    mover *m = self;
    return m->how.parks          ? now + 1
           : m->phase != RUNNING ? UINT64_MAX
           : m->next > now       ? m->next
                                 : now + 1;
}

static bool all_stopped(wr_sm *sm)
{
    for (uint32_t w = 0; w < wr_sm_warp_slots(sm); w++) {
        wr_warp_info i = wr_sm_warp(sm, w);
        if (i.valid && !i.done && !(i.stopped && i.drained)) {
            return false;
        }
    }
    return true;
}

static bool keeps(const saved_tb *s, uint32_t part)
{
    return (s->where.kept & part) != 0;
}

static void save(mover *m, wr_sm *sm, uint32_t slot)
{
    saved_tb *s = &m->saved[m->saved_count++];
    cells *c = &m->cells[wr_sm_id(sm)];
    s->info = wr_sm_tb(sm, slot);
    s->where = c->of[slot];
    s->where.kept = m->how.parks ? (uint32_t)(kit_random(&m->random) % 4) : 0;
    m->kept[s->where.kept]++;
    memcpy(s->shared, wr_sm_shared(sm, slot), s->info.shared_bytes);
    for (uint32_t i = 0; i < s->info.warps; i++) {
        uint32_t w = s->info.warp_base + i;
        saved_warp *sw = &s->warps[i];
        wr_warp_info info = wr_sm_warp(sm, w);
        sw->depth = 0;
        if (info.done) {
            continue;
        }
        uint64_t word = wr_sm_fetch(sm, w, info.pc) >> WR_ISA_OPCODE_SHIFT;
        assert_true(m->how.at_once || word == WR_OP_PP || word == WR_OP_BAR_PP);
        m->elsewhere += word != WR_OP_PP && word != WR_OP_BAR_PP ? 1 : 0;
        m->moved_warps++;
        m->diverged += info.depth > 1 ? 1 : 0;
        sw->depth = wr_sm_stack(sm, w, sw->stack);
        for (uint32_t r = 0; r < s->info.regs && !keeps(s, WR_KEEPS_REGISTERS); r++) {
            memcpy(sw->regs[r], wr_sm_reg(sm, w, r), sizeof sw->regs[r]);
        }
        for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
            sw->preds[p] = wr_sm_pred(sm, w, p);
        }
    }
    if (m->how.parks) {
        wr_tb_needs needs = wr_gpu_tb_needs(wr_sm_gpu(sm), 0);
        wr_sm_tb_park(sm, slot, s->where.kept, POISON);
        free_cells(c, &s->where, &needs);
    } else {
        wr_sm_tb_evict(sm, slot, POISON);
    }
}

static void restore(mover *m, wr_sm *sm, const saved_tb *s)
{
    cells *c = &m->cells[wr_sm_id(sm)];
    wr_tb_where where = s->where;
    if (m->how.parks) {
        wr_tb_needs needs = wr_gpu_tb_needs(wr_sm_gpu(sm), 0);
        take_cells(c, &where, &needs, true);
        assert_true(wr_sm_tb_room(sm, 0, where.kept));
    }
    uint32_t slot = wr_sm_tb_place(sm, &s->info, m->how.parks ? &where : NULL, POISON);
    assert_true(slot != UINT32_MAX);
    c->of[slot] = where;
    wr_tb_info now = wr_sm_tb(sm, slot);
    assert_int_equal(now.linear, s->info.linear);
    if (!keeps(s, WR_KEEPS_SHARED)) {
        memcpy(wr_sm_shared(sm, slot), s->shared, s->info.shared_bytes);
    }
    for (uint32_t i = 0; i < s->info.warps; i++) {
        const saved_warp *sw = &s->warps[i];
        uint32_t w = now.warp_base + i;
        bool fetch = !keeps(s, WR_KEEPS_REGISTERS);
        assert_true(!fetch || wr_sm_reg(sm, w, 0)[0] == POISON);
        for (uint32_t r = 0; r < s->info.regs && sw->depth != 0 && fetch; r++) {
            wr_sm_reg_write(sm, w, r, sw->regs[r]);
        }
        for (uint32_t p = 0; p < WR_ISA_PREDS && sw->depth != 0; p++) {
            wr_sm_pred_write(sm, w, p, sw->preds[p]);
        }
        wr_sm_stack_write(sm, w, sw->stack, sw->depth);
    }
    for (uint32_t i = 0; i < s->info.warps; i++) {
        if (s->warps[i].depth != 0) {
            wr_sm_warp_resume(sm, now.warp_base + i);
        }
    }
    (void)m;
}

static void mover_sm_cycle(void *self, wr_sm *sm)
{
    mover *m = self;
    uint64_t now = wr_gpu_cycle(wr_sm_gpu(sm));
    assert_ptr_equal(sm, m->sm);
    if (m->phase == STOPPING && all_stopped(sm)) {
        m->saved_count = 0;
        for (uint32_t slot = 0; slot < wr_sm_tb_slots(sm); slot++) {
            if (wr_sm_tb(sm, slot).valid) {
                save(m, sm, slot);
            }
        }
        m->phase = AWAY;
        m->back_at = now + 100;
    } else if (m->phase == AWAY && now >= m->back_at) {
        if (!m->how.resume_first) {
            raise_signal(m, false);
        }
        for (uint32_t i = m->saved_count; i-- > 0;) { /* last first: other slots than before */
            restore(m, sm, &m->saved[i]);
        }
        m->issued = wr_stats_issued(&sm->stats);
        m->back_at = now + 100; /* time to fetch */
        m->phase = LINGER;
    } else if (m->phase == LINGER && now >= m->back_at) {
        /* Resumed warps got past their point, signal or not. */
        assert_true(m->saved_count == 0 || m->how.at_once ||
                    wr_stats_issued(&sm->stats) > m->issued);
        raise_signal(m, false);
        wr_sm_attend(sm, 0, false);
        m->phase = RUNNING;
        m->next = now + 50 + kit_random(&m->random) % 400;
    }
}

static uint64_t run(uint32_t *out, mover *m, bool no_skip)
{
    wr_gpu_config cfg = kit_config();
    cfg.sms = SMS;
    wr_gpu *gpu = wr_gpu_create(&cfg);
    uint64_t base = wr_gpu_alloc(gpu, WORDS * 4, 256);
    for (uint32_t i = 0; i < WORDS; i++) {
        assert_true(wr_gpu_write(gpu, base + 4 * (uint64_t)i, &i, 4));
    }
    exchange_build(&kk, (uint32_t)base);
    gpu->no_skip = no_skip;
    wr_system_hooks hooks = {.self = m,
                             .launch_begin = mover_begin,
                             .tb_done = mover_done,
                             .gpu_cycle = mover_gpu_cycle,
                             .sm_cycle = mover_sm_cycle,
                             .next_cycle = mover_next};
    if (m != NULL) {
        wr_gpu_attach(gpu, &hooks);
    }
    wr_launch l = kit_launch(&kk, 90, 256, NULL);
    uint64_t cycles = kit_run(gpu, &l);
    assert_true(wr_gpu_read(gpu, base, out, WORDS * 4));
    kit_check_conservation(gpu);
    wr_gpu_free(gpu);
    return cycles;
}

static void test_moved_tbs_give_the_same_output(void **state)
{
    (void)state;
    static uint32_t plain[WORDS];
    static uint32_t moved[WORDS];
    uint64_t seed = kit_seed();
    run(plain, NULL, false);
    const manner manners[] = {{0},
                              {.resume_first = true},
                              {.at_once = true},
                              {.parks = true},
                              {.at_once = true, .parks = true}};
    for (unsigned i = 0; i < sizeof manners / sizeof manners[0]; i++) {
        mover *m = calloc(1, sizeof *m);
        mover *again = calloc(1, sizeof *again);
        m->random = again->random = seed + i;
        m->how = again->how = manners[i];
        uint64_t cycles = run(moved, m, false);
        assert_memory_equal(plain, moved, sizeof plain);
        assert_true(m->preemptions >= 10);
        assert_true(m->moved_warps > 100);
        assert_true(m->diverged > 0);
        assert_true((m->elsewhere > m->moved_warps / 8) == m->how.at_once);
        for (uint32_t k = 0; k < 4; k++) {
            assert_true((m->kept[k] != 0) == (m->how.parks || k == 0));
        }
        assert_int_equal(run(moved, again, true), cycles);
        assert_int_equal(again->moved_warps, m->moved_warps);
        free(m);
        free(again);
    }
}

/* A system that only raises the signal for a while: warps stop and go on by themselves. */
typedef struct pauser {
    uint64_t up_at, down_at;
    uint32_t stopped;
} pauser;
static void pauser_cycle(void *self, wr_gpu *gpu)
{
    pauser *p = self;
    uint64_t now = wr_gpu_cycle(gpu);
    for (uint32_t i = 0; i < wr_gpu_sm_count(gpu); i++) {
        kit_signal(wr_gpu_sm(gpu, i), now >= p->up_at && now < p->down_at);
    }
}
static void pauser_stopped(void *self, wr_sm *sm, uint32_t warp)
{
    pauser *p = self;
    assert_true(wr_sm_warp(sm, warp).stopped);
    p->stopped++;
}
static uint64_t pauser_next(void *self, uint64_t now)
{
    pauser *p = self;
    return now < p->up_at ? p->up_at : now < p->down_at ? p->down_at : UINT64_MAX;
}

static void test_signal_pauses(void **state)
{
    (void)state;
    wr_gpu_config cfg = kit_config();
    cfg.sms = 2;
    uint64_t cycles[2];
    for (unsigned on = 0; on < 2; on++) {
        wr_gpu *gpu = wr_gpu_create(&cfg);
        exchange_build(&kk, (uint32_t)wr_gpu_alloc(gpu, WORDS * 4, 256));
        pauser p = {.up_at = 1000, .down_at = 5000};
        wr_system_hooks hooks = {.self = &p,
                                 .gpu_cycle = pauser_cycle,
                                 .warp_stopped = pauser_stopped,
                                 .next_cycle = pauser_next};
        if (on != 0) {
            wr_gpu_attach(gpu, &hooks);
        }
        wr_launch l = kit_launch(&kk, 20, 256, NULL);
        cycles[on] = kit_run(gpu, &l);
        assert_int_equal(p.stopped, kit_stat(gpu, "sm.stops"));
        if (on != 0) {
            assert_int_equal(p.stopped, 2 * 6 * 8);
        }
        kit_check_conservation(gpu);
        wr_gpu_free(gpu);
    }
    assert_true(cycles[1] > cycles[0] + 2000);
}

/* The context queue by itself: bytes arrive, replies are in order, all is answered. */
typedef struct queue_user {
    uint64_t base;
    uint32_t written, asked, got;
    uint64_t first_reply;
} queue_user;
enum { REQUESTS = 200 };

static void queue_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    (void)stream;
    (void)self;
    (void)launch;
    wr_sm_attend(wr_gpu_sm(gpu, 0), 0, true);
    for (uint32_t i = 0; i < wr_gpu_sm_count(gpu); i++) { /* the only TB waits for the traffic */
        wr_sm_close(wr_gpu_sm(gpu, i), 0, WR_ALL_STREAMS);
    }
}

static void queue_cycle(void *self, wr_sm *sm)
{
    queue_user *q = self;
    uint8_t data[128];
    uint32_t tag;
    if (q->written < REQUESTS) {
        memset(data, (int)q->written, sizeof data);
        q->written += wr_sm_ctx_write(sm, q->base + q->written * UINT64_C(128), data, 96) ? 1 : 0;
        return;
    }
    if (q->asked < REQUESTS &&
        wr_sm_ctx_read(sm, q->base + q->asked * UINT64_C(128), 96, q->asked)) {
        q->asked++;
    }
    if (wr_sm_ctx_reply(sm, &tag, data)) {
        assert_int_equal(tag, q->got);
        for (unsigned i = 0; i < 96; i++) {
            assert_int_equal(data[i], (uint8_t)tag);
        }
        q->got++;
    }
    if (q->got == REQUESTS) {
        assert_int_equal(wr_sm_ctx_pending(sm), 0);
        wr_sm_attend(sm, 0, false);
        wr_sm_close(sm, 0, 0);
    }
}

static void test_context_queue(void **state)
{
    (void)state;
    wr_gpu_config cfg = kit_config();
    wr_gpu *gpu = wr_gpu_create(&cfg);
    queue_user q = {.base = wr_gpu_alloc(gpu, REQUESTS * 128, 256)};
    wr_system_hooks hooks = {.self = &q, .launch_begin = queue_begin, .sm_cycle = queue_cycle};
    wr_gpu_attach(gpu, &hooks);
    kit_begin(&kk, "empty", 1);
    kit_add(&kk, kit_plain(WR_OP_EXIT));
    kit_build(&kk);
    wr_launch l = kit_launch(&kk, 1, 32, NULL);
    kit_run(gpu, &l);
    assert_int_equal(q.got, REQUESTS);
    assert_int_equal(kit_stat(gpu, "ctx.writes"), REQUESTS);
    assert_int_equal(kit_stat(gpu, "ctx.read_bytes"), REQUESTS * 96);
    kit_check_conservation(gpu);
    wr_gpu_free(gpu);
}

/* Priority: with regular misses waiting a context request stays behind until it has aged. */
static void test_context_ages(void **state)
{
    (void)state;
    wr_gpu_config cfg = kit_config();
    cfg.sms = 1;
    wr_gpu *gpu = wr_gpu_create(&cfg);
    uint64_t base = wr_gpu_alloc(gpu, 1 << 20, 256);
    wr_sm *sm = wr_gpu_sm(gpu, 0);
    uint8_t data[32] = {1, 2, 3};
    assert_true(wr_sm_ctx_write(sm, base, data, 32));
    uint64_t sent = UINT64_MAX;
    for (uint64_t now = 0; now < 3000 && sent == UINT64_MAX; now++) {
        while (sm->miss_count < sm->miss_limit) { /* regular requests without end */
            uint32_t at = (sm->miss_head + sm->miss_count++) % sm->miss_limit;
            sm->miss_queue[at].at = now;
            sm->miss_queue[at].packet = (wr_packet){.addr = base + (now * 256) % (1 << 20),
                                                    .bytes = 32,
                                                    .kind = WR_PACKET_WRITE,
                                                    .sender = WR_FROM_STORE,
                                                    .serial = 1};
        }
        wr_packet p;
        while (wr_memsys_reply(gpu->memsys, now, 0, &p)) {
        }
        wr_memsys_tick(gpu->memsys, now);
        wr_injection_cycle(sm, now);
        sent = sm->ctx.count == 0 ? now : sent;
    }
    assert_in_range(sent, 1000, 1010);
    uint8_t back[3];
    assert_true(wr_gpu_read(gpu, base, back, 3));
    assert_memory_equal(back, data, 3);
    wr_gpu_free(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moved_tbs_give_the_same_output),
        cmocka_unit_test(test_signal_pauses),
        cmocka_unit_test(test_context_queue),
        cmocka_unit_test(test_context_ages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
