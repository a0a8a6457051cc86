/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers and the configuration for the tests of the memory system. */
#ifndef WR_TESTS_MEMORY_TRAFFIC_H
#define WR_TESTS_MEMORY_TRAFFIC_H

#include "shell/config/config.h"

/* $WARPREF_SEED or a fixed seed; printed. */
uint64_t traffic_seed(void);
uint64_t traffic_random(uint64_t *state);
/* A number below `n`. */
uint32_t traffic_below(uint64_t *state, uint32_t n);
/* True in `percent` of the calls. */
bool traffic_chance(uint64_t *state, uint32_t percent);

wr_gpu_config traffic_named(const char *name); /* a name or a path */
wr_gpu_config traffic_config(void);            /* gtx480 */

#endif
