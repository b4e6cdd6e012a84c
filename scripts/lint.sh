#!/bin/sh
# lint.sh: staticcheck over this module and the hub's, or over the given packages. A finding is a
# failure; that no registry gives staticcheck is none, but is said so that nobody overlooks it.
set -u
go=${GO:-go}
tool=honnef.co/go/tools/cmd/staticcheck@v0.8.2
if ! why=$($go run "$tool" -version 2>&1); then
	echo "$why" >&2
	echo "" >&2
	echo "*** NOT LINTED: $tool cannot be had here (see above)." >&2
	echo "*** What it would find is not known. Run make lint where a registry answers." >&2
	echo "" >&2
	exit 0
fi
if [ $# -gt 0 ]; then
	exec $go run "$tool" "$@"
fi
$go run "$tool" ./... && cd hub && $go run "$tool" ./...
