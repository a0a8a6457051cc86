/* SPDX-License-Identifier: Apache-2.0 */
/* warp_quota: the model divides when a kernel is done, the RTL bit by bit. Of the numerator
 * Epoch x weight the bits of Epoch taken so far make a number n, and in each cycle
 * n x weight = quotient x sum + rest with rest < sum. */
// cases: fsm_q
// cases: k_q
// cases: j_q
// cases: second_q
// cases: u_scaler.left_q
#include "refmodel/sharing/warp_quota.h"
#include "formal/rel/relate.h"

enum { IDLE, MULTIPLY, LOAD, WAIT, TIMES = 14 };

static uint64_t ones(uint32_t bits)
{
    return ((uint64_t)1 << bits) - 1;
}

/* x0 x1 is below 2^6 x0, is 0 where a factor is, and is that of its low bits. */
static bool product(const uint64_t *x)
{
    const uint64_t p = x[0] * x[1];
    bool holds = x[0] > ones(40) || x[1] > 63 || (p == 0) == (x[0] == 0 || x[1] == 0);
    for (uint32_t bits = 16; bits < 40; bits += 6) {
        holds = holds && (x[0] > ones(bits) || x[1] > 63 ||
                          (p <= ones(bits + 6) && (p & ones(bits + 6)) == p));
    }
    return holds;
}

static bool same_product(const uint64_t *x)
{
    return x[0] != x[2] || x[1] != x[3] || x[0] * x[1] == x[2] * x[3];
}

/* x1 = x0 x2: the factor x3 may come before x2. */
static bool swapped(const uint64_t *x)
{
    return x[1] != x[0] * x[2] || x[0] * x[3] * x[2] == x[1] * x[3];
}

/* x1 is twice x0 and x3. */
static bool digit(const uint64_t *x)
{
    const uint64_t part = x[0] * x[2];
    return x[1] != x[0] + x[0] + x[3] || x[1] * x[2] == part + part + x[3] * x[2];
}

static bool sum_of_three(const uint64_t *x)
{
    return x[0] != x[1] + (x[3] + x[2]) || x[0] == x[1] + x[2] + x[3];
}

/* The quotient is not above the number of parts, a part not above the whole. */
static bool at_most(const uint64_t *x)
{
    return x[0] > ones(15) || x[1] > ones(42) || x[2] > ones(14) || x[3] > x[1] || x[1] == 0 ||
           x[0] * x[1] > x[2] * x[3] || x[0] <= x[2];
}

static bool quotient(const uint64_t *x)
{
    return x[2] > ones(14) || x[1] > ones(42) || x[3] >= x[1] || x[0] != x[2] * x[1] + x[3] ||
           x[0] / x[1] == x[2];
}

static uint64_t alone(const wr_warp_quota *s, uint32_t k)
{
    return s->alone_q[k] == 0 ? 1 : s->alone_q[k];
}

/* As the model multiplies. */
static uint64_t weight(const wr_warp_quota *s, uint32_t k, wr_when when)
{
    uint64_t w = alone(s, k);
    LEMMA(product, w, s->resident_q[k]);
    w *= s->resident_q[k];
    for (uint32_t j = 0; j < s->cfg.kernels; j++) {
        if (j != k) {
            LEMMA(product, w, s->most_q[j]);
            w *= s->most_q[j];
        }
    }
    return w;
}

/* Factor j of kernel k in the RTL's order: its own place is that of its TBs here. */
static uint64_t factor(const wr_warp_quota *s, uint32_t k, uint32_t j)
{
    return j == k ? s->resident_q[k] : s->most_q[j];
}

/* The product of the first j factors is there. */
static void multiply(const wr_warp_quota *s, uint32_t k, uint32_t j, wr_when when)
{
    const uint64_t here = RTL("part_q", 0, 0, 0, 0), by = RTL("factor_q", 0, 0, 0, 6);
    uint64_t part = alone(s, k), model = part * s->resident_q[k];
    for (uint32_t i = 0; i < j; i++) {
        const uint64_t f = factor(s, k, i);
        LEMMA(product, part, f);
        if (i < k) {
            LEMMA(swapped, part, model, s->resident_q[k], f);
            model *= f;
        }
        part *= f;
    }
    HOLDS(here == part);
    HOLDS(by == factor(s, k, j));
    LEMMA(product, here, by);
    LEMMA(same_product, here, by, part, factor(s, k, j));
    LEMMA(product, part, factor(s, k, j));
    if (j < k) {
        LEMMA(swapped, part, model, s->resident_q[k], factor(s, k, j));
    }
}

