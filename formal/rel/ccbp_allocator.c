/* SPDX-License-Identifier: Apache-2.0 */
/* ccbp_allocator: the model works a step out in its first cycle, the RTL in a few and a division.
 * So while the RTL is at it, the step of the model is what Algorithm 1 makes of tables and
 * allocation, which stand still; the RTL's registers are its parts so far. The divider's quotient,
 * with the steps that it has left, is the one that the model divides for. */
// cases: fsm_q
// cases: k_q
// cases: u_divider.left_q
#include "refmodel/sharing/ccbp_allocator.h"
#include "formal/rel/divider.h"
#include "formal/rel/relate.h"
#include "refmodel/minmax.h"

enum { IDLE, KIND, PICK, GROW, READ, CHECK, SHARE, TAKE };
enum { SLOTS, REGS, SMEM, THREADS }; /* in the order of the RTL */
enum { NUMERATOR = 25, QUOTIENT = 9, QUOTIENT_MAX = 511 };

static uint32_t divided(uint64_t rest, uint64_t divisor, uint64_t found, uint32_t left)
{
    return wr_divided(rest, divisor, found, left, NUMERATOR, QUOTIENT);
}

static uint32_t quotient(uint64_t dividend, uint64_t divisor)
{
    return divided(dividend, divisor << (QUOTIENT - 1), 0, QUOTIENT);
}

static bool widened(const wr_ccbp_allocator *s, const uint64_t *x)
{
    const uint32_t dividend = (uint32_t)x[0], divisor = (uint32_t)x[1];
    (void)s;
    return dividend >> 14 != 0 || divisor >> 7 != 0 || divisor == 0 ||
           quotient(dividend, divisor) == wr_min(dividend / divisor, QUOTIENT_MAX);
}

static bool percent_of_256(const wr_ccbp_allocator *s, const uint64_t *x)
{
    const uint32_t percent = (uint32_t)x[0];
    (void)s;
    return percent > 100 || quotient(256 * percent, 100) == 256 * percent / 100;
}

static uint32_t limit_of(const wr_ccbp_allocator *s, uint32_t resource)
{
    const uint32_t limits[] = {s->cfg.slots, s->cfg.regs, s->cfg.smem, s->cfg.threads};
    return limits[resource];
}

/* 256 times an amount of resource x2 that is not above its limit, x0, by that limit and x1. */
static bool share_of_256(const wr_ccbp_allocator *s, const uint64_t *x)
{
    const uint32_t dividend = (uint32_t)x[0], prior = (uint32_t)x[1];
    bool holds = true;
    for (uint32_t r = 0; r < WR_CCBP_RESOURCES; r++) {
        const uint32_t limit = limit_of(s, r);
        holds = holds && (x[2] != r || dividend > 256 * limit || prior == 0 || prior > 15 ||
                          (quotient(dividend, limit * prior) == dividend / (limit * prior) &&
                           dividend / (limit * prior) <= 256));
    }
    return holds;
}

static bool one_more(const uint64_t *x)
{
    return x[0] > 63 || x[1] >> 17 != 0 || (x[0] + 1) * x[1] == x[0] * x[1] + x[1];
}

/* A factor and its half. */
static bool digit(const uint64_t *x)
{
    const uint64_t half = (x[0] >> 1) * x[1];
    return x[0] > 63 || x[1] >> 17 != 0 ||
           (x[0] * x[1] == half + half + ((x[0] & 1) != 0 ? x[1] : 0) && half <= x[0] * x[1]);
}

static bool scaled(const uint64_t *x)
{
    return x[0] > 63 || x[1] >> 17 != 0 || 256 * x[0] * x[1] == 256 * (x[0] * x[1]);
}

static bool same_product(const uint64_t *x)
{
    return x[0] != x[2] || x[1] != x[3] || x[0] * x[1] == x[2] * x[3];
}

/* In the 32 bits that the quotients are worked out in. */
static bool same_quotient(const uint64_t *x)
{
    const uint32_t a = (uint32_t)x[0], b = (uint32_t)x[1], c = (uint32_t)x[2], d = (uint32_t)x[3];
    return a != c || b != d || b == 0 || a / b == c / d;
}

