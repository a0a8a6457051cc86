/* The references by name, and what they share. None shares code with the kernel it checks. */
#ifndef WR_KERNELS_REFERENCE_H
#define WR_KERNELS_REFERENCE_H

#include "shell/host/reference.h"

/* NULL where there is no reference of this name. */
wr_reference_fn wr_reference_find(const char *name);

const char *wr_reference_vecadd(const wr_reference_launch *launch);
const char *wr_reference_backprop_layerforward(const wr_reference_launch *launch);
const char *wr_reference_pathfinder_dynproc(const wr_reference_launch *launch);

/* The signature of a kernel as its reference expects it: one letter per argument, 'f' a buffer
 * of f32, 'i' a buffer of 32-bit integers, 'n' a 32-bit integer value. */
bool wr_reference_takes(const wr_reference_launch *launch, const char *signature);

#endif
