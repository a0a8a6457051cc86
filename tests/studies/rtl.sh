#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# studies/area/rtl: clean under Verilator and Yosys in every configuration of their blocks, equal to the models,
# and seen to differ with a fault. Studies run the long comparisons.
#
#   tests/studies/rtl.sh BUILD_DIR
# shellcheck source=tests/own_rtl/want.sh
. "$(dirname "$0")/../own_rtl/want.sh"
rtl=$root/studies/area/rtl

# lint TOP Param=value...: Verilator wants the width of a parameter of one bit.
lint() {
    local top=$1
    shift
    # shellcheck disable=SC2046  # lists: one option each
    want "$top $*: Verilator" 0 '' verilator --lint-only -Wall --top-module "$top" \
        $(printf -- '-G%s ' "$@" | sed -E "s/(CarrySave|Reset)=/&1'b/g") -y "$root/rtl/context" "$rtl/$top.sv"
    # shellcheck disable=SC2046
    want "$top $*: Yosys" 0 '' yosys -q -p "read_verilog -sv $rtl/$top.sv; \
        read_verilog -sv -defer $root/rtl/context/reg_compressor.sv; \
        chparam $(printf -- '%s ' "$@" | sed -E "s/([^ =]+)=([^ ]+)/-set \1 \2/g") $top; \
        hierarchy -check -top $top; proc; check -assert"
}
for lanes in 8 24 32 64; do
    for carry_save in 0 1; do lint reg_compressor_compare Lanes=$lanes CarrySave=$carry_save; done
    for step in 1 2 4 8; do lint reg_decompressor_serial Lanes=$lanes Step=$step; done
done
for group in 8 16 32; do lint reg_compressor_fixed Lanes=32 Group=$group; done
for reset in 0 1; do lint flipflop Reset=$reset; done

# equal BLOCK TOP FAULT OPTION...: in tiny, then with the fault, a script for sed.
equal() {
    local block=$1 top=$2 fault=$3
    shift 3
    local -a cosim=("$warpref" cosim "$block" --config tiny --cycles 20000 --no-shrink --top "$top" "$@")
    want "$top" 0 '^PASS 20000 cycles [1-9][0-9]* checks' "${cosim[@]}" --rtl "$rtl/$top.sv"
    sed "$fault" "$rtl/$top.sv" >"$top.sv"
    cmp -s "$rtl/$top.sv" "$top.sv" && { echo "FAIL  $top: the script changes nothing"; failed=$((failed + 1)); }
    want "$top with a fault" 1 'expected .*got' "${cosim[@]}" --rtl "$top.sv"
}
equal reg_compressor reg_compressor_compare 's/~(y << 1)/~y/' --rtl-param CarrySave=1
equal reg_decompressor reg_decompressor_serial 's/stride \* Step/stride/' --transfers --rtl-param Step=4
verdict
