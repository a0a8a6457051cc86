/* SPDX-License-Identifier: Apache-2.0 */
/* warpref replay: verifies vectors, or outputs recorded with them. */
#include "shell/config/regular.h"
#include "tools/cmd_block.h"
#include "tools/once.h"
#include "vectors/vectors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    const char *block;
    const char *file;
    const char *outputs;
    wr_backend backend;
    bool json;
} options;

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options *o = state->input;

    switch (key) {
    case 'a':
        if (!wr_backend_parse(arg, &o->backend)) {
            argp_error(state, "--against '%s': must be model, rtl or lockstep", arg);
        }
        return 0;
    case 'j':
        o->json = true;
        return 0;
    case 'f':
        o->outputs = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num == 0) {
            o->block = arg;
        } else if (state->arg_num == 1) {
            o->file = arg;
        } else {
            argp_error(state, "one block and one file");
        }
        return 0;
    case ARGP_KEY_END:
        if (o->file == NULL) {
            wr_cmd_want_block(state, "a block and a vector file");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

typedef struct outcome {
    wr_replay_result vectors; /* against the file */
    char lockstep[768];       /* first difference of model and RTL, or empty */
} outcome;

/* False with err: could not replay. */
static bool replay(const options *o, const wr_vectors *v, outcome *out, char *err, size_t err_size)
{
    void *model;
    wr_port port;
    bool good;

    if (o->outputs != NULL) {
        return wr_vectors_compare(v, o->outputs, &out->vectors, err, err_size);
    }
    model = calloc(1, v->block->state_size);
    if (model == NULL) {
        (void)snprintf(err, err_size, "out of memory");
        return false;
    }
    good = wr_port_open(&port, v->block, o->backend, v->cfg, model, NULL, 1, err, err_size);
    if (good) {
        const char *first;
        wr_vectors_replay(v, &port, &out->vectors);
        first = wr_port_mismatch(&port);
        (void)snprintf(out->lockstep, sizeof(out->lockstep), "%s", first != NULL ? first : "");
        wr_port_close(&port);
    }
    free(model);
    return good;
}

/* Prints the outcome and gives the exit status. */
static int verdict(const options *o, const char *config, const outcome *out)
{
    const wr_replay_result *r = &out->vectors;
    bool good = r->mismatches == 0 && out->lockstep[0] == '\0' && r->checks > 0;

    if (o->json) {
        static const char *const against[] = {"model", "rtl", "lockstep"};
        cJSON *root = cJSON_CreateObject();
        cJSON_AddStringToObject(root, "block", o->block);
        cJSON_AddStringToObject(root, "config", config);
        cJSON_AddStringToObject(root, "vectors", o->file);
        cJSON_AddStringToObject(root, "against",
                                o->outputs != NULL ? o->outputs : against[o->backend]);
        cJSON_AddBoolToObject(root, "pass", good);
        wr_cmd_json_u64(root, "cycles", r->cycles);
        wr_cmd_json_u64(root, "checks", r->checks);
        wr_cmd_json_u64(root, "mismatches", r->mismatches);
        if (r->first[0] != '\0') {
            cJSON_AddStringToObject(root, "mismatch", r->first);
        }
        if (out->lockstep[0] != '\0') {
            cJSON_AddStringToObject(root, "lockstep_mismatch", out->lockstep);
        }
        if (!wr_cmd_json_print(root)) {
            return WR_EXIT_USAGE;
        }
        return good ? WR_EXIT_PASS : WR_EXIT_FAIL;
    }
    if (out->lockstep[0] != '\0') {
        (void)printf("model and RTL differ: %s\n", out->lockstep);
    }
    if (r->first[0] != '\0') {
        (void)printf("mismatch: %s\n", r->first);
    }
    (void)printf("%s %" PRIu64 " cycles %" PRIu64 " checks\n", good ? "PASS" : "FAIL", r->cycles,
                 r->checks);
    return good ? WR_EXIT_PASS : WR_EXIT_FAIL;
}

static bool can_be_read(const char *path)
{
    const char *why = wr_regular_file(path, NULL);

    if (why != NULL) {
        (void)fprintf(stderr, "%s: cannot be read: %s\n", path, why);
    }
    return why == NULL;
}

int wr_cmd_replay(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"against", 'a', "model|rtl|lockstep", 0, "model, rtl or lockstep (model)", 0},
        {"file", 'f', "OUTPUTS", 0,
         "Compare recorded outputs instead: hex, outputs only, one line a cycle", 0},
        {"json", 'j', NULL, 0, "Print the result as JSON", 0},
        {NULL, 0, NULL, 0, NULL, 0}};
    static const struct argp argp = {
        table,
        parse,
        "BLOCK VECTORS",
        "Plays the inputs of a vector file and compares every output with the file's; or compares "
        "with the file the outputs that your own hardware gave for its inputs."
        "\vExit status: 0 all equal, 1 a difference, 2 bad usage or a file that cannot be read.\n\n"
        "The JSON is one object: block, config, vectors, against, pass, cycles, checks, mismatches "
        "(cycles), and where something differs mismatch or lockstep_mismatch.\n\n"
        "Example: warpref replay reg_compressor reg_compressor.tiny.hex --against rtl",
        NULL,
        NULL,
        NULL};
    options o = {.backend = WR_BACKEND_MODEL};
    outcome out = {0};
    wr_vectors v;
    const wr_block_desc *block;
    char err[1024];
    bool good;

    argp_err_exit_status = WR_EXIT_USAGE;
    if (wr_parse_once(&argp, argc, argv, &o) != 0) {
        return WR_EXIT_USAGE;
    }
    block = wr_cmd_block(o.block);
    if (block == NULL) {
        return WR_EXIT_USAGE;
    }
    if (!can_be_read(o.file) || (o.outputs != NULL && !can_be_read(o.outputs))) {
        return WR_EXIT_USAGE;
    }
    if (!wr_vectors_load(&v, o.file, err, sizeof(err))) {
        (void)fprintf(stderr, "%s\n", err);
        return WR_EXIT_USAGE;
    }
    if (v.block != block) {
        (void)fprintf(stderr, "%s: vectors of block %s, not of %s\n", o.file, v.block->name,
                      o.block);
        wr_vectors_free(&v);
        return WR_EXIT_USAGE;
    }
    good = replay(&o, &v, &out, err, sizeof(err));
    wr_vectors_free(&v);
    if (!good) {
        (void)fprintf(stderr, "%s\n", err);
        return WR_EXIT_USAGE;
    }
    return verdict(&o, v.config, &out);
}
