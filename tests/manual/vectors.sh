#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The lines of docs/vectors.md for another simulator run as they stand there, and miss a digit that is another.
#
#   tests/manual/vectors.sh
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
ln -s "$root"/{dpi,rtl,testbench} .
mkdir -p vectors/golden
cp "$root"/vectors/golden/reg_compressor.tiny.hex vectors/golden/
awk '/^## /{on = /^## In another simulator/} on && /^    /{sub(/^    /, ""); print}' "$root/docs/vectors.md" >lines.sh
failed=0
run() {
    local name=$1 status=$2 text=$3 got
    bash -e lines.sh >log 2>&1
    got=$?
    if [ $got = "$status" ] && grep -q "$text" log; then
        echo "ok    $name"
    else
        echo "FAIL  $name: exit status $got"
        tail -n 5 log
        failed=$((failed + 1))
    fi
}
run "as they stand" 0 '^PASS 60 cycles'
sed -i '50s/^./f/' vectors/golden/reg_compressor.tiny.hex
run "another digit" 1 '^FAIL 60 cycles 60 checks 1 mismatches'
echo "$((2 - failed)) passed, $failed failed"
[ $failed = 0 ]
