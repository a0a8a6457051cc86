# SPDX-License-Identifier: Apache-2.0
# Completes command lines as bash would: FILE is the completion, PROGRAM stands for warpref. A line of standard input
# is a command line behind it, its words parted by tabs, as readline parts them; its candidates are a line of output.
# Usage: bash complete.bash FILE PROGRAM
source "$1" || exit 2
[[ $(complete -p warpref) == 'complete -F _warpref warpref' ]] || exit 2
while IFS= read -r line; do
    mapfile -t -d $'\t' COMP_WORDS < <(printf '%s\t%s\t' "$2" "$line")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    _warpref
    printf '%s\t' "${COMPREPLY[@]}"
    echo
done
