# SPDX-License-Identifier: Apache-2.0
"""Completion for bash, zsh and fish: each shell's own file, warpref.SHELL, with the tables put in.

The tables say the same to each: commands, their options, the kinds of each value and of the arguments (values.py),
and the sets that kinds in capitals stand for.
"""
import dataclasses
import pathlib
import re

import values

HERE = pathlib.Path(__file__).resolve().parent
FROM = "the program's help gave when it was built"


@dataclasses.dataclass
class Known:
    """All that completion knows."""
    commands: list
    blocks: list
    configs: list
    systems: dict  # values.systems
    studies: dict  # values.studies

    def kinds_of(self, command, option):
        return values.kinds(command.name, option.value, option.long, option.text) if option.value else []


def apart(option):
    """Whether its value may stand in the word behind it."""
    return option.value != "" and (not option.optional or option.value.startswith("["))


def short(text):
    """The first words of a text, for a list."""
    text = re.split(r"; |(?<=\w\w)\. |(?<=\w) \(", text, maxsplit=1)[0]
    return text if len(text) <= 72 else text[:72].rsplit(" ", 1)[0] + " ..."


def made(shell, **tables):
    text = (HERE / f"warpref.{shell}").read_text().replace("@FROM@", FROM)
    for name, lines in tables.items():
        text = text.replace(f"@{name.upper()}@", "\n".join(lines))
    return text


def quoted(text):
    """Between single quotes, for bash and zsh."""
    return "'" + text.replace("'", r"'\''") + "'"


def listed(name, rows):
    """An associative array."""
    return [f"declare -gA {name}=("] + [f"    [{quoted(key)}]={quoted(' '.join(row))}" for key, row in rows] + [")"]


def sets(known):
    """What bash and zsh both have: the sets by name, and of systems the options and their values."""
    rows = [f"_warpref_{name}={quoted(' '.join(row))}" for name, row in
            (("blocks", known.blocks), ("configs", known.configs), ("studies", known.studies))]
    return rows + listed("_warpref_systems", known.systems.items())


def values_of_systems(known):
    return [(f"--system={name}:{option}", row) for name, options in known.systems.items()
            for option, row in options.items()]


def bash(known):
    options, kinds = [], values_of_systems(known)
    for command in known.commands:
        options.append((command.name, [row.long + ("=" if row.value and not row.optional else "")
                                       for row in command.options]))
        kinds.append((command.name, values.arguments(command)))
        for row in command.options:
            kinds += [(f"{command.name} {name}", known.kinds_of(command, row)) for name in (row.long, row.short)
                      if name and apart(row)]
    rows = [f"_warpref_commands={quoted(' '.join(command.name for command in known.commands))}"]
    return made("bash", tables=rows + sets(known) + listed("_warpref_options", options)
                + listed("_warpref_values", kinds))


def zsh_option(known, command, row):
    """Specifications of one option for _arguments, one a name."""
    names = [name for name in (row.short, row.long) if name not in ("", "-?")]
    text = re.sub(r"([][:\\])", r"\\\1", short(row.text))
    value = ""
    if row.value:
        kinds = " ".join(known.kinds_of(command, row))
        what = row.value.replace(":", r"\:")
        value = f"{'::' if row.optional else ':'}{what}:" + (f" _warpref_value {kinds}" if kinds else "")
    for name in names:
        alone = "*" if row.many else f"({' '.join(names)})"
        sign = "" if not row.value else "+" if len(name) == 2 else "=" if apart(row) else "=-"
        yield quoted(f"{alone}{name}{sign}[{text}]{value}")


def zsh(known):
    rows = [f"    {quoted(command.name + ':' + command.summary)}" for command in known.commands]
    rows = ["local -a _warpref_commands=(", *rows, ")"]
    options = []
    for command in known.commands:
        specs = [spec for row in command.options for spec in zsh_option(known, command, row)]
        what, kinds = command.arguments.replace(":", r"\:"), " ".join(values.arguments(command))
        specs += [quoted(f"*:{what}: _warpref_value {kinds}")] if kinds else []
        options += [f"{command.name})", "    _arguments \\"] + [f"        {s} \\" for s in specs[:-1]]
        options += [f"        {specs[-1]}", "    ;;"]
    return made("zsh", tables=rows + sets(known) + listed("_warpref_values", values_of_systems(known)),
                options=options)


def fish(known):
    def quote(text):
        return "'" + text.replace("\\", r"\\").replace("'", r"\'") + "'"

    def function(name, lines):
        return [f"function __warpref_{name}", *(f"    {line}" for line in lines), "end"]

    def switch(rows):
        rows = [(key, words) for key, words in rows if words]
        return ["switch $argv[1]", *(line for key, words in rows for line in
                                     (f"    case {quote(key)}", f"        {words}")), "end"]

    def echo(words):
        return "string join \\n " + " ".join(map(quote, words)) if words else ""

    def described(rows):
        return [f"echo {quote(name)}\\t{quote(short(text))}" for name, text in rows]
    lines = function("blocks", [echo(known.blocks)]) + function("configs", [echo(known.configs)])
    lines += function("studies", described(known.studies.items()))
    lines += function("systems", [echo(known.systems)])
    lines += function("system_options", switch((name, echo(options)) for name, options in known.systems.items()))
    lines += function("system_values", switch(
        (f"{name}:{option}", f"__warpref_value {' '.join(row)}" if row else "")
        for name, options in known.systems.items() for option, row in options.items()))
    top = "test (count (commandline -opc)) -eq 1"
    lines += [f"complete -c warpref -n {quote(top)} -l {name}" for name in ("help", "version")]
    lines += [f"complete -c warpref -n {quote(top)} -a {c.name} -d {quote(c.summary)}" for c in known.commands]
    for command in known.commands:
        here = f"complete -c warpref -n {quote('__warpref_in ' + command.name)}"
        for row in command.options:
            line = f"{here} -l {row.long[2:]}" + (f" -s {row.short[1]}" if row.short not in ("", "-?") else "")
            kinds = known.kinds_of(command, row)
            line += " -x" if apart(row) else ""
            line += f" -a {quote('(__warpref_value ' + ' '.join(kinds) + ')')}" if kinds and apart(row) else ""
            lines.append(f"{line} -d {quote(short(row.text))}")
        kinds = values.arguments(command)
        if kinds:
            lines.append(f"{here} -a {quote('(__warpref_value ' + ' '.join(kinds) + ')')}")
    return made("fish", tables=lines)
