/* SPDX-License-Identifier: Apache-2.0 */
/* For new_block.sh: golden vectors of the only block there is, and its lockstep.
 *
 *   new_block golden DIR          writes DIR/<block>.<config>.hex
 *   new_block lockstep LIBRARY    runs it, of the configuration default, against the model
 */
#include "testbench/cosim.h"
#include "vectors/vectors.h"

#include <stdio.h>
#include <string.h>

enum { ROWS = 100, CYCLES = 20000 };

static bool golden(const wr_block_desc *block, const char *dir)
{
    for (size_t i = 0; i < block->configs_count; i++) {
        char path[1024];
        char err[512];
        (void)snprintf(path, sizeof(path), "%s/%s.%s.hex", dir, block->name,
                       block->configs[i].name);
        if (!wr_vectors_generate(path, block, block->configs[i].value, 1, ROWS, NULL, NULL, err,
                                 sizeof(err))) {
            (void)fprintf(stderr, "%s\n", err);
            return false;
        }
    }
    return true;
}

static bool lockstep(const wr_block_desc *block, const char *library)
{
    const wr_port_own own = {.lib = library};
    wr_cosim_options o = {.block = block,
                          .cfg = wr_block_config(block, "default")->value,
                          .own = &own,
                          .backend = WR_BACKEND_LOCKSTEP,
                          .seed = 1,
                          .cycles = CYCLES};
    const wr_stim *stim = wr_stim_find(block->name);
    wr_cosim_result result;
    char err[512];
    bool good = wr_cosim_run(&o, &result, err, sizeof(err));

    if (!good) {
        (void)fprintf(stderr, "%s\n", err);
        return false;
    }
    for (size_t i = 0; i < stim->bins; i++) {
        if (result.hits[i] == 0) {
            (void)fprintf(stderr, "empty bin: %s\n", stim->bin_names[i]);
            good = false;
        }
    }
    for (size_t i = 1; i <= stim->faults; i++) {
        if (result.first_faults[i] == 0) {
            (void)fprintf(stderr, "no episode begins with fault: %s\n", stim->fault_names[i]);
            good = false;
        }
    }
    if (result.stray[0] != '\0') {
        (void)fprintf(stderr, "stimulus: %s\n", result.stray);
        good = false;
    }
    (void)printf("%s %u cycles %u checks\n", result.stats.mismatches > 0 ? result.first : "PASS",
                 (unsigned)result.stats.cycles, (unsigned)result.stats.comparisons);
    return good && result.stats.mismatches == 0 && result.stats.comparisons > 0;
}

int main(int argc, char **argv)
{
    size_t count;
    const wr_block_desc *const *blocks = wr_blocks(&count);

    if (argc != 3 || count != 1 ||
        (strcmp(argv[1], "golden") != 0 && strcmp(argv[1], "lockstep") != 0)) {
        (void)fprintf(stderr, "usage: new_block golden DIR, or lockstep LIBRARY; with one block\n");
        return 2;
    }
    return (argv[1][0] == 'g' ? golden : lockstep)(blocks[0], argv[2]) ? 0 : 1;
}
