/* SPDX-License-Identifier: Apache-2.0 */
/* What it would gain to open a new centre of clusters, after the idea of Rodinia's streamcluster.
 *
 * Each point computes its cost (weight times squared distance) of going to the candidate. Where
 * that is lower than its present cost, the point would switch, and the difference goes to the last
 * column of its row in `work`; else what its present centre would lose goes to that centre's
 * column. Coordinates lie dimension by dimension; a point is assigned to another point, whose
 * number as a centre is in `centres`.
 */
#include "cuda.h"

#define THREADS 512

extern "C" __global__ void streamcluster_pgain(int points, int dimensions, int candidate,
                                               int centre_count, const float *weights,
                                               const int *assigned, const float *costs,
                                               const float *coordinates, const int *centres,
                                               float *work, unsigned char *switches)
{
    int point = (int)(blockIdx.x * THREADS + threadIdx.x);

    if (point < points) {
        float cost = 0;
#pragma unroll 1
        for (int d = 0; d < dimensions; d++) {
            float apart = coordinates[d * points + point] - coordinates[d * points + candidate];
            cost = cost + apart * apart;
        }
        cost = cost * weights[point];

        float *row = work + point * (centre_count + 1);
        float present = costs[point];
        if (cost < present) {
            switches[point] = 1;
            row[centre_count] = cost - present;
        } else {
            row[centres[assigned[point]]] = present - cost;
        }
    }
}
