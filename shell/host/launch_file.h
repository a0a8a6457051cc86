/* SPDX-License-Identifier: Apache-2.0 */
/* A launch file as it was read: the YAML's own shape, checked for itself.
 *
 *   module: k.cu                     .cu is compiled by clang, .ptx taken as it is
 *   compile: {address_size: 32, flags: [-DN=4], pp_interval: 8, stack: 8192}   optional
 *   heap: 1048576                                                 optional
 *   buffers:
 *     - {name: a, type: f32, count: 1000, contents: random, seed: 1, low: 0, high: 1}
 *   launches:
 *     - {kernel: k, grid: [4], block: [256], args: [{buffer: a}, {type: s32, value: 1000}]}
 *   checks:                                             optional
 *     - {buffer: a, reference: k, abs: 0, rel: 0}
 *   outputs: [{buffer: a, file: a.txt}]                 optional
 *
 * Invariants after a successful load: names are unique, every buffer that is named exists,
 * types are known, dimensions are in CUDA's limits; contents are filled in. What needs the
 * module (kernels and their parameters) is checked by the job (job.h). Paths in the file are
 * relative to its folder.
 */
#ifndef WR_SHELL_HOST_LAUNCH_FILE_H
#define WR_SHELL_HOST_LAUNCH_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shell/host/values.h"
#include "shell/ptx/diag.h"

#ifndef WR_LAUNCH_MAX_BYTES                     /* the fuzzer's is small */
#define WR_LAUNCH_MAX_BYTES (UINT64_C(1) << 30) /* all buffers of a file */
#endif

typedef enum wr_contents {
    WR_CONTENTS_ZEROS,
    WR_CONTENTS_IOTA,     /* value: the first element, 0 where absent */
    WR_CONTENTS_CONSTANT, /* value */
    WR_CONTENTS_RANDOM,   /* seed, low, high */
    WR_CONTENTS_FILE,     /* file: raw little-endian elements */
    WR_CONTENTS_LIST,     /* values */
    WR_CONTENTS_NEAR,     /* of, seed, low, high */
} wr_contents;

typedef struct wr_launch_buffer {
    char *name;
    char *type;
    uint64_t count; /* elements; given, or from bytes, or from the file's size */
    uint64_t bytes;
    wr_contents contents;
    char *value;
    uint64_t seed;
    char *low, *high;
    uint64_t of;
    char *file;
    char **values; /* of contents list */
    unsigned value_count;
    char *variable;                  /* of the module, which the buffer then is; or NULL */
    const wr_value_type *value_type; /* filled by the load */
    uint8_t *data;                   /* likewise: count elements */
} wr_launch_buffer;

typedef struct wr_launch_arg {
    char *buffer;    /* or type and value, or shared, or fields */
    uint64_t offset; /* bytes into the buffer */
    char *type;
    char *value;
    uint32_t *shared;             /* bytes of dynamic shared memory, whose address it is */
    struct wr_launch_arg *fields; /* members of a struct: buffers and values */
    unsigned field_count;
    size_t buffer_index;             /* filled by the load */
    const wr_value_type *value_type; /* likewise */
    wr_value parsed;                 /* likewise */
} wr_launch_arg;

typedef struct wr_launch_while {
    char *buffer;
    uint64_t index;
    char *differs_from;
    uint32_t at_most;
    size_t buffer_index; /* filled by the load */
    wr_value parsed;     /* likewise */
} wr_launch_while;

typedef struct wr_launch_entry {
    char *kernel;
    uint32_t *grid;
    unsigned grid_count;
    uint32_t *block;
    unsigned block_count;
    uint32_t shared;    /* dynamic shared memory, bytes */
    uint32_t registers; /* per thread, for occupancy; 0 = the kernel's */
    uint32_t *hint;     /* wr_tb_sharing; NULL = the compiler's */
    uint32_t *repeat;   /* NULL = 1 */
    wr_launch_while *loop;
    uint32_t together; /* launches that the loop holds, from this one on; 0 = 1 */
    char *stream;      /* NULL = that without a name */
    uint32_t priority; /* higher ones first */
    uint64_t at;       /* it arrives in this cycle of the run, or behind the launch before it */
    uint64_t every;    /* of a loop: round n arrives that many cycles times n later */
    uint64_t deadline; /* cycles from its arrival to its end; 0 = none */
    wr_launch_arg *args;
    unsigned arg_count;
    uint32_t stream_index; /* filled by the load: of the file's streams, in order of their first
                              launches */
} wr_launch_entry;

typedef struct wr_launch_check {
    char *buffer;
    char *reference; /* or file, or values */
    char *file;
    char **values;
    unsigned value_count;
    double abs, rel;
    char *stream;          /* of the launches that the reference is called for; NULL = all */
    size_t buffer_index;   /* filled by the load */
    uint32_t stream_index; /* likewise */
} wr_launch_check;

/* The final contents of a buffer go into a file: raw, or one element a line where it ends in
 * .txt. */
typedef struct wr_launch_output {
    char *buffer, *file;
    size_t buffer_index; /* filled by the load */
} wr_launch_output;

typedef struct wr_launch_compile {
    uint32_t address_size; /* of .cu: 32 or 64; 0 = 32 */
    uint32_t pp_interval;  /* Lin-P IV.A: K; 0 = the compiler's default */
    uint32_t stack;        /* bytes a thread, for recursive calls; 0 = the compiler's default */
    char **flags;          /* of clang */
    unsigned flag_count;
} wr_launch_compile;

typedef struct wr_launch_file {
    char *module;
    wr_launch_compile compile;
    uint64_t heap; /* bytes, of malloc in kernels; 0 = the GPU's default */
    wr_launch_buffer *buffers;
    unsigned buffer_count;
    wr_launch_entry *launches;
    unsigned launch_count;
    wr_launch_check *checks;
    unsigned check_count;
    wr_launch_output *outputs;
    unsigned output_count;
    uint32_t stream_count; /* filled by the load */
} wr_launch_file;

typedef struct wr_loaded_file {
    wr_launch_file *file;
    char *path;
    struct wr_yaml_lines *lines;
} wr_loaded_file;

struct cyaml_schema_value;
/* What keys there are; for JSON schemas. */
const struct cyaml_schema_value *wr_launch_file_schema(void);
bool wr_launch_file_load(const char *path, wr_loaded_file *out, wr_diag *diag);
void wr_launch_file_free(wr_loaded_file *loaded);

/* `name` seen from the launch file's folder; the caller frees it. */
char *wr_launch_file_path(const wr_loaded_file *loaded, const char *name);
/* Line of a value, as wr_yaml_line takes its path; printf-like. */
unsigned wr_launch_file_line(const wr_loaded_file *loaded, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