static uint32_t need(const wr_ccbp_allocator *s, uint32_t k, uint32_t resource)
{
    return resource == SLOTS ? 1 : s->need_q[k][resource - REGS];
}

/* Entries of the tables, of which there is none above the most CTAs. */
static uint8_t nbw_at(const wr_ccbp_allocator *s, uint32_t k, uint32_t ctas)
{
    return ctas <= s->cfg.max_ctas ? s->nbw_table_q[k][ctas] : 0;
}

static uint8_t dbw_at(const wr_ccbp_allocator *s, uint32_t k, uint32_t ctas)
{
    return ctas <= s->cfg.max_ctas ? s->dbw_table_q[k][ctas] : 0;
}

/* CanAlloc but for the bandwidths, with so many CTAs for kernel own. */
static bool has_room(const wr_ccbp_allocator *s, uint32_t own, uint32_t ctas)
{
    bool ok = ctas <= s->ctas_q[own];
    for (uint32_t r = 0; r < WR_CCBP_RESOURCES; r++) {
        uint32_t used = 0;
        for (uint32_t k = 0; k < s->cfg.kernels; k++) {
            used += (k == own ? ctas : s->cta_q[k]) * need(s, k, r);
        }
        ok = ok && used <= limit_of(s, r);
    }
    return ok;
}

/* Kernel k's step, and the entry of its own bandwidth and of the other for the CTAs of the step. */
typedef struct plan {
    wr_ccbp_step step;
    bool grows, room;
    uint8_t own, other;
    uint32_t dividend;
} plan;

static plan plan_of(const wr_ccbp_allocator *s, uint32_t k)
{
    const bool latency = s->kind_q[k] == WR_CCBP_LATENCY, noc = s->kind_q[k] == WR_CCBP_NOC;
    const uint32_t ctas = s->cta_q[k], next = (noc ? s->nbw_q[k] : s->dbw_q[k]) + 1u;
    plan p = {.step = {.kernel = (uint8_t)k}};
    p.grows = latency || (noc ? nbw_at(s, k, ctas) : dbw_at(s, k, ctas)) < next;
    const uint32_t wanted = ctas + p.grows;
    const uint8_t nbw = nbw_at(s, k, wanted), dbw = dbw_at(s, k, wanted);
    p.own = noc ? nbw : dbw;
    p.other = noc ? dbw : nbw;
    p.dividend = p.other * next + p.own / 2u;
    const uint16_t wide = p.own == 0 ? 0 : (uint16_t)wr_min(p.dividend / p.own, QUOTIENT_MAX);
    p.step.cta = (uint8_t)wanted;
    p.step.nbw = latency ? nbw : noc ? (uint16_t)next : wide;
    p.step.dbw = latency ? dbw : noc ? wide : (uint16_t)next;
    p.room = has_room(s, k, wanted);
    uint32_t nbw_sum = 0, dbw_sum = 0;
    for (uint32_t i = 0; i < s->cfg.kernels; i++) {
        nbw_sum += i == k ? p.step.nbw : s->nbw_q[i];
        dbw_sum += i == k ? p.step.dbw : s->dbw_q[i];
    }
    p.step.fits = p.room && nbw_sum <= 100 && dbw_sum <= 100;
    return p;
}

static uint32_t share_of(const wr_ccbp_allocator *s, uint32_t k, uint32_t r)
{
    return 256 * s->cta_q[k] * need(s, k, r) / (limit_of(s, r) * s->prior_q);
}

/* Place in the RTL's memory of so many CTAs of kernel k. */
static uint32_t entry_of(const wr_ccbp_allocator *s, uint32_t k, uint32_t ctas)
{
    uint32_t index_bits = 1;
    while (1u << index_bits < s->cfg.max_ctas) {
        index_bits++;
    }
    return k << index_bits | (ctas - 1);
}

