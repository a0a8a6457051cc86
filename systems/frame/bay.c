/* SPDX-License-Identifier: Apache-2.0 */
/* Units and ports of a bay, their counts, and the end of a run in which a block failed: see bay.h.
 */
#include "systems/frame/bay_parts.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const backends[] = {[WR_BACKEND_MODEL] = "model",
                                       [WR_BACKEND_RTL] = "rtl",
                                       [WR_BACKEND_LOCKSTEP] = "lockstep",
                                       NULL};

const wr_option wr_bay_options[WR_BAY_OPTIONS] = {
    [WR_BAY_BLOCKS] = {.name = "blocks",
                       .kind = WR_OPTION_CHOICE,
                       .words = backends,
                       .preset = "model",
                       .doc = "what stands behind the blocks' pins (--blocks)"},
    [WR_BAY_WAVE] = {.name = "wave",
                     .kind = WR_OPTION_PATH,
                     .preset = "",
                     .doc =
                         "waveform, FST or VCD by its ending, and a saved view beside it (--wave)"},
    [WR_BAY_RECORD] = {.name = "record",
                       .kind = WR_OPTION_PATH,
                       .preset = "",
                       .doc = "folder for vectors of the blocks (--record)"},
    [WR_BAY_KEEP] = {.name = "keep",
                     .kind = WR_OPTION_NUMBER,
                     .max = 1000,
                     .preset = "2",
                     .doc = "how many sessions or units wave and record cover"},
    [WR_BAY_DUMP] = {.name = "dump",
                     .kind = WR_OPTION_PATH,
                     .preset = "mismatch.fst",
                     .doc = "last 1,000 cycles of a block that differs from its model; tried "
                            "before a lockstep run"},
};

wr_bay *wr_bay_new(const char *system, const wr_option_value *values, wr_own_rtl *own, uint64_t run)
{
    bay *b = calloc(1, sizeof *b);

    if (!b) {
        return NULL;
    }
    b->system = system;
    b->values = values;
    b->run = run;
    b->behind = (wr_behind){(wr_backend)values[WR_BAY_BLOCKS].word, own};
    b->leader = WR_BAY_NONE;
    b->session = WR_BAY_NONE;
    b->first_cycle = UINT64_MAX;
    return &b->pub;
}

const wr_behind *wr_bay_behind(const wr_bay *pub)
{
    return &((const bay *)pub)->behind;
}

wr_backend wr_bay_backend(const wr_bay *pub)
{
    return wr_bay_behind(pub)->backend;
}

/* Room for one more of `count` things of this size; the new one is 0. */
static bool grow(bay *b, void **things, uint32_t count, size_t size)
{
    void *more = realloc(*things, (count + UINT64_C(1)) * size);

    if (!more) {
        b->failed = true;
        return false;
    }
    memset((char *)more + count * size, 0, size);
    *things = more;
    return true;
}

uint32_t wr_bay_add_unit(wr_bay *pub, const char *name, wr_bay_kind kind)
{
    bay *b = (bay *)pub;

    if (grow(b, (void **)&b->units, b->unit_count, sizeof *b->units)) {
        bay_unit *u = &b->units[b->unit_count];

        (void)snprintf(u->name, sizeof u->name, "%s", name);
        u->kind = kind;
        u->first = b->tap_count;
        if (kind == WR_BAY_SESSIONS && b->leader == WR_BAY_NONE) {
            b->leader = b->unit_count;
        }
        b->unit_count++;
    }
    return b->unit_count - 1;
}

/* Where the block's fault pin is in its outputs; NULL: it has none. */
static const bool *fault_pin(const wr_block_desc *block, const void *out)
{
    for (size_t p = 0; p < block->pins_count; p++) {
        const wr_pin_desc *pin = &block->pins[p];

        if (pin->dir == WR_OUT && strcmp(pin->name, "fault") == 0) {
            assert(pin->width == 1 && pin->elem_bytes == sizeof(bool));
            return (const bool *)((const char *)out + pin->offset);
        }
    }
    return NULL;
}

