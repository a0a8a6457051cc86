/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of result_collection_unit; see the header. */
#include "tests/oracle/result_collection_unit_oracle.h"

bool wr_oracle_rcu_dep(const wr_oracle_rcu *o, const wr_oracle_rcu_in *in)
{
    bool dep = false;
    for (unsigned s = 0; s < o->srcs; s++) {
        bool missing = false;
        for (unsigned i = 0; i < o->held; i++) { /* any writer, scalar or vector, that still runs */
            const wr_oracle_rcu_entry *e = &o->list[i];
            if (!e->control && e->dst == in->src[s] && !e->ready) {
                missing = true;
            }
        }
        dep = dep || (in->src_used[s] && missing);
    }
    return in->hint && dep;
}

wr_oracle_rcu_action wr_oracle_rcu_act(const wr_oracle_rcu *o, const wr_oracle_rcu_in *in)
{
    const wr_oracle_rcu_entry *head = &o->list[0];
    if (in->hint || o->held == 0 || in->pc != in->base + (uint32_t)head->offset) {
        return WR_ORACLE_RCU_NORMAL;
    }
    if (!head->ready) {
        return WR_ORACLE_RCU_WAIT;
    }
    if (head->control) {
        return WR_ORACLE_RCU_BRANCH;
    }
    return head->renamed == head->dst ? WR_ORACLE_RCU_SKIP : WR_ORACLE_RCU_COPY;
}

static void finish(wr_oracle_rcu *o, unsigned number)
{
    for (unsigned i = 0; i < o->held; i++) {
        if (o->list[i].number == number && !o->list[i].ready) {
            o->list[i].ready = true;
            return;
        }
    }
    o->fault = true;
}

static void drop_head(wr_oracle_rcu *o)
{
    o->held--;
    for (unsigned i = 0; i < o->held; i++) {
        o->list[i] = o->list[i + 1];
    }
}

void wr_oracle_rcu_clock(wr_oracle_rcu *o, const wr_oracle_rcu_in *in)
{
    if (in->clear) {
        o->held = 0;
        o->next = 0;
        return;
    }
    const bool dep = wr_oracle_rcu_dep(o, in);
    const wr_oracle_rcu_action action = wr_oracle_rcu_act(o, in);
    if (in->done) {
        finish(o, in->done_id);
    }
    if (in->fetch && in->hint) {
        o->fault = true;
    } else if (in->fetch && action != WR_ORACLE_RCU_NORMAL && action != WR_ORACLE_RCU_WAIT) {
        drop_head(o);
    }
    if (in->alloc && (!in->hint || o->held == o->depth)) {
        o->fault = true;
    } else if (in->alloc) {
        o->fault = o->fault || dep;
        o->list[o->held] = in->with;
        o->list[o->held].number = o->next;
        o->list[o->held].ready = false;
        o->held++;
        o->next = (o->next + 1) % o->depth;
    }
}
