/* SPDX-License-Identifier: Apache-2.0 */
/* See float_oracle.h. */
#include "tests/ops/float_oracle.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

/* The words of the mode and of the text, between dots. */
bool has(const arith_env *e, const char *word)
{
    const char *places[] = {strstr(e->mode, word), strstr(e->text, word)};

    for (unsigned i = 0; i < 2; i++) {
        const char *p = places[i];
        size_t n = strlen(word);

        if (p != NULL && (p[n] == '.' || p[n] == '\0' || p[n] == ' ') &&
            (p == e->mode || p == e->text || p[-1] == '.')) {
            return true;
        }
    }
    return false;
}

int rounding(const arith_env *e)
{
    return has(e, "rz")   ? FE_TOWARDZERO
           : has(e, "rm") ? FE_DOWNWARD
           : has(e, "rp") ? FE_UPWARD
                          : FE_TONEAREST;
}

static const char *round_name(const arith_env *e)
{
    return has(e, "rz") ? "rz" : has(e, "rm") ? "rm" : has(e, "rp") ? "rp" : "rn";
}

float flush(const arith_env *e, float v)
{
    return has(e, "ftz") && fabsf(v) < 0x1p-126f ? copysignf(0.0f, v) : v;
}

/* Which operation a text names, as its first word or as the mode's. */
bool op(const arith_env *e, const char *name)
{
    size_t n = strlen(name);
    const char *text = e->text[0] == '$' ? e->mode : e->text;

    return strncmp(text, name, n) == 0 && (text[n] == '.' || text[n] == '\0');
}

double value16(const arith_env *e, uint64_t bits)
{
    double v = arith_half((uint16_t)bits, e->bfloat);

    return has(e, "ftz") && fabs(v) < 0x1p-14 ? copysign(0.0, v) : v;
}

uint16_t half_result(const arith_env *e, uint16_t r)
{
    double v = arith_half(r, e->bfloat);

    /* .ftz of a conversion is about f32 alone */
    if (has(e, "ftz") && !op(e, "cvt") && fabs(v) < 0x1p-14) {
        r &= 0x8000;
    }
    if (has(e, "sat")) {
        r = isnan(v) || v <= 0.0 ? 0 : v > 1.0 ? (e->bfloat ? 0x3f80 : 0x3c00) : r;
    }
    if (has(e, "relu") && !isnan(v) && (r & 0x8000) != 0) {
        r = 0;
    }
    return r;
}

uint16_t rounded(const arith_env *e, __float128 v, bool bfloat)
{
    return arith_round16(v, v == 0 ? v : 0, bfloat, round_name(e));
}
