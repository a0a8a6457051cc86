/* SPDX-License-Identifier: Apache-2.0 */
/* Where the files that belong to the program lie: configurations, the kernels' CUDA header, device
 * math.
 *
 * Searched in this order: $WARPREF_CONFIG_PATH (colon separated; configurations only), the
 * installed tree beside the program (<its folder>/../share/warpref) or, where there is none, the
 * source tree that it was built from. What the build makes lies in <its folder>/../lib/warpref or,
 * where it is not installed, ../lib. A path handed out is the caller's to free.
 */
#ifndef WR_SHELL_CONFIG_LOCATE_H
#define WR_SHELL_CONFIG_LOCATE_H

#include <stddef.h>

/* Path of NAME.yaml, or NULL where there is none. */
char *wr_locate_config(const char *name);
/* Folder that holds cuda.h, or NULL. */
char *wr_locate_kernel_headers(void);
/* Device math as bitcode (kernels/libdevice/), for addresses of 32 or 64 bits; NULL: it is missing.
 */
char *wr_locate_libdevice(unsigned address_size);
/* What runs references in Python; NULL: it is missing. */
char *wr_locate_reference_driver(void);

#endif
