# SPDX-License-Identifier: Apache-2.0
"""Lin-P III.C, kernel BP_1: bytes of a warp's compressed registers, and patterns over a whole TB.

bytes     1,000 warps of 5,125 live registers in all, 47.4 % of them uniform and the rest strided,
          in groups of 16 lanes, as the paper measured BP_1; values are drawn, and only their pattern
          matters. Blocks reg_compressor and context_packer are the path of a save.
patterns  ty x 16 + tx, tx, ty and i of a TB of 16 x 16 threads through reg_compressor and tb_compressor.
"""

import json
import random

import warpref

WARPS, REGISTERS, UNIFORM = 1000, 5125, 0.474
LANES, PAG = 32, 16
TB = (16, 16)


def compressed(compressor, lanes):
    """The compressor's output for a register."""
    compressor.step(valid_i=1, pag_i="lanes16", lane_i=lanes, ready_i=1)
    while not compressor.valid_o:
        compressor.step(ready_i=1)
    out = compressor.out
    compressor.step(ready_i=1)
    return out


def register(rng, uniform):
    lanes = []
    for _ in range(LANES // PAG):
        base, stride = rng.getrandbits(32), 0 if uniform else rng.randrange(1, 1 << 32)
        lanes += [(base + i * stride) % (1 << 32) for i in range(PAG)]
    return lanes


def bytes_of_warps():
    rng = random.Random(1)
    uniform = round(UNIFORM * REGISTERS)
    kinds = [True] * uniform + [False] * (REGISTERS - uniform)
    rng.shuffle(kinds)
    compressor, packer = warpref.block("reg_compressor"), warpref.block("context_packer")
    patterns = type(compressor).pattern_o.codes
    words = stored = 0
    seen = {name: 0 for name in patterns}
    for warp in range(WARPS):
        live = kinds[warp * REGISTERS // WARPS:(warp + 1) * REGISTERS // WARPS]
        packer.step(start_i=1)
        for tag, is_uniform in enumerate(live):
            out = compressed(compressor, register(rng, is_uniform))
            seen[patterns[out.pattern_o]] += 1
            taken = False
            while not taken:
                got = packer.step(valid_i=1, tag_i=tag, pattern_i=out.pattern_o, count_i=out.count_o, word_i=out.word_o, seg_ready_i=1)
                taken = got.ready_o
                stored += got.seg_count_o
        packer.step(flush_i=1, seg_ready_i=1)
        while not packer.done_o:
            stored += packer.step(seg_ready_i=1).seg_count_o
        words += packer.total_o
    assert not compressor.fault_o and not packer.fault_o
    total = sum(seen.values())
    return {"live": total / WARPS, "uniform": 100 * seen["uniform"] / total, "strided": 100 * seen["strided"] / total,
            "live_bytes": 4 * LANES * total / WARPS, "bytes": 4 * words / WARPS, "stored_bytes": 4 * stored / WARPS}


def tb_class(value):
    """Class and words of a register that has this value in thread (tx, ty)."""
    compressor, tb = warpref.block("reg_compressor"), warpref.block("tb_compressor")
    threads = [value(n % TB[0], n // TB[0]) for n in range(TB[0] * TB[1])]
    for first in range(0, len(threads), LANES):
        out = compressed(compressor, threads[first:first + LANES])
        assert tb.step(valid_i=1, last_i=first + LANES == len(threads), pag_i="lanes16", pattern_i=out.pattern_o,
                       word_i=out.word_o[:tb.values["Words"]], ready_i=1).ready_o
    words, name = 0, type(tb).tb_class_o.codes[tb.tb_class_o]
    while tb.valid_o:
        words += tb.step(ready_i=1).count_o
    assert not tb.fault_o
    return {"class": name, "words": words}


print(json.dumps({
    "bytes": bytes_of_warps(),
    "patterns": {
        "ty*16+tx": tb_class(lambda tx, ty: ty * 16 + tx),
        "tx": tb_class(lambda tx, ty: tx),
        "ty": tb_class(lambda tx, ty: ty),
        "i": tb_class(lambda tx, ty: 7),
    },
}, indent=1))
