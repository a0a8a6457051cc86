/* SPDX-License-Identifier: Apache-2.0 */
/* What the preemption system writes down of its blocks: a waveform and block vectors.
 *
 * The waveform shows one preemption unit at a time, in GPU time: the first unit that begins a
 * preemption while none is shown, until that preemption ends, `keep` times. Vectors are one file
 * per block of the first preemption of each of the first `keep` SMs: a vector file starts at a
 * reset, and blocks are reset only when the system is made.
 */
#ifndef WR_SYSTEMS_PREEMPTION_TRACE_H
#define WR_SYSTEMS_PREEMPTION_TRACE_H

#include "systems/context/engine.h"
#include "waveforms/fst.h"

typedef struct wr_preempt_trace wr_preempt_trace;

/* wave and record (a folder, made where it is missing) may be "". units must stay in place.
 * NULL with one line in err. */
wr_preempt_trace *wr_preempt_trace_open(wr_context_engine *units, uint32_t count, const char *wave,
                                        const char *record, uint32_t keep, char *err,
                                        size_t err_size);

/* Around every step of a unit: before with the cycle, after with whether it went idle. */
void wr_preempt_trace_before(wr_preempt_trace *trace, uint32_t unit, uint64_t cycle);
void wr_preempt_trace_after(wr_preempt_trace *trace, uint32_t unit, bool ended);

/* Completes the files. False with one line in err. */
bool wr_preempt_trace_finish(wr_preempt_trace *trace, char *err, size_t err_size);
void wr_preempt_trace_free(wr_preempt_trace *trace);

/* Paths written, "" = none; and how many vector files and rows. */
const char *wr_preempt_trace_wave(const wr_preempt_trace *trace);
wr_fst *wr_preempt_trace_fst(const wr_preempt_trace *trace); /* NULL: none is open */
const char *wr_preempt_trace_view(const wr_preempt_trace *trace);
const char *wr_preempt_trace_record(const wr_preempt_trace *trace);
uint32_t wr_preempt_trace_first(const wr_preempt_trace *trace); /* lowest SM with vectors */
uint32_t wr_preempt_trace_files(const wr_preempt_trace *trace);
uint64_t wr_preempt_trace_rows(const wr_preempt_trace *trace);

#endif
