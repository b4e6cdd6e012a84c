package checkrein_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/checkrein/checkrein"

// districts are the parts of the tree from the bottom up. A package imports only packages of its own
// district and of those before it in this list, so that a reader can begin at the top of the list and
// need nothing that comes later.
var districts = []string{
	"docs",             // the pages, embedded
	"internal/text",    // JSON, YAML, TOML, Markdown, terminals
	"internal/sys",     // processes, locked files, directories, sandboxes
	"internal/catalog", // tables of what is known of the world
	"",                 // events, hooks, verdicts and their laws
	"internal/secret",
	"internal/shell",
	"internal/hook",
	"internal/engine",
	"engine", // what embedders use of it
	"internal/host",
	"internal/evidence",
	"internal/approval",
	"internal/guard",
	"internal/scan",
	"internal/app",
	"kit",           // what embedders use of it
	"checkreintest", // with which they test
	"internal/agent",
	"internal/fleet",
	"internal/desk",
	"internal/cli",
	"cmd",
	"internal/lab", // for tests, pages and benchmarks
	"examples",
}

// districtOf returns the index of a package's district in districts, or -1.
func districtOf(name string) int {
	return slices.IndexFunc(districts, func(d string) bool {
		return name == d || d != "" && strings.HasPrefix(name, d+"/")
	})
}

// foreignImports lists the modules of other authors that packages may import. A name that ends with
// /... includes the packages below it.
var foreignImports = map[string][]string{
	"internal/text/yamldoc/parser": {"github.com/goccy/go-yaml"},                        // the cheapest to link
	"internal/sys/process":         {"golang.org/x/sys"},                                // process tables of darwin
	"internal/shell/expand":        {"mvdan.cc/sh/v3/syntax", "mvdan.cc/sh/v3/pattern"}, // the parser's tree and patterns
	"internal/shell/resolve":       {"mvdan.cc/sh/v3/syntax"},                           // the parser
	"internal/cli/doctor":          {"mvdan.cc/sh/v3/shell"},                            // splits command lines of hooks
	"internal/approval/person":     {"golang.org/x/sys"},                                // terminals
	"internal/evidence/ledger":     {"golang.org/x/sys"},                                // clocks of darwin
	"internal/sys/undo":            {"golang.org/x/sys"},                                // links relative to directories
	"internal/cli/...":             {"github.com/spf13/cobra"},                          // commands that people type
	"internal/cli/serve":           {"rsc.io/qr"},                                       // links for phones
	"internal/lab/clitest":         {"github.com/google/go-cmp/cmp"},                    // what a golden file differs in
	"internal/cli/watch":           {"charm.land/bubbletea/v2"},                         // a screen that follows keys
	"internal/cli/hooks":           {"github.com/rogpeppe/go-internal/diff"},            // what changed since an approval
	"internal/cli/shadow":          {"github.com/rogpeppe/go-internal/diff"},            // what enforce changes
	"internal/desk/page":           {"github.com/rogpeppe/go-internal/diff"},            // what saving a policy changes
	"internal/secret/reader":       {"filippo.io/edwards25519"},                         // keys of wallets, without the standard library's random source
	"internal/evidence/export": { // formats that others read
		"go.opentelemetry.io/proto/otlp", "google.golang.org/protobuf",
	},
	"internal/fleet/bundle": { // signed metadata that stops roll-back, freeze and mix; its signers take keys of that module
		"github.com/theupdateframework/go-tuf/v2/metadata", "github.com/sigstore/sigstore/pkg/signature",
	},
	"internal/lab/site":       {"github.com/yuin/goldmark"},                                                      // Markdown
	"internal/lab/docgen":     {"github.com/spf13/cobra", "github.com/spf13/pflag"},                              // the page of commands
	"internal/lab/manpages":   {"github.com/spf13/cobra/doc"},                                                    // pages from commands
	"internal/fleet/protocol": {"github.com/klauspost/compress/zstd"},                                            // batches of records
	"internal/agent/mcp":      {"github.com/modelcontextprotocol/go-sdk"},                                        // the protocol of servers
	"internal/text/term":      {"github.com/clipperhouse/displaywidth", "golang.org/x/term", "golang.org/x/sys"}, // how wide text is; terminals
	"internal/agent/channel":  {"github.com/nicholas-fedor/shoutrrr"},                                            // services that messages go to
	"internal/host/install":   {"github.com/tailscale/hujson", "github.com/rogpeppe/go-internal/diff"},           // JSON with comments, and what changes in it
	"internal/scan/scrub":     {"github.com/rogpeppe/go-internal/diff"},                                          // what a preview shows
}

