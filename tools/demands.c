/* SPDX-License-Identifier: Apache-2.0 */
/* Demands of compiled kernels; see demands.h. */
#include "tools/demands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/reference.h"
#include "shell/host/job.h"
#include "shell/host/module.h"

wr_demand *wr_demands_add(wr_demands *d, wr_diag *diag)
{
    wr_demand *rows = realloc(d->rows, (d->count + 1) * sizeof *rows);
    if (rows == NULL) {
        wr_diag_set(diag, NULL, 0, 0, "out of memory");
        return NULL;
    }
    d->rows = rows;
    d->rows[d->count] = (wr_demand){0};
    return &d->rows[d->count++];
}

void wr_demands_free(wr_demands *d)
{
    free(d->rows);
    *d = (wr_demands){0};
}

bool wr_limit_parse(const char *text, unsigned *limit)
{
    static const char *const words[] = {"warp", "TB", "reg", "smem"};
    *limit = 0;
    for (const char *at = text; at != NULL;) {
        size_t length = strcspn(at, ",");
        unsigned found = 0;
        for (unsigned i = 0; i < 4; i++) {
            if (length == strlen(words[i]) && strncmp(at, words[i], length) == 0) {
                found = 1u << i;
            }
        }
        if (found == 0) {
            return false;
        }
        *limit |= found;
        at = at[length] == ',' ? at + length + 1 : NULL;
        at = at != NULL && *at == ' ' ? at + 1 : at;
    }
    return true;
}

static bool add_kernel(const wr_kernel *k, const wr_demand *demand, wr_demands *d, wr_diag *diag)
{
    for (size_t i = 0; i < d->count; i++) {
        const wr_demand *r = &d->rows[i];
        if (strcmp(r->name, k->name) == 0 && r->warps == demand->warps &&
            r->registers == demand->registers && r->shared == demand->shared) {
            return true;
        }
    }
    wr_demand *row = wr_demands_add(d, diag);
    if (row == NULL) {
        return false;
    }
    *row = *demand;
    (void)snprintf(row->name, sizeof row->name, "%s", k->name);
    return true;
}

bool wr_demands_from_launches(const char *path, wr_demands *d, wr_diag *diag)
{
    wr_job job;
    if (!wr_job_load(path, NULL, wr_reference_find, &job, diag)) {
        return false;
    }
    bool ok = true;
    for (unsigned i = 0; ok && i < job.loaded.file->launch_count; i++) {
        const wr_launch *l = &job.launches[i].launch;
        uint32_t threads = l->block[0] * l->block[1] * l->block[2];
        const wr_demand demand = {
            .warps = (threads + WR_CONFIG_WARP_SIZE - 1) / WR_CONFIG_WARP_SIZE,
            .registers = l->regs_override != 0 ? l->regs_override : l->kernel->regs,
            .shared = l->kernel->shared_bytes + l->shared_dynamic};
        ok = add_kernel(l->kernel, &demand, d, diag);
    }
    wr_job_free(&job);
    return ok;
}

bool wr_demands_from_module(const char *path, uint32_t warps, wr_demands *d, wr_diag *diag)
{
    const wr_cuda_options cuda = {0};
    const wr_compile_options compile = {0};
    wr_module *module = wr_module_load(path, &cuda, &compile, diag);
    if (module == NULL) {
        return false;
    }
    bool ok = module->kernel_count != 0;
    if (!ok) {
        wr_diag_set(diag, path, 0, 0, "there is no kernel in it");
    }
    for (size_t i = 0; ok && i < module->kernel_count; i++) {
        const wr_kernel *k = &module->kernels[i];
        const wr_demand demand = {.warps = warps, .registers = k->regs, .shared = k->shared_bytes};
        ok = add_kernel(k, &demand, d, diag);
    }
    wr_module_free(module);
    return ok;
}
