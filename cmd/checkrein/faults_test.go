package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/wire"
)

// A fault is something that is wrong on a machine, with a gate that must then
// stay closed.
type fault struct {
	name   string
	config string
	break_ func(t *testing.T, home string, env []string) []string
}

func hookThat(command string) string {
	return "version: 1\npacks: []\nhooks:\n  pre_tool_use:\n    - {type: command, command: \"" + command + "\", timeout: 1}\n"
}

const denying = "version: 1\npacks: []\nhooks:\n  pre_tool_use:\n    - {type: rule, decision: deny, reason: 'no'}\n"

func faults() []fault {
	return []fault{
		{name: "the configuration is broken", config: "version: 1\nhooks: [\n"},
		{name: "the configuration has a mistake", config: "version: 1\nhooks:\n  pre_tool_use:\n    - {type: comand, command: x}\n"},
		{name: "the hook is missing", config: hookThat("/nonexistent/guard")},
		{name: "the hook hangs", config: hookThat("sleep 30")},
		{name: "the hook is killed", config: hookThat("kill -9 $$")},
		{name: "the hook's answer is garbage", config: hookThat(`echo '{decision: '`)},
		{name: "the companion is missing", config: "version: 1\npacks: []\nhooks:\n  pre_tool_use:\n    - {type: http, url: 'http://127.0.0.1:9/'}\n", break_: func(t *testing.T, home string, env []string) []string {
			alone := filepath.Join(home, "bin")
			if err := os.MkdirAll(alone, 0o700); err != nil {
				t.Fatal(err)
			}
			// Another program copies it: what we had open for writing, a child that
			// starts meanwhile would keep open, and it could not be run.
			if out, err := exec.Command("cp", filepath.Join(programs, "checkrein"), alone).CombinedOutput(); err != nil {
				t.Fatalf("%v %s", err, out)
			}
			return append(env, "CHECKREIN_TEST_PROGRAM="+filepath.Join(alone, "checkrein"))
		}},
		{name: "the state cannot be written", config: denying, break_: func(t *testing.T, home string, env []string) []string {
			state := filepath.Join(home, ".local", "state")
			if err := os.MkdirAll(filepath.Dir(state), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(state, nil, 0o400); err != nil { // a file where the folder should be
				t.Fatal(err)
			}
			return env
		}},
		{name: "there is no home", config: denying, break_: func(_ *testing.T, home string, env []string) []string {
			return append(slices.DeleteFunc(env, func(s string) bool { return strings.HasPrefix(s, "HOME=") }), "XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "XDG_STATE_HOME="+filepath.Join(home, "state"))
		}},
	}
}

// Whatever is wrong, every host gets a denial in its own format.
func TestFaultsCloseEveryGate(t *testing.T) {
	t.Parallel()
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			dir := filepath.Join(home, ".config", "checkrein")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "checkrein.yaml"), []byte(f.config), 0o600); err != nil {
				t.Fatal(err)
			}
			env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
			program := filepath.Join(programs, "checkrein")
			if f.break_ != nil {
				env = f.break_(t, home, env)
			}
			for _, e := range env {
				if p, ok := strings.CutPrefix(e, "CHECKREIN_TEST_PROGRAM="); ok {
					program = p
				}
			}
			for _, h := range host.Table() {
				native, body := gateOf(t, h)
				got := hookOf(t, program, env, h, native, body)
				want := deniedBy(t, h, native, body)
				if !equivalentReplies(got, want) {
					t.Errorf("%s: exit %d, %s%s\nwant the like of exit %d, %s%s", h.Name, got.Exit, got.Stdout, got.Stderr, want.Exit, want.Stdout, want.Stderr)
				}
			}
		})
	}
}

// gateOf finds the event of a host that waits for leave to run a tool, with a
// payload.
func gateOf(t *testing.T, h *wire.Host) (native string, body []byte) {
	t.Helper()
	for _, e := range h.Events {
		if !slices.ContainsFunc(e.Rows, func(r wire.Row) bool { return r.Kind == checkrein.PreToolUse }) {
			continue
		}
		dir := filepath.Join("..", "..", "internal", "host", strings.ReplaceAll(h.Name, "-", ""), "testdata")
		files, _ := filepath.Glob(filepath.Join(dir, e.Native+"*.json"))
		for _, file := range files {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if c := h.Read(h, body, e.Native); c.Err == nil && c.Events[len(c.Events)-1].Kind == checkrein.PreToolUse || c.Err == nil && c.Events[0].Kind == checkrein.PreToolUse {
				return e.Native, body
			}
		}
	}
	t.Fatalf("%s: no payload of a gate", h.Name)
	return "", nil
}

func hookOf(t *testing.T, program string, env []string, h *wire.Host, native string, body []byte) wire.Reply {
	t.Helper()
	argv := []string{"hook", h.Name}
	if h.OmitsEvent {
		argv = append(argv, "--event", native)
	}
	cmd := exec.Command(program, argv...)
	cmd.Env, cmd.Dir = env, t.TempDir()
	cmd.Stdin = bytes.NewReader(body)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return wire.Reply{Stdout: out.Bytes(), Stderr: errs.Bytes(), Exit: cmd.ProcessState.ExitCode()}
}

// deniedBy is how a host's wire says a denial; wiretest holds that against a
// model of the host.
func deniedBy(t *testing.T, h *wire.Host, native string, body []byte) wire.Reply {
	t.Helper()
	c := h.Read(h, body, native)
	var outs []engine.Outcome
	for _, ev := range c.Events {
		outs = append(outs, engine.Outcome{Event: ev})
		if ev.Kind == checkrein.PreToolUse {
			outs[len(outs)-1].Verdict = checkrein.Verdict{Decision: checkrein.Deny, Reason: "no"}
			break
		}
	}
	return h.Encode(&c, outs)
}

// equivalentReplies reports whether two replies have the same exit code and JSON with the same
// members, apart from the texts.
func equivalentReplies(a, b wire.Reply) bool {
	return a.Exit == b.Exit && slices.Equal(memberNames(a.Stdout), memberNames(b.Stdout)) && (len(a.Stderr) > 0 || len(b.Stderr) == 0)
}

func memberNames(out []byte) []string {
	var v any
	if json.Unmarshal(out, &v) != nil {
		return nil
	}
	var names []string
	var walk func(prefix string, v any)
	walk = func(prefix string, v any) {
		m, ok := v.(map[string]any)
		if !ok {
			return
		}
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if k == "systemMessage" || k == "system_message" || k == "notice" || k == "notices" || k == "warnings" || k == "metadata" {
				continue
			}
			value := ""
			if s, ok := m[k].(string); ok && (s == "deny" || s == "block") {
				value = "=" + s
			}
			names = append(names, prefix+k+value)
			walk(prefix+k+".", m[k])
		}
	}
	walk("", v)
	return names
}