/* The scaler's adders of three operands add up. */
static void carry_save(const wr_warp_quota *s, wr_when when)
{
    const uint64_t wide = ones(s->cfg.kernels * 6 + 21);
    const uint64_t rest = RTL("u_scaler.rem_q", 0, 0, 0, 0);
    const uint64_t now = rest + rest + RTL("u_scaler.more_i", 0, 0, 0, 0);
    const uint64_t by = RTL("u_scaler.whole_i", 0, 0, 0, 0);
    FOLLOWS(RTL("u_scaler.less_2", 0, 0, 0, 0) == ((now - by - by) & wide));
    FOLLOWS(RTL("u_scaler.less_1", 0, 0, 0, 0) == ((now - by) & wide));
}

/* The scaler has left bits of times to take. */
static void divide(uint64_t times, uint64_t part, uint64_t whole, uint32_t left, wr_when when)
{
    const uint64_t all = RTL("u_scaler.times_q", 0, 0, 0, TIMES);
    const uint64_t rest = RTL("u_scaler.rem_q", 0, 0, 0, 0);
    const uint64_t q = all & ones(TIMES - left), n = times >> left;
    HOLDS(all >> (TIMES - left) == (times & ones(left)));
    HOLDS(rest < whole);
    HOLDS(q <= n);
    HOLDS(n * part == q * whole + rest);
    if (left == 0) {
        LEMMA(quotient, times * part, whole, q, rest);
    } else {
        const uint64_t taken = times >> (left - 1);
        const uint64_t now = rest + rest + ((taken & 1) != 0 ? part : 0);
        const uint64_t digit_now = now >= whole + whole ? 2 : now >= whole ? 1 : 0;
        const uint64_t grown = q + q + digit_now;
        const uint64_t off = digit_now == 2 ? whole + whole : digit_now == 1 ? whole : 0;
        const uint64_t rem = now - off;
        const uint64_t next = wr_rtl(PART "u_scaler.times_q", 0, 0, 0, TIMES, WR_NEXT);
        const uint64_t next_q = next & ones(TIMES - left + 1);
        for (uint32_t d = 0; d <= 2; d++) {
            LEMMA(digit, q, grown, whole, d);
            LEMMA(digit, n, taken, part, d);
        }
        LEMMA(at_most, grown, whole, taken, part);
        LEMMA(same_product, grown, whole, next_q, whole);
        FOLLOWS(part <= whole && rem < whole);
        FOLLOWS(taken * part == q * whole + q * whole + now);
        FOLLOWS(grown * whole == q * whole + q * whole + off);
        FOLLOWS(rem + off == now);
        FOLLOWS(taken * part == q * whole + q * whole + (rem + off));
        LEMMA(sum_of_three, taken * part, q * whole + q * whole, off, rem);
        FOLLOWS(taken * part == grown * whole + rem);
        FOLLOWS(grown <= taken);
        FOLLOWS(next_q == grown);
        FOLLOWS(wr_rtl(PART "u_scaler.rem_q", 0, 0, 0, 0, WR_NEXT) == rem);
    }
}

