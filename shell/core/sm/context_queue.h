/* SPDX-License-Identifier: Apache-2.0 */
/* The context queue of an SM: memory traffic of save and restore; see seam/context.h.
 *
 *   wr_sm_ctx_write -+-> queue --port--> memory system --+-> acknowledged writes
 *   wr_sm_ctx_read  -+                                   +-> read ring, in request order
 */
#ifndef WR_SHELL_CORE_SM_CONTEXT_QUEUE_H
#define WR_SHELL_CORE_SM_CONTEXT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#define WR_CTX_BYTES 128
#define WR_CTX_QUEUE 16 /* requests that wait for the port */
#define WR_CTX_READS 64 /* reads asked for and not fetched; a power of two */

typedef struct wr_ctx_request {
    uint64_t addr;
    uint64_t since; /* cycle of the request, for ageing */
    uint32_t bytes;
    uint32_t read; /* index in the read ring */
    bool is_write;
    uint8_t data[WR_CTX_BYTES];
} wr_ctx_request;

typedef struct wr_ctx_read_slot {
    uint64_t addr;
    uint32_t bytes, tag;
    bool arrived;
    uint8_t data[WR_CTX_BYTES];
} wr_ctx_read_slot;

typedef struct wr_context_queue {
    wr_ctx_request queue[WR_CTX_QUEUE];
    uint32_t head, count;
    wr_ctx_read_slot reads[WR_CTX_READS];
    uint32_t read_head, read_count;
    uint32_t unanswered; /* injected, no reply yet */
} wr_context_queue;

#endif
