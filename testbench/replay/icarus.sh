#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Replays every golden vector file in Icarus Verilog, and behind each the file of the same name in
# $WARPREF_VECTORS, where that is set: what the unit tests record there. With EVERY=N in the environment every N-th
# file. The last line is "N passed, N failed".
#
#   testbench/replay/icarus.sh [--gates] [CONFIG]    only files of this configuration; as in replay.sh
set -u

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
gates=
[ "${1:-}" != --gates ] || { gates=--gates; shift; }
config=${1:-*}
# shellcheck disable=SC2231  # the configuration is a pattern
for golden in "$root"/vectors/golden/*.$config.hex; do
    long=${WARPREF_VECTORS:+$WARPREF_VECTORS/$(basename "$golden")}
    echo "$golden${long:+ $long}"
done | awk -v every="${EVERY:-1}" 'NR % every == 0' >"$work/jobs"
# shellcheck disable=SC2086  # no argument where there are no gates
xargs -P "${JOBS:-2}" -L 1 "$root/testbench/replay/replay.sh" $gates <"$work/jobs" 2>&1 |
    cat >"$work/out" # a pipe: what jobs copy into one file at the same time can get lost
cat "$work/out"
passed=$(grep -c ': PASS ' "$work/out")
failed=$(($(wc -w <"$work/jobs") - passed))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
