package app_test

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
	"github.com/checkrein/checkrein/internal/hook/hookfile"
)

// The variables that make the test's program a child: what a hook of the test
// starts, which is an agent with hooks itself.
const (
	childEvent = "CHECKREIN_TEST_EVENT" // the event that the child fires
	childDepth = "CHECKREIN_TEST_DEPTH" // the depth of nesting, which is limited in case the guard fails
	childPlace = "CHECKREIN_TEST_PLACE" // the directory of the test
)

// TestMain runs the tests, or the child process that a hook of a test starts.
func TestMain(m *testing.M) {
	if event := os.Getenv(childEvent); event != "" {
		os.Exit(runChild(event))
	}
	os.Exit(m.Run())
}

// runChild opens a kit like an agent inside a hook, and logs the outcome of the event.
func runChild(event string) int {
	depth := os.Getenv(childDepth) + "x"
	if len(depth) > 3 {
		return 1
	}
	os.Setenv(childDepth, depth)
	dir := os.Getenv(childPlace)
	k, err := app.Open(app.Options{Dir: filepath.Join(dir, "project"), State: filepath.Join(dir, "state"), Managed: app.NoManaged})
	if err != nil {
		return 1
	}
	kind, _ := hookfile.KindOf(event)
	ev := newShellCall("child")
	ev.Kind = kind
	out := k.Decide(context.Background(), ev)
	if err := os.WriteFile(filepath.Join(dir, "child"+depth), out.JSON(true), 0o600); err != nil {
		return 1
	}
	return 0
}

// runNested runs pre_tool_use hooks, one of which starts an agent that fires an event, and returns the
// outcome of that event.
func runNested(t *testing.T, event string, env ...string) (inner map[string]string, deeper bool) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	p := newTestMachine(t)
	quoted, _ := json.Marshal(self)
	p.writeUser(fmt.Sprintf(`version: 1
hooks:
  pre_tool_use:
    - {name: outer, command: [%s]}
    - {name: other, command: "true"}
    - {name: rule, type: rule, decision: none}
  post_tool_use:
    - {name: outer, command: [%s]}
`, quoted, quoted))
	k := p.open(func(o *app.Options) {
		o.Environ = append(o.Environ, childEvent+"="+event, childPlace+"="+p.root)
		o.Environ = append(o.Environ, env...)
	})
	wantDecision(t, k.Decide(t.Context(), newShellCall("s")), checkrein.NoOpinion)
	_, err = os.Stat(p.path("childxx"))
	return readSteps(t, p.path("childx")), err == nil
}

// readSteps returns for each hook in the log at path why it did not run, or "" if it ran.
func readSteps(t *testing.T, path string) map[string]string {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out struct {
		Steps []struct{ Hook, Skipped, Fault string }
	}
	if err := json.Unmarshal(body, &out); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	got := map[string]string{}
	for _, s := range out.Steps {
		got[s.Hook] = s.Skipped + s.Fault
	}
	return got
}

// If the child of a hook fires the hook's event again, the hook does not run again, but all others do.
func TestHookIsNotRunInsideItself(t *testing.T) {
	t.Parallel()
	inner, deeper := runNested(t, "pre_tool_use")
	if deeper {
		t.Error("the hook was run inside itself")
	}
	if !strings.Contains(inner["outer"], "caused by a run of the same hook") || inner["other"] != "" || inner["rule"] != "" || inner["packs"] != "" || inner["redact_secrets"] != "" || inner["protect_paths"] != "" || len(inner) != 6 {
		t.Errorf("got %v", inner)
	}
}

// The same hook on another event is another hook, which runs inside the first.
func TestHookOfAnotherEventRunsInside(t *testing.T) {
	t.Parallel()
	inner, deeper := runNested(t, "post_tool_use")
	if !deeper || inner["outer"] != "" {
		t.Errorf("it did not run: %v", inner)
	}
}

// A mark counts only for children of the process that it names. A process that copies it is served
// like any other.
func TestCopiedMarkSkipsNothing(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	saw := p.path("mark")
	p.writeUser("version: 1\nhooks:\n  pre_tool_use: {name: gate, command: 'printenv CHECKREIN_INSIDE > " + saw + "; exit 2'}\n")
	wantDecision(t, p.decide(newShellCall("s")), checkrein.Deny)
	mark, err := os.ReadFile(saw)
	if err != nil || len(mark) == 0 {
		t.Fatalf("no mark: %q, %v", mark, err)
	}
	for _, m := range []string{strings.TrimSpace(string(mark)), "x", "1/x", strings.Repeat("y ", 100), "1:1/" + strings.TrimSpace(string(mark[strings.IndexByte(string(mark), '/')+1:]))} {
		k := p.open(func(o *app.Options) { o.Environ = append(o.Environ, "CHECKREIN_INSIDE="+m) })
		wantDecision(t, k.Decide(t.Context(), newShellCall("s")), checkrein.Deny)
	}
}
