/* SPDX-License-Identifier: Apache-2.0 */
/* Requests in, replies out; see serve.h. What streams have read and kernels have printed is kept as
 * notes until the next reply to a wait.
 */
#include "cuda/server/serve.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/server/session.h"

enum { TEXT = WR_DIAG_MESSAGE_MAX + 512 }; /* bytes of a reply's text */

/* Bytes that grow at their end. */
typedef struct bytes {
    uint8_t *at;
    size_t used, room;
    bool failed; /* out of memory: what is there is not all */
} bytes;

typedef struct server {
    const wr_serve *how;
    wr_gpu *gpu;
    const wr_gpu_config *config;
    wr_session *session;
    bytes notes, answer;
    uint32_t note_count;
    size_t printed_at; /* where the head of the last note is, if that is text; else SIZE_MAX */
    bool left, gone, refused;
} server;

static void add(bytes *b, const void *data, size_t n)
{
    if (b->used + n > b->room) {
        size_t room = b->room ? b->room : 4096;
        while (room < b->used + n) {
            room *= 2;
        }
        uint8_t *grown = realloc(b->at, room);
        if (!grown) {
            b->failed = true;
            return;
        }
        b->at = grown;
        b->room = room;
    }
    memcpy(b->at + b->used, data, n);
    b->used += n;
}

static void note(server *s, uint64_t mark, const void *data, uint64_t n)
{
    wr_cuda_note head = {mark, n};
    s->printed_at = mark == WR_CUDA_PRINTED ? s->notes.used : SIZE_MAX;
    add(&s->notes, &head, sizeof head);
    add(&s->notes, data, n);
    s->note_count++;
}

static void on_read(void *self, uint64_t mark, const void *data, uint64_t n)
{
    note(self, mark, data, n);
}

static void on_print(void *self, const char *text, uint32_t n)
{
    server *s = self;
    if (s->printed_at == SIZE_MAX) {
        note(s, WR_CUDA_PRINTED, text, n);
        return;
    }
    wr_cuda_note head;
    add(&s->notes, text, n);
    memcpy(&head, s->notes.at + s->printed_at, sizeof head);
    head.bytes += n;
    memcpy(s->notes.at + s->printed_at, &head, sizeof head);
}

static void on_ended(void *self, uint64_t stream, const wr_launch *launch,
                     const wr_launch_result *result, bool cut)
{
    const server *s = self;
    if (s->how->ended) {
        s->how->ended(s->how->self, stream, launch, result, cut);
    }
}

static bool on_gone(void *self)
{
    server *s = self;
    struct pollfd p = {.fd = s->how->fd, .events = POLLIN};
    return poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR)) != 0;
}

/* A reply, with the session's error where it has none of its own, and the notes behind it where
 * they are asked for. */
static bool reply(server *s, int error, const char *text, uint64_t a, bool notes)
{
    wr_cuda_reply r = {.error = error, .a = a, .notes = notes ? s->note_count : 0};
    const void *data = error && text ? (const void *)text : s->answer.at;
    r.bytes = error ? (text ? strlen(text) : 0) : s->answer.used;
    bool ok = wr_cuda_send(s->how->fd, &r, sizeof r) && wr_cuda_send(s->how->fd, data, r.bytes) &&
              (!notes || wr_cuda_send(s->how->fd, s->notes.at, s->notes.used));
    s->answer.used = 0;
    if (notes) {
        s->notes.used = 0;
        s->note_count = 0;
        s->printed_at = SIZE_MAX;
    }
    s->gone |= !ok;
    return ok;
}

static bool answer_wait(server *s)
{
    const char *text;
    int error = wr_session_error(s->session, &text);
    uint64_t address = wr_session_result(s->session)->fault_address;
    if (s->notes.failed) {
        error = WR_CUDA_NO_MEMORY;
        text = "out of memory";
    }
    return reply(s, error, text, address, true);
}