/* What was written. */
static void written(wr_ccbp_allocator *s, wr_when when)
{
    for (uint32_t k = 0; k < s->cfg.kernels; k++) {
        LINK_VALUE(true, s->nbw_table_q[k][0], k, 0);
        LINK_VALUE(true, s->dbw_table_q[k][0], k, 0);
        for (uint32_t n = 1; n <= s->cfg.max_ctas; n++) {
            const uint32_t entry = entry_of(s, k, n);
            const bool known = RTL("known_q", 0, 0, entry, 1) != 0;
            LINK_VALUE(true, s->nbw_table_q[k][n], n,
                       known ? RTL("table_q[%]", entry, 0, 0, 7) : 0);
            LINK_VALUE(true, s->dbw_table_q[k][n], n,
                       known ? RTL("table_q[%]", entry, 0, 7, 7) : 0);
            HOLDS(s->nbw_table_q[k][n] <= 100 && s->dbw_table_q[k][n] <= 100);
        }
        LINK(s->need_q[k][REGS - REGS], "regs_q", 0, 0, 17 * k, 17);
        LINK(s->need_q[k][SMEM - REGS], "smem_q", 0, 0, 17 * k, 17);
        LINK(s->need_q[k][THREADS - REGS], "threads_q", 0, 0, 17 * k, 17);
        LINK(s->written_q[k], "type_q", 0, 0, 2 * k, 2);
        HOLDS(s->ctas_q[k] <= s->cfg.max_ctas);
    }
    for (uint32_t k = s->cfg.kernels; k < WR_CCBP_KERNELS_MAX; k++) {
        HOLDS(s->cta_q[k] == 0 && s->nbw_q[k] == 0 && s->dbw_q[k] == 0);
        HOLDS(s->dom_q[k] == 0 && s->kind_q[k] == 0);
    }
}

/* The sums are those of the allocation; in CHECK without the bandwidth of the kernel of the step.
 */
static void sums(wr_ccbp_allocator *s, uint32_t fsm, uint32_t own, wr_when when)
{
    uint32_t used[WR_CCBP_RESOURCES] = {0}, nbw = 0, dbw = 0, steps = 0;
    uint32_t nbw_out = 0, dbw_out = 0;
    const bool busy = fsm != IDLE;
    for (uint32_t k = 0; k < s->cfg.kernels; k++) {
        for (uint32_t r = 0; r < WR_CCBP_RESOURCES; r++) {
            used[r] += s->cta_q[k] * need(s, k, r);
        }
        nbw += s->nbw_q[k];
        dbw += s->dbw_q[k];
        nbw_out = fsm == CHECK && own == k ? s->nbw_q[k] : nbw_out;
        dbw_out = fsm == CHECK && own == k ? s->dbw_q[k] : dbw_out;
        steps += s->kind_q[k] == WR_CCBP_LATENCY ? s->cta_q[k]
                 : s->kind_q[k] == WR_CCBP_NOC   ? s->nbw_q[k]
                                                 : s->dbw_q[k];
        steps += (s->unfinished_q >> k & 1) == 0;
        HOLDS(!busy || s->cta_q[k] <= s->ctas_q[k]);
    }
    HOLDS(!busy || (used[SLOTS] == RTL("sum_ctas_q", 0, 0, 0, 0) && used[SLOTS] <= s->cfg.slots));
    HOLDS(!busy || (used[REGS] == RTL("sum_regs_q", 0, 0, 0, 0) && used[REGS] <= s->cfg.regs));
    HOLDS(!busy || (used[SMEM] == RTL("sum_smem_q", 0, 0, 0, 0) && used[SMEM] <= s->cfg.smem));
    HOLDS(!busy ||
          (used[THREADS] == RTL("sum_threads_q", 0, 0, 0, 0) && used[THREADS] <= s->cfg.threads));
    HOLDS(!busy || (nbw == RTL("sum_nbw_q", 0, 0, 0, 0) + nbw_out && nbw <= 100));
    HOLDS(!busy || (dbw == RTL("sum_dbw_q", 0, 0, 0, 0) + dbw_out && dbw <= 100));
    HOLDS(!busy || s->steps_q == steps);
}

