/* SPDX-License-Identifier: Apache-2.0 */
/* Handles that a program holds of what the runtime has. A handle is a number that is given once and
 * never again, so one that was destroyed, invented, or is of something else stands for nothing: it
 * is looked up, and never followed. All calls are under the client's lock.
 */
#ifndef WR_CUDA_RUNTIME_HANDLES_H
#define WR_CUDA_RUNTIME_HANDLES_H

typedef enum wr_handle_kind { WR_HANDLE_STREAM, WR_HANDLE_EVENT, WR_HANDLE_ARRAY } wr_handle_kind;

/* A handle for `what`, which is of malloc and the handle's from here on. NULL: out of memory. */
void *wr_handle_new(wr_handle_kind kind, void *what);
/* What it stands for. NULL: nothing of that kind. */
void *wr_handle_find(wr_handle_kind kind, const void *handle);
/* The handle of a live thing, and the thing, are no more. */
void wr_handle_end(const void *handle);

#endif
