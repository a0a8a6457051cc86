/* SPDX-License-Identifier: Apache-2.0 */
/* Ports: what is the same for every block. See port.h. */
#include "dpi/port.h"

#include "dpi/checker.h"
#include "dpi/own_rtl.h"
#include "dpi/rtl.h"
#include "dpi/rtl_cache.h"
#include "files/replace.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char *const backend_names[] = {"model", "rtl", "lockstep"};

bool wr_backend_parse(const char *text, wr_backend *backend)
{
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, backend_names[i]) == 0) {
            *backend = (wr_backend)i;
            return true;
        }
    }
    return false;
}

const char *wr_backend_name(wr_backend backend)
{
    return backend_names[backend];
}

/* The path of the library, in path: that of the named configuration, else one of the cache. */
static bool locate(const wr_block_desc *block, wr_backend backend, const void *cfg, char *path,
                   size_t path_size, char *err, size_t err_size)
{
    const wr_config_desc *config = wr_block_config_of(block, cfg);
    const bool lockstep = backend == WR_BACKEND_LOCKSTEP;

    return (config != NULL && wr_rtl_find(block, config->name, lockstep, path, path_size)) ||
           wr_rtl_cached(block, cfg, lockstep ? "lockstep" : "rtl", path, path_size, err, err_size);
}

bool wr_port_open(wr_port *port, const wr_block_desc *block, wr_backend backend, const void *cfg,
                  void *model, const wr_port_own *own, uint64_t seed, char *err, size_t err_size)
{
    const char *lib = own != NULL ? own->lib : NULL;
    char path[2048];

    memset(port, 0, sizeof(*port));
    port->backend = backend;
    port->block = block;
    port->cfg = cfg;
    port->model = model;
    if (block->init(model, cfg) != WR_OK) {
        wr_block_refusal(block, cfg, err, err_size);
        return false;
    }
    if (backend == WR_BACKEND_MODEL) {
        return true;
    }
    if (lib == NULL) {
        if (!locate(block, backend, cfg, path, sizeof(path), err, err_size)) {
            return false;
        }
        lib = path;
    }
    if (backend == WR_BACKEND_LOCKSTEP) {
        port->checker = wr_checker_new(block, cfg, own != NULL ? own->align : (wr_align){0});
        if (port->checker == NULL) {
            (void)snprintf(err, err_size, "%s: out of memory", block->name);
            return false;
        }
    }
    port->rtl = wr_rtl_open(lib, block, cfg, port->checker, own != NULL ? own->pulse : NULL, seed,
                            own != NULL ? own->start : WR_START_RANDOM, err, err_size);
    if (port->rtl == NULL) {
        wr_port_close(port);
        return false;
    }
    return true;
}

bool wr_port_open_behind(wr_port *port, const wr_block_desc *block, const wr_behind *behind,
                         const void *cfg, void *model, char *err, size_t err_size)
{
    const bool lockstep = behind->backend == WR_BACKEND_LOCKSTEP;
    wr_port_own own = {0};

    if (behind->own != NULL && behind->backend != WR_BACKEND_MODEL &&
        block->init(model, cfg) == WR_OK &&
        !wr_own_rtl_find(behind->own, block, cfg, lockstep, &own, err, err_size)) {
        return false;
    }
    return wr_port_open(port, block, behind->backend, cfg, model, own.lib != NULL ? &own : NULL, 1,
                        err, err_size);
}

void wr_port_close(wr_port *port)
{
    wr_rtl_close(port->rtl);
    wr_checker_free(port->checker);
    port->rtl = NULL;
    port->checker = NULL;
}

void wr_port_reset(wr_port *port)
{
    if (port->backend == WR_BACKEND_MODEL) {
        port->block->reset(port->model);
    } else {
        wr_port_reset_rtl(port);
    }
    port->transfer = false;
    wr_port_tell_reset(port);
}

