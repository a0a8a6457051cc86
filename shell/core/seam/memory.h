/* SPDX-License-Identifier: Apache-2.0 */
/* The miss station: what an L1's requests wait in before the injection port.
 *
 * By default a FIFO of the configuration's length (sm/miss_queue.h). A system may put its own in
 * its place: it then holds every request that the SM sends, misses, stores, atomics and fetches of
 * read-only caches, and says which of them leaves next. Context traffic goes past it.
 *
 * room and push are [per SM: own state only], head, pop and next [serial]. A request is pushed
 * only where room has said so; pop takes the one that head has given in this cycle. The station
 * loses nothing and makes nothing: what was pushed comes out, once.
 */
#ifndef WR_SHELL_CORE_SEAM_MEMORY_H
#define WR_SHELL_CORE_SEAM_MEMORY_H

#include "shell/core/seam/hooks.h"
#include "shell/memory/packet.h"

typedef struct wr_miss_station {
    void *self;
    /* Requests of this stream that it takes now. A store into a write-back L1 asks for two. */
    uint32_t (*room)(void *self, wr_sm *sm, uint32_t stream);
    /* `at`: the first cycle in which the request may leave: it has then passed the L1. */
    void (*push)(void *self, wr_sm *sm, uint64_t at, const wr_packet *packet);
    /* The request that leaves next, which stays as it is until pop; NULL: none may at `now`. */
    const wr_packet *(*head)(void *self, wr_sm *sm, uint64_t now);
    void (*pop)(void *self, wr_sm *sm, uint64_t now);
    /* The first cycle from `from` on in which head may answer otherwise than at `from` - 1, if
     * nothing is pushed; UINT64_MAX: none. */
    uint64_t (*next)(void *self, wr_sm *sm, uint64_t from);
} wr_miss_station;

/* [serial] The SM's requests go through this station from now on; before the first launch, or
 * while none of them waits. It must stay in place. NULL: the configuration's FIFO. */
void wr_sm_set_station(wr_sm *sm, const wr_miss_station *station);
/* Entries of the configuration's FIFO, the L1's pipeline included. */
uint32_t wr_sm_miss_limit(const wr_sm *sm);
/* The station may have room again, by time and not by a request that has left. */
void wr_sm_station_freed(wr_sm *sm);

/* The warp's next instruction is a load of global memory that goes to the L1, and the L1 holds all
 * lines of it, as the warp's registers and predicates are now. */
bool wr_sm_load_hits(wr_sm *sm, uint32_t warp);
/* Lines that the SM's L1 holds: see l1_missed in hooks.h. */
uint32_t wr_sm_l1_places(const wr_sm *sm);

#endif
