package hot

import (
	"errors"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/text/suggest"
)

// errHelp means that the command line asks for help.
var errHelp = errors.New("help")

// An args reads a command line flag by flag: -x VALUE, --name VALUE, --name=VALUE. At a cold start it
// takes a tenth of the time that package flag does.
type args struct {
	list   []string
	name   string // of the current flag
	inline string // its value after =
	// inline is set and unused
	hasInline bool
	err       error // the first mistake
	// words receives arguments that are not flags, and everything after --; nil = such arguments are mistakes.
	words *[]string
	// command is set if the words are a command line, so that everything after its first word
	// belongs to it, even flags.
	command bool
}

// next moves to the next flag. It returns false at the end and after a mistake.
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

// skipMistake moves to the next flag after a mistake. It saves the mistake in first unless first has
// one, and returns false if no flag follows or there was no mistake.
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

// value returns the value of the current flag. It sets the error if there is none.
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

// boolValue returns the value of a boolean flag, which is true unless it is written --name=false.
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

// failUnknown sets the error that the current flag is unknown, with a suggestion from known.
func (a *args) failUnknown(known ...string) {
	a.hasInline = false
	a.fail("unknown flag --%s%s", a.name, suggest.Hint(a.name, known))
}

// fail sets the error, unless there is one already.
func (a *args) fail(format string, v ...any) {
	if a.err == nil {
		a.err = fmt.Errorf(format, v...)
	}
}
