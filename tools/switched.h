/* SPDX-License-Identifier: Apache-2.0 */
/* The switch points of a kernel, for each shape of TB that is known of it: those of its launches,
 * else the one that was asked for, else its own (.reqntid), else a width that is a multiple of 32
 * (32 x 2 x 2, of which no thread number is more regular than of others). */
#ifndef WR_TOOLS_SWITCHED_H
#define WR_TOOLS_SWITCHED_H

#include <argp.h>
#include <cjson/cJSON.h>
#include <stdio.h>

#include "shell/host/job.h"

typedef struct wr_switched {
    const wr_job *job; /* NULL: none */
    uint32_t block[3]; /* zeros: none was asked for */
} wr_switched;

/* X[,Y[,Z]] of option --block; a usage error where it is none. */
void wr_switched_parse(struct argp_state *state, const char *text, uint32_t block[3]);

void wr_switched_print(FILE *out, const wr_switched *shapes, const wr_kernel *kernel);
/* An array, an object for each shape. */
cJSON *wr_switched_json(const wr_switched *shapes, const wr_kernel *kernel);

#endif
