/* SPDX-License-Identifier: Apache-2.0 */
/* Copies to, from and between arrays, and of 3 dimensions. An array is rows of the GPU's memory, so
 * each is a few copies of rows (memory.c); the last one is waited for where the function waits.
 */
#include "cuda/runtime/array.h"

/* The error as the thread's last one. */
static cudaError_t noted(cudaError_t error)
{
    wr_client_lock();
    return wr_client_unlock(error);
}

/* Places of rows, of an array or of the program's memory; of an array also how long a row is, how
 * many there are, and the bytes of a texel. */
typedef struct side {
    char *at;
    size_t pitch, slice, row, rows, planes, texel;
} side;

static cudaError_t array_side(cudaArray_const_t handle, side *s)
{
    *s = (side){0};
    wr_client_lock();
    const wr_array *a = wr_array_of(handle);
    if (a) {
        *s = (side){.at = wr_client_pointer(a->address),
                    .pitch = a->pitch,
                    .slice = a->pitch * a->rows,
                    .row = a->extent.width * a->texel,
                    .rows = a->rows,
                    .planes = a->planes,
                    .texel = a->texel};
    }
    return wr_client_unlock(a ? cudaSuccess : cudaErrorInvalidValue);
}

/* A part of an array, of its first plane: bytes from x on, rows from y on. */
static cudaError_t part_of(cudaArray_const_t handle, size_t x, size_t y, size_t width,
                           size_t height, side *s)
{
    cudaError_t error = array_side(handle, s);
    if (!error && (x > s->row || width > s->row - x || y > s->rows || height > s->rows - y)) {
        error = cudaErrorInvalidValue;
    }
    s->at += error ? 0 : y * s->pitch + x;
    return error;
}

/* The same, of bytes, row behind row. */
static cudaError_t bytes_of(cudaArray_const_t handle, size_t x, size_t y, size_t bytes, side *s)
{
    cudaError_t error = part_of(handle, x, y, 0, 0, s);
    size_t room = error ? 0 : (s->rows - y) * s->row;
    return error || bytes <= (room > x ? room - x : 0) ? error : cudaErrorInvalidValue;
}

/* Planes do not lie over one another, nor go round the end of all addresses. */
static bool planes_fit(const side *s, size_t height, size_t planes)
{
    size_t plane = 0, all = 0;
    return planes < 2 || (!__builtin_mul_overflow(s->pitch, height, &plane) && plane <= s->slice &&
                          !__builtin_mul_overflow(s->slice, planes, &all));
}

/* Planes of rows. */
static cudaError_t copy(const side *to, const side *from, size_t width, size_t height,
                        size_t planes, enum cudaMemcpyKind kind, cudaStream_t stream, bool wait)
{
    cudaError_t error = planes_fit(to, height, planes) && planes_fit(from, height, planes)
                            ? cudaSuccess
                            : cudaErrorInvalidValue;
    planes = width == 0 || height == 0 ? 0 : planes;
    for (size_t z = 0; z < planes && error == cudaSuccess; z++) {
        char *row = to->at + z * to->slice;
        const char *source = from->at + z * from->slice;
        error = wait && z + 1 == planes
                    ? cudaMemcpy2D(row, to->pitch, source, from->pitch, width, height, kind)
                    : cudaMemcpy2DAsync(row, to->pitch, source, from->pitch, width, height, kind,
                                        stream);
    }
    return error;
}

/* --- Of 2 dimensions ----------------------------------------------------------------------------
 */

static cudaError_t to_array(cudaArray_t array, size_t x, size_t y, const void *from, size_t pitch,
                            size_t width, size_t height, enum cudaMemcpyKind kind,
                            cudaStream_t stream, bool wait)
{
    side to, source = {.at = wr_client_pointer((uintptr_t)from), .pitch = pitch};
    cudaError_t error = part_of(array, x, y, width, height, &to);
    return error ? error : copy(&to, &source, width, height, 1, kind, stream, wait);
}

static cudaError_t from_array(void *to, size_t pitch, cudaArray_const_t array, size_t x, size_t y,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream, bool wait)
{
    side target = {.at = to, .pitch = pitch}, from;
    cudaError_t error = part_of(array, x, y, width, height, &from);
    return error ? error : copy(&target, &from, width, height, 1, kind, stream, wait);
}

WR_API cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from,
                                       size_t pitch, size_t width, size_t height,
                                       enum cudaMemcpyKind kind)
{
    return noted(to_array(to, x, y, from, pitch, width, height, kind, NULL, true));
}

WR_API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                            size_t pitch, size_t width, size_t height,
                                            enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return noted(to_array(to, x, y, from, pitch, width, height, kind, stream, false));
}

WR_API cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                         size_t y, size_t width, size_t height,
                                         enum cudaMemcpyKind kind)
{
    return noted(from_array(to, pitch, from, x, y, width, height, kind, NULL, true));
}

WR_API cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from,
                                              size_t x, size_t y, size_t width, size_t height,
                                              enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return noted(from_array(to, pitch, from, x, y, width, height, kind, stream, false));
}

WR_API cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                            cudaArray_const_t from, size_t from_x, size_t from_y,
                                            size_t width, size_t height, enum cudaMemcpyKind kind)
{
    side source;
    cudaError_t error = part_of(from, from_x, from_y, width, height, &source);
    return noted(
        error ? error
              : to_array(to, to_x, to_y, source.at, source.pitch, width, height, kind, NULL, true));
}

/* --- Of bytes, row behind row -------------------------------------------------------------------
 */

