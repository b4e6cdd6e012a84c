#!/bin/sh
# dist.sh [ARG...]: builds everything of a release in dist/ with goreleaser, then the npm packages in dist/npm. Without arguments it
# neither signs nor publishes, and needs neither tag nor token; the workflow for releases gives others. DIST_FOR="linux amd64" builds
# only what is for that system.
set -eu
cd "$(dirname "$0")/.."
mkdir -p bin
config=.goreleaser.yaml
[ $# -gt 0 ] || set -- --snapshot --skip=sign,docker
if [ -n "${DIST_FOR:-}" ]; then
	sed "s/goos: \[.*\]/goos: [${DIST_FOR% *}]/; s/goarch: \[.*\]/goarch: [${DIST_FOR#* }]/" $config >bin/goreleaser.yaml
	config=bin/goreleaser.yaml
	set -- "$@" --skip=homebrew,scoop # their manifests name several systems
fi
GOFLAGS=-gcflags=all=-dwarf=false ${GO:-go} run -trimpath -ldflags '-s -w' github.com/goreleaser/goreleaser/v2@v2.15.1 release --clean -f $config "$@"
if command -v npm >/dev/null 2>&1; then
	node packaging/npm/pack.js dist
else
	echo "*** NO NPM PACKAGES: npm is not here" >&2
fi
