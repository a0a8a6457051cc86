/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes between the host and memory, and inside it; see copy.h. */
#include "cuda/server/copy.h"

#include <stdlib.h>
#include <string.h>

static bool fill(wr_gpu *gpu, const wr_cuda_request *r)
{
    uint8_t part[4096];
    bool ok = true;
    memset(part, (int)(r->b & 0xff), sizeof part);
    for (uint64_t done = 0, bytes; ok && done < r->c; done += bytes) {
        bytes = r->c - done < sizeof part ? r->c - done : sizeof part;
        ok = wr_gpu_write(gpu, r->a + done, part, bytes);
    }
    return ok;
}

bool wr_copy(wr_gpu *gpu, const wr_cuda_request *r, const uint8_t *written,
             const wr_session_owner *owner)
{
    if (r->what == WR_CUDA_WRITE) {
        return wr_gpu_write(gpu, r->a, written, r->bytes);
    }
    if (r->what == WR_CUDA_FILL) {
        return fill(gpu, r);
    }
    bool reads = r->what == WR_CUDA_READ;
    uint64_t bytes = reads ? r->b : r->c;
    uint8_t *data = malloc(bytes + 1);
    bool ok = data && wr_gpu_read(gpu, reads ? r->a : r->b, data, bytes);
    if (ok && reads) {
        owner->read(owner->self, r->c, data, bytes);
    } else if (ok) {
        ok = wr_gpu_write(gpu, r->a, data, bytes);
    }
    free(data);
    return ok;
}