static void describe_device(server *s)
{
    const wr_gpu_config *c = s->config;
    wr_cuda_device d = {.first_address = WR_MEM_BASE,
                        .global_bytes = WR_MEM_END - WR_MEM_BASE,
                        .const_bytes = 65536,
                        .sms = c->sms,
                        .warp_size = c->sm.warp_size,
                        .max_threads = 1024,
                        .max_threads_sm = c->sm.max_warps * c->sm.warp_size,
                        .max_tbs_sm = c->sm.max_tbs,
                        .regs_tb = c->sm.registers,
                        .regs_sm = c->sm.registers,
                        .shared_tb = c->sm.shared_bytes,
                        .shared_sm = c->sm.shared_bytes,
                        .l2_bytes = c->l2.bytes,
                        .core_mhz = c->clock.core_mhz,
                        /* of GDDR5: twice the command clock, two transfers in each cycle of it */
                        .memory_mhz = 2 * c->clock.dram_mhz,
                        .bus_bits = c->dram.channels * c->dram.burst_bytes * 8 /
                                    (4 * c->dram.burst_clocks)};
    (void)snprintf(d.name, sizeof d.name, "warpref %s", c->name);
    add(&s->answer, &d, sizeof d);
}

static void describe_module(server *s, uint64_t number)
{
    const wr_module *m = wr_session_code(s->session, number);
    uint32_t counts[2] = {(uint32_t)(m->kernel_count + m->refused_count), (uint32_t)m->var_count};
    add(&s->answer, counts, sizeof counts);
    for (size_t i = 0; i < m->kernel_count; i++) {
        const wr_kernel *k = &m->kernels[i];
        wr_cuda_kernel row = {.regs = k->regs,
                              .shared_bytes = k->shared_bytes,
                              .local_bytes = k->local_bytes,
                              .max_threads = k->max_tid ? k->max_tid : 1024,
                              .param_bytes = k->param_bytes,
                              .params = (uint32_t)k->param_count,
                              .name_bytes = (uint32_t)strlen(k->name)};
        add(&s->answer, &row, sizeof row);
        for (size_t p = 0; p < k->param_count; p++) {
            wr_cuda_param param = {k->params[p].offset, k->params[p].size};
            add(&s->answer, &param, sizeof param);
        }
        add(&s->answer, k->name, row.name_bytes);
    }
    for (size_t i = 0; i < m->refused_count; i++) {
        char text[WR_DIAG_MESSAGE_MAX + 512];
        const wr_diag *d = m->refused[i].diag;
        int n = snprintf(text, sizeof text, "%s%c%s:%u: %s", m->refused[i].name, 0, d->file,
                         d->line, d->message);
        wr_cuda_kernel row = {.refused = 1,
                              .name_bytes =
                                  (uint32_t)(n < (int)sizeof text ? n : (int)sizeof text - 1)};
        add(&s->answer, &row, sizeof row);
        add(&s->answer, text, row.name_bytes);
    }
    for (size_t i = 0; i < m->var_count; i++) {
        const wr_module_var *v = &m->vars[i];
        wr_cuda_variable row = {wr_session_variable(s->session, number, v), v->size,
                                (uint32_t)strlen(v->name), 0};
        add(&s->answer, &row, sizeof row);
        add(&s->answer, v->name, row.name_bytes);
    }
}

/* A module and what stands in it; `text` is why there is none. False: the run does not take it. */
static bool take_module(server *s, const wr_cuda_request *r, const uint8_t *data, uint64_t *module,
                        int *error, char text[TEXT])
{
    wr_diag diag = {0};
    *error = wr_session_module(s->session, (const char *)data, r->bytes, module, &diag);
    (void)snprintf(text, TEXT, "%s:%u:%u: %s", diag.file, diag.line, diag.column, diag.message);
    if (*error) {
        return true;
    }
    if (!s->how->takes(s->how->self, wr_session_code(s->session, *module))) {
        s->refused = true;
        return false;
    }
    describe_module(s, *module);
    return true;
}

/* All requests but those that wait; the data are the session's or freed. False: the program is
 * gone. */
