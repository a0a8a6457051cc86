/* SPDX-License-Identifier: Apache-2.0 */
/* Reading vectors: header and rows, with a message that names the line. See vectors.h. */
#include "dpi/bits.h"
#include "dpi/printable.h"
#include "files/line.h"
#include "vectors/vectors.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_BLOCK = 1, KEY_CONFIG = 2, KEY_PARAMS = 4, KEY_SEED = 8, KEY_BITS = 16, KEY_COUNT = 32 };
enum { MAX_ROWS = 100000000 };

static const char *const key_names[] = {"block", "config", "parameters", "seed", "bits", "count"};

typedef struct reader {
    wr_vectors *v;
    FILE *file;
    char *text; /* the line, grown by getline */
    size_t room;
    uint32_t line;
    bool is_long;  /* the line was longer than one can be */
    unsigned keys; /* KEY_ bits seen */
    uint32_t in_bits, out_bits;
    uint32_t rows, rows_room;
    char *err;
    size_t err_size;
} reader;

__attribute__((format(printf, 2, 3))) static bool complain(reader *r, const char *format, ...)
{
    va_list args;
    int used = snprintf(r->err, r->err_size, "%s:%" PRIu32 ": ", r->v->path, r->line);

    va_start(args, format);
    if (used > 0 && (size_t)used < r->err_size) {
        (void)vsnprintf(r->err + used, r->err_size - (size_t)used, format, args);
    }
    va_end(args);
    wr_printable(r->err);
    return false;
}

const char *wr_hex_read(const char *text, uint32_t bits, uint32_t *words)
{
    uint32_t count = (bits + 3) / 4;

    memset(words, 0, (bits + 31) / 32 * sizeof(*words));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = (count - 1 - i) * 4;
        int c = tolower((unsigned char)text[i]);
        uint32_t value;
        if (c == '\0') {
            return "too few digits";
        }
        if (c == 'x' || c == 'z') {
            return "a digit is x or z: the pin was not driven";
        }
        if (!isxdigit(c)) {
            return "not a hexadecimal digit";
        }
        value = (uint32_t)(isdigit(c) ? c - '0' : c - 'a' + 10);
        if (place + 4 > bits && value >> (bits - place) != 0) {
            return "bits above the highest pin are not 0";
        }
        words[place / 32] |= value << place % 32;
    }
    return text[count] == '\0' ? NULL : "too many digits";
}

/* Whole unsigned number up to max, or false. */
static bool number(const char *text, uint64_t max, uint64_t *value)
{
    uint64_t n = 0;

    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || n > (UINT64_MAX - 9) / 10) {
            return false;
        }
        n = n * 10 + (uint64_t)(*text - '0');
    }
    *value = n;
    return n <= max;
}

static bool read_params(reader *r, char *text)
{
    const wr_block_desc *block = r->v->block;
    bool seen[WR_MAX_PARAMS] = {false};
    char *save = NULL;

    if (block == NULL) {
        return complain(r, "'// parameters' must follow '// block'");
    }
    for (char *word = strtok_r(text, " ", &save); word != NULL; word = strtok_r(NULL, " ", &save)) {
        char *equals = strchr(word, '=');
        uint64_t value;
        size_t i = 0;
        if (equals == NULL) {
            return complain(r, "parameter '%s': write Name=value", word);
        }
        *equals = '\0';
        while (i < block->params_count && strcmp(block->params[i].name, word) != 0) {
            i++;
        }
        if (i == block->params_count || seen[i]) {
            return complain(r, "parameter '%s': %s %s", word, block->name,
                            i == block->params_count ? "has none of this name"
                                                     : "is given it twice");
        }
        if (!number(equals + 1, block->params[i].max, &value) || value < block->params[i].min) {
            return complain(r, "parameter %s = '%s': must be %" PRIu32 " to %" PRIu32, word,
                            equals + 1, block->params[i].min, block->params[i].max);
        }
        r->v->cfg[i] = (uint32_t)value;
        seen[i] = true;
    }
    for (size_t i = 0; i < block->params_count; i++) {
        if (!seen[i]) {
            return complain(r, "parameter %s is missing", block->params[i].name);
        }
    }
    return true;
}

