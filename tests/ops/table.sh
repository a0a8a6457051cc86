#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The table of docs/ptx.md: table.sh --write|--check BUILD, BUILD being a build folder. Lists the PTX
# that the tests of this folder execute, and has ptx_table compare or write.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$2
list=$(mktemp)
trap 'rm -f "$list"' EXIT
for test in "$build"/tests/test_ops_*; do
    WARPREF_OPS_LIST=$list "$test" >/dev/null 2>&1 || true # tests without runs may fail
done
"$build"/tests/ptx_table "$1" "$root/docs/ptx.md" "$list"
