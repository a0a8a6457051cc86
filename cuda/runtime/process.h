/* SPDX-License-Identifier: Apache-2.0 */
/* The process of the simulated GPU and the socket to it, which the program is not to notice:
 *
 * - it is no child that the program's `wait` finds: its parent has ended before the first request;
 * - it has none of the program's descriptors but the first three, so that a pipe of the program's
 *   ends when the program closes it;
 * - the socket has a high number, and is known by what it is. Where the program has closed it,
 *   what stands in its place gets and gives nothing.
 */
#ifndef WR_CUDA_RUNTIME_PROCESS_H
#define WR_CUDA_RUNTIME_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct wr_process {
    int fd;     /* -1: there is none */
    int memory; /* a file that the GPU's memory is, until it is mapped; -1: none */
    dev_t device;
    ino_t inode;
} wr_process;
#define WR_PROCESS_NONE                                                                            \
    {                                                                                              \
        .fd = -1, .memory = -1                                                                     \
    }

typedef enum wr_process_start_result {
    WR_PROCESS_STARTED,
    WR_PROCESS_ABSENT, /* it cannot be had; a message was printed */
    WR_PROCESS_REFUSED /* it does not take what WARPREF holds, and has said why */
} wr_process_start_result;

wr_process_start_result wr_process_start(wr_process *process);
/* Closes the file of the GPU's memory, which stays where it is mapped. */
void wr_process_drop_memory(wr_process *process);
/* The descriptor is still the socket. */
bool wr_process_has_socket(const wr_process *process);
/* All of it; false: the socket is gone, or the process behind it. */
bool wr_process_send(const wr_process *process, const void *data, size_t bytes);
bool wr_process_receive(const wr_process *process, void *data, size_t bytes);
/* Closes the socket where it is there. Safe in a handler of a signal or of fork. */
void wr_process_leave(wr_process *process);
/* Waits until the process has ended, which closes its end, and closes ours. */
void wr_process_join(wr_process *process);

#endif
