/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head32[] =
    ".version 6.0\n.target sm_50\n.address_size 32\n"
    ".visible .entry k(.param .u32 out, .param .u32 n)\n{\n"
    ".reg .pred %p<20>;\n.reg .b32 %r<120>;\n.reg .b64 %d<60>;\n"
    "ld.param.u32 %r1, [out];\nmov.u32 %r2, %tid.x;\nld.param.u32 %r3, [n];\n";
static const char head64[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u64 n)\n{\n"
    ".reg .pred %p<20>;\n.reg .b32 %r<120>;\n.reg .b64 %d<60>;\n"
    ".shared .align 8 .b8 buffer[1024];\n"
    "ld.param.u64 %d1, [out];\nmov.u32 %r2, %tid.x;\nld.param.u64 %d3, [n];\n";

wr_module *wr_test_compile_text(const char *text, const wr_compile_options *options)
{
    wr_diag diag = {0};
    wr_ptx_module *ptx = wr_ptx_parse("test.ptx", text, strlen(text), &diag);
    wr_module *module = ptx != NULL ? wr_compile(ptx, options, &diag) : NULL;

    wr_ptx_free(ptx);
    if (module == NULL || module->kernel_count == 0) {
        wr_diag_print(&diag, stderr);
        abort();
    }
    return module;
}

wr_module *wr_test_compile(const char *body, unsigned address_size,
                           const wr_compile_options *options)
{
    size_t size = strlen(body) + 1024;
    char *text = malloc(size);
    wr_module *module;

    if (text == NULL) {
        abort();
    }
    (void)snprintf(text, size, "%s%sret;\n}\n", address_size == 64 ? head64 : head32, body);
    module = wr_test_compile_text(text, options);
    free(text);
    return module;
}

unsigned wr_test_count(const wr_module *module, wr_op op)
{
    unsigned found = 0;

    for (size_t i = 0; i < module->kernels[0].insn_count; i++) {
        found += module->kernels[0].insns[i].op == op ? 1 : 0;
    }
    return found;
}

unsigned wr_test_find(const wr_module *module, wr_op op, unsigned n)
{
    for (size_t i = 0; i < module->kernels[0].insn_count; i++) {
        if (module->kernels[0].insns[i].op == op && n-- == 0) {
            return (unsigned)i;
        }
    }
    return UINT32_MAX;
}
