#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Types what examples/preemption/README.md says and wants what it prints, with a build in place of what is
# installed; and wants a figure that is another missed.
#
#   tests/install/walk.sh WARPREF            the check
#   tests/install/walk.sh --write WARPREF    puts the figures of this build into the page
set -u
write=()
[ "${1:-}" != --write ] || { write=(--write); shift; }
if [ $# -ne 1 ] || [ ! -x "$1" ]; then
    echo "usage: $0 [--write] WARPREF, a program that is built" >&2
    exit 2
fi
root=$(cd "$(dirname "$0")/../.." && pwd)
page=$root/examples/preemption/README.md
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp"/home/warpref/{bin,share} "$tmp"/{walk,wrong}
ln -s "$(realpath "$1")" "$tmp/home/warpref/bin/warpref"
ln -s "$root" "$tmp/home/warpref/share/warpref"
readme() { python3 "$root/tests/install/readme.py" "$@"; }

readme "${write[@]}" "$page" "$tmp/home" "$tmp/walk" || exit 1
sed '/^## Alone/,$d; s/^\(    *registers  *\)[0-9]* a thread$/\10 a thread/' "$page" >"$tmp/wrong.md"
if said=$(readme "$tmp/wrong.md" "$tmp/home" "$tmp/wrong") || ! grep -q '^[1-9][0-9]* passed, 1 failed$' <<<"$said"; then
    echo "FAIL  a wrong figure in the page is not missed: $said"
    exit 1
fi
