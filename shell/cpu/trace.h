/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of a CPU core from a trace file, again and again.
 *
 * Two forms, told by the name. A name that ends in .txt: a line for each access,
 *
 *     NUMBER R|W ADDRESS
 *
 * NUMBER of the instruction, from 0, ascending; ADDRESS in bytes, hexadecimal with 0x. What stands
 * behind # and empty lines are skipped. Any other: ChampSim's, not compressed, 64 bytes for each
 * instruction:
 *
 *     0  instruction pointer, 8 bytes         16  addresses written, 2 of 8 bytes; 0: none
 *     8  is it a branch, is it taken          32  addresses read, 4 of 8 bytes; 0: none
 *     10 registers written, 2; read, 4
 *
 * all of it little-endian. An instruction with several addresses counts as so many, those read
 * first. Addresses are folded into the core's footprint, line by line. At the end the file begins
 * anew, and instructions are counted on.
 */
#ifndef WR_SHELL_CPU_TRACE_H
#define WR_SHELL_CPU_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wr_cpu_trace wr_cpu_trace;

typedef struct wr_cpu_trace_access {
    uint64_t at; /* number of its instruction; UINT64_MAX: the file has no access */
    uint64_t address;
    bool store;
} wr_cpu_trace_access;

/* NULL: `error` says what is wrong, with file and line. */
wr_cpu_trace *wr_cpu_trace_open(const char *path, char *error, size_t size);
void wr_cpu_trace_close(wr_cpu_trace *t);
wr_cpu_trace_access wr_cpu_trace_next(wr_cpu_trace *t);

#endif