void wr_port_eval(wr_port *port, const void *in, void *out)
{
    if (port->backend == WR_BACKEND_MODEL) {
        port->block->eval(port->model, in, out);
    } else {
        wr_port_eval_rtl(port, in, out);
    }
    port->transfer = port->block->transfer(in, out);
}

/* The clock edge; observers see the settled pins before it. */
static void clock_edge(wr_port *port, const void *in)
{
    if (port->observers != NULL) {
        _Alignas(8) uint8_t out[WR_MAX_PINS_BYTES];
        wr_port_eval(port, in, out);
        wr_port_tell(port, in, out);
    }
    if (port->backend == WR_BACKEND_MODEL) {
        port->block->tick(port->model, in);
    } else {
        wr_port_tick_rtl(port, in);
    }
}

void wr_port_tick(wr_port *port, const void *in)
{
    clock_edge(port, in);
    port->count.cycles++;
    port->count.transactions += port->transfer;
}

void wr_port_reset_rtl(wr_port *port)
{
    wr_rtl_reset(port->rtl);
    port->settled = false;
}

/* The clock low: outputs settle with the inputs that are on the pins. */
static void settle_held(wr_port *port)
{
    wr_rtl *r = port->rtl;

    wr_rtl_settle(r, false, true);
    r->ops->get(r->dut, port->words_out);
    port->settled = true;
}

/* Puts the inputs on the pins where they differ from those of the last time. */
static void settle(wr_port *port, const void *in)
{
    if (port->settled && memcmp(in, port->pins_in, port->block->in_size) == 0) {
        return;
    }
    memcpy(port->pins_in, in, port->block->in_size);
    (void)wr_pack(port->block, WR_IN, port->cfg, in, port->words_in);
    port->rtl->ops->put(port->rtl->dut, port->words_in);
    settle_held(port);
}

void wr_port_eval_rtl(wr_port *port, const void *in, void *out)
{
    settle(port, in);
    wr_unpack(port->block, WR_OUT, port->cfg, port->words_out, out);
}

/* The clock high, once all is settled. */
static void rise(wr_port *port)
{
    wr_rtl *r = port->rtl;

    wr_rtl_settle(r, true, true);
    r->cycles++;
    port->settled = false;
    if (port->checker != NULL && !r->ops->stopped(r->dut)) {
        wr_checker_on_port(port->checker, port->words_in, port->words_out);
    }
}

void wr_port_tick_rtl(wr_port *port, const void *in)
{
    settle(port, in);
    rise(port);
}

/* n edges of an RTL port that nobody observes: the inputs are packed once. */
static void skip_rtl(wr_port *port, const void *in, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        if (i == 0) {
            settle(port, in);
        } else {
            settle_held(port);
        }
        rise(port);
    }
}

/* n edges of a block that does not run freely, or fewer: once it stands still it goes on so. */
static void hold_model(wr_port *port, const void *in, uint64_t n, void *mark)
{
    bool moves = true;

    for (uint64_t i = 0; i < n && moves; i++) {
        memcpy(mark, port->model, port->block->state_size);
        port->block->tick(port->model, in);
        moves = memcmp(mark, port->model, port->block->state_size) != 0;
    }
}

void wr_port_hold(wr_port *port, const void *in, uint64_t n, void *mark)
{
    if (port->observers != NULL) {
        for (uint64_t i = 0; i < n; i++) {
            clock_edge(port, in);
        }
    } else if (port->backend == WR_BACKEND_MODEL) {
        if (port->block->free_running) {
            port->block->skip(port->model, in, n);
        } else {
            hold_model(port, in, n, mark);
        }
    } else {
        skip_rtl(port, in, n);
    }
    port->count.cycles += n;
    port->transfer = false;
}

void wr_port_skip(wr_port *port, const void *in, uint64_t n)
{
    assert(port->block->free_running);
    wr_port_hold(port, in, n, NULL);
}

