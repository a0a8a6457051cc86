/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of a TB, each with its own calls; see reference.h. */
#include "reference.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "reference_thread.h"

#define MAX_STEPS 500000 /* a thread */
#define MAX_DEPTH 32     /* calls */
#define BARRIERS  16
#define LANES     32

typedef struct block {
    const wr_ptx_module *module;
    wr_test_thread *threads;
    uint32_t count;
    uint32_t arrived[BARRIERS]; /* without waiting */
} block;

static void push(wr_test_thread *t, const wr_ptx_func *func)
{
    wr_test_frame *frame = calloc(1, sizeof *frame);
    uint32_t local = 0;

    if (t->top != NULL) {
        local = t->top->local + wr_test_local(t->top->func, NULL, NULL);
    }
    if (frame == NULL || ++t->depth > MAX_DEPTH) {
        t->error = "calls are too deep";
        free(frame);
        return;
    }
    *frame = (wr_test_frame){.func = func, .local = local, .caller = t->top};
    frame->regs = calloc(func->reg_count + 1u, sizeof *frame->regs);
    t->top = frame;
    if (frame->regs == NULL || local + wr_test_local(func, NULL, NULL) > WR_TEST_LOCAL) {
        t->error = "out of memory";
    }
}

static void pop(wr_test_thread *t)
{
    wr_test_frame *frame = t->top;

    t->top = frame->caller;
    t->depth--;
    free(frame->regs);
    free(frame);
}

/* Arguments and results are variables of the caller in .param. */
static void call(const block *b, wr_test_thread *t, const wr_ptx_insn *i)
{
    const wr_ptx_operand *callee = &i->operands[1], *args = &i->operands[2];
    const wr_ptx_func *func = callee->func;
    wr_test_frame *caller = t->top;
    uint32_t k = 0;

    if (callee->kind == WR_PTX_OPD_REG) {
        func = b->module->funcs;
        while (func != NULL && 1 + (uint64_t)func->index != caller->regs[callee->reg]) {
            func = func->next;
        }
    }
    if (func == NULL) {
        t->error = "a call of what is no function";
        return;
    }
    push(t, func);
    if (t->error != NULL) {
        return;
    }
    for (const wr_ptx_var *v = func->params; v != NULL && k < args->count; v = v->next, k++) {
        memcpy(wr_test_slot(t, t->top, v), wr_test_slot(t, caller, args->elems[k].var), 16);
    }
}

static void give_back(wr_test_thread *t)
{
    wr_test_frame *callee = t->top, *caller = callee->caller;
    const wr_ptx_insn *i;
    uint32_t k = 0;

    if (caller == NULL) {
        t->wait = WR_TEST_DONE;
        return;
    }
    i = &caller->func->insns[caller->pc - 1];
    for (const wr_ptx_var *v = callee->func->rets; v != NULL && k < i->operands[0].count;
         v = v->next, k++) {
        memcpy(wr_test_slot(t, caller, i->operands[0].elems[k].var), wr_test_slot(t, callee, v),
               16);
    }
    pop(t);
}

static bool takes_mask(const wr_ptx_insn *i)
{
    return i->op == WR_PTX_SHFL || i->op == WR_PTX_VOTE || i->op == WR_PTX_MATCH ||
           i->op == WR_PTX_REDUX || i->op == WR_PTX_BAR_WARP_SYNC;
}

static void arrive(block *b, wr_test_thread *t, const wr_ptx_insn *i)
{
    b->arrived[wr_test_get(t, &i->operands[0], WR_PTX_U32) % BARRIERS]++;
}

