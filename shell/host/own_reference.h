/* SPDX-License-Identifier: Apache-2.0 */
/* References that are not compiled in: `FILE.so:FUNCTION`, C behind warpref_reference.h, and
 * `FILE.py:FUNCTION`, Python behind reference.py.
 *
 * They are programs of the user's: each runs in a process of its own, which may crash, end or hang
 * without taking the run along. It works on memory that both processes see, so nothing is copied
 * back. There is no limit of time; a signal that asks for the end ends it, with a message.
 */
#ifndef WR_SHELL_HOST_OWN_REFERENCE_H
#define WR_SHELL_HOST_OWN_REFERENCE_H

#include "shell/host/launch_file.h"
#include "shell/host/reference.h"

/* Is this the text of one? The others are names. */
bool wr_own_reference_is(const char *text);

/* Its file, seen from the launch file's folder; the caller frees it. NULL: out of memory. */
char *wr_own_reference_path(const wr_loaded_file *loaded, const char *text);

/* Loads it, in such a process, and looks for the function. False with `diag` set, at `line`. */
bool wr_own_reference_try(const wr_loaded_file *loaded, const char *text, unsigned line,
                          wr_diag *diag);

/* Memory for a copy of every buffer of a file that a reference's process sees, too; how it is laid
 * out is the affair of own_reference.c. NULL: it cannot be had. */
typedef struct wr_own_memory wr_own_memory;
wr_own_memory *wr_own_memory_new(const wr_launch_file *file);
void wr_own_memory_free(wr_own_memory *m);
uint8_t *wr_own_memory_buffer(const wr_own_memory *m, unsigned index);

/* Calls visit(arg, launch) for each launch that the reference is to follow, in order, until one
 * returns other than NULL, and returns that. Pointers of arguments lie in the memory. */
typedef const char *(*wr_launch_visit)(void *arg, const wr_reference_launch *launch);
typedef struct wr_own_launches {
    const char *(*each)(const void *of, wr_launch_visit visit, void *arg);
    const void *of;
} wr_own_launches;

/* Runs it over all launches. False with `diag` set where it does not come to its end. */
bool wr_own_reference_run(const wr_loaded_file *loaded, const char *text, unsigned line,
                          wr_own_memory *memory, wr_own_launches launches, wr_diag *diag);

#endif
