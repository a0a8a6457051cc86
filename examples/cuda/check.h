/* SPDX-License-Identifier: Apache-2.0 */
/* What the examples share: errors end the program, and the last line is PASS or FAIL. */
#ifndef WR_EXAMPLES_CHECK_H
#define WR_EXAMPLES_CHECK_H

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                          \
                    cudaGetErrorString(error));                                                    \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static int verdict(bool good)
{
    printf("%s\n", good ? "PASS" : "FAIL");
    return good ? 0 : 1;
}

#endif
