#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every sixth study of the tree in its quick form, with WARPREF_LONG all, and a page of them; both are kept in
# out/check/studies.
#
#   tests/studies/quick.sh BUILD_DIR
# shellcheck source=tests/own_rtl/want.sh
. "$(dirname "$0")/../own_rtl/want.sh"
out=$root/out/check/studies
rm -rf "$out"
mkdir -p "$out"
names=$("$warpref" study list | cut -d ' ' -f 1)
[ "$(echo "$names" | wc -l)" -gt 10 ] || { echo "FAIL  few studies: $names"; failed=$((failed + 1)); }
[ "${WARPREF_LONG:-}" ] || names=$(echo "$names" | awk 'NR % 6 == 1')
# shellcheck disable=SC2086  # a list
want "the studies" 0 '' "$warpref" study $names --quick --jobs "${JOBS:-2}" --out "$out"
cp err said
want "... and how many runs" 0 '^warpref study: ([0-9]+)/\1 runs, ' cat said
picture() { printf '\211PNG' | cmp -s -n 4 - "$1" && [ "$(wc -c <"$1")" -gt 8000 ] && echo ok; }
for study in $names; do
    rows() { awk 'END { exit NR < 2 }' "$out/quick/$study.csv" && test -s "$out/quick/$study.txt"; }
    want "$study: a table" 0 '' rows
    # Each has its picture, unless it has no plot, or its quick points leave out what is drawn.
    grep -q '^\[\[*plot\]' "$root/studies/$study.toml" && [ "$study" != area/decompressor ] || continue
    want "$study: a plot" 0 '^ok$' picture "$out/quick/$study.png"
done
want "a page of them" 0 '' "$warpref" report "$out/quick" -o "$out/report.html"
for study in $names; do want "... $study" 0 '' grep -q "$study" "$out/report.html"; done
verdict
