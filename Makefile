# checkrein: `make demo` shows it, `make test` proves it.

GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS  = -s -w -X github.com/checkrein/checkrein/internal/sys/build.Version=$(VERSION)
FUZZTIME ?= 2s

.PHONY: all build models test-models demo test test-full tests race test-ledger test-hosts test-evasions test-walls test-desk test-fleet test-windows hub site bench-fleet vet vet-all fmt fuzz generate picture pages bench bench-serve scoreboard bench-secrets ablate score-secrets bench-boundary lint lint-workflows vuln dist test-dist clean

all: build

# The programs, side by side: checkrein hands over to checkreind, and checkrein-shell contains commands. What debuggers read is
# stripped in the end, so it is not made: that is a sixth of a first build.
build:
	CGO_ENABLED=0 $(GO) build -trimpath -gcflags=all=-dwarf=false -ldflags '$(LDFLAGS)' -o bin/ ./cmd/checkrein ./cmd/checkreind ./cmd/checkrein-shell

# The program that calls models of providers, for `checkrein run` with a key. Their SDKs
# are a module of its own, since they take minutes to compile.
models:
	cd models && CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o ../bin/ ./checkrein-models

test-models:
	cd models && $(GO) vet ./... && $(GO) test ./...

# The hub of a fleet is a module of its own, since its engine is larger than everything else.
hub:
	cd hub && CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o ../bin/ ./cmd/checkrein-hub

# The main job on embedded defaults: no key, no service.
demo: build
	sh examples/demo/run.sh bin/checkrein

# Where goroutines share things the race detector looks on; for the rest it only
# costs minutes. `make race` has it everywhere. Of the packages in BOTH some tests
# are too long for it (norace.SkipUnderRace), and run without. Its programs wait a second before
# they exit, unless told otherwise; tests start many.
BOTH = ./internal/evidence/ledger ./internal/evidence/ledger/seal ./kit ./internal/scan ./internal/guard/...
RACE = ./internal/sys/process ./internal/sys/state ./internal/engine ./internal/hook/config ./internal/hook/handler/... ./internal/cli/hot ./internal/approval ./internal/hook/analysis

# Some packages mostly wait, so more of them run than there are processors; those that
# take longest begin.
LONG = ./cmd/checkrein ./internal/evidence/prove ./examples
# Its tests start agents, which tests of other packages would take for a person's.
ALONE = ./internal/lab/fakehost
EACH = -vet=off -timeout 60m -p $$((2 * $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)))

# Nobody debugs what is built for tests, and the compiler is done a sixth sooner.
vet lint tests: export GOFLAGS := $(filter-out -gcflags=%,$(shell $(GO) env GOFLAGS)) -gcflags=all=-dwarf=false

test: vet fmt lint
	sh scripts/in-memory.sh $(MAKE) tests

# With the tests that are left out of make test because they take long. CI runs them.
test-full:
	CHECKREIN_FULL=1 $(MAKE) test

# The last line runs both programs on one real agent, which npm installs; without
# npm or a registry it is skipped, and says so. test-hosts has all of them.
tests:
	GORACE=atexit_sleep_ms=50 $(GO) test $(EACH) -race $(RACE) $(BOTH)
	$(GO) test $(EACH) $(LONG) $$($(GO) list ./... | grep -vxF "$$($(GO) list $(RACE) $(ALONE))")
	$(GO) test $(EACH) $(ALONE)
	cd hub && $(GO) test $(EACH) ./...
	GO='$(GO)' sh scripts/embed.sh
	CHECKREIN_HOSTS=1 $(GO) test -count=1 -v -run 'TestHost(EndToEnd|Prove)/codex' ./internal/lab/endtoend

race:
	$(GO) test -race ./...

# The ledger's promises at full size: 16 processes with 10,000 records each, some
# killed; thousands of crashes and of mutations.
test-ledger:
	CHECKREIN_TEST_APPENDS=10000 $(GO) test -count=1 -v -run ManyProcesses ./internal/evidence/ledger
	$(GO) test -count=1 -v -run 'Crash|Mutat' ./internal/evidence/ledger/... -rapid.checks=3000 -timeout 30m

# Both programs on real agents, which are installed from npm into a cache and talk
# to a scripted model. One package at a time: an agent wants the machine for itself.
# CHECKREIN_HOSTS_BUILDS="claude@2.1.325" runs other builds than the pinned ones.
test-hosts:
	CHECKREIN_HOSTS=1 $(GO) test -count=1 -v -p 1 -timeout 90m -run TestHost ./internal/host/... ./internal/agent/mcp ./internal/lab/fakehost ./internal/lab/endtoend

# Runs every command of the evasions inside a jail and asks for its damage; then has
# the built program judge them beside the same files. Linux with user namespaces.
test-evasions:
	CHECKREIN_EVASIONS=1 $(GO) test -count=1 -v -timeout 30m -run 'TestJail|TestEvasionsHarm' ./internal/lab/evasion
	CHECKREIN_EVASIONS=1 $(GO) test -count=1 -v -timeout 30m -run TestEvasions ./cmd/checkrein

# Runs ordinary work bare and behind walls, as an ordinary user and, for root, as both, and
# compares how it ends; tries to leave the walls. Programs that the machine lacks are skipped.
test-walls:
	CHECKREIN_WALLS_FULL=1 $(GO) test -count=1 -v -timeout 60m ./internal/lab/workloads

# The pages of checkrein open and of a hub in Chromium: every view and action, by keyboard, on a phone's screen, in the
# dark, and without findings of axe-core, which npm puts into a cache. What the machine lacks is skipped
# and named.
test-desk:
	CHECKREIN_DESK=1 $(GO) test -count=1 -v -timeout 30m ./internal/lab/desktest

