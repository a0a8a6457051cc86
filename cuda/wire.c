/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes to and from the other end; see wire.h. */
#include "cuda/wire.h"

#include <errno.h>
#include <sys/socket.h>

bool wr_cuda_send(int fd, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes > 0) {
        ssize_t n = send(fd, at, bytes, MSG_NOSIGNAL);
        if (n <= 0) {
            if (n < 0 && errno == EINTR) {
                continue;
            }
            return false;
        }
        at += n;
        bytes -= (size_t)n;
    }
    return true;
}

bool wr_cuda_receive(int fd, void *data, size_t bytes)
{
    char *at = data;
    while (bytes > 0) {
        ssize_t n = recv(fd, at, bytes, 0);
        if (n <= 0) {
            if (n < 0 && errno == EINTR) {
                continue;
            }
            return false;
        }
        at += n;
        bytes -= (size_t)n;
    }
    return true;
}
