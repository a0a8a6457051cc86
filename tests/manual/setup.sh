#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016  # the text of a program is between single quotes
# tools/setup.sh in a tree of its own, on a PATH of its own: with and without apt-get, dpkg-query, root and sudo; what
# is missing or too old is named, and nothing else. Then the project's own table, where nothing can be installed.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bin=$work/bin
table=$work/tools/packages.txt
mkdir -p "$bin" "$work/tools"
cp "$root/tools/setup.sh" "$work/tools"
passed=0
failed=0

# fake NAME: a program on that PATH, its text from standard input
fake() { { echo '#!/bin/bash'; cat; } >"$bin/$1"; chmod +x "$bin/$1"; }

# want NAME STATUS PATTERN [ARGUMENT...]: what setup.sh ends with, and a pattern that all it says must match
want() {
    local name=$1 status=$2 pattern=$3 got said
    shift 3
    rm -f "$work/installed"
    said=$(PATH=$bin "$work/tools/setup.sh" "$@" 2>&1 </dev/null)
    got=$?
    if [ $got -eq "$status" ] && [[ $said =~ ^$pattern$ ]]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s: status %s, not %s, or it does not say /%s/:\n%s\n' "$name" $got "$status" "$pattern" "$said"
    fi
}

# installed NAME TEXT: what apt-get was last asked to install
installed() {
    if [ "$(cat "$work/installed" 2>/dev/null)" = "$2" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s: installed "%s", not "%s"\n' "$1" "$(cat "$work/installed" 2>/dev/null)" "$2"
    fi
}

for tool in bash dirname sed grep sort paste mktemp rm tail cat env perl cc python3; do
    ln -s "$(command -v $tool)" "$bin/$tool"
done
fake tool <<<'echo "tool version 2.10.3 (of 1.1)"'
fake quiet <<<'[ "$1" = -V ] && echo 1.2'
fake mute <<<'true'
fake pkg-config <<<'[ "$2" = lib ] && echo 1.3.1'
fake id <<<'echo 1000'
cat >"$table" <<'EOT'
# a comment
one      # base: command tool 2.9; command quiet 1.2 -V
two      # base: module lib 1.3; header stdio.h
three    # base: perl Carp 1.0; file /usr/b*n; command mute
extra    # study: command no_such_tool 3.1
EOT
good='setup: packages cannot be installed here .there is no dpkg-query.; all 7 things that are needed are there'

want "without dpkg-query" 0 "$good"
want "the same, named" 0 "$good" base
want "a group that lacks its tool" 2 \
    '.*\(there is no dpkg-query\), and 1 of 1 things .* no_such_tool +3\.1 +missing +extra' study
want "all groups" 2 '.* 1 of 8 things .* no_such_tool +3\.1 +missing +extra' all
want "two groups" 2 '.* 1 of 8 things .*' study base
want "no such group" 2 "setup: there is no group 'x'; the groups are all, base, study" x

# Each row in turn is made one that does not hold; no other may be named.
row() {
    local before=$1 after=$2 named=$3
    sed -i.kept "s|$before|$after|" "$table"
    want "$after" 2 ".* and 1 of 7 things are missing or too old:.  what +wanted +found +Debian package.  $named"
    mv "$table.kept" "$table"
}
row 'tool 2.9' 'tool 2.11' 'tool +2\.11 +2\.10\.3 +one'
row 'tool 2.9' 'tool 3.0' 'tool +3\.0 +2\.10\.3 +one'
row 'quiet 1.2 -V' 'quiet 1.2 -W' 'quiet +1\.2 +no version +one'
row 'lib 1.3' 'lib 1.4' 'lib +1\.4 +1\.3\.1 +two'
row 'lib 1.3' 'other 1.3' 'other +1\.3 +missing +two'
row 'stdio.h' 'no_such.h' 'no_such\.h +any +missing +two'
row 'Carp 1.0' 'Carp 99' 'Carp +99 +[0-9.]+ +three'
row 'Carp 1.0' 'No::Such 1' 'No::Such +1 +missing +three'
row '/usr/b\*n' '/no/such*' '/no/such\* +any +missing +three'
row 'command mute' 'python no_such_module 1' 'no_such_module +1 +missing +three'
row 'command mute' 'command absent' 'absent +any +missing +three'
sed -i.kept 's/command mute/colour mute/' "$table"
want "a row that is not understood" 2 "tools/packages.txt: 'colour' is none of .*"
sed 's/three .*/three/' "$table.kept" >"$table"
want "a row without what it brings" 2 "tools/packages.txt:4: a row is .*"
mv "$table.kept" "$table"

# With packages: only what is missing is installed, and only where it may be.
fake dpkg-query <<<'printf "%s installed\n" one two; echo "three config-files"'
fake apt-get <<EOF2
[ "\$1" = update ] || echo "\$*" | sed 's/.*--no-install-recommends //' >$work/installed
[ ! -e $work/broken ] || { echo E: no network; exit 100; }
EOF2
want "neither root nor sudo" 0 "${good/there is no dpkg-query/neither root nor sudo is there}"
sed -i.kept 's/tool 2.9/tool 3.0/' "$table"
want "neither root nor sudo, and a tool too old" 2 '.*neither root nor sudo .* tool +3\.0 +2\.10\.3 +one'
mv "$table.kept" "$table"
fake sudo <<<'[ "$1" != -n ] || exit 1; "$@"'
want "sudo wants a password" 0 "${good/there is no dpkg-query/sudo asks for a password, and there is no terminal}"
installed "sudo wants a password" ''
fake sudo <<<'[ "$1" != -n ] || shift; "$@"'
want "sudo" 0 'setup: installing three'
installed "sudo" three
rm "$bin/sudo"
fake id <<<'echo 0'
want "root" 0 'setup: installing three'
installed "root" three
want "root, groups" 0 'setup: installing three extra' base study
installed "root, groups" 'three extra'
touch "$work/broken"
want "apt-get fails" 2 'setup: installing three.E: no network.setup: apt-get failed; .*'
rm "$work/broken"
fake dpkg-query <<<'printf "%s installed\n" one two three'
want "all there" 0 ''
rm "$bin/apt-get"
want "all there, without apt-get" 0 ''
fake dpkg-query <<<'printf "%s installed\n" one two'
want "without apt-get" 0 "${good/dpkg-query/apt-get}"

# The project's own table, on this machine's programs but for those that install.
cp "$root/tools/packages.txt" "$table"
for folder in /usr/local/bin /usr/sbin /usr/bin /sbin /bin; do
    for path in "$folder"/*; do
        [ -e "$bin/${path##*/}" ] || ln -s "$path" "$bin/${path##*/}"
    done
done
rm -f "$bin/apt-get" "$bin/dpkg-query" "$bin/pkg-config" "$bin/tool"
ln -s "$(command -v pkg-config)" "$bin/pkg-config"
want "the project's own table" 0 \
    'setup: packages cannot be installed here .there is no dpkg-query.; all [0-9]+ things .*'
rm "$bin/verilator"
want "the project's own table without Verilator" 2 '.* 1 of [0-9]+ things .* verilator +5\.006 +missing +verilator'

echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