# The Windows programs under Wine, and the tests of portable packages. Without wine it is skipped, and says so.
test-windows:
	CHECKREIN_WINE=1 $(GO) test -count=1 -v -timeout 30m ./internal/lab/windows

# A fleet of real programs whose parts fail: three NATS nodes in networks of their own, a hub, and 50 machines on
# which hooks run. For root, on Linux.
test-fleet:
	cd hub && CHECKREIN_FLEET=1 $(GO) test -count=1 -v -timeout 30m ./internal/endtoend

# The documentation as a static site with search, in bin/site.
site:
	$(GO) run ./internal/lab/site bin/site

# This system is vetted; TestOtherSystems has the type checker read everything for the
# others, and TestModules has it read the other modules of the repository. To compile and
# vet these as well takes several times as long; vet-all and test-models do.
vet:
	$(GO) vet ./...
	cd hub && $(GO) vet ./...

vet-all:
	for os in linux darwin windows; do GOOS=$$os $(GO) vet ./... || exit 1; done

fmt:
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "gofmt would change:"; echo "$$out"; exit 1; fi

# Every fuzz target for a few seconds. Their seeds run with the tests; this takes
# minutes, so it is for before a change is called done.
fuzz:
	sh scripts/fuzz.sh $(FUZZTIME)

# Reference pages, from the tables in the code; those of hosts come first.
generate:
	$(GO) generate ./internal/host ./...

# README's picture of a block, from a real run, and those of the page, in Chromium; and what the pages show of commands.
# Look at the difference: what a test compares, a person reads.
picture:
	$(GO) test ./docs -run TestPicture -args -update
	CHECKREIN_DESK=1 $(GO) test -count=1 -run TestPictures ./internal/lab/desktest -args -update

pages:
	$(GO) test ./docs -args -update
	$(GO) test -run 'Test(Help|JSON)$$' ./cmd/checkrein -args -update
	cd hub && $(GO) test -run 'TestHelp$$' ./cmd/checkrein-hub -args -update
	cd hub && CHECKREIN_FLEET=1 $(GO) test -count=1 -run TestFleetJSON ./internal/endtoend -args -update

# Ratios against floors and peers in one run; the tables of docs/benchmarks.md.
bench: build
	$(GO) test -run '^$$' -bench . -benchmem ./internal/engine ./internal/evidence/index ./internal/evidence/ledger/... ./internal/sys/process ./internal/text/rawjson ./internal/evidence/record ./internal/secret ./internal/approval
	$(GO) run ./internal/lab/bench -programs bin

# checkrein serve under load, in turns with a server of net/http that does nothing; needs the machine for itself.
bench-serve: build
	$(GO) run ./internal/lab/serveload -programs bin

# docs/scoreboard.md in one run: proofs of the lab's hosts, which are kept, what the corpora
# say, cold latency beside floors and peers; then docs/hosts, which show the proofs too.
scoreboard: build
	$(GO) run ./internal/lab/scoreboard
	$(GO) generate ./...

# Records of 50 machines into one hub, in turns with the same batches into NATS alone.
bench-fleet:
	cd hub && CHECKREIN_FLEET=1 $(GO) test -run '^$$' -bench Records -benchtime 3x -v ./internal/endtoend

# Beside gitleaks, from its module: what is found of its own test vectors, and
# how fast.
bench-secrets:
	cd internal/lab/bench/gitleaks && $(GO) run . -least 0.999

# What a part of the guard is worth: make ablate OFF=openings; of each function below a
# directory: make ablate SWEEP=internal/shell/exfil; without either, the named parts. WALLS=1 judges as where
# walls are installed.
ablate:
	$(GO) run ./internal/lab/ablate $(if $(WALLS),-walls) $(if $(SWEEP),-sweep '$(SWEEP)',$(if $(OFF),-off '$(OFF)',-list))

# What is found of the corpora of internal/lab/secretcorpus, by family, and what the strict level leaves and touches.
score-secrets:
	$(GO) run ./internal/lab/secretcorpus/score

# Scans of a large tree and of this repository's history, beside gitleaks, and
# beside git reading the tree.
bench-boundary: build
	cd internal/lab/bench/gitleaks && $(GO) run . -boundary ../../../../bin/checkrein

# A finding is a failure. That no registry gives staticcheck is none, and is said.
lint:
	GO='$(GO)' sh scripts/lint.sh

# The workflows of GitHub.
lint-workflows:
	$(GO) run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

# What is known about the modules that the programs link. VULNDB=file:///DIR is a copy of the database.
vuln:
	for m in . hub models; do (cd $$m && $(GO) run golang.org/x/vuln/cmd/govulncheck@v1.8.0 $(if $(VULNDB),-db $(VULNDB)) ./...) || exit 1; done

# Everything that a release has, unsigned, in dist: archives, packages, checksums, bills of materials, manifests. The first time it
# compiles goreleaser, and the programs for six systems.
dist: # DIST_FOR="linux amd64" for one system
	GO='$(GO)' sh scripts/dist.sh

# Builds the release of this commit twice and compares the bytes; installs each package on a machine with nothing else, with a real agent,
# and removes it again; installs the programs with go install from a proxy of its own. For root, on Linux, with npm, debootstrap and rpm; what is
# missing is skipped and named. CHECKREIN_DIST=required makes that a failure.
test-dist: dist
	CHECKREIN_DIST=$${CHECKREIN_DIST:-1} $(GO) test -count=1 -v -timeout 60m ./internal/lab/dist

clean:
	rm -rf bin dist
