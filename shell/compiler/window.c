/* SPDX-License-Identifier: Apache-2.0 */
/* Building a window, and measuring orders.
 *
 * Nodes keep their order where one writes a cell that the other touches, and where they touch
 * memory that may be the same and one of them writes: known to be different are accesses of
 * different spaces, and such of the same base register, unchanged in between, whose offsets are
 * far enough apart. Generic accesses may be anywhere. Atomics and volatile accesses are passed by
 * nothing but local memory: others may be told of by them. Operations across lanes stay in order
 * among themselves.
 */
#include "shell/compiler/window.h"

#include <assert.h>
#include <string.h>

#include "shell/isa/table.h"

/* Cycles until a result can be read; of memory on the way through a cache that holds it half of
 * the time, more or less. */
enum { LAT_PLAIN = 4, LAT_SFU = 8, LAT_DIV = 40, LAT_SHARED = 26, LAT_MEMORY = 100 };

wr_window *wr_window_new(const wr_ir *ir, const wr_defs *defs, wr_pool *pool)
{
    wr_window *w = wr_pool_alloc(pool, 1, sizeof *w);

    w->ir = ir;
    w->defs = defs;
    w->number = wr_pool_alloc(pool, wr_ir_cells(ir), sizeof *w->number);
    w->stamp = wr_pool_alloc(pool, wr_ir_cells(ir), sizeof *w->stamp);
    return w;
}

bool wr_window_is_fence(const wr_ir_insn *insn)
{
    switch ((wr_isa_class)wr_isa_rows[insn->m.op].cls) {
    case WR_CLASS_MEM:
        return insn->m.op != WR_OP_LD && insn->m.op != WR_OP_ST && insn->m.op != WR_OP_ATOM &&
               insn->m.op != WR_OP_RED;
    case WR_CLASS_ARITH:
    case WR_CLASS_SETP:
        return wr_ir_has_effect(insn) ||
               (insn->m.op == WR_OP_S2R &&
                (insn->m.sreg == WR_SREG_CLOCK || insn->m.sreg == WR_SREG_GLOBALTIMER));
    case WR_CLASS_WARP:
        return wr_ir_has_effect(insn);
    default:
        return true;
    }
}

static uint8_t latency_of(const wr_ir_insn *insn)
{
    if (wr_ir_is_mem(insn)) {
        if (insn->m.op == WR_OP_ST || insn->m.op == WR_OP_RED) {
            return 1;
        }
        return insn->m.space == WR_SPACE_SHARED || insn->m.space == WR_SPACE_CONST ||
                       insn->m.space == WR_SPACE_PARAM
                   ? LAT_SHARED
                   : LAT_MEMORY;
    }
    if (insn->m.op == WR_OP_DIV || insn->m.op == WR_OP_REM) {
        return LAT_DIV;
    }
    return wr_isa_rows[insn->m.op].info.unit == WR_UNIT_SFU ? LAT_SFU : LAT_PLAIN;
}

/* ---- memory ---- */

static bool is_read_only(const wr_ir_insn *insn)
{
    return insn->m.space == WR_SPACE_CONST || insn->m.space == WR_SPACE_PARAM;
}

static bool is_ordered(const wr_ir_insn *insn)
{
    return insn->m.is_volatile || insn->m.op == WR_OP_ATOM || insn->m.op == WR_OP_RED;
}

static bool same_memory(const wr_ir_insn *a, const wr_ir_insn *b)
{
    return a->m.space == b->m.space || a->m.space == WR_SPACE_GENERIC ||
           b->m.space == WR_SPACE_GENERIC;
}

static uint32_t bytes_of(const wr_ir_insn *insn)
{
    switch ((wr_type)insn->m.type) {
    case WR_U8:
    case WR_S8:
    case WR_B8:
        return insn->m.vec;
    case WR_U16:
    case WR_S16:
    case WR_B16:
    case WR_F16:
    case WR_BF16:
        return 2u * insn->m.vec;
    default:
        return 4u * insn->m.vec * wr_isa_type_regs((wr_type)insn->m.type);
    }
}

