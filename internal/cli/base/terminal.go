package base

import (
	"errors"
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
	answer := strings.ToLower(askLine(env, w, question+" [y/N] "))
	return answer == "y" || answer == "yes"
}

// AskLine prints question and returns the line that the user types, without space around it. It returns
// "" if the command is interrupted.
func AskLine(env *console.Env, question string) string { return askLine(env, env.Stdout, question) }

// askLine is AskLine with the question printed to w.
func askLine(env *console.Env, w io.Writer, question string) string {
	fmt.Fprint(w, question)
	line := ReadLine(Stdin(env))
	if IsInterrupted(env) {
		fmt.Fprintln(w)
		return ""
	}
	return strings.TrimSpace(line)
}

// IsInterrupted reports whether the command must end, as after Ctrl-C.
func IsInterrupted(env *console.Env) bool {
	select {
	case <-env.Done:
		return true
	default:
		return false
	}
}

// Stdin returns a reader of env.Stdin that fails when the command is interrupted. The signal alone does
// not end a read from a terminal, since the program handles it.
func Stdin(env *console.Env) io.Reader { return Interruptible(env.Stdin, env.Done) }

// Interruptible returns a reader of r that fails when done is closed. A read that failed continues, and
// what it gets is lost.
func Interruptible(r io.Reader, done <-chan struct{}) io.Reader { return &interruptible{r, done} }

type interruptible struct {
	r    io.Reader
	done <-chan struct{}
}

// Read implements [io.Reader].
func (i *interruptible) Read(p []byte) (int, error) {
	type result struct {
		data []byte
		err  error
	}
	c := make(chan result, 1)
	go func(buf []byte) {
		n, err := i.r.Read(buf)
		c <- result{buf[:n], err}
	}(make([]byte, len(p)))
	select {
	case got := <-c:
		return copy(p, got.data), got.err
	case <-i.done:
		return 0, errors.New("interrupted")
	}
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
