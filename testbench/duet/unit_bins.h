/* SPDX-License-Identifier: Apache-2.0 */
/* What the stimulus of duet_unit keeps, and the bins of its coverage. */
#ifndef WR_TESTBENCH_DUET_UNIT_BINS_H
#define WR_TESTBENCH_DUET_UNIT_BINS_H

#include "testbench/duet/unit_play.h"
#include "testbench/stim.h"

typedef struct state {
    player play;
    wr_gate finds;
    uint32_t move_in;
    bool meets; /* the move under way waits for a launch */
    bool find;
    uint8_t find_id;
} state;

#define UNIT_BINS                                                                                  \
    BIN(NATIVE, "the dispatcher places TBs")                                                       \
    BIN(TELL, "the cycle behind a start")                                                          \
    BIN(BOOK, "the machine has handed over")                                                       \
    BIN(BOOKING, "booking")                                                                        \
    BIN(RUN, "the launcher places TBs")                                                            \
    BIN(DRAINED, "back to native")                                                                 \
    BIN(DRAINS_BUSY, "all TBs gone, the launcher is busy")                                         \
    BIN(DRAINS_TBS, "the grid is empty, TBs are left")                                             \
    BIN(START_WARP, "launch at level warp, registers move")                                        \
    BIN(START_STAY, "launch at level warp, registers stay")                                        \
    BIN(START_TB, "launch at level TB")                                                            \
    BIN(START_OFF, "launch at level off")                                                          \
    BIN(START_COUNTED, "start while TBs are counted")                                              \
    BIN(START_LEAVES, "start while ends have still to be told")                                    \
    BIN(START_PLACED, "a TB placed in the cycle of start or the one behind")                       \
    BIN(START_VALID, "start with a verdict")                                                       \
    BIN(START_DROPS, "start, a verdict is dropped")                                                \
    BIN(START_BEHIND, "launch behind one that was handed over")                                    \
    BIN(DUE_WAITS, "a start is due while TBs are counted")                                         \
    BIN(SEARCH, "search")                                                                          \
    BIN(MC_MOST, "native TBs fill the table of TBs")                                               \
    BIN(MC_SLOTS, "native warps fill the slots")                                                   \
    BIN(BOUND_TBS, "extra TBs fill the table of TBs")                                              \
    BIN(BOUND_WARPS, "one TB more would have warps past the last")                                 \
    BIN(BOUND_NONE, "no extra TB fits")                                                            \
    BIN(NEEDS_L1, "an extra TB fits in the L1 alone")                                              \
    BIN(NO_EXTRA_MOST, "no hand-over: most is 0")                                                  \
    BIN(NO_EXTRA_ME, "no hand-over: ME is 0")                                                      \
    BIN(NO_EXTRA_LEVEL, "no hand-over: level off")                                                 \
    BIN(NO_EXTRA_COUNTS, "no hand-over: TBs have still to be told")                                \
    BIN(NO_EXTRA_GRID, "no hand-over: the grid is empty")                                          \
    BIN(EXTRA_WAITS, "the hand-over may wait")                                                     \
    BIN(ENGAGE_WARP, "hand-over at level warp, registers move")                                    \
    BIN(ENGAGE_STAY, "hand-over at level warp, registers stay")                                    \
    BIN(ENGAGE_TB, "hand-over at level TB")                                                        \
    BIN(ENGAGE_L1, "hand-over with the L1 bypassed")                                               \
    BIN(ENGAGE_ONE, "hand-over with a TB missing")                                                 \
    BIN(ENGAGE_EMPTY, "hand-over with no TB there")                                                \
    BIN(ENGAGE_PLACED, "a TB placed in the cycle of the hand-over")                                \
    BIN(BOOK_ENDED, "a TB ends in booking")                                                        \
    BIN(LAUNCHES, "ME is told of a TB of the dispatcher")                                          \
    BIN(LEAVES, "ME is told of an end")                                                            \
    BIN(LEAVES_FIRST, "ends and TBs wait: an end is told")                                         \
    BIN(LAUNCH_FIRST, "ends and TBs wait, none is counted: a TB is told")                          \
    BIN(LAUNCHES_WAIT, "two TBs or more wait to be told")                                          \
    BIN(ENDED_MORE, "two TBs or more end in a cycle")                                              \
    BIN(ENDED_PLACED, "a TB ends and one is placed")                                               \
    BIN(VERDICT_UNDER, "ME told: under")                                                           \
    BIN(VERDICT_MODERATE, "ME told: moderate")                                                     \
    BIN(VERDICT_SATURATED, "ME told: saturated")                                                   \
    BIN(VERDICT_BYPASS, "a verdict that bypasses the L1")                                          \
    BIN(VERDICT_REPLACED, "a verdict replaces one that waits")                                     \
    BIN(VERDICT_SEARCH, "a verdict waits for the search")                                          \
    BIN(VERDICT_COUNTS, "a verdict waits for TBs to be told")                                      \
    BIN(VERDICT_LAUNCH, "a verdict waits for a launch under way")                                  \
    BIN(VERDICT_TAKEN_ANEW, "a verdict comes as the one before is taken")                          \
    BIN(JOB_BOOK_WARP, "level warp: book")                                                         \
    BIN(JOB_UNBOOK_WARP, "level warp: unbook")                                                     \
    BIN(JOB_NATIVE_WARP, "level warp: native launch")                                              \
    BIN(JOB_EXTRA_WARP, "level warp: extra launch")                                                \
    BIN(JOB_HANDED_WARP, "level warp: a TB hands its place over")                                  \
    BIN(JOB_CLEAR_WARP, "level warp: clear")                                                       \
    BIN(JOB_UNDO_WARP, "level warp: undo")                                                         \
    BIN(JOB_VACATE_WARP, "level warp: vacate")                                                     \
    BIN(JOB_BOOK_TB, "level TB: book")                                                             \
    BIN(JOB_UNBOOK_TB, "level TB: unbook")                                                         \
    BIN(JOB_NATIVE_TB, "level TB: native launch")                                                  \
    BIN(JOB_EXTRA_TB, "level TB: extra launch")                                                    \
    BIN(JOB_HANDED_TB, "level TB: a TB hands its place over")                                      \
    BIN(JOB_CLEAR_TB, "level TB: clear")                                                           \
    BIN(JOB_UNDO_TB, "level TB: undo")                                                             \
    BIN(PLACE_NATIVE, "native TB comes")                                                           \
    BIN(PLACE_EXTRA, "extra TB comes")                                                             \
    BIN(PLACE_HANDED, "TB comes in the place of one that has ended")                               \
    BIN(REFUSED_NATIVE, "native TB refused")                                                       \
    BIN(REFUSED_EXTRA, "extra TB refused")                                                         \
    BIN(REFUSED_HANDED, "TB refused in the place of one that has ended")                           \
    BIN(CHECK_FAILS, "a TB that has ended cannot hand over")                                       \
    BIN(MOST_HOLDS, "no launch: most, where ME allows one")                                        \
    BIN(ME_HOLDS, "no launch: ME, where most allows one")                                          \
    BIN(KEEP_NOT, "a TB that ends is not replaced: ME is lower")                                   \
    BIN(NO_LINES_EXTRA, "no room for an extra TB")                                                 \
    BIN(NO_LINES_NATIVE, "no room for a native TB")                                                \
    BIN(L1_WARP, "level warp: lines of the L1 are taken")                                          \
    BIN(L1_TB, "level TB: lines of the L1 are taken")                                              \
    BIN(L1_FULL, "the L1 has no room for the launcher")                                            \
    BIN(OUT_WARP, "a warp out")                                                                    \
    BIN(IN_WARP, "a warp in")                                                                      \
    BIN(EXCHANGE_WARP, "warps exchanged")                                                          \
    BIN(BACK_WARP, "a warp back")                                                                  \
    BIN(OUT_TB, "a TB out")                                                                        \
    BIN(IN_TB, "a TB in")                                                                          \
    BIN(EXCHANGE_TB, "TBs exchanged")                                                              \
    BIN(BACK_TB, "a TB back")                                                                      \
    BIN(OUT_STAY, "a warp out, registers stay")                                                    \
    BIN(IN_STAY, "a warp in, registers stay")                                                      \
    BIN(EXCHANGE_STAY, "warps exchanged, registers stay")                                          \
    BIN(WANT, "out for a TB that has not been launched")                                           \
    BIN(BACK_LEFT, "the unit's stall is over: back")                                               \
    BIN(OUT_L1, "a switch takes lines of the L1")                                                  \
    BIN(IN_NONE, "no room for what comes in")                                                      \
    BIN(IN_ABSENT, "level TB: a warp comes in that waits at a barrier or has ended")               \
    BIN(EXCHANGE_JOB, "exchange with a job of the launcher under way")                             \
    BIN(IN_JOB, "in with a launch under way")                                                      \
    BIN(TABLES_LAUNCHER, "the launcher waits for the tables: the switch logic has them")           \
    BIN(TABLES_SCANNER, "the scanner waits for the tables: the switch logic has them")             \
    BIN(TABLES_SCANNER_L, "the scanner waits for the tables: the launcher has them")               \
    BIN(TABLES_SCANNER_F, "the scanner waits for the tables: the machine has them")                \
    BIN(TABLES_FIND, "the machine waits for the tables: the switch logic has them")                \
    BIN(TABLES_FIND_L, "the machine waits for the tables: the launcher has them")                  \
    BIN(TABLES_ALL, "all four want the tables")                                                    \
    BIN(FIND_RUNNING, "found: running")                                                            \
    BIN(FIND_STALLED, "found: stalled")                                                            \
    BIN(FIND_ABSENT, "found: absent")                                                              \
    BIN(FIND_READY, "found: ready")                                                                \
    BIN(FIND_NONE, "not found")                                                                    \
    BIN(ENTRY_SWITCH, "the switch logic writes an entry")                                          \
    BIN(ENTRY_LAUNCHER, "the launcher writes an entry")                                            \
    BIN(ENTRY_INSERT, "the launcher makes an entry")                                               \
    BIN(ENTRY_REMOVE, "the launcher removes one")                                                  \
    BIN(ENTRY_WAKE, "the scanner: a warp is ready")                                                \
    BIN(ENTRY_STALL, "the scanner: a warp is stalled")                                             \
    BIN(ENTRY_BARRIER, "the scanner: a warp is stalled at a barrier")                              \
    BIN(ENTRY_RESTART, "the scanner: a warp runs again")                                           \
    BIN(CLAIM_SWITCH, "the switch logic claims a slot")                                            \
    BIN(CLAIM_BOOK, "booking claims a slot")                                                       \
    BIN(CLAIM_NATIVE, "a native launch claims a slot")                                             \
    BIN(PASS, "a slot is passed on")                                                               \
    BIN(GIVE_SWITCH, "the switch logic gives a slot back")                                         \
    BIN(GIVE_CLEAR, "clear gives a slot back")                                                     \
    BIN(GIVE_VACATE, "vacate gives a slot back")                                                   \
    BIN(LAST_SLOT, "a warp in the last slot")                                                      \
    BIN(LAST_WARP, "a TB gets entries, the next one would have none")                              \
    BIN(LAST_TB, "the last TB comes")                                                              \
    BIN(SLOTS_FULL, "no slot is free")                                                             \
    BIN(BITMAP_SWITCH, "the switch logic waits for the bitmap")                                    \
    BIN(BITMAP_LAUNCHER, "the launcher waits for the bitmap")                                      \
    BIN(HOLD_WARP, "a warp is held")                                                               \
    BIN(HOLD_TB, "a TB is held")                                                                   \
    BIN(HOLD_WOKEN, "a warp that is held has gone on")                                             \
    BIN(PUSH_STALLED, "level TB: a stalled TB is queued")                                          \
    BIN(PUSH_READY, "level TB: a ready TB is queued")                                              \
    BIN(QUEUE_MANY, "three ready units or more are queued")                                        \
    BIN(QUEUE_FULL, "the ready queue is full")                                                     \
    BIN(ENDED_QUEUED, "a TB that has ended waits for the switch logic")                            \
    BIN(ONE_WARP, "TBs of one warp run")                                                           \
    BIN(WIDE, "TBs of more warps than a third of the slots run")                                   \
    BIN(MOVE_DONE, "a unit has been moved")                                                        \
    BIN(MOVE_WAITS, "the move of a unit takes its time")                                           \
    BIN(META_OUT, "metadata of a warp out")                                                        \
    BIN(META_IN, "metadata of a warp in")                                                          \
    BIN(META_EXCHANGE, "metadata of two warps exchanged")                                          \
    BIN(META_WAITS, "metadata take their time")                                                    \
    BIN(TAKE_LAUNCHER, "the launcher waits for the tables: a slot is taken")                       \
    BIN(TAKE_CLAIM, "it would claim one, too")                                                     \
    BIN(TAKE_SCANNER, "the scanner waits for the tables: a slot is taken")                         \
    BIN(TAKE_FIND, "the machine waits for the tables: a slot is taken")                            \
    BIN(FAULT, "fault")                                                                            \
    BIN(FAULT_PART, "fault of this block alone")

