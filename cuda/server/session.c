/* SPDX-License-Identifier: Apache-2.0 */
/* Modules, memory, streams and events of a program; see session.h.
 *
 * Every piece of work has a number, counted up as it is enqueued: what stands in front of what
 * across streams is a comparison of numbers of the streams' heads.
 */
#include "cuda/server/session.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/server/copy.h"
#include "cuda/server/modules.h"

#define MAX_THREADS 1024

typedef struct work {
    struct work *next;
    uint64_t number;
    wr_cuda_request request;
    uint8_t *data;     /* what is written, or the parameter block */
    uint64_t record;   /* of an event that is waited for: the number of the record, 0 = none */
    uint32_t recorder; /* and its stream */
    wr_launch launch;
    bool in_flight;
} work;

typedef struct stream {
    bool used, apart, ends;
    uint32_t priority;
    work *head, *tail;
} stream;

/* An event: its last record, which is a piece of work of a stream, and the cycle when that was
 * done. */
typedef struct event {
    bool used;
    uint32_t stream;
    uint64_t record, cycle;
} event;

struct wr_session {
    wr_gpu *gpu;
    const wr_gpu_config *config;
    const wr_session_owner *owner;
    uint64_t max_cycles, numbers;
    wr_store store;
    stream *streams;
    event *events;
    wr_modules modules;
    size_t stream_count, event_count;
    wr_run_result result;
    int error;
    wr_cuda_request *wait; /* of the run that goes on */
    uint32_t slots;        /* streams of the GPU in it: stream n is in slot n % slots */
    work *flying[WR_MAX_STREAMS];
    uint32_t of[WR_MAX_STREAMS]; /* their streams */
    bool gone;
};

wr_session *wr_session_new(wr_gpu *gpu, const wr_gpu_config *config,
                           const wr_compile_options *compile, uint64_t max_cycles,
                           const wr_session_owner *owner)
{
    wr_session *s = calloc(1, sizeof *s);
    if (!s) {
        return NULL;
    }
    s->gpu = gpu;
    s->config = config;
    s->modules = wr_modules_begin(compile);
    s->owner = owner;
    s->max_cycles = max_cycles;
    s->store.gpu = gpu;
    s->result.status = WR_RUN_DONE;
    s->streams = wr_store_longer(NULL, 0, sizeof *s->streams);
    if (!s->streams) {
        free(s);
        return NULL;
    }
    s->stream_count = 1;
    s->streams[0].used = true;
    return s;
}

static void free_work(work *w)
{
    free(w->data);
    free(w);
}

void wr_session_free(wr_session *s)
{
    if (!s) {
        return;
    }
    for (size_t i = 0; i < s->stream_count; i++) {
        for (work *w = s->streams[i].head, *next; w; w = next) {
            next = w->next;
            free_work(w);
        }
    }
    free(s->streams);
    free(s->events);
    wr_store_free(&s->store);
    wr_modules_free(&s->modules);
    free(s);
}

int wr_session_error(const wr_session *s, const char **text)
{
    *text = s->result.message;
    return s->error;
}

const wr_run_result *wr_session_result(const wr_session *s)
{
    return &s->result;
}

/* --- Modules -------------------------------------------------------------------------------------
 */

int wr_session_module(wr_session *s, const char *ptx, size_t bytes, uint64_t *number, wr_diag *diag)
{
    int error = wr_modules_add(&s->modules, ptx, bytes, number, diag);
    if (error) {
        return error;
    }
    wr_code *c = &s->modules.codes[*number];
    if (!wr_images_place(c->module, s->gpu, &c->images) ||
        !wr_store_keep(&s->store, c->images.global, c->module->global_bytes) ||
        !wr_store_keep(&s->store, c->images.constant, c->module->const_bytes)) {
        wr_diag_set(diag, NULL, 0, 0, "the module's variables do not fit the GPU's memory");
        return WR_CUDA_NO_MEMORY;
    }
    return 0;
}

int wr_session_limit(wr_session *s, const wr_cuda_request *request, uint64_t *bytes)
{
    return wr_modules_limit(&s->modules, s->gpu, request, bytes);
}

wr_store *wr_session_store(wr_session *s)
{
    return &s->store;
}

const wr_module *wr_session_code(const wr_session *s, uint64_t module)
{
    return module < s->modules.count ? s->modules.codes[module].module : NULL;
}

uint64_t wr_session_variable(const wr_session *s, uint64_t module, const wr_module_var *var)
{
    const wr_images *images = &s->modules.codes[module].images;
    return var->offset + (var->space == WR_SPACE_CONST ? images->constant : images->global);
}

/* --- Streams and events ----------------------------------------------------------------------- */

