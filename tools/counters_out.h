/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU's counters as text, JSON and CSV. */
#ifndef WR_TOOLS_COUNTERS_OUT_H
#define WR_TOOLS_COUNTERS_OUT_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "shell/core/gpu.h"

/* The main sums and ratios, or all of them with the histograms. */
void wr_counters_print(const wr_gpu *gpu, bool all, FILE *out);

/* Adds "counters", "derived" and "histograms" to an object, and "parts" where asked: the tree of
 * SMs, schedulers, TB slots, ports, banks and channels, an object for each. */
void wr_counters_json(const wr_gpu *gpu, bool parts, cJSON *root);

/* All of the same, a line each: name,value,unit,doc. False: a write failed. */
bool wr_counters_csv(const wr_gpu *gpu, FILE *out);

#endif