void wr_bay_add_port(wr_bay *pub, uint32_t unit, wr_port *port, const void *out)
{
    bay *b = (bay *)pub;
    uint32_t same = 0;

    if (b->failed || !grow(b, (void **)&b->taps, b->tap_count, sizeof *b->taps)) {
        return;
    }
    assert(unit + 1 == b->unit_count);
    bay_unit *u = &b->units[unit];
    bay_tap *t = &b->taps[b->tap_count++];

    for (uint32_t i = 0; i < u->ports; i++) {
        same += b->taps[u->first + i].port->block == port->block;
    }
    if (same == 0) {
        (void)snprintf(t->name, sizeof t->name, "%s", port->block->name);
    } else {
        (void)snprintf(t->name, sizeof t->name, "%s%" PRIu32, port->block->name, same + 1);
    }
    u->ports++;
    t->owner = b;
    t->port = port;
    t->unit = unit;
    t->fault = out ? fault_pin(port->block, out) : NULL;
}

uint32_t wr_bay_add_signal(wr_bay *pub, uint32_t unit, const char *name, uint32_t width,
                           const char *const *names, uint32_t count)
{
    bay *b = (bay *)pub;

    if (grow(b, (void **)&b->signals, b->signal_count, sizeof *b->signals)) {
        bay_signal *s = &b->signals[b->signal_count++];

        *s = (bay_signal){.unit = unit, .width = width, .names = names, .count = count};
        (void)snprintf(s->name, sizeof s->name, "%s", name);
    }
    return b->signal_count - 1;
}

static void on_cycle(void *ctx, const wr_port *port, const void *in, const void *out)
{
    bay_tap *t = ctx;
    bool show = t->owner->units[t->unit].shown;
    uint32_t in_words[WR_MAX_WORDS] = {0};
    uint32_t out_words[WR_MAX_WORDS] = {0};

    if (!show && !t->recording) {
        return;
    }
    (void)wr_pack(port->block, WR_IN, port->cfg, in, in_words);
    (void)wr_pack(port->block, WR_OUT, port->cfg, out, out_words);
    if (t->recording) {
        wr_vectors_row(&t->vectors, in_words, out_words);
    }
    if (show) {
        wr_bay_wave_cycle(t, in_words, out_words);
    }
}

/* NULL, or why no file of this path can be made or overwritten. Leaves no trace. */
static const char *why_not_writable(const char *path)
{
    char folder[WR_OPTION_PATH_SIZE + 2];
    struct stat st;
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + 1 : 0;

    if (stat(path, &st) == 0) {
        if (!S_ISREG(st.st_mode)) {
            return "not a regular file";
        }
        return access(path, W_OK) == 0 ? NULL : strerror(errno);
    }
    if (errno != ENOENT || path[n] == '\0') {
        return strerror(errno);
    }
    memcpy(folder, path, n);
    memcpy(folder + n, ".", 2);
    return access(folder, W_OK | X_OK) == 0 ? NULL : strerror(errno);
}

bool wr_bay_start(wr_bay *pub, wr_fst *fst, const char *prefix, char *err, size_t err_size)
{
    bay *b = (bay *)pub;
    const char *dump = b->values[WR_BAY_DUMP].text;
    const char *why = wr_bay_backend(pub) == WR_BACKEND_LOCKSTEP ? why_not_writable(dump) : NULL;
    uint32_t keep = (uint32_t)b->values[WR_BAY_KEEP].number;
    bool record = b->values[WR_BAY_RECORD].given;

    if (why) {
        (void)snprintf(err, err_size, "system %s: dump=%s cannot be written: %s", b->system, dump,
                       why);
        return false;
    }
    if (record && !wr_bay_record_start(b, err, err_size)) {
        return false;
    }
    (void)snprintf(b->prefix, sizeof b->prefix, "%s", prefix);
    b->fst = fst;
    if (b->failed || (fst && !wr_bay_wave_start(b))) {
        (void)snprintf(err, err_size, "out of memory");
        return false;
    }
    for (uint32_t kind = 0; kind < 2; kind++) {
        b->waves_left[kind] = fst ? keep : 0;
        b->records_left[kind] = record ? keep : 0;
    }
    b->pub.writes = (fst || record) && keep > 0;
    for (uint32_t i = 0; b->pub.writes && i < b->tap_count; i++) {
        b->taps[i].observer = (wr_observer){.cycle = on_cycle, .ctx = &b->taps[i]};
        wr_port_observe(b->taps[i].port, &b->taps[i].observer);
    }
    return true;
}