/* Addresses wrap at 32 bits where they have so many, so distances do. */
static bool overlap(const wr_ir_insn *a, const wr_ir_insn *b)
{
    uint32_t apart = (uint32_t)((uint64_t)b->offset - (uint64_t)a->offset);

    return apart < bytes_of(a) || 0 - apart < bytes_of(b);
}

/* The accesses m and n, in this order, may not change it. Between two with one base register that
 * gets a new value this stands already: the first one reads the old value. */
static bool must_keep(const wr_ir_insn *m, const wr_ir_insn *n)
{
    bool local = m->m.space == WR_SPACE_LOCAL || n->m.space == WR_SPACE_LOCAL;

    if (is_read_only(m) || is_read_only(n)) {
        return false;
    }
    if (is_ordered(m) && is_ordered(n)) {
        return true;
    }
    if ((is_ordered(m) || is_ordered(n)) && (!local || same_memory(m, n))) {
        return true;
    }
    if ((m->m.op == WR_OP_LD && n->m.op == WR_OP_LD) || !same_memory(m, n)) {
        return false;
    }
    if (m->m.space != n->m.space || m->src[0].kind != n->src[0].kind ||
        m->m.src_regs[0] != n->m.src_regs[0]) {
        return true;
    }
    if (m->src[0].kind == WR_IR_REG &&
        (m->src[0].reg != n->src[0].reg || m->src[0].word != n->src[0].word)) {
        return true;
    }
    return (m->src[0].kind != WR_IR_REG && m->src[0].kind != WR_IR_NONE) || overlap(m, n);
}

/* ---- building ---- */

/* The constant move belongs to the instruction right behind, or further constants of that. */
static bool belongs_to(const wr_window *w, const wr_ir_insn *move, const wr_ir_insn *user)
{
    if (!wr_ir_is_move(move) || move->src[0].kind == WR_IR_REG || move->dst.kind != WR_IR_REG ||
        w->defs->uses[move->dst.reg] != 1) {
        return false;
    }
    for (unsigned i = 0; i < wr_ir_src_count(user); i++) {
        if (user->src[i].kind == WR_IR_REG && user->src[i].reg == move->dst.reg) {
            return true;
        }
    }
    return false;
}

static uint32_t node_start(const wr_window *w, uint32_t user)
{
    uint32_t at = user;

    while (at > 0 && belongs_to(w, &w->insns[at - 1], &w->insns[user])) {
        at--;
    }
    return at;
}

static bool is_temp(const wr_window *w, const wr_window_node *node, uint32_t cell)
{
    for (uint32_t i = node->first; i < node->first + node->count - 1u; i++) {
        const wr_ir_operand *dst = &w->insns[i].dst;
        uint32_t first = w->ir->regs[dst->reg].word0 + dst->word;

        if (cell >= first && cell < first + wr_ir_dst_words(&w->insns[i])) {
            return true;
        }
    }
    return false;
}

static uint16_t number_of(wr_window *w, uint32_t cell, const bool *live)
{
    if (w->stamp[cell] != w->epoch) {
        w->stamp[cell] = w->epoch;
        w->number[cell] = w->cell_count;
        w->is_pred[w->cell_count] = cell >= w->ir->word_count;
        w->out[w->cell_count] = live[cell];
        if (live[cell] && cell >= w->ir->word_count) {
            w->base_preds--;
        } else if (live[cell]) {
            w->base_words--;
        }
        w->cell_count++;
    }
    return (uint16_t)w->number[cell];
}

static void add_once(uint16_t *list, uint8_t *count, uint16_t cell)
{
    for (uint8_t i = 0; i < *count; i++) {
        if (list[i] == cell) {
            return;
        }
    }
    list[(*count)++] = cell;
}

/* The instruction of a node, behind its constants. */
static const wr_ir_insn *insn_of(const wr_window *w, uint32_t node)
{
    return &w->insns[w->nodes[node].first + w->nodes[node].count - 1];
}

static void fill_node(wr_window *w, wr_window_node *node, const bool *live)
{
    const wr_ir_insn *insn = &w->insns[node->first + node->count - 1];
    wr_ir_refs refs;

    wr_ir_get_refs(w->ir, insn, &refs);
    node->use_count = 0;
    node->def_count = 0;
    node->kills = refs.kills;
    node->latency = latency_of(insn);
    node->temps = 0;
    for (uint32_t i = 0; i < refs.use_count; i++) {
        if (is_temp(w, node, refs.uses[i])) {
            node->temps++;
        } else {
            add_once(node->uses, &node->use_count, number_of(w, refs.uses[i], live));
        }
    }
    for (uint32_t i = 0; i < refs.def_count; i++) {
        add_once(node->defs, &node->def_count, number_of(w, refs.defs[i], live));
    }
}

