// Package term prints text for people on a terminal. Text with a meaning gets a colour, lines fit the
// width, and nothing in the output of a hook, an agent or a file can control the terminal. It uses the
// sixteen colours of the user's theme, so that they suit dark and light themes alike.
package term

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// Options holds what a screen needs from its environment.
type Options struct {
	Environ []string
	Colour  string // always, never or auto; "" = auto
	Home    string // the home directory, shown as ~; "" = paths are not shortened
	Now     time.Time
	Zone    *time.Location // nil = UTC
}

// A Screen prints text for people.
type Screen struct {
	w      io.Writer
	err    error
	tty    bool
	colour bool
	width  int // in columns; 0 = not a terminal, so lines are not wrapped
	home   string
	now    time.Time
	zone   *time.Location
}

// New returns a screen that prints to w. If w has a method Terminal, w passes its output on to the
// terminal that Terminal returns. Only a terminal has colours and a width, unless the options or the
// environment determine otherwise.
func New(w io.Writer, o Options) *Screen {
	s := &Screen{w: w, home: strings.TrimRight(o.Home, "/"), now: o.Now, zone: o.Zone}
	if s.zone == nil {
		s.zone = time.UTC
	}
	f, ok := w.(*os.File)
	if t, later := w.(interface{ Terminal() *os.File }); later {
		f, ok = t.Terminal(), true
	}
	if ok {
		s.width, s.tty = terminalColumns(f)
	}
	if n, err := strconv.Atoi(lookupEnv(o.Environ, "COLUMNS")); err == nil && n > 0 && s.width == 0 {
		s.width = n // scripts and tests set COLUMNS
	}
	if s.width > 0 {
		s.width = max(s.width, minWidth)
	}
	s.colour = wantsColour(o.Colour, o.Environ, s.tty)
	if s.colour && s.tty {
		s.colour = enableColours(f)
	}
	return s
}

// minWidth is the least width to which text is wrapped.
const minWidth = 40

// wantsColour reports whether to print colours. The flag --color takes precedence over NO_COLOR, and
// that over the other usual variables and whether the output is a terminal.
func wantsColour(flag string, environ []string, tty bool) bool {
	switch flag {
	case "always":
		return true
	case "never":
		return false
	}
	switch {
	case lookupEnv(environ, "NO_COLOR") != "":
		return false
	case isNonzero(lookupEnv(environ, "CLICOLOR_FORCE")), isNonzero(lookupEnv(environ, "FORCE_COLOR")):
		return true
	case lookupEnv(environ, "TERM") == "dumb", lookupEnv(environ, "CLICOLOR") == "0":
		return false
	}
	return tty
}

// isNonzero reports whether v, the value of an environment variable, is neither empty nor 0.
func isNonzero(v string) bool { return v != "" && v != "0" }

// lookupEnv returns the value of the environment variable name in environ, or "" if it is not set.
func lookupEnv(environ []string, name string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(environ[i], "="); ok && k == name {
			return v
		}
	}
	return ""
}

// Width returns how many columns a line has; 0 means that there is no limit.
func (s *Screen) Width() int { return s.width }

// IsTerminal reports whether the screen is a terminal.
func (s *Screen) IsTerminal() bool { return s.tty }

// Err returns the first error that occurred while printing.
func (s *Screen) Err() error { return s.err }

func (s *Screen) write(b []byte) {
	if s.err == nil {
		_, s.err = s.w.Write(b)
	}
}

// Line prints spans on one line of any length, for text that users copy.
func (s *Screen) Line(spans ...Span) {
	var b bytes.Buffer
	s.writeSpans(&b, spans)
	b.WriteByte('\n')
	s.write(b.Bytes())
}

// Blank prints an empty line.
func (s *Screen) Blank() { s.write([]byte("\n")) }

// Text prints spans as text that is wrapped to the width of the screen. The first line is indented by
// indent columns, and further lines by hang columns.
func (s *Screen) Text(indent, hang int, spans ...Span) {
	var b bytes.Buffer
	pad := indent
	for _, part := range splitLines(spans) {
		for _, line := range wrapSpans(part, s.width, pad, hang) {
			b.WriteString(strings.Repeat(" ", pad))
			s.writeSpans(&b, line)
			b.WriteByte('\n')
			pad = hang
		}
	}
	s.write(b.Bytes())
}

// TruncatedLine prints spans on one line, truncated to the width of the screen.
func (s *Screen) TruncatedLine(spans ...Span) {
	if s.width > 0 {
		spans = Truncate(spans, s.width)
	}
	s.Line(spans...)
}