#define BIN(name, text) BIN_##name,
enum { UNIT_BINS BIN_COUNT };
#undef BIN

#define BIN(name, text) text,
static const char *const unit_bin_names[BIN_COUNT] = {UNIT_BINS};
#undef BIN

#define HIT(name, condition) hits[BIN_##name] += (condition)

/* State of a cycle, from its beginning to the next. */
typedef struct view {
    const wr_duet_unit *m, *n;
    const wr_unit_wires *p;
    const wr_duet_unit_in *in;
    const wr_duet_unit_out *out;
    bool warp, moves, tb; /* level warp, registers move there; level TB */
} view;

static inline void cover_launch(const view *v, const machine *w, uint64_t *hits)
{
    const wr_duet_unit *m = v->m, *n = v->n;
    const wr_unit_wires *p = v->p;
    const bool native = m->state_q == WR_DUET_UNIT_NATIVE;
    const bool runs = m->state_q == WR_DUET_UNIT_RUN;
    const bool counts = m->launches_q != 0 || m->leaves_q != 0;
    const bool empty = runs && !v->in->waiting && p->me.tbs == 0 && !counts;
    const bool level = p->csl.level != WR_CSL_OFF;
    const bool most = (v->in->most & 63u) != 0;
    const bool none = native && !m->due_q && !p->me.busy && p->me.mc != 0;

    HIT(NATIVE, native);
    HIT(TELL, m->state_q == WR_DUET_UNIT_TELL);
    HIT(BOOK, m->state_q == WR_DUET_UNIT_BOOK);
    HIT(BOOKING, m->state_q == WR_DUET_UNIT_BOOKING);
    HIT(RUN, runs);
    HIT(DRAINED, runs && n->state_q == WR_DUET_UNIT_NATIVE);
    HIT(DRAINS_BUSY, empty && p->launcher.busy);
    HIT(DRAINS_TBS, runs && !v->in->waiting && p->me.tbs != 0);
    if (p->begins) {
        const bool moves = n->csl.registers_q;
        HIT(START_WARP, n->csl.level_q == WR_CSL_WARP && moves);
        HIT(START_STAY, n->csl.level_q == WR_CSL_WARP && !moves);
        HIT(START_TB, n->csl.level_q == WR_CSL_TB);
        HIT(START_OFF, n->csl.level_q == WR_CSL_OFF);
        HIT(START_COUNTED, p->me.tbs != 0);
        HIT(START_LEAVES, m->leaves_q != 0);
        HIT(START_VALID, v->in->valid);
        HIT(START_DROPS, m->valid_q && !n->valid_q && !p->me_in.valid);
        HIT(START_BEHIND, m->launcher.run_q);
    }
    HIT(START_PLACED, p->placed && m->state_q == WR_DUET_UNIT_TELL);
    HIT(DUE_WAITS, m->due_q && p->me.tbs != 0);
    HIT(SEARCH, p->me.busy);
    if (m->me.phase_q != n->me.phase_q && n->me.phase_q == 3) {
        const uint32_t all = n->me.mc_q + n->me.bound_q;
        HIT(MC_MOST, n->me.mc_q == w->cfg.tbs);
        HIT(MC_SLOTS, n->me.mc_q * n->me.warps_q == w->cfg.slots);
        HIT(BOUND_TBS, n->me.bound_q != 0 && all == w->cfg.tbs);
        HIT(BOUND_WARPS, n->me.bound_q != 0 && (all + 1) * n->me.warps_q > w->cfg.warps);
        HIT(BOUND_NONE, n->me.bound_q == 0);
        HIT(NEEDS_L1, n->me.l1_q && n->me.bound_q != 0);
    }
    HIT(NO_EXTRA_MOST, none && v->in->waiting && !most && p->me.me != 0 && level);
    HIT(NO_EXTRA_ME, none && v->in->waiting && most && p->me.me == 0 && level);
    HIT(NO_EXTRA_LEVEL, none && v->in->waiting && most && !level);
    HIT(NO_EXTRA_GRID, none && !v->in->waiting && most && p->me.me != 0 && level);
    HIT(NO_EXTRA_COUNTS, none && counts && v->in->waiting && most && p->me.me != 0 && level);
    HIT(EXTRA_WAITS, v->out->extra && !v->in->book);
    if (p->engages) {
        const uint32_t there = (uint32_t)__builtin_popcount(v->in->here);
        HIT(ENGAGE_WARP, v->moves);
        HIT(ENGAGE_STAY, v->warp && !v->moves);
        HIT(ENGAGE_TB, v->tb);
        HIT(ENGAGE_L1, p->me.bypass);
        HIT(ENGAGE_ONE, there != 0 && there < p->me.mc);
        HIT(ENGAGE_EMPTY, there == 0);
        HIT(ENGAGE_PLACED, p->placed);
    }
    HIT(BOOK_ENDED, m->state_q == WR_DUET_UNIT_BOOKING && v->in->ended != 0);
}

