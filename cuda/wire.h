/* SPDX-License-Identifier: Apache-2.0 */
/* What a program's CUDA runtime and the simulated GPU say to each other.
 *
 * The runtime (cuda/runtime/) starts `warpref device` with a socket and sends requests: a head, and
 * `bytes` bytes behind it. Each is answered by a reply of the same kind before the next one comes.
 * What is asynchronous in CUDA waits in a stream until something is waited for; behind a reply to
 * WR_CUDA_WAIT stands what has become known meanwhile, as notes: data that were read, text that
 * kernels printed. Both ends run on one machine and are of one build, which `greet` makes sure of.
 * The GPU's memory is a file in memory that both map (runtime/managed.c): what both sides address
 * is not sent.
 */
#ifndef WR_CUDA_WIRE_H
#define WR_CUDA_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WR_CUDA_GREETING UINT64_C(0x7761727072656602) /* counts up where the words below change */

typedef enum wr_cuda_what {
    WR_CUDA_GREET,  /* a: WR_CUDA_GREETING; reply: wr_cuda_device */
    WR_CUDA_MODULE, /* PTX text; reply a: its number, text: wr_cuda_kernel and wr_cuda_variable
                       each with a name behind it, see server/serve.c */
    WR_CUDA_ALLOC,  /* a: bytes, b: alignment, c: 1 = the program writes there, too, as it likes;
                       reply a: address */
    WR_CUDA_FREE,   /* a: address */
    WR_CUDA_MEMORY, /* reply a: bytes that are not allocated */
    WR_CUDA_CHECK,  /* a: address, b: bytes: could they be written? Before data are sent for it */
    WR_CUDA_WRITE,  /* stream; a: address; the data */
    WR_CUDA_READ,   /* stream; a: address, b: bytes, c: the reader's mark on the note */
    WR_CUDA_FILL,   /* stream; a: address, b: the byte, c: how many */
    WR_CUDA_COPY,   /* stream; a: to, b: from, c: bytes */
    WR_CUDA_LAUNCH, /* stream; a: module, b: kernel, x: grid, y: block, c: dynamic shared bytes;
                       the parameter block as the kernel has it */
    WR_CUDA_STREAM, /* a: 1 = it waits for the default stream and that for it, 0 = it does not;
                       b: priority, higher first; reply a: its number */
    WR_CUDA_END_STREAM, /* stream: none of its work is lost */
    WR_CUDA_EVENT,      /* reply a: its number */
    WR_CUDA_END_EVENT,  /* a */
    WR_CUDA_RECORD,     /* stream; a: event */
    WR_CUDA_WAIT_EVENT, /* stream; a: event */
    WR_CUDA_ELAPSED,    /* a, b: events; reply a: cycles from one to the other (signed) */
    WR_CUDA_WAIT,       /* for all that is there of: a = 0 everything, 1 the stream, 2 the event b;
                           reply a: where a kernel's access was in no allocation, else 0 */
    WR_CUDA_OCCUPANCY,  /* a: module, b: kernel, y: block, c: dynamic shared bytes; reply a: TBs */
    WR_CUDA_LIMIT, /* a: CUDA's number of it, c: 1 = it is to be b bytes; reply a: what it is */
    WR_CUDA_LEAVE  /* the program is over; reply: error is the exit status */
} wr_cuda_what;

/* `a` of the last reply of all, whose error is the GPU's exit status: to WR_CUDA_LEAVE, or out of
 * turn, where the GPU has ended before the program. */
#define WR_CUDA_OVER UINT64_C(0x7761727072656fff)

typedef struct wr_cuda_request {
    uint32_t what, stream;
    uint64_t a, b, c;
    uint32_t x[3], y[3];
    uint64_t bytes; /* behind this */
} wr_cuda_request;

/* An error of CUDA's by its number, 0 = none, and text for people. */
typedef struct wr_cuda_reply {
    int32_t error;
    uint32_t notes;
    uint64_t a;
    uint64_t
        bytes; /* behind this: text where error is not 0, else what the request is answered with */
} wr_cuda_reply;

/* Behind a reply: `bytes` bytes of data for the reader with this mark; WR_CUDA_PRINTED: text. */
#define WR_CUDA_PRINTED UINT64_MAX
typedef struct wr_cuda_note {
    uint64_t mark, bytes;
} wr_cuda_note;

/* Errors of CUDA's that the GPU finds. */
enum {
    WR_CUDA_INVALID_VALUE = 1,
    WR_CUDA_NO_MEMORY = 2,
    WR_CUDA_INVALID_CONFIGURATION = 9,
    WR_CUDA_INVALID_DEVICE_FUNCTION = 98,
    WR_CUDA_UNSUPPORTED_LIMIT = 215,
    WR_CUDA_INVALID_PTX = 218,
    WR_CUDA_INVALID_HANDLE = 400,
    WR_CUDA_NOT_READY = 600,
    WR_CUDA_ILLEGAL_ADDRESS = 700,
    WR_CUDA_OUT_OF_RESOURCES = 701,
    WR_CUDA_TIMEOUT = 702,
    WR_CUDA_ASSERT = 710,
    WR_CUDA_MISALIGNED = 716,
    WR_CUDA_LAUNCH_FAILURE = 719,
    WR_CUDA_UNKNOWN = 999
};

typedef struct wr_cuda_device {
    char name[64];
    uint64_t first_address, global_bytes, const_bytes;
    uint32_t sms, warp_size, max_threads, max_threads_sm, max_tbs_sm, regs_tb, regs_sm;
    uint32_t shared_tb, shared_sm, l2_bytes, core_mhz, memory_mhz, bus_bits;
} wr_cuda_device;

typedef struct wr_cuda_kernel {
    uint32_t regs, shared_bytes, local_bytes, max_threads, param_bytes, params;
    uint32_t refused; /* it cannot run; behind its name stands why */
    uint32_t name_bytes;
} wr_cuda_kernel; /* behind it: a wr_cuda_param each, the name */

typedef struct wr_cuda_param {
    uint32_t offset, size;
} wr_cuda_param;

typedef struct wr_cuda_variable {
    uint64_t address, size;
    uint32_t name_bytes, unused;
} wr_cuda_variable; /* behind it: the name */

/* All of it, through signals and short writes. False: the other end is gone. */
bool wr_cuda_send(int fd, const void *data, size_t bytes);
bool wr_cuda_receive(int fd, void *data, size_t bytes);

#endif
