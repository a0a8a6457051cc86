/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes to and from the other end; see wire.h. */
#include "cuda/wire.h"

#include <errno.h>
#include <sys/socket.h>

/* All bytes, one way: `incoming` says where to. */
static bool transfer(int fd, const char *outgoing, char *incoming, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t n = incoming ? recv(fd, incoming + done, bytes - done, 0)
                             : send(fd, outgoing + done, bytes - done, MSG_NOSIGNAL);
        if (n <= 0 && !(n < 0 && errno == EINTR)) {
            return false;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

bool wr_cuda_send(int fd, const void *data, size_t bytes)
{
    return transfer(fd, data, NULL, bytes);
}

bool wr_cuda_receive(int fd, void *data, size_t bytes)
{
    return transfer(fd, NULL, data, bytes);
}
