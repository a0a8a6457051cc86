/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks locality_grouper, one of each warp scheduler; see state.h. */
#include "systems/locality/state.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Slots of a block: its scheduler's warps, in their order, on all SMs alike. */
static uint32_t number_slots(wr_locality *p, const wr_gpu_config *cfg)
{
    uint32_t most = 2; /* the block's least */

    for (uint32_t w = 0; w < cfg->sm.max_warps; w++) {
        const uint32_t s = w % cfg->sm.schedulers;
        const uint32_t slot = w / cfg->sm.schedulers;

        p->scheduler_of[w] = (uint8_t)s;
        p->slot_of[w] = (uint8_t)slot;
        p->warp_of[s][slot] = (uint8_t)w;
        most = slot + 1 > most ? slot + 1 : most;
    }
    return most;
}

static bool open_sm(wr_locality *p, const wr_system_setup *setup, uint32_t id,
                    const wr_locality_grouper_cfg *cfg, char *err, size_t err_size)
{
    char name[16];

    (void)snprintf(name, sizeof name, "sm%u", id);
    p->sm[id].group = &p->groups_of_all[(size_t)id * p->schedulers];
    p->sm[id].unit = wr_bay_add_unit(p->bay, name, WR_BAY_FREE);
    for (uint32_t s = 0; s < p->schedulers; s++) {
        wr_locality_group *g = &p->sm[id].group[s];

        g->open = wr_locality_grouper_port_open_behind(&g->port, wr_bay_behind(setup->bay), cfg,
                                                       err, err_size);
        if (!g->open) {
            return false;
        }
        wr_locality_grouper_port_reset(&g->port);
        wr_bay_add_port(p->bay, p->sm[id].unit, &g->port.port, &g->out);
    }
    return true;
}

bool wr_locality_open(wr_locality *p, const wr_system_setup *setup, char *err, size_t err_size)
{
    const wr_locality_grouper_cfg cfg = {.slots = number_slots(p, setup->cfg), .coord_bits = 8};

    p->sm = calloc(p->sms, sizeof *p->sm);
    p->groups_of_all = calloc((size_t)p->sms * p->schedulers, sizeof *p->groups_of_all);
    if (!p->sm || !p->groups_of_all) {
        (void)snprintf(err, err_size, "out of memory");
        return false;
    }
    for (uint32_t id = 0; p->schedules && id < p->sms; id++) {
        if (!open_sm(p, setup, id, &cfg, err, err_size)) {
            return false;
        }
    }
    return true;
}

void wr_locality_close(wr_locality *p)
{
    for (uint32_t i = 0; p->groups_of_all && i < p->sms * p->schedulers; i++) {
        if (p->groups_of_all[i].open) {
            wr_locality_grouper_port_close(&p->groups_of_all[i].port);
        }
    }
    free(p->groups_of_all);
    free(p->sm);
}

static void tell(wr_locality_sm *here, wr_locality_group *g, wr_locality_news news)
{
    assert(g->count < WR_LOCALITY_NEWS);
    g->news[(g->first + g->count++) % WR_LOCALITY_NEWS] = news;
    here->busy = true;
}

/* Warps that have come and gone since the last look. */
static void look(wr_locality *p, uint32_t id)
{
    wr_locality_sm *here = &p->sm[id];
    wr_sm *sm = wr_gpu_sm(p->gpu, id);
    const uint64_t live = wr_sm_live_warps(sm);

    for (uint64_t left = here->told & (here->gone | ~live); left != 0; left &= left - 1) {
        const uint32_t w = (uint32_t)__builtin_ctzll(left);

        tell(here, &here->group[p->scheduler_of[w]],
             (wr_locality_news){.kind = WR_LOCALITY_GOES, .slot = p->slot_of[w]});
    }
    here->told &= ~here->gone & live;
    here->gone = 0;
    for (uint64_t left = live & ~here->told; left != 0; left &= left - 1) {
        const uint32_t w = (uint32_t)__builtin_ctzll(left);
        const wr_warp_info warp = wr_sm_warp(sm, w);
        const wr_tb_info tb = wr_sm_tb(sm, warp.tb_slot);

        tell(here, &here->group[p->scheduler_of[w]],
             (wr_locality_news){.kind = WR_LOCALITY_COMES,
                                .slot = p->slot_of[w],
                                .warp = (uint8_t)warp.index,
                                .x = (uint8_t)tb.ctaid[0],
                                .y = (uint8_t)tb.ctaid[1]});
    }
    here->told = live;
}