bool wr_bay_begin_step(wr_bay *pub, uint32_t unit, uint64_t cycle)
{
    bay *b = (bay *)pub;

    b->cycle = cycle;
    if (b->records_left[b->units[unit].kind] > 0 && !b->units[unit].recorded) {
        wr_bay_record_begin(b, unit);
    }
    return wr_bay_wave_begin(b, unit);
}

bool wr_bay_end_step(wr_bay *pub, uint32_t unit)
{
    bay *b = (bay *)pub;

    if (b->units[unit].shown) {
        wr_bay_wave_end(b, unit);
    }
    return b->units[unit].shown;
}

void wr_bay_set(wr_bay *pub, uint32_t signal, uint64_t value)
{
    bay *b = (bay *)pub;
    const bay_signal *s = &b->signals[signal];

    wr_fst_set(b->fst, s->var, s->width, value);
}

void wr_bay_session_over(wr_bay *pub, uint32_t unit)
{
    bay *b = (bay *)pub;

    assert(b->units[unit].kind == WR_BAY_SESSIONS);
    if (b->session == unit) {
        b->units[unit].shown = false;
        b->session = WR_BAY_NONE;
    }
    wr_bay_record_end(b, unit);
}

bool wr_bay_check(const wr_bay *pub, uint32_t unit, char *text, size_t size)
{
    const bay *b = (const bay *)pub;
    const bay_unit *u = &b->units[unit];

    for (uint32_t i = 0; i < u->ports; i++) {
        const bay_tap *t = &b->taps[u->first + i];

        if (wr_port_failed(t->port, t->fault && *t->fault, text, size)) {
            return true;
        }
    }
    return false;
}

/* Behind the message a line for each of the last cycles. */
static void add_last_inputs(bay *b, const wr_port *port)
{
    wr_last_inputs last;
    char line[WR_LAST_LINE + 1];
    size_t used = strlen(b->message);

    wr_last_inputs_take(&last, port->checker, WR_LAST_CYCLES);
    (void)snprintf(b->message + used, sizeof b->message - used, "; its inputs up to there:");
    for (uint32_t i = 0; i < last.count; i++) {
        used = strlen(b->message);
        wr_last_inputs_line(&last, i, port->block, port->cfg, line);
        (void)snprintf(b->message + used, sizeof b->message - used, "\n%s", line);
    }
}

const char *wr_bay_fail(wr_bay *pub, uint32_t unit, const char *what)
{
    bay *b = (bay *)pub;
    const bay_unit *u = &b->units[unit];
    const char *dump = b->values[WR_BAY_DUMP].text;

    (void)snprintf(b->message, sizeof b->message, "%s", what);
    for (uint32_t i = 0; i < u->ports; i++) {
        const wr_port *port = b->taps[u->first + i].port;
        size_t used = strlen(b->message);
        char err[512];

        if (!wr_port_mismatch(port)) {
            continue;
        }
        bool written = wr_wave_dump(port, dump, err, sizeof err);

        if (written) {
            (void)snprintf(b->message + used, sizeof b->message - used,
                           "; its last cycles are in %s, gtkwave %s shows them", dump, dump);
        } else {
            (void)snprintf(b->message + used, sizeof b->message - used, "; %s", err);
        }
        add_last_inputs(b, port);
        break;
    }
    return b->message;
}

void wr_bay_cut(wr_bay *pub)
{
    bay *b = (bay *)pub;

    b->cut = true;
}

