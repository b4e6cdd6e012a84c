// Package term lays out what people read on a terminal: words that carry a meaning
// get its colour, lines fit the width, and nothing that a hook, an agent or a file
// says can drive the terminal. Colours are the sixteen of the person's own theme,
// so that they suit dark and light alike without a guess.
package term

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// Options are what a screen needs from its environment.
type Options struct {
	Environ []string
	Colour  string // always, never or auto; "" is auto
	Home    string // shown as ~; "" is never shortened
	Now     time.Time
	Zone    *time.Location // nil is UTC
}

// A Screen is a place to print for people.
type Screen struct {
	w      io.Writer
	err    error
	tty    bool
	colour bool
	width  int // 0: not a terminal, lines are as long as they are
	home   string
	now    time.Time
	zone   *time.Location
}

// New returns a screen that prints to w, or by way of it to the terminal that its method
// Terminal returns. Only a terminal has colours and a width,
// unless the options or the environment say otherwise.
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
	if n, err := strconv.Atoi(lookup(o.Environ, "COLUMNS")); err == nil && n > 0 && s.width == 0 {
		s.width = n // as scripts and tests set it
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

// minWidth is the least width that text is fitted to.
const minWidth = 40

// wantsColour follows --color, then NO_COLOR, then what is usual for programs that print to terminals.
func wantsColour(flag string, environ []string, tty bool) bool {
	switch flag {
	case "always":
		return true
	case "never":
		return false
	}
	switch {
	case lookup(environ, "NO_COLOR") != "":
		return false
	case isSet(lookup(environ, "CLICOLOR_FORCE")), isSet(lookup(environ, "FORCE_COLOR")):
		return true
	case lookup(environ, "TERM") == "dumb", lookup(environ, "CLICOLOR") == "0":
		return false
	}
	return tty
}

func isSet(v string) bool { return v != "" && v != "0" }

func lookup(environ []string, name string) string {
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

// Err returns the first error of printing.
func (s *Screen) Err() error { return s.err }

func (s *Screen) write(b []byte) {
	if s.err == nil {
		_, s.err = s.w.Write(b)
	}
}

// Line prints spans on one line, however long that becomes: for what people copy.
func (s *Screen) Line(spans ...Span) {
	var b bytes.Buffer
	s.paint(&b, spans)
	b.WriteByte('\n')
	s.write(b.Bytes())
}

// Blank prints an empty line.
func (s *Screen) Blank() { s.write([]byte("\n")) }

// Text prints spans as running text that fits the width. The first line is indented
// by indent columns, further ones by hang.
func (s *Screen) Text(indent, hang int, spans ...Span) {
	var b bytes.Buffer
	pad := indent
	for _, part := range split(spans) {
		for _, line := range wrap(part, s.width, pad, hang) {
			b.WriteString(strings.Repeat(" ", pad))
			s.paint(&b, line)
			b.WriteByte('\n')
			pad = hang
		}
	}
	s.write(b.Bytes())
}

// Fit prints spans on one line and truncates what has no room.
func (s *Screen) Fit(spans ...Span) {
	if s.width > 0 {
		spans = Truncate(spans, s.width)
	}
	s.Line(spans...)
}
