/* SPDX-License-Identifier: Apache-2.0 */
/* Trace files of CPU cores; see trace.h. Text is read whole, and checked, when it is opened;
 * records are read as they are used. */
#include "shell/cpu/trace.h"

#include "shell/config/regular.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD = 64, WRITTEN_AT = 16, WRITTEN = 2, READ_AT = 32, READ = 4, CHUNK = 1024 };

struct wr_cpu_trace {
    FILE *file; /* of records; NULL: all accesses are in `access` */
    uint8_t chunk[CHUNK * RECORD];
    size_t records, next; /* in the chunk */
    bool some;            /* an access has been seen since the file began */
    wr_cpu_trace_access *access;
    size_t count, room, at;
    uint64_t base;   /* instructions of the passes before, or of all records before */
    uint64_t length; /* of a pass of text */
};

static bool is_text(const char *path)
{
    size_t length = strlen(path);
    return length >= 4 && strcmp(path + length - 4, ".txt") == 0;
}

static void skip_blanks(const char **at)
{
    while (isspace((unsigned char)**at)) {
        ++*at;
    }
}

static bool read_number(const char **at, uint64_t *value)
{
    char *end = NULL;
    skip_blanks(at);
    if (!isdigit((unsigned char)**at)) {
        return false;
    }
    errno = 0;
    *value = strtoull(*at, &end, 0);
    *at = end;
    return errno == 0 && (isspace((unsigned char)*end) || *end == '\0');
}

/* Why the line is no access; NULL: it is one, or empty (`some` false). */
static const char *parse(const char *line, wr_cpu_trace_access *a, bool *some)
{
    const char *at = line;
    skip_blanks(&at);
    *some = *at != '\0';
    if (!*some) {
        return NULL;
    }
    if (!read_number(&at, &a->at)) {
        return "begins with the number of an instruction";
    }
    skip_blanks(&at);
    if ((*at != 'R' && *at != 'W') || !isspace((unsigned char)at[1])) {
        return "has R or W behind the number";
    }
    a->store = *at++ == 'W';
    if (!read_number(&at, &a->address)) {
        return "has an address behind R or W, for example 0x1f40";
    }
    skip_blanks(&at);
    return *at == '\0' ? NULL : "has nothing behind the address";
}

static bool append(wr_cpu_trace *t, wr_cpu_trace_access a)
{
    if (t->count == t->room) {
        size_t room = t->room != 0 ? 2 * t->room : 1024;
        wr_cpu_trace_access *more = realloc(t->access, room * sizeof *more);
        if (more == NULL) {
            return false;
        }
        t->access = more;
        t->room = room;
    }
    t->access[t->count++] = a;
    return true;
}

static bool read_text(wr_cpu_trace *t, FILE *file, const char *path, char *error, size_t size)
{
    char line[256];
    uint64_t number = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        wr_cpu_trace_access a = {0};
        bool some = false;
        number++;
        bool whole = strchr(line, '\n') != NULL || feof(file);
        line[strcspn(line, "#\n")] = '\0';
        const char *why = whole ? parse(line, &a, &some) : "is shorter than 256 characters";
        if (why == NULL && some && t->count != 0 && a.at <= t->access[t->count - 1].at) {
            why = "has a higher instruction number than the one before";
        }
        if (why == NULL && some && a.at >= UINT64_MAX / 2) {
            why = "has an instruction number below 2 to the power of 63";
        }
        if (why != NULL) {
            (void)snprintf(error, size, "%s:%" PRIu64 ": a line %s", path, number, why);
            return false;
        }
        if (some && !append(t, a)) {
            (void)snprintf(error, size, "%s: out of memory", path);
            return false;
        }
    }
    if (t->count == 0) {
        (void)snprintf(error, size, "%s: has no access to memory", path);
        return false;
    }
    t->length = t->access[t->count - 1].at + 1;
    return true;
}

/* Whether it can be gone back to its begin and holds whole records. */
static bool check_records(FILE *file, const char *path, char *error, size_t size)
{
    long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (end <= 0 || end % RECORD != 0) {
        (void)snprintf(error, size,
                       "%s: is no trace: %ld bytes are not whole records of %d (ChampSim's, not "
                       "compressed); text ends in .txt",
                       path, end, RECORD);
        return false;
    }
    rewind(file);
    return true;
}

wr_cpu_trace *wr_cpu_trace_open(const char *path, char *error, size_t size)
{
    const char *why = wr_regular_file(path, NULL);
    FILE *file = why != NULL ? NULL : fopen(path, "rb");
    if (file == NULL) {
        (void)snprintf(error, size, "%s: %s", path, why != NULL ? why : strerror(errno));
        return NULL;
    }
    wr_cpu_trace *t = calloc(1, sizeof *t);
    bool ok = t != NULL;
    if (!ok) {
        (void)snprintf(error, size, "%s: out of memory", path);
    } else if (is_text(path)) {
        ok = read_text(t, file, path, error, size);
    } else {
        ok = check_records(file, path, error, size);
        t->file = file;
    }
    if (!ok || t->file == NULL) {
        (void)fclose(file);
    }
    if (!ok && t != NULL) {
        t->file = NULL;
        wr_cpu_trace_close(t);
        t = NULL;
    }
    return t;
}

void wr_cpu_trace_close(wr_cpu_trace *t)
{
    if (t == NULL) {
        return;
    }
    if (t->file != NULL) {
        (void)fclose(t->file);
    }
    free(t->access);
    free(t);
}

static uint64_t word(const uint8_t *bytes)
{
    uint64_t value = 0;
    for (uint32_t i = 8; i-- != 0;) {
        value = value << 8 | bytes[i];
    }
    return value;
}

/* The accesses of the next record; false: a pass of the file had none at all. */
static bool next_record(wr_cpu_trace *t)
{
    if (t->next == t->records) {
        t->records = fread(t->chunk, RECORD, CHUNK, t->file);
        t->next = 0;
        if (t->records == 0) {
            bool some = t->some;
            t->some = false;
            rewind(t->file);
            return some;
        }
    }
    const uint8_t *r = &t->chunk[RECORD * t->next++];
    t->count = t->at = 0;
    for (uint32_t i = 0; i < READ + WRITTEN; i++) {
        bool store = i >= READ;
        uint64_t address =
            word(store ? r + WRITTEN_AT + 8 * (size_t)(i - READ) : r + READ_AT + 8 * (size_t)i);
        if (address != 0 && append(t, (wr_cpu_trace_access){t->base, address, store})) {
            t->base++;
            t->some = true;
        }
    }
    t->base += t->count == 0;
    return true;
}

wr_cpu_trace_access wr_cpu_trace_next(wr_cpu_trace *t)
{
    while (t->file != NULL && t->at == t->count) {
        if (!next_record(t)) {
            return (wr_cpu_trace_access){.at = UINT64_MAX};
        }
    }
    if (t->file == NULL && t->at == t->count) {
        t->base += t->length;
        t->at = 0;
    }
    wr_cpu_trace_access a = t->access[t->at++];
    a.at += t->file == NULL ? t->base : 0;
    return a;
}
