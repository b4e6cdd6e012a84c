package base

import (
	"fmt"
	"io"
	"os"
	"os/user"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/approval/person"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/text/term"
)

// Confirm asks the user at the terminal a question, and reports whether the answer is yes.
func Confirm(env *console.Env, question string) bool {
	return confirmOn(env, env.Stdout, question)
}

// confirmOn is Confirm with the question printed to w.
func confirmOn(env *console.Env, w io.Writer, question string) bool {
	person.DiscardTypeahead(env.Stdin)
	fmt.Fprint(w, question+" [y/N] ")
	answer := strings.ToLower(strings.TrimSpace(ReadLine(env.Stdin)))
	return answer == "y" || answer == "yes"
}

// ReadLine reads one line of at most 4096 bytes. It reads nothing beyond it, which the next question
// may need.
func ReadLine(r io.Reader) string {
	var line []byte
	var c [1]byte
	for len(line) < 4096 {
		if n, err := r.Read(c[:]); n == 0 || err != nil || c[0] == '\n' {
			break
		}
		line = append(line, c[0])
	}
	return string(line)
}

// PersonName returns the name of the user and, if known, the terminal, for records of acts.
func PersonName() string {
	name := strconv.Itoa(os.Getuid())
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if tty, err := os.Readlink("/proc/self/fd/0"); err == nil && (strings.HasPrefix(tty, "/dev/pts/") || strings.HasPrefix(tty, "/dev/tty")) {
		name += " on " + tty
	}
	return name
}

// Asker returns a function that asks the user who ran the command a question and reports whether the
// answer is yes, or nil if nobody can be asked.
func Asker(env *console.Env) func(question string) bool {
	if env.Within != nil {
		return env.Within.Ask
	}
	out := env.Stderr
	if !IsTerminal(out) {
		out = env.Stdout
	}
	if !IsTerminal(env.Stdin) || !IsTerminal(out) {
		return nil
	}
	return func(question string) bool { return confirmOn(env, out, question) }
}

// Getenv returns a function that returns the value of an environment variable in env.
func Getenv(env *console.Env) func(string) string {
	return func(name string) string { v, _ := environ.Lookup(env.Environ, name); return v }
}

// Zone returns the user's time zone.
func Zone(env *console.Env) *time.Location { return env.Now().Location() }

// IsTerminal reports whether w is a terminal. The null device is not.
func IsTerminal(w any) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// Screen returns a screen that prints to w, with the colours and time zone of env.
func Screen(env *console.Env, w io.Writer) *term.Screen {
	return term.New(w, term.Options{
		Environ: env.Environ, Colour: env.Colour, Home: environ.Home(env.Environ), Now: env.Now(), Zone: Zone(env),
	})
}

// A ColourFlag is the value of --color.
type ColourFlag string

// String returns the value of the flag.
func (c *ColourFlag) String() string { return string(*c) }

// Type returns the name that help texts use for the value.
func (c *ColourFlag) Type() string { return "when" }

// Set sets the value. It returns an error unless v is auto, always or never.
func (c *ColourFlag) Set(v string) error {
	switch v {
	case "auto", "always", "never":
		*c = ColourFlag(v)
		return nil
	}
	return fmt.Errorf("must be auto, always or never")
}
