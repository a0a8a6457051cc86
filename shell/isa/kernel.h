/* SPDX-License-Identifier: Apache-2.0 */
/* A compiled kernel: machine code and what a launch needs to know of it.
 *
 * Plain data owned by its module; the shell and the systems read it and never write it.
 */
#ifndef WR_SHELL_ISA_KERNEL_H
#define WR_SHELL_ISA_KERNEL_H

#include "shell/isa/isa.h"
#include "shell/isa/source.h"

/* A kernel parameter: its place in the parameter block. */
typedef struct wr_kernel_param {
    const char *name;
    uint8_t type;    /* wr_type; WR_B8 for an array of bytes (a struct) */
    uint32_t offset; /* bytes */
    uint32_t size;   /* bytes */
} wr_kernel_param;

/* Where the address of an access to global or generic memory comes from: pointers in the parameter
 * block, one of which it is made of by arithmetic that stays in the pointer's buffer. An index that
 * is a parameter may be among them, so of a launch those count that point into a buffer. */
#define WR_ROOTS 4
typedef struct wr_roots {
    uint16_t at[WR_ROOTS]; /* bytes in the parameter block; global_base_at: module variables */
    uint8_t count;         /* 0: not known, it may be any address */
    bool is_private;       /* shared or local memory for certain */
} wr_roots;

/* How thread blocks share what they load (Gong Table 6.1), as block locality_grouper takes it. */
typedef enum wr_tb_sharing {
    WR_TB_SHARES_NONE,    /* not known */
    WR_TB_SHARES_LINES,   /* multiple cache lines */
    WR_TB_SHARES_BORDERS, /* boundary lines */
    WR_TB_SHARES_SOME,    /* some data */
    WR_TB_SHARINGS
} wr_tb_sharing;

/* A preemption point (Lin-P IV.A). */
typedef struct wr_pp {
    uint32_t pc;   /* byte address of pp or bar.pp */
    uint32_t line; /* line in the PTX text */
    bool is_bar;
    bool in_loop;
    uint64_t live;                       /* the 54-bit vectors as encoded */
    uint64_t live_div;                   /* pp only */
    uint32_t live_count, live_div_count; /* live registers */
} wr_pp;

typedef struct wr_kernel {
    const char *name;
    uint64_t *words; /* machine code */
    size_t word_count;
    wr_insn *insns; /* decoded, in program order */
    size_t insn_count;
    uint32_t *insn_at; /* word index -> index into insns; UINT32_MAX inside an instruction */
    uint32_t *lines;   /* per insn: line in the PTX text, 0 = made by the compiler */
    const wr_sources *sources; /* of these lines; NULL: the PTX has none */
    wr_roots *roots;           /* per insn: of its address; NULL: none is known */
    uint32_t regs;             /* registers per thread, 1..63 */
    uint32_t max_live;     /* most live registers at any preemption point (either vector): context
                              slots are max_live x 128 B (Lin-P IV.B) */
    uint32_t shared_bytes; /* static */
    uint32_t local_bytes;  /* per thread, spills included */
    uint32_t spill_bytes;
    uint32_t stack_bytes; /* of local_bytes: for recursive calls */
    uint8_t hint;         /* wr_tb_sharing: what the compiler makes of its loads */
    bool uses_heap;       /* malloc or free: the machine must have a heap */
    bool prints;          /* printf */
    uint32_t param_bytes; /* the words that global_base_at and const_base_at name included */
    bool extern_shared;   /* uses .extern .shared: its dynamic part begins at shared_bytes */
    wr_kernel_param *params;
    size_t param_count;
    wr_pp *pps;
    size_t pp_count;
    uint32_t max_tid;        /* .maxntid product, 0 = not given */
    uint32_t req_tid[3];     /* .reqntid: the block must be exactly this; zeros = not given */
    uint32_t global_base_at; /* byte of the parameter block where the launch puts the address of
                                the module's .global image (address_size bits);
                                UINT32_MAX = not needed */
    uint32_t const_base_at;  /* the same for the .const image: only for generic addresses of
                                constants; ld.const counts from the image's start by itself */
} wr_kernel;

/* Module memory (.global and .const variables) to be placed by the host. */
typedef struct wr_module_var {
    const char *name;
    uint8_t space; /* WR_SPACE_GLOBAL or WR_SPACE_CONST */
    uint32_t size, align;
    uint32_t offset;     /* inside the module's image of that space */
    const uint8_t *init; /* size bytes, or NULL for zeros */
} wr_module_var;

/* An address in the initialiser of a module variable. */
typedef struct wr_module_reloc {
    uint8_t space;   /* of the image that holds it: WR_SPACE_GLOBAL or WR_SPACE_CONST */
    uint8_t base;    /* the image whose address is added, or WR_SPACE_GENERIC: none */
    uint8_t size;    /* bytes, 4 or 8; 1: of the address only byte shift / 8 */
    uint8_t shift;   /* bits */
    uint32_t offset; /* inside the image */
    uint64_t value;
} wr_module_reloc;

struct wr_diag;

/* A kernel of the text that can't be compiled, and why. */
typedef struct wr_refused {
    const char *name;
    const struct wr_diag *diag;
} wr_refused;

typedef struct wr_module {
    wr_kernel *kernels; /* those that were compiled */
    size_t kernel_count;
    wr_refused *refused; /* those that were not */
    size_t refused_count;
    wr_module_var *vars;
    size_t var_count;
    wr_module_reloc *relocs;
    size_t reloc_count;
    uint32_t global_bytes, const_bytes; /* sizes of the two images */
    uint32_t address_size;              /* 32 or 64 */
    void *arena;                        /* owns all of the above */
} wr_module;

#endif
