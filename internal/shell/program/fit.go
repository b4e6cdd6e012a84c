package program

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A Truth is the answer to a condition when words may be unknown.
type Truth uint8

const (
	No Truth = iota
	Maybe
	Yes
)

// And is the lesser of two answers.
func (t Truth) And(o Truth) Truth { return min(t, o) }

// Has reports whether a flag, a flag with a value, or a word is given. See the
// package comment for the forms of a term.
func (r *Reading) Has(term string) Truth {
	if term == "--" {
		if r.Dash >= 0 && r.Dash < len(r.Words) {
			return Yes
		}
		return No
	}
	if len(term) < 2 || term[0] != '-' {
		return r.hasWord(term)
	}
	name, want, valued := strings.Cut(term, "=")
	name = strings.TrimPrefix(name[1:], "-")
	t := Flag{Name: name, Raw: term, Short: len(name) == 1 && term[1] != '-'}
	best := No
	for i := len(r.Flags) - 1; i >= 0; i-- {
		f := &r.Flags[i]
		same, negated := r.Concerns(f, &t)
		switch {
		case !same || f.Early && !valued:
		case valued:
			got := f.Value
			if !f.Set {
				got = f.Next
			}
			if !negated {
				best = max(best, fitsBut(want, got))
			}
		case negated || f.Set && IsFalse(f.Value) && !r.TakesValue(f):
			return No
		case f.Set && AllHoles(f.Value) && f.Value != "" && !r.TakesValue(f):
			return Maybe
		default:
			return Yes
		}
		if best == Yes {
			return Yes
		}
	}
	if r.Open {
		return Maybe
	}
	return best
}

// Concerns reports whether a given flag is the one that a term names, or its
// negation.
func (r *Reading) Concerns(f, t *Flag) (same, negated bool) {
	if strings.HasSuffix(t.Name, "*") {
		return !f.Short && strings.HasPrefix(f.Name, t.Name[:len(t.Name)-1]), false
	}
	if f.Short != t.Short {
		// One dash and several letters: the word itself, as in exiftool -all.
		return !t.Short && len(t.Raw) > 2 && t.Raw[1] != '-' && f.Raw == "-"+t.Name, false
	}
	if f.Name == t.Name {
		return true, false
	}
	if f.Short {
		return false, false
	}
	if rest, ok := strings.CutPrefix(f.Name, "no-"); ok && rest == t.Name {
		return true, true
	}
	return r.Row.Style == GNU && isCut(f.Name, t.Name), false
}

// isCut reports whether a long flag is another one cut short. A flag that is a
// whole one by itself is not.
func isCut(given, whole string) bool {
	if len(given) < 2 || len(given) >= len(whole) || !strings.HasPrefix(whole, given) {
		return false
	}
	switch given {
	case "all", "dry", "delete", "exec", "force", "keep", "prune", "no", "output", "recursive", "remove", "mirror", "quiet", "path", "file",
		"user", "host", "db", "data", "key", "name", "pass", "password", "clean", "purge", "reset", "system", "global", "local", "list", "get", "set",
		"unset", "append", "create", "edit", "show", "config", "command", "include", "exclude", "import", "export", "from", "to", "in", "on", "out":
		return false
	}
	return true
}

func (r *Reading) hasWord(term string) Truth {
	best := No
	for i := range r.Words {
		if best = max(best, FitsWord(term, &r.Words[i])); best == Yes {
			break
		}
	}
	return best
}

// IsFalse reports whether a flag's value switches it off.
func IsFalse(value string) bool {
	switch value {
	case "false", "False", "FALSE", "0", "f", "F", "no", "off", "none", "never":
		return true
	}
	return false
}

// OneOf reports whether a word fits one of the alternatives for sure.
func OneOf(alternatives, word string) bool { return FitsOne(alternatives, word) == Yes }

func FitsOne(alternatives, word string) Truth {
	best := No
	for alternatives != "" && best != Yes {
		var one string
		one, alternatives, _ = strings.Cut(alternatives, "|")
		best = max(best, Fits(one, word))
	}
	return best
}

// FitsWord holds a word against a pattern; <glob> is any word that the shell
// expands, <many> also one that a command prints.
func FitsWord(pattern string, w *shell.Word) Truth {
	switch pattern {
	case "<many>":
		if w.Glob || !w.Quoted && !w.IsKnown() {
			return Yes
		}
		return No
	case "<glob>":
		if w.Glob {
			return Yes
		}
		return No
	}
	return Fits(pattern, w.Text)
}

// fitsBut holds a flag's value against "pattern!except".
func fitsBut(pattern, text string) Truth {
	pattern, except, ok := strings.Cut(pattern, "!")
	if ok && Fits(except, text) == Yes {
		return No
	}
	return Fits(pattern, text)
}

// MaxFit bounds the text of a word that is held against patterns.
const MaxFit = 1 << 14

// Fits holds text against a pattern with * and ?. Holes in the text may be
// anything.
func Fits(pattern, text string) Truth {
	if pattern == "*" {
		return Yes
	}
	if before, ok := strings.CutSuffix(pattern, "<here>"); ok {
		return fitsHere(before, text)
	}
	// Most patterns fail at the first byte, and a hole is none of theirs.
	if pattern != "" && text != "" && pattern[0] != text[0] && pattern[0] != '*' && pattern[0] != '?' && text[0] != hole[0] {
		return No
	}
	if len(text) > MaxFit {
		// Too long to look at in full: its ends must do.
		if begins(pattern, text[:MaxFit/2]) && ends(pattern, text[len(text)-MaxFit/2:]) {
			return Maybe
		}
		return No
	}
	first := strings.Index(text, hole)
	if first < 0 {
		if glob(pattern, text) {
			return Yes
		}
		return No
	}
	if glob(pattern, text) && !strings.Contains(pattern, "?") && strings.Contains(pattern, "*") {
		return Yes // the known parts suffice: s3://* of s3://$bucket
	}
	last := strings.LastIndex(text, hole) + len(hole)
	if begins(pattern, text[:first]) && ends(pattern, text[last:]) {
		return Maybe
	}
	return No
}

// fitsHere holds text against a pattern that ends with <here>, an address of this
// machine.
func fitsHere(before, text string) Truth {
	rest, ok := strings.CutPrefix(text, before)
	if !ok {
		return No
	}
	switch h := facts.HostOf(rest); {
	case h.Local() && h.Name != "" && strings.Trim(rest, "0123456789") != "":
		return Yes
	case strings.Contains(rest, hole):
		return Maybe
	}
	return No
}

// begins reports whether a text that fits the pattern can begin like that.
func begins(pattern, prefix string) bool {
	for i := 0; i < len(prefix); i++ {
		if i >= len(pattern) {
			return false
		}
		if pattern[i] == '*' {
			return true
		}
		if pattern[i] != '?' && pattern[i] != prefix[i] {
			return false
		}
	}
	return true
}

// ends is begins from the other side.
func ends(pattern, suffix string) bool {
	for i := 1; i <= len(suffix); i++ {
		if i > len(pattern) {
			return false
		}
		c := pattern[len(pattern)-i]
		if c == '*' {
			return true
		}
		if c != '?' && c != suffix[len(suffix)-i] {
			return false
		}
	}
	return true
}

// glob reports whether text fits a pattern in which * stands for any text and ?
// for one byte. It backs up to the last star only, so it takes linear time for
// the patterns that rules have.
func glob(pattern, text string) bool {
	p, t, star, mark := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p++
			t++
		case star >= 0:
			mark++
			p, t = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
