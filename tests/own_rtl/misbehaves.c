/* SPDX-License-Identifier: Apache-2.0 */
/* The DPI imports of misbehaves.sv: what $WR_MISBEHAVE asks for, in C. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int misbehave(const char *how)
{
    const char *wanted = getenv("WR_MISBEHAVE");

    return wanted != NULL && strcmp(wanted, how) == 0;
}

void misbehave_now(int cycle)
{
    static volatile int zero;
    static int *volatile nothing;

    if (misbehave("stderr")) {
        (void)fprintf(stderr, "said on standard error\n");
    }
    if (cycle != 5) {
        return;
    }
    if (misbehave("address")) {
        *nothing = 1; /* NOLINT(clang-analyzer-core.NullDereference): what it is for */
    }
    if (misbehave("divide")) {
        zero = cycle / zero; /* NOLINT(clang-analyzer-core.DivideZero): the same */
    }
    if (misbehave("abort")) {
        abort();
    }
    for (int fd = 0; misbehave("close") && fd < 1024; fd++) {
        (void)close(fd);
    }
    if (misbehave("exit")) {
        exit(0);
    }
    while (misbehave("wait")) {
        (void)pause();
    }
}
