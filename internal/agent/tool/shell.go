package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/sys/process"
)

const (
	defaultShellTimeout = 60 * time.Second
	maxShellTimeout     = 10 * time.Minute
	maxShellOut         = 16 << 20 // a command that prints more is stopped; hooks limit what the model gets
)

// A Place is the environment in which tools run.
type Place struct {
	Dir     string
	Environ []string
	// Base is the directory of the agent file: paths in the file are below it.
	Base string
	// Memories is the directory for memories without a path in the agent file.
	Memories string
	// Lists are the to-do lists; nil means that an agent's list lasts as long as its tools.
	Lists *Lists
	// Get fetches a web page; nil = the web is not available.
	Get func(ctx context.Context, url string) (Page, error)
	// Server returns the tools of a toolset of type mcp, without those whose names are taken; nil
	// means that there are none.
	Server func(set *team.Toolset, taken func(name string) bool) []Tool
}

// shellTools returns the tool that runs commands.
func shellTools(at Place) []Tool {
	return []Tool{{
		Definition: model.Definition{Name: "shell", Description: "Run a command in a shell and return what it prints.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"cmd":{"type":"string","description":"the command"},"cwd":{"type":"string","description":"where to run it"},"timeout":{"type":"integer","description":"seconds, 60 if not given"}},"required":["cmd"]}`)},
		Category: "shell",
		Run:      func(ctx context.Context, input json.RawMessage) (string, error) { return runShell(ctx, at, input) },
	}}
}

// runShell runs a command and returns what it printed to stdout and stderr.
func runShell(ctx context.Context, at Place, input json.RawMessage) (string, error) {
	var in struct {
		Cmd     string `json:"cmd"`
		Command string `json:"command"`
		Cwd     string `json:"cwd"`
		Timeout int    `json:"timeout"`
	}
	if err := ParseArguments(input, &in); err != nil {
		return "", fmt.Errorf("arguments of shell: %w", err)
	}
	if in.Cmd == "" {
		in.Cmd = in.Command
	} else if in.Command != "" && in.Command != in.Cmd {
		// Hooks may have judged the other one.
		return "", errors.New("the call has both cmd and command, and they differ")
	}
	if strings.TrimSpace(in.Cmd) == "" {
		return "", errors.New("there is no command")
	}
	limit := defaultShellTimeout
	if in.Timeout > 0 {
		limit = min(time.Duration(in.Timeout)*time.Second, maxShellTimeout)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	res, err := process.Run(ctx, process.Spec{Argv: []string{"/bin/sh", "-c", "exec 2>&1\n" + in.Cmd}, Dir: at.resolvePath(in.Cwd), Env: at.Environ, MaxOut: maxShellOut, NewSession: true})
	out := strings.ToValidUTF8(string(res.Stdout), "\uFFFD")
	switch {
	case errors.Is(err, process.ErrTimeout):
		return out, fmt.Errorf("the command was stopped after %s", limit)
	case errors.Is(err, process.ErrTooMuchOutput):
		return out, fmt.Errorf("the command was stopped because it printed more than %d MiB", maxShellOut>>20)
	case err != nil:
		return out, err
	case res.Exit != 0:
		return out, fmt.Errorf("exit code %d", res.Exit)
	}
	return out, nil
}