static bool read_key(reader *r, size_t key, char *text)
{
    uint64_t value = 0;

    if (r->keys & 1u << key) {
        return complain(r, "'// %s' stands twice", key_names[key]);
    }
    r->keys |= 1u << key;
    switch (1u << key) {
    case KEY_BLOCK:
        r->v->block = wr_block_find(text);
        return r->v->block != NULL || complain(r, "no block '%s'; see warpref blocks", text);
    case KEY_CONFIG:
        (void)snprintf(r->v->config, sizeof(r->v->config), "%s", text);
        return true;
    case KEY_PARAMS:
        return read_params(r, text);
    case KEY_SEED:
        return number(text, UINT64_MAX, &r->v->seed) || complain(r, "seed '%s' is no number", text);
    case KEY_BITS: {
        int end = 0;
        bool good =
            sscanf(text, "in=%" SCNu32 " out=%" SCNu32 "%n", &r->in_bits, &r->out_bits, &end) == 2;
        return (good && text[end] == '\0') || complain(r, "write '// bits in=N out=M'");
    }
    default:
        if (!number(text, MAX_ROWS, &value) || value == 0) {
            return complain(r, "count '%s': must be 1 to %d", text, MAX_ROWS);
        }
        r->v->count = (uint32_t)value;
        return true;
    }
}

/* "run" and 16 digits; other words behind it are a comment. */
static bool read_run(const char *text, uint64_t *run)
{
    uint32_t words[2];

    if (strncmp(text, "run ", 4) != 0 || wr_hex_read(text + 4, 64, words) != NULL) {
        return false;
    }
    *run = (uint64_t)words[1] << 32 | words[0];
    return true;
}

/* A comment: one of the header's keys, or nothing to us. */
static bool read_comment(reader *r)
{
    char *text = r->text + 2;

    text += strspn(text, " \t");
    if (r->rows == 0 && read_run(text, &r->v->run)) {
        return true;
    }
    if (strcmp(text, "warpref reset") == 0) {
        return complain(r, "a reset between rows; testbench/replay/replay.sh alone plays it");
    }
    if (strcmp(text, WR_CUT) == 0) {
        r->v->cut = true;
        return true;
    }
    for (size_t key = 0; key < sizeof(key_names) / sizeof(key_names[0]); key++) {
        size_t n = strlen(key_names[key]);
        if (strncmp(text, key_names[key], n) == 0 && text[n] == ' ') {
            return read_key(r, key, text + n + strspn(text + n, " \t"));
        }
    }
    return true;
}

/* The header is complete: check it. */
static bool start_rows(reader *r)
{
    wr_vectors *v = r->v;
    uint32_t in_bits;
    uint32_t out_bits;
    void *probe;
    bool good;

    for (size_t key = 0; key < sizeof(key_names) / sizeof(key_names[0]); key++) {
        if (!(r->keys & 1u << key)) {
            return complain(r, "'// %s' is missing above the first row", key_names[key]);
        }
    }
    probe = calloc(1, v->block->state_size);
    good = probe != NULL && v->block->init(probe, v->cfg) == WR_OK;
    free(probe);
    if (!good) {
        return complain(r, "%s refuses these parameters: see warpref blocks %s", v->block->name,
                        v->block->name);
    }
    in_bits = wr_block_bits(v->block, WR_IN, v->cfg);
    out_bits = wr_block_bits(v->block, WR_OUT, v->cfg);
    if (r->in_bits != in_bits || r->out_bits != out_bits) {
        return complain(r,
                        "the header says in=%" PRIu32 " out=%" PRIu32
                        " bits; %s with these parameters "
                        "has in=%" PRIu32 " out=%" PRIu32,
                        r->in_bits, r->out_bits, v->block->name, in_bits, out_bits);
    }
    v->in_words = (in_bits + 31) / 32;
    v->out_words = (out_bits + 31) / 32;
    return true;
}

static bool grow(uint32_t **words, size_t count)
{
    uint32_t *more = realloc(*words, count * sizeof(**words));

    if (more == NULL) {
        return false;
    }
    *words = more;
    return true;
}

