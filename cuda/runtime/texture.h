/* SPDX-License-Identifier: Apache-2.0 */
/* What textures and surfaces are made of, and where the GPU finds it
 * (cuda/include/texture_layout.h).
 */
#ifndef WR_CUDA_RUNTIME_TEXTURE_H
#define WR_CUDA_RUNTIME_TEXTURE_H

#include "cuda/include/texture_layout.h"
#include "cuda/runtime/array.h"

/* Under the client's lock, all of them. */
cudaError_t wr_texture_layout_of(const struct cudaResourceDesc *resource,
                                 const struct cudaTextureDesc *texture,
                                 struct wr_texture_layout *layout);
cudaError_t wr_surface_layout_of(const struct cudaResourceDesc *resource,
                                 struct wr_texture_layout *layout);

/* Writes at once, whatever streams have still to do. */
cudaError_t wr_texture_write(uint64_t address, const void *data, size_t bytes);
/* Memory of the GPU's for a layout. */
cudaError_t wr_texture_alloc(uint64_t *address);

#endif