/* Nodes from the end, while there is room for them and for what they may touch. */
static void find_nodes(wr_window *w, uint32_t end)
{
    uint32_t at = end, cells = 0;

    w->count = 0;
    w->end = end;
    while (at > 0 && w->count < WR_WINDOW_NODES && !wr_window_is_fence(&w->insns[at - 1])) {
        uint32_t start = node_start(w, at - 1);
        wr_ir_refs refs;

        wr_ir_get_refs(w->ir, &w->insns[at - 1], &refs);
        cells += refs.use_count + refs.def_count;
        if (cells > WR_WINDOW_CELLS) {
            break;
        }
        w->nodes[w->count].first = start;
        w->nodes[w->count].count = at - start;
        w->count++;
        at = start;
    }
    w->first = at;
    for (uint32_t i = 0; i < w->count / 2; i++) {
        wr_window_node other = w->nodes[i];

        w->nodes[i] = w->nodes[w->count - 1 - i];
        w->nodes[w->count - 1 - i] = other;
    }
}

static void keep(wr_window *w, uint32_t first, uint32_t second, uint32_t cycles)
{
    uint8_t *at = &w->behind[first][second];

    assert(first < second);
    if (*at < cycles + 1) {
        *at = (uint8_t)(cycles + 1);
    }
}

/* The last writer of a cell so far, and its readers since, linked; numbers plus 1. */
typedef struct past {
    uint32_t writer, readers;
} past;

typedef struct reader {
    uint32_t node, next;
} reader;

typedef struct history {
    past of[WR_WINDOW_CELLS];
    reader readers[WR_WINDOW_CELLS];
    uint32_t reader_count;
    uint32_t accesses[WR_WINDOW_NODES]; /* nodes */
    uint32_t access_count;
    uint32_t across; /* the last operation across lanes, plus 1 */
} history;

static void keep_cells(wr_window *w, history *h, uint32_t j)
{
    const wr_window_node *node = &w->nodes[j];

    for (uint32_t i = 0; i < node->use_count; i++) {
        past *p = &h->of[node->uses[i]];

        if (p->writer != 0) {
            keep(w, p->writer - 1, j, w->nodes[p->writer - 1].latency);
        }
        h->readers[h->reader_count] = (reader){j, p->readers};
        p->readers = ++h->reader_count;
    }
    for (uint32_t i = 0; i < node->def_count; i++) {
        past *p = &h->of[node->defs[i]];

        if (p->writer != 0) {
            keep(w, p->writer - 1, j, w->nodes[p->writer - 1].latency);
        }
        for (uint32_t r = p->readers; r != 0; r = h->readers[r - 1].next) {
            if (h->readers[r - 1].node != j) {
                keep(w, h->readers[r - 1].node, j, 0);
            }
        }
        *p = (past){j + 1, 0};
    }
}

/* Where `r = t` ends the life of r's old value, and all that reads this comes before t is made,
 * it stays so: else r and t would need two registers, and the copy an instruction. */
static void keep_copy(wr_window *w, const history *h, uint32_t j)
{
    const wr_window_node *node = &w->nodes[j];
    const wr_ir_insn *copy = insn_of(w, j);

    if (!wr_ir_is_move(copy) || copy->src[0].kind != WR_IR_REG || node->def_count == 0) {
        return;
    }
    for (uint32_t i = 0; i < node->def_count; i++) {
        uint32_t made = h->of[node->uses[i < node->use_count ? i : 0]].writer;
        uint32_t readers = h->of[node->defs[i]].readers, r;

        for (r = readers; made != 0 && r != 0 && h->readers[r - 1].node < made;) {
            r = h->readers[r - 1].next;
        }
        if (made == 0 || r != 0) {
            continue;
        }
        for (r = readers; r != 0; r = h->readers[r - 1].next) {
            if (h->readers[r - 1].node != made - 1) {
                keep(w, h->readers[r - 1].node, made - 1, 0);
            }
        }
    }
}

