#!/bin/sh
# Replays every golden vector file in Icarus Verilog; the last line is "N passed, N failed".
set -u

root=$(cd "$(dirname "$0")/../.." && pwd)
passed=0
failed=0
for file in "$root"/vectors/golden/*.hex; do
    if "$root/testbench/replay/replay.sh" "$file"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
