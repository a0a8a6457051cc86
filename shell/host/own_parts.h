/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of own_reference.h share: the memory, and what stands for a kind of file. */
#ifndef WR_SHELL_HOST_OWN_PARTS_H
#define WR_SHELL_HOST_OWN_PARTS_H

#include <stdio.h>

#include "shell/host/own_reference.h"

/* At the front of the memory; reference.py knows these places, too. */
typedef struct wr_own_control {
    uint64_t calls;   /* begun */
    uint32_t whole;   /* the process has come to its end */
    char error[1012]; /* what it has to say, ended by 0; "": nothing */
} wr_own_control;

struct wr_own_memory {
    int fd; /* a memory file */
    uint8_t *base;
    size_t size;
    const wr_launch_file *file;
    uint64_t *at; /* place of each buffer */
    wr_own_control *control;
};

typedef struct wr_own_call {
    const char *path, *function;
    wr_own_memory *memory;
    wr_own_launches launches; /* each NULL: it is only tried */
    FILE *list;               /* of Python: what `prepare` has written */
} wr_own_call;

/* One kind of file, by its ending. */
typedef struct wr_own_kind {
    const char *ending;
    bool (*prepare)(
        wr_own_call *call); /* in front of the process; NULL: nothing to do. False: errno */
    void (*work)(const wr_own_call *call); /* in the process: leaves what is wrong in the control */
} wr_own_kind;

extern const wr_own_kind wr_own_so, wr_own_py;

#endif
