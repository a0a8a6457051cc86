/* Inside of the GPU. Only shell/core and its tests include this. */
#ifndef WR_SHELL_CORE_STATE_H
#define WR_SHELL_CORE_STATE_H

#include "shell/core/format.h"
#include "shell/core/heap.h"
#include "shell/core/sm.h"

/* Machine code in simulated memory. */
typedef struct wr_code {
    const wr_kernel *kernel;
    uint64_t base;
} wr_code;

struct wr_gpu {
    wr_gpu_config cfg;
    wr_memory memory;
    wr_memsys *memsys;
    wr_sm *sms;
    wr_system_hooks hooks;
    uint64_t cycle;
    bool no_skip; /* tests: simulate every cycle, which must change nothing */

    /* the launch that runs */
    wr_program program;
    bool running;
    uint64_t launches; /* so far, the present one counted: its grid's number */
    uint64_t next_tb, tbs_done;
    uint64_t progress_at; /* last cycle in which something happened; see wr_gpu_run */
    uint64_t work_at;     /* last cycle in which a kernel came nearer to its end: preemption may
                             move warps that wait for ever, again and again */
    uint32_t *frames;     /* free frames of local memory, a stack */
    uint32_t frames_free;
    uint64_t local_base, local_bytes; /* the area for local memory, kept between launches */
    wr_code *codes;                   /* of kernels that have run */
    size_t code_count;
    uint32_t attended;   /* SMs with attention on */
    uint64_t heap_bytes; /* of the heap, when a kernel needs it */
    wr_heap heap;
    wr_print_fn print; /* NULL: text of printf is dropped */
    void *print_arg;
    bool ended; /* a fault or the system ended the run */
    wr_run_status status;
    char message[512];
};

static inline void wr_gpu_progress(wr_gpu *gpu)
{
    gpu->progress_at = gpu->cycle;
}

/* Ends the run; the first call counts. */
void wr_gpu_end(wr_gpu *gpu, wr_run_status status, const char *message);
/* dispatch.c: places TBs for one cycle. True: a TB waits for a system to let it in. */
bool wr_dispatch(wr_gpu *gpu);
/* deadlock.c: writes what waits for what. */
void wr_describe_deadlock(const wr_gpu *gpu, char *message, size_t size);

#endif
