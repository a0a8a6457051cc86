# SPDX-License-Identifier: Apache-2.0
"""Which modules a block's RTL is made of: a module holds another one where its text names it, and so on down."""
import re

from blockdesc import ROOT


def modules(block):
    """Of a block, those that others are made of first, itself last."""
    files = {p.stem: re.sub(r"//.*", "", p.read_text()) for p in sorted((ROOT / "rtl" / block.group).glob("*.sv"))}
    order = []

    def add(name):
        for other in files:
            if other != name and other not in order and re.search(rf"\b{other}\b", files[name]):
                add(other)
        order.append(name)

    if block.name in files:  # a new block has none yet
        add(block.name)
    return order


def parts(block, blocks):
    """The blocks that stand inside it, in modules of whatever depth."""
    names = {b.name for b in blocks} - {block.name}
    return [name for name in sorted(modules(block)) if name in names]
