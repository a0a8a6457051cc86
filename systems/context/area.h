/* SPDX-License-Identifier: Apache-2.0 */
/* Where the contexts of a launch's TBs lie in simulated memory (Lin-P IV.B, Fig. 12).
 *
 *   context control block (CCB): a pool of entries of 24 B, one for each saved TB
 *     +-----------+--------+-------+
 *     | registers | shared | stack |   64-bit pointers, little endian, 0 = there is none (P28)
 *     +-----------+--------+-------+
 *   registers of a TB of N warps
 *     pattern vectors, 16 B a warp, together, padded to 128 B
 *     N slots of max_live x 128 B (WR_CONTEXT_ALL: all registers x 128 B): the packer's data
 *     from the slot's start
 *   or, where the pointer's bit 0 is 1, registers of a whole TB
 *     class table, 4 bits a register, then the stream's length in words, padded to 128 B
 *     the stream: words of register after register
 *   shared memory: as many bytes as the TB occupies
 *   stack (P27)
 *     predicates, 32 B a warp, together, padded to 128 B: P0..P6, the stack's
 *     depth in 16 bits, and 16 bits of barriers at which the warp has arrived without waiting
 *     N slots of 384 B: depth entries {next PC, active mask, reconvergence PC}, bottom first,
 *     padded to 32 B: a sector of L2 that is written in part costs its reader an access of DRAM
 *
 * Every part starts on a 128 B segment. The area is allocated when a launch begins and used
 * again by later launches that fit in it: allocations of simulated memory are for good.
 *
 * An entry, and the room that belongs to it, is tied to no SM: it is a TB's from the save of its
 * first warp until the TB is whole again, wherever that is. Since such a TB can't end, all entries
 * are free when a launch ends. The lowest free entry is taken first.
 */
#ifndef WR_SYSTEMS_CONTEXT_AREA_H
#define WR_SYSTEMS_CONTEXT_AREA_H

#include "refmodel/context/pattern.h"
#include "shell/core/seam/context.h"

enum {
    WR_CTX_SEGMENT = 128,      /* bytes of a memory segment */
    WR_CTX_REGISTER = 128,     /* bytes of a vector register */
    WR_CTX_MAX_WARPS = 32,     /* warps of a TB: 1024 threads */
    WR_CTX_PATTERN_BYTES = 16, /* pattern vector of a warp */
    WR_CTX_PRED_BYTES = 32,    /* predicates and depth of a warp */
    WR_CTX_PRED_DEPTH = 28,    /* offset of the depth in them */
    WR_CTX_ENTRY_BYTES = 12,   /* of the SIMT stack */
    WR_CTX_STACK_BYTES = WR_SIMT_DEPTH * WR_CTX_ENTRY_BYTES,
    WR_CTX_PAD = 32, /* register data and stacks are written in whole sectors of L2 */
    WR_CTX_CCB_BYTES = 24,
    WR_CTX_WHOLE = 1,        /* in the register pointer: a whole TB, as one stream */
    WR_CTX_CLASS_BYTES = 32, /* class table of a whole TB: 4 bits a register */
    WR_CTX_CLASS_WORDS = 32, /* offset of the stream's length in words behind it, 32 bits */
    WR_CTX_TB_GROUPS = 32,   /* groups that a whole TB may have: N of Lin-P III.C */
    WR_CTX_MAX_ENTRIES = WR_CONFIG_MAX_SMS * WR_CONFIG_MAX_TBS,
};

/* How registers are saved. All engines of an area save alike; what comes back says for itself how
 * it was saved. */
typedef enum wr_context_kind {
    WR_CONTEXT_BY_WARP, /* live ones, compressed warp by warp (Lin-P "live+cp") */
    WR_CONTEXT_LIVE,    /* live ones, as they are ("live") */
    WR_CONTEXT_ALL,     /* all allocated ones, as they are ("Occup"): a warp may stand anywhere */
    WR_CONTEXT_BY_TB,   /* as a whole TB where it stands at one barrier, else BY_WARP */
    WR_CONTEXT_KINDS,
} wr_context_kind;

/* Start of each part of one TB's context; a CCB entry in C. */
typedef struct wr_context_pointers {
    uint64_t regs;
    uint64_t shared; /* 0 where the TB has no shared memory */
    uint64_t stack;
} wr_context_pointers;

typedef struct wr_context_area {
    /* of the present launch */
    uint32_t warps;        /* of a TB */
    uint32_t shared_bytes; /* of a TB */
    uint32_t slot_bytes;   /* register data of one warp */
    uint32_t regs_bytes;   /* sizes of the three parts of a TB, whole segments */
    uint32_t shared_room;
    uint32_t stack_bytes;
    wr_pag pag; /* lanes per group of all that is saved and brought back */
    /* of the run */
    uint32_t entries; /* TBs that can be saved at a time */
    uint32_t taken;
    uint64_t used[WR_CTX_MAX_ENTRIES / 64]; /* a bit for each entry */
    uint64_t ccb;
    uint64_t base;
    uint64_t bytes; /* allocated at base */
} wr_context_area;

/* Lays the area out for a launch and allocates what is missing; entries, at most
 * WR_CTX_MAX_ENTRIES, is the same in every call. The group is the TB's (wr_context_pag); the user
 * may set another in pag, until the launch's first TB is saved. False: memory is full. */
bool wr_context_area_prepare(wr_context_area *area, wr_gpu *gpu, const wr_launch *launch,
                             wr_context_kind kind, uint32_t entries);

/* [serial] The lowest free entry; UINT32_MAX: all are taken. */
uint32_t wr_context_entry_take(wr_context_area *area);
void wr_context_entry_free(wr_context_area *area, uint32_t entry);

/* Addresses of a TB's CCB entry, and of its parts where nothing stays in place. */
uint64_t wr_context_ccb_addr(const wr_context_area *area, uint32_t entry);
wr_context_pointers wr_context_area_tb(const wr_context_area *area, uint32_t entry);

/* A multiple of 128 not below bytes. */
static inline uint32_t wr_context_segments(uint32_t bytes)
{
    return (bytes + WR_CTX_SEGMENT - 1) / WR_CTX_SEGMENT * WR_CTX_SEGMENT;
}

/* Little-endian words, the byte order of simulated memory. */
static inline void wr_context_put32(uint8_t *to, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++) {
        to[i] = (uint8_t)(value >> (8 * i));
    }
}

static inline uint32_t wr_context_get32(const uint8_t *from)
{
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
           (uint32_t)from[3] << 24;
}

static inline void wr_context_put64(uint8_t *to, uint64_t value)
{
    wr_context_put32(to, (uint32_t)value);
    wr_context_put32(to + 4, (uint32_t)(value >> 32));
}

static inline uint64_t wr_context_get64(const uint8_t *from)
{
    return wr_context_get32(from) | (uint64_t)wr_context_get32(from + 4) << 32;
}

#endif
