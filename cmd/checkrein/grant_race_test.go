package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval/grant"
)

// A gatehouse is a home in which a host asks about calls, each in a process.
type gatehouse struct {
	t    *testing.T
	home string
}

func newGatehouse(t *testing.T, config string) *gatehouse {
	t.Helper()
	g := &gatehouse{t, t.TempDir()}
	for _, dir := range []string{"p", "state", ".config/checkrein"} {
		if err := os.MkdirAll(filepath.Join(g.home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if config != "" {
		if err := os.WriteFile(filepath.Join(g.home, ".config/checkrein/checkrein.yaml"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

func (g *gatehouse) environ() []string {
	return []string{"HOME=" + g.home, "XDG_STATE_HOME=" + filepath.Join(g.home, "state"), "PATH=" + programs + ":" + os.Getenv("PATH")}
}

// hook is a process that answers one event of Claude Code.
func (g *gatehouse) hook(event, command, id string) (*exec.Cmd, *bytes.Buffer) {
	payload := map[string]any{"session_id": "s", "cwd": filepath.Join(g.home, "p"), "hook_event_name": event, "permission_mode": "default", "tool_name": "Bash", "tool_input": map[string]string{"command": command}}
	if id != "" {
		payload["tool_use_id"] = id
	}
	data, err := json.Marshal(payload)
	if err != nil {
		g.t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(programs, "checkrein"), "hook", "claude")
	cmd.Dir, cmd.Env, cmd.Stdin = filepath.Join(g.home, "p"), g.environ(), bytes.NewReader(data)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	return cmd, &out
}

// ask returns whether a call passes, and what was said.
func (g *gatehouse) ask(event, command, id string) (bool, string) {
	g.t.Helper()
	cmd, out := g.hook(event, command, id)
	err := cmd.Run()
	return err == nil && !strings.Contains(out.String(), `"deny"`) && !strings.Contains(out.String(), `"ask"`), out.String()
}

var handleIn = regexp.MustCompile(`checkrein allow ([0-9a-f]+)`)

// allow lets pass what was said to be blocked, as a person does.
func (g *gatehouse) allow(said string, scope grant.Scope) {
	g.t.Helper()
	m := handleIn.FindStringSubmatch(said)
	if m == nil {
		g.t.Fatalf("no handle: %s", said)
	}
	k, err := app.Open(app.Options{Dir: filepath.Join(g.home, "p"), State: filepath.Join(g.home, "state", "checkrein"), Managed: app.NoManaged, Environ: g.environ()})
	if err != nil {
		g.t.Fatal(err)
	}
	b, err := k.Grants().Block(m[1])
	if err != nil {
		g.t.Fatal(err)
	}
	gr := grant.Grant{Handle: b.Handle, Scope: scope, Lifts: b.By, Binding: b.Binding, Shown: b.Shown, Root: b.Root, Until: time.Now().Add(grant.Life)}
	if scope == grant.Session {
		gr.Host, gr.Session, gr.Root = b.Host, b.Session, ""
	}
	if _, err := k.Allow(gr, b); err != nil {
		g.t.Fatal(err)
	}
}

const push = "rm -rf ~/docs"

// Of many concurrent processes, exactly one uses a grant for one call; a grant for the session serves
// all.
func TestGrantRace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		scope grant.Scope
		want  int
	}{{grant.Once, 1}, {grant.Session, 32}} {
		t.Run(string(tt.scope), func(t *testing.T) {
			t.Parallel()
			g := newGatehouse(t, "")
			ok, said := g.ask("PreToolUse", push, "first")
			if ok {
				t.Fatalf("it passes: %s", said)
			}
			g.allow(said, tt.scope)
			var wg sync.WaitGroup
			passed := make([]bool, 32)
			for i := range passed {
				wg.Go(func() { passed[i], _ = g.ask("PreToolUse", push, fmt.Sprint("c", i)) })
			}
			wg.Wait()
			n := 0
			for _, ok := range passed {
				if ok {
					n++
				}
			}
			if n != tt.want {
				t.Errorf("%d of 32 pass, not %d", n, tt.want)
			}
		})
	}
}

// A killed process may have used the grant or not, but two never have.
func TestGrantKilled(t *testing.T) {
	t.Parallel()
	g := newGatehouse(t, "")
	for round := range 12 {
		_, said := g.ask("PreToolUse", push, fmt.Sprint("first", round))
		g.allow(said, grant.Once)
		passed := 0
		for i := range 6 {
			cmd, out := g.hook("PreToolUse", push, fmt.Sprint("r", round, "c", i))
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if i < 5 {
				time.Sleep(time.Duration(rand.IntN(12000)) * time.Microsecond)
				_ = cmd.Process.Kill() // it may have ended
			}
			if err := cmd.Wait(); err == nil && !strings.Contains(out.String(), `"deny"`) {
				passed++
			}
		}
		if passed > 1 {
			t.Fatalf("round %d: %d calls pass", round, passed)
		}
		if ok, said := g.ask("PreToolUse", push, "last"); ok {
			t.Fatalf("round %d: a further call passes: %s", round, said)
		}
	}
}

// A call that is judged before it runs and again for permission uses a grant once.
func TestGrantOfOneCall(t *testing.T) {
	t.Parallel()
	g := newGatehouse(t, "version: 1\nhooks:\n  pre_tool_use: {name: a, type: rule, if: {command: {contains: deploy}}, decision: deny, reason: no}\n  permission_request: {name: b, type: rule, if: {command: {contains: deploy}}, decision: deny, reason: no}\n")
	const command = "make deploy"
	// There both object.
	_, said := g.ask("PermissionRequest", command, "")
	g.allow(said, grant.Once)
	for i, step := range []struct {
		event, id string
		want      bool
	}{
		{"PreToolUse", "c1", true}, {"PermissionRequest", "", true}, {"PreToolUse", "c1", true}, {"PermissionRequest", "", true},
		{"PreToolUse", "c2", false}, {"PreToolUse", "c1", true},
	} {
		if ok, said := g.ask(step.event, command, step.id); ok != step.want {
			t.Errorf("%d: %s %q passes: %t\n%s", i, step.event, step.id, ok, said)
		}
	}
}

// What a person granted is not objected to where a hook approves it in their place, and
// that is the same use.
func TestGrantBeforeApproval(t *testing.T) {
	t.Parallel()
	g := newGatehouse(t, "version: 1\nhooks:\n  permission_request: {name: b, type: rule, decision: allow}\n")
	_, said := g.ask("PreToolUse", push, "c0")
	if ok, said := g.ask("PermissionRequest", push, ""); ok {
		t.Errorf("approved without a grant: %s", said)
	}
	g.allow(said, grant.Once)
	if ok, said := g.ask("PreToolUse", push, "c1"); !ok {
		t.Errorf("granted and blocked: %s", said)
	}
	if _, said := g.ask("PermissionRequest", push, ""); !strings.Contains(said, `"behavior":"allow"`) {
		t.Errorf("granted and not approved: %s", said)
	}
	if ok, said := g.ask("PreToolUse", push, "c2"); ok {
		t.Errorf("used twice: %s", said)
	}
}

// Eval uses up no grant.
func TestGrantEval(t *testing.T) {
	t.Parallel()
	g := newGatehouse(t, "")
	_, said := g.ask("PreToolUse", push, "c0")
	g.allow(said, grant.Once)
	for range 2 {
		cmd := exec.Command(filepath.Join(programs, "checkrein"), "eval", "--host", "claude")
		cmd.Dir, cmd.Env = filepath.Join(g.home, "p"), g.environ()
		cmd.Stdin = strings.NewReader(`{"session_id":"s","cwd":"` + filepath.Join(g.home, "p") + `","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"e","tool_input":{"command":"` + push + `"}}`)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "lifted") {
			t.Errorf("%v: %s", err, out)
		}
	}
	if ok, said := g.ask("PreToolUse", push, "c1"); !ok {
		t.Errorf("it was used up: %s", said)
	}
	if ok, said := g.ask("PreToolUse", push, "c2"); ok {
		t.Errorf("it was not used up: %s", said)
	}
}
