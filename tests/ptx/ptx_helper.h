/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the PTX tests: a module around a few lines of body. */
#ifndef WR_TESTS_PTX_HELPER_H
#define WR_TESTS_PTX_HELPER_H

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/ptx/ptx.h"

/* The body begins on line 12 of this module. */
#define PTX_BODY_LINE 12
#define PTX_HEAD                                                                                   \
    ".version 7.8\n"                                                                               \
    ".target sm_75\n"                                                                              \
    ".address_size 64\n"                                                                           \
    ".extern .shared .align 4 .b8 dyn[];\n"                                                        \
    ".visible .entry k(.param .u64 a, .param .u32 b)\n"                                            \
    "{\n"                                                                                          \
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>;\n"     \
    ".reg .u32 %u<9>; .reg .s32 %s<9>; .reg .u16 %uh<9>; .reg .u64 %ud<9>; .reg .s64 %sd<9>;\n"    \
    ".reg .f64 %d<9>;\n"                                                                           \
    ".local .align 4 .b8 dep[16];\n"                                                               \
    "\n"
#define PTX_TAIL "\nret;\n}\n"

static inline wr_ptx_module *parse_text(const char *text, wr_diag *diag)
{
    return wr_ptx_parse("test.ptx", text, strlen(text), diag);
}

static inline wr_ptx_module *parse_body_text(const char *body, wr_diag *diag)
{
    size_t size = sizeof PTX_HEAD + sizeof PTX_TAIL + strlen(body);
    char *text = (char *)malloc(size);
    assert_non_null(text);
    (void)snprintf(text, size, "%s%s%s", PTX_HEAD, body, PTX_TAIL);
    wr_ptx_module *module = parse_text(text, diag);
    free(text);
    return module;
}

/* Why the first function that is refused is, or NULL. */
static inline const wr_diag *first_refusal(const wr_ptx_module *module)
{
    const wr_ptx_func *func = module->funcs;
    while (func != NULL && func->refused == NULL) {
        func = func->next;
    }
    return func != NULL ? func->refused : NULL;
}

/* The module must parse; prints why where it does not. */
static inline wr_ptx_module *parse_good(const char *text)
{
    wr_diag diag;
    wr_ptx_module *module = parse_text(text, &diag);
    if (module == NULL || first_refusal(module) != NULL) {
        wr_diag_print(module == NULL ? &diag : first_refusal(module), stderr);
        fail_msg("it must be taken");
    }
    return module;
}

static inline wr_ptx_module *parse_good_body(const char *body)
{
    wr_diag diag;
    wr_ptx_module *module = parse_body_text(body, &diag);
    if (module == NULL || first_refusal(module) != NULL) {
        wr_diag_print(module == NULL ? &diag : first_refusal(module), stderr);
        fail_msg("it must be taken");
    }
    return module;
}

#endif
