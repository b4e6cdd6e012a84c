package misses_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/misses"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/fakehost"
	"github.com/checkrein/checkrein/internal/lab/fakehost/faketest"
	"github.com/checkrein/checkrein/internal/text/message"
)

const config = `version: 1
hooks:
  pre_tool_use:
    - {type: rule, name: no, if: {command: {contains: denied}}, decision: deny, reason: reason-of-deny}
`

// token is a secret that checkrein keeps from models.
var token = "ghp_" + strings.Repeat("aB3dE5gH7j", 4)[:36]

const subPrompt = "a part of the work"

// A bench is an agent with checkrein installed.
type bench struct {
	*faketest.Space
	t *testing.T
}

func newBench(t *testing.T, program, programs string, lies ...fakehost.Lie) *bench {
	t.Helper()
	b := &bench{faketest.New(t, program, fakehost.Build{Lies: lies}), t}
	b.Install(programs)
	b.Write(b.Home, map[string]string{".config/checkrein/checkrein.yaml": config})
	b.Write(b.Project, map[string]string{"notes.txt": "token " + token + " is here\n", "main.c": "int main;\n"})
	return b
}

// runCalls makes one call of each kind, one of them by a sub-agent, and more.
func (b *bench) runCalls(more ...mockmodel.Call) {
	b.t.Helper()
	at := func(name string) string { return filepath.Join(b.Project, name) }
	calls := []mockmodel.Call{
		mockmodel.Shell("echo first"), mockmodel.Shell("touch denied"), mockmodel.Shell("cat notes.txt"), mockmodel.Read(at("main.c")),
		mockmodel.Write(at("new.c"), "int n;\n"), mockmodel.Shell("ls nowhere"), {Tool: "task", Args: map[string]any{"prompt": subPrompt}},
	}
	calls = append(calls, more...)
	below := []mockmodel.Call{mockmodel.Shell("echo below")}
	b.Run(faketest.Run{Prompt: "please go", Script: mockmodel.Script{Final: "done", Choose: func(q mockmodel.Request) mockmodel.Turn {
		list, done := calls, 0
		for _, m := range q.Messages {
			done += len(m.Results)
			if m.Role == "user" && slices.Contains(m.Texts, subPrompt) {
				list = below
			}
		}
		if done >= len(list) {
			return mockmodel.Turn{}
		}
		return mockmodel.Turn{Calls: list[done : done+1]}
	}}})
}

// perRun is how many calls work makes.
const perRun = 8

// misses runs checkrein misses and returns its report.
func (b *bench) misses(want int, args ...string) *misses.Report {
	b.t.Helper()
	out, errs, code := b.Try("checkrein", append([]string{"misses", "--json"}, args...)...)
	var r misses.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		b.t.Fatalf("%v\n%s%s", err, out, errs)
	}
	if code != want {
		b.t.Errorf("exit %d instead of %d\n%s%s", code, want, out, errs)
	}
	if strings.Contains(out, token) || strings.Contains(out, "nowhere") {
		b.t.Errorf("the report quotes a transcript: %s", out)
	}
	return &r
}

// found returns the number of calls in the misses of r, by cause and tool.
func found(r *misses.Report) map[string]int {
	out := map[string]int{}
	for _, m := range r.Misses {
		who := ""
		if m.Agent != "" {
			who = " below"
		}
		out[string(m.Cause)+" "+m.Tool+who] += m.Calls
	}
	return out
}

func (b *bench) wants(r *misses.Report, calls int, want map[string]int) {
	b.t.Helper()
	n := 0
	for _, k := range want {
		n += k
	}
	got, _ := json.Marshal(found(r))
	text, _ := json.Marshal(want)
	if r.Calls != calls || r.Unseen != n || string(got) != string(text) {
		b.t.Errorf("%d calls, %d unseen: %s\nwant %d, %d: %s", r.Calls, r.Unseen, got, calls, n, text)
	}
	for _, m := range r.Misses {
		if m.Why == "" || len(m.Remedies) == 0 || strings.Contains(m.Why+message.JoinRemedies(m.Remedies), "HOST") || strings.Contains(m.Why, "TITLE") {
			b.t.Errorf("%s: %q, %q", m.Cause, m.Why, m.Remedies)
		}
	}
}

