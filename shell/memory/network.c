/* SPDX-License-Identifier: Apache-2.0 */
/* Crossbar or mesh from the configuration; see network.h. */
#include "shell/memory/network.h"

#include "shell/config/placement.h"

#include <assert.h>

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

/* Without a placement port i stands at node i, and again from node 0 on. */
static wr_mesh *make_mesh(const wr_gpu_config *cfg, uint32_t inputs, uint32_t outputs,
                          const uint8_t *input_node, const uint8_t *output_node)
{
    const wr_noc_mesh_config *m = &cfg->noc.mesh;
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
    for (uint32_t i = 0; i < inputs; i++) {
        c.input_node[i] = (uint8_t)(input_node != NULL ? input_node[i] : i % (m->width * m->width));
    }
    for (uint32_t o = 0; o < outputs; o++) {
        c.output_node[o] =
            (uint8_t)(output_node != NULL ? output_node[o] : o % (m->width * m->width));
    }
    return wr_mesh_create(&c);
}

void wr_network_ports(const wr_gpu_config *cfg, wr_network_way way, uint32_t *inputs,
                      uint32_t *outputs)
{
    uint32_t ports = cfg->sms + cfg->cpu.cores;
    *inputs = way == WR_NETWORK_REPLY ? cfg->l2.banks : ports;
    *outputs = way == WR_NETWORK_REPLY ? ports : cfg->l2.banks;
}

/* The network is one of the two; false: neither is there. */
static bool look_at(wr_network *n, wr_crossbar *crossbar, wr_mesh *mesh)
{
    *n = (wr_network){.crossbar = crossbar, .mesh = mesh};
    if (mesh != NULL) {
        n->front = wr_mesh_arrivals(mesh);
    } else if (crossbar != NULL) {
        n->front = wr_crossbar_arrivals(crossbar);
    }
    return n->front != NULL;
}

bool wr_network_init(wr_network *n, const wr_gpu_config *cfg, wr_network_way way)
{
    uint32_t inputs = 0, outputs = 0;
    wr_network_ports(cfg, way, &inputs, &outputs);
    if (cfg->noc.kind != WR_NOC_MESH) {
        return wr_network_init_ports(n, cfg, inputs, outputs);
    }
    bool reply = way == WR_NETWORK_REPLY;
    wr_placement p = {0};
    const char *wrong = wr_placement_init(&p, cfg);
    assert(wrong == NULL);
    (void)wrong;
    return look_at(
        n, NULL, make_mesh(cfg, inputs, outputs, reply ? p.bank : p.core, reply ? p.core : p.bank));
}

bool wr_network_init_ports(wr_network *n, const wr_gpu_config *cfg, uint32_t inputs,
                           uint32_t outputs)
{
    if (cfg->noc.kind == WR_NOC_MESH) {
        return look_at(n, NULL, make_mesh(cfg, inputs, outputs, NULL, NULL));
    }
    return look_at(n, make_crossbar(cfg, inputs, outputs), NULL);
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