static bool carry_out(server *s, const wr_cuda_request *r, uint8_t *data)
{
    uint64_t a = 0;
    uint32_t tbs = 0;
    int64_t cycles = 0;
    char text[TEXT] = "";
    int error = 0;
    switch (r->what) {
    case WR_CUDA_GREET:
        error = r->a == WR_CUDA_GREETING ? 0 : WR_CUDA_UNKNOWN;
        (void)snprintf(text, sizeof text,
                       "the program was linked with another version of warpref's "
                       "CUDA runtime; link it again with `warpref cc`");
        describe_device(s);
        break;
    case WR_CUDA_MODULE:
        if (!take_module(s, r, data, &a, &error, text)) {
            free(data);
            return false;
        }
        break;
    case WR_CUDA_ALLOC:
        error = wr_store_alloc(wr_session_store(s->session), r->a, r->b, r->c != 0, &a);
        break;
    case WR_CUDA_FREE:
        error = wr_store_release(wr_session_store(s->session), r->a);
        break;
    case WR_CUDA_MEMORY:
        a = WR_MEM_END - WR_MEM_BASE - wr_session_store(s->session)->used;
        break;
    case WR_CUDA_CHECK:
        error = wr_store_has(wr_session_store(s->session), r->a, r->b) ? 0 : WR_CUDA_INVALID_VALUE;
        break;
    case WR_CUDA_STREAM:
        a = wr_session_stream(s->session, r->a == 0, (uint32_t)r->b);
        error = a ? 0 : WR_CUDA_NO_MEMORY;
        break;
    case WR_CUDA_END_STREAM:
        error = wr_session_end_stream(s->session, r->stream);
        break;
    case WR_CUDA_EVENT:
        a = wr_session_event(s->session);
        error = a == UINT64_MAX ? WR_CUDA_NO_MEMORY : 0;
        break;
    case WR_CUDA_END_EVENT:
        error = wr_session_end_event(s->session, r->a);
        break;
    case WR_CUDA_ELAPSED:
        error = wr_session_elapsed(s->session, r->a, r->b, &cycles);
        a = (uint64_t)cycles;
        break;
    case WR_CUDA_OCCUPANCY:
        error = wr_session_occupancy(s->session, r, &tbs);
        a = tbs;
        break;
    case WR_CUDA_LIMIT:
        error = wr_session_limit(s->session, r, &a);
        break;
    default:
        error = wr_session_enqueue(s->session, r, data);
        data = NULL;
    }
    free(data);
    return reply(s, error, text[0] ? text : NULL, a, false);
}

/* Requests up to the first that waits for something that is not over. False: there is none. */
static bool take_requests(server *s, wr_cuda_request *wait)
{
    wr_cuda_request r;
    while (!s->gone && wr_cuda_receive(s->how->fd, &r, sizeof r)) {
        if (r.what == WR_CUDA_LEAVE) {
            s->left = true;
            return false;
        }
        if (r.what == WR_CUDA_WAIT) {
            if (!wr_session_over(s->session, &r)) {
                *wait = r;
                return true;
            }
            if (!answer_wait(s)) {
                return false;
            }
            continue;
        }
        uint8_t *data = r.bytes < SIZE_MAX / 2 ? malloc(r.bytes + 1) : NULL;
        if (!data || !wr_cuda_receive(s->how->fd, data, r.bytes)) {
            free(data);
            break;
        }
        data[r.bytes] = 0;
        if (!carry_out(s, &r, data)) {
            break;
        }
    }
    s->gone = true;
    return false;
}

static bool on_waited(void *self, wr_cuda_request *wait)
{
    return answer_wait(self) && take_requests(self, wait);
}

bool wr_serve_run(wr_serve *serve, wr_gpu *gpu, const wr_gpu_config *config, wr_run_result *result,
                  wr_diag *diag)
{
    server s = {.how = serve, .gpu = gpu, .config = config, .printed_at = SIZE_MAX};
    const wr_session_owner owner = {&s, on_waited, on_read, on_ended, on_gone};
    wr_cuda_request wait;
    s.session = wr_session_new(gpu, config, serve->compile, serve->max_cycles, &owner);
    if (!s.session) {
        wr_diag_set(diag, NULL, 0, 0, "out of memory");
        return false;
    }
    if (serve->memory >= 0) { /* where it cannot be, the program sees a file without bytes */
        (void)wr_gpu_share_memory(gpu, serve->memory);
        (void)close(serve->memory);
    }
    if (!serve->keep_print) {
        wr_gpu_set_print(gpu, on_print, &s);
    }
    while (take_requests(&s, &wait) && wr_session_run(s.session, &wait) && answer_wait(&s)) {
    }
    *result = *wr_session_result(s.session);
    result->cycles = wr_gpu_cycle(gpu);
    wr_gpu_set_print(gpu, NULL, NULL);
    serve->session = s.session;
    free(s.notes.at);
    free(s.answer.at);
    return !s.refused;
}

void wr_serve_leave(wr_serve *serve, int status)
{
    wr_cuda_reply r = {.error = status, .a = WR_CUDA_OVER};
    (void)wr_cuda_send(serve->fd, &r, sizeof r);
    wr_session_free(serve->session);
    serve->session = NULL;
}
