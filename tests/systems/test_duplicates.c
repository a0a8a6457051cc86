/* SPDX-License-Identifier: Apache-2.0 */
/* System duplicates on the real shell: every miss of every L1 is written down, and at the end each
 * is compared with all those in the window before it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/counters.h"
#include "systems/duplicates/duplicates.h"
#include "systems/frame/chain.h"
#include "tests/systems/jobs.h"
#include "tests/systems/rows.h"

enum { MOST = 400000 };

typedef struct miss {
    uint64_t at, line;
    uint32_t sm;
} miss;
static miss misses[MOST];
static uint32_t count;

static void on_missed(void *self, wr_sm *sm, uint32_t warp, uint64_t line, uint32_t place,
                      uint64_t evicted)
{
    (void)self;
    (void)warp;
    (void)place;
    (void)evicted;
    assert_true(count < MOST);
    misses[count++] = (miss){wr_gpu_cycle(wr_sm_gpu(sm)), line, wr_sm_id(sm)};
}

static uint64_t work_out(uint64_t window)
{
    uint64_t duplicates = 0;

    for (uint32_t i = 0; i < count; i++) {
        bool found = false;

        for (uint32_t k = i; !found && k-- > 0 && misses[i].at - misses[k].at <= window;) {
            found = misses[k].line == misses[i].line && misses[k].sm != misses[i].sm &&
                    misses[k].at < misses[i].at;
        }
        duplicates += found;
    }
    return duplicates;
}

typedef struct figures {
    uint64_t entries, duplicates;
    double share;
} figures;

static void note_row(void *arg, const wr_row *row)
{
    figures *f = arg;

    f->entries = strcmp(row->name, "entries") == 0 ? row->count : f->entries;
    f->duplicates = strcmp(row->name, "duplicates") == 0 ? row->count : f->duplicates;
    f->share = strcmp(row->name, "share") == 0 ? row->real : f->share;
}

static void test_counts(void **state)
{
    static const struct {
        const char *file, *machine;
        uint32_t sms, window;
    } rows[] = {
        {"kernels/gemm.yaml", "k20x", 14, 2000},     {"kernels/gemm.yaml", "k20x", 5, 37},
        {"kernels/jacobi.yaml", "gtx480", 15, 500},  {"kernels/jacobi.yaml", "k20x", 4, 1},
        {"kernels/spmv_csr.yaml", "k20x", 14, 2000}, {"kernels/bfs_kernel1.yaml", "k20x", 7, 150},
        {"kernels/gemm.yaml", "k20x", 1, 2000},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        wr_gpu_config cfg = jobs_config(rows[i].machine);
        const wr_system_hooks watcher = {.l1_missed = on_missed};
        figures f = {0};
        char spec[64];
        char err[256];
        const char *one = spec;
        wr_chain chain;
        wr_job job;

        cfg.sms = rows[i].sms;
        (void)snprintf(spec, sizeof spec, "duplicates:window=%u", rows[i].window);
        wr_system_group *systems = wr_system_group_open(&one, 1, NULL, &cfg, err, sizeof err);

        if (systems == NULL) {
            fail_msg("%s", err);
        }
        const wr_system_hooks *tables[2] = {&watcher, wr_system_group_hooks(systems)};

        count = 0;
        jobs_load(&job, rows[i].file, 0);
        const job_outcome o = jobs_run(&job, &cfg, wr_chain_join(&chain, tables, 2));
        const job_outcome bare = jobs_run(&job, &cfg, NULL);

        assert_int_equal(o.result.cycles, bare.result.cycles);
        each_row(systems, note_row, &f);
        print_message("%s on %u SMs, window %u: %lu entries, %lu duplicates\n", rows[i].file,
                      rows[i].sms, rows[i].window, f.entries, f.duplicates);
        assert_int_equal(f.entries, count);
        assert_int_equal(f.duplicates, work_out(rows[i].window));
        assert_true(f.share == 100 * (double)f.duplicates / (double)f.entries);
        assert_true(rows[i].sms == 1 ? f.duplicates == 0 : f.duplicates > 10);
        wr_job_free(&job);
        wr_system_group_close(systems);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
