# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC1091
# Faults planted in front of `warpref area`, sourced by tests/fail/run.sh: a missing library, RTL that does
# not synthesise, tools that are missing or fail in the middle, figures that differ from the baseline.

area_out=$tmp/area
area=("$bin/warpref" area --jobs 1 --out "$area_out")
want "area" 0 '^liveness_decoder tiny +[1-9][0-9]* ' "${area[@]}" liveness_decoder --config tiny
want "area: no such library" 2 'library: there is no Liberty file .*/none.lib' \
    "${area[@]}" liveness_decoder --liberty "$tmp/none.lib"
echo 'nothing of this' >"$tmp/text.lib"
want "area: a library that is none" 2 'text.lib is not a Liberty file' \
    "${area[@]}" liveness_decoder --liberty "$tmp/text.lib"
want "area: no such block" 2 "there is no block 'none'" "${area[@]}" none
want "area: no such parameter" 2 "has no parameter 'None'" "${area[@]}" rename_table --param None=1

cat >"$tmp/broken.sv" <<'END'
module broken(input clk_i, input a_i, output logic b_o);
  always_ff @(posedge clk_i) b_o <= a_i & not_declared(a_i);
endmodule
END
want "area: RTL that does not synthesise" 2 \
    'broken own: synthesis: yosys ended with 1: .*not_declared.*; log: ' \
    "${area[@]}" --rtl "$tmp/broken.sv"
cat >"$tmp/latch.sv" <<'END'
module latch(input en_i, input a_i, output logic b_o);
  always_latch if (en_i) b_o = a_i;
endmodule
END
want "area: RTL with a latch" 2 \
    'synthesis: osu018 has nothing for 1 cells .*LATCH' "${area[@]}" --rtl "$tmp/latch.sv"


# Names and paths that a tool behind would take for something else.
cat >"$tmp/escaped.sv" <<'END'
module \a.b (input clk_i, input a_i, output logic b_o);
  always_ff @(posedge clk_i) b_o <= a_i;
endmodule
END
want "area: an escaped name of a module" 2 'input: --top a\.b: the name of a top module wants letters' \
    "${area[@]}" --rtl "$tmp/escaped.sv" --top a.b
cp "$tmp/escaped.sv" "$tmp/one-two.sv"
want "area: a file whose name is none of a module" 2 'input: one-two: the name .*; say --top' \
    "${area[@]}" --rtl "$tmp/one-two.sv"
for mark in ' ' '#' "'"; do
    want "area: a folder with '$mark'" 2 \
        "^warpref area: synthesis: .*/o.p: ABC takes no .* in a path; use another folder\$" \
        "$bin/warpref" area hint_decoder --config tiny --jobs 1 --out "$tmp/o${mark}p"
done
want "area: a layout in a folder with '['" 2 '^warpref area: .*/o\[p: qflow takes no \[ in a path' \
    "$bin/warpref" area hint_decoder --config tiny --jobs 1 --layout --out "$tmp/o[p"
mkdir "$tmp/b p" && cp "$tmp/escaped.sv" "$tmp/b p/"
want "area: RTL in a folder with a blank" 2 'Yosys takes no blank in a path' \
    "${area[@]}" --rtl "$tmp/b p/escaped.sv" --top a

# Toggles of a run: all bits known, a run of another block, one whose clock stands still.
cat >"$tmp/one.sv" <<'END'
module one(input clk_i, input a_i, output logic b_o);
  always_ff @(posedge clk_i) b_o <= a_i;
endmodule
END
cat >"$tmp/one.vcd" <<'END'
$timescale 1ns $end
$scope module one $end
$var wire 1 ! clk_i $end
$var wire 1 " a_i $end
$var wire 1 # b_o $end
$upscope $end
$enddefinitions $end
#0
0!
0"
0#
#5
1!
1"
#10
0!
#15
1!
1#
#20
0!
END
want "area: toggles of a run" 0 '^Power from one.vcd: toggles known of 2 of 2 input and register bits.$' \
    "${area[@]}" --rtl "$tmp/one.sv" --activity "$tmp/one.vcd"
sed 's/ a_i / c_i /' "$tmp/one.vcd" >"$tmp/other.vcd"
want "area: toggles of another block" 2 'activity: .*/other.vcd: no scope has the ports of one' \
    "${area[@]}" --rtl "$tmp/one.sv" --activity "$tmp/other.vcd"
sed '/^1!$/d' "$tmp/one.vcd" >"$tmp/still.vcd"
want "area: toggles without a clock" 2 'still.vcd: the clock of one never rises' \
    "${area[@]}" --rtl "$tmp/one.sv" --activity "$tmp/still.vcd"

# A timing analyzer that fails, and one that is not there. The synthesis before it is kept.
mkdir "$tmp/failing" "$tmp/few"
printf '#!/bin/sh\necho "Error: no licence"\nexit 3\n' >"$tmp/failing/sta"
chmod +x "$tmp/failing/sta"
want "area: a tool that fails in the middle" 1 \
    'hint_decoder tiny: timing: sta ended with 3: Error: no licence; log: ' \
    env PATH="$tmp/failing:$PATH" "${area[@]}" hint_decoder --config tiny
