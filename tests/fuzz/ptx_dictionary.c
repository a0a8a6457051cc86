/* SPDX-License-Identifier: Apache-2.0 */
/* Prints libFuzzer's dictionary of PTX: the words of the parser's tables, and those that only
 * its code knows (directives, operators, the letters of numbers). */
#include <stdio.h>

#include "shell/ptx/form.h"

static const char *const words[] = {
    ".version 4.0\\x0a",
    ".target sm_50\\x0a",
    ".address_size 32\\x0a",
    ".address_size 64\\x0a",
    ".visible .entry k()",
    ".entry",
    ".func",
    ".extern",
    ".visible",
    ".weak",
    ".common",
    ".alias",
    ".reg",
    ".param",
    ".local",
    ".shared",
    ".global",
    ".const",
    ".align",
    ".attribute",
    ".ptr",
    ".maxntid",
    ".reqntid",
    ".minnctapersm",
    ".maxnctapersm",
    ".maxnreg",
    ".noreturn",
    ".pragma",
    ".section",
    ".file",
    ".loc",
    ".branchtargets",
    ".calltargets",
    ".callprototype",
    "generic(",
    "mask(",
    "%r1",
    "%rd1",
    "%f1",
    "%p1",
    ".x",
    ".v2",
    ".v4",
    "@%p1 ",
    "@!%p1 ",
    "0x",
    "0f3F800000",
    "0d3FF0000000000000",
    "4294967295",
    "-1",
    "<<",
    ">>",
    "<=",
    "==",
    "&&",
    "||",
    "/*",
    "*/",
    "//",
    "<2>",
    "{",
    "}",
    "[",
    "]",
    ";\\x0a",
};

int main(void)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        printf("\"%s\"\n", words[i]);
    }
    for (size_t i = 0; i < wr_ptx_form_count; i++) {
        if (i == 0 || wr_ptx_forms[i].name != wr_ptx_forms[i - 1].name) {
            printf("\"%s\"\n", wr_ptx_forms[i].name);
        }
    }
    for (size_t i = 0; i < wr_ptx_modifier_count; i++) {
        printf("\".%s\"\n", wr_ptx_modifiers[i].text);
    }
    for (unsigned i = 1; i < WR_PTX_TYPE_COUNT; i++) {
        printf("\".%s\"\n", wr_ptx_type_name((wr_ptx_type)i));
    }
    for (size_t i = 0; i < WR_PTX_SREG_COUNT; i++) {
        printf("\"%s%s\"\n", wr_ptx_sregs[i].name, wr_ptx_sregs[i].has_component ? ".x" : "");
    }
    for (size_t i = 0; i < wr_ptx_unsupported_count; i++) {
        printf("\"%s\"\n", wr_ptx_unsupporteds[i].prefix);
    }
    return 0;
}
