#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our SystemVerilog holds to IEEE 1800: nothing in it is said to one tool alone.

  words    no comment or attribute that a tool obeys, no system task or directive beside the standard's;
           what Verilator has to be told stands in one file, dpi/verilator.vlt
  parsers  Verilog-Perl, which shares no code with Verilator, reads packages, blocks, wrappers, binds and
           the checker with its DPI imports; Yosys reads packages and binds, and the rest in dpi/lint.sh,
           all but the checker

Both checks are shown to fail on lines that they are for. The last line is "N passed, N failed".
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["rtl", "dpi", "testbench", "examples"]
TOLD_TO_VERILATOR = "dpi/verilator.vlt"

# What our files use of the standard's (IEEE 1800-2017, clauses 20, 21 and 22).
TASKS = {"$fatal", "$clog2", "$value$plusargs", "$display", "$finish", "$readmemh", "$bits", "$isunknown", "$urandom",
         "$urandom_range"}
DIRECTIVES = {"`define", "`ifdef", "`ifndef", "`elsif", "`else", "`endif", "`timescale", "`default_nettype"}
TO_A_TOOL = re.compile(r"\b(verilator|synopsys|synthesis|cadence|ambit|vcs|xilinx|pragma|coverage)\s+\w*"
                       r"(_off|_on|_case|off|on|keep|public|hier|trace|clock|sc_|split|isolate|no_)", re.I)

PARSER = r"""
use Verilog::Getopt; use Verilog::Preproc; use Verilog::SigParser;
package Reader; our @ISA = ('Verilog::SigParser'); our $errors = 0;
sub error { my ($self, $text) = @_; $errors++; print $self->filename . ":" . $self->lineno . ": $text\n"; }
package main;
my $options = Verilog::Getopt->new(filename_expansion => 0);
my $reader = Reader->new;
for my $file (@ARGV) {
    my $text = Verilog::Preproc->new(options => $options);
    $text->open($file);
    $reader->parse_preproc_file($text);
}
exit($Reader::errors ? 1 : 0);
"""


def words(path):
    """What is wrong with the words of one file."""
    text = path.read_text()
    wrong = []
    pieces = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.S)
    for piece in pieces.findall(text):
        if piece.startswith("/") and TO_A_TOOL.search(piece):
            wrong.append(f"a comment that a tool obeys: {piece.strip()}")
    code = pieces.sub(" ", text)
    macros = set(re.findall(r"`(?:define|ifdef|ifndef)\s+(\w+)", code))
    wrong += [f"{name} is not of the standard" for name in set(re.findall(r"\$[a-z][\w$]*", code)) - TASKS]
    wrong += [f"{name} is not of the standard" for name in set(re.findall(r"`\w+", code)) - DIRECTIVES
              if name[1:] not in macros and not name.startswith("`WR_")]  # ours are set from outside
    if re.search(r"\(\*(?!\s*\))", code):
        wrong.append("an attribute, which only tools give a meaning")
    return wrong


def parse(files):
    """What Verilog-Perl says of these files, read in a row; "" = nothing."""
    run = subprocess.run(["perl", "-e", PARSER, *map(str, files)], capture_output=True, text=True)
    if "Can't locate Verilog/" in run.stderr:
        sys.exit("Verilog-Perl is not installed: apt-get install libverilog-perl")
    return run.stdout + run.stderr if run.returncode else ""


def yosys(files):
    """What Yosys says of these files, which it only reads; "" = nothing."""
    run = subprocess.run(["yosys", "-q", "-p", "read_verilog -sv " + " ".join(map(str, files))],
                         capture_output=True, text=True)
    return run.stdout + run.stderr if run.returncode else ""


def check_words(tell):
    everything = [p for f in FOLDERS for p in sorted((ROOT / f).rglob("*"))]
    files = [p for p in everything if p.suffix in (".sv", ".v", ".svh")]
    for path in files:
        tell(f"words of {path.relative_to(ROOT)}", "; ".join(words(path)))
    told = [str(p.relative_to(ROOT)) for p in everything if p.suffix == ".vlt"]
    tell("one file for Verilator", "" if told == [TOLD_TO_VERILATOR] else f"there are {told}")


def check_parser(tell):
    for toml in sorted(ROOT.glob("refmodel/*/*.toml")):
        group, block = toml.parent.name, toml.stem
        files = [ROOT / f"rtl/gen/{block}_pkg.sv", *sorted((ROOT / "rtl" / group).glob("*.sv")),
                 ROOT / f"dpi/gen/{block}_wrap.sv", ROOT / f"dpi/gen/{block}_bind.sv", ROOT / "dpi/wr_checker.sv"]
        tell(f"parsing {block}", parse(files))
    tell("parsing the examples", parse(sorted((ROOT / "examples").rglob("*.sv"))))
    tell("Yosys on packages and binds",
         yosys([*sorted(ROOT.glob("rtl/gen/*_pkg.sv")), *sorted(ROOT.glob("dpi/gen/*_bind.sv"))]))


def check_itself(tell):
    """Lines that must be refused."""
    sound = "module m(input logic a_i, output logic b_o);\n  assign b_o = a_i;\nendmodule\n"
    bad_words = ["// verilator lint_off WIDTH\n", "/* verilator public_flat */\n", "(* keep *) logic q;\n",
                 "// synopsys translate_off\n", "initial $c(\"x();\");\n", "`verilator_config\n"]
    with tempfile.TemporaryDirectory() as tmp:
        path = pathlib.Path(tmp) / "m.sv"
        path.write_text(sound)
        tell("a sound file", "; ".join(words(path)) + parse([path]) + yosys([path]))
        for line in bad_words:
            path.write_text(sound.replace("endmodule", line + "endmodule"))
            tell(f"refused: {line.strip()}", "" if words(path) else "it is not")
        path.write_text(sound.replace("assign", "assgn"))
        tell("refused: a syntax error", "" if parse([path]) and yosys([path]) else "it is not")


def main():
    counts = [0, 0]

    def tell(what, wrong):
        counts[bool(wrong)] += 1
        if wrong:
            print(f"FAIL  {what}: {wrong}")

    check_words(tell)
    check_parser(tell)
    check_itself(tell)
    print(f"{counts[0]} passed, {counts[1]} failed")
    return 1 if counts[1] or not counts[0] else 0


if __name__ == "__main__":
    sys.exit(main())
