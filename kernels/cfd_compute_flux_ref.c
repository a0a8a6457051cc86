/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of cfd_compute_flux: every side is a vector of five variables and a 5 x 3 matrix of
 * their fluxes; far field and element are sides alike. Sums run in the kernel's order (per face:
 * viscosity, then x, y, z), so the result is equal to the bit. */
#include "kernels/reference.h"

#include <math.h>

enum { VARIABLES = 5, AXES = 3, FACES = 4 };

typedef struct side {
    float variable[VARIABLES];
    float flux[VARIABLES][AXES];
    float pressure, fastest;
} side;

static void derive(side *s)
{
    float speed[AXES], square = 0;
    const float *v = s->variable;
    for (int axis = 0; axis < AXES; axis++) {
        speed[axis] = v[1 + axis] / v[0];
        square += speed[axis] * speed[axis];
    }
    s->pressure = (1.4f - 1.0f) * (v[4] - 0.5f * v[0] * square);
    s->fastest = sqrtf(square) + sqrtf(1.4f * s->pressure / v[0]);
    for (int axis = 0; axis < AXES; axis++) {
        s->flux[0][axis] = v[1 + axis];
        for (int m = 0; m < AXES; m++) {
            s->flux[1 + m][axis] = v[1 + m] * speed[axis];
            if (m == axis) {
                s->flux[1 + m][axis] += s->pressure;
            }
        }
        s->flux[4][axis] = speed[axis] * (v[4] + s->pressure);
    }
}

/* The far field's fluxes, from density 1.4, Mach 1.2 along x, pressure 1, in double precision. */
static side far_side(void)
{
    const double rho = 1.4, speed = 1.2, pressure = 1.0;
    const double energy = pressure / 0.4 + rho * speed * speed / 2;
    side s = {{0}, {{0}}, 0, 0};
    s.flux[0][0] = (float)(rho * speed);
    s.flux[1][0] = (float)(rho * speed * speed + pressure);
    s.flux[2][1] = s.flux[3][2] = (float)pressure;
    s.flux[4][0] = (float)(speed * (energy + pressure));
    return s;
}

static side element(const wr_reference_launch *launch, int64_t i, int64_t n)
{
    const float *density = launch->args[3].data;
    const float *momentum = launch->args[4].data;
    const float *energy = launch->args[5].data;
    side s = {
        {density[i], momentum[i], momentum[n + i], momentum[2 * n + i], energy[i]}, {{0}}, 0, 0};
    derive(&s);
    return s;
}

static void add_face(float sum[VARIABLES], const side *a, const side *b, const float normal[AXES],
                     int32_t other)
{
    if (other == -1) {
        for (int axis = 0; axis < AXES; axis++) {
            sum[1 + axis] += normal[axis] * a->pressure;
        }
        return;
    }
    if (other >= 0) {
        float area = sqrtf(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
        float viscosity = area * 0.2f * 0.5f * (a->fastest + b->fastest);
        for (int v = 0; v < VARIABLES; v++) {
            sum[v] += viscosity * (b->variable[v] - a->variable[v]);
        }
    }
    for (int v = 0; v < VARIABLES; v++) {
        for (int axis = 0; axis < AXES; axis++) {
            sum[v] += 0.5f * normal[axis] * (a->flux[v][axis] + b->flux[v][axis]);
        }
    }
}

const char *wr_reference_cfd_compute_flux(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "nifffff")) {
        return "cfd_compute_flux takes a count of elements, a 32-bit buffer neighbours, and f32 "
               "buffers normals, density, momentum, energy, fluxes";
    }
    int64_t n = launch->args[0].integer;
    if (n != 192 * (int64_t)launch->grid[0] ||
        !wr_reference_shape(launch, (uint32_t[]){launch->grid[0], 1, 1}, (uint32_t[]){192, 1, 1})) {
        return "cfd_compute_flux needs block [192, 1, 1] and grid [elements / 192, 1, 1]";
    }
    static const uint8_t rows[7] = {0, FACES, FACES * AXES, 1, AXES, 1, VARIABLES};
    for (size_t i = 1; i < 7; i++) {
        if (!wr_reference_holds(launch, i, (uint64_t)n * rows[i])) {
            return "a buffer is too short for the elements";
        }
    }
    const int32_t *neighbours = launch->args[1].data;
    const float *normals = launch->args[2].data;
    float *fluxes = launch->args[6].data;
    const side far = far_side();

    for (int64_t i = 0; i < n; i++) {
        side a = element(launch, i, n);
        float sum[VARIABLES] = {0};
        for (int64_t face = 0; face < FACES; face++) {
            int32_t other = neighbours[face * n + i];
            float normal[AXES];
            for (int64_t axis = 0; axis < AXES; axis++) {
                normal[axis] = normals[(axis * FACES + face) * n + i];
            }
            if (other < -2 || other >= n) {
                return "a neighbour is no element";
            }
            side b = other >= 0 ? element(launch, other, n) : far;
            add_face(sum, &a, &b, normal, other);
        }
        for (int64_t v = 0; v < VARIABLES; v++) {
            fluxes[v * n + i] = sum[v];
        }
    }
    return NULL;
}