static stream *stream_at(const wr_session *s, uint64_t number)
{
    stream *st = number < s->stream_count ? &s->streams[number] : NULL;
    return st && st->used ? st : NULL;
}

static event *event_at(const wr_session *s, uint64_t number)
{
    event *e = number < s->event_count ? &s->events[number] : NULL;
    return e && e->used ? e : NULL;
}

uint64_t wr_session_stream(wr_session *s, bool apart, uint32_t priority)
{
    stream *st = NULL;
    for (size_t i = 1; i < s->stream_count && !st; i++) {
        st = s->streams[i].used ? NULL : &s->streams[i];
    }
    if (!st) {
        stream *streams = wr_store_longer(s->streams, s->stream_count, sizeof *streams);
        if (!streams) {
            return 0;
        }
        s->streams = streams;
        st = &streams[s->stream_count++];
    }
    *st = (stream){.used = true, .apart = apart, .priority = priority};
    return (uint64_t)(st - s->streams);
}

static void end_if_empty(stream *st)
{
    if (st->ends && !st->head) {
        *st = (stream){0};
    }
}

int wr_session_end_stream(wr_session *s, uint64_t number)
{
    stream *st = number ? stream_at(s, number) : NULL;
    if (!st || st->ends) {
        return WR_CUDA_INVALID_HANDLE;
    }
    st->ends = true;
    end_if_empty(st);
    return 0;
}

uint64_t wr_session_event(wr_session *s)
{
    size_t number = 0;
    while (number < s->event_count && s->events[number].used) {
        number++;
    }
    if (number == s->event_count) {
        event *events = wr_store_longer(s->events, s->event_count, sizeof *events);
        if (!events) {
            return UINT64_MAX;
        }
        s->events = events;
        s->event_count++;
    }
    s->events[number] = (event){.used = true};
    return number;
}

/* Work that waits for its record goes by that, and not by the event. */
int wr_session_end_event(wr_session *s, uint64_t number)
{
    event *e = event_at(s, number);
    if (!e) {
        return WR_CUDA_INVALID_HANDLE;
    }
    *e = (event){0};
    return 0;
}

/* --- Work ------------------------------------------------------------------------------------- */

/* The launch of a request, its parameters still to come. */
static int describe(const wr_session *s, const wr_cuda_request *r, wr_launch *launch)
{
    const wr_module *module = wr_session_code(s, r->a);
    if (!module || r->b >= module->kernel_count) {
        return WR_CUDA_INVALID_DEVICE_FUNCTION;
    }
    const wr_kernel *k = &module->kernels[r->b];
    *launch = (wr_launch){
        .kernel = k, .hint = k->hint, .const_base = s->modules.codes[r->a].images.constant};
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        launch->grid[i] = r->x[i];
        launch->block[i] = r->y[i];
        threads *= r->y[i] <= MAX_THREADS ? r->y[i] : MAX_THREADS + 1;
    }
    bool fits = threads > 0 && threads <= MAX_THREADS && r->y[2] <= 64 &&
                (k->max_tid == 0 || threads <= k->max_tid) &&
                (k->req_tid[0] == 0 || memcmp(k->req_tid, r->y, sizeof k->req_tid) == 0);
    if (!fits) {
        return WR_CUDA_INVALID_CONFIGURATION;
    }
    if (k->shared_bytes > s->config->sm.shared_bytes ||
        r->c > s->config->sm.shared_bytes - k->shared_bytes) {
        return WR_CUDA_INVALID_VALUE;
    }
    launch->shared_dynamic = (uint32_t)r->c;
    return 0;
}

int wr_session_occupancy(const wr_session *s, const wr_cuda_request *r, uint32_t *tbs)
{
    wr_launch launch;
    int error = describe(s, r, &launch);
    if (!error) {
        *tbs = wr_gpu_occupancy(s->config, &launch).tbs;
    }
    return error;
}

static int prepare_launch(const wr_session *s, const stream *st, work *w)
{
    const wr_cuda_request *r = &w->request;
    int error = describe(s, r, &w->launch);
    if (error) {
        return error;
    }
    const wr_code *c = &s->modules.codes[r->a];
    if (r->x[0] == 0 || r->x[1] == 0 || r->x[2] == 0 || r->x[0] > INT32_MAX || r->x[1] > 65535 ||
        r->x[2] > 65535) {
        return WR_CUDA_INVALID_CONFIGURATION;
    }
    if (wr_gpu_occupancy(s->config, &w->launch).tbs == 0) {
        return WR_CUDA_OUT_OF_RESOURCES;
    }
    if (r->bytes != w->launch.kernel->param_bytes) {
        return WR_CUDA_INVALID_VALUE;
    }
    wr_images_bind(&c->images, c->module, w->launch.kernel, w->data);
    w->launch.params = w->data;
    w->launch.priority = st->priority;
    return 0;
}