/* Room for one more row. The count of a header may promise any number. */
static bool make_room(reader *r)
{
    wr_vectors *v = r->v;

    if (r->rows < r->rows_room) {
        return true;
    }
    r->rows_room = r->rows == 0 ? 1024 : 2 * r->rows;
    return (grow(&v->in, (size_t)r->rows_room * v->in_words) &&
            grow(&v->out, (size_t)r->rows_room * v->out_words) && grow(&v->line, r->rows_room)) ||
           complain(r, "out of memory for %" PRIu32 " rows", r->rows_room);
}

static bool read_row(reader *r)
{
    uint32_t both[2 * WR_MAX_WORDS + 1];
    wr_vectors *v = r->v;
    const char *wrong;

    if (r->rows == 0 && !start_rows(r)) {
        return false;
    }
    if (r->rows == v->count) {
        return complain(r, "more rows than the header's count of %" PRIu32, v->count);
    }
    wrong = wr_hex_read(r->text, r->in_bits + r->out_bits, both);
    if (wrong != NULL) {
        return complain(r, "%s; a row has %" PRIu32 " hexadecimal digits", wrong,
                        (r->in_bits + r->out_bits + 3) / 4);
    }
    if (!make_room(r)) {
        return false;
    }
    for (uint32_t bit = 0; bit < r->in_bits; bit += 32) {
        uint32_t width = r->in_bits - bit < 32 ? r->in_bits - bit : 32;
        v->in[(size_t)r->rows * v->in_words + bit / 32] = (uint32_t)wr_bits_get(both, bit, width);
    }
    for (uint32_t bit = 0; bit < r->out_bits; bit += 32) {
        uint32_t width = r->out_bits - bit < 32 ? r->out_bits - bit : 32;
        v->out[(size_t)r->rows * v->out_words + bit / 32] =
            (uint32_t)wr_bits_get(both, r->in_bits + bit, width);
    }
    v->line[r->rows++] = r->line;
    return true;
}

/* The next line without its end and trailing blanks; false at the end of the file. */
static bool next_line(reader *r)
{
    ssize_t n = wr_line_read(&r->text, &r->room, r->file);

    r->line += n != -1;
    r->is_long = n == WR_LINE_LONG;
    if (n < 0) {
        return false;
    }
    while (n > 0 && isspace((unsigned char)r->text[n - 1])) {
        r->text[--n] = '\0';
    }
    return true;
}

static bool read_all(reader *r)
{
    if (!next_line(r) || strcmp(r->text, "// warpref vectors 1") != 0) {
        return complain(r, "not a vector file: the first line must be '// warpref vectors 1'");
    }
    while (next_line(r)) {
        bool comment = strncmp(r->text, "//", 2) == 0;
        if (r->text[0] != '\0' && !(comment ? read_comment(r) : read_row(r))) {
            return false;
        }
    }
    if (r->is_long) {
        return complain(r, WR_LINE_LONG_TEXT);
    }
    if (r->rows == 0) {
        return complain(r, "no rows");
    }
    if (r->rows != r->v->count) {
        return complain(r, "%" PRIu32 " rows where the header's count is %" PRIu32, r->rows,
                        r->v->count);
    }
    return true;
}

bool wr_vectors_load(wr_vectors *v, const char *path, char *err, size_t err_size)
{
    reader r = {.v = v, .err = err, .err_size = err_size};
    bool good;

    memset(v, 0, sizeof(*v));
    (void)snprintf(v->path, sizeof(v->path), "%s", path);
    r.file = fopen(path, "r");
    if (r.file == NULL) {
        (void)snprintf(err, err_size, "%s: cannot be read", path);
        return false;
    }
    good = read_all(&r);
    if (ferror(r.file) != 0) { /* a folder, for one */
        (void)snprintf(err, err_size, "%s: cannot be read", path);
        good = false;
    }
    (void)fclose(r.file);
    free(r.text);
    if (!good) {
        wr_vectors_free(v);
    }
    return good;
}

void wr_vectors_free(wr_vectors *v)
{
    free(v->in);
    free(v->out);
    free(v->line);
    v->in = NULL;
    v->out = NULL;
    v->line = NULL;
}
