/* SPDX-License-Identifier: Apache-2.0 */
/* The RTL of blocks in any legal parameters: Verilated on first use, kept for every later one.
 *
 * The cache is $WARPREF_CACHE, else $XDG_CACHE_HOME/warpref, else $HOME/.cache/warpref, else a
 * folder of the build. In it stand, for block, mode (rtl, lockstep or coverage) and key,
 *
 *   wr_<block>_<mode>_<key>.so     the shared object (dpi/rtl_abi.h)
 *   wr_<block>_<mode>_<key>.log    what the tools printed; locked while somebody builds
 *
 * The key is a hash of all that decides the object: the parameters, every file that it is made of,
 * Verilator's version and runtime, and the compiler's settings. So a change of any of them makes a
 * new object, and old ones are never used again; the folder may be deleted at any time.
 *
 * Invariant: an object under its final name is whole: it is made in a folder of its own,
 *
 *   wr_<block>_<mode>_<key>.XXXXXX/
 *
 * gets its sum, is brought to the disk and renamed. What stands there and is not whole, or not
 * this user's (dpi/cached_object.h), is said on stderr and built anew. What builds that were killed
 * have left goes with the next build: the lock of its log says that nobody works there.
 */
#ifndef WR_DPI_RTL_CACHE_H
#define WR_DPI_RTL_CACHE_H

#include "dpi/block.h"

/* The object of a block in parameters that its init accepts, in a mode: in the cache, or built into
 * it, with a line on stderr before and after. Of programs that want the same one at the same time,
 * one builds and the others wait. False with one line in err. */
bool wr_rtl_cached(const wr_block_desc *block, const void *cfg, const char *mode, char *path,
                   size_t path_size, char *err, size_t err_size);

#endif
