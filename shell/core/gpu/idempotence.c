/* SPDX-License-Identifier: Apache-2.0 */
/* Which instructions of a launch spoil a TB. The compiler says through which pointers an access
 * goes, the launch what they point to: a buffer is an allocation of simulated memory, so two
 * pointers into one are the same. A number among the parameters that looks like a pointer adds a
 * buffer to what an access may reach, and never takes one away.
 */
#include "shell/core/gpu/program.h"

#include <stdlib.h>
#include <string.h>

#include "shell/isa/idempotence.h"

typedef struct places {
    const wr_program *program;
    const wr_memory *memory;
} places;

/* Simulated memory lies below 4 GiB, so that the low word of a pointer says it all. */
static uint64_t allocation_of(void *arg, uint32_t at)
{
    const places *p = arg;
    uint32_t address;
    memcpy(&address, p->program->param_bytes + at, sizeof address);
    const wr_memory_range *range = wr_memory_reach(p->memory, address, 1);
    return range != NULL ? range->begin : 0;
}

bool wr_program_judge(wr_program *p, const wr_memory *memory)
{
    const wr_kernel *k = p->kernel;
    places where = {p, memory};
    wr_harm *harms = calloc(k->insn_count + 1, sizeof *harms);
    size_t harmful = SIZE_MAX;
    if (harms != NULL) {
        harmful = wr_idempotence(k, allocation_of, &where, harms);
    }
    for (size_t i = 0; harmful != SIZE_MAX && i < k->insn_count; i++) {
        p->uops[i].spoils = harms[i].kind != WR_HARM_NONE;
    }
    p->idempotent = harmful == 0;
    free(harms);
    return harmful != SIZE_MAX;
}