static void keep_memory(wr_window *w, history *h, uint32_t j)
{
    const wr_ir_insn *insn = insn_of(w, j);

    if (wr_isa_rows[insn->m.op].cls == WR_CLASS_WARP) {
        if (h->across != 0) {
            keep(w, h->across - 1, j, 1);
        }
        h->across = j + 1;
    }
    if (!wr_ir_is_mem(insn)) {
        return;
    }
    for (uint32_t i = 0; i < h->access_count; i++) {
        if (must_keep(insn_of(w, h->accesses[i]), insn)) {
            keep(w, h->accesses[i], j, 1);
        }
    }
    h->accesses[h->access_count++] = j;
}

void wr_window_fill(wr_window *w, uint32_t block, uint32_t end, const bool *live, uint32_t words,
                    uint32_t preds)
{
    history h;

    w->insns = w->ir->blocks[block].insns.at;
    w->base_words = words;
    w->base_preds = preds;
    w->cell_count = 0;
    w->epoch++;
    find_nodes(w, end);
    for (uint32_t i = 0; i < w->count; i++) {
        fill_node(w, &w->nodes[i], live);
        memset(w->behind[i], 0, w->count);
    }
    h.reader_count = 0;
    h.access_count = 0;
    h.across = 0;
    memset(h.of, 0, w->cell_count * sizeof h.of[0]);
    for (uint32_t i = 0; i < w->count; i++) {
        keep_memory(w, &h, i);
        keep_copy(w, &h, i);
        keep_cells(w, &h, i);
    }
}

/* ---- measuring ---- */

static void count_cell(const wr_window *w, uint32_t cell, int by, uint32_t *words, uint32_t *preds)
{
    if (w->is_pred[cell]) {
        *preds += (uint32_t)by;
    } else {
        *words += (uint32_t)by;
    }
}

static void note_peak(wr_window_cost *cost, uint32_t words, uint32_t preds)
{
    cost->words = words > cost->words ? words : cost->words;
    cost->preds = preds > cost->preds ? preds : cost->preds;
}

static void measure_lives(const wr_window *w, const uint16_t *order, wr_window_cost *cost)
{
    bool live[WR_WINDOW_CELLS];
    uint32_t words = w->base_words, preds = w->base_preds;

    for (uint32_t c = 0; c < w->cell_count; c++) {
        live[c] = w->out[c];
        if (live[c]) {
            count_cell(w, c, 1, &words, &preds);
        }
    }
    note_peak(cost, words, preds);
    for (uint32_t k = w->count; k-- > 0;) {
        const wr_window_node *node = &w->nodes[order[k]];

        for (uint32_t i = 0; i < node->def_count; i++) {
            if (!live[node->defs[i]]) {
                live[node->defs[i]] = true;
                count_cell(w, node->defs[i], 1, &words, &preds);
            }
        }
        note_peak(cost, words, preds);
        for (uint32_t i = 0; node->kills && i < node->def_count; i++) {
            live[node->defs[i]] = false;
            count_cell(w, node->defs[i], -1, &words, &preds);
        }
        for (uint32_t i = 0; i < node->use_count; i++) {
            if (!live[node->uses[i]]) {
                live[node->uses[i]] = true;
                count_cell(w, node->uses[i], 1, &words, &preds);
            }
        }
        note_peak(cost, words + node->temps, preds);
    }
}

wr_window_cost wr_window_measure(const wr_window *w, const uint16_t *order)
{
    wr_window_cost cost = {0};
    uint32_t ready[WR_WINDOW_NODES] = {0}, now = 0;

    measure_lives(w, order, &cost);
    for (uint32_t k = 0; k < w->count; k++) {
        uint32_t i = order[k];

        now = ready[i] > now ? ready[i] : now;
        for (uint32_t j = i + 1; j < w->count; j++) {
            if (w->behind[i][j] != 0 && ready[j] < now + w->behind[i][j] - 1u) {
                ready[j] = now + w->behind[i][j] - 1u;
            }
        }
        now += w->nodes[i].count;
    }
    cost.cycles = now;
    return cost;
}
