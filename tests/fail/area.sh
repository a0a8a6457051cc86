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
for tool in yosys yosys-abc dpkg-query; do ln -s "$(command -v $tool)" "$tmp/few/"; done
ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$tmp/few/python3"
want "area: a tool that is missing" 2 "timing: sta is not installed; install Debian's opensta" \
    env PATH="$tmp/few" "${area[@]}" rename_table --config tiny
want "area: blocks beside one that fails" 1 '^liveness_decoder tiny +[1-9]' \
    env PATH="$tmp/failing:$PATH" "${area[@]}" liveness_decoder vt_status_table --config tiny

# The baseline off by 2 %, the table of deep paths too strict, a table of the page changed.
mkdir "$tmp/figures"
git ls-files -z area dpi docs rtl refmodel | xargs -0 cp --parents -t "$tmp/figures"
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
sed -i '/<!-- area blocks -->/,/<!-- \/area blocks -->/s/1/7/g' "$tmp/figures/docs/area.md"
want "area: a figure of the page changed" 1 \
    'docs/area.md: its tables are not those of area/baseline.json' "${figures[@]}"
cp docs/area.md "$tmp/figures/docs/"
sed -i 's/^LIMIT = .*/LIMIT = 4/' "$tmp/figures/area/gates.py"
want "area: a path that is too long" 1 \
    'a path of [0-9.]+ FO4, from .* to .*; the rule is at most 4' "${figures[@]}"
