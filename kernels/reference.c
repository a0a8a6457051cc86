/* SPDX-License-Identifier: Apache-2.0 */
/* The table of references. */
#include "kernels/reference.h"

#include <string.h>

static const struct {
    const char *name;
    wr_reference_fn fn;
} references[] = {
#define WR_REFERENCE(name) {#name, wr_reference_##name},
#include "kernels/reference_list.h"
#undef WR_REFERENCE
};

wr_reference_fn wr_reference_find(const char *name)
{
    for (size_t i = 0; i < sizeof references / sizeof references[0]; i++) {
        if (strcmp(references[i].name, name) == 0) {
            return references[i].fn;
        }
    }
    return NULL;
}

bool wr_reference_takes(const wr_reference_launch *launch, const char *signature)
{
    if (launch->arg_count != strlen(signature)) {
        return false;
    }
    for (size_t i = 0; i < launch->arg_count; i++) {
        const wr_reference_arg *arg = &launch->args[i];
        bool word = arg->type == WR_S32 || arg->type == WR_U32 || arg->type == WR_B32;
        bool byte = arg->type == WR_S8 || arg->type == WR_U8 || arg->type == WR_B8;
        bool fits = signature[i] == 'f'   ? arg->data && arg->type == WR_F32
                    : signature[i] == 'i' ? arg->data && word
                    : signature[i] == 'b' ? arg->data && byte
                    : signature[i] == 'r' ? !arg->data && arg->type == WR_F32
                                          : !arg->data && word;
        if (!fits) {
            return false;
        }
    }
    return true;
}

bool wr_reference_holds(const wr_reference_launch *launch, size_t arg, uint64_t count)
{
    return launch->args[arg].count >= count;
}

bool wr_reference_shape(const wr_reference_launch *launch, const uint32_t grid[3],
                        const uint32_t block[3])
{
    return memcmp(launch->grid, grid, sizeof launch->grid) == 0 &&
           memcmp(launch->block, block, sizeof launch->block) == 0;
}