/* Runs a thread as far as it gets alone. */
static void run(block *b, wr_test_thread *t)
{
    while (t->error == NULL && t->wait == WR_TEST_RUNS) {
        wr_test_frame *frame = t->top;
        const wr_ptx_insn *i;

        assert(frame != NULL);
        if (frame->pc >= frame->func->insn_count) {
            give_back(t);
            continue;
        }
        i = &frame->func->insns[frame->pc++];
        if (++t->steps > MAX_STEPS) {
            t->error = "it does not end";
        }
        if (i->guard != WR_PTX_NO_REG && (frame->regs[i->guard] != 0) == i->guard_neg) {
            continue;
        }
        if (i->op == WR_PTX_EXIT) {
            t->wait = WR_TEST_DONE;
        } else if (i->op == WR_PTX_RET) {
            give_back(t);
        } else if (i->op == WR_PTX_CALL) {
            call(b, t, i);
        } else if (i->op == WR_PTX_BRA) {
            frame->pc = i->operands[0].target;
        } else if (i->op == WR_PTX_BRX) {
            const wr_ptx_table *table = i->operands[1].table;
            uint64_t index = wr_test_get(t, &i->operands[0], WR_PTX_U32);

            if (index >= table->count) {
                t->error = "a branch beyond its table";
            } else {
                frame->pc = table->targets[index];
            }
        } else if (i->op == WR_PTX_BAR_ARRIVE) {
            arrive(b, t, i);
        } else if (i->op == WR_PTX_BAR_SYNC || i->op == WR_PTX_BAR_RED) {
            t->wait = WR_TEST_AT_BARRIER;
            t->at = i;
        } else if (takes_mask(i)) {
            t->wait = WR_TEST_AT_LANES;
            t->at = i;
        } else {
            wr_test_execute(t, i);
        }
    }
}

/* ---- barriers ---- */

static uint32_t barrier_of(wr_test_thread *t)
{
    const wr_ptx_insn *i = t->at;
    const wr_ptx_operand *o = &i->operands[i->op == WR_PTX_BAR_RED ? 1 : 0];

    return (uint32_t)wr_test_get(t, o, WR_PTX_U32) % BARRIERS;
}

/* Threads that the barrier waits for; 0: all that have not ended. */
static uint32_t expected(wr_test_thread *t)
{
    const wr_ptx_insn *i = t->at;
    unsigned at = i->op == WR_PTX_BAR_RED ? 2 : 1;

    if (i->operand_count <= at || i->operands[at].type == WR_PTX_PRED) {
        return 0;
    }
    return (uint32_t)wr_test_get(t, &i->operands[at], WR_PTX_U32);
}

static void reduce(const block *b, uint32_t number)
{
    uint32_t all = 1, any = 0, sum = 0;

    for (uint32_t k = 0; k < 2 * b->count; k++) { /* first what all say, then what each gets */
        wr_test_thread *t = &b->threads[k % b->count];
        const wr_ptx_insn *i = t->at;
        bool said;

        if (t->wait != WR_TEST_AT_BARRIER || barrier_of(t) != number || i->op != WR_PTX_BAR_RED) {
            continue;
        }
        said = wr_test_get_pred(t, &i->operands[i->operand_count - 1u]);
        if (k < b->count) {
            all &= said;
            any |= said;
            sum += said;
        } else {
            unsigned mode = i->mod[WR_PTX_SLOT_MODE];

            t->top->regs[i->operands[0].reg] = mode == WR_PTX_MODE_POPC  ? sum
                                               : mode == WR_PTX_MODE_AND ? all
                                                                         : any;
        }
    }
}

static bool open_barriers(block *b)
{
    bool opened = false;

    for (uint32_t number = 0; number < BARRIERS; number++) {
        uint32_t waiting = 0, alive = 0, wanted = 0;

        for (uint32_t k = 0; k < b->count; k++) {
            wr_test_thread *t = &b->threads[k];

            alive += t->wait != WR_TEST_DONE;
            if (t->wait == WR_TEST_AT_BARRIER && barrier_of(t) == number) {
                waiting++;
                wanted = expected(t);
            }
        }
        if (waiting == 0 || waiting + b->arrived[number] < (wanted != 0 ? wanted : alive)) {
            continue;
        }
        reduce(b, number);
        for (uint32_t k = 0; k < b->count; k++) {
            if (b->threads[k].wait == WR_TEST_AT_BARRIER && barrier_of(&b->threads[k]) == number) {
                b->threads[k].wait = WR_TEST_RUNS;
            }
        }
        b->arrived[number] = 0;
        opened = true;
    }
    return opened;
}

/* ---- lanes that meet ---- */

/* The thread that holds the lane in the same group of 32, or NULL. */
static wr_test_thread *lane(const block *b, const wr_test_thread *of, uint32_t number)
{
    uint32_t tid = of->tid / LANES * LANES + number;

    return tid < b->threads[0].tid || tid - b->threads[0].tid >= b->count
               ? NULL
               : &b->threads[tid - b->threads[0].tid];
}

static uint32_t mask_of(wr_test_thread *t)
{
    return (uint32_t)wr_test_get(t, &t->at->operands[t->at->operand_count - 1u], WR_PTX_U32);
}

