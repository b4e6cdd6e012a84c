package app_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
)

// A broken file of the user or the administrator closes gates, and only adds a notice on other events.
func TestBrokenFileClosesGates(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(testMachine) string{
		"user":    func(p testMachine) string { return p.writeUser("version: 1\nhooks: [\n") },
		"managed": func(p testMachine) string { return p.writeManaged("version: 1\nhooks: [\n") },
		"drop-in": func(p testMachine) string { return p.write("home/.config/checkrein/hooks.d/x.yaml", "hooks: [\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newTestMachine(t)
			path := write(p)
			for _, row := range checkrein.Contracts()[1:] {
				out := p.decide(checkrein.Event{Kind: row.Kind})
				told := out.Verdict.Reason
				if row.Closed {
					wantDecision(t, out, checkrein.Deny)
				} else {
					wantDecision(t, out, checkrein.NoOpinion)
					told = fmt.Sprint(out.Verdict.Notice)
				}
				wantText(t, told, path)
			}
		})
	}
}

// A broken project file closes gates only if it had approved hooks.
func TestBrokenProjectFileClosesApprovedGates(t *testing.T) {
	t.Parallel()
	broken := []string{"version: 1\nhooks: [\n", "version: 2\n", "version: 1\nhoks: {}\n", "\x00"}
	for _, text := range broken {
		p := newTestMachine(t)
		p.writeProject(text)
		if out := p.decide(newShellCall("s")); out.Verdict.Decision != checkrein.NoOpinion || len(out.Verdict.Notice) != 1 {
			t.Errorf("%q, nothing approved: got %s", text, out.JSON(true))
		}
		p.writeProject(ruleFile("stop", "theirs", "deny"))
		p.approveAll()
		p.writeProject(text)
		wantDecision(t, p.decide(newShellCall("s")), checkrein.NoOpinion) // the approval was for another hook
		p.writeProject(ruleFile("pre_tool_use", "gate", "none"))
		p.approveAll()
		p.writeProject(text)
		out := p.decide(newShellCall("s"))
		wantDecision(t, out, checkrein.Deny)
		wantText(t, out.Verdict.Reason, p.path("project/checkrein.yaml"))
		wantText(t, out.Verdict.Reason, "checkrein hooks revoke gate")
		wantDecision(t, p.decide(checkrein.Event{Kind: checkrein.PostToolUse}), checkrein.NoOpinion)
	}
}

// A broken or missing file that a project includes closes gates only if it had approved hooks.
func TestBrokenIncludeClosesApprovedGates(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	p.writeProject("version: 1\ninclude: [more.yaml]\n")
	more := p.write("project/more.yaml", ruleFile("pre_tool_use", "theirs", "none"))
	p.approveAll()
	wantDecision(t, p.decide(newShellCall("s")), checkrein.NoOpinion)
	if err := os.Remove(more); err != nil {
		t.Fatal(err)
	}
	wantDecision(t, p.decide(newShellCall("s")), checkrein.Deny)
}

// A broken entry faults if it was approved, and is skipped otherwise.
func TestBrokenProjectEntry(t *testing.T) {
	t.Parallel()
	good, bad := ruleFile("pre_tool_use", "h", "none"), "version: 1\nhooks:\n  pre_tool_use: {name: h, type: rule, decison: none}\n"
	p := newTestMachine(t)
	p.writeProject(bad)
	wantDecision(t, p.decide(newShellCall("s")), checkrein.NoOpinion)
	p.writeProject(good)
	p.approveAll()
	wantDecision(t, p.decide(newShellCall("s")), checkrein.NoOpinion)
	p.writeProject(bad)
	wantDecision(t, p.decide(newShellCall("s")), checkrein.Deny)
}