/* What is wrong with work that is to be enqueued. */
static int prepare(wr_session *s, const stream *st, work *w)
{
    const wr_cuda_request *r = &w->request;
    event *e = event_at(s, r->a);
    switch (r->what) {
    case WR_CUDA_WRITE:
        return wr_store_has(&s->store, r->a, r->bytes) ? 0 : WR_CUDA_INVALID_VALUE;
    case WR_CUDA_READ:
        return wr_store_has(&s->store, r->a, r->b) ? 0 : WR_CUDA_INVALID_VALUE;
    case WR_CUDA_FILL:
        return wr_store_has(&s->store, r->a, r->c) ? 0 : WR_CUDA_INVALID_VALUE;
    case WR_CUDA_COPY:
        return wr_store_has(&s->store, r->a, r->c) && wr_store_has(&s->store, r->b, r->c)
                   ? 0
                   : WR_CUDA_INVALID_VALUE;
    case WR_CUDA_LAUNCH:
        return prepare_launch(s, st, w);
    case WR_CUDA_RECORD:
    case WR_CUDA_WAIT_EVENT:
        return e ? 0 : WR_CUDA_INVALID_HANDLE;
    default:
        return WR_CUDA_INVALID_VALUE;
    }
}

int wr_session_enqueue(wr_session *s, const wr_cuda_request *request, uint8_t *data)
{
    stream *st = stream_at(s, request->stream);
    work *w = calloc(1, sizeof *w);
    int error = !st || st->ends ? WR_CUDA_INVALID_HANDLE : !w ? WR_CUDA_NO_MEMORY : s->error;
    if (w) {
        w->request = *request;
        w->data = data;
    }
    error = error ? error : prepare(s, st, w);
    if (error) {
        free(w);
        free(data);
        return error;
    }
    w->number = ++s->numbers;
    event *e = event_at(s, request->a);
    if (request->what == WR_CUDA_RECORD) {
        e->stream = request->stream;
        e->record = w->number;
    } else if (request->what == WR_CUDA_WAIT_EVENT) {
        w->recorder = e->stream;
        w->record = e->record;
    }
    if (request->what == WR_CUDA_LAUNCH) {
        wr_modules_launched(&s->modules, w->launch.kernel);
    }
    *(st->tail ? &st->tail->next : &st->head) = w;
    st->tail = w;
    return 0;
}

/* The stream's first piece of work is done; the next one, NULL: there is none. */
static work *pop(stream *st)
{
    work *w = st->head, *next = w->next;
    st->head = next;
    st->tail = next ? st->tail : NULL;
    free_work(w);
    end_if_empty(st);
    return next;
}

/* Is a piece of work of a stream done? Those of a stream are done in the order of their numbers. */
static bool done(const wr_session *s, uint32_t stream_number, uint64_t number)
{
    const work *head = s->streams[stream_number].head;
    return !head || head->number > number;
}

/* May the stream's first piece of work begin? */
static bool ready(const wr_session *s, const stream *st)
{
    const work *w = st->head;
    const stream *main = &s->streams[0];
    if (w->request.what == WR_CUDA_WAIT_EVENT && !done(s, w->recorder, w->record)) {
        return false;
    }
    if (st != main) {
        return st->apart || !main->head || main->head->number > w->number;
    }
    for (size_t i = 1; i < s->stream_count; i++) {
        const stream *other = &s->streams[i];
        if (other->head && !other->apart && other->head->number < w->number) {
            return false;
        }
    }
    return true;
}

static void perform(wr_session *s, const work *w)
{
    event *e = event_at(s, w->request.a);
    if (w->request.what == WR_CUDA_RECORD && e) {
        e->cycle = w->number == e->record ? wr_gpu_cycle(s->gpu) : e->cycle;
    } else if (w->request.what != WR_CUDA_RECORD && w->request.what != WR_CUDA_WAIT_EVENT &&
               !wr_copy(s->gpu, &w->request, w->data, s->owner)) {
        s->error = WR_CUDA_NO_MEMORY;
        (void)snprintf(s->result.message, sizeof s->result.message, "out of memory");
    }
}

/* Does all that takes no time, as far as it goes. */
static void settle(wr_session *s)
{
    for (bool again = true; again && !s->error;) {
        again = false;
        for (size_t i = 0; i < s->stream_count; i++) {
            stream *st = &s->streams[i];
            work *w = st->head;
            while (w && w->request.what != WR_CUDA_LAUNCH && ready(s, st)) {
                perform(s, w);
                w = pop(st);
                again = true;
            }
        }
    }
}

