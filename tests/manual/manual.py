#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Manual pages and completion hold all that `warpref --help` and `warpref COMMAND --help` name.

Help is read here in another way than tools/manual reads it: wrapped as a terminal shows it, and only for names. bash
completes command lines; of zsh and fish, where installed, the syntax is checked. Then pages and completion with an
option taken out must fail the same checks.
Usage: tests/manual/manual.py BUILD
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tools" / "manual"))
sys.dont_write_bytecode = True
import table  # noqa: E402

BASH, ZSH, FISH = ("bash-completion/completions/warpref", "zsh/vendor-completions/_warpref",
                   "fish/vendor_completions.d/warpref.fish")
passed, failed = 0, 0


def run(*words, **more):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, **more)


def holds(what, good, *details):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAILED: {what}", *details, sep="\n    ")


def same(what, got, want):
    holds(what, want and sorted(got) == sorted(want), f"got  {sorted(got)}", f"want {sorted(want)}")


def names_of_help(program):
    """{command: its long options}"""
    env = {**os.environ, "COLUMNS": "80"}
    listed = run(program, "--help", env=env).stdout.partition("Commands:\n")[2].partition("\n\n")[0]
    found = {}
    for name in re.findall(r"^  (\S+)", listed, re.M):
        text = run(program, name, "--help", env=env).stdout
        found[name] = set(re.findall(r"^ {2,6}(?:-\S(?: [^,]+)?, )?(--[a-z][\w-]*)", text, re.M))
        found[name] |= set(re.findall(r"\[(--[a-z][\w-]*)", text.partition("\n\n")[0]))
    return found


def completed(share, program, lines, **more):
    """Of each command line the candidates that bash has."""
    done = run("bash", "--norc", HERE / "complete.bash", share / BASH, program, **more,
               input="".join("\t".join(line) + "\n" for line in lines))
    rows = done.stdout.split("\n")[:-1]
    if done.returncode != 0 or done.stderr or len(rows) != len(lines):
        holds("bash completes without a word of its own", False, f"status {done.returncode}", done.stderr)
        return [[] for _ in lines]
    return [row.split("\t")[:-1] if row != "\t" else [] for row in rows]


def missing(share, program, commands):
    """What pages and completion lack, one line each."""
    found = []
    texts = {name: (share / name).read_text() for name in (ZSH, FISH)}
    offered = completed(share, program, [[]] + [[name, "--"] for name in commands])
    for at, (name, options) in enumerate(commands.items()):
        page = share / f"man/man1/warpref-{name}.1"
        text = page.read_text().replace("\\-", "-") if page.is_file() else ""
        zsh = texts[ZSH].partition(f"\n{name})\n")[2].partition(";;")[0]
        fish = "\n".join(line for line in texts[FISH].split("\n") if f"'__warpref_in {name}'" in line)
        found += [] if page.is_file() else [f"{name}: no page"]
        found += [] if name in offered[0] else [f"{name}: bash does not complete it"]
        for option in sorted(options):
            found += [] if f"\\fB{option}\\fP" in text else [f"{name} {option}: not in {page.name}"]
            found += [] if {option, option + "="} & set(offered[at + 1]) else [f"{name} {option}: not in bash"]
            found += [] if re.search(rf"[)*]{option}(=-?)?\[", zsh) else [f"{name} {option}: not in zsh"]
            found += [] if f" -l {option[2:]} " in fish else [f"{name} {option}: not in fish"]
    return found


def values(share, program, folder):
    """Values that are known: by the program, by help, by the tree, and files by their ending."""
    def first_words(text):
        return [line.split()[0] for line in text.split("\n") if line.strip()]
    blocks = json.loads(run(program, "blocks", "--json").stdout)["blocks"]
    block_names = [block["name"] for block in blocks]
    configs = {name for block in blocks for name in block["configurations"]}
    machines = run(program, "config").stdout.split()
    systems = first_words(run(program, "systems").stdout.partition("\n\n")[0])
    studies = first_words(run(program, "study", "list").stdout)
    cases = [
        (["run", "--config", ""], machines), (["run", "--config", "="], machines), (["run", "-c", ""], machines),
        (["config", ""], machines), (["run", "--system", ""], systems), (["systems", ""], systems),
        (["run", "--blocks", "=", "l"], ["lockstep"]),
        (["run", "--json", "--blocks", ""], ["model", "rtl", "lockstep"]),
        (["cosim", ""], block_names), (["coverage", ""], [*block_names, "all"]),
        (["cosim", block_names[0], "--config", ""], configs), (["mutate", "--config", "="], configs),
        (["run", "--rtl", ""], [name + "=" for name in block_names]),
        (["replay", "--against", ""], ["model", "rtl", "lockstep"]),
        (["compile", "--address-size", "=", ""], ["32", "64"]),
        (["study", ""], [*studies, "list", "all"]),
        (["run", "--system", "=", "preemption", ":", "period=1,sm", "=", "r"], ["rotate", "random"]),
        (["run", ""], ["a.yaml", "sub"]), (["compile", ""], ["a.yaml", "b.ptx", "c.cu", "sub"]),
        (["study", "./"], ["./d.toml", "./sub"]), (["run", "--config", "a"], ["a.yaml"]),
        (["run", "--rtl", "=", block_names[0], "=", "e"], ["e.sv"]), (["run", "--record", ""], ["sub"]),
        (["run", "--wave", "=", "s"], ["sub"]),
    ]
    for name in systems:
        text = run(program, "systems", name).stdout
        options = [option + "=" for option in re.findall(r"^  (\w+)=", text, re.M)]
        if options:
            cases.append((["run", "--system", name, ":", ""], options))
    for name in ("a.yaml", "b.ptx", "c.cu", "d.toml", "e.sv", "other"):
        (folder / name).write_text("")
    (folder / "sub").mkdir()
    for (line, want), got in zip(cases, completed(share, program, [line for line, _ in cases], cwd=folder)):
        same(f"bash completes warpref {' '.join(line)}", got, want)
    nothing = [["no_command", ""], ["run", "--max-cycles", ""], ["run", "--system", "none", ":", ""]]
    for line, got in zip(nothing, completed(share, program, nothing, cwd=folder)):
        holds(f"bash has nothing for warpref {' '.join(line)}", not got, f"got {got}")
    # A name is never run.
    (folder / "sub" / "$(touch ran).yaml").write_text("")
    got = completed(share, program, [["run", "--config", "$"]], cwd=folder,
                    env={**os.environ, "WARPREF_CONFIG_PATH": str(folder / "sub")})[0]
    same("bash completes the name of a configuration of one's own", got, ["$(touch ran)"])
    holds("a configuration's name is not run", not (folder / "ran").exists())