// No hook from a repository runs before a person approves it, and a notice about that is shown once
// per session.
func TestProjectHooksNeedApproval(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	p.writeProject("version: 1\nhooks:\n  pre_tool_use: {name: theirs, command: ./check.sh}\n")
	script := p.write("project/check.sh", "#!/bin/sh\necho ran >> ran\nexit 2\n")
	if err := os.Chmod(script, 0o700); err != nil {
		t.Fatal(err)
	}
	ran := func() bool { _, err := os.Stat(p.path("project/ran")); return err == nil }
	told := func(out []string) bool {
		return strings.Contains(strings.Join(out, "\n"), `hook "theirs" did not run: not approved`)
	}

	first := p.decide(newShellCall("s1"))
	wantDecision(t, first, checkrein.NoOpinion)
	if ran() || !told(first.Verdict.Notice) {
		t.Errorf("unapproved: ran %v, told %q", ran(), first.Verdict.Notice)
	}
	if again := p.decide(newShellCall("s1")); told(again.Verdict.Notice) {
		t.Errorf("told twice in one session: %q", again.Verdict.Notice)
	}
	if other := p.decide(newShellCall("s2")); !told(other.Verdict.Notice) {
		t.Error("another session is not told")
	}
	p.approveAll()
	wantDecision(t, p.decide(newShellCall("s1")), checkrein.Deny)
	if !ran() {
		t.Error("approved, and it did not run")
	}
	p.write("project/check.sh", "#!/bin/sh\nexit 0\n")
	out := p.decide(newShellCall("s1"))
	wantDecision(t, out, checkrein.Deny)
	wantText(t, out.Verdict.Reason, "changed since it was approved")
}

// A hook that changes after the kit was opened does not run.
func TestApprovalIsCheckedAtTheRun(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	p.writeProject("version: 1\nhooks:\n  pre_tool_use: {name: theirs, command: ./check.sh}\n")
	script := p.write("project/check.sh", "#!/bin/sh\nexit 0\n")
	if err := os.Chmod(script, 0o700); err != nil {
		t.Fatal(err)
	}
	p.approveAll()
	k := p.open()
	wantDecision(t, k.Decide(t.Context(), newShellCall("s")), checkrein.NoOpinion)
	p.write("project/check.sh", "#!/bin/sh\ntouch evil\n")
	wantDecision(t, k.Decide(t.Context(), newShellCall("s")), checkrein.Deny)
	if _, err := os.Stat(p.path("project/evil")); err == nil {
		t.Error("it ran")
	}
}

// The master switch does not affect managed hooks.
func TestMasterSwitchSparesManagedHooks(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	p.writeUser(ruleFile("pre_tool_use", "mine", "deny"))
	p.writeManaged(ruleFile("pre_tool_use", "admin", "ask"))
	wantDecision(t, p.decide(newShellCall("s")), checkrein.Deny)
	if err := p.open().SetOn(false); err != nil {
		t.Fatal(err)
	}
	wantDecision(t, p.decide(newShellCall("s")), checkrein.Ask)
	if p.open().IsOn() {
		t.Error("it is on")
	}
	if err := p.open().SetOn(true); err != nil {
		t.Fatal(err)
	}
	wantDecision(t, p.decide(newShellCall("s")), checkrein.Deny)
}

// No other file replaces a managed hook. The same hook in a repository runs as the administrator's.
func TestManagedHookIsNotReplaced(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	same := ruleFile("pre_tool_use", "same", "deny")
	p.writeManaged(same)
	p.writeUser(same)
	p.writeProject(same)
	if err := p.open().SetOn(false); err != nil {
		t.Fatal(err)
	}
	out := p.decide(newShellCall("s"))
	wantDecision(t, out, checkrein.Deny)
	if h := out.Steps[0].Hook; len(out.Steps) != 4 || h.From.Scope != checkrein.ScopeManaged || len(h.Also) != 2 {
		t.Errorf("got %s", out.JSON(true))
	}
}

// Damaged approvals close the gates that need one.
func TestDamagedApprovalsCloseGates(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	p.writeProject(ruleFile("pre_tool_use", "theirs", "none"))
	p.approveAll()
	p.write("state/trust.json", "{")
	out := p.decide(newShellCall("s"))
	wantDecision(t, out, checkrein.Deny)
	if !slices.ContainsFunc(out.Verdict.Notice, func(n string) bool { return strings.Contains(n, "trust.json") }) {
		t.Errorf("the person is not told: %q", out.Verdict.Notice)
	}
}

