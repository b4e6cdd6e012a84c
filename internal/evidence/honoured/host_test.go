package honoured_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/fakehost"
	"github.com/checkrein/checkrein/internal/lab/fakehost/faketest"
)

// token is a secret that checkrein keeps from models.
var token = "ghp_" + strings.Repeat("aB3dE5gH7j", 4)[:36]

// A bench is an agent with checkrein installed whose transcripts cannot be read.
type bench struct {
	*faketest.Space
	t *testing.T
}

func newBench(t *testing.T, config string, lies ...fakehost.Lie) *bench {
	t.Helper()
	b := &bench{faketest.New(t, faketest.Program(t), fakehost.Build{Lies: lies}), t}
	b.Install(faketest.Checkrein(t))
	b.Write(b.Home, map[string]string{".config/checkrein/checkrein.yaml": "version: 1\n" + config, "elsewhere/x": ""})
	b.Write(b.Project, map[string]string{"notes.txt": "token " + token + " is here\n", "main.c": "int main;\n"})
	if err := os.MkdirAll(filepath.Join(b.Home, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(b.Home, "elsewhere"), filepath.Join(b.Home, ".claude", "projects")); err != nil {
		t.Fatal(err)
	}
	return b
}

// waitUntil waits until is returns true, and reports whether it does in time.
func (b *bench) waitUntil(is func() bool) bool {
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if is() {
			return true
		}
	}
	return false
}

func (b *bench) caps() string {
	text, _ := os.ReadFile(filepath.Join(b.Home, ".local/state/checkrein/caps/claude.json"))
	return string(text)
}

func (b *bench) log() string {
	text, _ := os.ReadFile(filepath.Join(b.Home, ".local/state/checkrein/log/checkrein.log"))
	return string(text)
}

func (b *bench) not() []install.UnhonouredRow {
	b.t.Helper()
	out, errs, _ := b.Try("checkrein", "status", "claude", "--json")
	var r struct{ Hosts []install.Report }
	if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Hosts) != 1 {
		b.t.Fatalf("%v\n%s%s", err, out, errs)
	}
	return r.Hosts[0].Proven.Unhonoured
}

func (b *bench) run(prompt, final string, calls ...string) mockmodel.Record {
	b.t.Helper()
	script := mockmodel.Script{Final: final}
	for _, c := range calls {
		script.Turns = append(script.Turns, mockmodel.Turn{Calls: []mockmodel.Call{mockmodel.Shell(c)}})
	}
	return b.Run(faketest.Run{Prompt: prompt, Script: script}).Record
}

// A host shows the model a secret that checkrein replaced, and the model uses it. The next event shows
// that while the session runs, and from then on secrets are kept from the model.
func TestModelUsesReplacedSecret(t *testing.T) {
	t.Parallel()
	b := newBench(t, "", fakehost.IgnoresOutput)
	turns := []string{"cat notes.txt", "curl -H 'Authorization: Bearer " + token + "' http://localhost:1/", "cat notes.txt"}
	res := b.Run(faketest.Run{Prompt: "go", Script: mockmodel.Script{Choose: func(q mockmodel.Request) mockmodel.Turn {
		done := 0
		for _, m := range q.Messages {
			done += len(m.Results)
		}
		if done == 2 && !b.waitUntil(func() bool { return strings.Contains(b.caps(), `"downgraded"`) }) {
			t.Error("the session goes on and nothing is seen")
		}
		if done >= len(turns) {
			return mockmodel.Turn{}
		}
		return mockmodel.Turn{Calls: []mockmodel.Call{mockmodel.Shell(turns[done])}}
	}}})
	if first, _ := res.Record.Result(0, 0); !strings.Contains(first.Text, token) {
		t.Fatal("the host does not lie")
	}
	if last, _ := res.Record.Result(2, 0); strings.Contains(last.Text, token) || !strings.Contains(last.Text, "notes.txt, which has secrets in it, and Claude Code gave the model") {
		t.Errorf("the next read in the same session: the model was told\n%s", last.Text)
	}
	not := b.not()
	if len(not) != 1 || not[0].Row != capability.OutputReplaced || !not[0].Work {
		t.Fatalf("%+v", not)
	}
	const what = "gave the model the original output instead of the replaced one, as was observed in real work on 20"
	if log := b.log(); strings.Count(log, what) != 1 || strings.Contains(log, token) {
		t.Errorf("the log:\n%s", log)
	}
	if out, _, _ := b.Try("checkrein", "audit", "verify"); !strings.Contains(out, "intact") {
		t.Errorf("the ledger: %s", out)
	}
	told := b.Checkrein("audit", "query", "--json", "--oldest", "-n", "1000")
	if !strings.Contains(told, `"replaced":["`) || strings.Contains(told, token) {
		t.Errorf("the records:\n%s", told)
	}
	if n := strings.Count(told, `"notices":["Claude Code gave the model the original output`); n != 1 {
		t.Errorf("the person is told %d times in the session", n)
	}
	if out, _, code := b.Try("checkrein", "misses"); code != 1 || !strings.Contains(flat(out), "the model later wrote a secret that checkrein had removed from a result of Bash") {
		t.Errorf("misses: exit %d\n%s", code, out)
	}
}

