/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of a checkpoint's header, for its writer and its reader; file.h draws it. */
#ifndef WR_SHELL_CHECKPOINT_LAYOUT_H
#define WR_SHELL_CHECKPOINT_LAYOUT_H

#include "shell/checkpoint/file.h"

enum {
    WR_CHECKPOINT_MAGIC = 8,
    WR_CHECKPOINT_START = 24, /* bytes up to the rows */
    WR_CHECKPOINT_ROW = 32,
    WR_CHECKPOINT_SUM = WR_CHECKPOINT_START + WR_CHECKPOINT_PARTS * WR_CHECKPOINT_ROW,
    WR_CHECKPOINT_HEADER = WR_CHECKPOINT_SUM + 8,
};

extern const uint8_t wr_checkpoint_magic[WR_CHECKPOINT_MAGIC];

#endif
