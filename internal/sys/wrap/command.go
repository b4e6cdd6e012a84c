package wrap

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/sandbox"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// maxSnapshot is the size limit of a snapshot of a shell in bytes.
const maxSnapshot = 4 << 20

// A Command is what an agent starts through the wrapper.
type Command struct {
	Argv    []string // the program that runs it, and its arguments
	Session string
	call    string // the ID of the call; "" = unknown
	text    string // the command itself, of a shell tool
	before  string // what runs before it
	own     bool   // the agent starts it for itself: a hook or a server
	err     error
}

// ErrUnknownLine is the error for a line in a form that is not known.
var ErrUnknownLine = errors.New("the agent starts commands in another way than checkrein knows")

// A Host describes how an agent starts commands through the wrapper, as in package hosts.
type Host struct {
	Host, Variable, Session, Call, Own string
	Evals                              bool
}

// ParseCommand returns the command that the agent h starts with the arguments args in the environment
// that getenv reads.
func ParseCommand(h Host, args []string, getenv func(string) string) Command {
	c := Command{Argv: append([]string{shellOf(getenv)}, args...), Session: getenv(h.Session)}
	if h.Call != "" {
		c.call = getenv(h.Call)
	}
	switch {
	case !h.Evals && len(args) == 2 && args[0] == "-c":
		c.text = args[1]
		return c
	case !h.Evals || len(args) != 1:
		c.err = ErrUnknownLine
		return c
	}
	c.Argv = []string{shellOf(getenv), "-c", args[0]}
	l, ok := parseLine(args[0])
	switch {
	case ok:
		c.text, c.before = l.command, l.before
		if l.snapshot != "" {
			data, err := state.ReadRegular(l.snapshot, maxSnapshot)
			c.before += string(data)
			c.err = err
		}
	case h.Own != "" && getenv(h.Own) != "":
		c.Argv[0], c.own = "/bin/sh", true
	default:
		c.err = ErrUnknownLine
	}
	return c
}

// shellOf returns the path of the shell that the agent uses.
func shellOf(getenv func(string) string) string {
	if shell := getenv("SHELL"); filepath.IsAbs(shell) && slices.Contains([]string{"bash", "zsh", "sh"}, filepath.Base(shell)) {
		return shell
	}
	return "/bin/sh"
}

// Chain makes the command start through program, a setting of the agent that checkrein replaced.
func (c *Command) Chain(program string) {
	line := "'" + strings.ReplaceAll(program, "'", `'"'"'`) + "'"
	if i := strings.LastIndex(program, " -"); i > 0 { // as Claude Code separates the program from its options
		line = "'" + strings.ReplaceAll(program[:i], "'", `'"'"'`) + "'" + program[i:]
	}
	c.Argv = []string{c.Argv[0], "-c", line + ` "$0"`, c.Argv[len(c.Argv)-1]}
}

// ErrChanged is the error if what runs before the commands of a session has changed.
var ErrChanged = errors.New("the shell's start-up files of this session have changed")

// Permit returns the jail for the command in the directory dir, or nil if it runs as it is. An error is
// the reason to contain it more strictly.
func (s *Store) Permit(c *Command, dir string) (*sandbox.Jail, error) {
	switch {
	case c.own:
		return nil, nil
	case c.err != nil:
		return nil, c.err
	case !s.Pin(c.Session, c.before):
		return nil, ErrChanged
	}
	return s.Take(c.Session, dir, strings.TrimSpace(c.text))
}
