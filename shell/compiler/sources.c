/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the source that the PTX names, gathered for the module. */
#include <stdlib.h>
#include <string.h>

#include "shell/compiler/lower.h"

static const char *shortened(const char *name)
{
    while (strncmp(name, "./", 2) == 0) {
        name += 2;
    }
    return name;
}

static bool is_own(const char *name)
{
    return strncmp(name, WR_SOURCE_OWN, strlen(WR_SOURCE_OWN)) == 0;
}

static bool is_known(const wr_ptx_module *ptx, const wr_ptx_insn *insn)
{
    return insn->src_line != 0 && insn->src_file < ptx->src_file_count &&
           ptx->src_files[insn->src_file] != NULL;
}

static void gather(const wr_ptx_module *ptx, const wr_ptx_func *func, wr_sources *sources)
{
    wr_source_line *first = &sources->at[sources->count++], now = {.file = UINT32_MAX};

    for (uint32_t i = 0; i < func->insn_count; i++) {
        const wr_ptx_insn *insn = &func->insns[i];

        if (is_known(ptx, insn) && !is_own(sources->files[insn->src_file]) &&
            (insn->src_file != now.file || insn->src_line != now.line)) {
            now = (wr_source_line){insn->line, insn->src_file, insn->src_line};
            sources->at[sources->count++] = now;
        }
    }
    *first = now.file != UINT32_MAX ? first[1] : now; /* what comes before the first line */
    first->ptx = func->line;
}

static int by_ptx(const void *a, const void *b)
{
    uint32_t x = ((const wr_source_line *)a)->ptx, y = ((const wr_source_line *)b)->ptx;

    return (x > y) - (x < y);
}

const wr_sources *wr_sources_build(wr_pool *pool, const wr_ptx_module *ptx)
{
    wr_sources *sources = wr_pool_alloc(pool, 1, sizeof *sources);
    size_t most = 0;

    if (ptx->src_file_count == 0) {
        return NULL;
    }
    for (const wr_ptx_func *func = ptx->funcs; func != NULL; func = func->next) {
        most += (size_t)func->insn_count + 1;
    }
    sources->files = wr_pool_alloc(pool, ptx->src_file_count, sizeof *sources->files);
    for (uint32_t i = 0; i < ptx->src_file_count; i++) {
        sources->files[i] =
            ptx->src_files[i] != NULL ? wr_pool_text(pool, shortened(ptx->src_files[i])) : NULL;
    }
    sources->at = wr_pool_alloc(pool, most, sizeof *sources->at);
    for (const wr_ptx_func *func = ptx->funcs; func != NULL; func = func->next) {
        gather(ptx, func, sources);
    }
    qsort(sources->at, sources->count, sizeof *sources->at, by_ptx);
    return sources;
}
