package desk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/spf13/cobra"
)

// pagedCommands lists the commands that only print, often more than fits on a terminal.
var pagedCommands = []string{
	"explain", "audit query", "audit show", "audit summary", "status", "doctor", "packs", "hooks", "hooks list", "misses", "replay", "docs", "models",
}

// unpagedFlags lists the flags with which a paged command asks questions or prints for programs, so that
// it is not paged.
var unpagedFlags = []string{"reseal", "json"}

// A pager collects the output of a command and shows it in the user's pager.
type pager struct {
	bytes.Buffer
	command  string // the value of $PAGER; "" = less
	terminal *os.File
}

// Terminal returns the terminal on which the pager shows the text.
func (p *pager) Terminal() *os.File { return p.terminal }

// newPager returns a pager for the output of cmd, or nil if it is not to be paged.
func newPager(env *console.Env, cmd *cobra.Command) *pager {
	f, _ := env.Stdout.(*os.File)
	path := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
	if f == nil || !slices.Contains(pagedCommands, path) || !base.Screen(env, f).IsTerminal() || slices.ContainsFunc(unpagedFlags, cmd.Flags().Changed) {
		return nil
	}
	command, set := environ.Lookup(env.Environ, "PAGER")
	command = strings.TrimSpace(command)
	if set && (command == "" || command == "cat") {
		return nil
	}
	if term, _ := environ.Lookup(env.Environ, "TERM"); !set && (term == "" || term == "dumb") {
		return nil
	}
	return &pager{command: command, terminal: f}
}

// show runs the pager. If the pager cannot be started, it prints the text directly.
func (p *pager) show(env *console.Env) error {
	if p.Len() == 0 {
		return nil
	}
	var cmd *exec.Cmd
	switch {
	case p.command == "":
		cmd = exec.Command("less", "-FRX")
	case runtime.GOOS == "windows":
		words := strings.Fields(p.command)
		cmd = exec.Command(words[0], words[1:]...)
	default:
		cmd = exec.Command("sh", "-c", p.command)
	}
	text := p.Bytes()
	cmd.Env = slices.Concat([]string{"LESS=FRX"}, env.Environ)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), p.terminal, env.Stderr
	err := cmd.Run()
	var ended *exec.ExitError
	if err == nil || errors.As(err, &ended) && ended.ExitCode() != 126 && ended.ExitCode() != 127 { // the shell's codes for a program that cannot start
		return nil
	}
	if p.command != "" {
		fmt.Fprintf(env.Stderr, "checkrein: $PAGER is %q, which does not run: unset it, or set it to a program that reads standard input\n", p.command)
	}
	_, err = io.Copy(p.terminal, bytes.NewReader(text))
	return err
}
