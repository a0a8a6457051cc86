/* SPDX-License-Identifier: Apache-2.0 */
/* What a relation file says with: formal/rel/BLOCK.c holds
 *
 *     void relate(wr_BLOCK *s, wr_when when);
 *
 * which links registers of the model to nets of the RTL (LINK, LINK_WHERE) and states the invariant
 * (HOLDS). One text serves three times: now it builds the model's state from the RTL's and takes
 * the invariant for granted, at reset and next it has to be proved. Registers that [[state]] of the
 * toml names are linked before relate is called; a register of the model without a link is any
 * value.
 *
 * Two lines are for the program that reads the file:
 *
 *     // cases: NAME                     the proof is done for each value of register NAME apart
 *     // part: MEMBER BLOCK INSTANCE     the model's member is another block, in the RTL that
 *                                        instance: its own relation holds there, and registers
 *                                        of one name are linked
 */
#ifndef WR_FORMAL_REL_RELATE_H
#define WR_FORMAL_REL_RELATE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef enum wr_when {
    WR_NOW,   /* in the state before the clock */
    WR_NEXT,  /* in the state after it */
    WR_RESET, /* in reset */
} wr_when;

/* Bits [low + width - 1 : low] of a net of the RTL; the first two % of its name are i and j; width
 * 0: all bits from low up; bits beyond the net are 0. */
uint64_t wr_rtl(const char *net, uint32_t i, uint32_t j, uint32_t low, uint32_t width,
                wr_when when);
uint64_t wr_in(const char *port, uint32_t low, uint32_t width);
uint64_t wr_free(uint32_t i); /* any number, for a lemma */
void wr_any(void *to, uint32_t bytes);
void wr_state(const void *from, uint32_t bytes);
void wr_holds(bool holds);
void wr_assume(bool holds);
void wr_same(uint64_t model, uint64_t rtl);
void wr_follows(const char *goal, bool holds);
void wr_prove(const char *goal, uint32_t i, bool holds);
void wr_output(const char *port, uint32_t i, uint64_t value);

#define PART                       "" /* the instance in the RTL that is spoken of, with its dot */
#define RTL(net, i, j, low, width) wr_rtl(PART net, i, j, low, width, when)

/* The model's field is those bits of the RTL. */
#define LINK(field, net, i, j, low, width) LINK_WHERE(true, field, net, i, j, low, width)

/* The same where it is live; elsewhere the field is any value. */
#define LINK_WHERE(live, field, net, i, j, low, width)                                             \
    LINK_VALUE(live, field, i, RTL(net, i, j, low, width))

/* The same for a value that several nets make. */
#define LINK_VALUE(live, field, i, value)                                                          \
    do {                                                                                           \
        const bool live_ = (live);                                                                 \
        const uint64_t rtl_ = (value);                                                             \
        if (when != WR_NOW) {                                                                      \
            wr_prove("state " #field, i, !live_ || (field) == rtl_);                               \
        } else {                                                                                   \
            (field) = live_ ? (__typeof__(field))rtl_ : (field);                                   \
        }                                                                                          \
    } while (0)

/* No more than the low bits of a field without a link are set: so few elements can be looked at. */
#define FITS(field, width)                                                                         \
    do {                                                                                           \
        if (when == WR_NOW) {                                                                      \
            (field) = (__typeof__(field))((uint64_t)(field) & ((1ull << (width)) - 1));            \
        } else {                                                                                   \
            wr_prove("holds " #field " in " #width " bits", 0, (uint64_t)(field) >> (width) == 0); \
        }                                                                                          \
    } while (0)

/* The invariant. */
#define HOLDS(condition)                                                                           \
    do {                                                                                           \
        const bool holds_ = (condition);                                                           \
        if (when == WR_NOW) {                                                                      \
            wr_holds(holds_);                                                                      \
        } else {                                                                                   \
            wr_prove("holds " #condition, 0, holds_);                                              \
        }                                                                                          \
    } while (0)

/* The invariant that a number of the model is one of the RTL, which from here on stands for it
 * wherever the model works it out in the same way: what is searched for again in each goal, say,
 * where the RTL holds it in a register. */
#define SAME(model, rtl)                                                                           \
    do {                                                                                           \
        const uint64_t model_ = (model), rtl_ = (rtl);                                             \
        if (when == WR_NOW) {                                                                      \
            wr_holds(model_ == rtl_);                                                              \
            wr_same(model_, rtl_);                                                                 \
        } else {                                                                                   \
            wr_prove("holds " #model " == " #rtl, 0, model_ == rtl_);                              \
        }                                                                                          \
    } while (0)

/* What follows from the invariant as far as it stands above, a goal of its own, is taken for
 * granted below: a long proof in steps. */
#define FOLLOWS(condition)                                                                         \
    do {                                                                                           \
        if (when == WR_NOW) {                                                                      \
            wr_follows("follows " #condition, (condition));                                        \
        }                                                                                          \
    } while (0)

/* A fact of arithmetic, bool NAME(const uint64_t *x), with at most four numbers x. That it is true
 * of all numbers is a goal of its own; here it is taken for granted of those given. So products and
 * quotients, of which a solver for bits knows little, get their laws. */
#define LEMMA(name, ...)                                                                           \
    do {                                                                                           \
        const uint64_t given_[] = {__VA_ARGS__};                                                   \
        const uint64_t free_[] = {wr_free(0), wr_free(1), wr_free(2), wr_free(3)};                 \
        if (when == WR_NOW) {                                                                      \
            wr_prove("lemma " #name, 0, name(free_));                                              \
            wr_assume(name(given_));                                                               \
        }                                                                                          \
    } while (0)

/* The same of numbers of which NAME(s, x) looks at so few bits that trying them all is no work; it
 * knows the parameters, s->cfg. */
#define LEMMA_OF_BITS(name, s, ...)                                                                \
    do {                                                                                           \
        const uint64_t given_[] = {__VA_ARGS__};                                                   \
        const uint64_t free_[] = {wr_free(0), wr_free(1), wr_free(2), wr_free(3)};                 \
        if (when == WR_NOW) {                                                                      \
            wr_prove("lemma of bits " #name, 0, name(s, free_));                                   \
            wr_assume(name(s, given_));                                                            \
        }                                                                                          \
    } while (0)

#endif
