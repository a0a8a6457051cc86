/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of this folder execute, out of the list that ops_list.h describes. */
#ifndef WR_TESTS_OPS_PTX_SEEN_H
#define WR_TESTS_OPS_PTX_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shell/ptx/form.h"

/* One combination of a form: types and modifiers. */
typedef struct combo {
    wr_ptx_type type[3];
    uint8_t mod[WR_PTX_SLOT_COUNT];
} combo;

/* What of an instruction makes it one combination of a form. */
typedef struct seen_key {
    uint8_t op; /* wr_ptx_op */
    uint8_t type[3];
    uint8_t mod[WR_PTX_SLOT_COUNT];
    uint8_t operands;
} seen_key;

typedef struct seen {
    seen_key key;
    uint64_t sets; /* of operands */
    size_t text;   /* the last one that added to them */
} seen;

typedef struct seen_list {
    seen *all;
    size_t count, texts;
} seen_list;

/* False: the file cannot be read, or holds no PTX. */
bool seen_read(seen_list *list, const char *path);
void seen_free(seen_list *list);

/* Whether an instruction of the form with the combination's types and needed modifiers is executed,
 * and the sets of operands of all that are. */
bool seen_find(const seen_list *list, const wr_ptx_form *form, const combo *c, uint64_t *sets);

#endif
