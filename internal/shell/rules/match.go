package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A view is one way to name a call: `podman container rm x` is also `docker rm x`.
type view struct {
	name  string
	start int // in the reading's words
}

// views fills in the ways to name a call, the preferred one first.
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

// Holds reports whether a rule holds for a call. With an unknown word it does not
// hold: see [Effects] for what then becomes of the rule.
func Holds(rule *shell.Rule, c *shell.Call) bool {
	r := readingOf(inner(c))
	if rule.Label != shell.Safe && r.harmless() != shell.NoCategory {
		return false
	}
	var buf [4]view
	for _, v := range r.views(&buf) {
		if t, _ := r.judge(rule, v, 0); t == yes {
			return true
		}
	}
	return false
}

// judge reports whether a rule holds, and where the arguments after its command
// begin. Of the words of its command so many are known to fit.
func (r *reading) judge(rule *shell.Rule, v view, fit int) (truth, int) {
	t, at := r.command(rule.Cmd, v, fit)
	if t == no || rule.Bare && len(r.Words) > at {
		return no, 0
	}
	if rule.Any != "" {
		t = t.And(r.any(rule.Any, ' '))
	}
	for rest := rule.All; rest != "" && t != no; {
		var one string
		one, rest, _ = strings.Cut(rest, " ")
		t = t.And(r.any(one, '|'))
	}
	if t == no {
		return no, 0
	}
	if rule.Not != "" {
		switch r.excluded(rule) {
		case yes:
			return no, 0
		case maybe:
			t = t.And(maybe)
		}
	}
	if rule.Arg != "" {
		t = t.And(r.arg(rule.Arg, at))
	}
	if rule.SQL != "" && t != no {
		t = t.And(r.sql(rule.SQL))
	}
	return t, at
}

// excluded reports whether the rule's Not is given. An unknown word that is an
// operand rather than an option does not count against a safe rule: cat "$file".
func (r *reading) excluded(rule *shell.Rule) truth {
	t := r.any(rule.Not, ' ')
	if t == maybe && rule.Label != shell.Safe {
		return no // what is destructive stays so: the word may as well not be there
	}
	if t == maybe && r.Open && !r.Loose {
		r.Open = false
		t = r.any(rule.Not, ' ')
		r.Open = true
		if t == maybe {
			t = no
		}
	}
	return t
}

// any is the best of a list of terms.
func (r *reading) any(list string, sep byte) truth {
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

// arg reports whether an argument fits one of the patterns.
func (r *reading) arg(patterns string, at int) truth {
	best := no
	for patterns != "" && best != yes {
		var one string
		one, patterns, _ = strings.Cut(patterns, " ")
		if one == "" {
			continue
		}
		for i := at; i < len(r.Words) && best != yes; i++ {
			best = max(best, program.FitsWord(one, &r.Words[i]))
		}
	}
	return best
}

// command holds a call against a rule's Cmd.
func (r *reading) command(cmd string, v view, fit int) (truth, int) {
	one, rest, _ := strings.Cut(cmd, " ")
	if fit == 0 && !program.OneOf(one, v.name) {
		return no, 0
	}
	at := v.start
	if fit == 2 {
		_, rest, _ = strings.Cut(rest, " ")
		at++
	}
	return r.subcommands(rest, at)
}

// subcommands holds a call's words from at on against the words of a rule's Cmd behind the
// program, and returns where the arguments behind them begin.
func (r *reading) subcommands(cmd string, at int) (truth, int) {
	t := yes
	for cmd != "" {
		var one string
		one, cmd, _ = strings.Cut(cmd, " ")
		if one == "**" {
			deep, end := r.deeper(cmd, at)
			return t.And(deep), end
		}
		if at >= len(r.Words) {
			return no, 0
		}
		w := &r.Words[at]
		if program.AllHoles(w.Text) && one != "*" {
			// The unknown word may be options: then the next one is meant.
			if !w.Quoted && at+1 < len(r.Words) && program.OneOf(one, r.Words[at+1].Text) {
				at += 2
				continue
			}
			t = maybe
		} else {
			t = t.And(program.FitsOne(one, w.Text))
		}
		if t == no {
			return no, 0
		}
		at++
	}
	return t, at
}

// deepest is how many words ** in a rule's Cmd stands for at most.
const deepest = 3

// deeper is subcommands behind **, which stands for one word or a few.
func (r *reading) deeper(cmd string, at int) (best truth, end int) {
	for n := 1; n <= deepest && at+n <= len(r.Words) && best != yes; n++ {
		if t, behind := r.subcommands(cmd, at+n); t > best {
			best, end = t, behind
		}
	}
	return best, end
}