static inline void cover_me(const view *v, uint64_t *hits)
{
    const wr_duet_unit *m = v->m;
    const wr_unit_wires *p = v->p;
    const bool both = m->launches_q != 0 && m->leaves_q != 0;
    const bool told = p->me_in.valid;
    const bool waits = m->valid_q && !told;

    HIT(LAUNCHES, p->places);
    HIT(LEAVES, p->leaves);
    HIT(LEAVES_FIRST, both && p->leaves);
    HIT(LAUNCH_FIRST, both && p->places);
    HIT(LAUNCHES_WAIT, m->launches_q > 1);
    HIT(ENDED_MORE, (v->in->ended & (v->in->ended - 1)) != 0);
    HIT(ENDED_PLACED, v->in->ended != 0 && p->placed);
    HIT(VERDICT_UNDER, told && m->verdict_q == WR_DUET_UNDER);
    HIT(VERDICT_MODERATE, told && m->verdict_q == WR_DUET_MODERATE);
    HIT(VERDICT_SATURATED, told && m->verdict_q == WR_DUET_SATURATED);
    HIT(VERDICT_BYPASS, !m->me.bypass_q && v->n->me.bypass_q);
    HIT(VERDICT_REPLACED, waits && v->in->valid);
    HIT(VERDICT_SEARCH, waits && p->me.busy);
    HIT(VERDICT_COUNTS, waits && !m->due_q && !p->me.busy && !p->settled);
    HIT(VERDICT_LAUNCH, waits && p->settled && p->launcher.launching);
    HIT(VERDICT_TAKEN_ANEW, told && v->in->valid);
}

