/* SPDX-License-Identifier: Apache-2.0 */
/* The model behind a checker in somebody else's simulator: see simulator.h. */
#include "dpi/simulator.h"

#include "dpi/checker.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 600 };

typedef struct handle {
    const wr_block_desc *block;
    uint32_t cfg[WR_MAX_PARAMS];
    wr_checker *checker; /* NULL: it could not be made */
    bool was_reset;
    uint64_t cycles;
    char text[TEXT];
} handle;

/* The pins of one side have as many bits as the block's. */
static bool fits(handle *h, wr_dir dir, uint32_t bits)
{
    const uint32_t wanted = wr_block_bits(h->block, dir, h->cfg);

    if (bits != wanted) {
        (void)snprintf(h->text, sizeof(h->text),
                       "%s: the %s pins of the module have %" PRIu32 " bits together, the block's "
                       "%" PRIu32 ": `warpref blocks %s` lists them",
                       h->block->name, dir == WR_IN ? "input" : "output", bits, wanted,
                       h->block->name);
    }
    return bits == wanted;
}

/* Leaves out the registers that the module does not show. */
static void leave_out(handle *h, uint32_t shown)
{
    for (size_t i = 0; i < h->block->states_count; i++) {
        if ((shown >> i & 1) == 0) {
            (void)wr_checker_leave_out(h->checker, h->block->states[i].name);
        }
    }
}

static bool may_be(const handle *h)
{
    void *model = calloc(1, h->block->state_size);
    const bool good = model == NULL || h->block->init(model, h->cfg) == WR_OK;

    free(model);
    return good;
}

void *wr_dpi_open(const char *block, const uint32_t *params, uint32_t in_bits, uint32_t out_bits,
                  const uint32_t *shown)
{
    handle *h = calloc(1, sizeof(*h));

    if (h == NULL) {
        return NULL;
    }
    h->block = wr_block_find(block);
    if (h->block == NULL) {
        (void)snprintf(h->text, sizeof(h->text),
                       "wr_checker: there is no block '%s'; `warpref blocks` lists them", block);
        return h;
    }
    memcpy(h->cfg, params, h->block->params_count * sizeof(h->cfg[0]));
    if (!may_be(h)) {
        wr_block_refusal(h->block, h->cfg, h->text, sizeof(h->text));
        return h;
    }
    if (!fits(h, WR_IN, in_bits) || !fits(h, WR_OUT, out_bits)) {
        return h;
    }
    h->checker = wr_checker_new(h->block, h->cfg, (wr_align){.kind = WR_ALIGN_CYCLES});
    if (h->checker == NULL) {
        (void)snprintf(h->text, sizeof(h->text), "%s: out of memory", block);
        return h;
    }
    leave_out(h, *shown);
    return h;
}

void wr_dpi_reset(void *checker)
{
    handle *h = checker;

    if (h != NULL && h->checker != NULL) {
        wr_checker_on_reset(h->checker);
        h->was_reset = true;
    }
}

int wr_dpi_cycle(void *checker, const uint32_t *in, const uint32_t *out, const uint32_t *state,
                 unsigned char unknown)
{
    handle *h = checker;
    const char *first;

    if (h == NULL || h->checker == NULL || !h->was_reset || h->text[0] != '\0') {
        return 0;
    }
    if (unknown) {
        (void)snprintf(h->text, sizeof(h->text), "%s: cycle %" PRIu64 ": an output is X or Z",
                       h->block->name, h->cycles);
        return 1;
    }
    wr_checker_on_cycle(h->checker, in, out, state);
    h->cycles++;
    first = wr_checker_first(h->checker);
    if (first != NULL) {
        (void)snprintf(h->text, sizeof(h->text), "%s", first);
    }
    return first != NULL;
}

const char *wr_dpi_text(void *checker)
{
    const handle *h = checker;

    return h != NULL ? h->text : "wr_checker: out of memory";
}

int wr_dpi_end(void *checker)
{
    handle *h = checker;
    const bool failed = h != NULL && h->text[0] == '\0' && h->cycles == 0;

    if (h == NULL) {
        return 0;
    }
    if (h->text[0] != '\0') {
        h->text[0] = '\0'; /* it has been said */
    } else if (failed) {
        (void)snprintf(h->text, sizeof(h->text),
                       "%s: nothing was compared: no clock edge behind a reset", h->block->name);
    } else {
        (void)snprintf(h->text, sizeof(h->text), "%s: PASS %" PRIu64 " cycles %" PRIu64 " checks",
                       h->block->name, h->cycles, wr_checker_comparisons(h->checker));
    }
    wr_checker_free(h->checker);
    h->checker = NULL;
    return failed;
}