/* The entries of the tables that the RTL keeps or has asked for. */
static void entries(wr_ccbp_allocator *s, uint32_t fsm, uint32_t own, wr_when when)
{
    for (uint32_t k = 0; k < s->cfg.kernels; k++) {
        const uint32_t at = (uint32_t)RTL("at_q", 0, 0, 6 * k, 6);
        const uint32_t now = (uint32_t)RTL("now_q", 0, 0, 14 * k, 14);
        const bool asked = (fsm == KIND || fsm == GROW) && own == k;
        HOLDS(fsm != KIND || at == (k < own ? 1 : s->ctas_q[k]));
        HOLDS(fsm <= KIND || at == s->cta_q[k] + 1u);
        HOLDS(fsm == IDLE ||
              now == ((uint32_t)dbw_at(s, k, s->cta_q[k]) << 7 | nbw_at(s, k, s->cta_q[k])));
        HOLDS(!asked || RTL("held_q", 0, 0, 0, 1) == (at != 0 && at <= s->cfg.max_ctas));
        HOLDS(!asked || RTL("held_q", 0, 0, 0, 1) == 0 ||
              RTL("read_q", 0, 0, 0, 0) == entry_of(s, k, at));
    }
}

/* Kernel k is that of the step. */
static void step(wr_ccbp_allocator *s, uint32_t fsm, uint32_t k, uint32_t left, wr_when when)
{
    const plan p = plan_of(s, k);
    const uint32_t kind = s->kind_q[k], res = (uint32_t)RTL("res_q", 0, 0, 0, 2);
    const bool latency = kind == WR_CCBP_LATENCY, noc = kind == WR_CCBP_NOC;
    const bool here = RTL("k_q", 0, 0, 0, 2) == k;
    const bool open = here && fsm >= GROW && fsm <= CHECK, known = open && fsm != GROW;
    const bool ends = here && fsm >= SHARE, division = here && fsm == TAKE;
    const uint32_t next = (uint32_t)RTL("own_next_q", 0, 0, 0, 7);
    const uint32_t cta_t = (uint32_t)RTL("cta_t_q", 0, 0, 0, 6);
    const uint32_t own = noc ? s->nbw_q[k] : s->dbw_q[k];
    const uint32_t quot =
        divided(RTL("u_divider.rem_q", 0, 0, 0, 0), RTL("u_divider.den_q", 0, 0, 0, 0),
                RTL("u_divider.quot_q", 0, 0, 0, 0), left);

    LINK_VALUE(open, s->step_q.cta, 0, p.step.cta);
    LINK_VALUE(open, s->step_q.nbw, 0, p.step.nbw);
    LINK_VALUE(open, s->step_q.dbw, 0, p.step.dbw);
    LINK_VALUE(open, s->step_q.fits, 0, p.step.fits);
    HOLDS(!(here && fsm >= GROW) || (s->unfinished_q >> k & 1) != 0);
    HOLDS(!(known || ends) || RTL("kind_t_q", 0, 0, 0, 2) == kind);
    HOLDS(!known || (cta_t == p.step.cta && RTL("grows_q", 0, 0, 0, 1) == p.grows));
    HOLDS(!known || next == own + 1);
    HOLDS(!known ||
          (RTL("own_t_q", 0, 0, 0, 7) == p.own && RTL("other_t_q", 0, 0, 0, 7) == p.other));
    HOLDS(!(known && fsm == CHECK) || RTL("room_q", 0, 0, 0, 1) == p.room);
    HOLDS(!(known && fsm == CHECK && !latency) || quot == (noc ? p.step.dbw : p.step.nbw));
    HOLDS(!ends || cta_t == s->cta_q[k]);
    HOLDS(!ends || latency || (next == own && res == 0 && RTL("most_q", 0, 0, 0, 9) == 0));
    HOLDS(!division || latency || quot == 256 * own / 100);

    /* Shares, one resource after the other. */
    const uint32_t amount = (uint32_t)RTL("amount_q", 0, 0, 0, 17);
    const uint32_t times = (uint32_t)RTL("times_q", 0, 0, 0, 7);
    const uint32_t done = 9 - left > 6 ? 6 : 9 - left, ctas = s->cta_q[k];
    uint32_t most = 0;
    HOLDS(!division || times == (((ctas << 1 | 1) << done) & 127));
    for (uint32_t r = 0; r < WR_CCBP_RESOURCES; r++) {
        const bool its = ends && latency && res == r;
        const uint32_t following = r == THREADS ? 0 : need(s, k, r + 1);
        HOLDS(!(its && fsm == SHARE) || amount == ctas * need(s, k, r));
        HOLDS(!(its && fsm == TAKE) || amount == (ctas >> (6 - done)) * following);
        HOLDS(!its || RTL("most_q", 0, 0, 0, 9) == most);
        HOLDS(!(its && fsm == TAKE) || quot == share_of(s, k, r));
        most = (uint32_t)wr_max(share_of(s, k, r), most);
        LEMMA_OF_BITS(share_of_256, s, 256 * ctas * need(s, k, r), s->prior_q, r);
        LEMMA(scaled, ctas, need(s, k, r));
        LEMMA(one_more, ctas, need(s, k, r));
        for (uint32_t i = 0; i < 6; i++) {
            LEMMA(digit, ctas >> i, need(s, k, r));
        }
    }
    if (fsm == READ) {
        const uint32_t own_t = (uint32_t)RTL("own_t_q", 0, 0, 0, 7);
        const uint32_t other_t = (uint32_t)RTL("other_t_q", 0, 0, 0, 7);
        const uint32_t dividend = other_t * next + own_t / 2;
        LEMMA(same_product, other_t, next, p.other, own + 1);
        LEMMA(same_quotient, dividend, own_t, p.dividend, p.own);
        LEMMA_OF_BITS(widened, s, dividend, own_t);
        FOLLOWS(!here || latency || p.own == 0 ||
                wr_min(dividend / own_t, QUOTIENT_MAX) == (noc ? p.step.dbw : p.step.nbw));
    }
    LEMMA_OF_BITS(percent_of_256, s, own);
}

