/* SPDX-License-Identifier: Apache-2.0 */
/* warpref replay: verifies vectors, or outputs recorded with them. */
#include "shell/config/regular.h"
#include "tools/cmd_block.h"
#include "tools/once.h"
#include "tools/replay_folder.h"
#include "vectors/folder.h"
#include "vectors/vectors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct options {
    const char *block;
    const char *file;
    const char *folder; /* all files of it, each of its own block; NULL: the one file */
    const char *outputs;
    wr_backend backend;
    bool json;
} options;

static bool is_folder(const char *path)
{
    struct stat there;

    return stat(path, &there) == 0 && S_ISDIR(there.st_mode);
}

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
            argp_error(state, "one block and one file, or one folder");
        }
        return 0;
    case ARGP_KEY_END:
        if (o->file == NULL && o->block != NULL && is_folder(o->block)) {
            o->folder = o->block;
        } else if (o->file == NULL) {
            wr_cmd_want_block(state, "a block and a vector file, or a folder of vectors");
        }
        if (o->folder != NULL && o->outputs != NULL) {
            argp_error(state, "--file goes with one vector file");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

typedef struct outcome {
    wr_replay_result vectors; /* against the file */
    char lockstep[768];       /* first difference of model and RTL, or empty */
    bool cut;                 /* it is a part: the run that recorded it was stopped */
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

static bool can_be_read(const char *path)
{
    const char *why = wr_regular_file(path, NULL);

    if (why != NULL) {
        (void)fprintf(stderr, "%s: cannot be read: %s\n", path, why);
    }
    return why == NULL;
}

static bool is_good(const outcome *out)
{
    return out->vectors.mismatches == 0 && out->lockstep[0] == '\0' && out->vectors.checks > 0;
}

static cJSON *json_of(const options *o, const char *file, const wr_vectors *v, const outcome *out)
{
    static const char *const against[] = {"model", "rtl", "lockstep"};
    const wr_replay_result *r = &out->vectors;
    cJSON *root = cJSON_CreateObject();

    cJSON_AddStringToObject(root, "block", v->block->name);
    cJSON_AddStringToObject(root, "config", v->config);
    cJSON_AddStringToObject(root, "vectors", file);
    cJSON_AddStringToObject(root, "against", o->outputs != NULL ? o->outputs : against[o->backend]);
    cJSON_AddBoolToObject(root, "pass", is_good(out) && !out->cut);
    if (out->cut) {
        cJSON_AddBoolToObject(root, "cut", true);
    }
    wr_cmd_json_u64(root, "cycles", r->cycles);
    wr_cmd_json_u64(root, "checks", r->checks);
    wr_cmd_json_u64(root, "mismatches", r->mismatches);
    if (r->first[0] != '\0') {
        cJSON_AddStringToObject(root, "mismatch", r->first);
    }
    if (out->lockstep[0] != '\0') {
        cJSON_AddStringToObject(root, "lockstep_mismatch", out->lockstep);
    }
    return root;
}

/* The last line behind it is print_sum's. */
static void print_mismatches(const outcome *out)
{
    if (out->lockstep[0] != '\0') {
        (void)printf("model and RTL differ: %s\n", out->lockstep);
    }
    if (out->vectors.first[0] != '\0') {
        (void)printf("mismatch: %s\n", out->vectors.first);
    }
}

/* Of what was cut and holds so far nobody can say that it passes. */
static void print_sum(bool good, bool cut, uint64_t cycles, uint64_t checks)
{
    (void)printf("%s %" PRIu64 " cycles %" PRIu64 " checks\n",
                 !good ? "FAIL"
                 : cut ? "CUT"
                       : "PASS",
                 cycles, checks);
}

/* Replays one file into *out; adds to `json`, or prints where it is NULL, all but the last line.
 * The exit status. */
static int play(const options *o, const char *file, outcome *out, cJSON *json)
{
    const wr_block_desc *block = o->folder != NULL ? NULL : wr_cmd_block(o->block);
    wr_vectors v;
    char err[1024];

    memset(out, 0, sizeof(*out));
    if (block == NULL && o->folder == NULL) {
        return WR_EXIT_USAGE;
    }
    if (!can_be_read(file) || (o->outputs != NULL && !can_be_read(o->outputs))) {
        return WR_EXIT_USAGE;
    }
    if (!wr_vectors_load(&v, file, err, sizeof(err))) {
        (void)fprintf(stderr, "%s\n", err);
        return WR_EXIT_USAGE;
    }
    bool good = block == NULL || v.block == block;

    if (!good) {
        (void)snprintf(err, sizeof(err), "%s: vectors of block %s, not of %s", file, v.block->name,
                       o->block);
    }
    good = good && replay(o, &v, out, err, sizeof(err));
    out->cut = v.cut;
    wr_vectors_tell_cut(good && v.cut ? file : NULL);
    if (good && json != NULL) {
        cJSON_AddItemToArray(json, json_of(o, file, &v, out));
    } else if (good) {
        print_mismatches(out);
    } else {
        (void)fprintf(stderr, "%s\n", err);
    }
    wr_vectors_free(&v);
    return !good ? WR_EXIT_USAGE : is_good(out) && !out->cut ? WR_EXIT_PASS : WR_EXIT_FAIL;
}

static int play_file(const options *o)
{
    cJSON *rows = o->json ? cJSON_CreateArray() : NULL;
    outcome out;
    int status = play(o, o->file, &out, rows);

    if (status != WR_EXIT_USAGE && !o->json) {
        print_sum(is_good(&out), out.cut, out.vectors.cycles, out.vectors.checks);
    } else if (status != WR_EXIT_USAGE && !wr_cmd_json_print(cJSON_DetachItemFromArray(rows, 0))) {
        status = WR_EXIT_USAGE;
    }
    cJSON_Delete(rows);
    return status;
}

/* Every file of the folder, each with a line; the last line has the sums. */
static int play_folder(const options *o)
{
    cJSON *rows = o->json ? cJSON_CreateArray() : NULL;
    wr_replay_folder folder;
    uint64_t cycles = 0;
    uint64_t checks = 0;
    bool good = true;
    bool cut = wr_vectors_folder_cut(o->folder);
    int status = !wr_replay_folder_open(&folder, o->folder) ? WR_EXIT_USAGE
                 : cut                                      ? WR_EXIT_FAIL
                                                            : WR_EXIT_PASS;

    wr_vectors_tell_cut(status != WR_EXIT_USAGE && cut ? o->folder : NULL);

    for (uint32_t i = 0; i < folder.count && status != WR_EXIT_USAGE; i++) {
        outcome out;
        const int one = play(o, folder.files[i], &out, rows);

        if (one != WR_EXIT_USAGE && !o->json) {
            (void)printf("%s: ", folder.files[i]);
            print_sum(is_good(&out), out.cut, out.vectors.cycles, out.vectors.checks);
        }
        good = good && is_good(&out);
        cut = cut || out.cut;
        cycles += out.vectors.cycles;
        checks += out.vectors.checks;
        status = one > status ? one : status;
    }
    if (status != WR_EXIT_USAGE && !o->json) {
        print_sum(good, cut, cycles, checks);
    } else if (status != WR_EXIT_USAGE) {
        const bool printed = wr_cmd_json_print(rows);

        rows = NULL;
        status = printed ? status : WR_EXIT_USAGE;
    }
    cJSON_Delete(rows);
    wr_replay_folder_free(&folder);
    return status;
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
        "BLOCK VECTORS\nFOLDER",
        "Plays the inputs of a vector file and compares every output with the file's; or compares "
        "with the file the outputs that your own hardware gave for its inputs. Of a folder it "
        "plays all "
        "files whose names end in .hex, and refuses those that two runs have recorded."
        "\vExit status: 0 all equal, 1 a difference, or vectors of a run that was stopped, 2 bad "
        "usage or a file that cannot be read.\n\n"
        "The JSON is one object: block, config, vectors, against, pass, cycles, checks, mismatches "
        "(cycles), and where something differs mismatch or lockstep_mismatch; cut: true, and pass: "
        "false, where the run that recorded it was stopped before its end; of a folder an array "
        "of these.\n\n"
        "Example: warpref replay reg_compressor reg_compressor.tiny.hex --against rtl",
        NULL,
        NULL,
        NULL};
    options o = {.backend = WR_BACKEND_MODEL};

    argp_err_exit_status = WR_EXIT_USAGE;
    if (wr_parse_once(&argp, argc, argv, &o) != 0) {
        return WR_EXIT_USAGE;
    }
    return o.folder != NULL ? play_folder(&o) : play_file(&o);
}