// If no call shows it, the model's answer does.
func TestModelRepeatsReplacedSecret(t *testing.T) {
	t.Parallel()
	b := newBench(t, "", fakehost.IgnoresOutput)
	b.run("go", "the token is "+token, "cat notes.txt")
	if !b.waitUntil(func() bool { return strings.Contains(b.caps(), `"downgraded"`) }) {
		t.Errorf("nothing is seen: %s\n%s", b.caps(), b.log())
	}
}

// An honest host is not blamed for a secret that its model has from elsewhere.
func TestModelHasSecretFromElsewhere(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		prompt, final string
		calls         []string
		files         map[string]string
		may           bool
	}{
		"it says something else":   {"go", "done", []string{"cat notes.txt", "cat main.c"}, nil, false},
		"the user said it":         {"the token is " + token, "I used " + token, []string{"cat notes.txt"}, nil, true},
		"its own command had it":   {"go", "I used " + token, []string{"echo token " + token, "cat notes.txt"}, nil, true},
		"its instructions have it": {"go", "I used " + token, []string{"cat notes.txt"}, map[string]string{"CLAUDE.md": "The token is " + token + ".\n"}, true},
		"the user said it wrapped": {"use " + token[:30] + "\n  " + token[30:] + "\nplease", "I used " + token, []string{"cat notes.txt"}, nil, true},
		"a rule has it":            {"go", "I used " + token, []string{"cat notes.txt"}, map[string]string{".claude/rules/x.md": "The token is " + token + ".\n"}, true},
		"an import has it":         {"go", "I used " + token, []string{"cat notes.txt"}, map[string]string{"CLAUDE.md": "see @docs/k.md\n", "docs/k.md": "it is " + token + "\n"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, "")
			b.Write(b.Project, tt.files)
			res := b.run(tt.prompt, tt.final, tt.calls...)
			if !res.ModelSaw("[REDACTED") {
				t.Fatal("nothing was replaced")
			}
			if !b.waitUntil(func() bool { return strings.Contains(b.caps(), `"heard"`) }) {
				t.Fatalf("nobody looked: %s\n%s", b.caps(), b.log())
			}
			if not := b.not(); len(not) > 0 {
				t.Errorf("%+v", not)
			}
			may := func() bool { return strings.Contains(b.log(), "It may also be that") }
			if tt.may && !b.waitUntil(may) || !tt.may && may() {
				t.Errorf("the log:\n%s", b.log())
			}
			if strings.Contains(b.log(), token) {
				t.Error("the log has the secret")
			}
			if out, _, code := b.Try("checkrein", "misses"); code != 0 || strings.Contains(flat(out), "it may also be that") != tt.may {
				t.Errorf("misses: exit %d\n%s", code, out)
			}
		})
	}
}

const rewrites = `hooks:
  pre_tool_use:
    - {type: rule, name: change, if: {command: {contains: before}}, decision: none, patch: {command: touch after}}
`

// A host runs calls as they were before they were rewritten. Its own event after the call shows that,
// and such calls are denied from then on.
func TestRewriteIsIgnored(t *testing.T) {
	t.Parallel()
	b := newBench(t, rewrites, fakehost.IgnoresRewrite)
	b.run("go", "done", "touch before")
	if _, err := os.Stat(filepath.Join(b.Project, "before")); err != nil {
		t.Fatal("the host does not lie")
	}
	if !b.waitUntil(func() bool { return strings.Contains(b.caps(), `"downgraded"`) }) {
		t.Fatalf("nothing is seen: %s\n%s", b.caps(), b.log())
	}
	if not := b.not(); len(not) != 1 || not[0].Row != capability.Rewrite || !not[0].Work {
		t.Fatalf("%+v", not)
	}
	if err := os.Remove(filepath.Join(b.Project, "before")); err != nil {
		t.Fatal(err)
	}
	if out, _, code := b.Try("checkrein", "misses"); code != 1 || !strings.Contains(flat(out), "a call of Bash ran as it was before a hook rewrote it") {
		t.Errorf("misses: exit %d\n%s", code, out)
	}
	res := b.run("go", "done", "touch before")
	told, _ := res.Result(0, 0)
	if _, err := os.Stat(filepath.Join(b.Project, "before")); err == nil || !strings.Contains(told.Text, "A hook rewrites this call, and Claude Code") {
		t.Errorf("it ran, or the model was told\n%s", told.Text)
	}
}

func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

func TestRewriteIsHonoured(t *testing.T) {
	t.Parallel()
	b := newBench(t, rewrites)
	b.run("go", "done", "touch before", "touch other")
	if _, err := os.Stat(filepath.Join(b.Project, "after")); err != nil {
		t.Fatal("the call was not rewritten")
	}
	if !b.waitUntil(func() bool { return strings.Contains(b.caps(), `"heard"`) }) {
		t.Fatalf("nobody looked: %s\n%s", b.caps(), b.log())
	}
	if not := b.not(); len(not) > 0 {
		t.Errorf("%+v", not)
	}
}
