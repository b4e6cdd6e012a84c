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

// edges lists which of our packages each package may import. Imports point one
// way: leaves import the root, the parent folder lists its leaves, and the
// engine is handed its tables. A new edge is a decision; it is made here.
var edges = map[string][]string{
	"":                                 {"internal/catalog/tools", "internal/text/rawjson"},
	"internal/catalog/tools":           {"internal/text/rawjson"},
	"internal/text/rawjson":            {},
	"internal/text/suggest":            {},
	"internal/sys/nolink":              {},
	"internal/lab/sampled":             {},                                                                                                // tests only
	"internal/sys/localhttp":           {"internal/sys/process", "internal/sys/random", "internal/text/rawjson", "internal/text/suggest"}, // which knows no hooks
	"internal/sys/build":               {},
	"internal/cli/console":             {},
	"internal/text/term":               {"internal/approval"},
	"internal/text/markdown":           {},
	"internal/cli/manual":              {"docs", "internal/text/markdown", "internal/text/term", "internal/text/suggest"},
	"docs":                             {}, // pages, for the companion
	"internal/sys/random":              {},
	"internal/sys/process":             {"internal/sys/random"},
	"internal/sys/state":               {"internal/sys/random"},
	"internal/sys/snapshot":            {"internal/sys/process", "internal/sys/state"},
	"internal/scan/git":                {"internal/sys/process"},
	"internal/scan/githook":            {"internal/scan/git", "internal/sys/state", "internal/sys/userdirs"},
	"internal/scan/scrub":              {"internal/scan", "internal/hook/match", "internal/scan/policy", "internal/sys/state"},
	"internal/evidence/provenance":     {"internal/secret/fingerprint", "internal/evidence/ledger", "internal/text/rawjson", "internal/sys/state"},
	"internal/sys/sandbox":             {"internal/text/rawjson", "internal/text/suggest"},
	"internal/text/later":              {}, // whose turn must come early
	"internal/text/yamldoc":            {"internal/text/later", "internal/text/rawjson"},
	"internal/text/tomldoc":            {},
	"internal/guard/edit":              {"", "internal/catalog/tools", "internal/text/rawjson"},
	"internal/sys/environ":             {"internal/text/rawjson"},
	"internal/sys/userdirs":            {"internal/text/rawjson", "internal/sys/state", "internal/sys/environ"},
	"internal/hook/match":              {"", "internal/text/rawjson", "internal/text/suggest"},
	"internal/hook/answer":             {"", "internal/text/rawjson"},
	"internal/hook/payload":            {"", "internal/text/rawjson"},
	"internal/hook/reentry":            {"", "internal/sys/process", "internal/sys/state"},
	"internal/approval/advise":         {"internal/approval/grant"},
	"internal/approval/grant":          {"internal/sys/state", "internal/text/suggest"},
	"internal/approval/liveagents":     {"internal/evidence/ledger", "internal/sys/process", "internal/text/rawjson", "internal/sys/state"},
	"internal/scan/gitlayer":           {"internal/sys/process"},
	"internal/approval/person":         {"internal/approval/liveagents", "internal/sys/process"},
	"internal/shell":                   {"internal/catalog/facts"},
	"internal/catalog/facts":           {},
	"internal/lab/cputime":             {},
	"internal/shell/gitconfig":         {"internal/shell"},
	"internal/shell/scriptfile":        {},
	"internal/shell/resolve":           {"internal/shell/taskfile", "internal/catalog/hostfiles", "internal/shell", "internal/catalog/facts", "internal/shell/program"}, // which variables bend hosts
	"internal/shell/around":            {"internal/catalog/hostfiles", "internal/shell", "internal/shell/rules", "internal/shell/program"},
	"internal/shell/files":             {"internal/catalog/hostfiles", "internal/shell", "internal/catalog/facts", "internal/shell/program"},
	"internal/shell/rules":             {"internal/text/rawjson", "internal/shell", "internal/catalog/facts", "internal/shell/program", "internal/text/suggest"},
	"internal/shell/program":           {"internal/shell", "internal/catalog/facts"}, // data, which every expert may ask
	"internal/shell/exfil":             {"internal/shell", "internal/catalog/facts", "internal/shell/program"},
	"internal/shell/code":              {"internal/shell", "internal/catalog/facts", "internal/shell/program"},
	"internal/shell/windows":           {"internal/shell", "internal/catalog/facts", "internal/shell/files"},
	"internal/shell/classify":          {"internal/shell", "internal/shell/around", "internal/shell/code", "internal/catalog/facts", "internal/shell/files", "internal/shell/windows", "internal/shell/exfil", "internal/shell/rules", "internal/shell/program", "internal/shell/resolve"},
	"internal/secret":                  {"internal/text/later", "internal/text/rawjson"},
	"internal/secret/gen":              {},
	"internal/secret/sample":           {}, // for tests
	"internal/secret/pipe":             {"internal/secret"},
	"internal/secret/corpus":           {"internal/secret"},
	"internal/scan/policy":             {"internal/hook/match", "internal/text/rawjson", "internal/secret", "internal/sys/state", "internal/text/suggest", "internal/sys/userdirs", "internal/sys/environ", "internal/text/yamldoc"},
	"internal/text/archive":            {},
	"internal/scan":                    {"internal/evidence/ledger", "internal/hook/match", "internal/scan/policy", "internal/evidence/provenance", "internal/scan/git", "internal/sys/state", "internal/approval", "internal/sys/environ"},
	"internal/scan/report":             {"internal/scan", "internal/scan/policy", "internal/text/rawjson", "internal/text/term", "internal/secret", "internal/text/suggest", "internal/approval"},
	"internal/catalog/issuers":         {},
	"internal/secret/placeholder":      {},
	"internal/text/deep":               {"internal/text/later"}, // which come early
	"internal/secret/fingerprint":      {},
	"internal/evidence/ledger":         {"internal/sys/random", "internal/text/rawjson", "internal/sys/state"},
	"internal/evidence/ledger/seal":    {"internal/evidence/ledger", "internal/text/rawjson", "internal/sys/state"},
	"internal/evidence/record":         {"", "engine", "internal/catalog/tools", "internal/sys/build", "internal/secret/fingerprint", "internal/text/rawjson", "internal/secret", "internal/approval"},
	"internal/evidence/index":          {"internal/evidence/ledger", "internal/text/rawjson", "internal/sys/state"},
	"internal/cli/rebuild":             {"internal/scan", "internal/hook/config", "internal/approval/coverage/cache", "internal/hook/dialect", "internal/evidence/index", "internal/evidence/ledger", "internal/sys/state"},
	"internal/evidence/export":         {"internal/sys/build", "internal/evidence/ledger", "internal/evidence/record"},
	"internal/host/capability":         {"", "internal/text/rawjson", "internal/sys/state"},
	"internal/host/capability/proofs":  {"internal/host/capability", "internal/text/rawjson", "internal/sys/state"}, // which run nothing
	"internal/evidence/certificate":    {"internal/evidence/ledger/seal", "internal/text/rawjson", "internal/sys/state"},
	"internal/hook/handover":           {"", "internal/sys/build", "internal/text/rawjson", "internal/sys/state"},
	"internal/guard/toolcall":          {"", "internal/catalog/tools"},
	"internal/evidence/misses":         {"internal/evidence/index", "internal/evidence/ledger", "internal/secret/placeholder", "internal/text/rawjson", "internal/secret", "internal/host/transcript"},
	"internal/host/transcript":         {"internal/catalog/tools", "internal/secret/placeholder", "internal/text/rawjson", "internal/sys/state", "internal/catalog/transcripts"},
	"internal/catalog/transcripts":     {}, // where they lie, for who guards them
	"internal/catalog/hostgiven":       {},
	"internal/evidence/silence":        {"internal/host/transcript"},
	"internal/evidence/honoured":       {"", "internal/host/capability", "internal/text/rawjson", "internal/evidence/record"},
	"internal/approval/coverage":       {"", "internal/shell/taskfile", "internal/hook/dialect", "internal/text/rawjson", "internal/shell", "internal/shell/code", "internal/catalog/facts", "internal/shell/gitconfig", "internal/shell/resolve", "internal/sys/state", "internal/sys/environ"},
	"internal/approval/coverage/cache": {"", "internal/approval/coverage", "internal/sys/state"},
	"internal/shell/taskfile":          {"internal/text/rawjson", "internal/shell", "internal/catalog/facts", "internal/text/yamldoc"},
	"internal/approval":                {"", "internal/approval/coverage", "internal/text/rawjson", "internal/sys/state", "internal/sys/nolink"},
	"internal/hook/grammar":            {"", "internal/catalog/hostfiles", "internal/hook/match", "internal/text/rawjson", "internal/text/suggest", "internal/text/yamldoc"},
	"internal/hook/packset":            {"", "internal/text/suggest"},
	"internal/hook/lint":               {"", "internal/hook/match", "internal/text/suggest", "internal/text/yamldoc"}, // for commands that people give; no event pays for it
	"internal/approval/loosening":      {"", "internal/approval/liveagents", "internal/hook/packset", "internal/text/rawjson", "internal/sys/state"},
	"internal/guard":                   {"", "internal/sys/build", "internal/guard/edit", "internal/approval/grant", "internal/catalog/hostfiles", "internal/catalog/issuers", "internal/secret/placeholder", "internal/hook/match", "internal/hook/packset", "internal/text/rawjson", "internal/secret", "internal/shell", "internal/shell/classify", "internal/shell/scriptfile", "internal/catalog/facts", "internal/shell/files", "internal/shell/windows", "internal/shell/gitconfig", "internal/shell/rules", "internal/shell/program", "internal/shell/resolve", "internal/sys/snapshot", "internal/text/suggest", "internal/guard/toolcall", "internal/catalog/transcripts", "internal/sys/environ", "internal/sys/nolink"},
	"internal/hook/config":             {"", "internal/hook/match", "internal/text/rawjson", "internal/sys/state", "internal/sys/environ", "internal/text/yamldoc", "internal/sys/userdirs"},
	"internal/hook/dialect":            {"", "internal/hook/dialect/claude", "internal/hook/dialect/dockeragent", "internal/hook/dialect/hookmd", "internal/hook/dialect/native", "internal/hook/dialect/starchild"},
	"internal/host/install":            {"", "internal/host/capability", "internal/host/wire", "internal/catalog/hostfiles", "internal/sys/state", "internal/text/suggest", "internal/text/tomldoc", "internal/text/yamldoc"},
	"internal/lab/conformance":         {"internal/text/suggest", "internal/text/yamldoc"},
	"internal/lab/docgen":              {"", "engine", "internal/hook/answer", "internal/guard", "internal/host/capability", "internal/lab/conformance", "internal/cli/console", "internal/hook/dialect", "internal/hook/dialect/native", "internal/hook/grammar", "internal/hook/handler/fallback", "internal/host", "internal/host/wire", "internal/catalog/issuers", "internal/hook/lint", "internal/hook/match", "internal/lab/proven", "internal/shell", "internal/text/yamldoc"},
	"internal/lab/docgen/gen":          {"internal/lab/docgen"},
	"internal/lab/plainenglish":        {},
	"internal/lab/plainenglish/list":   {"internal/lab/plainenglish"},

	"internal/hook/dialect/native":      {"", "internal/hook/payload", "internal/hook/grammar", "internal/catalog/issuers", "internal/text/rawjson", "internal/text/yamldoc"},
	"internal/hook/dialect/starchild":   {"", "internal/hook/dialect/toolnames", "internal/hook/payload", "internal/hook/grammar", "internal/hook/match", "internal/text/rawjson", "internal/text/suggest", "internal/text/yamldoc"},
	"internal/hook/dialect/hookmd":      {"", "internal/hook/dialect/toolnames", "internal/hook/payload", "internal/hook/grammar", "internal/hook/match", "internal/text/rawjson", "internal/sys/state", "internal/text/suggest", "internal/sys/environ", "internal/text/yamldoc"},
	"internal/hook/dialect/claude":      {"", "internal/hook/dialect/toolnames", "internal/hook/payload", "internal/hook/grammar", "internal/hook/match", "internal/text/rawjson", "internal/text/suggest", "internal/text/yamldoc"},
	"internal/hook/dialect/toolnames":   {"", "internal/text/rawjson"},
	"internal/hook/dialect/dockeragent": {"", "internal/hook/dialect/toolnames", "internal/hook/payload", "internal/hook/grammar", "internal/text/rawjson", "internal/text/suggest", "internal/text/yamldoc"},

	"internal/hook/handler/command":   {"", "internal/hook/answer", "internal/hook/reentry", "internal/sys/process", "internal/text/rawjson", "internal/sys/sandbox", "internal/sys/state", "internal/sys/environ"},
	"internal/hook/handler/rule":      {"", "internal/hook/match", "internal/text/rawjson"},
	"internal/hook/handler/webhook":   {"", "internal/hook/answer", "internal/sys/build", "internal/text/rawjson", "internal/sys/environ"},
	"internal/agent/judge":            {"", "internal/agent/model", "internal/agent/model/catalogue", "internal/shell/taskfile", "internal/sys/random", "internal/text/rawjson", "internal/secret", "internal/shell", "internal/shell/classify", "internal/sys/state", "internal/text/suggest"}, // of the runtime, how models are called; which commands only read
	"internal/hook/handler/fallback":  {"", "internal/text/rawjson", "internal/sys/state"},
	"internal/hook/handler/companion": {"", "internal/sys/build", "internal/hook/handover", "internal/sys/process", "internal/sys/environ"},

	"internal/host/copilot":          {"", "engine", "internal/host/wire", "internal/text/rawjson"},
	"internal/host/gemini":           {"", "engine", "internal/host/wire", "internal/text/rawjson"},
	"internal/host/qwen":             {"", "engine", "internal/host/wire", "internal/text/rawjson"},
	"internal/host/opencode":         {"", "engine", "internal/host/jsplugin", "internal/host/wire", "internal/catalog/hostfiles", "internal/text/rawjson"},
	"internal/host/openclaw":         {"", "engine", "internal/host/jsplugin", "internal/host/wire", "internal/catalog/hostfiles", "internal/text/rawjson"},
	"internal/host/jsplugin":         {"internal/catalog/hostfiles", "internal/text/rawjson"},
	"internal/lab/jsplugintest":      {"internal/lab/built"},
	"internal/host/cursor":           {"", "engine", "internal/host/wire", "internal/text/rawjson"},
	"internal/host/cline":            {"", "engine", "internal/host/wire", "internal/text/rawjson"},
	"internal/host/windsurf":         {"", "engine", "internal/host/wire", "internal/text/rawjson"},
	"internal/host/kiro":             {"", "engine", "internal/host/wire", "internal/text/rawjson"},
	"internal/host/kimi":             {"", "engine", "internal/host/wire", "internal/text/rawjson"},
	"internal/host/hermes":           {"", "engine", "internal/host/wire", "internal/text/rawjson"},
	"internal/host/dockeragent":      {"", "engine", "internal/host/wire", "internal/text/rawjson"},
	"internal/host/ahp":              {"", "engine", "internal/host/wire", "internal/text/rawjson"},
	"internal/host/codex":            {"", "engine", "internal/host/wire", "internal/text/rawjson"},
	"internal/host":                  {"", "internal/catalog/tools", "internal/hook/payload", "internal/text/rawjson", "internal/host/ahp", "internal/host/claude", "internal/host/cline", "internal/host/codex", "internal/host/copilot", "internal/host/cursor", "internal/host/dockeragent", "internal/host/gemini", "internal/host/hermes", "internal/host/kimi", "internal/host/kiro", "internal/host/openclaw", "internal/host/opencode", "internal/host/qwen", "internal/host/windsurf", "internal/host/wire"},
	"internal/host/wire":             {"", "engine", "internal/hook/payload", "internal/text/rawjson"},
	"internal/evidence/mockmodel":    {},
	"internal/lab/evasion":           {},
	"internal/lab/disguise":          {},
	"internal/lab/proven":            {"internal/host/capability"},
	"internal/lab/scoreboard":        {"internal/host/capability", "internal/lab/proven"},
	"internal/evidence/hostlab":      {"internal/evidence/mockmodel", "internal/sys/process", "internal/sys/state"},
	"internal/lab/hosttest":          {"internal/evidence/hostlab"},
	"internal/evidence/prove":        {"internal/sys/build", "internal/host/capability", "internal/evidence/certificate", "internal/host", "internal/host/wire", "internal/catalog/hostfiles", "internal/evidence/hostlab", "internal/host/install", "internal/evidence/mockmodel", "internal/sys/process", "internal/host/capability/proofs", "internal/sys/userdirs", "internal/evidence/record", "internal/sys/state"},
	"internal/lab/fakehost":          {"internal/sys/process"}, // a host, for tests
	"internal/lab/fakehost/cmd":      {"internal/lab/fakehost"},
	"internal/lab/built":             {"internal/sys/state"}, // programs, for tests
	"internal/lab/fakehost/faketest": {"internal/lab/built", "internal/lab/fakehost", "internal/evidence/mockmodel"},
	"internal/lab/endtoend":          {"internal/evidence/hostlab", "internal/lab/hosttest", "internal/evidence/mockmodel"},
	"internal/catalog/hostfiles":     {"internal/text/rawjson", "internal/catalog/facts", "internal/text/tomldoc", "internal/sys/environ", "internal/text/yamldoc"},
	"internal/lab/wiretest":          {"", "engine", "internal/host/wire", "internal/text/rawjson"},
	"internal/host/claude":           {"", "engine", "internal/host/wire", "internal/text/rawjson"},

	"internal/agent/channel":            {"", "internal/sys/state", "internal/sys/environ"},
	"internal/agent":                    {"", "engine", "internal/agent/model", "internal/agent/permit", "internal/agent/session", "internal/agent/skill", "internal/agent/team", "internal/agent/tool", "kit"}, // of hooks, only what is public
	"internal/agent/remote":             {"internal/agent"},
	"internal/agent/permit":             {"", "internal/agent/team"},
	"internal/agent/skill":              {"internal/agent/model", "internal/agent/tool", "internal/text/yamldoc"},
	"internal/agent/session":            {"internal/agent/model", "internal/secret", "internal/sys/state"},
	"internal/agent/talk":               {"", "engine", "internal/agent", "internal/agent/team", "internal/text/suggest", "internal/approval"},
	"internal/agent/mcp":                {"internal/agent/model", "internal/agent/team", "internal/agent/tool", "internal/sys/process", "internal/sys/environ"},
	"internal/agent/tool":               {"internal/agent/model", "internal/agent/team", "internal/sys/process", "internal/sys/state"},
	"internal/agent/team":               {"internal/text/suggest", "internal/text/yamldoc"},
	"internal/agent/model/catalogue":    {"internal/text/suggest", "internal/text/yamldoc"},
	"internal/agent/model/line":         {},
	"internal/agent/model/line/courier": {"internal/agent/model/line", "internal/sys/build"},
	"internal/agent/model":              {"internal/agent/model/catalogue", "internal/agent/model/line", "internal/agent/team", "internal/sys/build", "internal/sys/process", "internal/text/rawjson", "internal/secret", "internal/text/suggest", "internal/approval", "internal/sys/environ", "internal/text/yamldoc"},

	"engine": {"", "internal/hook/match", "internal/text/rawjson"},
	"kit": {"", "engine", "internal/sys/build", "internal/guard", "internal/host/capability", "internal/host/capability/proofs", "internal/hook/config", "internal/approval/coverage", "internal/approval/coverage/cache", "internal/hook/dialect", "internal/hook/dialect/hookmd", "internal/approval/grant", "internal/hook/handler/command", "internal/hook/match",
		"internal/secret/fingerprint", "internal/hook/handler/rule", "internal/hook/handler/companion", "internal/hook/handler/fallback", "internal/hook/handover", "internal/host", "internal/host/wire", "internal/catalog/hostfiles", "internal/hook/reentry", "internal/evidence/ledger", "internal/approval/liveagents", "internal/secret/placeholder", "internal/sys/process", "internal/sys/random", "internal/text/rawjson",
		"internal/evidence/record", "internal/secret", "internal/sys/snapshot", "internal/sys/state", "internal/approval", "internal/sys/environ", "internal/hook/packset", "internal/shell", "internal/approval/loosening", "internal/sys/userdirs", "internal/sys/nolink"},
	"internal/cli/hot":    {"", "engine", "internal/scan", "internal/scan/report", "internal/sys/build", "internal/guard", "internal/hook/config", "internal/cli/console", "internal/hook/payload", "internal/hook/handover", "internal/host", "internal/host/wire", "internal/scan/policy", "internal/sys/process", "internal/evidence/provenance", "internal/text/rawjson", "internal/secret/pipe", "internal/scan/git", "internal/sys/sandbox", "internal/text/term", "internal/shell", "internal/shell/classify", "internal/shell/scriptfile", "internal/shell/gitconfig", "internal/sys/state", "internal/text/suggest", "internal/approval", "internal/sys/environ", "kit", "internal/sys/userdirs"},
	"internal/cli/doctor": {"", "internal/host/capability", "engine", "internal/hook/answer", "internal/approval/coverage", "internal/hook/dialect", "internal/hook/dialect/hookmd", "internal/scan/githook", "internal/hook/handler/fallback", "internal/host/wire", "internal/host/install", "internal/evidence/ledger", "internal/evidence/ledger/seal", "internal/hook/match", "internal/sys/process", "internal/text/rawjson", "internal/sys/state", "internal/text/suggest", "internal/approval", "internal/sys/environ", "kit"},
	"internal/cli/desk": {"", "engine", "internal/approval/advise", "internal/agent", "internal/agent/mcp", "internal/agent/model", "internal/agent/model/catalogue", "internal/agent/model/line", "internal/agent/remote", "internal/agent/session", "internal/agent/skill", "internal/agent/talk", "internal/agent/team", "internal/agent/tool", "internal/text/archive", "internal/scan", "internal/scan/report", "internal/sys/build", "internal/host/capability", "internal/evidence/certificate", "internal/agent/channel", "internal/hook/config", "internal/cli/console", "internal/approval/coverage", "internal/cli/rebuild", "internal/hook/dialect", "internal/hook/dialect/dockeragent", "internal/hook/dialect/hookmd", "internal/hook/dialect/starchild", "internal/cli/doctor", "internal/hook/payload", "internal/evidence/export", "internal/scan/gitlayer", "internal/agent/judge", "internal/hook/handler/webhook",
		"internal/secret/placeholder", "internal/catalog/hostgiven", "internal/evidence/misses", "internal/evidence/honoured", "internal/evidence/silence", "internal/host/transcript", "internal/catalog/transcripts",
		"internal/scan/githook", "internal/hook/grammar", "internal/approval/grant", "internal/hook/handover", "internal/hook/lint", "internal/host", "internal/host/openclaw", "internal/host/opencode", "internal/host/wire", "internal/catalog/hostfiles", "internal/evidence/index", "internal/host/install", "internal/evidence/ledger", "internal/evidence/ledger/seal", "internal/hook/match", "internal/shell/classify", "internal/shell/gitconfig", "internal/approval/liveagents", "internal/cli/manual", "internal/secret", "internal/approval/person", "internal/scan/policy", "internal/sys/process", "internal/text/rawjson", "internal/evidence/record", "internal/scan/git", "internal/text/term", "internal/scan/scrub", "internal/sys/localhttp", "internal/sys/snapshot", "internal/sys/state", "internal/text/suggest", "internal/approval", "internal/sys/environ", "internal/text/yamldoc", "kit", "internal/approval/loosening",
		"internal/guard", "internal/hook/dialect/native", "internal/hook/packset", "internal/shell", "internal/shell/files", "internal/shell/rules", "internal/shell/program", "internal/sys/userdirs", "internal/evidence/hostlab", "internal/evidence/prove"},
	"internal/lab/bench":              {"", "engine", "kit"},
	"internal/secret/corpus/score":    {"internal/secret/corpus"},
	"internal/lab/bench/appendledger": {"internal/evidence/ledger", "internal/sys/state"},
	"cmd/checkrein":                   {"internal/sys/build", "internal/cli/console", "internal/text/deep", "internal/cli/hot", "internal/sys/process", "internal/sys/environ"},
	"cmd/checkreind":                  {"internal/cli/console", "internal/cli/desk", "internal/sys/process", "internal/sys/environ"},
	"examples":                        {},
}

