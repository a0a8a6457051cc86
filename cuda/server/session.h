/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU as a program of the host sees it: modules, memory, streams of work, events.
 *
 * What a program enqueues waits in streams. wr_session_run lets the GPU run until what is waited
 * for is done, and only so long: what others have in flight stays in flight, and what is enqueued
 * afterwards runs beside it. Time passes in no other call, and copies take none, so figures do not
 * depend on how fast the program is.
 *
 * Order is CUDA's: work of a stream in order; the default stream, number 0, waits for all that was
 * enqueued before in streams that are not apart, and they for it; a stream waits for an event as it
 * was recorded last when the wait was enqueued.
 */
#ifndef WR_CUDA_SERVER_SESSION_H
#define WR_CUDA_SERVER_SESSION_H

#include "cuda/server/store.h"
#include "cuda/wire.h"
#include "shell/compiler/compiler.h"
#include "shell/core/gpu.h"

typedef struct wr_session wr_session;

/* What the session tells its owner. */
typedef struct wr_session_owner {
    void *self;
    /* What is waited for is done, or has failed: answer, and take requests up to the next wait that
     * is not over yet, which is put in place of the other. False: the program is gone, the run
     * ends. */
    bool (*waited)(void *self, wr_cuda_request *wait);
    /* Data that a stream has read; they are the owner's for the length of the call. */
    void (*read)(void *self, uint64_t mark, const void *data, uint64_t bytes);
    /* A launch has ended, or is cut by the end of the run; it is the session's for the length of
     * the call. */
    void (*ended)(void *self, uint64_t stream, const wr_launch *launch,
                  const wr_launch_result *result, bool cut);
    /* Is the program gone? Asked now and then while the GPU runs. */
    bool (*gone)(void *self);
} wr_session_owner;

/* Everything given must stay; max_cycles: of a run, 0 = no limit. NULL: out of memory. */
wr_session *wr_session_new(wr_gpu *gpu, const wr_gpu_config *config,
                           const wr_compile_options *compile, uint64_t max_cycles,
                           const wr_session_owner *owner);
void wr_session_free(wr_session *session);

/* The error that has ended the GPU's work, of CUDA's number, and text; 0: none. */
int wr_session_error(const wr_session *session, const char **text);
/* What became of the last run. */
const wr_run_result *wr_session_result(const wr_session *session);

wr_store *wr_session_store(wr_session *session);

/* All return CUDA's error, 0 = none; `diag` says why a module is refused. */
int wr_session_module(wr_session *session, const char *ptx, size_t bytes, uint64_t *number,
                      wr_diag *diag);
const wr_module *wr_session_code(const wr_session *session, uint64_t module);
uint64_t wr_session_variable(const wr_session *session, uint64_t module, const wr_module_var *var);
uint64_t wr_session_stream(wr_session *session, bool apart, uint32_t priority);
int wr_session_end_stream(wr_session *session, uint64_t stream);
uint64_t wr_session_event(wr_session *session);
int wr_session_end_event(wr_session *session, uint64_t event);
/* WR_CUDA_NOT_READY: one is recorded, and not done. */
int wr_session_elapsed(wr_session *session, uint64_t from, uint64_t to, int64_t *cycles);
/* Carries out a WR_CUDA_LIMIT. */
int wr_session_limit(wr_session *session, const wr_cuda_request *request, uint64_t *bytes);
int wr_session_occupancy(const wr_session *session, const wr_cuda_request *request, uint32_t *tbs);

/* Puts a write, read, fill, copy, launch, record or wait for an event into its stream; `data` is
 * the request's, and the session's from here on. */
int wr_session_enqueue(wr_session *session, const wr_cuda_request *request, uint8_t *data);

/* Is what the request waits for done, or can nothing be done any more? */
bool wr_session_over(wr_session *session, const wr_cuda_request *wait);
/* Runs until it is; owner.waited is called inside where other work is still in flight then. On
 * return what `wait` holds is over, and not answered. False: the program is gone. */
bool wr_session_run(wr_session *session, wr_cuda_request *wait);

#endif