// TestPlanted plants misses of each kind. Each is found with its cause, and no others are.
func TestPlanted(t *testing.T) {
	program, programs := faketest.Program(t), faketest.Checkrein(t)
	whole := func(cause string) map[string]int { // a run that nothing was heard of
		return map[string]int{cause + " Bash": 4, cause + " Read": 1, cause + " Write": 1, cause + " Agent": 1, cause + " Bash below": 1}
	}
	t.Run("clean", func(t *testing.T) {
		b := newBench(t, program, programs)
		b.runCalls()
		b.runCalls(mockmodel.Edit(filepath.Join(b.Project, "main.c"), "not there", "int")) // the agent refuses that
		r := b.misses(0)
		b.wants(r, 2*perRun+1, map[string]int{})
		if r.Seen != 2*perRun || r.Refused != 1 || r.Denied.Calls+r.Kept.Calls+r.Leaked.Calls+r.Twice.Calls+r.Open+len(r.Skipped) > 0 {
			t.Errorf("%+v", r)
		}
		out, _, _ := b.Try("checkrein", "misses")
		if !strings.Contains(strings.SplitN(out, "\n", 2)[0], "17 calls, 0 unseen since ") {
			t.Errorf("%s", out)
		}
	})
	t.Run("removed for a while", func(t *testing.T) {
		b := newBench(t, program, programs)
		b.runCalls()
		b.Checkrein("uninstall", "claude")
		b.runCalls()
		b.Checkrein("install", "claude", "--program", filepath.Join(b.Bin, "checkrein"))
		b.runCalls()
		r := b.misses(1)
		b.wants(r, 3*perRun, whole("not-installed"))
		if r.Leaked.Calls != 1 {
			t.Errorf("secrets: %+v", r.Leaked)
		}
		b.misses(0, "--max", "8")
		b.misses(1, "--max", "7")
	})
	t.Run("one tool unhooked", func(t *testing.T) {
		b := newBench(t, program, programs)
		b.runCalls()
		b.narrowSettings("PreToolUse", "Bash|Read|Agent")
		b.runCalls()
		b.wants(b.misses(1), 2*perRun, map[string]int{"tool Write": 1})
	})
	t.Run("switched off", func(t *testing.T) {
		b := newBench(t, program, programs)
		b.runCalls()
		b.changeSettings(func(all map[string]any) { all["disableAllHooks"] = true })
		b.runCalls()
		b.wants(b.misses(1), 2*perRun, whole("disabled"))
	})
	t.Run("sub-agent unhooked", func(t *testing.T) {
		b := newBench(t, program, programs, fakehost.SkipsSubagents)
		b.runCalls()
		b.wants(b.misses(1), perRun, map[string]int{"sub-agent Bash below": 1})
	})
}

// narrowSettings makes the settings ask checkrein only about some tools.
func (b *bench) narrowSettings(event, tools string) {
	b.t.Helper()
	b.changeSettings(func(all map[string]any) {
		for _, g := range all["hooks"].(map[string]any)[event].([]any) {
			g.(map[string]any)["matcher"] = tools
		}
	})
}

