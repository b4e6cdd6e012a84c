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
	Host, Variable, Member, Session, Call, Own string
	Evals, Nul                                 bool
	Before                                     []string
}

// ParseCommand returns the command that the agent h starts with the arguments args in the environment
// that getenv reads.
func ParseCommand(h Host, args []string, getenv func(string) string) Command {
	shell := shellOf(getenv)
	c := Command{Argv: append([]string{shell}, args...), Session: getenv(h.Session)}
	if h.Call != "" {
		c.call = getenv(h.Call)
	}
	own := h.Own != "" && getenv(h.Own) != ""
	if !h.Evals {
		switch {
		case len(args) == 2 && args[0] == "-c":
			c.text = args[1]
		case own: // a terminal for the user
			c.Argv, c.own = append(c.Argv, "-l"), true
		default:
			c.err = ErrUnknownLine
		}
		return c
	}
	if len(args) != 1 {
		c.err = ErrUnknownLine
		return c
	}
	c.Argv = []string{shell, "-c", args[0]}
	l, ok := parseLine(args[0])
	switch {
	case ok:
		c.text, c.before = l.command, l.before
		if l.snapshot != "" {
			data, err := state.ReadRegular(l.snapshot, maxSnapshot)
			c.before += string(data)
			c.err = err
		}
	case own && !strings.Contains(args[0], report):
		c.Argv[0], c.own = "/bin/sh", true
	default:
		c.err = ErrUnknownLine
	}
	return c
}

// Rewrite returns command as the agent h runs it.
func (h Host) Rewrite(command string) string {
	if !h.Nul || strings.ContainsAny(command, "<$`") {
		return command
	}
	var b strings.Builder
	for rest := command; ; {
		i := strings.IndexByte(rest, '>')
		if i < 0 {
			b.WriteString(rest)
			return b.String()
		}
		end := len(rest) - len(strings.TrimLeft(strings.TrimLeft(rest[i:], ">"), " \t"))
		b.WriteString(rest[:end])
		rest = rest[end:]
		if len(rest) >= 3 && strings.EqualFold(rest[:3], "nul") && (len(rest) == 3 || strings.IndexByte(" \t\n\v\f\r|&;)", rest[3]) >= 0) {
			b.WriteString("/dev/null")
			rest = rest[3:]
		}
	}
}

// shellOf returns the path of the shell that the agent uses.
func shellOf(getenv func(string) string) string {
	if shell := getenv("SHELL"); filepath.IsAbs(shell) && slices.Contains([]string{"bash", "zsh", "sh"}, filepath.Base(shell)) {
		return shell
	}
	return "/bin/sh"
}

// Chain makes the command start through program, a setting of the agent h that checkrein replaced.
func (c *Command) Chain(h Host, program string) {
	if !h.Evals { // it is a shell
		c.Argv = append([]string{"/bin/sh", "-c", `exec "$0" "$@"`, program}, c.Argv[1:]...)
		return
	}
	line := quote(program)
	if i := strings.LastIndex(program, " -"); i > 0 { // as Claude Code separates the program from its options
		line = quote(program[:i]) + program[i:]
	}
	c.Argv = []string{c.Argv[0], "-c", line + ` "$0"`, c.Argv[len(c.Argv)-1]}
}

// quote returns word as a word of a shell line.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'"'"'`) + "'" }

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
	}
	same := s.Pin(c.Session, c.before)
	jail, err := s.Take(&Ticket{Session: c.Session, Dir: dir, Command: strings.TrimSpace(c.text), Bound: c.call}, !same)
	if err == nil && !same {
		return nil, ErrChanged
	}
	return jail, err
}
