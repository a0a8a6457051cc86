/* SPDX-License-Identifier: Apache-2.0 */
/* Survey propagation on a random formula of clauses of three literals, after the idea of
 * LonestarGPU's sp and the equations of Braunstein, Mezard and Zecchina.
 *
 * A clause warns each of its variables, with a number of 0 to 1, that it may need it. The
 * warnings of a variable stand in a row, one slot a literal; a literal is negated where the sign
 * bit of its slot is set, so that one random number in -1..1 is a literal and its first warning.
 * survey_slots deals the slots out to the clauses. In each round of survey_update a thread reads,
 * for each variable of its clause, all warnings of that variable: rows of different length at 32
 * random places a warp, each line of them read a few times. Rounds go from one array to another,
 * so it doesn't matter who comes when. Clauses that are not open, since a variable that was
 * fixed before satisfies them, warn nobody. survey_bias tells from the warnings to which value
 * each variable leans, by which the next ones would be fixed.
 */
#include "cuda.h"

#define THREADS 256
#define MEAN    12 /* literals a variable */

static __device__ bool negated(float warning)
{
    return __builtin_signbitf(warning);
}

static __device__ float with_sign(float value, float of)
{
    return __builtin_copysignf(value, of);
}

/* The first slot of a variable: rows begin where equally long ones would, each moved a bit. */
static __device__ int first(const int *moved, int variable, int slots)
{
    return min(max(MEAN * (variable - 1) + moved[variable], 0), slots);
}

/* Literal i of all clauses takes the slots of rest i modulo 3; multiplications by odd numbers and
 * shifts, which can be undone, shuffle them. There are 2 to the power `bits` clauses. */
extern "C" __global__ void survey_slots(int *slot_of, int bits)
{
    unsigned clauses = 1u << bits;
    unsigned clause = blockIdx.x * THREADS + threadIdx.x;
    if (clause >= clauses)
        return;
#pragma unroll
    for (unsigned i = 0; i < 3; i++) {
        unsigned x = clause * (2654435761u + 668265262u * i) % clauses;
        x ^= x >> bits / 2;
        x = x * 2246822519u % clauses;
        x ^= x >> bits / 2;
        slot_of[i * clauses + clause] = (int)(3 * x + i);
    }
}

/* How probable it is that the others' warnings keep the variable from helping in this slot. */
static __device__ float refusal(const float *warnings, const int *moved, int slot, int slots)
{
    int variable = slot / MEAN;
    if (slot >= first(moved, variable + 1, slots))
        variable++;
    int end = first(moved, variable + 1, slots);
    bool own = negated(warnings[slot]);
    float same = 1;
    float opposite = 1;
#pragma unroll 1
    for (int i = first(moved, variable, slots); i < end; i++) {
        float warning = warnings[i];
        float none = 1 - with_sign(warning, 1);
        if (i == slot)
            continue;
        if (negated(warning) == own)
            same *= none;
        else
            opposite *= none;
    }
    float all = same + opposite - same * opposite;
    return all > 0 ? (1 - opposite) * same / all : 0;
}

/* The warning becomes `value`; *change the greatest difference of all. Floats that are not
 * negative have the order of their bits as integers. */
static __device__ void warn(const float *from, float *to, int *change, int slot, float value)
{
    float old = from[slot];
    float difference = with_sign(value - with_sign(old, 1), 1);
    to[slot] = with_sign(value, old);
    int bits = __builtin_bit_cast(int, difference);
    if (bits > *change) /* else an atomic for every warning */
        atomicMax(change, bits);
}

extern "C" __global__ void survey_update(const int *slot_of, const int *moved,
                                         const unsigned char *open, const float *from, float *to,
                                         int *change, int round, int clauses)
{
    int clause = (int)(blockIdx.x * THREADS + threadIdx.x);
    if (clause >= clauses)
        return;
    int slot0 = slot_of[clause];
    int slot1 = slot_of[clauses + clause];
    int slot2 = slot_of[2 * clauses + clause];
    float refusal0 = 0;
    float refusal1 = 0;
    float refusal2 = 0;
    if (open[clause]) {
        refusal0 = refusal(from, moved, slot0, 3 * clauses);
        refusal1 = refusal(from, moved, slot1, 3 * clauses);
        refusal2 = refusal(from, moved, slot2, 3 * clauses);
    }
    warn(from, to, &change[round], slot0, refusal1 * refusal2);
    warn(from, to, &change[round], slot1, refusal0 * refusal2);
    warn(from, to, &change[round], slot2, refusal0 * refusal1);
}

extern "C" __global__ void survey_bias(const int *moved, const float *warnings, float *bias,
                                       int variables, int slots)
{
    int variable = (int)(blockIdx.x * THREADS + threadIdx.x);
    if (variable >= variables)
        return;
    int end = first(moved, variable + 1, slots);
    float plain = 1;
    float negative = 1;
#pragma unroll 1
    for (int i = first(moved, variable, slots); i < end; i++) {
        float warning = warnings[i];
        float none = 1 - with_sign(warning, 1);
        if (negated(warning))
            negative *= none;
        else
            plain *= none;
    }
    float all = plain + negative - plain * negative;
    bias[variable] = all > 0 ? (negative - plain) / all : 0;
}