// foreign lists which packages may import modules of other people.
var foreign = map[string][]string{
	"internal/text/yamldoc":    {"github.com/goccy/go-yaml"},                                       // the cheapest to link
	"internal/sys/process":     {"golang.org/x/sys"},                                               // process tables of darwin
	"internal/shell/resolve":   {"mvdan.cc/sh/v3/syntax"},                                          // the parser
	"internal/approval/person": {"golang.org/x/sys"},                                               // terminals
	"internal/evidence/ledger": {"golang.org/x/sys"},                                               // clocks of darwin
	"internal/cli/desk":        {"github.com/spf13/cobra", "github.com/rogpeppe/go-internal/diff"}, // commands that people type; what changed since an approval
	"internal/secret":          {"filippo.io/edwards25519"},                                        // keys of wallets, without the standard library's random source
	"internal/evidence/export": { // formats that others read
		"go.opentelemetry.io/proto/otlp", "google.golang.org/protobuf",
	},
	"internal/agent/mcp":     {"github.com/modelcontextprotocol/go-sdk"},                                        // the protocol of servers
	"internal/text/term":     {"github.com/clipperhouse/displaywidth", "golang.org/x/term", "golang.org/x/sys"}, // how wide text is; terminals
	"internal/agent/channel": {"github.com/nicholas-fedor/shoutrrr"},                                            // services that messages go to
	"internal/host/install":  {"github.com/tailscale/hujson", "github.com/rogpeppe/go-internal/diff"},           // JSON with comments, and what changes in it
	"internal/scan/scrub":    {"github.com/rogpeppe/go-internal/diff"},                                          // what a preview shows
}

