/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of binomial_options, in double precision: the sum of the last level's gains, each times
 * the chance to come there. */
#include "kernels/reference.h"

#include <math.h>

enum { STEPS = 256 };

static double worth(double s, double x, double years, double rate, double volatility)
{
    double step = years / STEPS;
    double spread = volatility * sqrt(step);
    double chance = (exp(rate * step) - exp(-spread)) / (exp(spread) - exp(-spread));
    double sum = 0;
    for (int ups = 0; ups <= STEPS; ups++) {
        double ways = lgamma(STEPS + 1) - lgamma(ups + 1) - lgamma(STEPS - ups + 1);
        double gain = s * exp(spread * (2 * ups - STEPS)) - x;
        if (gain > 0) {
            sum += gain * exp(ways + ups * log(chance) + (STEPS - ups) * log1p(-chance));
        }
    }
    return sum * exp(-rate * years);
}

const char *wr_reference_binomial_options(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "ffffrr")) {
        return "binomial_options takes f32 buffers price, strike, years and call, and the f32 "
               "values rate and volatility";
    }
    const float *price = launch->args[0].data;
    const float *strike = launch->args[1].data;
    const float *years = launch->args[2].data;
    float *call = launch->args[3].data;
    uint32_t options = launch->grid[0];

    if (!wr_reference_shape(launch, (uint32_t[]){options, 1, 1}, (uint32_t[]){128, 1, 1})) {
        return "binomial_options needs block [128] and a grid of one dimension";
    }
    for (size_t i = 0; i < 4; i++) {
        if (!wr_reference_holds(launch, i, options)) {
            return "a buffer is shorter than the grid";
        }
    }
    for (uint32_t i = 0; i < options; i++) {
        call[i] =
            (float)worth(price[i], strike[i], years[i], launch->args[4].real, launch->args[5].real);
    }
    return NULL;
}
