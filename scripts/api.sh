#!/bin/sh
# Write docs/api.txt: the documentation of the packages that others import.
set -eu
cd "$(dirname "$0")/.."
for p in . ./engine ./kit ./checkreintest; do
	printf '=== %s\n\n' "$p"
	"${GO:-go}" doc -all "$p"
	echo
done >docs/api.txt
