/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of black_scholes, in double precision and with erfc for the normal distribution. */
#include "kernels/reference.h"

#include <math.h>

static double normal(double d)
{
    return 0.5 * erfc(-d * sqrt(0.5));
}

const char *wr_reference_black_scholes(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "fffffrrn")) {
        return "black_scholes takes f32 buffers price, strike, years, call and put, the f32 values "
               "rate and volatility, and the count of options";
    }
    const float *price = launch->args[0].data;
    const float *strike = launch->args[1].data;
    const float *years = launch->args[2].data;
    float *call = launch->args[3].data;
    float *put = launch->args[4].data;
    double rate = launch->args[5].real;
    double volatility = launch->args[6].real;
    int64_t count = launch->args[7].integer;

    for (size_t i = 0; i < 5; i++) {
        if (count < 0 || !wr_reference_holds(launch, i, (uint64_t)count)) {
            return "a buffer is shorter than the count of options";
        }
    }
    for (int64_t i = 0; i < count; i++) {
        double s = price[i];
        double x = strike[i];
        double t = years[i];
        double spread = volatility * sqrt(t);
        double d1 = (log(s / x) + (rate + 0.5 * volatility * volatility) * t) / spread;
        double later = x * exp(-rate * t);

        call[i] = (float)(s * normal(d1) - later * normal(d1 - spread));
        put[i] = (float)(later * normal(spread - d1) - s * normal(-d1));
    }
    return NULL;
}
