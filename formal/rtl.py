# SPDX-License-Identifier: Apache-2.0
"""The RTL of a block: which files it is, and what Yosys makes of them, word-level JSON.

Other commands that take RTL of the user's have their options from here, too.

Modules that no given file holds are sought in files of their name: beside the given ones, in the folders that are
given, and at last among the block's own RTL.
"""
import re
from dataclasses import dataclass
from pathlib import Path

from formal.tool import ToolFailed, run_tool
from tools.sized import too_long

# -keepdc: unknown bits stay unknown, for the proof to take them as any value. A register of a part stays,
# though the whole may not use it: the model has it.
PASSES = ("proc; flatten; setattr -set keep 1 w:*_q; memory_collect; memory_map; opt_expr -keepdc; opt_clean;"
          " opt_merge; opt_clean; write_json")

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
INCLUDE = re.compile(r'^\s*`include\s+"([^"]+)"', re.M)
MODULE = re.compile(r"\bmodule\s+(\w+)")
INSTANCE = re.compile(r"\b(\w+)\s*(?:#\s*\(|\s\w+\s*(?:\[[^]]*\]\s*)*\()")
DEFINE = re.compile(r'[A-Za-z_]\w*(=[^\s";]*)?')


@dataclass(frozen=True)
class Sources:
    """RTL of the user's, by absolute paths."""

    files: tuple
    folders: tuple = ()
    includes: tuple = ()
    defines: tuple = ()

    def options(self):
        """Those of `warpref prove` and `warpref cosim` that give them."""
        named = zip(("--rtl", "--rtl-dir", "--include", "--define"),
                    (self.files, self.folders, self.includes, self.defines))
        return [word for option, values in named for value in values for word in (option, str(value))]


def add_own(parser, verb):
    """Options of a command that takes RTL in the place of a block's own."""
    parser.add_argument("--rtl", action="append", type=Path, default=[], metavar="FILE.sv",
                        help=f"RTL to {verb} instead of the block's own; may be repeated")
    add_options(parser)
    parser.add_argument("--top", metavar="NAME", help="its top module (the block's name)")


def given_own(args, blocks):
    """Sources of what add_own added; None: the block's own RTL. blocks: those that are named."""
    if (args.rtl or args.top) and len(blocks) != 1:
        raise ToolFailed("--rtl and --top want one BLOCK")
    if args.top and not args.rtl:
        raise ToolFailed("--top wants --rtl")
    return given(args.rtl, args)


def add_options(parser):
    parser.add_argument("--rtl-dir", action="append", type=Path, default=[], metavar="DIR",
                        help="modules that no file holds are sought here, in files of their name, where there is"
                        " none beside the files; may be repeated")
    parser.add_argument("--include", action="append", type=Path, default=[], metavar="DIR",
                        help="for the preprocessor; may be repeated")
    parser.add_argument("--define", action="append", default=[], metavar="NAME[=VALUE]",
                        help="for the preprocessor; may be repeated")


def given(files, args):
    """Sources of these files, with what add_options added."""
    for path, there in [(f, Path.is_file) for f in files] + [(d, Path.is_dir) for d in args.rtl_dir + args.include]:
        if not there(path):
            raise ToolFailed(f"{path}: no such {'file' if there is Path.is_file else 'folder'}")
        if there is Path.is_file and too_long(path):
            raise ToolFailed(f"{path}: {too_long(path)}")
        if '"' in str(path):
            raise ToolFailed(f"{path}: Yosys takes no quote in a name")
    for text in args.define:
        if not DEFINE.fullmatch(text):
            raise ToolFailed(f"--define '{text}': must be NAME or NAME=VALUE, without blanks, quotes and semicolons")
    if not files and (args.rtl_dir or args.include or args.define):
        raise ToolFailed("--rtl-dir, --include and --define are for RTL in place of ours: which files?")
    return Sources(*(tuple(p.resolve() for p in paths) for paths in (files, args.rtl_dir, args.include)),
                   tuple(args.define)) if files else None


def own(root, block):
    return Sources((root / f"rtl/{block.group}/{block.name}.sv",))


def _text(path, includes, depth=0):
    """A file with what it includes, without comments."""
    if too_long(path):
        raise ToolFailed(f"{path}: {too_long(path)}")
    text = COMMENT.sub("", path.read_text(errors="replace"))
    for name in INCLUDE.findall(text):
        other = next((d / name for d in (path.parent, *includes) if (d / name).is_file()), None)
        if other and depth < 16:
            text += _text(other, includes, depth + 1)
    return text


def read(root, block, source):
    """{file: text} of the files given, in their order, and behind them of those that were sought."""
    folders = dict.fromkeys([*(f.parent for f in source.files), *source.folders, root / f"rtl/{block.group}"])
    texts = {f: _text(f, source.includes) for f in source.files}
    held = {name for text in texts.values() for name in MODULE.findall(text)}
    rest = list(texts.values())
    for text in rest:  # it grows
        for name in INSTANCE.findall(text):
            found = [f for d in folders for f in (d / f"{name}.sv", d / f"{name}.v") if f.is_file()]
            if name not in held and found and found[0] not in texts:
                rest.append(_text(found[0], source.includes))
                texts[found[0]] = rest[-1]
                held.update(MODULE.findall(rest[-1]))
    return texts


def write_netlist(root, block, values, source, top, out):
    """source: None for the block's own RTL."""
    source = source or own(root, block)
    texts = read(root, block, source)
    options = "".join(f" -D{text}" for text in source.defines)
    for i, folder in enumerate(source.includes):  # by links: Yosys takes no blank in the name of one
        link = out.parent / f"include{i}"
        link.unlink(missing_ok=True)
        link.symlink_to(folder)
        options += f" -I{link.name}"
    reads = [f'read_verilog -sv{"" if f in source.files else " -defer"}{options} "{f}"' for f in texts]
    sets = "".join(f" -set {p.name} {values[p.name]}" for p in block.params)
    try:
        run_tool(["yosys", "-q", "-p", "; ".join(reads) + f"; chparam{sets} {top}; hierarchy -check -top {top}; "
                  f"{PASSES} {out.name}"], out.parent)
    except ToolFailed as error:
        if found := re.search(r"Module `\\(\S+)' referenced in module `\\(\S+)'", str(error)):
            raise ToolFailed(f"no module '{found[1]}', of which '{found[2]}' has an instance: it is in no file"
                             f" given, and no file of its name is beside them or in rtl/{block.group}: --rtl-dir DIR"
                             " says where it is") from None
        if f"Module `{top}' not found" in str(error):
            held = [name for f in source.files for name in MODULE.findall(texts[f])]
            raise ToolFailed(f"{', '.join(f.name for f in source.files)}: no module '{top}', but"
                             f" {', '.join(held) or 'none'}: prove --top NAME says which it is") from None
        raise
