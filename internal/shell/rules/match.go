package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A view is one way to name a call: `podman container rm x` is also `docker rm x`.
type view struct {
	name  string
	start int // the index of the first operand in the reading's words
}

// views returns the ways to name a call, the preferred one first. It uses buf.
func (r *reading) views(buf *[4]view) []view {
	list := buf[:0]
	if r.Sub != nil && r.Sub.Drop {
		list = append(list, view{r.Name, 1})
	}
	list = append(list, view{r.Name, 0})
	if r.Call.Name != r.Name {
		list = append(list, view{r.Call.Name, r.Extra})
	}
	return list
}

// Matches reports whether a rule matches a call. It does not if an unknown word decides; see [Effects]
// for the effect in that case.
func Matches(rule *shell.Rule, c *shell.Call) bool {
	r := newReading(unwrapCluster(c))
	if rule.Label != shell.Safe && r.harmlessCategory() != shell.NoCategory {
		return false
	}
	var buf [4]view
	for _, v := range r.views(&buf) {
		if t, _ := r.match(rule, v, 0); t == yes {
			return true
		}
	}
	return false
}

// match reports whether a rule matches, and returns the index of the first word after its command. The
// first fit words of the rule's command are known to match.
func (r *reading) match(rule *shell.Rule, v view, fit int) (truth, int) {
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

// matchNot reports whether the rule's Not matches. An unknown word that is an operand rather than an
// option does not count against a safe rule: cat "$file".
func (r *reading) matchNot(rule *shell.Rule) truth {
	t := r.matchAny(rule.Not, ' ')
	if t == maybe && rule.Label != shell.Safe {
		return no // a destructive rule stays: the word may be anything else
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

// matchAny returns the best match of a list of terms.
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

// matchArg reports whether a word from at on matches one of the patterns.
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

// matchCommand matches the view v against the rule's command cmd. See match for fit and the results.
func (r *reading) matchCommand(cmd string, v view, fit int) (truth, int) {
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

// matchSubcommands matches the words from at on against the words of a rule's Cmd after the program,
// and returns the index after them.
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
			// The unknown word may be options: then the next word is the subcommand.
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

// matchWildcard is matchSubcommands after **, which stands for one to maxWildcard words.
func (r *reading) matchWildcard(cmd string, at int) (best truth, end int) {
	for n := 1; n <= maxWildcard && at+n <= len(r.Words) && best != yes; n++ {
		if t, behind := r.matchSubcommands(cmd, at+n); t > best {
			best, end = t, behind
		}
	}
	return best, end
}
