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

// sources are files of Go's own source: what a project holds, and what writes bring.
var sources = []string{"net/http/server.go", "go/parser/parser.go", "crypto/tls/handshake_client.go", "cmd/compile/internal/syntax/parser.go", "runtime/proc.go"}

// A workplace is a person's home with a repository below it, in which a session of
// Claude Code is at work.
type workplace struct{ home, project string }

// newWorkplace makes one below a directory, with files that are under version control.
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

// env has what a host hands on of the person's surroundings, the rest being of this machine.
func (w workplace) env() []string {
	return []string{"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "SHELL=/bin/bash", "TERM=xterm-256color", "USER=dev",
		"CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_PROJECT_DIR=" + w.project}
}

// hookArgs returns the arguments that an installed host calls checkrein with. They pin the person's
// directories.
func (w workplace) hookArgs(host string) []string {
	return []string{"hook", host, "--within", "590", "--config", filepath.Join(w.home, ".config", "checkrein"), "--state", filepath.Join(w.home, ".local", "state", "checkrein")}
}

func (w workplace) run(program string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Dir = w.env(), w.project
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %v: %w\n%s", program, args, err, out)
	}
	return nil
}

// An input is the second half of a tool call: which tool, and what it is asked.
type input struct {
	Tool string
	With any
}

// bash is a command with a description, as the model writes one.
func bash(command string) input {
	return input{"Bash", map[string]any{"command": command, "description": "Look at what is there before the next step", "timeout": 120000}}
}

// writes brings about 50 KB of each source, whole lines.
func (w workplace) writes() ([]input, error) {
	var all []input
	for i, name := range sources {
		text, err := os.ReadFile(filepath.Join(w.project, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		if len(text) > 50<<10 {
			text = text[:50<<10]
			text = text[:strings.LastIndexByte(string(text), '\n')+1]
		}
		all = append(all, input{"Write", map[string]any{"file_path": filepath.Join(w.project, fmt.Sprintf("new%d.go", i)), "content": string(text)}})
	}
	return all, nil
}

// events writes files with PreToolUse events of one session, several of each input
// since no two calls of a session have one id.
func (w workplace) events(dir string, inputs ...input) ([]string, error) {
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
