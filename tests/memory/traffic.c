/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers and the configuration; see traffic.h. */
#include "tests/memory/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "shell/ptx/diag.h"

uint64_t traffic_seed(void)
{
    const char *text = getenv("WARPREF_SEED");
    uint64_t seed = text != NULL ? strtoull(text, NULL, 0) : UINT64_C(0x5eed0004);
    print_message("seed %llu (set WARPREF_SEED to repeat)\n", (unsigned long long)seed);
    return seed;
}

uint64_t traffic_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint32_t traffic_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)((traffic_random(state) >> 32) * n >> 32);
}

bool traffic_chance(uint64_t *state, uint32_t percent)
{
    return traffic_below(state, 100) < percent;
}

wr_gpu_config traffic_named(const char *name)
{
    wr_gpu_config c;
    wr_diag diag;
    if (!wr_config_load(name, &c, &diag)) {
        fail_msg("%s", diag.message);
    }
    return c;
}

wr_gpu_config traffic_config(void)
{
    return traffic_named(WR_SOURCE_DIR "/shell/config/gtx480.yaml");
}
