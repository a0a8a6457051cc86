/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in the GPU's memory for a texture or a surface: the runtime writes it, the functions
 * of kernels/cuda/texture.h and surface.h read it. A texture object is its address; a texture
 * reference of a module holds that address, or 0 while it is not bound.
 */
#ifndef WR_CUDA_TEXTURE_LAYOUT_H
#define WR_CUDA_TEXTURE_LAYOUT_H

struct wr_texture_layout {
    unsigned long long data;       /* address of the first texel */
    unsigned pitch, slice;         /* bytes from row to row, from plane or layer to the next */
    unsigned width, height, depth; /* in texels, each at least 1; depth: of layers their number */
    unsigned mode;
    float border[4]; /* of each channel */
};

/* The mode: what a texel is, in the 6 lowest bits, and how it is fetched. Of surfaces the texel
 * alone counts. */
enum {
    WR_TEXTURE_KIND = 0x3,         /* cudaChannelFormatKind */
    WR_TEXTURE_BYTES_SHIFT = 2,    /* log2 of the bytes of a channel */
    WR_TEXTURE_CHANNELS_SHIFT = 4, /* log2 of their number */
    WR_TEXTURE_FORMAT = 0x3f,
    WR_TEXTURE_AS_FLOAT = 0x40, /* integers are read as numbers of 0 or -1 to 1 */
    WR_TEXTURE_LINEAR = 0x80,
    WR_TEXTURE_NORMALIZED = 0x100, /* coordinates */
    WR_TEXTURE_ADDRESS_SHIFT = 9   /* cudaTextureAddressMode, 2 bits of each axis */
};

#endif