static inline void cover_jobs(const view *v, uint64_t *hits)
{
    const wr_tb_launcher_out *l = &v->p->launcher;
    const wr_tb_launcher_in *in = &v->p->launcher_in;
    const wr_tb_launcher *m = &v->m->launcher;
    const bool idle = l->job == WR_LAUNCHER_NONE && m->run_q && v->in->waiting;
    const bool ok = v->in->place_ok;
    const bool fails = l->tab_req && in->tab_ack && l->job == WR_LAUNCHER_HANDED &&
                       v->n->launcher.job_q == WR_LAUNCHER_CLEAR;
    const bool l1 = m->map_busy_q && m->map_ours_q && in->map_done && !plan(m).free &&
                    plan(m).region == WR_LAUNCHER_L1;
    const uint32_t tbs = v->p->me.tbs;
    const uint32_t most = v->p->me.mc + (v->in->most & 63u);

    if (l->job != WR_LAUNCHER_NONE && v->warp) {
        hits[BIN_JOB_BOOK_WARP + l->job - 1]++;
    }
    if (l->job != WR_LAUNCHER_NONE && l->job != WR_LAUNCHER_VACATE && v->tb) {
        hits[BIN_JOB_BOOK_TB + l->job - 1]++;
    }
    if (l->place && l->kind < 3) {
        hits[(ok ? BIN_PLACE_NATIVE : BIN_REFUSED_NATIVE) + l->kind]++;
    }
    HIT(CHECK_FAILS, fails);
    HIT(MOST_HOLDS, idle && v->p->me.allow && tbs >= most);
    HIT(ME_HOLDS, idle && !v->p->me.allow && tbs < most);
    HIT(KEEP_NOT, l->state == WR_LAUNCHER_SETUP && l->job == WR_LAUNCHER_CLEAR && !in->keep &&
                      v->in->waiting);
    HIT(NO_LINES_EXTRA, l->job == WR_LAUNCHER_EXTRA && v->n->launcher.launch_blocked_q &&
                            l->state != WR_LAUNCHER_PLACE);
    HIT(NO_LINES_NATIVE, !m->native_blocked_q && v->n->launcher.native_blocked_q);
    HIT(L1_WARP, v->warp && l1 && in->map_found);
    HIT(L1_TB, v->tb && l1 && in->map_found);
    HIT(L1_FULL, l1 && !in->map_found);
    HIT(ENDED_QUEUED, (l->ending & in->queued) != 0 && l->job == WR_LAUNCHER_NONE);
    HIT(BITMAP_SWITCH, in->mem_req && m->map_busy_q && m->map_ours_q);
    HIT(BITMAP_LAUNCHER, m->map_busy_q && !m->map_ours_q && plan(m).count != 0);
    HIT(LAST_TB, l->place && ok && l->tb + 1u == v->m->cfg.tbs);
}

