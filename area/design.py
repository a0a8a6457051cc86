# SPDX-License-Identifier: Apache-2.0
"""What is measured: RTL files, top module and parameters, of a block of the tree or of the user."""
import dataclasses
import pathlib
import re
import sys

from toolbox import Failure, refuse_long

STEP = "input"


@dataclasses.dataclass(frozen=True)
class Design:
    name: str       # as shown: the block, or the user's top module
    config: str     # a named configuration, "custom" with --param, "own" for the user's RTL
    top: str
    files: tuple    # pathlib.Path, the top's own first
    params: tuple   # (name, value)

    @property
    def label(self):
        return self.name if self.config == "default" else f"{self.name} {self.config}"

    @property
    def folder(self):
        """Below --out: parameters of no named configuration have a folder of their own."""
        values = "".join(f"-{n}{v}" for n, v in self.params) if self.config in ("custom", "own") else ""
        return f"{self.name}.{self.config}{values}"


def used(path, folder):
    """The file, and those of its folder whose modules it uses, at any depth."""
    found, queue = [path], [path]
    modules = {p.stem: p for p in sorted(folder.glob("*.sv"))}
    while queue:
        words = set(re.findall(r"\w+", queue.pop().read_text(errors="replace")))
        for name, other in modules.items():
            if name in words and other not in found:
                found.append(other)
                queue.append(other)
    return tuple([path] + sorted(found[1:]))


def parameters(items):
    values = {}
    for item in items:
        name, _, value = item.partition("=")
        if not re.fullmatch(r"[A-Za-z_]\w*=(-?\d+|0x[0-9a-fA-F]+)", item):
            raise Failure(STEP, f"--param {item}: wants NAME=VALUE, VALUE a number", 2)
        values[name] = int(value, 0)
    return values


def described(root):
    """The descriptions of the tree's blocks by name."""
    sys.path.insert(0, str(root / "dpi"))
    import blockdesc

    return {b.name: b for b in blockdesc.read_all()}


def of_blocks(root, names, config, items):
    """The blocks named, all that have the configuration where none is, with --param on top of it."""
    blocks = described(root)
    unknown = [n for n in names if n not in blocks]
    if unknown:
        raise Failure(STEP, f"there is no block '{unknown[0]}'; `warpref blocks` lists them", 2)
    extra, out = parameters(items), []
    those = [blocks[n] for n in dict.fromkeys(names)] or [b for b in blocks.values() if config in b.configs]
    for block in those or list(blocks.values()):
        if config not in block.configs:
            raise Failure(STEP, f"{block.name} has no configuration '{config}'; it has "
                          + ", ".join(block.configs), 2)
        values = dict(block.configs[config])
        for name, value in extra.items():
            param = next((p for p in block.params if p.name == name), None)
            if param is None:
                raise Failure(STEP, f"{block.name} has no parameter '{name}'; it has {', '.join(values)}", 2)
            if not param.min <= value <= param.max:
                raise Failure(STEP, f"{block.name}: {name}={value} is not from {param.min} to {param.max}", 2)
            values[name] = value
        folder = root / "rtl" / block.group
        out.append(Design(block.name, "custom" if extra else config, block.name,
                          used(folder / f"{block.name}.sv", folder),
                          tuple((p.name, values[p.name]) for p in block.params)))
    return out


def of_user(paths, top, items):
    files = tuple(pathlib.Path(p).resolve() for p in paths)
    for path in files:
        if not path.is_file():
            raise Failure(STEP, f"--rtl {path}: no such file", 2)
        refuse_long(path, STEP)
    name = top or files[0].stem
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.A):  # netlists are read as text, by plain names
        raise Failure(STEP, f"{'--top ' if top else ''}{name}: the name of a top module wants letters, digits and _ "
                      f"alone; {'put' if top else 'say --top, or put'} the module into one of such a name", 2)
    return Design(name, "own", name, files, tuple(parameters(items).items()))
