/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a checkpoint: a header and compressed parts, each with a checksum. What a part means
 * is its writer's matter. All numbers are little endian.
 *
 *   +0    magic, 8 bytes: 89 57 52 43 4b 0d 0a 1a
 *   +8    version, 32 bits
 *   +12   number of parts, 32 bits
 *   +16   length of the file, 64 bits
 *   +24   a row for each part, 32 bytes:
 *           +0   name, 4 letters
 *           +4   0, 32 bits
 *           +8   length in the file, 64 bits: a zstd frame
 *           +16  length unpacked, 64 bits
 *           +24  XXH64 of the frame, seed 0
 *   then  XXH64 of all bytes before, seed 0
 *   then  the parts, one behind the other
 *
 * - Every byte of a file is held by a checksum, or by the length and magic that come before it.
 * - A file grows without a name or under one of its process (files/replace.h), is brought to the
 *   disk and renamed: at any moment there is the old one or the new one, also where two runs write
 *   to one name. The one before stays as FILE.1.
 * - No length of a file that is read is believed before it is checked.
 */
#ifndef WR_SHELL_CHECKPOINT_FILE_H
#define WR_SHELL_CHECKPOINT_FILE_H

#include "shell/checkpoint/bytes.h"

#define WR_CHECKPOINT_VERSION 1

/* The parts, all of them in each file, in this order. */
typedef enum wr_checkpoint_part {
    WR_CHECKPOINT_RUN,      /* whose checkpoint it is */
    WR_CHECKPOINT_JOBS,     /* where the launch files stand */
    WR_CHECKPOINT_GPU,      /* launches in flight, heaps, code */
    WR_CHECKPOINT_CONTEXTS, /* saved TBs */
    WR_CHECKPOINT_MEMORY,   /* simulated memory */
    WR_CHECKPOINT_PARTS
} wr_checkpoint_part;

/* Of one file that was read: its parts unpacked. */
typedef struct wr_checkpoint_file {
    uint32_t version;
    uint64_t bytes;
    struct {
        uint8_t *data;
        uint64_t size, stored; /* unpacked, in the file */
    } part[WR_CHECKPOINT_PARTS];
} wr_checkpoint_file;

const char *wr_checkpoint_part_name(wr_checkpoint_part part);

/* May a file of this name be written? Asked before a long run. NULL, or why not. */
const char *wr_checkpoint_writable(const char *path);

/* False with a reason in `why`: the file of this name, where there is one, is as it was. */
bool wr_checkpoint_write(const char *path, const wr_bytes parts[WR_CHECKPOINT_PARTS], char *why,
                         size_t size);

/* Reads and checks all of it. False with a reason in `why`, and nothing to free. */
bool wr_checkpoint_read(const char *path, wr_checkpoint_file *file, char *why, size_t size);
void wr_checkpoint_free(wr_checkpoint_file *file);

wr_bytes_in wr_checkpoint_open(const wr_checkpoint_file *file, wr_checkpoint_part part);

#endif
