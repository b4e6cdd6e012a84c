package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/hook/dialect/dockeragent"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// The conformance tests follow the checklist of docker-agent's behaviour; the name of a subtest
// begins with the number of its item. The checklist describes several editions. The tests follow
// the document, except where later editions fix a flaw and where DESIGN.md differs: context of
// post_tool_use and stop is honoured, a block of stop is a redo, a malformed drop-in closes gates,
// and permission_decision: deny vetoes a compaction.

// openKit opens a kit in a temporary directory, with a small environment and without the machine's
// settings.
func openKit(t *testing.T, change ...func(*app.Options)) *app.Kit {
	t.Helper()
	dir := t.TempDir()
	opts := app.Options{Dir: dir, State: filepath.Join(dir, "state"), Managed: app.NoManaged, Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home")}}
	for _, c := range change {
		c(&opts)
	}
	k, err := app.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// withFile returns an option that adds a configuration file to the kit.
func withFile(t *testing.T, name, text string) func(*app.Options) {
	t.Helper()
	return func(o *app.Options) {
		path := filepath.Join(o.Dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o.Files = append(o.Files, path)
	}
}

// agentFile returns an agent file whose agent has hooks, a YAML mapping.
func agentFile(hooks string) string {
	lines := strings.Split(strings.TrimRight(hooks, "\n"), "\n")
	return "agents:\n  root:\n    hooks:\n      " + strings.Join(lines, "\n      ") + "\n"
}

// agentKit opens a kit for an agent with hooks.
func agentKit(t *testing.T, hooks string, change ...func(*app.Options)) *app.Kit {
	t.Helper()
	return openKit(t, append([]func(*app.Options){withFile(t, "agent.yaml", agentFile(hooks))}, change...)...)
}

// hooksOn returns the YAML for hooks on an event, in a matcher group if the event has a tool. The
// entries are in flow style.
func hooksOn(kind checkrein.Kind, entries ...string) string {
	list := "[" + strings.Join(entries, ", ") + "]"
	if checkrein.ContractOf(kind).Subject == checkrein.SubjectTool {
		return fmt.Sprintf("%s: [{hooks: %s}]", kind, list)
	}
	return fmt.Sprintf("%s: %s", kind, list)
}

// scriptHook returns the YAML for a command hook that runs script, with further members in flow style.
func scriptHook(script string, more ...string) string {
	quoted, _ := json.Marshal(script)
	return fmt.Sprintf("{type: command, command: %s%s}", quoted, strings.Join(append([]string{""}, more...), ", "))
}

// printHook returns the YAML for a command hook that prints answer.
func printHook(answer string, more ...string) string {
	return scriptHook("cat <<'EOF'\n"+answer+"\nEOF\n", more...)
}

// parseHooks parses an agent's hooks and returns them without the limiter, which every agent has.
func parseHooks(t *testing.T, hooks string) ([]checkrein.Hook, error) {
	t.Helper()
	f, err := dockeragent.Dialect.Parse(hookfile.Source{File: "/agent.yaml", Data: []byte(agentFile(hooks))})
	var out []checkrein.Hook
	for _, h := range f.Hooks {
		if h.Name != "limit_large_tool_results" {
			out = append(out, h)
		}
	}
	return out, err
}

// decideKind returns the outcome for an event of the given kind.
func decideKind(t *testing.T, k *app.Kit, kind checkrein.Kind) engine.Outcome {
	t.Helper()
	return k.Decide(t.Context(), newEvent(kind))
}

// dockerAgentEvents are the events in docker-agent's document.
var dockerAgentEvents = []checkrein.Kind{checkrein.PreToolUse, checkrein.ToolResponseTransform, checkrein.PostToolUse, checkrein.PermissionRequest,
	checkrein.SessionStart, checkrein.UserPromptSubmit, checkrein.UserSteeringMessagesSubmit, checkrein.UserFollowupSubmit, checkrein.TurnStart, checkrein.TurnEnd,
	checkrein.BeforeLLMCall, checkrein.AfterLLMCall, checkrein.SessionEnd, checkrein.PreCompact, checkrein.BeforeCompaction, checkrein.AfterCompaction, checkrein.SubagentStop,
	checkrein.OnUserInput, checkrein.Stop, checkrein.Notification, checkrein.OnError, checkrein.OnMaxIterations, checkrein.OnAgentSwitch, checkrein.OnSessionResume,
	checkrein.OnToolApprovalDecision, checkrein.WorktreeCreate}

// wantBroken reports a test error unless parsing hooks yields the mistake and all hooks are broken.
func wantBroken(t *testing.T, hooks, mistake string) {
	t.Helper()
	list, err := parseHooks(t, hooks)
	if err == nil || !strings.Contains(err.Error(), mistake) {
		t.Errorf("got %v, want %q", err, mistake)
	}
	for _, h := range list {
		if h.Broken == "" {
			t.Errorf("accepted: %+v", h)
		}
	}
	if len(list) == 0 {
		t.Error("nothing stands for it")
	}
}

// wantValid reports a test error unless hooks are valid, and returns them.
func wantValid(t *testing.T, hooks string) []checkrein.Hook {
	t.Helper()
	list, err := parseHooks(t, hooks)
	if err != nil {
		t.Errorf("%s: %v", hooks, err)
	}
	return list
}

// A recorder is a handler type that records which hooks ran and returns the verdicts of the function
// says.
type recorder struct {
	name   string
	traits checkrein.Traits
	says   func(h checkrein.Hook, ev checkrein.Event) checkrein.Verdict
	ran    chan string
}

func (r *recorder) handlerType() checkrein.HandlerType {
	return checkrein.HandlerType{Name: r.name, Traits: func(*checkrein.Hook) checkrein.Traits { return r.traits },
		New: func(h checkrein.Hook) (checkrein.Handler, error) {
			return checkrein.HandlerFunc(r.handlerFor(h)), nil
		}}
}

func (r *recorder) handlerFor(h checkrein.Hook) handlerFunc {
	return func(_ context.Context, ev checkrein.Event) (checkrein.Answer, error) {
		r.ran <- string(h.With)
		if r.says == nil {
			return checkrein.Answer{}, nil
		}
		return checkrein.Answer{Verdict: r.says(h, ev)}, nil
	}
}