static inline void cover_switches(const view *v, uint64_t *hits)
{
    const wr_context_switch_logic_out *c = &v->p->csl;
    const wr_context_switch_logic_in *in = &v->p->csl_in;
    const uint32_t op = v->n->csl.op_q;
    const bool begins = c->op == WR_CSL_NONE && op != WR_CSL_NONE;
    const bool alloc = c->mem_req && !c->mem_free && in->mem_ack;
    const uint32_t job = v->p->launcher.job;

    if (begins && v->warp) {
        hits[BIN_OUT_WARP + op - 1]++;
        HIT(OUT_STAY, op == WR_CSL_OUT && !v->moves);
        HIT(IN_STAY, op == WR_CSL_IN && !v->moves);
        HIT(EXCHANGE_STAY, op == WR_CSL_EXCHANGE && !v->moves);
    }
    if (begins && v->tb) {
        hits[BIN_OUT_TB + op - 1]++;
    }
    HIT(WANT, begins && op == WR_CSL_OUT && in->want);
    HIT(BACK_LEFT, begins && op == WR_CSL_BACK && !in->may_leave);
    HIT(OUT_L1, c->op == WR_CSL_OUT && c->mem_region == 2 && alloc && in->mem_found);
    HIT(IN_NONE, c->op == WR_CSL_IN && alloc && !in->mem_found);
    HIT(IN_ABSENT, v->out->entry_op == WR_WARP_CONTEXT_UPDATE && c->state == WR_CSL_WR_IN &&
                       c->tab_state == WR_WARP_READY);
    HIT(EXCHANGE_JOB, c->op == WR_CSL_EXCHANGE && job != WR_LAUNCHER_NONE);
    HIT(IN_JOB, c->op == WR_CSL_IN && v->p->launcher.launching && job != WR_LAUNCHER_CLEAR);
    HIT(MOVE_DONE, c->move && !c->move_meta && in->move_ack);
    HIT(MOVE_WAITS, c->move && !c->move_meta && !in->move_ack);
    HIT(META_WAITS, c->move_meta && !in->move_ack);
    if (c->move_meta && in->move_ack) {
        hits[BIN_META_OUT + op - WR_CSL_OUT]++;
    }
}

