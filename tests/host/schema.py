#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`warpref schema`: every launch file of the library and every configuration is as its schema says, and what the readers
refuse for its shape the schemas refuse, too.

    tests/host/schema.py --program build/release/bin/warpref

Files are YAML of the simple kind that this test reads itself; checked are the words of JSON schema that are used.
"""
import argparse
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def scalar(text):
    text = text.strip()
    if text.startswith("["):
        return [scalar(t) for t in split(text[1:-1])]
    if text.startswith("{"):
        return {k.strip(): scalar(v) for k, v in (t.split(":", 1) for t in split(text[1:-1]))}
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text.strip("'\"")


def split(text):
    """At commas that are in no bracket."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "[{") - (c in "]}")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p for p in parts if p.strip()]


def read(lines, indent=0):
    """The block at this indentation, off the front of lines."""
    out = None
    while lines and len(lines[0]) - len(lines[0].lstrip()) >= indent:
        line = lines[0]
        at = len(line) - len(line.lstrip())
        if isinstance(out, dict if line.lstrip().startswith("- ") else list):
            break
        if line.lstrip().startswith("- "):
            out = [] if out is None else out
            rest = line.lstrip()[2:]
            if rest.startswith("{") or not re.match(r"[\w.]+:( |$)", rest):
                lines.pop(0)
                out.append(scalar(rest))
            else:
                lines[0] = " " * (at + 2) + rest
                out.append(read(lines, at + 2))
        else:
            out = {} if out is None else out
            key, value = lines.pop(0).strip().split(":", 1)
            if value.strip():
                out[key] = scalar(value)
            else:
                deeper = len(lines[0]) - len(lines[0].lstrip())
                out[key] = read(lines, deeper)
    return out


def document(text):
    lines = [re.sub(r"(^|\s)#.*", "", line).rstrip() for line in text.splitlines()]
    joined = []
    for line in filter(None, lines):
        if joined and joined[-1].count("{") + joined[-1].count("[") > joined[-1].count("}") + joined[-1].count("]"):
            joined[-1] += " " + line.strip()
        else:
            joined.append(line)
    return read(joined)


def wrong(schema, value, path="$"):
    """What is not as the schema has it; "": nothing."""
    if "if" in schema:
        return wrong(schema["then" if not wrong(schema["if"], value, path) else "else"], value, path)
    if "enum" in schema and value not in schema["enum"]:
        return f"{path}: {value!r}"
    types = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float)}
    wanted = schema.get("type", [])
    wanted = [wanted] if isinstance(wanted, str) else wanted
    if wanted and not any(isinstance(value, types[t]) for t in wanted):
        return f"{path}: no {wanted}"
    if isinstance(value, (int, float)) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        return f"{path}: {value}"
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            return f"{path}: {len(value)} items"
        return next(filter(None, (wrong(schema["items"], v, f"{path}[{i}]") for i, v in enumerate(value))), "")
    if isinstance(value, dict):
        for name in schema.get("required", []):
            if name not in value:
                return f"{path}.{name} is missing"
        for name, inner in value.items():
            known = schema.get("properties", {})
            if name not in known:
                if schema.get("additionalProperties") is False:
                    return f"{path}.{name} is unknown"
                continue
            if why := wrong(known[name], inner, f"{path}.{name}"):
                return why
    return ""


def changes(value, path=()):
    """Copies of a document with one thing wrong in its shape."""
    for name in value:
        at = (*path, name)
        yield at, "gone", None
        yield at, "another name", None
        if isinstance(value[name], dict):
            yield from changes(value[name], at)
        elif isinstance(value[name], int):
            yield at, "a list", [1, 2]
            yield at, "negative", -1
        elif isinstance(value[name], str):
            yield at, "a list", ["x"]


def changed(value, at, what, new):
    value = copy.deepcopy(value)
    inner = value
    for name in at[:-1]:
        inner = inner[name]
    old = inner.pop(at[-1])
    if what == "another name":
        inner[at[-1] + "_x"] = old
    elif what != "gone":
        inner[at[-1]] = new
    return value


def flow(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {flow(v)}" for k, v in value.items()) + "}"
    return "[" + ", ".join(map(flow, value)) + "]" if isinstance(value, list) else str(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--program", required=True)
    program = parser.parse_args().program
    passed = failed = 0

    def check(good, text):
        nonlocal passed, failed
        passed, failed = passed + bool(good), failed + (not good)
        if not good:
            print(f"FAIL  {text}")

    schemas = {what: json.loads(subprocess.run([program, "schema", what], capture_output=True, text=True, check=True).stdout)
               for what in ("launch", "config")}
    check("FILE.so:FUNCTION" in schemas["launch"]["properties"]["checks"]["items"]["properties"]["reference"]["description"],
          "references of one's own")
    for file in sorted([*(ROOT / "kernels").glob("*.yaml"), *(ROOT / "examples").glob("*/*.yaml")]):
        if "- &" in file.read_text():
            continue  # anchors are more YAML than this test reads
        why = wrong(schemas["launch"], document(file.read_text()))
        check(not why, f"{file.name}: {why}")
    configs = {file.stem: document(file.read_text()) for file in sorted((ROOT / "shell/config").glob("*.yaml"))}
    for name, config in configs.items():
        why = wrong(schemas["config"], config)
        check(not why, f"{name}: {why}")
    derived = {"base": "gtx480", "sms": 3, "l1": {"mshrs": 7}}
    check(not wrong(schemas["config"], derived), "a configuration with base")
    check(wrong(schemas["config"], {"sms": 3}), "without base keys may be left out")
    # what one change of a configuration's shape does: the reader's word is the oracle
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch) / "c.yaml"
        for base in (configs["gtx480"], derived):
            for at, what, new in changes(base):
                value = changed(base, at, what, new)
                file.write_text("".join(f"{k}: {flow(v)}\n" for k, v in value.items()))
                done = subprocess.run([program, "config", str(file)], capture_output=True, text=True, check=False)
                if done.returncode and f"{file}:" not in done.stderr.replace(": error", ":", 1):
                    continue  # two values that do not go together
                refused = bool(wrong(schemas["config"], value))
                # a place of its own says the reader: of meaning (an address map) a schema knows nothing
                of_meaning = not refused and at[-1] in ("address_map", "memory_nodes", "base")
                check(refused == bool(done.returncode) or of_meaning,
                      f"{'.'.join(at)} {what}: the schema {'refuses' if refused else 'takes'} it, the reader: {done.stderr.strip()}")
    for words, text in (([], "say which"), (["run"], "not 'run'"), (["launch", "config"], "one schema")):
        done = subprocess.run([program, "schema", *words], capture_output=True, text=True, check=False)
        check(done.returncode == 2 and text in done.stderr, f"schema {words}: {done.returncode}: {done.stderr}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or passed < 300 else 0


if __name__ == "__main__":
    sys.exit(main())
