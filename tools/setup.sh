#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sees to the packages of tools/packages.txt; does nothing, in well under a second, where all are there.
#
#   tools/setup.sh              those of group base; run by ./demo
#   tools/setup.sh GROUP...     those of these groups: base, study ...; all: of every group
#
# Where Debian packages cannot be installed (no apt-get, or neither root nor sudo), it looks for what the packages
# bring, in its version, says what is missing, and goes on where nothing is.
# Exit status: 0 all is there, 2 something is missing, or bad usage.
set -euo pipefail
cd "$(dirname "$0")/.."
table=tools/packages.txt

[ "${1:-}" != --help ] || { sed -n '3,/^set /{/^#/s/^# \{0,1\}//p}' "tools/${0##*/}"; exit 0; }

# The rows of the groups that are asked for: packages[i] brings looked_for[i].
declare -A groups=()
packages=() looked_for=()
number=0
wanted=${*:-base}
while IFS= read -r line; do
    number=$((number + 1))
    [[ $line =~ ^[^\#]*[^\#[:space:]] ]] || continue
    if [[ ! $line =~ ^([a-z0-9.+-]+)[[:space:]]*\#[[:space:]]([a-z]+):[[:space:]](.+)$ ]]; then
        echo "$table:$number: a row is 'PACKAGE # GROUP: WHAT NAME [VERSION [OPTION]]; ...'" >&2
        exit 2
    fi
    groups[${BASH_REMATCH[2]}]=1
    case " $wanted " in
    *" ${BASH_REMATCH[2]} "* | *" all "*)
        packages+=("${BASH_REMATCH[1]}")
        looked_for+=("${BASH_REMATCH[3]}")
        ;;
    esac
done <$table
for group in $wanted; do
    if [ "$group" != all ] && [ -z "${groups[$group]-}" ]; then
        echo "setup: there is no group '$group'; the groups are all, $(printf '%s\n' "${!groups[@]}" | sort |
            paste -sd , | sed 's/,/, /g')" >&2
        exit 2
    fi
done

# --- By packages -------------------------------------------------------------------------------------------------

# Why packages cannot be installed; nothing where they can.
why_not() {
    local tool
    for tool in dpkg-query apt-get; do
        command -v $tool >/dev/null || { echo "there is no $tool"; return; }
    done
    [ "$(id -u)" -ne 0 ] || return 0
    command -v sudo >/dev/null || { echo "neither root nor sudo is there"; return; }
    sudo -n true 2>/dev/null || [ -t 0 ] || echo "sudo asks for a password, and there is no terminal"
}

install_packages() {
    local as_root=()
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    echo "setup: installing $*"
    if ! { "${as_root[@]}" apt-get update &&
           "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
         } >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        echo "setup: apt-get failed; the lines above are the end of what it said" >&2
        exit 2
    fi
}

missing=("${packages[@]}")
if command -v dpkg-query >/dev/null; then
    mapfile -t missing < <(printf '%s\n' "${packages[@]}" | grep -vxF "$(
        dpkg-query -W -f '${Package} ${db:Status-Status}\n' 2>/dev/null | sed -n 's/ installed$//p')")
    [ ${#missing[@]} -ne 0 ] || exit 0
fi
reason=$(why_not)
if [ -z "$reason" ]; then
    install_packages "${missing[@]}"
    exit 0
fi

# --- By what they bring ------------------------------------------------------------------------------------------

# The first number with a dot in a text.
number_in() { [[ $1 =~ [0-9]+(\.[0-9]+)+ ]] && echo "${BASH_REMATCH[0]}"; }

# The version of what a row looks for, "there" where it has none to be seen; nothing where it is missing.
found() {
    local what=$1 name=$2 version=${3:-} option=${4:---version} python
    case $what in
    command)
        command -v "$name" >/dev/null || return 0
        [ -n "$version" ] || { echo there; return; }
        number_in "$("$name" "$option" 2>&1 </dev/null)" || echo "no version"
        ;;
    module) pkg-config --modversion "$name" 2>/dev/null || true ;;
    header) ! echo "#include <$name>" | ${CC:-cc} -E -x c - >/dev/null 2>&1 || echo there ;;
    perl) perl -M"$name" -e "print $name->VERSION, qq(\n)" 2>/dev/null || true ;;
    python)
        for python in /usr/bin/python3 python3; do
            "$python" -c "import importlib.metadata as m; print(m.version('$name'))" 2>/dev/null && return
        done
        ;;
    file) ! compgen -G "$name" >/dev/null || echo there ;;
    *) echo "$table: '$what' is none of command, module, header, perl, python, file" >&2; exit 2 ;;
    esac
    return 0
}

# Whether what was found is of the version that is wanted, or newer.
new_enough() { [ "$1" = there ] || { [[ $1 == [0-9]* ]] && printf '%s\n' "${2:-0}" "$1" | sort -VC; }; }

looked=0 lacking=()
for i in "${!packages[@]}"; do
    IFS=';' read -ra rows <<<"${looked_for[i]}"
    for row in "${rows[@]}"; do
        read -r what name version option <<<"$row"
        have=$(found "$what" "$name" "$version" ${option:+"$option"})
        looked=$((looked + 1))
        if [ -z "$have" ] || ! new_enough "$have" "$version"; then
            lacking+=("$(printf '  %-28s %-8s %-10s %s' "$name" "${version:-any}" "${have:-missing}" "${packages[i]}")")
        fi
    done
done
if [ ${#lacking[@]} -ne 0 ]; then
    {
        echo "setup: packages cannot be installed here ($reason)," \
            "and ${#lacking[@]} of $looked things are missing or too old:"
        printf '  %-28s %-8s %-10s %s\n' what wanted found 'Debian package'
        printf '%s\n' "${lacking[@]}"
    } >&2
    exit 2
fi
echo "setup: packages cannot be installed here ($reason); all $looked things that are needed are there"
