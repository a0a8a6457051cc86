#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages of tools/packages.txt that are missing. Run by ./demo and
# ./check; does nothing, in well under a second, where all of them are there.
set -eu
cd "$(dirname "$0")/.."

have=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' 2>/dev/null | sed -n 's/ installed$//p')
missing=$(sed 's/#.*//; /^ *$/d' tools/packages.txt | grep -vxF "$have" || true)
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "setup: these Debian packages are missing and neither root nor sudo is there to" \
             "install them:" $missing >&2
        exit 2
    fi
    as_root=sudo
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "setup: installing" $missing
if ! { $as_root apt-get update &&
       $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing
     } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "setup: apt-get failed; the lines above are the end of what it said" >&2
    exit 2
fi