/* The lanes that are there, where all are that must be; else 0. */
static uint32_t gathered(const block *b, wr_test_thread *first)
{
    uint32_t mask = mask_of(first), here = 0;

    for (uint32_t k = 0; k < LANES; k++) {
        wr_test_thread *t = (mask >> k & 1) != 0 ? lane(b, first, k) : NULL;

        if (t == NULL || t->wait == WR_TEST_DONE) {
            continue;
        }
        if (t->wait != WR_TEST_AT_LANES || t->at != first->at || mask_of(t) != mask) {
            return 0;
        }
        here |= UINT32_C(1) << k;
    }
    return here;
}

/* The lane that k reads from (PTX ISA, shfl.sync); *in: it is within bounds. */
static uint32_t source_of(wr_test_thread *t, uint32_t k, bool *in)
{
    const wr_ptx_insn *i = t->at;
    uint32_t by = (uint32_t)wr_test_get(t, &i->operands[2], WR_PTX_U32) & 31;
    uint32_t c = (uint32_t)wr_test_get(t, &i->operands[3], WR_PTX_U32);
    uint32_t segment = c >> 8 & 31, last = (k & segment) | (c & 31 & ~segment);
    uint32_t first = k & segment, from;

    switch ((wr_ptx_mode)i->mod[WR_PTX_SLOT_MODE]) {
    case WR_PTX_MODE_UP:
        *in = k >= by && k - by >= last;
        from = k - by;
        break;
    case WR_PTX_MODE_DOWN:
        from = k + by;
        *in = from <= last;
        break;
    case WR_PTX_MODE_BFLY:
        from = k ^ by;
        *in = from <= last;
        break;
    default:
        from = first | (by & ~segment);
        *in = from <= last;
        break;
    }
    return *in ? from : k;
}

static uint64_t vote(uint8_t mode, uint32_t yes, uint32_t here)
{
    switch ((wr_ptx_mode)mode) {
    case WR_PTX_MODE_ALL:
        return yes == here;
    case WR_PTX_MODE_ANY:
        return yes != 0;
    case WR_PTX_MODE_VOTE_UNI:
        return yes == 0 || yes == here;
    default:
        return yes;
    }
}

static void reduce_lane(uint8_t mode, bool sign, uint64_t in, uint64_t *sum)
{
    bool less = sign ? (int64_t)in < (int64_t)*sum : in < *sum;

    switch ((wr_ptx_mode)mode) {
    case WR_PTX_MODE_ADD:
        *sum += in;
        break;
    case WR_PTX_MODE_MIN:
        *sum = less ? in : *sum;
        break;
    case WR_PTX_MODE_MAX:
        *sum = less ? *sum : in;
        break;
    case WR_PTX_MODE_AND:
        *sum &= in;
        break;
    case WR_PTX_MODE_OR:
        *sum |= in;
        break;
    default:
        *sum ^= in;
        break;
    }
}

static void meet(const block *b, wr_test_thread *first, uint32_t here)
{
    const wr_ptx_insn *i = first->at;
    uint64_t in[LANES] = {0}, out[LANES] = {0}, sum = 0;
    bool inside[LANES] = {false}, begun = false;
    uint32_t yes = 0;

    if (i->op == WR_PTX_BAR_WARP_SYNC) {
        return;
    }
    for (uint32_t k = 0; k < LANES; k++) {
        wr_test_thread *t = (here >> k & 1) != 0 ? lane(b, first, k) : NULL;

        if (t == NULL) {
            continue;
        }
        if (i->op == WR_PTX_VOTE) {
            yes |= (uint32_t)wr_test_get_pred(t, &i->operands[1]) << k;
            continue;
        }
        in[k] = wr_test_get(t, &i->operands[1], i->type[0]);
        if (begun) {
            reduce_lane(i->mod[WR_PTX_SLOT_MODE], wr_ptx_type_is_signed(i->type[0]), in[k], &sum);
        } else {
            sum = in[k];
        }
        begun = true;
    }
    for (uint32_t k = 0; k < LANES; k++) {
        wr_test_thread *t = (here >> k & 1) != 0 ? lane(b, first, k) : NULL;
        uint32_t from = 0;

        if (t == NULL) {
            continue;
        }
        if (i->op == WR_PTX_VOTE) {
            out[k] = vote(i->mod[WR_PTX_SLOT_MODE], yes, here);
        } else if (i->op == WR_PTX_SHFL) {
            from = source_of(t, k, &inside[k]);
            out[k] = (here >> from & 1) != 0 ? in[from] : 0;
        } else if (i->op == WR_PTX_REDUX) {
            out[k] = sum;
        } else {
            for (uint32_t other = 0; other < LANES; other++) { /* match.any */
                out[k] |= (uint64_t)((here >> other & 1) != 0 && in[other] == in[k]) << other;
            }
        }
    }
    for (uint32_t k = 0; k < LANES; k++) {
        wr_test_thread *t = (here >> k & 1) != 0 ? lane(b, first, k) : NULL;

        if (t == NULL) {
            continue;
        }
        wr_test_put(t, &i->operands[0], out[k]);
        if (i->op == WR_PTX_SHFL && i->operands[0].reg2 != WR_PTX_NO_REG) {
            t->top->regs[i->operands[0].reg2] = inside[k];
        }
    }
}