bool wr_bay_finish(wr_bay *pub, char *err, size_t err_size)
{
    bay *b = (bay *)pub;

    b->pub.writes = false;
    for (uint32_t u = 0; u < b->unit_count; u++) {
        wr_bay_record_end(b, u);
    }
    wr_bay_wave_stop(b);
    for (uint32_t i = 0; i < b->tap_count; i++) { /* what RTL says at its end */
        const wr_port *port = b->taps[i].port;

        if (!wr_port_stopped(port)) {
            wr_port_finish(port);
            (void)(wr_port_stopped(port) && !b->broken[0] &&
                   wr_port_failed(port, false, b->broken, sizeof b->broken));
        }
    }
    if (b->broken[0]) {
        (void)snprintf(err, err_size, "%s", b->broken);
    }
    return !b->broken[0];
}

uint64_t wr_bay_first_cycle(const wr_bay *pub)
{
    return ((const bay *)pub)->first_cycle;
}

/* Adds up the ports of one kind of block, which begins with tap `first`. */
static void report_block(const bay *b, uint32_t first, wr_report *r)
{
    const wr_block_desc *block = b->taps[first].port->block;
    bool compared = wr_bay_backend(&b->pub) == WR_BACKEND_LOCKSTEP;
    static const char *const columns[] = {"cycles", "transactions", "comparisons", "mismatches"};
    uint64_t sum[4] = {0};

    for (uint32_t i = first; i < b->tap_count; i++) {
        wr_port_stats one = wr_port_get_stats(b->taps[i].port);

        if (b->taps[i].port->block == block) {
            sum[0] += one.cycles;
            sum[1] += one.transactions;
            sum[2] += one.comparisons;
            sum[3] += one.mismatches;
        }
    }
    for (uint32_t c = 0; c < 4; c++) {
        char name[2 * WR_BAY_NAME];

        (void)snprintf(name, sizeof name, "%s.%s", block->name, columns[c]);
        wr_row *row = wr_report_count(r, name, block->name, sum[c], c == 0 ? "cycles" : "");

        row->column = columns[c];
        row->is_detail = c >= 2 && !compared;
    }
}

static void report_files(const bay *b, const char *view_path, wr_report *r)
{
    uint32_t unit = 0;

    if (b->values[WR_BAY_WAVE].given) {
        char line[WR_BAY_FILE];

        wr_report_section(r, "files", "Files");
        (void)wr_report_text(r, "wave", "waveform", b->values[WR_BAY_WAVE].text);
        (void)wr_report_text(r, "view", "saved view", view_path);
        (void)snprintf(line, sizeof line, "gtkwave %s", view_path);
        (void)wr_report_text(r, "", "open both", line);
    }
    if (b->values[WR_BAY_RECORD].given) {
        wr_report_section(r, "files", "Vectors");
        (void)wr_report_text(r, "vectors", "folder", b->values[WR_BAY_RECORD].text);
        (void)wr_report_count(r, "vectors.count", "files", b->files, "");
        (void)wr_report_count(r, "vectors.cycles", "rows", b->rows, "cycles");
    }
    while (unit < b->unit_count && !b->units[unit].recorded) {
        unit++;
    }
    if (b->files != 0) {
        const bay_tap *t = &b->taps[b->units[unit].first];
        char path[WR_BAY_FILE];
        char line[2 * WR_BAY_FILE];

        wr_bay_record_path(b, t, path, sizeof path);
        (void)snprintf(line, sizeof line, "warpref replay %s %s --against rtl",
                       t->port->block->name, path);
        (void)wr_report_text(r, "", "replay one", line);
    }
}

void wr_bay_report(const wr_bay *pub, const char *view_path, wr_report *r)
{
    const bay *b = (const bay *)pub;
    const char *backend = wr_backend_name(wr_bay_backend(pub));

    wr_report_section(r, "blocks", "Blocks, %s", backend);
    wr_report_text(r, "backend", "", backend)->is_detail = true;
    for (uint32_t i = 0; i < b->tap_count; i++) {
        bool is_first = true;

        for (uint32_t k = 0; is_first && k < i; k++) {
            is_first = b->taps[k].port->block != b->taps[i].port->block;
        }
        if (is_first) {
            report_block(b, i, r);
        }
    }
    report_files(b, view_path, r);
}

void wr_bay_free(wr_bay *pub)
{
    bay *b = (bay *)pub;

    if (!b) {
        return;
    }
    wr_bay_wave_free(b);
    free(b->units);
    free(b->taps);
    free(b->signals);
    free(b);
}
