# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# Faults planted in front of `warpref state`, sourced by tests/fail/run.sh: sources that changed behind a
# figure, a page that nobody wrote anew, a bench that fails, a record that cannot be read.

mkdir "$tmp/state"
git ls-files -z | xargs -0 cp --parents -t "$tmp/state"
state=(env WARPREF_ROOT="$tmp/state" WARPREF_PROGRAM="$PWD/$bin/warpref" python3 "$tmp/state/state/state.py")
[ "${bin#/}" = "$bin" ] || state[2]=WARPREF_PROGRAM="$bin/warpref"
rm "$tmp/state/state/record.json"
want "state: nothing is measured" 0 '^hint_decoder +V0 ' "${state[@]}"
"${state[@]}" --measure --method lockstep hint_decoder >"$tmp/log" 2>&1 && "${state[@]}" --page
want "state: measured" 0 '^stage +V1$' "${state[@]}" hint_decoder
want "state: the page says so" 0 '^1 passed, 0 failed$' "${state[@]}" --check
echo '// more' >>"$tmp/state/rtl/hints/hint_decoder.sv"
want "state: other sources than those that were measured" 0 '^bins .* \(old\)$' "${state[@]}" hint_decoder
want "state: it counts for no stage" 0 '^stage +V0$' "${state[@]}" hint_decoder
want "state: the page is of before" 1 'docs/state.md is not what' "${state[@]}" --check
git show HEAD:rtl/hints/hint_decoder.sv >"$tmp/state/rtl/hints/hint_decoder.sv"
want "state: as it was" 0 '^stage +V1$' "${state[@]}" hint_decoder
echo '// more' >>"$tmp/state/testbench/hints/hint_decoder_stim.c"
want "state: another stimulus than that which was measured" 0 '^bins .* \(old\)$' "${state[@]}" hint_decoder
sed -i "/^hint_decoder /d" "$tmp/state/testbench/waived_bins.txt"
"${state[@]}" --measure --method lockstep hint_decoder >"$tmp/log" 2>&1
want "state: an empty bin that nobody waives" 0 '^bins .* ✗$' \
    "${state[@]}" hint_decoder
want "state: no such block" 2 "there is no block 'none'" "${state[@]}" none
sed -i 's/"figures"/"figure"/' "$tmp/state/state/record.json"
want "state: a row that is no figure" 2 'lockstep of hint_decoder is no figure; ' "${state[@]}"
echo '{' >"$tmp/state/state/record.json"
want "state: a record cut off" 2 'git checkout state/record.json' "${state[@]}"
