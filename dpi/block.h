/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of blocks: what is known of each from its description, as tables.
 *
 * Everything generic over blocks (cosim, vectors, replay, waves, the checker) works from these
 * tables and never names a block. The tables are generated (dpi/gen/<block>_block.c).
 *
 * Packed layout, the same in C and in SystemVerilog: pins of one direction in the order of the
 * description, the first at bit 0, element 0 of an array lowest; little-endian 32-bit words;
 * bits past the last pin are 0.
 */
#ifndef WR_DPI_BLOCK_H
#define WR_DPI_BLOCK_H

#include "refmodel/contract.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WR_MAX_PARAMS = 8,        /* a description with more does not generate */
    WR_MAX_WORDS = 96,        /* most packed words of one direction of any block */
    WR_MAX_PINS_BYTES = 1024, /* most bytes of a C struct of pins */
    WR_MAX_STATE_WORDS = 32,  /* most packed words of compared state */
};

typedef struct wr_param_desc {
    const char *name;  /* as in RTL, UpperCamel */
    const char *field; /* as in C, snake_case */
    const char *doc;
    uint32_t min;
    uint32_t max;
} wr_param_desc;

typedef enum wr_dir { WR_IN, WR_OUT } wr_dir;

typedef struct wr_pin_desc {
    const char *name;
    const char *doc;
    wr_dir dir;
    bool comb;            /* an output that depends on inputs of the same cycle */
    uint8_t width;        /* bits of one element, 1 to 64 */
    int8_t count_param;   /* parameter that gives the number of elements, or -1 */
    uint16_t count_fixed; /* number of elements where count_param is -1 */
    uint8_t elem_bytes;   /* sizeof one element in the C struct */
    bool is_array;
    size_t offset;            /* in wr_<block>_in or wr_<block>_out */
    const char *const *codes; /* names of the values 0, 1, ..., or NULL */
    uint8_t codes_count;
} wr_pin_desc;

typedef struct wr_config_desc {
    const char *name;
    uint32_t value[WR_MAX_PARAMS]; /* in the order of params */
} wr_config_desc;

/* A register that model and RTL hold alike; packed like pins, the first at bit 0. */
typedef struct wr_state_desc {
    const char *name;
    const char *doc;
    uint8_t width;
    uint16_t count;
    bool is_array;
    uint8_t elem_bytes; /* sizeof one element in the model */
    size_t offset;      /* in wr_<block> */
} wr_state_desc;

/* Some flip-flops of the RTL in the default configuration, beside what the paper counts. */
typedef struct wr_storage_part {
    const char *name;
    const char *doc;
    uint32_t bits;       /* as synthesis finds them: dpi/lint.sh compares */
    uint32_t paper_bits; /* 0: beyond what the paper counts */
    const char *total;   /* name of the wr_storage_total that it enters, or NULL */
    uint32_t instances;  /* how often it enters */
} wr_storage_part;

/* A sum of storage that a paper states; the parts that enter it add up to it. */
typedef struct wr_storage_total {
    const char *name;
    uint32_t bits;
    const char *per;    /* what has it once: SM, core, ... */
    const char *figure; /* as the paper prints it */
    const char *source;
} wr_storage_total;

typedef struct wr_block_desc {
    const char *name;
    const char *group;
    const char *source;
    const char *summary;
    uint32_t latency;  /* cycles */
    uint32_t interval; /* cycles */
    const wr_param_desc *params;
    size_t params_count;
    const wr_pin_desc *pins; /* inputs first */
    size_t pins_count;
    size_t ins_count; /* inputs among them */
    const wr_config_desc *configs;
    size_t configs_count;
    const wr_state_desc *states; /* what the checker compares besides outputs; may be none */
    size_t states_count;
    const char *const *inside; /* names of the blocks that its RTL holds, at whatever depth */
    size_t inside_count;
    uint32_t storage_bits;     /* flip-flops of the RTL, default configuration; 0: not stated */
    const char *storage_paper; /* what the paper gives, or NULL */
    const wr_storage_part *parts;
    size_t parts_count; /* their bits add up to storage_bits */

    /* The cfg struct is params_count values of uint32_t in the order of params. */
    size_t cfg_size, in_size, out_size, state_size; /* bytes of the C structs */

    wr_status (*init)(void *state, const void *cfg);
    void (*reset)(void *state);
    void (*eval)(const void *state, const void *in, void *out);
    void (*tick)(void *state, const void *in);

    /* Cycles in which all inputs are 0. A block changes nothing in them, unless `idle` says what it
     * goes on with: until that is done, or for ever where it is free-running. Only then are skip
     * (n ticks) and quiet there: refmodel/contract.h. */
    bool free_running;
    const char *idle;
    void (*skip)(void *state, const void *in, uint64_t n);
    uint64_t (*quiet)(const void *state, const void *in);

    /* A handshake completes in this cycle: see wr_port_stats in dpi/port.h. */
    bool (*transfer)(const void *in, const void *out);
} wr_block_desc;

/* Version of the project that the library was built from, "0.1.0". */
const char *wr_version(void);

/* All blocks, ordered by group and name; *count is set. */
const wr_block_desc *const *wr_blocks(size_t *count);

/* The totals that the papers state; *count is set. */
const wr_storage_total *wr_storage_totals(size_t *count);

/* The block of this name, or NULL. */
const wr_block_desc *wr_block_find(const char *name);

/* Whether the RTL of one holds the other. */
bool wr_block_holds(const wr_block_desc *whole, const wr_block_desc *part);

/* The named configuration of a block, or NULL. */
const wr_config_desc *wr_block_config(const wr_block_desc *block, const char *name);

/* The named configuration that equals cfg, or NULL. */
const wr_config_desc *wr_block_config_of(const wr_block_desc *block, const void *cfg);

/* "Lanes=32, Regs=64": cut off where it does not fit. */
void wr_block_params_text(const wr_block_desc *block, const void *cfg, char *text, size_t size);

/* What to say of parameters that init refuses: "x: bad configuration: Lanes = 99 (8 to 64)". */
void wr_block_refusal(const wr_block_desc *block, const void *cfg, char *text, size_t size);

/* The pin of this name and direction, or NULL. */
const wr_pin_desc *wr_block_pin(const wr_block_desc *block, wr_dir dir, const char *name);

/* Elements of a pin under cfg. */
uint32_t wr_pin_count(const wr_pin_desc *pin, const void *cfg);

/* Bits and 32-bit words of all pins of one direction under cfg. */
uint32_t wr_block_bits(const wr_block_desc *block, wr_dir dir, const void *cfg);
uint32_t wr_block_words(const wr_block_desc *block, wr_dir dir, const void *cfg);

/* All pins of one direction between the C struct and wr_block_words() words; wr_pack returns
 * their number. */
uint32_t wr_pack(const wr_block_desc *block, wr_dir dir, const void *cfg, const void *pins,
                 uint32_t *words);
void wr_unpack(const wr_block_desc *block, wr_dir dir, const void *cfg, const uint32_t *words,
               void *pins);

/* The registers of `states` from a model; writes nothing where there are none. */
void wr_pack_state(const wr_block_desc *block, const void *state, uint32_t *words);

/* Value of one element of a pin from the C struct of its direction. */
uint64_t wr_pin_value(const wr_pin_desc *pin, const void *pins_struct, uint32_t element);
void wr_pin_set(const wr_pin_desc *pin, void *pins_struct, uint32_t element, uint64_t value);

#endif