want "area: one that works goes on from there" 0 '^hint_decoder tiny ' \
    bash -c 'stat -c %Y "$1" >"$1.before" && shift && "$@" && stat -c %Y "$0" | cmp - "$0.before"' \
    "$area_out/osu018/hint_decoder.tiny/area.v" "$area_out/osu018/hint_decoder.tiny/area.v" \
    "${area[@]}" hint_decoder --config tiny
few() { # STEP PROGRAM PACKAGE ARGUMENTS...: without the program; the next ones have it, or one of its name
    want "area: without $2" 2 "$1: $2 is not installed; install Debian's $3\$" env PATH="$tmp/few" "${area[@]}" "${@:4}"
    ln -s "$(type -P "$2" || type -P true)" "$tmp/few/$2"
}
for tool in dpkg-query sh; do ln -s "$(command -v $tool)" "$tmp/few/"; done
ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$tmp/few/python3"
few timing sta opensta rename_table --config tiny
few synthesis yosys yosys rename_table --config tiny
few synthesis berkeley-abc berkeley-abc rename_table --config tiny
for tool in qflow:qflow tcsh:tcsh tclsh:tcl graywolf:graywolf qrouter:qrouter gnuplot:gnuplot-nox; do
    few layout ${tool%:*} ${tool#*:} hint_decoder --config tiny --layout
done
few fpga nextpnr-ice40 nextpnr-ice40 hint_decoder --config tiny --fpga
echo none >"$tmp/none.fst"
few activity fst2vcd gtkwave hint_decoder --config tiny --activity "$tmp/none.fst"
want "area: blocks beside one that fails" 1 '^liveness_decoder tiny +[1-9]' \
    env PATH="$tmp/failing:$PATH" "${area[@]}" liveness_decoder vt_status_table --config tiny

# The baseline off by 2 %, the table of deep paths too strict, a table of the page changed.
mkdir "$tmp/figures"
git ls-files -z area dpi docs rtl refmodel tools | xargs -0 cp --parents -t "$tmp/figures"
figures=(env WARPREF_ROOT="$tmp/figures" "${area[@]}" liveness_decoder --config tiny --check)
planted() { # NAME PATTERN, and a change to baseline.json in Python
    cp area/baseline.json "$tmp/figures/area/"
    python3 - "$tmp/figures/area/baseline.json" "$3" <<'END'
import json, sys
path, change = sys.argv[1:]
base = json.load(open(path))
block = base["osu018"]["tiny"]["liveness_decoder"]
exec(change)
json.dump(base, open(path, "w"), indent=1, sort_keys=True)
END
    want "$1" 1 "$2" "${figures[@]}"
}
want "area: figures" 0 '^1 passed, 0 failed$' "${figures[@]}"
planted "area: cells off by 2 %" '^liveness_decoder tiny: cells: [0-9]+, baseline [0-9]+ \(-2' \
    'block["cells"] = round(block["cells"] * 1.0204 + 1)'
planted "area: delay off by 2 %" '^liveness_decoder tiny: delay in ps: .* \(\+2\.0 %\)' \
    'block["delay_ps"] /= 1.02'
planted "area: no baseline" 'has no figures in area/baseline.json' \
    'del base["osu018"]["tiny"]["liveness_decoder"]'
cp area/baseline.json "$tmp/figures/area/"

# Of max, the baseline has some blocks alone: those are held, a named one must be among them.
python3 - "$tmp/figures/area/baseline.json" <<'END'
import json, sys
base = json.load(open(sys.argv[1]))
base["osu018"]["max"] = {n: b for n, b in base["osu018"]["max"].items() if n in ("hint_decoder", "me_controller")}
json.dump(base, open(sys.argv[1], "w"))
END
figures_max=(env WARPREF_ROOT="$tmp/figures" "${area[@]}" --config max)
"${figures_max[@]}" me_controller --save >"$tmp/log" 2>&1 # and the page as of this baseline
want "area: figures of some blocks" 0 '^2 passed, 0 failed$' "${figures_max[@]}" --check
want "area: blocks without figures" 0 '^Without figures for max, so not held: alloc_table, ' "${figures_max[@]}" --check
want "area: a named block without figures" 1 'liveness_decoder max: has no figures in area/baseline.json' \
    "${figures_max[@]}" --check liveness_decoder
sed -i 's/^drf_partitioner = .*/drf_partitioner = 39.7/' "$tmp/figures/area/depth.toml"
want "area: a deep path that got deeper" 1 'area/depth.toml lets 39.7 pass' \
    env WARPREF_ROOT="$tmp/figures" "${area[@]}" --config odd --check drf_partitioner
cp area/baseline.json area/depth.toml "$tmp/figures/area/"
cp docs/area.md "$tmp/figures/docs/"
sed -i '/<!-- area blocks -->/,/<!-- \/area blocks -->/s/1/7/g' "$tmp/figures/docs/area.md"
want "area: a figure of the page changed" 1 \
    'docs/area.md: its tables are not those of area/baseline.json' "${figures[@]}"
cp docs/area.md "$tmp/figures/docs/"
sed -i 's/^LIMIT = .*/LIMIT = 4/' "$tmp/figures/area/gates.py"
want "area: a path that is too long" 1 \
    'a path of [0-9.]+ FO4, from .* to .*; the rule is at most 4' "${figures[@]}"
