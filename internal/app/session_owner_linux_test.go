package app

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/approval/liveagents"
	"github.com/checkrein/checkrein/internal/sys/process"
)

// allStatefulBuiltins is a configuration file with every builtin that saves state of sessions.
const allStatefulBuiltins = `version: 1
packs: []
hooks:
  stop: [{type: builtin, command: quality_gate, args: ["false"]}]
  session_start: [{type: builtin, command: snapshot}, {type: builtin, command: inject_reminder, args: ["5", "think"]}]
  user_prompt_submit: [{type: builtin, command: snapshot}, {type: builtin, command: max_iterations, args: ["9"]}]
  before_llm_call: [{type: builtin, command: max_iterations, args: ["9"]}]
  after_llm_call: [{type: builtin, command: cost_ledger}]
  post_tool_use: [{type: builtin, command: limit_large_tool_results}, {type: builtin, command: snapshot}]
  session_end: [{type: builtin, command: snapshot}, {type: builtin, command: limit_large_tool_results}]
  pre_tool_use:
    - {type: builtin, command: denial_memory}
    - {type: builtin, command: snapshot}
    - {name: danger, type: rule, if: {command: {contains: danger}}, decision: deny, reason: 'no'}
`

// changingEvents returns events that change what is remembered about a session.
func changingEvents() []checkrein.Event {
	at := func(kind checkrein.Kind, text string) checkrein.Event {
		return checkrein.Event{Kind: kind, Host: "claude", Session: checkrein.Session{ID: "s1"}, Text: text}
	}
	call := shellCall("danger once")
	call.Host = "claude"
	denied := withNewID(call, "c7")
	denied.Tool.Input = json.RawMessage(`{"command":"danger again"}`)
	after := withNewID(call, "c1")
	after.Kind, after.Tool.Output = checkrein.PostToolUse, json.RawMessage(`"done"`)
	return []checkrein.Event{at(checkrein.SessionStart, ""), at(checkrein.UserPromptSubmit, "go"), at(checkrein.BeforeLLMCall, ""), withNewID(call, "c1"), denied, after,
		at(checkrein.AfterLLMCall, ""), at(checkrein.Stop, "done"), at(checkrein.UserPromptSubmit, "and now"), at(checkrein.SessionEnd, "")}
}

// stateContents returns the contents of the files in a state directory, except those that every event
// changes.
func stateContents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		top, _, _ := strings.Cut(name, "/")
		if e.IsDir() || top == "ledger" || top == "hosts" || top == "cache" || top == "config" || strings.HasSuffix(name, ".log") || strings.HasSuffix(name, ".lock") {
			return nil
		}
		text, err := os.ReadFile(path)
		out[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// startOwner starts a process and makes it the owner of a session.
func startOwner(t *testing.T, k *Kit, host, id string) *exec.Cmd {
	t.Helper()
	other := exec.Command("sleep", "1000")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Process.Kill(); _ = other.Wait() })
	line, _, err := process.Lineage(other.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	err = k.memory.updateBeginning(beginningKey(host, id), func(s *beginning) error {
		s.Root, s.Owner = k.root, liveagents.Owner{ID: line[0].ID.String(), In: process.IDScope()}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return other
}

// A foreign event changes nothing that is saved about a session, while the same events from the
// session's own host change much.
func TestForeignEventsChangeNothing(t *testing.T) {
	t.Parallel()
	for _, foreign := range []bool{true, false} {
		var opts Options
		k, dir := openServed(t, allStatefulBuiltins, func(o *Options) {
			o.Session, o.Host = "s1", "claude"
			opts = *o
		})
		git := exec.Command("git", "init", "-q", opts.Dir)
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		call := shellCall("danger once")
		call.Host = "claude"
		out := k.Decide(t.Context(), call)
		g := grant.Grant{Scope: grant.Once, Host: "claude", Session: "s1", Lifts: blockers(&out), Binding: k.bind(&out.Event)}
		if _, err := k.grants.Add(g); err != nil {
			t.Fatal(err)
		}
		if foreign {
			startOwner(t, k, "claude", "s1")
		}
		before := stateContents(t, dir)
		for _, ev := range changingEvents() {
			k, err := Open(opts)
			if err != nil {
				t.Fatal(err)
			}
			if k.IsForeign() != foreign {
				t.Fatalf("foreign: %t, want %t", k.IsForeign(), foreign)
			}
			decision := k.Serve(t.Context(), ev).Verdict.Decision
			if ev.Tool != nil && ev.Kind == checkrein.PreToolUse && foreign && decision != checkrein.Deny {
				t.Errorf("%s of a stranger is not denied but %s", ev.Tool.Input, decision)
			}
		}
		after := stateContents(t, dir)
		changed := 0
		for name, text := range after {
			if before[name] != text {
				changed++
				if foreign {
					t.Errorf("%s changed:\n%s\n%s", name, before[name], text)
				}
			}
		}
		for name := range before {
			if _, ok := after[name]; !ok {
				changed++
				if foreign {
					t.Errorf("%s is gone", name)
				}
			}
		}
		if !foreign && changed < 4 {
			t.Errorf("only %d files changed, so that this proves little", changed)
		}
	}
}

// A session gets a new owner only after its owner has ended.
func TestSessionOwnerIsReplacedOnlyWhenDead(t *testing.T) {
	t.Parallel()
	if c := liveagents.InspectCall((&Kit{}).state, commandLineCheck("claude")); !c.HasHost() {
		t.Skip("SKIPPED: the tests were started from a shell that is typed in")
	}
	var opts Options
	k, _ := openServed(t, "version: 1\n", func(o *Options) {
		o.Called, o.Session, o.Host = true, "s1", "claude"
		opts = *o
	})
	if k.IsForeign() || k.standing.owner.Process().PID == 0 {
		t.Fatalf("who came first is not the owner: %+v", k.standing.owner)
	}
	other := startOwner(t, k, "claude", "s1")
	open := func() *Kit {
		k, err := Open(opts)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	for range 2 {
		if k := open(); !k.IsForeign() {
			t.Error("a session is taken from a process that is alive")
		}
	}
	_ = other.Process.Kill()
	_ = other.Wait()
	for range 2 {
		if k := open(); k.IsForeign() {
			t.Error("a session stays with a process that is dead")
		}
	}
}
