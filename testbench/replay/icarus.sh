#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Replays every golden vector file in Icarus Verilog; the last line is "N passed, N failed".
set -u

root=$(cd "$(dirname "$0")/../.." && pwd)
out=$(mktemp)
trap 'rm -f "$out"' EXIT
printf '%s\n' "$root"/vectors/golden/*.hex | xargs -P "${JOBS:-2}" -n 1 "$root/testbench/replay/replay.sh" 2>&1 |
    cat >"$out" # a pipe: what jobs copy into one file at the same time can get lost
cat "$out"
passed=$(grep -c ': PASS ' "$out")
failed=$(($(printf '%s\n' "$root"/vectors/golden/*.hex | wc -l) - passed))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
