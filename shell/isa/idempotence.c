/* SPDX-License-Identifier: Apache-2.0 */
/* Which instructions forbid that a TB runs again; see idempotence.h. First what is read, by word of
 * the parameter block, then each store against it. */
#include "shell/isa/idempotence.h"

#include <inttypes.h>
#include <stdlib.h>

#define NOBODY UINT32_MAX

typedef struct pointer {
    uint64_t buffer; /* 0: none */
    bool known;      /* the caller was asked */
    uint32_t reader; /* the first instruction that reads through it, or NOBODY */
} pointer;

typedef struct judge {
    const wr_kernel *kernel;
    wr_buffer_of_fn buffer_of;
    void *arg;
    pointer *pointers; /* by word of the parameter block */
    size_t count;
    uint32_t reader;    /* the first instruction that reads at all */
    uint32_t reads_any; /* the first one that may read any buffer */
} judge;

/* Instructions whose address has roots: of memory that TBs share. */
static bool is_access(const wr_insn *insn)
{
    bool is_mem = insn->op == WR_OP_LD || insn->op == WR_OP_ST || insn->op == WR_OP_ATOM ||
                  insn->op == WR_OP_RED;

    return is_mem && (insn->space == WR_SPACE_GLOBAL || insn->space == WR_SPACE_GENERIC);
}

static wr_roots roots_of(const judge *j, size_t index)
{
    return j->kernel->roots != NULL ? j->kernel->roots[index] : (wr_roots){0};
}

/* The pointer at this place, or NULL: it points into no buffer. */
static pointer *find_pointer(judge *j, uint32_t at)
{
    pointer *p = &j->pointers[at / 4];

    if (at + 4 > j->kernel->param_bytes) { /* a launch is refused for it (program.c) */
        return NULL;
    }
    if (!p->known) {
        p->known = true;
        p->buffer = j->buffer_of(j->arg, at);
    }
    return p->buffer != 0 ? p : NULL;
}

static void note_reader(uint32_t *first, size_t index)
{
    *first = *first == NOBODY ? (uint32_t)index : *first;
}

static void add_reader(judge *j, size_t index, const wr_roots *roots)
{
    bool somewhere = false;

    note_reader(&j->reader, index);
    for (unsigned i = 0; i < roots->count; i++) {
        pointer *p = find_pointer(j, roots->at[i]);

        if (p != NULL) {
            note_reader(&p->reader, index);
            somewhere = true;
        }
    }
    if (!somewhere) {
        note_reader(&j->reads_any, index);
    }
}

static uint32_t reader_of(const judge *j, uint64_t buffer)
{
    for (size_t i = 0; i < j->count; i++) {
        if (j->pointers[i].reader != NOBODY && j->pointers[i].buffer == buffer) {
            return j->pointers[i].reader;
        }
    }
    return NOBODY;
}

static wr_harm judge_store(judge *j, const wr_roots *roots)
{
    bool somewhere = false;

    for (unsigned i = 0; i < roots->count; i++) {
        const pointer *p = find_pointer(j, roots->at[i]);
        uint32_t reader = p != NULL ? reader_of(j, p->buffer) : NOBODY;

        somewhere = somewhere || p != NULL;
        if (reader != NOBODY) {
            return (wr_harm){WR_HARM_OVERWRITES, reader};
        }
    }
    if (j->reads_any != NOBODY) {
        return (wr_harm){WR_HARM_READ_BACK, j->reads_any};
    }
    if (!somewhere && j->reader != NOBODY) {
        return (wr_harm){WR_HARM_ANYWHERE, j->reader};
    }
    return (wr_harm){WR_HARM_NONE, NOBODY};
}

static wr_harm judge_insn(judge *j, size_t index)
{
    const wr_insn *insn = &j->kernel->insns[index];
    wr_roots roots = roots_of(j, index);

    if (insn->op == WR_OP_PRINTF || insn->op == WR_OP_MALLOC || insn->op == WR_OP_FREE) {
        return (wr_harm){WR_HARM_SERVICE, NOBODY};
    }
    if (!is_access(insn) || roots.is_private || insn->op == WR_OP_LD) {
        return (wr_harm){WR_HARM_NONE, NOBODY};
    }
    if (insn->op != WR_OP_ST) {
        return (wr_harm){WR_HARM_ATOMIC, NOBODY};
    }
    return judge_store(j, &roots);
}

size_t wr_idempotence(const wr_kernel *kernel, wr_buffer_of_fn buffer_of, void *arg, wr_harm *harms)
{
    judge j = {.kernel = kernel,
               .buffer_of = buffer_of,
               .arg = arg,
               .count = (size_t)kernel->param_bytes / 4 + 1,
               .reader = NOBODY,
               .reads_any = NOBODY};
    size_t harmful = 0;

    j.pointers = calloc(j.count, sizeof *j.pointers);
    if (j.pointers == NULL) {
        return SIZE_MAX;
    }
    for (size_t i = 0; i < j.count; i++) {
        j.pointers[i].reader = NOBODY;
    }
    for (size_t i = 0; i < kernel->insn_count; i++) {
        wr_roots roots = roots_of(&j, i);

        if (is_access(&kernel->insns[i]) && kernel->insns[i].op != WR_OP_ST && !roots.is_private) {
            add_reader(&j, i, &roots);
        }
    }
    for (size_t i = 0; i < kernel->insn_count; i++) {
        harms[i] = judge_insn(&j, i);
        harmful += harms[i].kind != WR_HARM_NONE ? 1 : 0;
    }
    free(j.pointers);
    return harmful;
}

static uint64_t own_buffer(void *arg, uint32_t at)
{
    (void)arg;
    return at + UINT64_C(1);
}

size_t wr_idempotence_apart(const wr_kernel *kernel, wr_harm *harms)
{
    return wr_idempotence(kernel, own_buffer, NULL, harms);
}

int wr_harm_print(const wr_kernel *kernel, size_t index, const wr_harm *harm, char *buf,
                  size_t size)
{
    static const char *const before[] = {[WR_HARM_OVERWRITES] = " to the buffer that",
                                         [WR_HARM_ANYWHERE] =
                                             " to an address that is not known, and",
                                         [WR_HARM_READ_BACK] = ", and where"};
    static const char *const behind[] = {
        [WR_HARM_OVERWRITES] = "", [WR_HARM_ANYWHERE] = "", [WR_HARM_READ_BACK] = " is not known"};
    char place[WR_SOURCE_TEXT];
    const char *name = wr_isa_op_info((wr_op)kernel->insns[index].op)->name;

    switch ((wr_harm_kind)harm->kind) {
    case WR_HARM_NONE:
        return snprintf(buf, size, "%s does no harm", name);
    case WR_HARM_ATOMIC:
        return snprintf(buf, size, "%s changes memory each time", name);
    case WR_HARM_SERVICE:
        return snprintf(buf, size, "%s is seen outside the TB", name);
    default:
        wr_source_text(kernel->sources, kernel->lines[harm->reader], place, sizeof place);
        return snprintf(buf, size, "%s%s %05" PRIx32 " (%s) reads%s", name, before[harm->kind],
                        kernel->insns[harm->reader].pc, place, behind[harm->kind]);
    }
}
