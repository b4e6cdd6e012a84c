package permit

import (
	"encoding/json"
	"testing"

	"github.com/checkrein/checkrein/internal/agent/team"
)

func newRules(t *testing.T, p team.Permissions) *Rules {
	t.Helper()
	r := &Rules{}
	if err := r.Add(p); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestOf(t *testing.T) {
	t.Parallel()
	r := newRules(t, team.Permissions{
		Deny:  []string{"shell:cmd=*rm -rf*", "shell:cmd=sudo *", "write_file:path=/etc/*", "danger_*"},
		Allow: []string{"copy:path=docs/*", "shell:cmd=git status*", "shell:cmd=ls*:cwd=.", "read_file", "fetch:url=https://example.com:8080/*"},
		Ask:   []string{"shell"},
	})
	for _, tt := range []struct {
		tool, input string
		want        Ruling
	}{
		{"shell", `{"cmd":"git status -s"}`, Allow},
		{"shell", `{"command":"git status"}`, Allow}, // another word for the same argument
		{"shell", `{"cmd":"GIT STATUS"}`, Allow},
		{"shell", `{"cmd":"cd x && rm -rf y"}`, Deny},
		{"shell", `{"command":"cd x && rm -rf y"}`, Deny},
		{"shell", `{"cmd":"git status; sudo x"}`, Allow}, // a rule is a plain pattern; IsGranted is strict
		{"shell", `{"cmd":"sudo ls"}`, Deny},
		{"shell", `{"cmd":"ls","cwd":"."}`, Allow},
		{"shell", `{"cmd":"ls","cwd":"/"}`, Ask},
		{"shell", `{"cmd":"make"}`, Ask},
		{"read_file", `{"path":"x"}`, Allow},
		{"READ_FILE", `{}`, Allow},
		{"write_file", `{"path":"/etc/passwd"}`, Deny},
		{"write_file", `{"file_path":"/etc/passwd"}`, Deny},
		{"write_file", `{"path":"x"}`, None},
		{"danger_zone", `{}`, Deny},
		{"fetch", `{"url":"https://example.com:8080/a"}`, Allow},
		{"fetch", `{"url":"https://example.com/a"}`, None},
		{"write_file", `{"path":"//etc/x"}`, Deny},
		{"write_file", `{"path":"/./etc/x"}`, Deny},
		{"copy", `{"path":"docs/a"}`, Allow},
		{"copy", `{"path":"docs/../../a"}`, None},
		{"copy", `{"path":"a","file_path":"docs/x"}`, None},
		{"shell", `garbage`, Ask},
		{"other", `{}`, None},
	} {
		if got := r.RulingFor(tt.tool, json.RawMessage(tt.input)); got != tt.want {
			t.Errorf("%s %s: %v, want %v", tt.tool, tt.input, got, tt.want)
		}
	}
	if got := (&Rules{}).RulingFor("shell", json.RawMessage(`{}`)); got != None {
		t.Errorf("no rules: %v", got)
	}
}

// A grant applies to the calls that it was certainly meant for, and to no other.
func TestCovers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		grant, command string
		want           bool
	}{
		{"shell", "anything; at all", true},
		{"shell:cmd=mkdir x", "mkdir x", true},
		{"shell:cmd=mkdir x", "mkdir xy", false},
		{"shell:cmd=mkdir*", "mkdir x", true},
		{"shell:cmd=mkdir *", "mkdir x", true},
		{"shell:cmd=mkdir*", "mkdirx", false},
		{"shell:cmd=mkdir*", "mkdir x && rm -rf y", false},
		{"shell:cmd=mkdir*", "mkdir $(rm -rf y)", false},
		{"shell:cmd=mkdir*", "mkdir `x`", false},
		{"shell:cmd=mkdir*", "mkdir x\nrm y", false},
		{"shell:cmd=mkdir*", "mkdir x > y", false},
		{"shell:cmd=a && b", "a && b", true}, // the very same
		{"shell:cmd=a && b", "a && b c", false},
		{"shell:cmd=ls [*]", "ls *", true},
		{"shell:cmd=ls [*]", "ls x", false},
		{"shell:cmd=*", "ls", false},
		{"shell:cmd=*mkdir*", "mkdir x", false},
		{"shell:command=git log", "git log", true},
		{"shell:cwd=.", "git log", false},
	} {
		r := newRules(t, team.Permissions{Allow: []string{tt.grant}})
		input, _ := json.Marshal(map[string]string{"cmd": tt.command})
		if got := r.IsGranted("shell", input); got != tt.want {
			t.Errorf("%q covers %q: %v", tt.grant, tt.command, got)
		}
	}
	for _, tt := range []struct{ grant, tool, input string }{
		{"shell:cmd=touch x", "shell", `{"cmd":"touch x","cwd":"other"}`},
		{"shell:cmd=touch x", "shell", `{"cmd":"touch x","command":"rm y"}`},
		{"shell:cmd=cat Notes", "shell", `{"cmd":"cat notes"}`},
		{"write_file:path=a", "write_file", `{"path":"b"}`},
		{"write_file:path=a", "write_file", `{"path":"a","file_path":"b"}`},
		{"act", "Act", `{}`},
	} {
		if newRules(t, team.Permissions{Allow: []string{tt.grant}}).IsGranted(tt.tool, json.RawMessage(tt.input)) {
			t.Errorf("%s covers %s %s", tt.grant, tt.tool, tt.input)
		}
	}
	if got := NarrowestRule("shell", json.RawMessage(`{"cmd":"ls","command":"rm x"}`)); got != "" {
		t.Errorf("a rule for two commands: %q", got)
	}
	if newRules(t, team.Permissions{Allow: []string{"write_file:path=docs/*"}}).IsGranted("write_file", json.RawMessage(`{"path":"src/x"}`)) {
		t.Error("a path elsewhere is covered")
	}
}

// The rule of an "always" grants the call that it was asked for.
func TestNarrowestRuleGrants(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ tool, input, want string }{
		{"shell", `{"cmd":"make test"}`, "shell:cmd=make test"},
		{"shell", `{"cmd":"ls *"}`, "shell:cmd=ls [*]"},
		{"shell", `{"cmd":"a; b:c=d [x]"}`, "shell:cmd=a; b[:]c=d [[]x]"},
		{"write_file", `{"path":"x","content":"y"}`, "write_file:path=x"},
		{"act", `{"x":1}`, "act"},
	} {
		got := NarrowestRule(tt.tool, json.RawMessage(tt.input))
		if got != tt.want {
			t.Errorf("%s %s: %q, want %q", tt.tool, tt.input, got, tt.want)
		}
		if r := newRules(t, team.Permissions{Allow: []string{got}}); !r.IsGranted(tt.tool, json.RawMessage(tt.input)) {
			t.Errorf("%q does not cover what it was made from", got)
		}
	}
}

func TestInvalidRules(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", ":cmd=x", "shell:rm -rf", "shell:"} {
		if err := (&Rules{}).Add(team.Permissions{Deny: []string{bad}}); err == nil {
			t.Errorf("%q is taken for a rule", bad)
		}
	}
}

func FuzzGlob(f *testing.F) {
	f.Add("a*b?[c-d]", "axxbyc")
	f.Add("[", "[")
	f.Add("[]", "x")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		matchesGlob(pattern, text) // neither panics nor hangs
		if !matchesGlob("*", text) {
			t.Error("a star does not match")
		}
	})
}
