#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the input data of the kernels here: data.py DIR. Always the same bytes."""
import array
import os
import sys

MASK = 0xFFFFFFFF


def xorshift(state):
    while True:
        state ^= state << 13 & MASK
        state ^= state >> 17
        state ^= state << 5 & MASK
        yield state


def congruence(state):
    while True:
        state = (state * 1664525 + 1013904223) & MASK
        yield state


def shuffled(n):
    order = list(range(n))
    draw = congruence(999)
    for i in range(n - 1, 0, -1):
        j = next(draw) * (i + 1) >> 32
        order[i], order[j] = order[j], order[i]
    return order


def sparse():
    """CSR: rows of 1 to 16 entries, every 64th of 64 to 127."""
    draw = xorshift(0x1004)
    rows, cols, vals = [0], [], []
    for _ in range(16384):
        q = next(draw)
        length = 64 + (q >> 16 & 63) if (q >> 8 & 63) == 0 else 1 + (q & 15)
        for _ in range(length):
            cols.append(next(draw) % 16384)
            vals.append(((next(draw) & 15) - 8) * 0.125)
        rows.append(len(cols))
    x = [((next(draw) & 31) - 16) * 0.25 for _ in range(16384)]
    return rows, cols, vals, x


def buffers():
    n = 1 << 20
    yield "vecadd_a", "f", map(float, range(n))
    yield "vecadd_b", "f", (2.0 * i for i in range(n))
    yield "matmul_a", "f", (float(i * 7 % 13 - 6) for i in range(65536))
    yield "matmul_b", "f", (float(i * 5 % 11 - 5) for i in range(65536))
    draw = congruence(12345)
    yield "diverge", "I", ((next(draw) >> 12) + 1 for _ in range(8192))
    yield "chase", "I", shuffled(n)
    pixels = xorshift(0x1001)
    yield "stencil5", "f", (float(next(pixels) & 255) for _ in range(512 * 512))
    for name, kind, values in zip(("rows", "cols", "vals", "x"), "iiff", sparse()):
        yield "spmv_" + name, kind, values
    yield "strided", "I", (i * 2654435761 & MASK for i in range(1 << 21))


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: data.py DIR")
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, kind, values in buffers():
        data = array.array(kind, values)
        if sys.byteorder == "big":
            data.byteswap()
        with open(os.path.join(sys.argv[1], name + ".bin"), "wb") as out:
            out.write(data.tobytes())


main()
