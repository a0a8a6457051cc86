/* SPDX-License-Identifier: Apache-2.0 */
/* Both images get their places first, since each may hold addresses in the other. */
#include "shell/host/image.h"

#include <stdlib.h>
#include <string.h>

#define IMAGE_ALIGN 256

static void store(uint8_t *at, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

static bool fill(const wr_module *module, wr_gpu *gpu, const wr_images *images, unsigned space)
{
    uint32_t bytes = space == WR_SPACE_GLOBAL ? module->global_bytes : module->const_bytes;
    uint64_t base = space == WR_SPACE_GLOBAL ? images->global : images->constant;
    uint8_t *image = calloc((size_t)bytes + 1, 1);
    bool ok = image != NULL;

    for (size_t i = 0; ok && i < module->var_count; i++) {
        const wr_module_var *v = &module->vars[i];

        if (v->space == space && v->init) {
            memcpy(image + v->offset, v->init, v->size);
        }
    }
    for (size_t i = 0; ok && i < module->reloc_count; i++) {
        const wr_module_reloc *r = &module->relocs[i];
        uint64_t value = r->value;

        if (r->space != space) {
            continue;
        }
        if (r->base == WR_SPACE_GLOBAL) {
            value += images->global;
        } else if (r->base == WR_SPACE_CONST) {
            value += images->constant;
        }
        store(image + r->offset, value >> r->shift, r->size);
    }
    ok = ok && wr_gpu_write(gpu, base, image, bytes);
    free(image);
    return ok;
}

bool wr_images_place(const wr_module *module, wr_gpu *gpu, wr_images *out)
{
    *out = (wr_images){0};
    if (module->global_bytes != 0) {
        out->global = wr_gpu_alloc(gpu, module->global_bytes, IMAGE_ALIGN);
    }
    if (module->const_bytes != 0) {
        out->constant = wr_gpu_alloc(gpu, module->const_bytes, IMAGE_ALIGN);
    }
    return (module->global_bytes == 0 || out->global != 0) &&
           (module->const_bytes == 0 || out->constant != 0) && wr_images_fill(module, gpu, out);
}

bool wr_images_fill(const wr_module *module, wr_gpu *gpu, const wr_images *images)
{
    return (module->global_bytes == 0 || fill(module, gpu, images, WR_SPACE_GLOBAL)) &&
           (module->const_bytes == 0 || fill(module, gpu, images, WR_SPACE_CONST));
}

void wr_images_bind(const wr_images *images, const wr_module *module, const wr_kernel *kernel,
                    uint8_t *params)
{
    if (kernel->global_base_at != UINT32_MAX) {
        store(params + kernel->global_base_at, images->global, module->address_size / 8);
    }
    if (kernel->const_base_at != UINT32_MAX) {
        store(params + kernel->const_base_at, images->constant, module->address_size / 8);
    }
}
