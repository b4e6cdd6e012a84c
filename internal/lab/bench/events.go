//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// sources lists files of Go's source tree. They are the project's files and the contents of write
// calls.
var sources = []string{"net/http/server.go", "go/parser/parser.go", "crypto/tls/handshake_client.go", "cmd/compile/internal/syntax/parser.go", "runtime/proc.go"}

// A workplace is a home directory with a repository below it, in which a session of Claude Code runs.
type workplace struct{ home, project string }

// newWorkplace creates a workplace below dir and commits its files.
func newWorkplace(dir string) (workplace, error) {
	w := workplace{home: filepath.Join(dir, "home", "dev")}
	w.project = filepath.Join(w.home, "src", "server")
	if err := errors.Join(os.MkdirAll(filepath.Join(w.home, ".claude"), 0o700), os.MkdirAll(w.project, 0o700)); err != nil {
		return w, err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return w, fmt.Errorf("the events bring Go's source: %w", err)
	}
	for _, name := range sources {
		text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "src", name))
		if err != nil {
			return w, fmt.Errorf("the events bring Go's source: %w", err)
		}
		to := filepath.Join(w.project, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, text, 0o600)); err != nil {
			return w, err
		}
	}
	for _, argv := range [][]string{{"init", "-q"}, {"remote", "add", "origin", "https://git.example/team/server.git"}, {"add", "."},
		{"-c", "user.name=Dev", "-c", "user.email=dev@example.com", "commit", "-q", "-m", "The server"}} {
		if err := w.run("git", argv...); err != nil {
			return w, err
		}
	}
	return w, nil
}

// env returns the environment that a host passes to hooks.
func (w workplace) env() []string {
	return []string{"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "SHELL=/bin/bash", "TERM=xterm-256color", "USER=dev",
		"CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_PROJECT_DIR=" + w.project}
}

// hookArgs returns the arguments with which an installed host calls checkrein. They name the
// configuration and state directories.
func (w workplace) hookArgs(host string) []string {
	return []string{"hook", host, "--within", "590", "--config", filepath.Join(w.home, ".config", "checkrein"), "--state", filepath.Join(w.home, ".local", "state", "checkrein")}
}

// run runs a program in the project and returns an error with its output if it fails.
func (w workplace) run(program string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Dir = w.env(), w.project
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %v: %w\n%s", program, args, err, out)
	}
	return nil
}

// A toolInput is a tool and its arguments.
type toolInput struct {
	Tool string
	With any
}

// bashInput returns a Bash call with a description, as models write them.
func bashInput(command string) toolInput {
	return toolInput{"Bash", map[string]any{"command": command, "description": "Look at what is there before the next step", "timeout": 120000}}
}

// writeInputs returns a Write call for each source, with up to 50 KB of it in whole lines.
func (w workplace) writeInputs() ([]toolInput, error) {
	var all []toolInput
	for i, name := range sources {
		text, err := os.ReadFile(filepath.Join(w.project, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		if len(text) > 50<<10 {
			text = text[:50<<10]
			text = text[:strings.LastIndexByte(string(text), '\n')+1]
		}
		all = append(all, toolInput{"Write", map[string]any{"file_path": filepath.Join(w.project, fmt.Sprintf("new%d.go", i)), "content": string(text)}})
	}
	return all, nil
}

// writeEvents writes PreToolUse events of one session to files in dir and returns their paths. It
// writes several for each input, because call ids are unique in a session.
func (w workplace) writeEvents(dir string, inputs ...toolInput) ([]string, error) {
	const session, prompt, each = "4c1e0d7a-93b5-4f7e-8a36-5b1f0c2d9e84", "b7f6f2c0-2a41-4a8e-9a55-1d0c7e3f6a92", 5
	var files []string
	for i := range each * len(inputs) {
		in := inputs[i%len(inputs)]
		text, err := json.Marshal(map[string]any{
			"session_id":      session,
			"transcript_path": filepath.Join(w.home, ".claude", "projects", strings.ReplaceAll(w.project, "/", "-"), session+".jsonl"),
			"cwd":             w.project,
			"prompt_id":       prompt,
			"permission_mode": "default",
			"effort":          map[string]string{"level": "high"},
			"hook_event_name": "PreToolUse",
			"tool_name":       in.Tool,
			"tool_input":      in.With,
			"tool_use_id":     fmt.Sprintf("toolu_01Vt5mQ8sYkHcR3nXw2LpJ%02d", i),
		})
		if err != nil {
			return nil, err
		}
		file := filepath.Join(dir, fmt.Sprintf("event%02d.json", i))
		if err := os.WriteFile(file, append(text, '\n'), 0o600); err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}
