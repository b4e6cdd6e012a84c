package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// options reads arguments as getopt does: bundled letters, values that stick to
// their option or follow it, long options cut short, -- as the end, and operands
// in between.
type options struct {
	args  []shell.Word
	value string // letters with a value
	maybe string // letters whose value can only stick to them
	long  string // long options, space separated; = marks those with a value; the first that fits an abbreviation wins

	i      int
	ended  bool
	bundle string

	// The current one.
	name   string     // the letter or the long option; "" = an operand
	arg    shell.Word // the operand, or the option's value
	hasArg bool
}

// next moves on to the next option or operand.
func (o *options) next() bool {
	o.arg, o.hasArg = shell.Word{}, false
	if o.bundle != "" {
		o.letter()
		return true
	}
	if o.i >= len(o.args) {
		return false
	}
	w := o.args[o.i]
	o.i++
	t := w.Text
	switch {
	case o.ended || len(t) < 2 || t[0] != '-':
		o.name, o.arg = "", w
	case t == "--":
		o.ended = true
		return o.next()
	case t[1] == '-':
		o.longOption(w)
	default:
		o.bundle = t[1:]
		o.letter()
	}
	return true
}

// letter takes one letter off a bundle.
func (o *options) letter() {
	if o.bundle[0] >= 0x80 {
		o.name, o.bundle = unknownOption, ""
		return
	}
	o.name = o.bundle[:1]
	o.bundle = o.bundle[1:]
	switch {
	case strings.Contains(o.value, o.name):
		if o.bundle != "" {
			o.set(shell.Word{Text: o.bundle})
			o.bundle = ""
		} else {
			o.follow()
		}
	case strings.Contains(o.maybe, o.name):
		if o.bundle != "" {
			o.set(shell.Word{Text: o.bundle})
			o.bundle = ""
		}
	}
}

// unknownOption is the name of an option that is not known.
const unknownOption = "?"

func (o *options) set(w shell.Word) { o.arg, o.hasArg = w, true }

// follow takes the next argument as the option's value.
func (o *options) follow() {
	if o.i < len(o.args) {
		o.set(o.args[o.i])
		o.i++
	}
}

// longOption reads --name, --name=value and abbreviations.
func (o *options) longOption(w shell.Word) {
	name, val, has := strings.Cut(w.Text[2:], "=")
	if strings.Contains(name, holeText) {
		o.name = unknownOption
		return
	}
	full, takes := o.find(name)
	o.name = full
	if has {
		w.Text = val
		o.set(w)
	} else if takes {
		o.follow()
	}
}

// find looks a long option up; an exact name goes before an abbreviation.
func (o *options) find(name string) (full string, takes bool) {
	full = name
	cut := false
	for rest := o.long; rest != ""; {
		one := rest
		if i := strings.IndexByte(rest, ' '); i >= 0 {
			one, rest = rest[:i], rest[i+1:]
		} else {
			rest = ""
		}
		val := false
		if one != "" && one[len(one)-1] == '=' {
			one, val = one[:len(one)-1], true
		}
		if one == name {
			return one, val
		}
		if !cut && strings.HasPrefix(one, name) {
			full, takes, cut = one, val, true
		}
	}
	return full, takes
}

// asksOnly reports whether a program is only asked for its help or version.
func asksOnly(args []shell.Word) bool {
	if len(args) != 1 {
		return false
	}
	switch args[0].Text {
	case "--help", "--version", "-h":
		return true
	}
	return false
}