type goPackage struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func goList(t *testing.T, args ...string) []goPackage {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports,Deps"}, args...)...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

// localName returns the name of a package within the module. It reports false if the package is not in
// the module.
func localName(path string) (string, bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}

// mayImport reports whether foreignImports allows the package name to import imp, a package of another
// module.
func mayImport(name, imp string) bool {
	for own, modules := range foreignImports {
		above, below := strings.CutSuffix(own, "...")
		if (own == name || below && strings.HasPrefix(name, above)) && slices.ContainsFunc(modules, func(m string) bool { return strings.HasPrefix(imp, m) }) {
			return true
		}
	}
	return false
}

func TestImportsPointOneWay(t *testing.T) {
	t.Parallel()
	for _, p := range goList(t, "./...") {
		name, _ := localName(p.ImportPath)
		own := districtOf(name)
		if own < 0 {
			t.Errorf("package %q is in no district", name)
		}
		for _, imp := range p.Imports {
			if to, ours := localName(imp); ours && districtOf(to) > own {
				t.Errorf("%q imports %q, of a later district", name, to)
			}
			if strings.Contains(strings.Split(imp, "/")[0], ".") && !strings.HasPrefix(imp, module) {
				if !mayImport(name, imp) {
					t.Errorf("%q imports %s: only the packages in foreign may", name, imp)
				}
			}
		}
	}
}

// TestDistricts checks that internal holds only districts, and that docs/architecture.md names each of
// them.
func TestDistricts(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	folders, err := os.ReadDir("internal")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		name := "internal/" + f.Name()
		if !slices.Contains(districts, name) {
			t.Errorf("%s is no district", name)
		}
		if !strings.Contains(string(page), "`"+f.Name()+"`") {
			t.Errorf("docs/architecture.md does not say what %s is for", name)
		}
	}
}

// banned are packages that the hot program must not link, with the reasons.
var banned = map[string]string{
	"net":                        "a resolver and its init cost; everything that talks to a network runs in checkreind",
	"net/http":                   "a third of a cold start",
	"github.com/spf13/cobra":     "the hot program has few commands, and people do not type them",
	"text/template":              "reflection on the hot path",
	"html/template":              "the same",
	module + "/docs":             "pages are for people, who ask the companion",
	"database/sql":               "the ledger is a file",
	"os/user":                    "cgo, and a look-up that nobody asked for",
	"github.com/spf13/pflag":     "as cobra",
	"math/big":                   "crypto/rand brings it; a key is read from the system's source instead",
	"go/ast":                     "nothing here reads Go",
	"testing":                    "registers flags at start",
	"flag":                       "forty microseconds for what fifty lines do",
	"log/slog":                   "logs go through package state",
	"google.golang.org/grpc":     "init work",
	"modernc.org/sqlite":         "init work",
	"github.com/nats-io/nats.go": "init work",
}

// linked are the modules of other authors that the hot program links. displaywidth and uax29, which
// screens need, do nothing when the program starts, because their tables are data.
var linked = []string{
	"golang.org/x/sys/", "mvdan.cc/sh/v3/", "filippo.io/edwards25519",
	"github.com/clipperhouse/displaywidth", "github.com/clipperhouse/uax29/",
}

func TestHotProgramLinksLittle(t *testing.T) {
	t.Parallel()
	for _, goos := range []string{"linux", "darwin", "windows"} {
		t.Run(goos, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command("go", "list", "-deps", "./cmd/checkrein")
			cmd.Env = append(cmd.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("go list: %v", err)
			}
			for _, dep := range strings.Fields(string(out)) {
				if why, bad := banned[dep]; bad && !(goos == "windows" && dep == "math/big") { // which has no file to read randomness from
					t.Errorf("the hot program links %s: %s", dep, why)
				}
				first, _, _ := strings.Cut(dep, "/")
				if strings.Contains(first, ".") && !strings.HasPrefix(dep, module) && !slices.ContainsFunc(linked, func(of string) bool { return strings.HasPrefix(dep, of) }) {
					t.Errorf("the hot program links %s, which is not on its list", dep)
				}
			}
		})
	}
}
