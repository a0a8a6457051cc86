#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fuzzes the readers of user files: crash, sanitizer report, leak, hang (a minute for what takes
# milliseconds) or a bad message is a failure.
# Built by: cmake --preset fuzz && cmake --build --preset fuzz
#
#   tests/fuzz/run.sh SECONDS [TARGET...]     targets: fuzz_ptx fuzz_launch fuzz_vectors fuzz_sources
#   tests/fuzz/run.sh runs=N [TARGET...]      N executions from the kept corpus: repeatable
#
# The kept corpus is read and never written; new inputs go to out/fuzz/TARGET/corpus and what
# fails to out/fuzz/TARGET. WARPREF_FUZZ_BUILD names another build folder than build/fuzz,
# WARPREF_SEED gives libFuzzer's seed (default 1).
set -u
usage() { sed -n '3,13s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[[ ${1:-} =~ ^(runs=)?[1-9][0-9]*$ ]] || usage
case $1 in
runs=*) limit=-$1 length=${1#runs=}\ runs ;;
*) limit=-max_total_time=$1 length=$1\ s ;;
esac
shift
cd "$(dirname "$0")/../.." || exit
build=${WARPREF_FUZZ_BUILD:-build/fuzz}
passed=0
failed=0

[ $# -gt 0 ] || set -- fuzz_ptx fuzz_launch fuzz_vectors fuzz_sources

for target in "$@"; do
    name=${target#fuzz_}
    binary=$build/bin/$target
    kept=tests/fuzz/corpus/$name
    dictionary=tests/fuzz/$name.dict
    [ -f "$dictionary" ] || dictionary=$build/$dictionary
    [ -d "$kept" ] || usage
    [ -x "$binary" ] || { echo "$binary is not there; build it with: cmake --preset fuzz && " \
        "cmake --build --preset fuzz" >&2; exit 2; }
    work=out/fuzz/$target
    case $limit in -runs=*) rm -rf "$work/corpus" ;; esac
    mkdir -p "$work/corpus"
    rm -rf "$work"/{crash,timeout,leak,oom,slow-unit}-* "$work/tmp"
    options=(-timeout=60 -rss_limit_mb=2048 -dict="$dictionary" -max_len=16384
        -seed="${WARPREF_SEED:-1}" -print_final_stats=1 -artifact_prefix="$work/")
    mkdir -p "$work/tmp" # what a crash leaves of fuzz_sources
    TMPDIR=$work/tmp "$binary" "${options[@]}" "$limit" "$work/corpus" "$kept" >"$work/log" 2>&1
    status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log")
    # "#123  NEW  cov: 1 ft: 2 ...": the last line of this shape
    edges=$(sed -n 's/^#[0-9]*.* cov: \([0-9]*\) .*/\1/p' "$work/log" | tail -n 1)
    echo "$target: ${runs:-0} executions, ${edges:-0} edges covered, $length"
    if [ $status -eq 0 ] && [ "${runs:-0}" -gt 0 ] && [ "${edges:-0}" -gt 0 ]; then
        passed=$((passed + 1))
        continue
    fi
    failed=$((failed + 1))
    grep -m 3 -E 'ERROR:|runtime error:|^fuzz: |SUMMARY:' "$work/log" || tail -n 20 "$work/log"
    for input in "$work"/{crash,timeout,leak,oom}-*; do
        [ -f "$input" ] && echo "reproduce: $binary -timeout=60 $input"
    done
    echo "all it said: $work/log; once mended, keep the input in $kept"
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
