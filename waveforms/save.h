/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a saved view for GTKWave (.gtkw): which signals of a waveform to show, in which form.
 * View and waveform lie in one folder; GTKWave finds the waveform beside the view, from wherever
 * it is started. */
#ifndef WR_WAVEFORMS_SAVE_H
#define WR_WAVEFORMS_SAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wr_save wr_save;

/* The view's path of a waveform's: its ending is .gtkw. False: that is the waveform itself, or
 * longer than size. */
bool wr_save_view_path(const char *fst, char *path, size_t size);

/* fst is the waveform's name without a folder. NULL: the file cannot be written; an older one stays
 * until this one is closed. */
wr_save *wr_save_open(const char *path, const char *fst);
/* False: a write failed. */
bool wr_save_close(wr_save *s);

/* Where the view starts, with its marker, in units of the waveform's time. The window of GTKWave
 * holds twice as much with every step of zoom. */
void wr_save_place(wr_save *s, uint64_t start, uint32_t zoom);

/* A heading in the list of signals. */
void wr_save_comment(wr_save *s, const char *text);

/* One signal by its full name, scopes joined by dots; hexadecimal where it is wider than 1. */
void wr_save_signal(wr_save *s, const char *name, uint32_t width);

/* The same of a variable with an enum table, shown by the names of its values, where the
 * waveform has them. */
void wr_save_enum(wr_save *s, const char *name, uint32_t width);

#endif