type goPackage struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func list(t *testing.T, args ...string) []goPackage {
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

// local returns a package's name within the module.
func local(path string) (string, bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}

func TestImportsPointOneWay(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./...") {
		name, _ := local(p.ImportPath)
		allowed, known := edges[name]
		if !known {
			t.Errorf("package %q has no row in edges", name)
			continue
		}
		for _, imp := range p.Imports {
			if to, ours := local(imp); ours && !slices.Contains(allowed, to) {
				t.Errorf("%q imports %q: not an allowed edge", name, to)
			}
			if strings.Contains(strings.Split(imp, "/")[0], ".") && !strings.HasPrefix(imp, module) {
				if !slices.ContainsFunc(foreign[name], func(m string) bool { return strings.HasPrefix(imp, m) }) {
					t.Errorf("%q imports %s: only the packages in foreign may", name, imp)
				}
			}
		}
	}
}

// Every package is in the list of docs/architecture.md, at least by its folder.
func TestArchitectureHasEveryPackage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range edges {
		folder, ok := strings.CutPrefix(name, "internal/")
		if folder, _, _ = strings.Cut(folder, "/"); ok && !strings.Contains(string(page), "internal/"+folder) && !strings.Contains(string(page), "`"+folder+"`") {
			t.Errorf("docs/architecture.md does not say what internal/%s is for", folder)
		}
	}
}

// banned are packages that the hot program must not link, with the reason.
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

// linked are the modules of others that the hot program links. Those of screens,
// displaywidth and uax29, have no work at start: their tables are data.
var linked = []string{
	"github.com/goccy/go-yaml/", "golang.org/x/sys/", "mvdan.cc/sh/v3/", "filippo.io/edwards25519",
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