/* The cycle of the step that begins in PICK. */
static uint32_t cycle_of(uint32_t fsm, bool latency, uint32_t res, uint32_t left)
{
    switch (fsm) {
    case GROW:
        return 1;
    case READ:
        return 2;
    case CHECK:
        return latency && left == 0 ? 3 : 12 - left;
    case SHARE:
        return latency ? 4 + 11 * res : 13;
    case TAKE:
        return latency ? 14 + 11 * res - left : 23 - left;
    default:
        return 0;
    }
}

void relate(wr_ccbp_allocator *s, wr_when when)
{
    const uint32_t kernels = s->cfg.kernels;
    const uint32_t fsm = (uint32_t)RTL("fsm_q", 0, 0, 0, 3), k = (uint32_t)RTL("k_q", 0, 0, 0, 2);
    const uint32_t left = (uint32_t)RTL("u_divider.left_q", 0, 0, 0, 4);
    const bool latency = RTL("kind_t_q", 0, 0, 0, 2) == WR_CCBP_LATENCY;
    const uint32_t res = (uint32_t)RTL("res_q", 0, 0, 0, 2);
    const uint32_t all = (1u << kernels) - 1;

    HOLDS((fsm != KIND && fsm < GROW) || k < kernels);
    HOLDS(left <= QUOTIENT && (left == 0 || fsm == CHECK || fsm == TAKE));
    HOLDS(fsm != CHECK || !latency || left == 0);
    HOLDS(s->prior_q >= 1 && s->prior_q <= 15);
    HOLDS(s->unfinished_q <= all && (fsm != KIND || s->unfinished_q == all));
    HOLDS(fsm != IDLE || s->unfinished_q == 0);
    LINK_VALUE(true, s->classify_q, 0, fsm == KIND ? kernels - k : 0);
    LINK_VALUE(true, s->cycle_q, 0, cycle_of(fsm, latency, res, left));
    LINK_VALUE(fsm >= GROW, s->step_q.kernel, 0, k);
    written(s, when);
    for (uint32_t i = 0; i < kernels; i++) {
        HOLDS(s->kind_q[i] <= WR_CCBP_DRAM);
        HOLDS(fsm != KIND || (s->cta_q[i] == 0 && s->nbw_q[i] == 0 && s->dbw_q[i] == 0));
    }
    sums(s, fsm, k, when);
    entries(s, fsm, k, when);
    for (uint32_t i = 0; i < kernels; i++) {
        step(s, fsm, i, left, when);
    }
}
