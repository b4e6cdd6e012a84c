package misses_test

import (
	"encoding/json"
	"fmt"
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

// TestReplacedIsVerified has a host show the model what checkrein replaced. That is found when the
// session has ended, counts for this build, and is reported.
func TestReplacedIsVerified(t *testing.T) {
	t.Parallel()
	program, programs := faketest.Program(t), faketest.Checkrein(t)
	read := faketest.Run{Prompt: "go", Script: mockmodel.Script{Turns: []mockmodel.Turn{{Calls: []mockmodel.Call{mockmodel.Shell("cat notes.txt")}}}}}

	t.Run("an honest host", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, program, programs)
		b.Run(read)
		b.waitUntilChecked()
		if not := b.proof().Unhonoured; len(not) > 0 {
			t.Errorf("%+v", not)
		}
		b.misses(0)
		if text, _, _ := b.Try("checkrein", "doctor", "--no-run"); strings.Contains(text, "not-honoured") {
			t.Errorf("doctor:\n%s", text)
		}
	})
	t.Run("a host that ignores it, until an update", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, program, programs, fakehost.IgnoresOutput)
		if res := b.Run(read); !res.Record.ModelSaw(token) {
			t.Fatal("the host does not lie")
		}
		b.waitUntilChecked()
		not := b.proof().Unhonoured
		if len(not) != 1 || not[0].Row != capability.OutputReplaced || !not[0].Work || time.Since(not[0].When) < 0 {
			t.Fatalf("%+v", not)
		}
		const what = "gave the model the original output instead of the replaced one, as was observed in real work on 20"
		if text, _, _ := b.Try("checkrein", "status"); !strings.Contains(flat(text), what) {
			t.Errorf("status:\n%s", text)
		}
		if text, _, _ := b.Try("checkrein", "doctor", "--no-run"); !strings.Contains(flat(text), "not-honoured: Claude Code gave the model the original output") {
			t.Errorf("doctor:\n%s", text)
		}
		log, err := os.ReadFile(filepath.Join(b.Home, ".local/state/checkrein/log/checkrein.log"))
		if err != nil || strings.Count(string(log), what) != 1 || strings.Contains(string(log), token) {
			t.Errorf("the log: %v\n%s", err, log)
		}
		res := b.Run(faketest.Run{Prompt: "go", Script: mockmodel.Script{Turns: []mockmodel.Turn{
			{Calls: []mockmodel.Call{mockmodel.Shell("cat notes.txt")}}, {Calls: []mockmodel.Call{mockmodel.Shell("grep token *.txt")}},
			{Calls: []mockmodel.Call{mockmodel.Read(filepath.Join(b.Project, "notes.txt"))}}, {Calls: []mockmodel.Call{mockmodel.Shell("cat main.c")}},
			{Calls: []mockmodel.Call{mockmodel.Shell("cat < notes.txt")}}, {Calls: []mockmodel.Call{mockmodel.Shell("cd . && base64 notes.txt")}}, {Calls: []mockmodel.Call{mockmodel.Shell("cp notes.txt copy.md && rm copy.md && echo copied")}},
		}}})
		if res.Record.ModelSaw(token) || strings.Count(fmt.Sprint(res.Record), "notes.txt, which has secrets in it, and Claude Code gave the model") < 5 || !res.Record.ModelSaw("int main;") || !res.Record.ModelSaw("copied") {
			t.Error("reads are not denied where replaced results are not honoured, or others are")
			for i := range 7 {
				told, _ := res.Record.Result(i, 0)
				t.Logf("%d: %q", i, told.Text)
			}
		}
		told := b.Checkrein("audit", "query", "--json", "--oldest", "-n", "1000")
		if !strings.Contains(told, "so keep secrets out of its reach") || strings.Contains(told, token) {
			t.Errorf("the next session is not told:\n%s", told)
		}
		faketest.Put(t, program, filepath.Join(b.Bin, "claude"), fakehost.Build{Version: "2.1.198"})
		if not := b.proof().Unhonoured; len(not) > 0 {
			t.Errorf("another build: %+v", not)
		}
		b.misses(1)
		if res := b.Run(read); res.Record.ModelSaw(token) || !res.Record.ModelSaw("[REDACTED") {
			t.Error("a build that does replace results: it should read, and the model see a marker")
		}
		if not := b.proof().Unhonoured; len(not) > 0 {
			t.Errorf("what another build did before counts for the new one: %+v", not)
		}
	})
}

