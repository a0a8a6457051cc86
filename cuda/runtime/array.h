/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays: texels in the GPU's memory, row behind row and plane behind plane. */
#ifndef WR_CUDA_RUNTIME_ARRAY_H
#define WR_CUDA_RUNTIME_ARRAY_H

#include "cuda/runtime/client.h"

enum { WR_PITCH_ALIGN = 32, WR_TEXTURE_ALIGN = 256 }; /* as the device's properties say */

typedef struct wr_array {
    uint64_t address;
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent; /* as asked for: 0 = it has not that dimension */
    unsigned flags;
    size_t texel, pitch, rows, planes; /* bytes, bytes, and how many */
} wr_array;

/* Under the client's lock. NULL: it is no array, or no more. */
const wr_array *wr_array_of(cudaArray_const_t handle);

/* Bytes of a texel: of 1, 2 or 4 channels of 8, 16 or 32 bits. 0: there is none such. */
size_t wr_texel_bytes(const struct cudaChannelFormatDesc *desc);

#endif