/* A calculation has come to kernel k. */
static void calculation(const wr_warp_quota *s, uint32_t k, wr_when when)
{
    const uint32_t kernels = s->cfg.kernels, bits = 16 + 6 * kernels;
    const uint32_t fsm = (uint32_t)RTL("fsm_q", 0, 0, 0, 2);
    const uint32_t j = (uint32_t)RTL("j_q", 0, 0, 0, 2);
    const uint32_t left = (uint32_t)RTL("u_scaler.left_q", 0, 0, 0, 4);
    const bool second = RTL("second_q", 0, 0, 0, 1) != 0;
    uint64_t w[WR_WARP_QUOTA_KERNELS_MAX], sum = 0, before = 0;

    for (uint32_t i = 0; i < kernels; i++) {
        const bool late = fsm == MULTIPLY ? j == 0 && i + 1 == k
                                          : fsm == LOAD && k == 0 && !second && i + 1 == kernels;
        w[i] = weight(s, i, when);
        sum += w[i];
        before += (fsm == MULTIPLY && i >= k) || late ? 0 : w[i];
    }
    HOLDS(RTL("sum_q", 0, 0, 0, 0) == before);
    for (uint32_t i = 0; i < kernels; i++) {
        if (fsm != MULTIPLY || i >= kernels - k) {
            const uint64_t slot = RTL("weight_q", 0, 0, i * bits, bits);
            HOLDS(slot == w[(k + i) % kernels]);
        }
    }
    if (fsm == MULTIPLY) {
        for (uint32_t i = 0; i < kernels; i++) {
            if (i == j) {
                multiply(s, k, i, when);
            }
        }
        return;
    }
    const uint64_t whole = RTL("whole_q", 0, 0, 0, TIMES);
    const uint64_t part = second ? 1 : w[k];
    HOLDS(!second || whole == (s->resident_q[k] == 0 || sum == 0 ? 0 : s->cfg.epoch * w[k] / sum));
    if (fsm == WAIT) {
        HOLDS(left == 0 || RTL("part_q", 0, 0, 0, 0) ==
                               (RTL("u_scaler.times_q", 0, 0, TIMES - 1, 1) != 0 ? part : 0));
        if (second) {
            divide(whole, 1, s->cfg.schedulers, left, when);
        } else if (s->resident_q[k] != 0) {
            divide(s->cfg.epoch, w[k], sum, left, when);
        }
    }
}

void relate(wr_warp_quota *s, wr_when when)
{
    const uint32_t kernels = s->cfg.kernels;
    const uint32_t fsm = (uint32_t)RTL("fsm_q", 0, 0, 0, 2);
    const uint32_t k = (uint32_t)RTL("k_q", 0, 0, 0, 2);
    const uint32_t j = (uint32_t)RTL("j_q", 0, 0, 0, 2);
    const uint32_t left = (uint32_t)RTL("u_scaler.left_q", 0, 0, 0, 4);
    const bool second = RTL("second_q", 0, 0, 0, 1) != 0;

    carry_save(s, when);
    HOLDS(fsm == IDLE ? k == 0 || k == kernels % 4 : k < kernels);
    HOLDS(fsm == MULTIPLY ? j < kernels : j == 0);
    HOLDS(fsm >= LOAD || !second);
    HOLDS(fsm == WAIT ? left <= TIMES : left == 0);
    LINK_VALUE(fsm != IDLE, s->cycle_q, 0,
               fsm == MULTIPLY ? k * kernels + j
                               : kernels * kernels + 32 * k + (second ? 16u : 0u) +
                                     (fsm == LOAD ? 0 : TIMES + 1 - left));
    HOLDS(s->epoch_q < s->cfg.epoch);
    for (uint32_t i = 0; i < WR_WARP_QUOTA_KERNELS_MAX; i++) {
        HOLDS(s->most_q[i] != 0);
        HOLDS(i < kernels || (s->quota_q[i] == 0 && s->share_q[i] == 0));
        HOLDS(i < kernels || (s->running_q[i] == 0 && s->issued_q[i] == 0));
        HOLDS(s->quota_q[i] <= s->cfg.epoch && s->share_q[i] <= s->cfg.epoch);
        HOLDS(s->running_q[i] <= s->cfg.schedulers * s->epoch_q);
        HOLDS(s->issued_q[i] <= s->cfg.schedulers * s->cfg.epoch);
        for (uint32_t n = 0; n < WR_WARP_QUOTA_SCHEDULERS_MAX; n++) {
            const uint32_t its = s->left_q[4 * n + i];
            const bool may = RTL("may_q", 0, 0, 4 * n + i, 1) != 0;
            HOLDS((i < kernels && n < s->cfg.schedulers && s->managed_q) || its == 0);
            HOLDS(its <= s->cfg.epoch);
            HOLDS(n >= s->cfg.schedulers || may == (i < kernels && (!s->managed_q || its != 0)));
        }
    }
    for (uint32_t i = 0; i < kernels; i++) {
        if (fsm != IDLE && k == i) {
            calculation(s, i, when);
        }
    }
}
