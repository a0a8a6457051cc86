/* SPDX-License-Identifier: Apache-2.0 */
/* Writes VCD (IEEE 1800, 21.7): what fst.h is where a waveform's name ends in .vcd, call for call.
 * Text, larger than FST by far, which every viewer reads. It has no names for values. */
#ifndef WR_WAVEFORMS_VCD_H
#define WR_WAVEFORMS_VCD_H

#include <stdbool.h>
#include <stdint.h>

typedef struct wr_vcd wr_vcd;

/* A waveform's name says that it is VCD. */
bool wr_vcd_is_named(const char *path);

/* NULL: the file cannot be written; errno. */
wr_vcd *wr_vcd_open(const char *path);
/* `keep`: it takes its place. False: it was to, and is cut; then the older file stays. */
bool wr_vcd_close(wr_vcd *v, bool keep);

void wr_vcd_cut(wr_vcd *v);
void wr_vcd_scope(wr_vcd *v, const char *name);
void wr_vcd_upscope(wr_vcd *v);
/* All variables come before the first time. */
uint32_t wr_vcd_add(wr_vcd *v, const char *name, uint32_t width);
void wr_vcd_time(wr_vcd *v, uint64_t time); /* later than the one before */
void wr_vcd_set(wr_vcd *v, uint32_t var, uint64_t value);

#endif
