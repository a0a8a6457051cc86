/* SPDX-License-Identifier: Apache-2.0 */
/* Crossbar or mesh from the configuration; see network.h. */
#include "shell/memory/network.h"

#include "shell/config/placement.h"

#include <assert.h>
#include <string.h>

static wr_crossbar *make_crossbar(const wr_gpu_config *cfg, uint32_t inputs, uint32_t outputs)
{
    const wr_crossbar_config c = {.inputs = inputs,
                                  .outputs = outputs,
                                  .latency = cfg->noc.latency,
                                  .speedup = cfg->noc.speedup,
                                  .input_flits = cfg->noc.input_flits,
                                  .output_packets = cfg->noc.output_packets};
    return wr_crossbar_create(&c);
}

static wr_mesh *make_mesh(const wr_gpu_config *cfg, uint32_t inputs, uint32_t outputs, bool reply)
{
    const wr_noc_mesh_config *m = &cfg->noc.mesh;
    wr_placement p = {0};
    wr_mesh_config c = {.inputs = inputs,
                        .outputs = outputs,
                        .width = m->width,
                        .vcs = m->vcs,
                        .buffers = m->vc_buffers,
                        .routing = m->routing,
                        .vc_alloc = m->vc_alloc,
                        .switch_alloc = m->switch_alloc,
                        .traversal = m->traversal,
                        .link = m->link,
                        .credit = m->credit,
                        .input_flits = cfg->noc.input_flits,
                        .output_packets = cfg->noc.output_packets};
    const char *wrong = wr_placement_init(&p, cfg);
    assert(wrong == NULL);
    (void)wrong;
    memcpy(c.input_node, reply ? p.bank : p.core, inputs);
    memcpy(c.output_node, reply ? p.core : p.bank, outputs);
    return wr_mesh_create(&c);
}

bool wr_network_init(wr_network *n, const wr_gpu_config *cfg, wr_network_way way)
{
    bool reply = way == WR_NETWORK_REPLY;
    uint32_t ports = cfg->sms + cfg->cpu.cores;
    uint32_t inputs = reply ? cfg->l2.banks : ports;
    uint32_t outputs = reply ? ports : cfg->l2.banks;
    *n = (wr_network){0};
    if (cfg->noc.kind == WR_NOC_MESH) {
        n->mesh = make_mesh(cfg, inputs, outputs, reply);
    } else {
        n->crossbar = make_crossbar(cfg, inputs, outputs);
    }
    return n->mesh != NULL || n->crossbar != NULL;
}

void wr_network_free(wr_network *n)
{
    wr_crossbar_free(n->crossbar);
    wr_mesh_free(n->mesh);
    *n = (wr_network){0};
}

wr_network_stats wr_network_totals(const wr_network *n)
{
    if (n->mesh == NULL) {
        wr_crossbar_stats s = wr_crossbar_totals(n->crossbar);
        return (wr_network_stats){.packets_in = s.packets_in,
                                  .packets_out = s.packets_out,
                                  .flits_in = s.flits_in,
                                  .flits_out = s.flits_out};
    }
    wr_mesh_stats s = wr_mesh_totals(n->mesh);
    return (wr_network_stats){.packets_in = s.packets_in,
                              .packets_out = s.packets_out,
                              .flits_in = s.flits_in,
                              .flits_out = s.flits_out,
                              .hops = s.hops};
}
