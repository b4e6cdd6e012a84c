package program

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A Truth is the result of a condition on words that may be unknown.
type Truth uint8

const (
	No Truth = iota
	Maybe
	Yes
)

// And returns the lesser of t and o.
func (t Truth) And(o Truth) Truth { return min(t, o) }

// Has reports whether the call has the flag, the flag with a value, or the word that term describes.
// See package rules for the forms of a term.
func (r *Reading) Has(term string) Truth {
	if term == "--" {
		if r.Dash >= 0 && r.Dash < len(r.Words) {
			return Yes
		}
		return No
	}
	if len(term) < 2 || term[0] != '-' {
		return r.matchWords(term)
	}
	name, want, valued := strings.Cut(term, "=")
	name = strings.TrimPrefix(name[1:], "-")
	t := Flag{Name: name, Raw: term, Short: len(name) == 1 && term[1] != '-'}
	best := No
	for i := len(r.Flags) - 1; i >= 0; i-- {
		f := &r.Flags[i]
		same, negated := r.MatchesFlag(f, &t)
		switch {
		case !same || f.Early && !valued:
		case valued:
			got := f.Value
			if !f.Set {
				got = f.Next
			}
			if !negated {
				best = max(best, matchExcept(want, got))
			}
		case negated || f.Set && IsFalse(f.Value) && !r.TakesValue(f):
			return No
		case f.Set && IsUnknown(f.Value) && f.Value != "" && !r.TakesValue(f):
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

// MatchesFlag reports whether f is the flag t of a term, and whether it is its negation, as with
// --no-force.
func (r *Reading) MatchesFlag(f, t *Flag) (same, negated bool) {
	if strings.HasSuffix(t.Name, "*") {
		return !f.Short && strings.HasPrefix(f.Name, t.Name[:len(t.Name)-1]), false
	}
	if f.Short != t.Short {
		// A term with one dash and several letters matches exactly that word, as in exiftool -all.
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
	return r.Row.Style == GNU && isAbbreviation(f.Name, t.Name), false
}

// isAbbreviation reports whether given is an abbreviation of the long flag whole. A word that is often
// a separate flag is not.
func isAbbreviation(given, whole string) bool {
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

// matchWords reports whether one of the words matches term.
func (r *Reading) matchWords(term string) Truth {
	best := No
	for i := range r.Words {
		if best = max(best, MatchWord(term, &r.Words[i])); best == Yes {
			break
		}
	}
	return best
}

// IsFalse reports whether value, given to a flag, switches it off.
func IsFalse(value string) bool {
	switch value {
	case "false", "False", "FALSE", "0", "f", "F", "no", "off", "none", "never":
		return true
	}
	return false
}

// MatchesOneOf reports whether word certainly matches one of the alternatives, which are separated by
// |.
func MatchesOneOf(alternatives, word string) bool { return MatchOneOf(alternatives, word) == Yes }

// MatchOneOf reports whether word matches one of the alternatives, which are separated by |.
func MatchOneOf(alternatives, word string) Truth {
	best := No
	for alternatives != "" && best != Yes {
		var one string
		one, alternatives, _ = strings.Cut(alternatives, "|")
		best = max(best, Match(one, word))
	}
	return best
}

// MatchWord reports whether w matches pattern. The pattern <glob> matches a word that the shell
// expands, and <many> also one that a command prints.
func MatchWord(pattern string, w *shell.Word) Truth {
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
	return Match(pattern, w.Text)
}

// matchExcept reports whether text, the value of a flag, matches pattern, which may be
// "pattern!except".
func matchExcept(pattern, text string) Truth {
	pattern, except, ok := strings.Cut(pattern, "!")
	if ok && Match(except, text) == Yes {
		return No
	}
	return Match(pattern, text)
}

// MaxMatch is the largest size of text, in bytes, that is matched in full.
const MaxMatch = 1 << 14

// Match reports whether text matches pattern, in which * and ? are wildcards. A placeholder in text
// stands for any text.
func Match(pattern, text string) Truth {
	if pattern == "*" {
		return Yes
	}
	if before, ok := strings.CutSuffix(pattern, "<here>"); ok {
		return matchLocalAddress(before, text)
	}
	// Most texts differ from the pattern in the first byte. No pattern begins with a placeholder.
	if pattern != "" && text != "" && pattern[0] != text[0] && pattern[0] != '*' && pattern[0] != '?' && text[0] != placeholder[0] {
		return No
	}
	if len(text) > MaxMatch {
		// The text is too long, so only its ends are matched.
		if canBegin(pattern, text[:MaxMatch/2]) && canEnd(pattern, text[len(text)-MaxMatch/2:]) {
			return Maybe
		}
		return No
	}
	first := strings.Index(text, placeholder)
	if first < 0 {
		if matchGlob(pattern, text) {
			return Yes
		}
		return No
	}
	if matchGlob(pattern, text) && !strings.Contains(pattern, "?") && strings.Contains(pattern, "*") {
		return Yes // the known parts suffice, as with s3://* and s3://$bucket
	}
	last := strings.LastIndex(text, placeholder) + len(placeholder)
	if canBegin(pattern, text[:first]) && canEnd(pattern, text[last:]) {
		return Maybe
	}
	return No
}

// matchLocalAddress reports whether text is before, followed by an address of this machine.
func matchLocalAddress(before, text string) Truth {
	rest, ok := strings.CutPrefix(text, before)
	if !ok {
		return No
	}
	switch h := facts.HostOf(rest); {
	case h.IsLocal() && h.Name != "" && strings.Trim(rest, "0123456789") != "":
		return Yes
	case strings.Contains(rest, placeholder):
		return Maybe
	}
	return No
}

// canBegin reports whether some text that matches pattern begins with prefix.
func canBegin(pattern, prefix string) bool {
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

// canEnd reports whether some text that matches pattern ends with suffix.
func canEnd(pattern, suffix string) bool {
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

// matchGlob reports whether text matches pattern, in which * stands for any text and ? for one byte.
// It backtracks only to the last star, so it takes linear time for the patterns in rules.
func matchGlob(pattern, text string) bool {
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