uint64_t wr_port_quiet(const wr_port *port, const void *in)
{
    const void *model =
        port->checker != NULL ? wr_checker_model(port->checker) : (const void *)port->model;

    assert(port->block->free_running);
    return port->backend == WR_BACKEND_RTL ? 0 : port->block->quiet(model, in);
}

void wr_port_tell(const wr_port *port, const void *in, const void *out)
{
    for (wr_observer *o = port->observers; o != NULL; o = o->next) {
        o->cycle(o->ctx, port, in, out);
    }
}

void wr_port_tell_reset(const wr_port *port)
{
    for (wr_observer *o = port->observers; o != NULL; o = o->next) {
        if (o->reset != NULL) {
            o->reset(o->ctx, port);
        }
    }
}

void wr_port_observe(wr_port *port, wr_observer *observer)
{
    observer->next = port->observers;
    port->observers = observer;
}

wr_port_stats wr_port_get_stats(const wr_port *port)
{
    wr_port_stats stats = port->count;

    if (port->checker != NULL) {
        stats.comparisons = wr_checker_comparisons(port->checker);
        stats.mismatches = wr_checker_mismatches(port->checker);
    }
    return stats;
}

const char *wr_port_mismatch(const wr_port *port)
{
    return port->checker != NULL ? wr_checker_first(port->checker) : NULL;
}

void wr_port_forget(wr_port *port)
{
    if (port->checker != NULL) {
        wr_checker_forget(port->checker);
    }
}

bool wr_port_failed(const wr_port *port, bool fault, char *text, size_t text_size)
{
    const char *mismatch = wr_port_mismatch(port);
    const bool stopped = wr_port_stopped(port);

    if (mismatch) {
        (void)snprintf(text, text_size, "%s", mismatch);
    } else if (stopped) {
        (void)snprintf(text, text_size, "%s: cycle %llu: the RTL ended the simulation: %s",
                       port->block->name, (unsigned long long)port->count.cycles,
                       wr_port_stop_text(port));
    } else if (fault) {
        (void)snprintf(text, text_size, "%s: cycle %llu: pin fault: expected 0, got 1",
                       port->block->name, (unsigned long long)port->count.cycles);
    }
    return mismatch || stopped || fault;
}

void wr_port_finish(const wr_port *port)
{
    if (port->rtl != NULL) {
        wr_rtl_finish(port->rtl);
    }
}

bool wr_port_stopped(const wr_port *port)
{
    return port->rtl != NULL && port->rtl->ops->stopped(port->rtl->dut);
}

const char *wr_port_stop_text(const wr_port *port)
{
    return port->rtl != NULL ? port->rtl->ended : "";
}

uint32_t wr_port_registers(const wr_port *port)
{
    return port->rtl != NULL ? port->rtl->registers : 0;
}

void wr_port_pins_only(wr_port *port)
{
    if (port->checker != NULL) {
        port->rtl->registers = wr_checker_leave_out(port->checker, NULL);
    }
}

bool wr_port_trace_rtl(wr_port *port, const char *path)
{
    return port->rtl != NULL && port->rtl->ops->trace(port->rtl->dut, path);
}

uint32_t wr_port_coverage(const wr_port *port, wr_rtl_points of, uint32_t **counts)
{
    return port->rtl != NULL && port->rtl->coverage != NULL
               ? port->rtl->coverage->points(port->rtl->dut, of, counts)
               : 0;
}

/* Verilator says nothing where it cannot write: whether the last line has its end. */
static bool is_whole(const char *path)
{
    FILE *file = fopen(path, "r");
    const bool whole = file != NULL && fseek(file, -1, SEEK_END) == 0 && fgetc(file) == '\n';

    if (file != NULL) {
        (void)fclose(file);
    }
    return whole;
}

bool wr_port_write_coverage(const wr_port *port, const char *path)
{
    wr_replace to;

    if (!wr_replace_open_name(&to, path)) {
        return false;
    }
    port->rtl->coverage->write(port->rtl->dut, to.beside);
    const bool whole = is_whole(to.beside);

    return wr_replace_close(&to, whole) && whole;
}