static inline void cover_tables(const view *v, const machine *w, uint64_t *hits)
{
    const wr_unit_wires *p = v->p;
    const bool by_switch = p->csl.tab_req, by_launcher = p->launcher.tab_req;
    const bool by_scanner = p->scanner.tab_req, finds = v->in->find;
    const bool written = v->out->entry_op == WR_WARP_CONTEXT_UPDATE;
    const bool scans = written && p->scanner_in.tab_ack;
    const wr_warp_slots_in *s = &p->slots_in;

    const bool takes = p->csl.slot_take;

    HIT(TAKE_LAUNCHER, takes && by_launcher);
    HIT(TAKE_CLAIM, takes && by_launcher && has_slot(&v->m->launcher));
    HIT(TAKE_SCANNER, takes && by_scanner);
    HIT(TAKE_FIND, takes && finds);
    HIT(TABLES_LAUNCHER, by_switch && by_launcher);
    HIT(TABLES_SCANNER, by_switch && by_scanner);
    HIT(TABLES_SCANNER_L, by_launcher && !by_switch && by_scanner);
    HIT(TABLES_SCANNER_F, p->found && by_scanner);
    HIT(TABLES_FIND, by_switch && finds);
    HIT(TABLES_FIND_L, by_launcher && !by_switch && finds);
    HIT(TABLES_ALL, by_switch && by_launcher && by_scanner && finds);
    if (v->out->find_valid) {
        hits[BIN_FIND_RUNNING + v->out->find_state]++;
    }
    HIT(FIND_NONE, p->found && !v->out->find_valid);
    HIT(ENTRY_SWITCH, written && by_switch);
    HIT(ENTRY_LAUNCHER, written && p->launcher_in.tab_ack);
    HIT(ENTRY_INSERT, v->out->entry_op == WR_WARP_CONTEXT_INSERT);
    HIT(ENTRY_REMOVE, v->out->entry_op == WR_WARP_CONTEXT_REMOVE);
    HIT(ENTRY_WAKE, scans && v->out->entry_state == WR_WARP_READY);
    HIT(ENTRY_STALL, scans && v->out->entry_state == WR_WARP_STALLED && !p->wct_in.barrier);
    HIT(ENTRY_BARRIER, scans && v->out->entry_state == WR_WARP_STALLED && p->wct_in.barrier);
    HIT(ENTRY_RESTART, scans && v->out->entry_state == WR_WARP_RUNNING);
    HIT(LAST_WARP, v->out->entry_op == WR_WARP_CONTEXT_INSERT &&
                       p->wct_in.id + v->m->launcher.warps_q >= w->cfg.warps);
    HIT(CLAIM_SWITCH, p->csl.slot_take);
    HIT(CLAIM_BOOK, p->launcher.claim && p->launcher.job == WR_LAUNCHER_BOOK);
    HIT(CLAIM_NATIVE, p->launcher.claim && p->launcher.job == WR_LAUNCHER_NATIVE);
    HIT(PASS, s->pass);
    HIT(GIVE_SWITCH, p->csl.slot_give);
    HIT(GIVE_CLEAR, p->launcher.left && p->launcher.job == WR_LAUNCHER_CLEAR);
    HIT(GIVE_VACATE, p->launcher.left && p->launcher.job == WR_LAUNCHER_VACATE);
    HIT(LAST_SLOT, s->claim && s->claim_slot + 1u == w->cfg.slots);
    HIT(SLOTS_FULL, p->slots.free == 0);
}