void wr_locality_configure(wr_locality *p, wr_tb_sharing hint, uint32_t groups)
{
    for (uint32_t id = 0; id < p->sms; id++) {
        look(p, id);
        for (uint32_t s = 0; s < p->schedulers; s++) {
            tell(&p->sm[id], &p->sm[id].group[s],
                 (wr_locality_news){
                     .kind = WR_LOCALITY_CONFIG, .slot = (uint8_t)hint, .warp = (uint8_t)groups});
        }
    }
}

uint32_t wr_locality_grant(wr_locality *p, const wr_sm *sm, uint32_t scheduler, uint64_t candidates)
{
    wr_locality_sm *here = &p->sm[wr_sm_id(sm)];
    wr_locality_group *g = &here->group[scheduler];

    if ((candidates & g->has) == 0) {
        g->waits++;
        return UINT32_MAX;
    }
    for (uint64_t left = candidates; left != 0; left &= left - 1) {
        g->in.ready[p->slot_of[__builtin_ctzll(left)]] = true;
    }
    g->in.issue = true;
    wr_locality_grouper_port_eval(&g->port, &g->in, &g->out);
    g->ticks = g->settled = true;
    const uint32_t warp = p->warp_of[scheduler][g->out.grant_slot % WR_LOCALITY_SLOTS_MAX];

    if (!g->out.grant_valid || (candidates >> warp & 1) == 0) {
        here->strayed = true; /* RTL that is wrong: the run ends behind this cycle */
        return UINT32_MAX;
    }
    g->grants++;
    g->switches += g->out.grant_switch;
    return warp;
}

/* The edge at the end of this cycle, and what the block is told in the next one. */
static void clock_block(const wr_locality *p, wr_locality_group *g, uint32_t scheduler)
{
    wr_locality_grouper_in *in = &g->in;

    if (g->ticks) {
        if (!g->settled) {
            wr_locality_grouper_port_eval(&g->port, in, &g->out);
        }
        wr_locality_grouper_port_tick(&g->port, in);
        g->has |= in->launch ? UINT64_C(1) << p->warp_of[scheduler][in->launch_slot] : 0;
        g->has &=
            in->finish ? ~(UINT64_C(1) << p->warp_of[scheduler][in->finish_slot]) : UINT64_MAX;
        *in = (wr_locality_grouper_in){0};
        g->ticks = g->settled = false;
    }
    while (g->count != 0) {
        const wr_locality_news *n = &g->news[g->first];
        const bool first = !in->launch && !in->finish;

        if (n->kind == WR_LOCALITY_CONFIG && first) {
            in->cfg = true;
            in->hint = n->slot;
            in->groups = n->warp;
        } else if (n->kind == WR_LOCALITY_COMES && !in->launch &&
                   !(in->finish && in->finish_slot == n->slot)) {
            in->launch = true;
            in->launch_slot = n->slot;
            in->block_x = n->x;
            in->block_y = n->y;
            in->warp = n->warp;
        } else if (n->kind == WR_LOCALITY_GOES && !in->finish &&
                   !(in->launch && in->launch_slot == n->slot)) {
            in->finish = true;
            in->finish_slot = n->slot;
        } else {
            break;
        }
        g->ticks = true;
        g->first = (g->first + 1) % WR_LOCALITY_NEWS;
        g->count--;
        if (in->cfg) {
            break;
        }
    }
}

static void cycle(wr_locality *p, uint32_t id, uint64_t now)
{
    wr_locality_sm *here = &p->sm[id];
    char text[512];

    here->busy = false;
    look(p, id);
    (void)wr_bay_begin(p->bay, here->unit, now);
    for (uint32_t s = 0; s < p->schedulers; s++) {
        clock_block(p, &here->group[s], s);
        here->busy |= here->group[s].ticks || here->group[s].count != 0;
    }
    (void)wr_bay_end(p->bay, here->unit);
    if (wr_bay_check(p->bay, here->unit, text, sizeof text)) {
        wr_gpu_abort(p->gpu, wr_bay_fail(p->bay, here->unit, text));
    } else if (here->strayed) {
        wr_gpu_abort(p->gpu, wr_bay_fail(p->bay, here->unit,
                                         "locality_grouper granted a warp that could not issue"));
    }
}

void wr_locality_cycle(wr_locality *p, uint64_t now)
{
    for (uint32_t id = 0; id < p->sms; id++) {
        cycle(p, id, now);
    }
}

bool wr_locality_has_news(const wr_locality *p)
{
    for (uint32_t id = 0; id < p->sms; id++) {
        if (p->sm[id].busy) {
            return true;
        }
    }
    return false;
}