static bool join_lanes(const block *b)
{
    bool met = false;

    for (uint32_t k = 0; k < b->count; k++) {
        wr_test_thread *t = &b->threads[k];
        uint32_t here = t->wait == WR_TEST_AT_LANES ? gathered(b, t) : 0;

        if (here == 0) {
            continue;
        }
        if ((here >> t->tid % LANES & 1) == 0) {
            t->error = "a lane that is not in its own mask";
            return false;
        }
        meet(b, t, here);
        for (uint32_t other = 0; other < LANES; other++) {
            if ((here >> other & 1) != 0) {
                lane(b, t, other)->wait = WR_TEST_RUNS;
            }
        }
        met = true;
    }
    return met;
}

/* ---- */

static const char *first_error(const block *b)
{
    for (uint32_t k = 0; k < b->count; k++) {
        if (b->threads[k].error != NULL) {
            return b->threads[k].error;
        }
    }
    return NULL;
}

static const char *run_block(block *b)
{
    bool alive = true;

    while (alive) {
        const char *error;
        bool moved;

        for (uint32_t k = 0; k < b->count; k++) {
            run(b, &b->threads[k]);
        }
        moved = join_lanes(b);
        moved = open_barriers(b) || moved;
        alive = false;
        for (uint32_t k = 0; k < b->count; k++) {
            alive = alive || b->threads[k].wait != WR_TEST_DONE;
        }
        error = first_error(b);
        if (error != NULL) {
            return error;
        }
        if (alive && !moved) {
            return "threads wait for each other for ever";
        }
    }
    return NULL;
}

static const char *run_threads(block *b, const wr_ptx_func *func, const uint8_t *params,
                               uint8_t *memory, uint32_t size, uint32_t first)
{
    uint8_t *shared = calloc(1, WR_TEST_SHARED), *local = calloc(b->count, WR_TEST_LOCAL);
    const char *error = "out of memory";

    b->threads = calloc(b->count, sizeof *b->threads);
    if (shared != NULL && local != NULL && b->threads != NULL) {
        for (uint32_t k = 0; k < b->count; k++) {
            wr_test_thread *t = &b->threads[k];

            *t = (wr_test_thread){.params = params,
                                  .memory = memory,
                                  .shared = shared,
                                  .local = local + (size_t)k * WR_TEST_LOCAL,
                                  .size = size,
                                  .tid = first + k};
            push(t, func);
            for (const wr_ptx_var *v = func->params; v != NULL && t->top != NULL; v = v->next) {
                memcpy(wr_test_slot(t, t->top, v), params + v->offset, v->size);
            }
        }
        error = first_error(b);
        error = error != NULL ? error : run_block(b);
        for (uint32_t k = 0; k < b->count; k++) {
            while (b->threads[k].top != NULL) {
                pop(&b->threads[k]);
            }
        }
    }
    free(b->threads);
    free(shared);
    free(local);
    return error;
}

const char *wr_test_reference(const wr_ptx_func *func, const uint8_t *params, uint8_t *memory,
                              uint32_t size, uint32_t tid)
{
    block b = {.count = 1};

    return run_threads(&b, func, params, memory, size, tid);
}

const char *wr_test_reference_tb(const wr_ptx_module *module, const uint8_t *params,
                                 uint8_t *memory, uint32_t size, uint32_t threads)
{
    const wr_ptx_func *func = wr_ptx_find_func(module, "k");
    block b = {.module = module, .count = threads};

    if (func == NULL) {
        return "there is no kernel k";
    }
    return run_threads(&b, func, params, memory, size, 0);
}