int wr_session_elapsed(wr_session *s, uint64_t from, uint64_t to, int64_t *cycles)
{
    const event *a = event_at(s, from), *b = event_at(s, to);
    if (!a || !b || !a->record || !b->record) {
        return WR_CUDA_INVALID_HANDLE;
    }
    settle(s);
    if (!done(s, a->stream, a->record) || !done(s, b->stream, b->record)) {
        return WR_CUDA_NOT_READY;
    }
    *cycles = (int64_t)b->cycle - (int64_t)a->cycle;
    return 0;
}

bool wr_session_over(wr_session *s, const wr_cuda_request *wait)
{
    settle(s);
    if (s->error || s->gone) {
        return true;
    }
    if (wait->a == 1) {
        const stream *st = stream_at(s, wait->stream);
        return !st || !st->head;
    }
    if (wait->a == 2) {
        const event *e = event_at(s, wait->b);
        return !e || done(s, e->stream, e->record);
    }
    for (size_t i = 0; i < s->stream_count; i++) {
        if (s->streams[i].head) {
            return false;
        }
    }
    return true;
}

/* --- Runs of the GPU ----------------------------------------------------------------------------
 */

static const wr_launch *next_launch(void *self, uint32_t slot)
{
    wr_session *s = self;
    for (size_t i = slot; !s->gone && i < s->stream_count; i += s->slots) {
        stream *st = &s->streams[i];
        if (st->head && ready(s, st)) {
            assert(st->head->request.what == WR_CUDA_LAUNCH && "the others were settled");
            s->flying[slot] = st->head;
            s->of[slot] = (uint32_t)i;
            st->head->in_flight = true;
            return &st->head->launch;
        }
    }
    return NULL;
}

static bool launch_done(void *self, uint32_t slot, const wr_launch_result *result)
{
    wr_session *s = self;
    s->owner->ended(s->owner->self, s->of[slot], &s->flying[slot]->launch, result, false);
    s->flying[slot] = NULL;
    (void)pop(&s->streams[s->of[slot]]);
    while (!s->gone && wr_session_over(s, s->wait)) {
        bool flies = false;
        for (uint32_t i = 0; i < s->slots; i++) {
            flies |= s->flying[i] != NULL;
        }
        if (!flies) { /* the run ends by itself, or goes on with what is asked for next */
            break;
        }
        s->gone = !s->owner->waited(s->owner->self, s->wait);
    }
    return !s->gone;
}

static void launch_cut(void *self, uint32_t slot, const wr_launch_result *result)
{
    const wr_session *s = self;
    s->owner->ended(s->owner->self, s->of[slot], &s->flying[slot]->launch, result, true);
}

static bool go_on(void *self, uint64_t cycles, uint64_t tbs_done, uint64_t tbs)
{
    wr_session *s = self;
    (void)cycles;
    (void)tbs_done;
    (void)tbs;
    s->gone = s->gone || s->owner->gone(s->owner->self);
    return !s->gone;
}

static int error_of(const wr_run_result *result)
{
    switch (result->status) {
    case WR_RUN_MEMORY_FAULT:
        return strstr(result->message, "aligned") ? WR_CUDA_MISALIGNED : WR_CUDA_ILLEGAL_ADDRESS;
    case WR_RUN_TRAP:
        return strstr(result->message, "assert") ? WR_CUDA_ASSERT : WR_CUDA_LAUNCH_FAILURE;
    case WR_RUN_CYCLE_LIMIT:
    case WR_RUN_DEADLOCK:
        return WR_CUDA_TIMEOUT;
    case WR_RUN_REFUSED:
        return WR_CUDA_OUT_OF_RESOURCES;
    default:
        return WR_CUDA_UNKNOWN;
    }
}

bool wr_session_run(wr_session *s, wr_cuda_request *wait)
{
    s->wait = wait;
    while (!wr_session_over(s, wait)) {
        wr_streams streams = {
            .self = s, .next = next_launch, .done = launch_done, .cut = launch_cut};
        s->slots = s->stream_count < WR_MAX_STREAMS ? (uint32_t)s->stream_count : WR_MAX_STREAMS;
        streams.count = s->slots;
        memset(s->flying, 0, sizeof s->flying);
        uint64_t before = wr_gpu_cycle(s->gpu);
        uint64_t limit = s->max_cycles ? s->max_cycles : UINT64_MAX;
        s->result = wr_gpu_run_streams(s->gpu, &streams, limit, go_on, s);
        if (s->result.status != WR_RUN_DONE && !s->gone) {
            s->error = error_of(&s->result);
        } else if (wr_gpu_cycle(s->gpu) == before && !wr_session_over(s, wait)) {
            s->error = WR_CUDA_UNKNOWN; /* nothing is ready: a defect of ours, rather than a hang */
            (void)snprintf(s->result.message, sizeof s->result.message,
                           "streams wait for one another for ever");
        }
    }
    return !s->gone;
}
