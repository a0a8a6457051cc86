/* SPDX-License-Identifier: Apache-2.0 */
/* See run_identity.h. */
#include "tools/run_identity.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "shell/checkpoint/bytes.h"
#include "shell/host/checkpoint_parts.h"

static void put_file(wr_bytes *b, const char *path)
{
    uint64_t hash;

    if (wr_checkpoint_hash_file(path, &hash)) {
        wr_bytes_put64(b, hash);
    } else {
        b->failed = true;
    }
}

/* A system's spec without places of files that it writes. */
static void put_spec(wr_bytes *b, const char *spec)
{
    static const char *const places[] = {"wave=", "record=", "dump="};

    for (size_t n = strcspn(spec, ":,");; n = strcspn(spec, ",")) {
        bool is_place = false;

        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            is_place = is_place || strncmp(spec, places[i], strlen(places[i])) == 0;
        }
        if (!is_place) {
            wr_bytes_put(b, spec, n);
            wr_bytes_put(b, ",", 1);
        }
        if (spec[n] == '\0') {
            return;
        }
        spec += n + 1;
    }
}

/* The text of --cpu and the traces that it names. */
static void put_cpu(wr_bytes *b, const char *text)
{
    wr_bytes_put_text(b, text);
    for (const char *at = strchr(text, '@'); at; at = strchr(at, '@')) {
        at++;
        char *path = strndup(at, strcspn(at, "*,"));

        if (path) {
            put_file(b, path);
        }
        b->failed = b->failed || !path;
        free(path);
    }
}

uint64_t wr_run_identity(const wr_run_options *o, wr_job *const *jobs, const wr_gpu_config *config)
{
    const uint64_t numbers[] = {o->max_cycles,    o->window,    o->heap,
                                o->checkpoint_at, o->stack,     o->pp_interval,
                                o->without,       o->no_points, o->system_count};
    wr_bytes b = {0};
    bool ok = !o->serve && wr_checkpoint_put_run(jobs, o->file_count, config->name, 0, &b);

    wr_bytes_put(&b, config, sizeof *config);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        wr_bytes_put64(&b, numbers[i]);
    }
    for (uint32_t i = 0; i < o->file_count; i++) {
        wr_bytes_put32(&b, o->priority[i]);
        wr_bytes_put64(&b, o->arrival[i]);
    }
    for (uint32_t i = 0; i < o->system_count; i++) {
        put_spec(&b, o->systems[i]);
    }
    wr_bytes_put_text(&b, o->given.blocks ? o->given.blocks : "");
    wr_bytes_put_text(&b, o->forward.text ? o->forward.text : "");
    put_cpu(&b, o->cpu ? o->cpu : "");
    if (o->resume) {
        put_file(&b, o->resume);
    }
    ok = ok && !b.failed;
    const uint64_t hash = ok ? XXH64(b.data, b.size, 0) : 0;

    wr_bytes_free(&b);
    return hash;
}
