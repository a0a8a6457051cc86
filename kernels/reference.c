/* The table of references. */
#include "kernels/reference.h"

#include <string.h>

static const struct {
    const char *name;
    wr_reference_fn fn;
} references[] = {
    {"vecadd", wr_reference_vecadd},
    {"backprop_layerforward", wr_reference_backprop_layerforward},
    {"pathfinder_dynproc", wr_reference_pathfinder_dynproc},
};

wr_reference_fn wr_reference_find(const char *name)
{
    for (size_t i = 0; i < sizeof references / sizeof references[0]; i++)
        if (strcmp(references[i].name, name) == 0)
            return references[i].fn;
    return NULL;
}

bool wr_reference_takes(const wr_reference_launch *launch, const char *signature)
{
    if (launch->arg_count != strlen(signature))
        return false;
    for (size_t i = 0; i < launch->arg_count; i++) {
        const wr_reference_arg *arg = &launch->args[i];
        bool word = arg->type == WR_S32 || arg->type == WR_U32 || arg->type == WR_B32;
        bool fits = signature[i] == 'f'   ? arg->data && arg->type == WR_F32
                    : signature[i] == 'i' ? arg->data && word
                                          : !arg->data && word;
        if (!fits)
            return false;
    }
    return true;
}
