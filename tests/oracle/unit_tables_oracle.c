/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of duet_unit: see the header. */
#include "tests/oracle/unit_tables_oracle.h"

enum { WRITE_WARP = 1 };                                     /* tab_op of all who ask */
enum { MOVE_TB = 3, ABSENT_TB };                             /* of the switch logic */
enum { INSERT_WARP = 3, REMOVE_WARP, INSERT_TB, REMOVE_TB }; /* of the launcher */
enum { STATE = 1, REG = 2, META = 4, BARRIER = 8 };          /* fields of an update */

static bool whole(const wr_oracle_tbct *o, unsigned tb)
{
    const wr_oracle_tbct_entry e = wr_oracle_tbct_look(o, tb);

    for (unsigned w = 0; w < WR_ORACLE_TBCT_WARPS; w++) {
        if (e.absent[w]) {
            return false;
        }
    }
    return true;
}

wr_oracle_unit_entry wr_oracle_unit_look(const wr_oracle_wct *wct, const wr_oracle_tbct *tct,
                                         bool of_tb, unsigned id)
{
    if (of_tb) {
        const wr_oracle_tbct_entry e = wr_oracle_tbct_look(tct, id % 32);
        return (wr_oracle_unit_entry){.valid = e.valid,
                                      .present = wr_oracle_tbct_present(tct, id % 32),
                                      .whole = whole(tct, id % 32),
                                      .reg = e.addr};
    }
    const wr_oracle_wct_entry e = wr_oracle_wct_look(wct, id);
    return (wr_oracle_unit_entry){.valid = e.valid,
                                  .present = wr_oracle_wct_present(wct, id),
                                  .state = e.state,
                                  .reg = e.reg_addr,
                                  .meta = e.meta_addr};
}

static void mask_of(wr_oracle_tbct_command *c, bool all, unsigned n, int one)
{
    for (unsigned w = 0; w < WR_ORACLE_TBCT_WARPS; w++) {
        c->mask[w] = all ? w < n : (int)w == one;
    }
}

static wr_oracle_wct_command warp_command(wr_oracle_wct_op op, unsigned id, unsigned fields,
                                          unsigned state)
{
    return (wr_oracle_wct_command){
        .op = op, .id = id, .fields = fields, .with = {.state = (wr_oracle_warp_state)state}};
}

void wr_oracle_unit_by_csl(const wr_context_switch_logic_out *s, unsigned n,
                           wr_oracle_unit_command *c)
{
    if (s->tab_op == WRITE_WARP) {
        c->warp = warp_command(WR_ORACLE_WCT_UPDATE, s->tab_id, STATE | REG | META, s->tab_state);
        c->warp.with.reg_addr = s->tab_reg;
        c->warp.with.meta_addr = s->tab_meta;
    } else if (s->tab_op >= MOVE_TB) {
        c->tb.op = s->tab_op == MOVE_TB     ? WR_ORACLE_TBCT_MOVE
                   : s->tab_op == ABSENT_TB ? WR_ORACLE_TBCT_SET
                                            : WR_ORACLE_TBCT_CLEAR;
        c->tb.id = s->tab_id % 32;
        c->tb.addr = s->tab_reg;
        mask_of(&c->tb, s->tab_all, n, s->tab_index);
    }
}

void wr_oracle_unit_by_launcher(const wr_tb_launcher_out *l, unsigned n, wr_oracle_unit_command *c)
{
    switch (l->tab_op) {
    case WRITE_WARP:
        c->warp = warp_command(WR_ORACLE_WCT_UPDATE, l->tab_id, STATE | REG | META, l->tab_state);
        break;
    case INSERT_WARP:
        c->warp = warp_command(WR_ORACLE_WCT_INSERT, l->tab_id, 0, l->tab_state);
        break;
    case REMOVE_WARP:
        c->warp = warp_command(WR_ORACLE_WCT_REMOVE, l->tab_id, 0, 0);
        break;
    case INSERT_TB:
    case REMOVE_TB:
        c->tb.op = l->tab_op == INSERT_TB ? WR_ORACLE_TBCT_INSERT : WR_ORACLE_TBCT_REMOVE;
        c->tb.id = l->tab_id % 32;
        c->tb.addr = l->tab_reg;
        mask_of(&c->tb, l->tab_all, n, -1);
        break;
    default:
        break;
    }
    c->warp.with.reg_addr = l->tab_reg;
    c->warp.with.meta_addr = l->tab_meta;
}

void wr_oracle_unit_by_scanner(const wr_stall_scanner_out *s, wr_oracle_unit_command *c)
{
    if (s->tab_op == WRITE_WARP) {
        c->warp = warp_command(WR_ORACLE_WCT_UPDATE, s->tab_id, STATE | BARRIER, s->tab_state);
        c->warp.with.barrier = s->tab_barrier;
    }
}
