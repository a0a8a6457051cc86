#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Replays every golden vector file in Icarus Verilog, and behind each the file of the same name in
# $WARPREF_VECTORS, where that is set: what the unit tests record there. The last line is
# "N passed, N failed".
set -u

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for golden in "$root"/vectors/golden/*.hex; do
    long=${WARPREF_VECTORS:+$WARPREF_VECTORS/$(basename "$golden")}
    echo "$golden${long:+ $long}"
done >"$work/jobs"
xargs -P "${JOBS:-2}" -L 1 "$root/testbench/replay/replay.sh" <"$work/jobs" 2>&1 |
    cat >"$work/out" # a pipe: what jobs copy into one file at the same time can get lost
cat "$work/out"
passed=$(grep -c ': PASS ' "$work/out")
failed=$(($(wc -w <"$work/jobs") - passed))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
