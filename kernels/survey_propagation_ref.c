/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of survey_propagation's three kernels. It multiplies in the kernels' order. */
#include "kernels/reference.h"

#include <math.h>
#include <string.h>

enum { MEAN = 12, MAX_BITS = 28 };

static const char *slots_of_clauses(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "in")) {
        return "survey_slots takes a 32-bit buffer slot_of and the bits of the count of clauses";
    }
    int32_t *slot_of = launch->args[0].data;
    int64_t bits = launch->args[1].integer;

    if (bits < 0 || bits > MAX_BITS || 256 * (int64_t)launch->grid[0] < (int64_t)1 << bits) {
        return "survey_slots takes up to 2^28 clauses, and a grid that covers them";
    }
    uint32_t clauses = 1U << bits;

    if (!wr_reference_holds(launch, 0, (uint64_t)3 * clauses)) {
        return "buffer slot_of is shorter than three slots a clause";
    }
    for (uint32_t literal = 0; literal < 3; literal++) {
        for (uint32_t clause = 0; clause < clauses; clause++) {
            uint32_t x = clause * (2654435761U + 668265262U * literal) & (clauses - 1);

            x ^= x >> (bits / 2);
            x = (x * 2246822519U) & (clauses - 1);
            x ^= x >> (bits / 2);
            slot_of[literal * clauses + clause] = (int32_t)(3 * x + literal);
        }
    }
    return NULL;
}

/* Where rows are not in order, a slot has no variable. */
static bool rows_fit(const int32_t *moved, int64_t variables)
{
    for (int64_t i = 0; i < variables + 1; i++) {
        if (moved[i] < 0 || moved[i] >= MEAN) {
            return false;
        }
    }
    return true;
}

static int64_t begin_of(const int32_t *moved, int64_t variable, int64_t slots)
{
    int64_t at = MEAN * (variable - 1) + moved[variable];

    return at < 0 ? 0 : at > slots ? slots : at;
}

/* Without a slot (-1) of plain and negated literals, else of literals as the slot's and others. */
static void products(const float *warnings, int64_t begin, int64_t end, int64_t slot, float *same,
                     float *opposite)
{
    int own = slot >= 0 ? signbit(warnings[slot]) != 0 : 0;

    *same = 1;
    *opposite = 1;
    for (int64_t i = begin; i < end; i++) {
        float *product = (signbit(warnings[i]) != 0) == own ? same : opposite;

        if (i != slot) {
            *product *= 1 - fabsf(warnings[i]);
        }
    }
}

static float refusal(const float *warnings, const int32_t *moved, int64_t slot, int64_t slots)
{
    int64_t variable = slot / MEAN;
    float same;
    float opposite;

    while (begin_of(moved, variable + 1, slots) <= slot) {
        variable++;
    }
    products(warnings, begin_of(moved, variable, slots), begin_of(moved, variable + 1, slots), slot,
             &same, &opposite);
    float all = same + opposite - same * opposite;

    return all > 0 ? (1 - opposite) * same / all : 0;
}

static const char *bias_of_variables(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "iffnn")) {
        return "survey_bias takes a 32-bit buffer moved, f32 buffers warnings and bias, and the "
               "counts of variables and slots";
    }
    const int32_t *moved = launch->args[0].data;
    const float *warnings = launch->args[1].data;
    float *bias = launch->args[2].data;
    int64_t variables = launch->args[3].integer;
    int64_t slots = launch->args[4].integer;

    if (slots < 0 || variables < 0 || variables > 256 * (int64_t)launch->grid[0] ||
        !wr_reference_holds(launch, 0, (uint64_t)variables + 1) ||
        !wr_reference_holds(launch, 1, (uint64_t)slots) ||
        !wr_reference_holds(launch, 2, (uint64_t)variables)) {
        return "the grid does not cover the variables, or a buffer is too short";
    }
    if (!rows_fit(moved, variables)) {
        return "an element of buffer moved is not in 0..11";
    }
    for (int64_t v = 0; v < variables; v++) {
        float plain;
        float negative;

        products(warnings, begin_of(moved, v, slots), begin_of(moved, v + 1, slots), -1, &plain,
                 &negative);
        float all = plain + negative - plain * negative;

        bias[v] = all > 0 ? (negative - plain) / all : 0;
    }
    return NULL;
}

static const char *update(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "iibffinn")) {
        return "survey_update takes 32-bit buffers slot_of and moved, a buffer of bytes open, f32 "
               "buffers from and to, a 32-bit buffer change, the round and the count of clauses";
    }
    const int32_t *slot_of = launch->args[0].data;
    const int32_t *moved = launch->args[1].data;
    const uint8_t *open = launch->args[2].data;
    const float *from = launch->args[3].data;
    float *to = launch->args[4].data;
    int32_t *change = launch->args[5].data;
    int64_t round = launch->args[6].integer;
    int64_t clauses = launch->args[7].integer;
    int64_t slots = 3 * clauses;
    int64_t variables = slots / MEAN + 1;

    if (clauses < 0 || slots > INT32_MAX || clauses > 256 * (int64_t)launch->grid[0]) {
        return "the grid does not cover the clauses, or they are too many";
    }
    if (!wr_reference_holds(launch, 0, (uint64_t)slots) ||
        !wr_reference_holds(launch, 1, (uint64_t)variables + 1) ||
        !wr_reference_holds(launch, 2, (uint64_t)clauses) ||
        !wr_reference_holds(launch, 3, (uint64_t)slots) ||
        !wr_reference_holds(launch, 4, (uint64_t)slots) || round < 0 ||
        !wr_reference_holds(launch, 5, (uint64_t)round + 1)) {
        return "a buffer is too short for the clauses or the round";
    }
    if (slots % MEAN != 0 || !rows_fit(moved, variables)) {
        return "the clauses are no multiple of 4, or an element of buffer moved is not in 0..11";
    }
    for (int64_t c = 0; c < clauses; c++) {
        int64_t slot[3];
        float refusals[3];

        for (int64_t i = 0; i < 3; i++) {
            slot[i] = slot_of[i * clauses + c];
            if (slot[i] < 0 || slot[i] >= slots) {
                return "an element of buffer slot_of is no slot";
            }
            refusals[i] = open[c] ? refusal(from, moved, slot[i], slots) : 0;
        }
        for (int i = 0; i < 3; i++) {
            float value = i == 0 ? refusals[1] * refusals[2] : refusals[0] * refusals[3 - i];
            float difference = fabsf(value - fabsf(from[slot[i]]));
            int32_t bits;

            memcpy(&bits, &difference, sizeof bits);
            to[slot[i]] = copysignf(value, from[slot[i]]);
            change[round] = bits > change[round] ? bits : change[round];
        }
    }
    return NULL;
}

const char *wr_reference_survey_propagation(const wr_reference_launch *launch)
{
    if ((int64_t)launch->block[0] != 256) {
        return "the kernels of survey_propagation need block [256]";
    }
    if (strcmp(launch->kernel, "survey_slots") == 0) {
        return slots_of_clauses(launch);
    }
    return strcmp(launch->kernel, "survey_bias") == 0 ? bias_of_variables(launch) : update(launch);
}
