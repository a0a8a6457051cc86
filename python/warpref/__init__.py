# SPDX-License-Identifier: Apache-2.0
"""The blocks of warpref in Python, and runs of the program with their figures.

    b = warpref.block("drf_partitioner", Kernels=2)    a block's model; help(b) shows its pins
    b.load_i = 1; b.tick(); b.done_o                   pins are attributes
    warpref.blocks()                                   all blocks, their classes by name
    r = warpref.run("kernels/vecadd.yaml")             a run; r.counters, r.launches, r.parts

docs/python.md is the page.
"""

from .errors import Error, LibraryError, RunError
from .gen.blocks import BLOCKS, block
from .gen.library import VERSION as __version__
from .model import Block
from .runs import Run, run

__all__ = ["Block", "Error", "LibraryError", "Run", "RunError", "block", "blocks", "run", "__version__"]


def blocks():
    """Name -> class of every block, by group; a class says its parameters, configs and pins."""
    return dict(BLOCKS)
