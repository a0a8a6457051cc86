#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Texture fetches against CUDA's programming guide, worked out here in exact fractions.

Every function, filter, address mode and kind of coordinates, by object and by reference, of random texels and
coordinates. What the guide's appendix "Texture Fetching" says is worked out without rounding: texels are chosen so
that a float holds each result of a filter; where one is a rounded number itself, as a normalised integer is, the sum
may be off by the rounding of as many additions as it has.

    tests/cuda/texture.py BIN_DIR [--seed S]

Beside them programs/arrays.cu, which checks itself. The last line is "N passed, N failed", in textures.
"""
import argparse
import fractions
import itertools
import math
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LONG = "WARPREF_LONG" in os.environ
COORDINATES = 64
WRAP, CLAMP, MIRROR, BORDER = range(4)
SIGNED, UNSIGNED, FLOAT = range(3)
POINT, LINEAR = range(2)
FETCH, ONE, TWO, THREE, LAYERED_ONE, LAYERED_TWO, CUBE = range(7)
AXES = {FETCH: 1, ONE: 1, TWO: 2, THREE: 3, LAYERED_ONE: 1, LAYERED_TWO: 2, CUBE: 2}
# (bits, channels, kind, read as normalised floats): each type of result that the program has.
FORMATS = [(32, 1, FLOAT, 0), (32, 4, FLOAT, 0), (8, 4, UNSIGNED, 1), (8, 1, SIGNED, 0), (32, 2, FLOAT, 0), (16, 1, FLOAT, 0),
           (16, 4, FLOAT, 0), (8, 4, UNSIGNED, 0), (16, 1, UNSIGNED, 0), (16, 2, SIGNED, 0), (32, 1, UNSIGNED, 0), (32, 4, SIGNED, 0),
           (8, 1, UNSIGNED, 1), (8, 2, SIGNED, 1), (16, 1, SIGNED, 1), (16, 4, UNSIGNED, 1)]
BY_REFERENCE = {(32, 1, FLOAT, 0): set(AXES), (8, 4, UNSIGNED, 1): {TWO}}
Fraction = fractions.Fraction


class Texture:
    def __init__(self, r, number, function, form, reference):
        self.function, self.form, self.reference = function, form, reference
        self.bits, self.channels, self.kind, self.read = form
        self.is_float = self.kind == FLOAT or self.read
        self.filter = number // 2 % 2 if self.is_float and function != FETCH else POINT
        self.normalized = number % 2 if function != FETCH else 0
        self.address = [(number // 4 + axis * (number // 16)) % 4 for axis in range(3)]
        self.width = r.randint(1, 17)
        if function == CUBE:
            self.normalized = 1
        self.height = r.randint(1, 9) if AXES[function] > 1 else 0
        self.layered = function in (LAYERED_ONE, LAYERED_TWO)
        self.depth = r.randint(1, 5) if AXES[function] > 2 or self.layered else 0
        if function == CUBE:
            self.height, self.depth = self.width, 6
        if function == TWO and number % 3 == 0:
            self.depth = -1  # of rows with a pitch, not of an array
        self.border = [0, 0, 0, 0] if reference or number % 2 else [r.randint(0, 100) for _ in range(4)]
        count = self.width * max(self.height, 1) * max(self.depth, 1)
        self.texels = [[self.value(r) for _ in range(self.channels)] for _ in range(count)]
        self.points = [self.point(r, i) for i in range(COORDINATES)]

    def value(self, r):
        if self.kind == FLOAT:
            return r.randint(-60, 60)  # with 24 bits of weights of 3 axes a float holds their sums where few are added
        low = -(1 << (self.bits - 1)) if self.kind == SIGNED else 0
        return r.choice([low, low + (1 << self.bits) - 1, r.randrange(low, low + (1 << self.bits))])

    def point(self, r, i):
        """Coordinates that a float holds, with all that is done to them."""
        sizes = [self.width, max(self.height, 1), max(self.depth, 1)]
        if self.function == CUBE:  # one axis is the longest
            xyz = [Fraction(r.randrange(-1 << 14, 1 << 14), 1 << 14) for _ in sizes]
            xyz[i % 3] = Fraction(r.choice([-1, 1]))
            return xyz, 0
        if self.normalized:
            xyz = [Fraction(r.randrange(-2 << 14, 3 << 14), 1 << 14) for _ in sizes]
        else:
            xyz = [Fraction(r.randrange(-3 << 10, (size + 3) << 10), 1 << 10) for size in sizes]
        if i % 8 == 0:  # on the edges of texels
            xyz = [Fraction(round(x * 2), 2) for x in xyz]
        return xyz, r.randrange(-3, max(self.width, self.depth) + 3)

    # --- What is asked ---

    def request(self):
        numbers = [self.function, int(self.reference), self.bits, self.channels, self.kind, self.width, self.height, self.depth,
                   self.filter, *self.address, self.normalized, self.read]
        code = {(8, SIGNED): "b", (8, UNSIGNED): "B", (16, SIGNED): "h", (16, UNSIGNED): "H", (16, FLOAT): "e", (32, SIGNED): "i",
                (32, UNSIGNED): "I", (32, FLOAT): "f"}[self.bits, self.kind]
        data = b"".join(struct.pack(f"<{self.channels}{code}", *texel) for texel in self.texels)
        lines = [" ".join(map(str, [*numbers, len(data), len(self.points), *self.border])), " ".join(f"{byte:x}" for byte in data)]
        for xyz, layer in self.points:
            lines.append(" ".join(f"{word:x}" for word in struct.unpack("<4I", struct.pack("<3fi", *map(float, xyz), layer))))
        return "\n".join(lines) + "\n"

    # --- What it must give ---

    def number(self, value):
        """A texel's channel as a fetch gives it."""
        if not self.read:
            return Fraction(value)
        whole = (1 << (self.bits - (self.kind == SIGNED))) - 1
        return max(Fraction(value, whole), Fraction(-1))

    def index(self, i, size, axis):
        """The texel of an integer, or None: outside."""
        way = self.address[axis]
        if not self.normalized and way in (WRAP, MIRROR):
            way = CLAMP
        if way == WRAP:
            return i % size
        if way == BORDER:
            return i if 0 <= i < size else None
        return min(max(i, 0), size - 1)

    def coordinate(self, x, size, axis):
        if not self.normalized:
            return x
        whole = math.floor(x)
        if self.address[axis] == WRAP:
            x = x - whole
        elif self.address[axis] == MIRROR:
            x = 1 - (x - whole) if whole % 2 else x - whole
        return x * size

    def taps(self, x, size, axis):
        """(texel, weight) of an axis."""
        x = self.coordinate(x, size, axis)
        if self.filter == POINT:
            return [(self.index(math.floor(x), size, axis), Fraction(1))]
        from_half = x - Fraction(1, 2)
        i = math.floor(from_half)
        weight = Fraction(math.floor((from_half - i) * 256 + Fraction(1, 2)), 256)  # 8 bits of fraction
        return [(self.index(i, size, axis), 1 - weight), (self.index(i + 1, size, axis), weight)]

    def texel(self, x, y, z):
        if None in (x, y, z):
            return [Fraction(b) for b in self.border[:self.channels]]
        at = (z * max(self.height, 1) + y) * self.width + x
        return [self.number(value) for value in self.texels[at]]

    def expected(self, xyz, layer):
        """(value, by how much it may be off) of each channel."""
        if self.function == FETCH:
            inside = 0 <= layer < self.width
            return [(v, 0) for v in (self.texel(layer, 0, 0) if inside else [Fraction(b) for b in self.border[:self.channels]])]
        sizes = [self.width, max(self.height, 1), max(self.depth, 1)]
        if self.function == CUBE:
            xyz, layer = self.face(*xyz)
        plane = [(min(max(layer, 0), sizes[2] - 1) if self.layered or self.function == CUBE else 0, Fraction(1))]
        axes = [self.taps(xyz[axis], sizes[axis], axis) if axis < AXES[self.function] else [(0, Fraction(1))] for axis in range(3)]
        if AXES[self.function] < 3:
            axes[2] = plane
        sums, off = [Fraction(0)] * self.channels, [Fraction(0)] * self.channels
        for taps in itertools.product(*axes):
            weight = math.prod(w for _, w in taps)
            for c, value in enumerate(self.texel(*(i for i, _ in taps))):
                sums[c] += weight * value
                off[c] += abs(weight * value)
        rounded = (2 ** AXES[self.function] + 1) * Fraction(1, 1 << 24) if self.filter == LINEAR and (self.read or AXES[self.function] == 3) else 0
        return [(s, o * rounded) for s, o in zip(sums, off)]

    @staticmethod
    def face(x, y, z):
        """The coordinates on the face of a cube, and the face, by the guide's table."""
        longest = max(abs(x), abs(y), abs(z))
        for face, (major, s, t) in enumerate([(x, -z, -y), (-x, z, -y), (y, x, z), (-y, x, -z), (z, x, -y), (-z, -x, -y)]):
            if major == longest:
                return [(s / major + 1) / 2, (t / major + 1) / 2, 0], face
        raise AssertionError

    def wrong(self, lines):
        size = self.channels * (4 if self.is_float else self.bits // 8)
        code = "f" if self.is_float else {(8, SIGNED): "b", (8, UNSIGNED): "B", (16, SIGNED): "h", (16, UNSIGNED): "H", (32, SIGNED): "i",
                                          (32, UNSIGNED): "I"}[self.bits, self.kind]
        for (xyz, layer), line in zip(self.points, lines, strict=True):
            got = struct.unpack(f"<{self.channels}{code}", bytes.fromhex(line)[:size])
            for channel, (value, (want, off)) in enumerate(zip(got, self.expected(xyz, layer))):
                want = Fraction(struct.unpack("<f", struct.pack("<f", want))[0]) if self.is_float and off == 0 else want
                if not math.isfinite(value) or abs(Fraction(value) - want) > off:
                    return (f"at {', '.join(map(str, map(float, xyz)))}, layer {layer}, channel {channel} it gives {value}, not {float(want)}: "
                            f"{self.__dict__ | {'texels': len(self.texels), 'points': len(self.points)}}")
        return ""


def all_of_them(seed):
    """Each combination of filter, coordinates and address modes, of each function; formats take turns, or are all tried."""
    for function, number in itertools.product(AXES, range(32)):
        for at, form in enumerate(FORMATS):
            if LONG or at in (0, number % len(FORMATS)):
                r = random.Random(f"{seed}:{function}:{number}:{at}")
                yield Texture(r, number, function, form, False)
                if function in BY_REFERENCE.get(form, ()) and (LONG or number % 2 == at % 2):
                    yield Texture(r, number, function, form, True)


def arrays(folder, warpref):
    """What programs/arrays.cu checks itself: copies, surfaces, bindings, errors; what is wrong, or ""."""
    subprocess.run([warpref, "cc", HERE / "programs/arrays.cu", "-o", "arrays"], cwd=folder, check=True)
    done = subprocess.run(["./arrays"], cwd=folder, capture_output=True, text=True, check=False, env=os.environ | {"WARPREF_PROGRAM": warpref})
    trapped = "trap executed" in done.stderr and "arrays.cu:" in done.stderr
    return "" if done.returncode == 0 and done.stdout.endswith("PASS\n") and trapped else f"arrays.cu: {done.stdout}{done.stderr[-300:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", help="the folder of warpref")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("WARPREF_SEED") or 1), help="of all draws")
    args = parser.parse_args()
    warpref = str(pathlib.Path(args.bin).resolve() / "warpref")
    print(f"seed {args.seed} (--seed or WARPREF_SEED)")
    textures = list(all_of_them(args.seed))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([warpref, "cc", HERE / "programs/texture.cu", "-o", "texture"], cwd=folder, check=True)
        done = subprocess.run(["./texture"], cwd=folder, input="".join(t.request() for t in textures), capture_output=True, text=True,
                              check=False, env=os.environ | {"WARPREF_PROGRAM": warpref})
        why = arrays(folder, warpref)
    lines = done.stdout.splitlines()
    passed, failed = int(not why), int(bool(why))
    if why:
        print(f"FAIL  {why}")
    for number, texture in enumerate(textures):
        mine = lines[number * COORDINATES:(number + 1) * COORDINATES]
        try:
            why = texture.wrong(mine)
        except ValueError:
            why = f"exit status {done.returncode}: {mine[-1:]} {done.stderr[-300:]}"
        passed, failed = passed + (not why), failed + bool(why)
        if why and failed <= 10:
            print(f"FAIL  {why}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed or done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
