#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The cache of Verilated blocks: what is cut, changed, a link or another's is built anew, with a word; what a build that was
# killed has left is gone; a folder that others can write to is refused.
#
#   tests/cut/cache.sh BIN_DIR
#
# test_cached_object has which files are taken; this, what becomes of the others.
# shellcheck source=tests/cut/said.sh
. "$(dirname "$0")/said.sh"
cd "$tmp" || exit 2
export WARPREF_CACHE=$tmp/cache WR_CXX_OPTIMIZE=-O0

# cosim NAME STATUS BUILDS PATTERN: of a block that no build has made; how often it Verilates, and a line of its output.
cosim() {
    local name=$1 status=$2 builds=$3 pattern=$4 got
    "$warpref" cosim l2_meter --config tiny --param Kernels=3 --cycles 1000 --no-wild >log 2>&1
    got=$?
    [ $got = "$status" ] && [ "$(grep -c 'once for this machine' log)" = "$builds" ] && grep -qE -- "$pattern" log
    said $? "$name" "exit status $got"
}

cosim 'an empty cache' 0 1 '^PASS'
so=$(echo cache/*.so)
cp "$so" whole
cosim 'a whole object' 0 0 '^PASS'
middle=$(($(stat -c %s whole) / 2))
spoil() {
    case $1 in
    cut) head -c 100000 whole >"$so" ;;
    changed) printf 'x' | dd of="$so" bs=1 seek=$middle conv=notrunc status=none ;;
    'a link') ln -sf "$tmp/whole" "$so" ;;
    'can be written by others') chmod g+w "$so" ;;
    'another user') chown 12345 "$so" ;;
    esac
}
spoils=(cut changed 'a link' 'can be written by others')
[ "$(id -u)" != 0 ] || spoils+=('another user')
for how in "${spoils[@]}"; do
    spoil "$how"
    cosim "an object: $how" 0 1 "\.so: .*$how.*built anew"
    [ ! -L "$so" ] && cmp -s whole "$so"
    said $? "an object: $how, built anew" "$(ls -l cache)"
    cosim "an object: $how, and again" 0 0 '^PASS'
done

# What two builds have left, of an object that is built now and of another; a folder of one that goes on stays.
rm "$so"
name=${so%.so}
mkdir "$name.AbCdEf" cache/wr_other_rtl_1.AbCdEf cache/wr_busy_rtl_1.AbCdEf cache/mine.AbCdEf
touch "$name.AbCdEf/all.cc" cache/wr_other_rtl_1.{log,AbCdEf/all.cc} cache/wr_busy_rtl_1.log
exec 9<cache/wr_busy_rtl_1.log && flock 9
cosim 'builds that were killed' 0 1 '^PASS'
exec 9<&-
[ "$(cd cache && echo ./*.AbCdEf)" = './mine.AbCdEf ./wr_busy_rtl_1.AbCdEf' ]
said $? 'what they have left' "$(ls cache)"

# A folder that others can write to.
chmod g+w cache
cosim 'a folder that others can write to' 2 0 'cache: can be written by others, .*WARPREF_CACHE'
chmod g-w cache
(
    umask 0
    rm -rf cache
    cosim 'no folder, where all may write to new ones' 0 1 '^PASS'
    [ "$(stat -c %a cache) $(stat -c %a "$so")" = '755 755' ] && [ $failed = 0 ]
)
said $? 'a folder of its own' "$(ls -ld cache)"
sum
