/* SPDX-License-Identifier: Apache-2.0 */
/* Which PTX the tests of this folder execute, and on how many sets of operands, for the table of
 * docs/ptx.md. With WARPREF_OPS_LIST set to a file the rigs append each PTX text to it, ended by a
 * form feed, in place of running it. In front of a text stands the line
 *
 *     // SETS FIRST LAST WORDS
 *
 * SETS is what the long run of the text counts and asserts: the sets of operands on which an
 * instruction of the lines FIRST to LAST whose text begins with one of WORDS gives a checked
 * result. WORDS is
 * `*` for all of them.
 */
#ifndef WR_TESTS_OPS_OPS_LIST_H
#define WR_TESTS_OPS_OPS_LIST_H

#include <stdbool.h>
#include <stdint.h>

enum { OPS_SETS = 200000 }; /* wanted of each form in the long run */

/* How many of that many the run takes that is made: all in the long one (tests/long.h), which is
 * the one that is listed, else an eighth. */
uint64_t ops_share(uint64_t sets);

/* What a text of PTX checks: `part` of it, or all where NULL. */
typedef struct ops_subject {
    const char *part;  /* a piece of the text */
    const char *words; /* with spaces between; NULL: all */
    uint64_t sets;
} ops_subject;

/* Whether the texts are to be listed. */
bool ops_listing(void);

/* True: the text was listed and must not run. */
bool ops_list(const char *text, const ops_subject *subject);

#endif