/* What is left of the first row, whole rows, and what is left of the last one. */
typedef cudaError_t (*rows)(void *memory, size_t pitch, cudaArray_t array, size_t x, size_t y,
                            size_t width, size_t height, enum cudaMemcpyKind kind,
                            cudaStream_t stream);

static cudaError_t rows_to(void *memory, size_t pitch, cudaArray_t array, size_t x, size_t y,
                           size_t width, size_t height, enum cudaMemcpyKind kind,
                           cudaStream_t stream)
{
    return to_array(array, x, y, memory, pitch, width, height, kind, stream, false);
}

static cudaError_t rows_from(void *memory, size_t pitch, cudaArray_t array, size_t x, size_t y,
                             size_t width, size_t height, enum cudaMemcpyKind kind,
                             cudaStream_t stream)
{
    return from_array(memory, pitch, array, x, y, width, height, kind, stream, false);
}

static cudaError_t in_rows(rows copy_rows, void *memory, cudaArray_t array, size_t x, size_t y,
                           size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream, bool wait)
{
    side place;
    char *at = memory;
    cudaError_t error = bytes_of(array, x, y, bytes, &place);
    size_t row = place.row;
    while (!error && bytes > 0) {
        bool part = x > 0 || bytes < row;
        size_t width = part ? (bytes < row - x ? bytes : row - x) : row;
        size_t height = part ? 1 : bytes / row;
        error = width == 0 ? cudaSuccess
                           : copy_rows(at, width, array, x, y, width, height, kind, stream);
        at += width * height;
        bytes -= width * height;
        y += height;
        x = 0;
    }
    return error || !wait ? error : cudaStreamSynchronize(stream);
}

WR_API cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t bytes, enum cudaMemcpyKind kind)
{
    return noted(
        in_rows(rows_to, wr_client_pointer((uintptr_t)from), to, x, y, bytes, kind, NULL, true));
}

WR_API cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                          size_t bytes, enum cudaMemcpyKind kind,
                                          cudaStream_t stream)
{
    return noted(
        in_rows(rows_to, wr_client_pointer((uintptr_t)from), to, x, y, bytes, kind, stream, false));
}

WR_API cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y,
                                       size_t bytes, enum cudaMemcpyKind kind)
{
    return noted(
        in_rows(rows_from, to, wr_client_pointer((uintptr_t)from), x, y, bytes, kind, NULL, true));
}

WR_API cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y,
                                            size_t bytes, enum cudaMemcpyKind kind,
                                            cudaStream_t stream)
{
    return noted(in_rows(rows_from, to, wr_client_pointer((uintptr_t)from), x, y, bytes, kind,
                         stream, false));
}

/* The rows of the source are of another length than those of the target: through memory between. */
WR_API cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                          cudaArray_const_t from, size_t from_x, size_t from_y,
                                          size_t bytes, enum cudaMemcpyKind kind)
{
    side place;
    void *between = NULL;
    cudaError_t error = bytes_of(from, from_x, from_y, bytes, &place);
    error = error ? error : bytes_of(to, to_x, to_y, bytes, &place);
    if (!error && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) {
        error = cudaErrorInvalidMemcpyDirection;
    }
    error = error ? error : cudaMalloc(&between, bytes);
    error = error ? error : cudaMemcpyFromArray(between, from, from_x, from_y, bytes, kind);
    error = error ? error : cudaMemcpyToArray(to, to_x, to_y, between, bytes, kind);
    cudaError_t freed = cudaFree(between);
    return noted(error ? error : freed);
}

/* --- Of 3 dimensions ----------------------------------------------------------------------------
 */

/* A side of it: the array, where x counts texels and all of the extent is in it, or memory. */
static cudaError_t side_of_3d(cudaArray_const_t array, const struct cudaPos *pos,
                              const struct cudaPitchedPtr *memory, const struct cudaExtent *extent,
                              side *s)
{
    *s = (side){.at = memory->ptr,
                .pitch = memory->pitch,
                .slice = memory->pitch * memory->ysize,
                .texel = 1};
    if (!array == !memory->ptr) { /* neither or both */
        return cudaErrorInvalidValue;
    }
    cudaError_t error = array ? array_side(array, s) : cudaSuccess;
    size_t width = array && !error ? s->row / s->texel : 0;
    if (!error && array &&
        (pos->x > width || extent->width > width - pos->x || pos->y > s->rows ||
         extent->height > s->rows - pos->y || pos->z > s->planes ||
         extent->depth > s->planes - pos->z)) {
        error = cudaErrorInvalidValue;
    }
    s->at += error ? 0 : pos->x * s->texel + pos->y * s->pitch + pos->z * s->slice;
    return error;
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool wait)
{
    side to, from;
    if (!p) {
        return cudaErrorInvalidValue;
    }
    cudaError_t error = side_of_3d(p->srcArray, &p->srcPos, &p->srcPtr, &p->extent, &from);
    error = error ? error : side_of_3d(p->dstArray, &p->dstPos, &p->dstPtr, &p->extent, &to);
    if (!error && p->srcArray && p->dstArray && from.texel != to.texel) {
        error = cudaErrorInvalidValue;
    }
    if (error) {
        return error;
    }
    size_t width = 0;
    if (__builtin_mul_overflow(p->extent.width, from.texel > to.texel ? from.texel : to.texel,
                               &width)) {
        return cudaErrorInvalidValue;
    }
    return copy(&to, &from, width, p->extent.height, p->extent.depth, p->kind, stream, wait);
}

WR_API cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    return noted(copy_3d(p, NULL, true));
}

WR_API cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    return noted(copy_3d(p, stream, false));
}