// With project_may_allow, a project's hooks can allow calls.
func TestProjectMayAllow(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	p.writeProject(ruleFile("pre_tool_use", "theirs", "allow") + "project_may_allow: true\n")
	p.approveAll()
	foreign := newShellCall("s")
	foreign.Host = "claude"
	wantDecision(t, p.decide(newShellCall("s")), checkrein.Allow)
	wantDecision(t, p.decide(foreign), checkrein.NoOpinion) // a project's own setting does not count
	p.writeUser("version: 1\nproject_may_allow: true\n")
	wantDecision(t, p.decide(foreign), checkrein.Allow)
}

// Redos are counted across processes, up to three per turn.
func TestRedoAcrossProcesses(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	p.writeUser(ruleFile("stop", "tests", "deny"))
	stop := checkrein.Event{Kind: checkrein.Stop, Session: checkrein.Session{ID: "s"}, Text: "Done."}
	for n := 1; n <= 3; n++ {
		if out := p.decide(stop); out.Redo == nil || out.Redo.Attempt != n {
			t.Errorf("attempt %d: got %+v", n, out.Redo)
		}
	}
	wantDecision(t, p.decide(stop), checkrein.NoOpinion)
	p.decide(checkrein.Event{Kind: checkrein.UserPromptSubmit, Session: stop.Session, Text: "and now something else"})
	if out := p.decide(stop); out.Redo == nil || out.Redo.Attempt != 1 {
		t.Errorf("a new turn: got %+v", out.Redo)
	}
}

// An event without a directory happens where the session works, and its hooks run where the session
// began.
func TestEventWithoutDirectory(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	p.writeUser("version: 1\nhooks:\n  turn_start: {command: 'pwd; cat'}\n")
	p.writeProject("version: 1\n")
	p.write("project/sub/x", "")
	out := p.open(func(o *app.Options) { o.Dir = p.path("project/sub") }).Decide(t.Context(), checkrein.Event{Kind: checkrein.TurnStart})
	got := strings.Join(out.Verdict.Context, "\n")
	wantText(t, got, p.path("project")+"\n")
	wantText(t, got, `"cwd":"`+p.path("project/sub")+`"`)
}

// A relative file name is resolved in the session's directory.
func TestRelativeFile(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	p.write("project/h.yaml", ruleFile("pre_tool_use", "named", "deny"))
	files := []string{"h.yaml"}
	wantDecision(t, p.open(func(o *app.Options) { o.Files = files }).Decide(t.Context(), newShellCall("s")), checkrein.Deny)
	if files[0] != "h.yaml" {
		t.Errorf("the caller's names became %q", files)
	}
}

// Check returns everything that is wrong, each error once.
func TestCheckReturnsEachErrorOnce(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	p.writeUser("version: 1\nhooks:\n  stop: [{name: a, type: command}, {name: b, type: builtin, command: nosuch}]\n  nosuch: []\n")
	err := fmt.Sprint(p.open().Check())
	for _, want := range []string{`hook "a": a hook of type command needs command`, `hook "b": unknown builtin "nosuch"`, `unknown event "nosuch"`} {
		if n := strings.Count(err, want); n != 1 {
			t.Errorf("%q is told %d times in:\n%s", want, n, err)
		}
	}
	if n := strings.Count(err, "\n"); n != 2 {
		t.Errorf("%d lines:\n%s", n+1, err)
	}
}

// A kit without a state directory works, and shows a notice about that once.
func TestKitWithoutState(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	k := p.open(func(o *app.Options) { o.State, o.Environ = "", []string{"PATH=" + os.Getenv("PATH")} })
	notes := 0
	for range 3 {
		notes += len(k.Decide(t.Context(), newShellCall("s")).Verdict.Notice)
	}
	if notes != 1 {
		t.Errorf("told %d times, want once", notes)
	}
}
