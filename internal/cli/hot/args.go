package hot

import (
	"errors"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/text/suggest"
)

// errHelp reports that help was asked for.
var errHelp = errors.New("help")

// args reads a command line flag by flag: -x VALUE, --name VALUE,
// --name=VALUE. It is a tenth of what package flag costs a cold start.
type args struct {
	list   []string
	name   string // of the current flag
	inline string // its value, when given with =
	has    bool
	err    error // the first mistake
	// words collects what is no flag, and everything after --; nil = such words
	// are a mistake.
	words *[]string
	// command is set if the words are a command line: what follows the first of them is
	// its own, flags too.
	command bool
}

// next moves to the next flag; false at the end or after a mistake.
func (a *args) next() bool {
	if a.has {
		a.fail("--%s takes no value", a.name)
	}
	if a.err != nil || len(a.list) == 0 {
		return false
	}
	word := a.list[0]
	a.list = a.list[1:]
	if a.words != nil {
		switch {
		case word == "--":
			*a.words, a.list = append(*a.words, a.list...), nil
			return false
		case !strings.HasPrefix(word, "-") || word == "-":
			*a.words = append(*a.words, word)
			if a.command {
				*a.words, a.list = append(*a.words, a.list...), nil
			}
			return a.next()
		}
	}
	name, ok := strings.CutPrefix(word, "-")
	if !ok || name == "" || name == "-" {
		a.fail("unexpected argument %q: pass the event on stdin", word)
		return false
	}
	a.name, a.inline, a.has = strings.TrimPrefix(name, "-"), "", false
	if n, v, ok := strings.Cut(a.name, "="); ok {
		a.name, a.inline, a.has = n, v, true
	}
	return true
}

// past moves past a mistake, which it keeps if it is the first; false at the end.
func (a *args) past(first *error) bool {
	for a.err != nil {
		if *first == nil {
			*first = a.err
		}
		a.err, a.has = nil, false
		if a.next() {
			return true
		}
	}
	return false
}

// value returns the current flag's value.
func (a *args) value() string {
	if a.has {
		a.has = false
		return a.inline
	}
	if len(a.list) == 0 {
		a.fail("--%s needs a value", a.name)
		return ""
	}
	v := a.list[0]
	a.list = a.list[1:]
	return v
}

// on reads a switch, which may be written --name=false.
func (a *args) on() bool {
	if !a.has {
		return true
	}
	a.has = false
	if a.inline != "true" && a.inline != "false" {
		a.fail("--%s must be true or false, not %q", a.name, a.inline)
	}
	return a.inline == "true"
}

func (a *args) unknown(known ...string) {
	a.has = false
	a.fail("unknown flag --%s%s", a.name, suggest.Hint(a.name, known))
}

func (a *args) fail(format string, v ...any) {
	if a.err == nil {
		a.err = fmt.Errorf(format, v...)
	}
}
