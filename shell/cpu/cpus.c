/* SPDX-License-Identifier: Apache-2.0 */
/* All CPU cores; see cpus.h. */
#include "shell/cpu/cpus.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 64, PATH = 1024 };

typedef struct unit {
    wr_cpu_core core;
    const wr_cpu_app *app;
    wr_cpu_trace *trace; /* or NULL */
    wr_cpu_app of_trace; /* app of a core with one */
    char name[NAME];     /* the end of its path */
    uint64_t base;       /* of its memory */
} unit;

struct wr_cpus {
    wr_gpu_config cfg;
    wr_memsys *ms;
    unit *units;
};

/* CPU cycles that have begun by the end of a cycle of the GPU. */
static uint64_t clocks_by(const wr_cpus *p, uint64_t cycle)
{
    return cycle * p->cfg.cpu.mhz / p->cfg.clock.core_mhz + 1;
}

/* The GPU's cycle in which a CPU cycle begins. */
static uint64_t cycle_of(const wr_cpus *p, uint64_t clock)
{
    if (clock == WR_NEVER) {
        return WR_NEVER;
    }
    return (clock * p->cfg.clock.core_mhz + p->cfg.cpu.mhz - 1) / p->cfg.cpu.mhz;
}

wr_cpus *wr_cpus_create(const wr_gpu_config *cfg, wr_memsys *ms)
{
    wr_cpus *p = calloc(1, sizeof *p);
    if (p == NULL) {
        return NULL;
    }
    p->cfg = *cfg;
    p->ms = ms;
    p->units = calloc(cfg->cpu.cores, sizeof *p->units);
    bool ok = p->units != NULL;
    for (uint32_t i = 0; ok && i < cfg->cpu.cores; i++) {
        p->units[i].base = WR_CONFIG_CPU_BASE + i * wr_cpu_stream_lines(cfg) * cfg->l2.line_bytes;
        ok = wr_cpu_core_init(&p->units[i].core, &p->cfg);
    }
    if (!ok) {
        wr_cpus_free(p);
        return NULL;
    }
    return p;
}

void wr_cpus_free(wr_cpus *p)
{
    if (p == NULL) {
        return;
    }
    for (uint32_t i = 0; p->units != NULL && i < p->cfg.cpu.cores; i++) {
        wr_cpu_core_free(&p->units[i].core);
        wr_cpu_trace_close(p->units[i].trace);
    }
    free(p->units);
    free(p);
}

/* One entry of the list: an application, or a trace behind @, and on how many cores. */
typedef struct entry {
    const wr_cpu_app *app; /* NULL: a trace */
    char path[PATH];
    uint32_t cores;
} entry;

static bool find_app(const char *text, size_t length, entry *e, char *error, size_t size)
{
    if (text[0] == '@') {
        if (length < 2 || length > PATH) {
            (void)snprintf(error, size, "behind @ stands the path of a trace");
            return false;
        }
        memcpy(e->path, text + 1, length - 1);
        return true;
    }
    e->app = wr_cpu_app_find(text, length);
    if (e->app == NULL) {
        (void)snprintf(
            error, size,
            "there is no CPU application '%.*s'; names are those of Kayiran Table III, for "
            "example mcf, or @FILE for a trace (docs/cpu.md)",
            (int)length, text);
    }
    return e->app != NULL;
}

/* False: `error` is set. */
static bool read_entry(const char *text, size_t length, entry *e, char *error, size_t size)
{
    const char *star = memchr(text, '*', length);
    size_t name = star != NULL ? (size_t)(star - text) : length;
    *e = (entry){.cores = 1};
    if (!find_app(text, name, e, error, size)) {
        return false;
    }
    if (star != NULL) {
        char *end = NULL;
        unsigned long n = star[1] >= '1' && star[1] <= '9' ? strtoul(star + 1, &end, 10) : 0;
        if (n == 0 || n > 64 || end != text + length) {
            (void)snprintf(error, size, "behind %.*s* stands a number of cores, not '%.*s'",
                           (int)name, text, (int)(length - name - 1), star + 1);
            return false;
        }
        e->cores = (uint32_t)n;
    }
    return true;
}

/* Each core reads its trace for itself, from the begin. */
static bool take(unit *u, const entry *e, char *error, size_t size)
{
    const char *last = strrchr(e->path, '/');
    if (e->app != NULL) {
        u->app = e->app;
        return true;
    }
    u->trace = wr_cpu_trace_open(e->path, error, size);
    (void)snprintf(u->name, sizeof u->name, "%.*s", NAME - 1, last != NULL ? last + 1 : e->path);
    u->of_trace = (wr_cpu_app){.name = u->name};
    u->app = u->trace != NULL ? &u->of_trace : NULL;
    return u->trace != NULL;
}

/* The list's applications on the first cores; returns how many, 0: `error` is set. */
static uint32_t take_all(wr_cpus *p, const char *list, char *error, size_t size)
{
    uint32_t count = 0;
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",");
        entry e;
        if (!read_entry(at, length, &e, error, size)) {
            return 0;
        }
        if (count + e.cores > p->cfg.cpu.cores) {
            (void)snprintf(error, size, "there are more applications than CPU cores (%u)",
                           p->cfg.cpu.cores);
            return 0;
        }
        for (uint32_t i = 0; i < e.cores; i++) {
            if (!take(&p->units[count++], &e, error, size)) {
                return 0;
            }
        }
        at += length;
        if (*at == '\0') {
            return count;
        }
    }
}

