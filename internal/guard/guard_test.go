package guard

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/conduct"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"github.com/checkrein/checkrein/internal/guard/secretguard"
)

// requiredArgs are arguments for builtins that require some.
var requiredArgs = map[string][]string{"packs": {"git"}, "budget_alert": {"1"}, "quality_gate": {"true"}, "inject_reminder": {"x"}, "max_iterations": {"1"}, conduct.Freeze: {"until=2030-01-31T18:00:00Z"}}

// guards are the builtins that decide.
var guards = []string{"safer_shell", "packs", "protect_paths", conduct.DenialMemory}

// rewriters are the builtins that change the subject of an event or end it, with their traits.
var rewriters = map[string]checkrein.Traits{
	"redact_secrets":           {Instant: true, Rewrites: true, Redacts: true, Secrets: true},
	secretguard.GuardSecrets:   {Instant: true, Judges: true, Rewrites: true, Redacts: true, Secrets: true, Markers: true},
	"pii_redactor":             {Instant: true, Rewrites: true, Redacts: true},
	"secret_guard":             {Instant: true, Judges: true, Rewrites: true, Refuses: true, Redacts: true},
	"limit_large_tool_results": {Rewrites: true, Limits: true},
	"runtime_footer":           {Rewrites: true},
	"budget_alert":             {Rewrites: true},
	conduct.NarrationGuard:     {Rewrites: true},
	"verify_claims":            {Rewrites: true, Refuses: true},
	"quality_gate":             {Refuses: true},
	conduct.Freeze:             {Instant: true, Refuses: true},
	"max_iterations":           {Instant: true, Refuses: true},
}

// observers are the builtins that only observe.
var observers = []string{"tool_audit_log", "cost_ledger", "snapshot", "unload"}

// rewrites are the effects that change an event's subject, and deny.
const rewrites = checkrein.CanRewriteInput | checkrein.CanRewriteOutput | checkrein.CanRewriteMessages | checkrein.CanDeny

func TestTable(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, b := range Table() {
		if b.Name == "" || b.Doc == "" || b.New == nil || len(b.Events) == 0 {
			t.Errorf("row %q lacks a name, doc, event or function", b.Name)
		}
		if seen[b.Name] {
			t.Errorf("row %q is there twice", b.Name)
		}
		seen[b.Name] = true
		if strings.Contains(b.Doc, "\n") || strings.HasSuffix(b.Doc, ".") {
			t.Errorf("row %q: the doc is not one line without a full stop", b.Name)
		}
		if row, ok := Lookup(b.Name); !ok || row.Name != b.Name {
			t.Errorf("row %q is not found by its name", b.Name)
		}
		if f, err := b.New(&Env{}, requiredArgs[b.Name]); f == nil || err != nil {
			t.Errorf("row %q: %v", b.Name, err)
		}
		if slices.Contains(observers, b.Name) {
			if b.Traits != (checkrein.Traits{}) {
				t.Errorf("row %q: traits %+v", b.Name, b.Traits)
			}
			continue
		}
		does := checkrein.CanAddContext
		if slices.Contains(guards, b.Name) {
			does = checkrein.CanDeny
		}
		if want, ok := rewriters[b.Name]; ok {
			if b.Traits != want {
				t.Errorf("row %q: traits %+v, want %+v", b.Name, b.Traits, want)
			}
			for _, k := range b.Events {
				if checkrein.ContractOf(k).Effects&(rewrites|checkrein.CanAddContext) == 0 && k != checkrein.SessionEnd && k != checkrein.TurnEnd { // on these events builtins remove their state
					t.Errorf("row %q: nothing can be changed on %v", b.Name, k)
				}
			}
			continue
		}
		for _, k := range b.Events {
			if !checkrein.ContractOf(k).Can(does) {
				t.Errorf("row %q: %v cannot do what it asks for", b.Name, k)
			}
		}
		want := checkrein.Traits{Instant: b.Name == "add_date" || b.Name == "inject_reminder" || slices.Contains(guards, b.Name), Judges: slices.Contains(guards, b.Name) && b.Name != conduct.DenialMemory, Recalls: b.Name == conduct.DenialMemory}
		if got := b.Traits; got != want {
			t.Errorf("row %q: traits %+v, want %+v", b.Name, got, want)
		}
	}
	if _, ok := Lookup("add_nothing"); ok {
		t.Error("an unknown name was found")
	}
	if got := Names(); len(got) != len(table) || got[0] != table[0].Name {
		t.Errorf("names %q", got)
	}
}

// TestFiles finds builtins that the table does not list, and rows without their own source file.
func TestFiles(t *testing.T) {
	t.Parallel()
	rows, err := os.ReadFile("guard.go")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	made := regexp.MustCompile(`(?m)^func (New\w*)\(.*\) \(builtin\.Func, error\) \{`)
	own := map[string]bool{}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		folder, base := filepath.Split(file)
		own[base] = true
		for _, m := range made.FindAllSubmatch(src, -1) {
			if call := filepath.Base(folder) + "." + string(m[1]) + "("; !strings.Contains(string(rows), call) {
				t.Errorf("%s: no row makes %s", file, call)
			}
		}
	}
	for _, name := range Names() {
		_, err := os.Stat(name + "_test.go")
		if !own[name+".go"] || err != nil && !own[name+"_test.go"] {
			t.Errorf("row %q has no file, or no test, of its own", name)
		}
	}
}

func TestNoArguments(t *testing.T) {
	t.Parallel()
	for _, b := range Table() {
		if b.Args != "" {
			continue
		}
		if _, err := b.New(&Env{}, []string{"x"}); err == nil || !strings.Contains(err.Error(), `remove ["x"]`) {
			t.Errorf("%s: error %v", b.Name, err)
		}
	}
}

func TestUnknownDirectory(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	guardtest.WriteFile(t, filepath.Join(m.env.Home, "AGENTS.md"), "home")
	for _, name := range Names() {
		args := requiredArgs[name]
		if name == "add_prompt_files" {
			args = []string{"AGENTS.md"}
		}
		got := m.contextOf("", name, args...)
		if speaks := name == "add_date" || name == "add_user_info" || name == "inject_reminder"; (got != "") != speaks {
			t.Errorf("%s: got %q", name, got)
		}
	}
}
