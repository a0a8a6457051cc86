# SPDX-License-Identifier: Apache-2.0
"""Writes two images, and what the kernel has to make of them: of rough.bin, rows of 32 tiles, rough.txt; of
urgent.bin, rows of 4, urgent.txt. Pixels come from a linear congruential generator; the sums are plain Python."""
import pathlib

THREADS = 128


def image(count):
    state, out = 1, bytearray()
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        out.append(state >> 16 & 255)
    return bytes(out)


def roughness(row):
    tiles = [row[at:at + THREADS] for at in range(0, len(row), THREADS)]
    return sum((tile[t] - tile[(t + 1) % THREADS])**2 for tile in tiles for t in range(THREADS))


def write(name, rows, tiles):
    long = tiles * THREADS
    pixels = image(rows * long)
    sums = [roughness(pixels[row * long:(row + 1) * long]) for row in range(rows)]
    pathlib.Path(f"{name}.bin").write_bytes(pixels)
    pathlib.Path(f"{name}.txt").write_text("\n".join(map(str, sums)) + "\n")


write("rough", 240, 32)
write("urgent", 30, 4)
