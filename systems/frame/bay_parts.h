/* SPDX-License-Identifier: Apache-2.0 */
/* The bay's own state, shared by bay.c, bay_wave.c and bay_record.c. */
#ifndef WR_SYSTEMS_FRAME_BAY_PARTS_H
#define WR_SYSTEMS_FRAME_BAY_PARTS_H

#include "dpi/block_wave.h"
#include "dpi/last_inputs.h"
#include "systems/frame/bay.h"
#include "vectors/vectors.h"

enum {
    WR_BAY_NAME = 64,
    WR_BAY_FILE = WR_OPTION_PATH_SIZE + 3 * WR_BAY_NAME,
    WR_BAY_NONE = UINT32_MAX,
};

typedef struct bay bay;

/* One port of a unit. */
typedef struct bay_tap {
    wr_observer observer;
    bay *owner;
    wr_port *port;
    const bool *fault; /* NULL: the caller looks at it */
    uint32_t unit;
    char name[WR_BAY_NAME]; /* the block's, numbered where the unit has several of it */
    wr_block_wave *wave;    /* NULL: not shown; of units with sessions those of the first unit */
    bool owns_wave;
    uint64_t clocks; /* in this step */
    bool recording;
    wr_vectors_writer vectors;
} bay_tap;

typedef struct bay_unit {
    char name[WR_BAY_NAME];
    wr_bay_kind kind;
    uint32_t first, ports; /* its taps */
    bool shown, recorded;
} bay_unit;

typedef struct bay_signal {
    char name[WR_BAY_NAME];
    uint32_t unit, width, count;
    const char *const *names;
    wr_fst_var var;
} bay_signal;

struct bay {
    wr_bay pub; /* first member */
    const char *system;
    const wr_option_value *values; /* of wr_bay_options */
    wr_behind behind;              /* of its ports */
    uint64_t run;                  /* identity in files of vectors; 0: none */
    bool failed;                   /* memory ran out */

    bay_unit *units;
    bay_tap *taps; /* by unit */
    bay_signal *signals;
    uint32_t unit_count, tap_count, signal_count;

    wr_fst *fst;                 /* NULL: no waveform */
    uint32_t leader;             /* unit whose places in the waveform units with sessions share */
    uint32_t session;            /* unit with sessions that is shown */
    uint32_t waves_left[2];      /* by kind: sessions, units */
    uint64_t cycle, first_cycle; /* of the step; of the waveform */

    uint32_t records_left[2]; /* by kind: units */
    bool cut;                 /* the run was stopped before its end */
    char prefix[WR_BAY_NAME];
    uint32_t files;
    uint64_t rows;
    char broken[WR_BAY_FILE + 64]; /* the first file that failed */
    char message[2 * WR_BAY_FILE + 640 + (WR_LAST_CYCLES + 1) * (WR_LAST_LINE + 1)];
};

/* The scope of a unit: "system" or "system.unit". */
void wr_bay_scope(const bay *b, const bay_unit *unit, char *text, size_t size);

/* bay_wave.c */
bool wr_bay_wave_start(bay *b);
void wr_bay_wave_stop(bay *b);
void wr_bay_wave_free(bay *b);
bool wr_bay_wave_begin(bay *b, uint32_t unit); /* is it shown? */
void wr_bay_wave_cycle(bay_tap *tap, const uint32_t *in, const uint32_t *out);
void wr_bay_wave_end(bay *b, uint32_t unit);

/* bay_record.c */
bool wr_bay_record_start(const bay *b, char *err, size_t err_size);
void wr_bay_record_begin(bay *b, uint32_t unit);
void wr_bay_record_end(bay *b, uint32_t unit);
void wr_bay_record_path(const bay *b, const bay_tap *tap, char *path, size_t size);

#endif
