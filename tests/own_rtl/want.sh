# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What tests of the command line share, here and in tests/studies; each sources it with the build folder as $1 and ends with
# `verdict`. They run in a folder of their own, $tmp; $root is the tree.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
warpref=$(cd "$1" && pwd)/bin/warpref
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
mkdir tmp
export TMPDIR=$tmp/tmp WR_CXX_OPTIMIZE=-O0 # runs are too short to pay for more
passed=0
failed=0

# want NAME STATUS PATTERN COMMAND...: exit status, and a line of either stream, unless the pattern is
# empty. Leaves out and err.
want() {
    local name=$1 status=$2 pattern=$3 got why=
    shift 3
    "$@" >out 2>err </dev/null
    got=$?
    if [ $got -ne "$status" ]; then
        why="exit $got, wanted $status"
    elif [ -n "$pattern" ] && ! cat out err | grep -Eq -- "$pattern"; then
        why="no line matches '$pattern'"
    elif [ -n "$(ls tmp)" ]; then
        why="temporary files are left: $(ls tmp)"
    fi
    if [ -z "$why" ]; then
        echo "ok    $name"
        passed=$((passed + 1))
    else
        echo "FAIL  $name: $why"
        failed=$((failed + 1))
        cat out err | cut -c 1-300 | tail -n 8 | sed 's/^/    | /'
    fi
}

verdict() {
    echo "$passed passed, $failed failed"
    [ $failed -eq 0 ] && [ $passed -gt 0 ]
    exit
}
