# SPDX-License-Identifier: Apache-2.0
"""Manual pages in roff's man macros, of the table of commands: the words are those of help, put under the headings
that manual pages have.

No page has a date: the same help gives the same bytes.
"""
import re
import textwrap

ESCAPES = {"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti"}


def escaped(text):
    return "".join(ESCAPES.get(char) or (char if ord(char) < 128 else rf"\[u{ord(char):04X}]") for char in text)


def guarded(line):
    """A line that begins with a dot is text, not a macro."""
    return rf"\&{line}" if line.startswith(".") else line


def prose(lines):
    """Lines of roff; what help puts between backquotes is bold."""
    parts = re.split(r"`([^`]+)`", " ".join(lines).strip())
    text = "".join(rf"\fB{escaped(part)}\fP" if n % 2 else escaped(part) for n, part in enumerate(parts))
    return [guarded(line) for line in textwrap.wrap(text, 80, break_long_words=False, break_on_hyphens=False)]


def quoted(text):
    """One argument of a macro."""
    return '"' + escaped(text).replace('"', r"\(dq") + '"'


def verbatim(lines):
    return [".PP", ".nf", ".RS 4", *(guarded(escaped(line)) for line in lines), ".RE", ".fi"]


def paragraphs(lines):
    """Lists of lines that no empty line parts."""
    return [part.split("\n") for part in re.split(r"\n{2,}", "\n".join(lines).strip("\n")) if part.strip()]


class Page:
    def __init__(self, name, version, summary):
        self.head = [r'.\" SPDX-License-Identifier: Apache-2.0', rf'.\" Made from the program\(aqs help.',
                     f'.TH {quoted(name.upper())} 1 "" "warpref {version}" "warpref"', ".ad l", ".nh",
                     ".SH NAME",
                     rf"{escaped(name)} \- {escaped(summary)}"]
        self.sections = {}  # in the order in which they come

    def add(self, section, lines):
        self.sections.setdefault(section, []).extend(lines)

    def add_text(self, lines, section="DESCRIPTION"):
        """Prose of help: exit status, examples and lists under a word of their own get a section, indented lines stay
        as they are."""
        for part in paragraphs(lines):
            if part[0].startswith("Exit status:"):
                first = part[0].removeprefix("Exit status:")
                self.add("EXIT STATUS", [".PP", *prose([first, *part[1:]])])
            elif part[0].startswith("Example:"):
                self.add("EXAMPLES", verbatim([line.removeprefix("Example:").strip() for line in part]))
            elif all(line.startswith("  warpref ") for line in part):
                self.add("EXAMPLES", verbatim([line.strip() for line in part]))
            elif re.fullmatch(r"[a-z]+", part[0]) and all(line.startswith("  ") for line in part[1:]):
                self.add(part[0].upper(), verbatim([line[2:] for line in part[1:]]))
            else:
                self.add(section, [".PP", *prose(part)])

    def text(self):
        order = ["SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS"]
        last = ["EXIT STATUS", "EXAMPLES", "SEE ALSO"]
        order += [name for name in self.sections if name not in order + last] + last
        lines = list(self.head)
        for name in order:
            body = self.sections.get(name, [])
            if body:
                lines += [f".SH {name}", *(body[1:] if body[0] == ".PP" else body)]
        return "\n".join(lines) + "\n"


def option(row):
    """`-c, --config=NAME|FILE` in bold and italics, and its text."""
    value = row.value.removeprefix("[").removesuffix("]") if row.optional else row.value
    if value:
        value = rf"\fI{escaped(value)}\fP".replace(",", r",\:").replace("|", r"|\:")  # where a line may break
        if not row.optional:
            value = f"={value}"
        else:
            value = f" [{value}]" if row.value.startswith("[") else f"[={value}]"
    short = rf"\fB{escaped(row.short)}\fP, " if row.short else ""
    return [".TP", rf"{short}\fB{escaped(row.long)}\fP{value}", *prose([row.text])]


def of_command(command, version, others):
    page = Page(f"warpref-{command.name}", version, command.summary)
    usage = rf"\fBwarpref {escaped(command.name)}\fP [\fIOPTION\fP...] {escaped(command.arguments)}"
    page.add("SYNOPSIS", [usage.strip()])
    page.add_text(command.about)
    page.add_text(command.after)
    for what, text in command.named:
        page.add("OPTIONS", [".TP", rf"\fI{escaped(what)}\fP", *prose([text])])
    group = ""
    for row in command.options:
        if row.group != group and row.group:
            page.add("OPTIONS", [f".SS {quoted(row.group)}"])
        elif row.group != group:
            page.add("OPTIONS", [".SS Help"])
        group = row.group
        page.add("OPTIONS", option(row))
    page.add("SEE ALSO", see(["warpref", *(f"warpref-{other.name}" for other in others
                                           if re.search(rf"\bwarpref {other.name}\b", words(command)))]))
    return page.text()


def words(command):
    return " ".join([*command.about, *command.after, *(row.text for row in command.options)])


def see(names):
    return [f".BR {escaped(name)} (1)" + ("," if at + 1 < len(names) else "") for at, name in enumerate(names)]


def of_program(commands, version, above, below):
    page = Page("warpref", version, " ".join(paragraphs(above)[0]).rstrip("."))
    page.add("SYNOPSIS", [r"\fBwarpref\fP \fICOMMAND\fP [\fIOPTION\fP...]", ".br",
                          r"\fBwarpref\fP \fB\-\-help\fP | \fB\-\-version\fP"])
    page.add_text(above)
    for part in paragraphs(below):
        text = " ".join(part)
        about, status, codes = text.partition("Exit status:")
        page.add_text([about, "", status + codes])
    for command in commands:
        page.add("COMMANDS", [".TP", rf"\fBwarpref\-{escaped(command.name)}\fP(1)", *prose([command.summary])])
    page.add("SEE ALSO", see([f"warpref-{command.name}" for command in commands]))
    return page.text()
