#!/bin/sh
# embed.sh: tests the module of examples/embed. Its go.mod must name all that it needs; its
# tests run in a workspace, where our packages need not be compiled again.
set -eu
go=${GO:-go}
root=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$root/examples/embed"
$go list -deps -test ./... >"$tmp/list"
(cd "$tmp" && $go work init "$root" "$root/examples/embed")
GOWORK=$tmp/go.work $go test ./...
