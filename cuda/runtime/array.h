/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays: texels in the GPU's memory, row behind row and plane behind plane. */
#ifndef WR_CUDA_RUNTIME_ARRAY_H
#define WR_CUDA_RUNTIME_ARRAY_H

#include "cuda/runtime/client.h"
#include "uthash.h"

enum { WR_PITCH_ALIGN = 32, WR_TEXTURE_ALIGN = 256 }; /* as the device's properties say */

struct cudaArray {
    uint64_t address;
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent; /* as asked for: 0 = it has not that dimension */
    unsigned flags;
    size_t texel, pitch, rows, planes; /* bytes, bytes, and how many */
    const struct cudaArray *self;      /* the handle */
    UT_hash_handle hh;
};

/* Under the client's lock. False: it is no array, or no more. */
bool wr_array_is(cudaArray_const_t array);

/* Bytes of a texel: of 1, 2 or 4 channels of 8, 16 or 32 bits. 0: there is none such. */
size_t wr_texel_bytes(const struct cudaChannelFormatDesc *desc);

#endif