def syntax(share):
    for path in sorted((share / "man/man1").iterdir()):
        holds(f"{path.name} opens with its licence", "SPDX-License-Identifier: Apache-2.0" in path.read_text())
    tools = [("bash", ["-n"], [BASH]), ("zsh", ["-n"], [ZSH]), ("fish", ["-n"], [FISH]),
             ("groff", ["-man", "-Tutf8", "-ww"], sorted((share / "man/man1").iterdir()))]
    for tool, options, paths in tools:
        if not shutil.which(tool):
            print(f"{tool} is not installed: not run")
            continue
        for path in paths:
            done = run(tool, *options, share / path)
            holds(f"{tool} reads {path}", done.returncode == 0 and not done.stderr, done.stderr)


def planted(share, program, commands, folder):
    """Each change must be seen, and as what it is."""
    def without(path, pattern, want):
        copy = folder / "copy"
        shutil.copytree(share, copy)
        text = (copy / path).read_text()
        changed = re.sub(pattern, "", text, flags=re.M)
        (copy / path).write_text(changed)
        got = missing(copy, program, commands)
        holds(f"planted, {path} without {pattern}: {want}", text != changed and got == [want], f"got {got}")
        shutil.rmtree(copy)
    without("man/man1/warpref-run.1", r"^\.TP\n.*\\-\\-threads.*\n", "run --threads: not in warpref-run.1")
    without("man/man1/warpref-area.1", r"^\.TP\n.*\\-\\-layout.*\n", "area --layout: not in warpref-area.1")
    without(BASH, r" --disasm\b", "compile --disasm: not in bash")
    without(BASH, r" replay(?= )", "replay: bash does not complete it")
    without(ZSH, r"^.*\)--bins\[.*\n", "cosim --bins: not in zsh")
    without(FISH, r"^.*__warpref_in study.* -l quick .*\n", "study --quick: not in fish")
    for what, text in (("a line of options",
                        "Usage: warpref x [OPTION...]\nAbout.\n\n      --good=N    good\n      ??bad   bad\n"),
                       ("the usage", "usage: warpref x [-h] BLOCK -y\n\nAbout.\n\noptions:\n  --good  good\n"),
                       ("no option", "Usage: warpref x [OPTION...]\nAbout.\n")):
        try:
            holds(f"planted, help that is not understood: {what}", False, table.command(text, "x", ""))
        except table.Trouble:
            holds(what, True)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    share, program = build / "share", build / "bin" / "warpref"
    os.environ["WARPREF_ROOT"] = str(ROOT)
    os.environ.pop("WARPREF_CONFIG_PATH", None)
    commands = names_of_help(program)
    holds("help names commands and options", len(commands) > 10 and all(commands.values()), commands)
    lacking = missing(share, program, commands)
    holds("all that help names has a page and is completed", not lacking, *lacking)
    pages = {path.name for path in (share / "man/man1").iterdir()}
    same("pages", pages, ["warpref.1", *(f"warpref-{name}.1" for name in commands)])
    syntax(share)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part in ("here", "planted"):
            (folder / part).mkdir()
        values(share, program, folder / "here")
        planted(share, program, commands, folder / "planted")
        done = run(sys.executable, "-B", ROOT / "tools/manual/make.py", program, folder / "again")
        holds("make.py runs", done.returncode == 0, done.stderr)
        for path in sorted(path for path in (folder / "again").rglob("*") if path.is_file()):
            at = path.relative_to(folder / "again")
            holds(f"{at} is the same when made again", path.read_bytes() == (share / at).read_bytes())
        done = run(sys.executable, "-B", ROOT / "tools/manual/make.py", "/bin/false", folder / "none")
        holds("make.py without the program: status 2, and a message", done.returncode == 2 and
              done.stderr.startswith("manual: `warpref --help` ends with status 1"), done.stderr)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
