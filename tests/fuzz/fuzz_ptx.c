/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as PTX text: parsed, and compiled and printed where they are taken.
 *
 * The text lies in a block of exactly its size, so that a read past it is seen. What is
 * compiled must be whole: every instruction found at its word, branches to instructions only.
 */
#include <stdlib.h>
#include <string.h>

#include "shell/compiler/compiler.h"
#include "tests/fuzz/input.h"

static void check_branch(const wr_kernel *k, const wr_insn *insn)
{
    if (insn->target / 8 >= k->word_count || k->insn_at[insn->target / 8] == UINT32_MAX) {
        wr_fuzz_fail("a branch leads to no instruction");
    }
    if (insn->reconv != UINT32_MAX &&
        (insn->reconv / 8 >= k->word_count || k->insn_at[insn->reconv / 8] == UINT32_MAX)) {
        wr_fuzz_fail("lanes meet again at no instruction");
    }
}

/* What the compiler says of itself, not of the text: no input of this size may make it do so. Its
 * messages quote names alone, so these words are its own; the parser's may quote whole strings. */
static void check_refusal(const wr_diag *diag, const wr_compile_options *options)
{
    if (strstr(diag->message, "compiler is at fault") != NULL ||
        (options->max_regs == WR_ISA_MAX_REGS && strstr(diag->message, "even with spilling"))) {
        wr_fuzz_fail(diag->message);
    }
}

static void check_kernel(const wr_kernel *k, FILE *sink)
{
    uint32_t next = 0;

    if (k->regs == 0 || k->regs > WR_ISA_MAX_REGS || k->max_live > k->regs) {
        wr_fuzz_fail("a kernel's register counts are out of range");
    }
    for (size_t w = 0; w < k->word_count; w++) {
        if (k->insn_at[w] == UINT32_MAX) {
            continue;
        }
        if (k->insn_at[w] != next++) {
            wr_fuzz_fail("instructions and words disagree");
        }
    }
    if (next != k->insn_count) {
        wr_fuzz_fail("an instruction has no word");
    }
    for (uint32_t i = 0; i < k->insn_count; i++) {
        if (k->insns[i].op == WR_OP_BRA) {
            check_branch(k, &k->insns[i]);
        }
    }
    wr_kernel_print(sink, k, WR_PRINT_SUMMARY | WR_PRINT_DISASM | WR_PRINT_POINTS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Few registers and many preemption points by turns: spilling and points get their share. */
    const wr_compile_options options = {.max_regs = size % 2 ? 8 : WR_ISA_MAX_REGS,
                                        .pp_interval = 4};
    wr_diag diag = {0};
    char *text = malloc(size + (size == 0));
    FILE *sink = fopen("/dev/null", "w");

    if (text == NULL || sink == NULL) {
        wr_fuzz_fail("out of memory, or no /dev/null");
    }
    if (size != 0) {
        memcpy(text, data, size);
    }
    wr_ptx_module *tree = wr_ptx_parse("fuzz.ptx", text, size, &diag);
    wr_module *module = tree != NULL ? wr_compile(tree, &options, &diag) : NULL;
    if (module == NULL) {
        wr_fuzz_want_message(&diag, data, size);
        if (tree != NULL) {
            check_refusal(&diag, &options);
        }
    }
    for (size_t i = 0; module != NULL && i < module->refused_count; i++) {
        wr_fuzz_want_message(module->refused[i].diag, data, size);
    }
    wr_ptx_free(tree); /* the module must not lean on it, nor on the text */
    free(text);
    for (size_t i = 0; module != NULL && i < module->kernel_count; i++) {
        check_kernel(&module->kernels[i], sink);
    }
    wr_module_free(module);
    (void)fclose(sink);
    return 0;
}
