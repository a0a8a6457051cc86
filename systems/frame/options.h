/* SPDX-License-Identifier: Apache-2.0 */
/* Options of systems: typed rows, read and checked here, so that a system gets values and reads no
 * text.
 *
 * A row says what a value may be. From it come the check, the one kind of message ("system
 * preemption: period=x is not a whole number from 1 to ...") and what people read about it.
 */
#ifndef WR_SYSTEMS_FRAME_OPTIONS_H
#define WR_SYSTEMS_FRAME_OPTIONS_H

#include "shell/config/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum wr_option_kind {
    WR_OPTION_NUMBER,         /* whole, from min to max */
    WR_OPTION_CHOICE,         /* one of the words */
    WR_OPTION_NUMBER_OR_WORD, /* either */
    WR_OPTION_FLAG,           /* 0 or 1 */
    WR_OPTION_LIST,           /* up to `most` such numbers with : between them, as in 2:1 */
    WR_OPTION_TEXT,           /* a name; what it means is the system's to say */
    WR_OPTION_PATH,           /* of a file or a folder */
} wr_option_kind;

enum { WR_OPTION_LIST_MOST = 32, WR_OPTION_PATH_SIZE = 1024 };

/* A uint32_t of the configuration, by the name that --set takes. */
typedef struct wr_config_field {
    const char *name;
    size_t offset; /* in wr_gpu_config */
} wr_config_field;

static inline uint32_t wr_config_field_of(wr_config_field field, const wr_gpu_config *cfg)
{
    return *(const uint32_t *)((const char *)cfg + field.offset);
}

typedef struct wr_option {
    const char *name;
    wr_option_kind kind;
    uint32_t most;            /* numbers of a list */
    uint64_t min, max;        /* of numbers */
    wr_config_field below;    /* with a name: numbers are below this field, and max is not read */
    const char *const *words; /* ends with NULL */
    const char *unit;         /* for people: "cycles"; NULL = none */
    const char *preset;       /* as it would be given; "" = none */
    const char *doc;
} wr_option;

/* What a row came to. */
typedef struct wr_option_value {
    bool given;      /* false: neither a value nor a preset; the rest is 0 and "" */
    bool in_spec;    /* the system's own text gives it */
    bool is_word;    /* a word, not a number */
    uint64_t number; /* NUMBER, FLAG */
    uint32_t word;   /* place among the words */
    uint32_t count;  /* LIST */
    uint64_t list[WR_OPTION_LIST_MOST];
    const char *text; /* as it was given */
} wr_option_value;

/* Rows of one table, and where their values go: values[i] is of rows[i]. */
typedef struct wr_option_part {
    const wr_option *rows;
    size_t count;
    wr_option_value *values;
} wr_option_part;

/* A value by the name of its row; NULL texts are none. */
typedef struct wr_option_text {
    const char *name, *text;
} wr_option_text;

/* Reads the options of a system: presets first, then `before` (names that are in the table; values
 * are taken whole, commas and all), then `spec`, "option=value,...". So the spec wins. *store holds
 * the texts of the values; free it after their last use. False with one line in err. */
bool wr_options_read(const char *system, const wr_option_part *parts, size_t part_count,
                     const wr_option_text *before, size_t before_count, const char *spec,
                     const wr_gpu_config *cfg, char **store, char *err, size_t err_size);

/* What a row takes, for people: "1 to 1000 cycles", "rotate|random|0 to sms - 1". */
void wr_option_takes(const wr_option *row, char *text, size_t size);

#endif