bool wr_cpus_start(wr_cpus *p, uint64_t now, const char *list, char *error, size_t size)
{
    uint32_t count = take_all(p, list, error, size);
    for (uint32_t i = 0; i < p->cfg.cpu.cores; i++) {
        unit *u = &p->units[i];
        if (count == 0) { /* as before */
            wr_cpu_trace_close(u->trace);
            u->trace = NULL;
            u->app = NULL;
        } else if (i < count) {
            wr_cpu_core_start(&u->core, clocks_by(p, now) - 1, u->app->mpki10, u->trace, i);
        }
    }
    return count != 0;
}

static void take_replies(wr_cpus *p, unit *u, uint32_t port, uint64_t now)
{
    wr_packet packet;
    wr_cpu_core *c = &u->core;
    while (wr_memsys_reply(p->ms, now, port, &packet)) {
        assert(packet.sm == port);
        c->stats.replies++;
        if (packet.kind == WR_PACKET_READ) {
            c->stats.reply_bytes += packet.bytes;
            wr_cpu_core_fill(c, packet.tag);
        }
    }
}

static wr_packet packet_of(const wr_cpus *p, const unit *u, const wr_cpu_request *r, uint32_t port)
{
    uint32_t line = p->cfg.l2.line_bytes;
    uint8_t sectors = (uint8_t)((1U << (line / WR_SECTOR_BYTES)) - 1);
    return (wr_packet){.addr = u->base + r->line * line,
                       .tag = r->mshr,
                       .sm = (uint8_t)port,
                       .stream = WR_NO_STREAM,
                       .bytes = (uint16_t)line,
                       .serial = 1,
                       .kind = r->write ? WR_PACKET_WRITE : WR_PACKET_READ,
                       .sectors = sectors,
                       .covered = r->write ? sectors : 0};
}

static void send(wr_cpus *p, unit *u, uint32_t port, uint64_t now)
{
    wr_cpu_core *c = &u->core;
    const wr_cpu_request *r;
    while ((r = wr_cpu_core_request(c, clocks_by(p, now) - 1)) != NULL) {
        const wr_packet packet = packet_of(p, u, r, port);
        if (!wr_memsys_inject(p->ms, now, &packet)) {
            return;
        }
        c->stats.requests++;
        c->stats.request_bytes += r->write ? packet.bytes : 0;
        wr_cpu_core_sent(c);
    }
}

void wr_cpus_tick(wr_cpus *p, uint64_t now)
{
    if (p == NULL) {
        return;
    }
    uint64_t before = now != 0 ? clocks_by(p, now - 1) : 0;
    for (uint32_t i = 0; i < p->cfg.cpu.cores; i++) {
        unit *u = &p->units[i];
        uint32_t port = p->cfg.sms + i;
        if (u->app == NULL) {
            continue;
        }
        wr_cpu_core_run(&u->core, before);
        take_replies(p, u, port, now);
        wr_cpu_core_run(&u->core, clocks_by(p, now));
        send(p, u, port, now);
    }
}

/* The cycle in which a core's oldest request can leave. */
static uint64_t send_at(const wr_cpus *p, const unit *u, uint32_t port, uint64_t soon)
{
    if (u->core.out_count == 0) {
        return WR_NEVER;
    }
    const wr_cpu_request *r = &u->core.out[u->core.out_first];
    const wr_packet packet = packet_of(p, u, r, port);
    uint64_t at = cycle_of(p, r->at);
    return wr_memsys_inject_at(p->ms, at > soon ? at : soon, &packet);
}

uint64_t wr_cpus_next(const wr_cpus *p, uint64_t now)
{
    uint64_t soon = now + 1;
    uint64_t next = WR_NEVER;
    for (uint32_t i = 0; p != NULL && i < p->cfg.cpu.cores && next > soon; i++) {
        const unit *u = &p->units[i];
        if (u->app == NULL) {
            continue;
        }
        uint32_t port = p->cfg.sms + i;
        uint64_t wake = cycle_of(p, u->core.wake);
        uint64_t reply = wr_memsys_reply_at(p->ms, port);
        uint64_t out = send_at(p, u, port, soon);
        next = wake < next ? wake : next;
        next = reply < next ? reply : next;
        next = out < next ? out : next;
    }
    return next > soon ? next : soon;
}

void wr_cpus_settle(wr_cpus *p, uint64_t now)
{
    for (uint32_t i = 0; p != NULL && i < p->cfg.cpu.cores; i++) {
        wr_cpu_core_run(&p->units[i].core, clocks_by(p, now));
    }
}

uint64_t wr_cpus_in_flight(const wr_cpus *p)
{
    uint64_t n = 0;
    for (uint32_t i = 0; p != NULL && i < p->cfg.cpu.cores; i++) {
        n += p->units[i].core.stats.requests - p->units[i].core.stats.replies;
    }
    return n;
}

uint32_t wr_cpus_count(const wr_cpus *p)
{
    return p != NULL ? p->cfg.cpu.cores : 0;
}

bool wr_cpus_run(const wr_cpus *p)
{
    return p->units[0].app != NULL; /* applications go to the first cores */
}

const wr_cpu_app *wr_cpus_app(const wr_cpus *p, uint32_t core)
{
    return p->units[core].app;
}

const wr_cpu_stats *wr_cpus_stats(const wr_cpus *p, uint32_t core)
{
    return &p->units[core].core.stats;
}
