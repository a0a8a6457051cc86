/* SPDX-License-Identifier: Apache-2.0 */
/* A small world around tb_launcher, in which every answer comes at once, and what it asks and tells
 * as text. */
#ifndef WR_TESTS_BLOCKS_LAUNCHER_WORLD_H
#define WR_TESTS_BLOCKS_LAUNCHER_WORLD_H

#include <stdio.h>
#include <string.h>

#include "tests/oracle/tb_launcher_oracle.h"

typedef wr_tb_launcher_in pins_in;
typedef wr_tb_launcher_out pins_out;

/* One event as text: what is asked of whom. */
static inline void told(char *text, size_t size, const pins_out *o, const pins_in *in)
{
    static const char *const tables[] = {"read",   "write",     "read_tb",  "insert",
                                         "remove", "insert_tb", "remove_tb"};
    static const char *const kinds[] = {"native", "extra", "handed"};
    size_t n = strlen(text);

#define SAY(...) n += (size_t)snprintf(text + n, n < size ? size - n : 0, __VA_ARGS__)
    if (o->map_valid && !in->mem_req) {
        if (o->map_op) {
            SAY(" -%u@%x", o->map_count, o->map_addr);
        } else {
            SAY(" +%u:%u", o->map_count, o->map_region);
        }
    }
    if (o->tab_req && in->tab_ack) {
        SAY(" %s %u", tables[o->tab_op], o->tab_id);
        if (o->tab_op == 1 || o->tab_op == 3) {
            SAY("=%u,%x,%x", o->tab_state, o->tab_reg, o->tab_meta);
        } else if (o->tab_op == 5) {
            SAY("=%s,%x", o->tab_all ? "all" : "none", o->tab_reg);
        }
    }
    if (o->place) {
        SAY(" place %u %s@%x", o->tb, kinds[o->kind], o->smem);
    }
    if (o->ask) {
        SAY(" ask %u.%u", o->tb, o->index);
    }
    if (o->claim) {
        SAY(" claim %u>%u", o->warp, o->slot);
    }
    if (o->enter) {
        SAY(" enter %u>%u@%x", o->warp, o->slot, o->row);
    }
    if (o->arrive) {
        SAY(" arrive %u@%x,%x", o->warp, o->row, o->meta);
    }
    if (o->left) {
        SAY(" left %u<%u@%x", o->warp, o->slot, o->row);
    }
    if (o->gone) {
        SAY(" gone %u@%x", o->tb, o->smem);
    }
    if (o->me_launch) {
        SAY(" launch");
    }
    if (o->me_leave) {
        SAY(" leave");
    }
    if (o->booked) {
        SAY(" booked");
    }
#undef SAY
}

/* A small world: lines are had one behind the other, but for the alloc number `full`; the tables
 * are two arrays. */
typedef struct world {
    unsigned next, asked, full; /* full: 0 none */
    unsigned row[128], meta[128], smem[32];
    uint8_t state[128];
    bool valid[128], tb_valid[32], away[32];
    bool refuses;
    bool hidden; /* warps are not in place when it is checked */
    unsigned slot;
    pins_in in; /* what is asked for */
} world;

static inline void answer(world *w, const pins_out *o)
{
    pins_in *in = &w->in;
    const unsigned id = o->tab_id;

    in->tab_ack = o->tab_req;
    in->slot_next = (uint8_t)w->slot;
    in->ask_slot = (uint8_t)(32 + o->warp);
    in->place_ok = !w->refuses;
    in->me_ready = true;
    if (o->tab_op == 2) {
        in->tab_valid = w->tb_valid[id & 31];
        in->tab_reg = (uint16_t)w->smem[id & 31];
        in->tab_whole = !w->away[id & 31];
        in->tab_present = in->tab_whole;
    } else {
        in->tab_valid = w->valid[id];
        in->tab_reg = (uint16_t)w->row[id];
        in->tab_meta = (uint16_t)w->meta[id];
        in->tab_state = w->state[id];
        in->tab_present = in->tab_valid && w->meta[id] >= 0xc00 && w->meta[id] != 0xfff &&
                          !(w->hidden && o->state == WR_OL_CHECK);
    }
}

static inline void learn(world *w, const pins_out *o)
{
    const unsigned id = o->tab_id;

    w->in.map_done = o->map_valid;
    if (o->map_valid && !o->map_op) {
        w->asked++;
        w->in.map_found = w->asked != w->full;
        w->in.map_addr = (uint16_t)w->next;
        w->next += w->in.map_found ? o->map_count : 0;
    } else {
        w->in.map_found = true;
    }
    w->slot += o->claim;
    if (!w->in.tab_ack) {
        return;
    }
    if (o->tab_op == 1 || o->tab_op == 3) {
        w->valid[id] = true;
        w->row[id] = o->tab_reg;
        w->meta[id] = o->tab_meta;
        w->state[id] = o->tab_state;
    } else if (o->tab_op == 4) {
        w->valid[id] = false;
    } else if (o->tab_op == 5) {
        w->tb_valid[id] = true;
        w->smem[id] = o->tab_reg;
        w->away[id] = o->tab_all;
    } else if (o->tab_op == 6) {
        w->tb_valid[id] = false;
    }
}

#endif
