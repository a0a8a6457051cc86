/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the requests of a program (cuda/wire.h) and lets a session carry them out. */
#ifndef WR_CUDA_SERVER_SERVE_H
#define WR_CUDA_SERVER_SERVE_H

#include "shell/compiler/compiler.h"
#include "shell/core/gpu.h"

typedef struct wr_serve {
    int fd;     /* the socket */
    int memory; /* the file that the GPU's memory is to be, so that the program sees it; -1: none */
    uint64_t max_cycles; /* of a run, 0 = no limit */
    bool keep_print; /* text that kernels print goes where it goes already; else to the program */
    const wr_compile_options *compile;
    bool (*takes)(void *self,
                  const wr_module *module); /* false: it says why, and that is the end */
    /* as that of wr_session_owner; NULL: nobody is told */
    void (*ended)(void *self, uint64_t stream, const wr_launch *launch,
                  const wr_launch_result *result, bool cut);
    void *self;
    struct wr_session
        *session; /* its kernels have names that figures go by: until wr_serve_leave */
} wr_serve;

/* Until the program leaves or is gone; `result` is that of the GPU's last run, its cycles all of
 * them. False with `diag` set: out of memory, or the other end speaks another language; false
 * without: a module was not taken.
 * wr_serve_leave then tells the program how the GPU has ended; the end of the process, which closes
 * the socket, is what it waits for. */
bool wr_serve_run(wr_serve *serve, wr_gpu *gpu, const wr_gpu_config *config, wr_run_result *result,
                  wr_diag *diag);
void wr_serve_leave(wr_serve *serve, int status);

#endif