// changeSettings changes the settings that the agent reads.
func (b *bench) changeSettings(change func(all map[string]any)) {
	b.t.Helper()
	path := filepath.Join(b.Home, ".claude", "settings.json")
	raw, err := os.ReadFile(path)
	var all map[string]any
	if err == nil {
		err = json.Unmarshal(raw, &all)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	change(all)
	raw, err = json.Marshal(all)
	if err == nil {
		err = os.WriteFile(path, raw, 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// TestQuiet checks that misses reports hosts that did not send the events that they should.
func TestQuiet(t *testing.T) {
	program, programs := faketest.Program(t), faketest.Checkrein(t)
	only := func(events ...string) func(map[string]any) {
		return func(all map[string]any) {
			hooks := all["hooks"].(map[string]any)
			for name := range hooks {
				if !slices.Contains(events, name) {
					delete(hooks, name)
				}
			}
		}
	}
	for _, test := range []struct {
		name   string
		lies   []fakehost.Lie
		change func(all map[string]any) // of the settings, after a first session
		want   string                   // "" for nothing
	}{
		{name: "clean"},
		{name: "silent", lies: []fakehost.Lie{fakehost.Silent}, want: "✗ Claude Code: installed, silent since 20"},
		{name: "it only said that it began", change: only("SessionStart"), want: "and checkrein was not asked, although the start of 1 session was reported"},
		{name: "it did not say that it began", change: func(all map[string]any) { delete(all["hooks"].(map[string]any), "SessionStart") }, want: "! Claude Code: 1 session since 20"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, program, programs, test.lies...)
			b.runCalls()
			if test.change != nil {
				b.changeSettings(test.change)
				b.runCalls()
			}
			out, errs, _ := b.Try("checkrein", "misses")
			if test.want == "" {
				if strings.Contains(out, "Claude Code:") {
					t.Errorf("%s%s", out, errs)
				}
			} else if !strings.Contains(flat(out), test.want) {
				t.Errorf("it does not say %q:\n%s%s", test.want, out, errs)
			}
			raw, _, _ := b.Try("checkrein", "misses", "--json", "--max", "99")
			var r struct {
				Silent []struct {
					Host             string
					Calls, Unstarted any
				}
			}
			if err := json.Unmarshal([]byte(raw), &r); err != nil || (test.want == "") != (len(r.Silent) == 0) {
				t.Errorf("%v\n%s", err, raw)
			}
		})
	}
}

// TestNothingIsKept compares a transcript that has a secret and commands unknown to checkrein. Nothing
// of them is in the files that checkrein keeps.
func TestNothingIsKept(t *testing.T) {
	t.Parallel()
	program, programs := faketest.Program(t), faketest.Checkrein(t)
	b := newBench(t, program, programs, fakehost.Silent)
	b.runCalls()
	if r := b.misses(1); r.Leaked.Calls != 1 {
		t.Fatalf("the secret is not in the transcript: %+v", r)
	}
	for _, args := range [][]string{{"misses"}, {"misses", "--since", "1d"}, {"status"}, {"status", "--json"}, {"doctor", "--no-run"}, {"audit", "query"}} {
		out, errs, _ := b.Try("checkrein", args...)
		if strings.Contains(out+errs, token) || strings.Contains(out+errs, "echo below") {
			t.Errorf("%v tells what a transcript says:\n%s%s", args, out, errs)
		}
	}
	files := 0
	err := filepath.WalkDir(b.Home, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && path == filepath.Join(b.Home, ".claude") { // the agent's own
			return filepath.SkipDir
		}
		if !e.Type().IsRegular() {
			return nil
		}
		files++
		raw, err := os.ReadFile(path)
		for _, s := range []string{token, token[4:24], "echo below", "ls nowhere", subPrompt} {
			if strings.Contains(string(raw), s) {
				t.Errorf("%q is in %s", s, path)
			}
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files, %v", files, err)
	}
}

// TestLies checks the lies of a host that its transcripts reveal.
func TestLies(t *testing.T) {
	program, programs := faketest.Program(t), faketest.Checkrein(t)
	for _, lie := range []fakehost.Lie{fakehost.RunsDenied, fakehost.IgnoresOutput, fakehost.FiresForShell, fakehost.FiresTwice, fakehost.Silent} {
		t.Run(string(lie), func(t *testing.T) {
			b := newBench(t, program, programs, lie)
			b.runCalls()
			exit := 1
			if lie == fakehost.FiresTwice {
				exit = 0
			}
			r := b.misses(exit)
			want := map[fakehost.Lie][4]int{ // unseen, denied but ran, not replaced, twice
				fakehost.RunsDenied: {0, 1, 0, 0}, fakehost.IgnoresOutput: {0, 0, 1, 0},
				fakehost.FiresForShell: {3, 0, 0, 0}, fakehost.FiresTwice: {0, 0, 0, perRun}, fakehost.Silent: {perRun, 0, 0, 0},
			}[lie]
			if got := [4]int{r.Unseen, r.Denied.Calls, r.Kept.Calls, r.Twice.Calls}; got != want {
				t.Errorf("unseen, denied but ran, not replaced, twice: %v, want %v\n%+v", got, want, r)
			}
			for _, m := range r.Misses {
				if cause := map[fakehost.Lie]misses.Cause{fakehost.FiresForShell: misses.BuiltIn, fakehost.Silent: misses.Silent}[lie]; m.Cause != cause {
					t.Errorf("%s of %s, want %s", m.Cause, m.Tool, cause)
				}
			}
			if leaked := lie == fakehost.IgnoresOutput || lie == fakehost.Silent; leaked != (r.Leaked.Calls == 1) {
				t.Errorf("secrets: %+v", r.Leaked)
			}
		})
	}
}

// TestDoctor checks that doctor reports the same about the calls of the last day as misses.
func TestDoctor(t *testing.T) {
	program, programs := faketest.Program(t), faketest.Checkrein(t)
	for _, test := range []struct {
		name  string
		lies  []fakehost.Lie
		tools string   // that checkrein is asked about, "" for all
		want  []string // what doctor says
	}{
		{name: "clean"},
		{name: "one tool unhooked", tools: "Bash|Read|Agent", want: []string{"! calls-unseen: 1 call of the last day unseen: Claude Code asked about other calls of the session, but never about this tool", "checkrein install claude"}},
		{name: "sub-agent unhooked", lies: []fakehost.Lie{fakehost.SkipsSubagents}, want: []string{"! calls-unseen: 1 call of the last day unseen: Claude Code asked about the calls of the session itself"}},
		{name: "denied but ran", lies: []fakehost.Lie{fakehost.RunsDenied}, want: []string{"✗ calls-denied-ran: 1 call of the last day ran although checkrein denied it", "checkrein misses --since 1d"}},
		{name: "silent", lies: []fakehost.Lie{fakehost.Silent}, want: []string{"✗ host-silent: "}}, // once is enough
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, program, programs, test.lies...)
			if test.tools != "" {
				b.narrowSettings("PreToolUse", test.tools)
			}
			b.runCalls()
			out, _, _ := b.Try("checkrein", "doctor", "--no-run")
			for _, want := range test.want {
				if !strings.Contains(out, want) {
					t.Errorf("doctor does not say %q", want)
				}
			}
			if len(test.want) == 0 || strings.Contains(test.want[0], "host-silent") {
				if strings.Contains(out, " calls-") {
					t.Error("doctor tells of calls")
				}
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}
