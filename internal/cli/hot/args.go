package hot

import (
	"errors"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/text/suggest"
)

// errHelp is returned if the command line asks for help.
var errHelp = errors.New("help")

// An args reads a command line flag by flag: -x VALUE, --name VALUE, --name=VALUE. It costs a cold
// start a tenth of what package flag does.
type args struct {
	list   []string
	name   string // of the current flag
	inline string // its value after =
	// inline is set and unused
	hasInline bool
	err       error // the first mistake
	// words collects arguments that are no flags, and everything after --; nil = they are mistakes.
	words *[]string
	// command is set if the words are a command line: what follows its first word belongs to it,
	// including flags.
	command bool
}

// next moves to the next flag; false at the end or after a mistake.
func (a *args) next() bool {
	if a.hasInline {
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
	a.name, a.inline, a.hasInline = strings.TrimPrefix(name, "-"), "", false
	if n, v, ok := strings.Cut(a.name, "="); ok {
		a.name, a.inline, a.hasInline = n, v, true
	}
	return true
}

// skipMistake moves past a mistake, which it saves in first if that is nil; false at the end.
func (a *args) skipMistake(first *error) bool {
	for a.err != nil {
		if *first == nil {
			*first = a.err
		}
		a.err, a.hasInline = nil, false
		if a.next() {
			return true
		}
	}
	return false
}

// value returns the current flag's value.
func (a *args) value() string {
	if a.hasInline {
		a.hasInline = false
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

// boolValue returns the value of a switch, which may be written --name=false.
func (a *args) boolValue() bool {
	if !a.hasInline {
		return true
	}
	a.hasInline = false
	if a.inline != "true" && a.inline != "false" {
		a.fail("--%s must be true or false, not %q", a.name, a.inline)
	}
	return a.inline == "true"
}

// failUnknown sets an error about the current flag, with a suggestion from known.
func (a *args) failUnknown(known ...string) {
	a.hasInline = false
	a.fail("unknown flag --%s%s", a.name, suggest.Hint(a.name, known))
}

// fail sets the error unless there is one.
func (a *args) fail(format string, v ...any) {
	if a.err == nil {
		a.err = fmt.Errorf(format, v...)
	}
}
