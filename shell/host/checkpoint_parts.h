/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of checkpoint*.c alone. */
#ifndef WR_SHELL_HOST_CHECKPOINT_PARTS_H
#define WR_SHELL_HOST_CHECKPOINT_PARTS_H

#include "shell/host/checkpoint.h"

bool wr_checkpoint_put_run(wr_job *const *jobs, size_t count, const char *config, uint64_t printed,
                           wr_bytes *out);

#endif
