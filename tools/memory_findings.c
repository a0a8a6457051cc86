/* SPDX-License-Identifier: Apache-2.0 */
/* See memory_findings.h. */
#include "tools/memory_findings.h"

#include <inttypes.h>

#include "shell/core/memcheck.h"

void wr_memory_findings_print(const wr_gpu *gpu, FILE *out)
{
    for (size_t i = 0; i < wr_gpu_finding_count(gpu); i++) {
        const wr_finding *f = wr_gpu_finding(gpu, i);
        char text[1024];
        wr_finding_text(f, text, sizeof text);
        (void)fprintf(out, "memory, %s: %s\n", wr_finding_kind_name(f->kind), text);
    }
}

void wr_memory_findings_report(const wr_gpu *gpu, FILE *out)
{
    size_t count = wr_gpu_finding_count(gpu);
    uint64_t accesses = 0;
    for (size_t i = 0; i < count; i++) {
        accesses += wr_gpu_finding(gpu, i)->count;
    }
    (void)fprintf(out,
                  "\nMemory\n  all without time, %" PRIu64
                  " warp instructions: %zu finding%s, %" PRIu64 " accesses of a thread\n",
                  wr_gpu_forwarded(gpu).insns, count, count == 1 ? "" : "s", accesses);
}

static void add_three(cJSON *item, const char *name, const uint32_t value[3])
{
    cJSON *array = cJSON_AddArrayToObject(item, name);
    for (uint32_t i = 0; i < 3; i++) {
        cJSON_AddItemToArray(array, cJSON_CreateNumber(value[i]));
    }
}

void wr_memory_findings_json(const wr_gpu *gpu, cJSON *root)
{
    cJSON *list = cJSON_AddArrayToObject(root, "memory");
    for (size_t i = 0; i < wr_gpu_finding_count(gpu); i++) {
        const wr_finding *f = wr_gpu_finding(gpu, i);
        cJSON *item = cJSON_CreateObject();
        char text[1024];
        wr_finding_text(f, text, sizeof text);
        cJSON_AddStringToObject(item, "kind", wr_finding_kind_name(f->kind));
        cJSON_AddStringToObject(item, "kernel", f->kernel->name);
        cJSON_AddNumberToObject(item, "pc", f->kernel->insns[f->at].pc);
        add_three(item, "block", f->ctaid);
        add_three(item, "thread", f->tid);
        cJSON_AddStringToObject(item, "access", f->writes ? "write" : "read");
        cJSON_AddNumberToObject(item, "address", (double)f->address);
        cJSON_AddNumberToObject(item, "bytes", f->bytes);
        cJSON_AddNumberToObject(item, "count", (double)f->count);
        cJSON_AddStringToObject(item, "text", text);
        cJSON_AddItemToArray(list, item);
    }
}
