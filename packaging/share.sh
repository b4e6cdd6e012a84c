#!/bin/sh
# share.sh DIR TIME: writes what packages carry beside the programs: man pages with that time, completions, licences of modules.
set -eu
rm -rf "$1"
SOURCE_DATE_EPOCH=$2 go run ./internal/lab/manpages "$1"
go run ./internal/lab/notices >"$1/NOTICES.txt"
