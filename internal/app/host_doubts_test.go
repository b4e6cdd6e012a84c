package app_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// writeAgent installs a build of Claude Code with this version on the machine.
func (p testMachine) writeAgent(version string) {
	p.t.Helper()
	p.write("bin/claude", "agent "+version)
	p.write("bin/package.json", `{"name":"agent","version":"`+version+`"}`)
}

func (p testMachine) book() capability.Book {
	dir := state.NewDir(p.path("state"))
	return capability.Book{Dir: dir, Secret: ledger.Open(ledger.Options{Dir: dir}).SecretFunc(ledger.LabelCaps)}
}

// writeProof saves a proof of the installed build.
func (p testMachine) writeProof(rows map[capability.Row]capability.Result) {
	p.t.Helper()
	program, err := capability.InspectProgram(p.path("bin/claude"))
	if err != nil {
		p.t.Fatal(err)
	}
	book := p.book()
	b := capability.Build{Version: program.Version, Program: program, Mode: "headless", Proven: time.Date(2026, 11, 17, 5, 0, 0, 0, time.UTC), Rows: rows}
	if err := book.Replace("claude", func(l *capability.Ledger) { l.AddProof(b) }); err != nil {
		p.t.Fatal(err)
	}
}

func claudeCall(session, command string) checkrein.Event {
	input, _ := json.Marshal(map[string]string{"command": command})
	return checkrein.Event{Kind: checkrein.PreToolUse, Native: "PreToolUse", Host: "claude", Session: checkrein.Session{ID: session}, Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", Input: input}}
}

const askAndDeny = `version: 1
packs: []
hooks:
  pre_tool_use:
    - {type: rule, name: asks, if: {command: {prefix: make}}, decision: ask, reason: "Sure?"}
    - {type: rule, name: denies, if: {command: {prefix: git}}, decision: deny, reason: "No."}
    - {type: rule, name: rewrites, if: {command: {prefix: npm}}, decision: none, patch: {command: "true"}}
`

func notices(out *engine.Outcome) string { return strings.Join(out.Verdict.Notice, "\n") }

// What the installed build was seen to ignore counts, for that build only.
func TestProofClampsVerdicts(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	p.writeUser(askAndDeny)
	p.writeAgent("2.1.197")
	ask := func(session, command string) engine.Outcome { return p.decide(claudeCall(session, command)) }
	if out := ask("a", "make x"); out.Verdict.Decision != checkrein.Ask {
		t.Fatalf("without a proof: %+v", out.Verdict)
	}
	p.writeProof(map[capability.Row]capability.Result{capability.Ask: capability.Honoured, capability.DenyShell: capability.Honoured, capability.Rewrite: capability.Honoured})
	if out := ask("a", "make x"); out.Verdict.Decision != checkrein.Ask || notices(&out) != "" {
		t.Errorf("all is honoured: %+v", out.Verdict)
	}
	p.writeProof(map[capability.Row]capability.Result{capability.Ask: capability.NotHonoured, capability.DenyShell: capability.NotHonoured, capability.Rewrite: capability.NotHonoured})
	out := ask("a", "make x")
	if out.Verdict.Decision != checkrein.Deny || !strings.Contains(out.Verdict.Reason, "Claude Code 2.1.197 ran a call that it should have asked the user about when it was proven on 2026-11-17, so the user was not asked and this is denied.") {
		t.Errorf("an ask that is not honoured: %+v", out.Verdict)
	}
	out = ask("b", "git push")
	if out.Verdict.Decision != checkrein.Deny || out.Verdict.Reason != "No." || !strings.Contains(notices(&out), "Claude Code 2.1.197 ran a shell command that was denied when it was proven on 2026-11-17, so do not rely on it to obey the denial now. To look again: checkrein prove claude") {
		t.Errorf("a denial that is not honoured: %+v", out.Verdict)
	}
	if out = ask("b", "git push"); out.Verdict.Decision != checkrein.Deny || notices(&out) != "" {
		t.Errorf("it is told twice in a session: %+v", out.Verdict)
	}
	out = ask("c", "npm i")
	if out.Verdict.Decision != checkrein.Deny || !strings.Contains(out.Verdict.Reason, "Claude Code 2.1.197 ran the original call instead of the rewritten one when it was proven on 2026-11-17, so it is denied") || !strings.Contains(notices(&out), "do not rely on it to run the rewritten call") {
		t.Errorf("a rewrite that is not honoured: %s %+v", out.Verdict.Input, out.Verdict)
	}
	p.writeAgent("2.1.1980")
	if out = ask("d", "make x"); out.Verdict.Decision != checkrein.Ask {
		t.Errorf("another build: %+v", out.Verdict)
	}
}

// A forged, changed or copied proof does not change verdicts, and is reported.
func TestForgedProofChangesNothing(t *testing.T) {
	t.Parallel()
	p, other := newTestMachine(t), newTestMachine(t)
	p.writeUser(askAndDeny)
	for _, at := range []testMachine{p, other} {
		at.writeAgent("2.1.197")
		at.writeProof(map[capability.Row]capability.Result{capability.Ask: capability.NotHonoured, capability.Rewrite: capability.NotHonoured})
	}
	name := "state/caps/claude.json"
	read := func(p testMachine) string {
		text, err := os.ReadFile(p.path(name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	mine := read(p)
	body := mine[strings.Index(mine, `"body":`)+len(`"body":`) : len(mine)-1]
	for what, text := range map[string]string{
		"of another machine": read(other),
		"changed":            strings.Replace(mine, `"ask":"not honoured"`, `"ask":"honoured"`, 1),
		"without a sum":      body,
		"nonsense":           strings.Repeat("[", 5000),
		"empty":              "",
	} {
		p.write(name, text)
		out := p.decide(claudeCall(what, "make x"))
		if out.Verdict.Decision != checkrein.Ask || !strings.Contains(notices(&out), "claude.json is not used: it is not as checkrein wrote it on this machine") {
			t.Errorf("%s: %+v", what, out.Verdict)
		}
		if out = p.decide(claudeCall(what, "npm i")); string(out.Verdict.Input) != `{"command":"true"}` || len(out.Doubted) > 0 {
			t.Errorf("%s: %s %+v", what, out.Verdict.Input, out.Verdict)
		}
	}
	p.write(name, mine)
	if out := p.decide(claudeCall("good", "make x")); out.Verdict.Decision != checkrein.Deny {
		t.Errorf("the real one: %+v", out.Verdict)
	}
}

// An update of a host is reported once, at the start of a session.
func TestUpdateNoticeAppearsOnce(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	p.writeUser("version: 1\npacks: []\n")
	start := func(session string) string {
		t.Helper()
		out := p.decide(checkrein.Event{Kind: checkrein.SessionStart, Native: "SessionStart", Host: "claude", Session: checkrein.Session{ID: session}})
		var lines []string
		for _, n := range out.Verdict.Notice {
			if strings.Contains(n, "prove") {
				lines = append(lines, n)
			}
		}
		return strings.Join(lines, "\n")
	}
	p.writeAgent("2.1.197")
	if got := start("a"); got != "" {
		t.Errorf("never proven: %s", got)
	}
	p.writeProof(map[capability.Row]capability.Result{capability.DenyShell: capability.Honoured})
	if got := start("b"); got != "" {
		t.Errorf("proven: %s", got)
	}
	p.writeAgent("2.1.3250")
	if got := start("c"); got != "Claude Code is not proven for this build (proven for 2.1.197, 2.1.3250 runs now). To prove it: checkrein prove claude" {
		t.Errorf("updated: %q", got)
	}
	if got := start("d"); got != "" {
		t.Errorf("told twice: %s", got)
	}
	p.writeAgent("2.1.32600")
	if got := start("e"); !strings.Contains(got, "2.1.32600 runs now") {
		t.Errorf("updated again: %q", got)
	}
	p.writeProof(map[capability.Row]capability.Result{capability.DenyShell: capability.NotHonoured})
	for _, session := range []string{"f", "g"} {
		if got := start(session); got != "Claude Code 2.1.32600 ran a shell command that was denied when it was proven on 2026-11-17, so do not rely on denials there. To look again: checkrein prove claude" {
			t.Errorf("a build that does not obey: %q", got)
		}
	}
	p.write("state/caps/claude.json", "{}")
	if got := start("h"); !strings.Contains(got, "claude.json is not used") {
		t.Errorf("a forged file: %q", got)
	}
}

// Markers are replaced by their secrets only if the build was not seen to show the model what was
// replaced.
func TestNothingIsRestoredInDoubt(t *testing.T) {
	t.Parallel()
	for _, row := range []capability.Row{"", capability.OutputReplaced, capability.Rewrite} {
		d := newDialogue(t, "claude", "TOKEN="+token()+"\n")
		d.writeAgent("2.1.197")
		shown := d.shown()
		if row != "" {
			d.writeProof(map[capability.Row]capability.Result{row: capability.NotHonoured})
		}
		heard := d.before("Write", map[string]any{"file_path": d.path("project/.env"), "content": shown + "MORE=1\n"})
		if restored := strings.Contains(heard, token()); restored != (row == "") {
			t.Errorf("%q: restored %v: %s", row, restored, heard)
		}
		if row != "" && !strings.Contains(heard, `"deny"`) {
			t.Errorf("%q: %s", row, heard)
		}
	}
}
