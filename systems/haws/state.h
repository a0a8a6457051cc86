/* SPDX-License-Identifier: Apache-2.0 */
/* What system haws keeps, between its files. */
#ifndef WR_SYSTEMS_HAWS_STATE_H
#define WR_SYSTEMS_HAWS_STATE_H

#include "dpi/gen/haws_unit_port.h"
#include "shell/core/seam/ahead.h"
#include "shell/isa/hints.h"
#include "systems/frame/system.h"

enum {
    WR_HAWS_FLYING = WR_CONFIG_MAX_WARPS * WR_HAWS_ENTRIES,
    WR_HAWS_PLACES = WR_CONFIG_MAX_SCHEDULERS,
};

/* A kernel's hints, made for as many registers as a launch may have; kept to the end, since warps
 * of an earlier launch may be on their way along a chain. */
typedef struct wr_haws_kernel {
    struct wr_haws_kernel *next;
    const wr_kernel *kernel;
    uint32_t limit;
    wr_hints hints;
} wr_haws_kernel;

/* An instruction ahead that has not ended. */
typedef struct wr_haws_flying {
    uint8_t warp, id, row, pred;
} wr_haws_flying;

typedef struct wr_haws_counts {
    uint64_t stalls, chains;                /* at stall points; of them in hint mode */
    uint64_t ahead, loads, branches;        /* issued; loads among them; branches apart */
    uint64_t skipped, copied, again, waits; /* back in order */
    uint64_t cleared;
} wr_haws_counts;

/* A haws_unit with the warps that are its own: all of an SM, or those of a scheduler. To it they
 * are numbered without a gap: warp / units. */
typedef struct wr_haws_place {
    wr_port_haws_unit port;
    bool open;
    uint32_t unit;        /* of the bay */
    uint32_t index;       /* of the SM's */
    uint64_t warps;       /* its own, a bit each */
    wr_haws_unit_out out; /* its registered pins, for the cycle that comes */
    wr_haws_unit_out last;
    bool took; /* what stood at issue has issued */
    wr_haws_flying flying[WR_HAWS_FLYING];
    uint32_t flying_count;
} wr_haws_place;

typedef struct wr_haws_sm {
    wr_haws_place place[WR_HAWS_PLACES];
    uint32_t signal[WR_CONFIG_MAX_WARPS]; /* what the warp does, in the waveform */

    bool noted;       /* something for a unit has come up in this cycle */
    uint64_t stalled; /* warps at a stall point that wait for memory */
    uint64_t woke;    /* of these: in between they went on, which the unit has not seen */
    uint64_t told;    /* stalled, as the unit saw it last */
    uint64_t apart;   /* warps at a barrier or a fence: their PC moves when they wake */
    uint64_t left;    /* slots that warps have left, with something held of them */

    /* warps back in order that hold entries are in one of these */
    uint64_t holds; /* all that hold entries */
    uint64_t back;  /* of these: in order, as the unit knows */
    uint64_t go;    /* may issue one instruction */
    uint64_t check; /* the unit is to look at their PC */
    uint64_t waits; /* for their oldest entry */
    uint64_t copies;
    uint8_t copy_to[WR_CONFIG_MAX_WARPS], copy_from[WR_CONFIG_MAX_WARPS];

    const wr_haws_kernel *kernel[WR_CONFIG_MAX_WARPS]; /* of a slot's warp, once it has waited */
    wr_haws_counts counts;
} wr_haws_sm;

typedef struct wr_haws {
    wr_system base;
    const wr_option_value *option;
    wr_owner owner;
    wr_bay *bay;
    wr_gpu_config cfg;
    wr_gpu *gpu;
    uint32_t sms, units; /* units: of an SM */
    bool busy;           /* a unit has work in the next cycle */
    wr_haws_sm *sm;
    wr_haws_kernel *kernels;                         /* all that have been made */
    const wr_haws_kernel *of_stream[WR_MAX_STREAMS]; /* of the launch in flight */
} wr_haws;

/* At creation: a signal for each warp of this place. */
void wr_haws_add_signals(const wr_haws *h, wr_haws_sm *s, const wr_haws_place *place);
/* Something is to be done in the next cycle, whatever comes of the SM. */
bool wr_haws_works(const wr_haws *h, const wr_haws_sm *s);
/* What the units of this SM are asked and told in this cycle, and what comes of it; whether the
 * next one is theirs as well. */
bool wr_haws_step(wr_haws *h, uint32_t id);
/* Held are warps that hold entries and may not go, and those whose copy has not been issued. */
void wr_haws_hold(const wr_haws *h, const wr_haws_sm *s, wr_sm *sm);

#endif
