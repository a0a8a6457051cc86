/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of the mesh; see placement.h. */
#include "shell/config/placement.h"

#include <stdlib.h>

/* Nodes of the list, in order; their number, or UINT32_MAX where the list is wrong. */
static uint32_t memory_nodes(const wr_noc_mesh_config *m, uint8_t nodes[WR_PLACEMENT_PORTS])
{
    uint32_t all = m->width * m->width;
    uint32_t count = 0;
    uint64_t seen = 0;
    for (const char *at = m->memory_nodes; *at != '\0';) {
        char *end = NULL;
        unsigned long node = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : all;
        if (node >= all || (seen >> node & 1) != 0 || (*end != ',' && *end != '\0')) {
            return UINT32_MAX;
        }
        seen |= UINT64_C(1) << node;
        nodes[count++] = (uint8_t)node;
        at = *end == ',' ? end + 1 : end;
    }
    return count;
}

const char *wr_placement_init(wr_placement *p, const wr_gpu_config *cfg)
{
    const wr_noc_mesh_config *m = &cfg->noc.mesh;
    if (m->width < 2 || m->vcs == 0 || m->vc_buffers == 0 || m->traversal == 0 || m->link == 0 ||
        m->credit == 0 || m->sms_per_node == 0) {
        return "a width of 2 or more, and all but the first three latencies, must be given";
    }
    uint8_t memory[WR_PLACEMENT_PORTS];
    uint32_t count = memory_nodes(m, memory);
    if (count == UINT32_MAX) {
        return "memory_nodes must be different numbers of nodes with commas between";
    }
    if (count == 0 || count != cfg->dram.channels) {
        return "memory_nodes must name one node for each of dram.channels";
    }
    if (cfg->l2.banks / cfg->dram.channels > WR_PLACEMENT_LOCAL) {
        return "a node has at most 4 L2 banks";
    }
    uint64_t taken = 0;
    for (uint32_t c = 0; c < count; c++) {
        taken |= UINT64_C(1) << memory[c];
    }
    for (uint32_t b = 0; b < cfg->l2.banks; b++) {
        p->bank[b] = memory[b / (cfg->l2.banks / cfg->dram.channels)];
    }
    uint32_t nodes = m->width * m->width - count;
    uint32_t for_sms = (cfg->sms + m->sms_per_node - 1) / m->sms_per_node;
    uint32_t for_cpus = cfg->cpu.cores;
    if (for_sms + for_cpus > nodes) {
        return "it has too few nodes for the SMs and CPU cores";
    }
    uint32_t sms = 0, cpus = 0;
    uint32_t cpu_turns = nodes / 2; /* odd ones that SMs can leave free */
    for (uint32_t n = 0, k = 0; n < m->width * m->width; n++) {
        if ((taken >> n & 1) != 0) {
            continue;
        }
        bool even = k++ % 2 == 0;
        bool spare = for_sms <= nodes - cpu_turns; /* SMs do with the even ones */
        if (sms < cfg->sms && (even || (!spare && cpus == for_cpus))) {
            for (uint32_t i = 0; i < m->sms_per_node && sms < cfg->sms; i++) {
                p->core[sms++] = (uint8_t)n;
            }
        } else if (cpus < for_cpus) {
            p->core[cfg->sms + cpus++] = (uint8_t)n;
        }
    }
    return sms == cfg->sms && cpus == for_cpus ? NULL : "SMs and CPU cores do not fit alternately";
}
