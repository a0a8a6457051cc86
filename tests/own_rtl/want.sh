# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What tests of the command line share, here and in other folders; each sources it with the build folder as $1 and ends with
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
    elif ls ./*.new* ./*.hier >/dev/null 2>&1; then
        why="beside it is left $(ls ./*.new* ./*.hier 2>/dev/null)"
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

# slow FILE: a tool that takes long, in a process that it starts.
slow() {
    cat >"$1" <<END
#!/bin/sh
(sleep 20 && touch "$tmp/late") &
echo \$! >"$tmp/started.new"
mv "$tmp/started.new" "$tmp/started"
wait
END
    chmod +x "$1"
}

# ended SIGNAL COMMAND...: sends it the signal once the slow tool runs, and waits until that is gone; its exit
# status, or 1 where the tool was not ended.
ended() {
    local signal=$1 status=0 process
    shift
    rm -f started late
    env --default-signal "$@" & # else INT is ignored in what runs behind
    process=$!
    until [ -f started ] || ! kill -0 "$process"; do sleep 0.1; done
    kill -s "$signal" "$process"
    wait "$process" || status=$?
    tail --pid="$(cat started)" -f /dev/null
    [ ! -f late ] && return "$status"
}

verdict() {
    echo "$passed passed, $failed failed"
    [ $failed -eq 0 ] && [ $passed -gt 0 ]
    exit
}
