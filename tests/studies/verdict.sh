#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# warpref claims: every claim of the files, none with a verdict but by a table; a changed result changes the verdict.
#
#   tests/studies/verdict.sh BUILD_DIR
# shellcheck source=tests/own_rtl/want.sh
. "$(dirname "$0")/../own_rtl/want.sh"
mkdir copy
cp -r "$root/studies" "$root/docs" copy/
ln -s "$root/tools" copy/tools
claims=(env WARPREF_ROOT="$tmp/copy" python3 copy/studies/claims.py)
record=copy/studies/gong/results/fig_5_9.csv
line() { "${claims[@]}" | grep "^$1 "; }

count=$(cat "$root"/studies/*/claims.toml | grep -c '^\[\[claim\]\]$')
want "all of them" 0 "^$count claims: [1-9][0-9]* met, [0-9]+ not met, [1-9][0-9]* not measured$" "${claims[@]}"
want "of one paper" 0 '^gong.fig59_d +E +45 +45 to 45 +45 +met +gong/fig_5_9 ' "${claims[@]}" --paper gong
want "... alone" 1 '' grep -q '^smk' out
want "no such paper" 2 "no claims of 'nobody'; there are those of gong, kayiran" "${claims[@]}" --paper nobody
want "the names of those that are not met, all with a cause" 0 'claims: 0 met, [0-9]+ not met, 0 not measured' \
    "${claims[@]}" --verdict 'not met'
"${claims[@]}" --json >all.json
python3 -c 'import json
some = json.load(open("all.json"))
print(len(some), sum(c["verdict"] != "not measured" and (c["value"] is None or not c["study"]) for c in some))' >json
want "as JSON, each verdict with its value and study" 0 "^$count 0$" cat json

# A changed result changes the verdict, and a claim without its table has none.
cp "$record" before.csv
sed -i 's/^D,45,/D,46,/' "$record"
want "a result, changed" 1 '^gong.fig59_d .* 46 +not met' "${claims[@]}"
want "... the pages know" 1 'gong/fig_5_9: Fig. 5.9 D.* is outside 45 to 45' \
    env WARPREF_ROOT="$tmp/copy" python3 copy/studies/study.py --check
rm "$record"
want "no table" 0 '^gong.fig59_d .* - +not measured' line gong.fig59_d
cp before.csv "$record"
want "as before" 0 ' 45 +met ' line gong.fig59_d

# Of a folder of one's own.
mkdir -p results/gong
cp "$record" results/gong/fig_5_9.csv
want "a folder's tables" 0 "^$count claims: 4 met, 0 not met," "${claims[@]}" --results results
want "no such folder" 2 'none: is no folder' "${claims[@]}" --results none
sed -i 's/^schedule,cycles,/schedule,length,/' results/gong/fig_5_9.csv
want "a table of other columns" 1 'its columns are not those of gong/fig_5_9' "${claims[@]}" --results results

sed 's/^claim = "gong.fig59_a"/claim = "gong.rcu"/' "$root/studies/gong/fig_5_9.toml" >copy/studies/gong/fig_5_9.toml
want "two findings of one claim" 2 'claim gong.rcu is a finding of gong/fig_5_9, too' "${claims[@]}"
sed -i '0,/^kind = "E"/s//kind = "X"/' copy/studies/gong/claims.toml
want "a claim of no kind" 2 'claims.toml: \[\[claim\]\] [0-9]+ \(gong.*\): kind is E, D, T' "${claims[@]}"
verdict
