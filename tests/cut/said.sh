# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the scripts beside this one have in common: they source it with BIN_DIR as $1.
set -u
# shellcheck disable=SC2034 # for the scripts that source it
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck disable=SC2034 # likewise
warpref=$(realpath "$1")/warpref
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0

# said WHETHER NAME WHY: 0 is right; else why, and the end of the log.
said() {
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
        echo "ok    $2"
    else
        failed=$((failed + 1))
        echo "FAIL  $2: $3"
        tail -3 "$tmp/log"
    fi
}

# The last line, and whether all is right.
sum() {
    echo "$passed passed, $failed failed"
    [ $failed = 0 ] && [ $passed != 0 ]
}
