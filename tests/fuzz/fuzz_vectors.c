/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a vector file: read, and what is taken is played into the model of its block, in the
 * parameters that the file names.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/input.h"
#include "vectors/vectors.h"

static void check_vectors(const wr_vectors *v)
{
    wr_replay_result result;
    wr_port port;
    char err[1024];
    void *model = calloc(1, v->block->state_size);

    if (v->count == 0 || memchr(v->config, '\0', sizeof v->config) == NULL) {
        wr_fuzz_fail("a file without rows was taken");
    }
    for (uint32_t i = 0; i < v->count; i++) {
        if (v->line[i] <= (i > 0 ? v->line[i - 1] : 1)) {
            wr_fuzz_fail("the lines of the rows are not in order");
        }
    }
    if (model == NULL ||
        !wr_port_open(&port, v->block, WR_BACKEND_MODEL, v->cfg, model, NULL, 1, err, sizeof err)) {
        wr_fuzz_fail("no port for a file that was taken");
    }
    wr_vectors_replay(v, &port, &result);
    if (result.cycles != v->count || result.checks < v->count ||
        (result.mismatches > 0) != (result.first[0] != '\0')) {
        wr_fuzz_fail("a file that was taken is not played as a whole");
    }
    wr_port_close(&port);
    free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = wr_fuzz_file(data, size);
    char err[1024] = "";
    wr_vectors v;

    if (wr_vectors_load(&v, path, err, sizeof err)) {
        check_vectors(&v);
        wr_vectors_free(&v);
    } else {
        wr_fuzz_want_text(err, path, data, size);
    }
    return 0;
}
