/* SPDX-License-Identifier: Apache-2.0 */
/* One piece of work, done once, for bench/cost to count the host's instructions of. Prints how many
 * units of it there were: simulated warp instructions, or lines.
 *
 *   bench_cost_work shell KERNEL SMS BLOCKS LOOPS    a kernel of work.h
 *   bench_cost_work compile SHAPE LINES              a module of tests/compiler/shapes.h
 *   bench_cost_work shapes                           their names
 *   bench_cost_work sm                               bytes of an SM, and those of its slots'
 * storage
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/work.h"
#include "tests/compiler/shapes.h"

/* `count` numbers from 1 up, with commas between them. */
static bool numbers(const char *text, uint32_t *value, int count)
{
    for (int i = 0; i < count; i++) {
        char *end;
        unsigned long number = strtoul(text, &end, 10);

        if (number == 0 || number > UINT32_MAX || *end != (i + 1 < count ? ',' : '\0')) {
            return false;
        }
        value[i] = (uint32_t)number;
        text = end + 1;
    }
    return true;
}

static int usage(void)
{
    (void)fputs("usage: bench_cost_work shell KERNEL SMS,BLOCKS,LOOPS... | compile SHAPE LINES... "
                "| shapes | sm\n",
                stderr);
    return 2;
}

static bool run_once(const wr_module *module, const wr_work_kernel *kernel, const uint32_t size[3])
{
    wr_gpu_config config;
    wr_work_result r = {0};

    if (wr_work_machine(size[0], &config)) {
        r = wr_work_run(module, kernel, &config, size[1], size[2], 1);
    }
    printf("%llu\n", (unsigned long long)r.issued);
    return r.ok;
}

static int run_shell(int count, char **argv)
{
    const wr_work_kernel *kernel = NULL;
    int status = 0;

    for (int i = 0; i < WR_WORK_KERNELS; i++) {
        if (strcmp(argv[0], wr_work_kernels[i].name) == 0) {
            kernel = &wr_work_kernels[i];
        }
    }
    wr_module *module = wr_work_compile();

    for (int i = 1; i < count && module != NULL && status == 0; i++) {
        uint32_t size[3];

        if (kernel == NULL || !numbers(argv[i], size, 3)) {
            status = usage();
        } else if (!run_once(module, kernel, size)) {
            status = 1;
        }
    }
    wr_module_free(module);
    return module != NULL ? status : 1;
}

static bool compile_once(const wr_shape *shape, uint32_t lines)
{
    wr_diag diag = {0};
    wr_shape_text text = wr_shape_make(shape, lines);
    wr_ptx_module *ptx = wr_ptx_parse("generated", text.at, text.used, &diag);
    wr_module *module = ptx != NULL ? wr_compile(ptx, NULL, &diag) : NULL;
    bool good = module != NULL;

    if (!good) {
        wr_diag_print(&diag, stderr);
    }
    printf("%u\n", text.lines);
    wr_module_free(module);
    wr_ptx_free(ptx);
    free(text.at);
    return good;
}

static int run_compiler(int count, char **argv)
{
    const wr_shape *shape = NULL;

    for (size_t i = 0; i < wr_shape_count; i++) {
        if (strcmp(argv[0], wr_shapes[i].name) == 0) {
            shape = &wr_shapes[i];
        }
    }
    for (int i = 1; i < count; i++) {
        uint32_t lines;

        if (shape == NULL || !numbers(argv[i], &lines, 1)) {
            return usage();
        }
        if (!compile_once(shape, lines)) {
            return 1;
        }
    }
    return 0;
}

static int print_sm_bytes(void)
{
    wr_gpu_config config;

    if (!wr_work_machine(15, &config)) {
        return 1;
    }
    printf("%zu %zu\n", wr_work_sm_bytes(&config), wr_work_sm_storage(&config));
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 3 && strcmp(argv[1], "shell") == 0) {
        return run_shell(argc - 2, argv + 2);
    }
    if (argc > 3 && strcmp(argv[1], "compile") == 0) {
        return run_compiler(argc - 2, argv + 2);
    }
    if (argc == 2 && strcmp(argv[1], "sm") == 0) {
        return print_sm_bytes();
    }
    if (argc != 2 || strcmp(argv[1], "shapes") != 0) {
        return usage();
    }
    for (size_t i = 0; i < wr_shape_count; i++) {
        puts(wr_shapes[i].name);
    }
    return 0;
}
