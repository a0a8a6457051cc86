/* SPDX-License-Identifier: Apache-2.0 */
/* Writes FST waveforms (GTKWave's format) from C, over fstapi; where the file's name ends in .vcd,
 * VCD of the same signals and values (vcd.h). An older file of the name stays until this one is
 * closed (files/replace.h); only VCD goes into a pipe.
 *
 * Use: open; scopes and variables; then for ascending times set the time and the values that
 * changed; close. A value that is set to what it already is costs nothing in the file.
 * All variables come before the first time. Values of up to 64 bits are integers.
 *
 * Deterministic: the file carries no date.
 */
#ifndef WR_WAVEFORMS_FST_H
#define WR_WAVEFORMS_FST_H

#include <stdbool.h>
#include <stdint.h>

typedef struct wr_fst wr_fst;
typedef uint32_t wr_fst_var;
typedef uint32_t wr_fst_enum;

/* NULL: the file cannot be written; errno. One unit of time is one nanosecond. */
wr_fst *wr_fst_open(const char *path);
/* It takes its place. False: it is cut, for the disk is full, say, and the older file stays. NULL
 * is a file that was not opened: true. */
bool wr_fst_close(wr_fst *w);
/* Leaves what was there; NULL is fine. */
void wr_fst_drop(wr_fst *w);

/* The file has all of its sections, to its last byte: what fstapi, which reports no error of a
 * write, has closed is cut where it has not. VCD has no sections. */
bool wr_fst_is_whole(const char *path);
#define WR_FST_CUT "not all of it could be written: is the disk full?"

/* Before it is closed: its version, in VCD a comment, says that the run was stopped
 * before its end. */
void wr_fst_cut(wr_fst *w);

void wr_fst_scope(wr_fst *w, const char *name);
void wr_fst_upscope(wr_fst *w);

/* Names for values of a variable, which VCD has not: `count` names for the values 0, 1, ... of
 * `width` bits. */
wr_fst_enum wr_fst_enum_table(wr_fst *w, const char *name, uint32_t width, const char *const *names,
                              uint32_t count);

/* A variable of `width` bits in the open scope; `names` is 0 or an enum table. */
wr_fst_var wr_fst_add(wr_fst *w, const char *name, uint32_t width, wr_fst_enum names);

/* Time goes on only: one that has been reached is the present one. So several writers can share
 * a file. */
void wr_fst_time(wr_fst *w, uint64_t time);
void wr_fst_set(wr_fst *w, wr_fst_var var, uint32_t width, uint64_t value); /* width up to 64 */

#endif
