/* SPDX-License-Identifier: Apache-2.0 */
/* See ops_gpu.h. */
#include "tests/ops/ops_gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "shell/ptx/ptx.h"

wr_gpu_config ops_gpu(bool quick)
{
    wr_gpu_config config;
    wr_diag diag = {0};

    assert_true(wr_config_load("gtx480", &config, &diag));
    config.sms = 2;
    if (!quick) {
        return config;
    }
    config.l1.bytes *= 16;
    config.l2.banks = 2;
    config.l2.bytes_per_cycle *= 4;
    config.l2.latency /= 8;
    config.noc.speedup = 8;
    config.dram.channels = 2;
    config.dram.latency /= 8;
    return config;
}
