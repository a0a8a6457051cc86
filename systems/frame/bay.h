/* SPDX-License-Identifier: Apache-2.0 */
/* The bay: the blocks of a system, whatever the system is.
 *
 * It says what stands behind the blocks' pins (model, rtl, lockstep: one for a run), sums what they
 * count, notices a block that fails, and writes down what they did: the last cycles before a
 * mismatch, a waveform, vectors. Options blocks, wave, record, keep and dump are the frame's, so
 * every system with blocks has them.
 *
 * A unit is a set of blocks that work together, most often those of one SM. Two kinds:
 *   sessions  the unit works now and then, as for one preemption. All such units have the same
 *             blocks and share one place in the waveform: the first that begins a session while
 *             none is shown is shown until its session is over, `keep` times. Vectors are of the
 *             first `keep` units, each from its reset to the end of its first session
 *   free      the unit runs freely. The first `keep` units are shown, each in a scope of its own,
 *             and recorded, from their first cycle to the end of the run
 *
 *   at creation   wr_bay_add_unit, then its ports, opened with wr_bay_behind, and its signals
 *   in each step  if (wr_bay_begin(bay, unit, cycle)) { wr_bay_set(...) ... }
 *                 eval and tick of the unit's ports
 *                 wr_bay_check(...): the first block that failed, and the run ends
 *                 if (wr_bay_end(bay, unit)) { wr_bay_set(...) ... }
 *                 wr_bay_session_over(bay, unit) in the session's last step
 *
 * A step is one clocked cycle of each port that is not idle; of a port that runs freely it may be
 * several in a row, the first of them in `cycle` (idle cycles made up for in one call): the bay
 * sees each of them. Where neither a waveform nor vectors are written, begin and end are the test
 * of one flag and ports have no observer.
 *
 * [serial]: units of all SMs share files. Calls of a unit are in the order of cycles.
 */
#ifndef WR_SYSTEMS_FRAME_BAY_H
#define WR_SYSTEMS_FRAME_BAY_H

#include "dpi/own_rtl.h"
#include "dpi/port.h"
#include "systems/frame/options.h"
#include "systems/frame/report.h"
#include "waveforms/fst.h"
#include "waveforms/save.h"

typedef struct wr_bay {
    bool writes; /* a waveform or vectors; the rest is bay_parts.h's */
} wr_bay;

typedef enum wr_bay_kind { WR_BAY_SESSIONS, WR_BAY_FREE } wr_bay_kind;

/* At creation. What does not fit into memory is told by wr_bay_start. */

/* What a port is opened with: wr_<block>_port_open_behind. */
const wr_behind *wr_bay_behind(const wr_bay *bay);
wr_backend wr_bay_backend(const wr_bay *bay);

/* name: part of the names of files and scopes, "sm3"; of a free unit "" = the system's scope. */
uint32_t wr_bay_add_unit(wr_bay *bay, const char *name, wr_bay_kind kind);

/* An open port of the unit that was added last; it stays in place until the bay is freed. out: its
 * pins as they were in its last clocked cycle, for the fault pin; NULL = the caller looks at it. */
void wr_bay_add_port(wr_bay *bay, uint32_t unit, wr_port *port, const void *out);

/* A further signal in the unit's scope, of up to 64 bits; of units with sessions once for all of
 * them. names: of its values 0, 1, ...; NULL = none. */
uint32_t wr_bay_add_signal(wr_bay *bay, uint32_t unit, const char *name, uint32_t width,
                           const char *const *names, uint32_t count);

/* In each step. begin and end: true while the unit is shown, so that its signals may be set; what
 * is set between them stands at the start of the cycle, after end in its middle. */

bool wr_bay_begin_step(wr_bay *bay, uint32_t unit, uint64_t cycle);
bool wr_bay_end_step(wr_bay *bay, uint32_t unit);
static inline bool wr_bay_begin(wr_bay *bay, uint32_t unit, uint64_t cycle)
{
    return bay->writes && wr_bay_begin_step(bay, unit, cycle);
}
static inline bool wr_bay_end(wr_bay *bay, uint32_t unit)
{
    return bay->writes && wr_bay_end_step(bay, unit);
}
void wr_bay_set(wr_bay *bay, uint32_t signal, uint64_t value);
void wr_bay_session_over(wr_bay *bay, uint32_t unit);

/* True where a block of the unit raised its fault pin or differs from its model; text says which
 * block, cycle, pin, what was expected and what came. */
bool wr_bay_check(const wr_bay *bay, uint32_t unit, char *text, size_t size);
/* The last word on a failed unit, to end the run with (wr_gpu_abort): `what`, and where a block of
 * it differs from its model the file to which its last cycles were written. */
const char *wr_bay_fail(wr_bay *bay, uint32_t unit, const char *what);

/* For the frame */

enum {
    WR_BAY_BLOCKS,
    WR_BAY_WAVE,
    WR_BAY_RECORD,
    WR_BAY_KEEP,
    WR_BAY_DUMP,
    WR_BAY_OPTIONS,
};
extern const wr_option wr_bay_options[WR_BAY_OPTIONS];

/* system: its name. values: of wr_bay_options. own: RTL of the user's behind some blocks, or NULL.
 * All valid as long as the bay. run: identity of the run in files of vectors; 0: none. */
wr_bay *wr_bay_new(const char *system, const wr_option_value *values, wr_own_rtl *own,
                   uint64_t run);
void wr_bay_free(wr_bay *bay); /* after the ports are closed */

/* When all is added: tries the files, adds scopes to `fst` (NULL = no waveform). prefix: of files
 * with vectors. False with one line in err. */
bool wr_bay_start(wr_bay *bay, wr_fst *fst, const char *prefix, char *err, size_t err_size);
/* The run was stopped before its end: vectors that go on say so. */
void wr_bay_cut(wr_bay *bay);
/* Completes the vectors and lets go of the waveform. False with one line in err. */
bool wr_bay_finish(wr_bay *bay, char *err, size_t err_size);
/* First cycle in the waveform; UINT64_MAX = there is none. */
uint64_t wr_bay_first_cycle(const wr_bay *bay);
void wr_bay_view(const wr_bay *bay, wr_save *view);
void wr_bay_report(const wr_bay *bay, const char *view_path, wr_report *report);

#endif
