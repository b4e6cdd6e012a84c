#!/bin/sh
# share.sh DIR TIME: writes what packages carry beside the programs: man pages with that time, completions, licences of modules,
# and their script with that time, which is in apk files.
set -eu
rm -rf "$1"
TZ=UTC SOURCE_DATE_EPOCH=$2 go run ./internal/lab/manpages "$1"
go run ./internal/lab/notices >"$1/NOTICES.txt"
cp packaging/preremove.sh "$1/"
touch -d "@$2" "$1/preremove.sh" 2>/dev/null || touch -t "$(date -r "$2" +%Y%m%d%H%M.%S)" "$1/preremove.sh"