static inline void cover_scanner(const view *v, const machine *w, uint64_t *hits)
{
    const wr_unit_wires *p = v->p;
    const bool runs = v->m->scanner.run_q;
    const uint32_t ready = v->tb ? v->m->queues.tb_count_q[1] : v->m->queues.warp_count_q[1];
    const bool space = p->scanner_in.ready_space;

    HIT(HOLD_WARP, v->warp && v->out->hold != 0);
    HIT(HOLD_TB, v->tb && v->out->hold != 0);
    HIT(HOLD_WOKEN, (v->out->hold & v->in->woken) != 0);
    HIT(PUSH_STALLED, v->tb && p->scanner.stalled_push);
    HIT(PUSH_READY, v->tb && p->scanner.ready_push);
    HIT(QUEUE_MANY, ready > 2);
    HIT(QUEUE_FULL, runs && !space);
    HIT(ONE_WARP, runs && v->m->scanner.warps_q == 1);
    HIT(WIDE, runs && v->m->scanner.warps_q * 3u > w->cfg.slots);
}

static inline void unit_cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const player *s = &((const state *)state_)->play;
    const view v = {
        .m = &s->before,
        .n = &s->model,
        .p = &s->wires,
        .in = in_,
        .out = out_,
        .warp = s->before.csl.level_q == WR_CSL_WARP,
        .moves = s->before.csl.level_q == WR_CSL_WARP && s->before.csl.registers_q,
        .tb = s->before.csl.level_q == WR_CSL_TB,
    };

    cover_launch(&v, &s->m, hits);
    cover_me(&v, hits);
    cover_jobs(&v, hits);
    cover_switches(&v, hits);
    cover_tables(&v, &s->m, hits);
    cover_scanner(&v, &s->m, hits);
    HIT(FAULT, v.out->fault);
    HIT(FAULT_PART, s->before.fault_q);
}

#endif