// TestReadsAreRewritten has a host that shows the model what checkrein replaced. If the user wants
// that, commands that read secrets run nevertheless, and print none.
func TestReadsAreRewritten(t *testing.T) {
	t.Parallel()
	program, programs := faketest.Program(t), faketest.Checkrein(t)
	b := newBench(t, program, programs, fakehost.IgnoresOutput)
	b.Write(b.Home, map[string]string{".config/checkrein/checkrein.yaml": config + "not_replaced: rewrite\n"})
	b.Write(b.Project, map[string]string{"sub/.env": "TOKEN=" + token + "\nNAME=value\n"})
	commands := []struct{ text, want, not string }{
		{"cat notes.txt", "token [REDACTED] is here", ""},
		{"grep -n token *.txt; echo and >&2; exit 3", "1:token [REDACTED] is here", ""},
		{"cd sub && cut -d= -f2 .env", "[REDACTED]\nvalue", ""},
		{"cat main.c", "int main;", "REDACTED"},
		{"base64 notes.txt", "notes.txt, which has secrets in it, and Claude Code gave the model", "[REDACTED]"},
		{"touch denied; cat notes.txt", "reason-of-deny", "[REDACTED]"},
		{"cat notes.txt; cd sub", "a rewritten command cannot change the directory for later ones", "[REDACTED]"},
	}
	var turns []mockmodel.Turn
	for _, c := range commands {
		turns = append(turns, mockmodel.Turn{Calls: []mockmodel.Call{mockmodel.Shell(c.text)}})
	}
	turns = append(turns, mockmodel.Turn{Calls: []mockmodel.Call{mockmodel.Read(filepath.Join(b.Project, "notes.txt"))}})
	b.Run(faketest.Run{Prompt: "go", Script: mockmodel.Script{Turns: turns[:1]}})
	b.waitUntilChecked()
	res := b.Run(faketest.Run{Prompt: "go", Script: mockmodel.Script{Turns: turns}})
	if res.Record.ModelSaw(token) {
		t.Error("the model saw the token")
	}
	for i, c := range commands {
		told, _ := res.Record.Result(i, 0)
		if !strings.Contains(told.Text, c.want) || c.not != "" && strings.Contains(told.Text, c.not) {
			t.Errorf("%s: the model was told\n%s", c.text, told.Text)
		}
	}
	if told, _ := res.Record.Result(len(commands), 0); !strings.Contains(told.Text, "only calls that run one shell command can be") {
		t.Errorf("a read by a tool: the model was told\n%s", told.Text)
	}
	b.misses(1) // of the session before
	said := b.Checkrein("audit", "query", "--json", "--oldest", "-n", "1000")
	if !strings.Contains(said, " redact --of ") || !strings.Contains(said, "So it runs as ") || strings.Contains(said, token) {
		t.Errorf("the records:\n%s", said)
	}

	// What a project says against it counts.
	b.Write(b.Project, map[string]string{"checkrein.yaml": "version: 1\nnot_replaced: deny\n"})
	res = b.Run(faketest.Run{Prompt: "go", Script: mockmodel.Script{Turns: turns[:1]}})
	if told, _ := res.Record.Result(0, 0); res.Record.ModelSaw(token) || !strings.Contains(told.Text, "which has secrets in it") {
		t.Errorf("a project denies it: the model was told\n%s", told.Text)
	}
}

func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// waitUntilChecked waits until the results of the session have been checked after its end.
func (b *bench) waitUntilChecked() {
	b.t.Helper()
	for b.t.Context().Err() == nil {
		data, _ := os.ReadFile(filepath.Join(b.Home, ".local/state/checkrein/caps/claude.json"))
		if strings.Contains(string(data), `"checked"`) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (b *bench) proof() install.Proof {
	b.t.Helper()
	out, errs, _ := b.Try("checkrein", "status", "claude", "--json")
	var r struct{ Hosts []install.Report }
	if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Hosts) != 1 {
		b.t.Fatalf("%v\n%s%s", err, out, errs)
	}
	return r.Hosts[0].Proven
}
