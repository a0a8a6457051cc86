#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes device math as bitcode: the sources beside this, with what they use of Debian's libclc.
#
#   build.sh BITS OUT.bc     BITS: of an address, 32 or 64
#
# WARPREF_CLC names libclc's folder (/usr/lib/clc).
set -eu
bits=$1 out=$2
here=$(cd "$(dirname "$0")" && pwd)
nvptx=nvptx${bits#32}
clc=${WARPREF_CLC:-/usr/lib/clc}/$nvptx--nvidiacl.bc
[ -r "$clc" ] || { echo "$clc: not found; install Debian's libclc-14, or name its folder in WARPREF_CLC" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in "$here"/*.c; do
    clang-14 -target "$nvptx-nvidia-cuda" -Xclang -target-cpu -Xclang sm_50 -O2 -std=gnu11 -ffp-contract=off -fno-math-errno -fno-builtin \
        -Wall -Wextra -Wshadow -Werror -emit-llvm -c -o "$work/$(basename "$file" .c).bc" "$file"
done
llvm-link-14 -o "$work/ours.bc" "$work"/*.bc
# Another triple's: libclc is of "nvidiacl".
llvm-link-14 -suppress-warnings --only-needed --internalize -S -o "$work/all.ll" "$work/ours.bc" "$clc"
# libclc reads this table 16 bytes at a time, up to its end and beyond it.
padding=$(printf '\\\\00%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18)
sed -e 's/\[158 x i8\]/[176 x i8]/g' -e "/^@PIBITS_TBL/{s/\", align 1\$/$padding\", align 16/;}" "$work/all.ll" >"$work/aligned.ll"
grep -q '^@PIBITS_TBL.*\[176 x i8\].*, align 16$' "$work/aligned.ll"
opt-14 -strip -globaldce -o "$out" "$work/aligned.ll"
