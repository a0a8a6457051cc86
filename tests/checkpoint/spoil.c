/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoint_spoil IN OUT SEED: a checkpoint whose parts say something else, with right checksums:
 * some bytes or a 32-bit number of one part changed, or its end cut off. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "shell/checkpoint/file.h"

static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((state >> 33) % below);
}

/* Behind the digests, a change of which is told as another program. */
static void spoil(wr_bytes *part)
{
    static const uint8_t numbers[] = {0, 1, 2, 31, 32, 33, 64, 0x7f, 0x80, 0xff};
    unsigned changes = 1 + draw(3);
    if (draw(8) == 0) {
        part->size = draw((uint32_t)part->size + 1);
    }
    for (unsigned i = 0; i < changes && part->size > 8; i++) {
        uint32_t at = draw((uint32_t)part->size - 8);
        uint8_t value = draw(2) ? (uint8_t)draw(256) : numbers[draw(sizeof numbers)];
        for (unsigned k = 0; k < (draw(4) == 0 ? 8u : 1u); k++) {
            part->data[at + k] = value;
        }
    }
}

int main(int argc, char **argv)
{
    wr_checkpoint_file file;
    wr_bytes parts[WR_CHECKPOINT_PARTS] = {0};
    char why[256] = "usage: checkpoint_spoil IN OUT SEED";
    if (argc != 4 || !wr_checkpoint_read(argv[1], &file, why, sizeof why)) {
        (void)fprintf(stderr, "%s\n", why);
        return 2;
    }
    state = strtoull(argv[3], NULL, 10);
    for (unsigned i = 0; i < WR_CHECKPOINT_PARTS; i++) {
        wr_bytes_put(&parts[i], file.part[i].data, (size_t)file.part[i].size);
    }
    (void)draw(2);
    spoil(&parts[WR_CHECKPOINT_JOBS + draw(WR_CHECKPOINT_PARTS - 1)]);
    bool ok = wr_checkpoint_write(argv[2], parts, why, sizeof why);
    for (unsigned i = 0; i < WR_CHECKPOINT_PARTS; i++) {
        wr_bytes_free(&parts[i]);
    }
    wr_checkpoint_free(&file);
    return ok ? 0 : 1;
}
