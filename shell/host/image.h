/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a module's variables: its .global and .const images in simulated memory, with
 * the addresses that initialisers hold, and the places where kernels learn of them. */
#ifndef WR_SHELL_HOST_IMAGE_H
#define WR_SHELL_HOST_IMAGE_H

#include "shell/core/gpu.h"

typedef struct wr_images {
    uint64_t global, constant; /* addresses; 0 where the module has none */
} wr_images;

/* Allocates and fills both images. False: memory is full. */
bool wr_images_place(const wr_module *module, wr_gpu *gpu, wr_images *out);

/* Fills both anew. False: out of memory. */
bool wr_images_fill(const wr_module *module, wr_gpu *gpu, const wr_images *images);

/* Puts their addresses into a kernel's parameter block. */
void wr_images_bind(const wr_images *images, const wr_module *module, const wr_kernel *kernel,
                    uint8_t *params);

#endif
