# SPDX-License-Identifier: Apache-2.0
"""What may stand at a place of the command line, out of what help calls it.

A kind is a word of help itself: in lower case or digits one of the values (`model`), in capitals a set (`BLOCK`) or
files (`FILE`, `FILE.yaml`, `DIR`). A place has several where help says `NAME|FILE.yaml`, and none where anything may
stand there (`N`). Completion knows the sets; those that the program has come from the program.
"""
import json
import re
import tomllib

import table

FILES = {"FILE", "F", "VECTORS", "OUTPUTS", "PATH"}


def kinds(command, what, option="", text=""):
    """Kinds of an argument, or of an option's value, that help calls `what`."""
    if what.startswith("NAME[:OPTION=VALUE"):
        return ["SYSTEM_SPEC"]
    if pair := re.fullmatch(r"BLOCK=FILE\.(\w+)\[,\.\.\.\]", what):
        return [f"BLOCK=FILE.{pair[1]}"]
    parts = what[1:-1].split(",") if what.startswith("{") else re.sub(r"[][]| ?\.\.\.", "", what).split("|")
    parts = [part.strip() for part in parts]
    found = []
    for part in parts:
        stem, _, ending = part.partition(".")
        if re.fullmatch(r"[a-z0-9_]+", part) or part in ("BLOCK", "DIR"):
            found.append(part)
        elif stem in FILES:
            found.append(f"FILE.{ending}" if ending else "FILE")
        elif part in ("NAME", "CONFIG") and (option == "--config" or command == "config" and not option):
            found.append("MACHINE" if any(other.startswith("FILE") for other in parts) else "CONFIG")
        elif part == "NAME" and not option and command in ("systems", "study"):
            found += ["SYSTEM"] if command == "systems" else ["STUDY", "FILE.toml"]
    return found + (["all"] if re.search(r"\bor `?all\b", text) else [])


def arguments(command):
    """Kinds of a command's arguments, wherever they stand."""
    found = []
    text = " ".join(doc for _, doc in command.named)
    for what in re.sub(r" \| ", "|", command.arguments).split():
        found += [kind for kind in kinds(command.name, what, "", text) if kind not in found]
    return found


def configurations_of_blocks(program):
    """(names of all blocks, names of all configurations that one of them has)."""
    blocks = json.loads(table.ask(program, "blocks", "--json"))["blocks"]
    configurations = dict.fromkeys(name for block in blocks for name in block["configurations"])
    return [block["name"] for block in blocks], list(configurations)


def systems(program):
    """{system: {option: kinds of its value}}"""
    found = {}
    for row in table.ask(program, "systems").split("\n\n")[0].split("\n"):
        name = row.split()[0]
        found[name] = {}
        for part in table.ask(program, "systems", name).split("\n\n"):
            if part.startswith("Options"):
                for option, takes in re.findall(r"^  (\w+)=(.*?)(?: \(default .*\))?$", part, re.M):
                    found[name][option] = kinds("systems", takes, option)
    return found


def studies(folder):
    """{study: its question}, in the order of `warpref study list`."""
    return {f"{path.parent.name}/{path.stem}": tomllib.loads(path.read_text())["question"]
            for path in sorted(folder.glob("*/*.toml")) if path.stem != "claims"}
