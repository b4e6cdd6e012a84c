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
	text    string // the command itself, of a shell tool
	before  string // what runs before it
	own     bool   // the agent starts it for itself: a hook or a server
	err     error
}

// ErrUnknownLine is the error for a line in a form that is not known.
var ErrUnknownLine = errors.New("the agent starts commands in another way than checkrein knows")

// ParseCommand returns the command that an agent starts with the arguments args in the environment
// that getenv reads.
func ParseCommand(args []string, getenv func(string) string) Command {
	if len(args) != 1 {
		return Command{Argv: append([]string{shellOf(getenv)}, args...), err: ErrUnknownLine}
	}
	c := Command{Session: getenv("CLAUDE_CODE_SESSION_ID")}
	l, ok := parseLine(args[0])
	switch {
	case ok:
		c.Argv, c.text, c.before = []string{shellOf(getenv), "-c", args[0]}, l.command, l.before
		if l.snapshot != "" {
			data, err := state.ReadRegular(l.snapshot, maxSnapshot)
			c.before += string(data)
			c.err = err
		}
	case getenv("CLAUDE_PROJECT_DIR") != "": // Claude Code sets it for its own processes, not for tools
		c.Argv, c.own = []string{"/bin/sh", "-c", args[0]}, true
	default:
		c.Argv, c.err = []string{shellOf(getenv), "-c", args[0]}, ErrUnknownLine
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
