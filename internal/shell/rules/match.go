package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A callName is one of the names of a call: `podman container rm x` is also `docker rm x`.
type callName struct {
	name  string
	start int // the index in reading.Words of the first word after the program
}

// callNames returns the names of the call, the preferred one first. The result is stored in buf.
func (r *reading) callNames(buf *[4]callName) []callName {
	list := buf[:0]
	if r.Sub != nil && r.Sub.Drop {
		list = append(list, callName{r.Name, 1})
	}
	list = append(list, callName{r.Name, 0})
	if r.Call.Name != r.Name {
		list = append(list, callName{r.Call.Name, r.Extra})
	}
	return list
}

// Matches reports whether rule matches c. It reports false if an unknown word decides; see [Effects]
// for the effect in that case.
func Matches(rule *shell.Rule, c *shell.Call) bool {
	r := newReading(unwrapKubectl(c))
	if rule.Label != shell.Safe && r.harmlessCategory() != shell.NoCategory {
		return false
	}
	var buf [4]callName
	for _, v := range r.callNames(&buf) {
		if t, _ := r.match(rule, v, 0); t == yes {
			return true
		}
	}
	return false
}

// match reports whether rule matches the call as named by v, and returns the index of the first word
// after those of rule.Cmd. The first fit words of rule.Cmd, including the program, are known to match.
func (r *reading) match(rule *shell.Rule, v callName, fit int) (truth, int) {
	t, at := r.matchCommand(rule.Cmd, v, fit)
	if t == no || rule.Bare && len(r.Words) > at {
		return no, 0
	}
	if rule.Any != "" {
		t = t.And(r.matchAny(rule.Any, ' '))
	}
	for rest := rule.All; rest != "" && t != no; {
		var one string
		one, rest, _ = strings.Cut(rest, " ")
		t = t.And(r.matchAny(one, '|'))
	}
	if t == no {
		return no, 0
	}
	if rule.Not != "" {
		switch r.matchNot(rule) {
		case yes:
			return no, 0
		case maybe:
			t = t.And(maybe)
		}
	}
	if rule.Arg != "" {
		t = t.And(r.matchArg(rule.Arg, at))
	}
	if rule.SQL != "" && t != no {
		t = t.And(r.matchSQL(rule.SQL))
	}
	return t, at
}

// matchNot reports whether rule.Not matches. For a safe rule, an unknown word that is an operand, as
// in cat "$file", does not count as a match.
func (r *reading) matchNot(rule *shell.Rule) truth {
	t := r.matchAny(rule.Not, ' ')
	if t == maybe && rule.Label != shell.Safe {
		return no // a destructive rule still applies, because the word may be anything else
	}
	if t == maybe && r.Open && !r.Loose {
		r.Open = false
		t = r.matchAny(rule.Not, ' ')
		r.Open = true
		if t == maybe {
			t = no
		}
	}
	return t
}

// matchAny reports whether the call has one of the terms in list, which are separated by sep.
func (r *reading) matchAny(list string, sep byte) truth {
	best := no
	for list != "" && best != yes {
		one := list
		if i := strings.IndexByte(list, sep); i >= 0 {
			one, list = list[:i], list[i+1:]
		} else {
			list = ""
		}
		if one != "" {
			best = max(best, r.Has(one))
		}
	}
	return best
}

// matchArg reports whether a word from the index at on matches one of the patterns, which are
// separated by spaces.
func (r *reading) matchArg(patterns string, at int) truth {
	best := no
	for patterns != "" && best != yes {
		var one string
		one, patterns, _ = strings.Cut(patterns, " ")
		if one == "" {
			continue
		}
		for i := at; i < len(r.Words) && best != yes; i++ {
			best = max(best, program.MatchWord(one, &r.Words[i]))
		}
	}
	return best
}

// matchCommand reports whether the call as named by v begins with cmd, and returns the index of the
// first word after it. The first fit words of cmd, including the program, are known to match.
func (r *reading) matchCommand(cmd string, v callName, fit int) (truth, int) {
	one, rest, _ := strings.Cut(cmd, " ")
	if fit == 0 && !program.MatchesOneOf(one, v.name) {
		return no, 0
	}
	at := v.start
	if fit == 2 {
		_, rest, _ = strings.Cut(rest, " ")
		at++
	}
	return r.matchSubcommands(rest, at)
}

// matchSubcommands reports whether the words from the index at on begin with cmd, a rule's Cmd without
// the program, and returns the index of the first word after them.
func (r *reading) matchSubcommands(cmd string, at int) (truth, int) {
	t := yes
	for cmd != "" {
		var one string
		one, cmd, _ = strings.Cut(cmd, " ")
		if one == "**" {
			deep, end := r.matchWildcard(cmd, at)
			return t.And(deep), end
		}
		if at >= len(r.Words) {
			return no, 0
		}
		w := &r.Words[at]
		if program.IsUnknown(w.Text) && one != "*" {
			// The unknown word may be options. Then the next word is the subcommand.
			if !w.Quoted && at+1 < len(r.Words) && program.MatchesOneOf(one, r.Words[at+1].Text) {
				at += 2
				continue
			}
			t = maybe
		} else {
			t = t.And(program.MatchOneOf(one, w.Text))
		}
		if t == no {
			return no, 0
		}
		at++
	}
	return t, at
}

// maxWildcard is the largest number of words that ** in a rule's Cmd stands for.
const maxWildcard = 3

// matchWildcard is matchSubcommands for cmd after **, which stands for one to maxWildcard words.
func (r *reading) matchWildcard(cmd string, at int) (best truth, end int) {
	for n := 1; n <= maxWildcard && at+n <= len(r.Words) && best != yes; n++ {
		if t, behind := r.matchSubcommands(cmd, at+n); t > best {
			best, end = t, behind
		}
	}
	return best, end
}
