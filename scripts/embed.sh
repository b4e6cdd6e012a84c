#!/bin/sh
# embed.sh: tests the modules of examples/embed and examples/handler. Their go.mod must name all
# that they need; their tests run in a workspace, where our packages need not be compiled again.
set -eu
go=${GO:-go}
root=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
(cd "$tmp" && $go work init "$root" "$root/examples/embed" "$root/examples/handler")
for example in embed handler; do
	cd "$root/examples/$example"
	GOWORK=off $go list -deps -test ./... >"$tmp/list"
	GOWORK=$tmp/go.work $go test ./...
done
