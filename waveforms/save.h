/* Writes a saved view for GTKWave (.gtkw): which signals of a waveform to show, in which form.
 * The view names its waveform by the path relative to the folder it is opened from. */
#ifndef WR_WAVEFORMS_SAVE_H
#define WR_WAVEFORMS_SAVE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct wr_save wr_save;

/* NULL: the file cannot be written. */
wr_save *wr_save_open(const char *path, const char *fst_path);
/* False: a write failed. */
bool wr_save_close(wr_save *s);

/* A heading in the list of signals. */
void wr_save_comment(wr_save *s, const char *text);

/* One signal by its full name, scopes joined by dots; hexadecimal where it is wider than 1. */
void wr_save_signal(wr_save *s, const char *name, uint32_t width);

#endif
