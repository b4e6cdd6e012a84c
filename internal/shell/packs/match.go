package packs

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/fact"
)

// A view is one way to name a call: `podman container rm x` is also `docker rm x`.
type view struct {
	name  string
	start int // in the reading's words
}

// views fills in the ways to name a call, the preferred one first.
func (r *reading) views(buf *[4]view) []view {
	list := buf[:0]
	if r.sub != nil && r.sub.drop {
		list = append(list, view{r.name, 1})
	}
	list = append(list, view{r.name, 0})
	if r.call.Name != r.name {
		list = append(list, view{r.call.Name, r.extra})
	}
	return list
}

// Holds reports whether a rule holds for a call. With an unknown word it does not
// hold: see [Effects] for what then becomes of the rule.
func Holds(rule *shell.Rule, c *shell.Call) bool {
	var space room
	r := reading{flags: space.flags[:0], words: space.words[:0]}
	r.read(inner(c))
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

// judge says whether a rule holds, and where the arguments after its command
// begin. Of the words of its command so many are known to fit.
func (r *reading) judge(rule *shell.Rule, v view, fit int) (truth, int) {
	t, at := r.command(rule.Cmd, v, fit)
	if t == no || rule.Bare && len(r.words) > at {
		return no, 0
	}
	if rule.Any != "" {
		t = t.and(r.any(rule.Any, ' '))
	}
	for rest := rule.All; rest != "" && t != no; {
		var one string
		one, rest, _ = strings.Cut(rest, " ")
		t = t.and(r.any(one, '|'))
	}
	if t == no {
		return no, 0
	}
	if rule.Not != "" {
		switch r.excluded(rule) {
		case yes:
			return no, 0
		case maybe:
			t = t.and(maybe)
		}
	}
	if rule.Arg != "" {
		t = t.and(r.arg(rule.Arg, at))
	}
	if rule.SQL != "" && t != no {
		t = t.and(r.sql(rule.SQL))
	}
	return t, at
}

// excluded says whether the rule's Not is given. An unknown word that is an
// operand rather than an option does not count against a safe rule: cat "$file".
func (r *reading) excluded(rule *shell.Rule) truth {
	t := r.any(rule.Not, ' ')
	if t == maybe && rule.Label != shell.Safe {
		return no // what is destructive stays so: the word may as well not be there
	}
	if t == maybe && r.open && !r.loose {
		r.open = false
		t = r.any(rule.Not, ' ')
		r.open = true
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
			best = max(best, r.has(one))
		}
	}
	return best
}

// arg says whether an argument fits one of the patterns.
func (r *reading) arg(patterns string, at int) truth {
	best := no
	for patterns != "" && best != yes {
		var one string
		one, patterns, _ = strings.Cut(patterns, " ")
		if one == "" {
			continue
		}
		for i := at; i < len(r.words) && best != yes; i++ {
			best = max(best, fitsWord(one, &r.words[i]))
		}
	}
	return best
}

// command holds a call against a rule's Cmd.
func (r *reading) command(cmd string, v view, fit int) (truth, int) {
	one, rest, _ := strings.Cut(cmd, " ")
	if fit == 0 && !oneOf(one, v.name) {
		return no, 0
	}
	t, at := yes, v.start
	if fit == 2 {
		_, rest, _ = strings.Cut(rest, " ")
		at++
	}
	for rest != "" {
		one, rest, _ = strings.Cut(rest, " ")
		if at >= len(r.words) {
			return no, 0
		}
		w := &r.words[at]
		if allHoles(w.Text) && one != "*" {
			// The unknown word may be options: then the next one is meant.
			if !w.Quoted && at+1 < len(r.words) && oneOf(one, r.words[at+1].Text) {
				at += 2
				continue
			}
			t = maybe
		} else {
			t = t.and(fitsOne(one, w.Text))
		}
		if t == no {
			return no, 0
		}
		at++
	}
	return t, at
}

// oneOf reports whether a word fits one of the alternatives for sure.
func oneOf(alternatives, word string) bool { return fitsOne(alternatives, word) == yes }

func fitsOne(alternatives, word string) truth {
	best := no
	for alternatives != "" && best != yes {
		var one string
		one, alternatives, _ = strings.Cut(alternatives, "|")
		best = max(best, fits(one, word))
	}
	return best
}

// fitsWord holds a word against a pattern; <glob> is any word that the shell
// expands, <many> also one that a command prints.
func fitsWord(pattern string, w *shell.Word) truth {
	switch pattern {
	case "<many>":
		if w.Glob || !w.Quoted && !w.Known() {
			return yes
		}
		return no
	case "<glob>":
		if w.Glob {
			return yes
		}
		return no
	}
	return fits(pattern, w.Text)
}

// fitsBut holds a flag's value against "pattern!except".
func fitsBut(pattern, text string) truth {
	pattern, except, ok := strings.Cut(pattern, "!")
	if ok && fits(except, text) == yes {
		return no
	}
	return fits(pattern, text)
}

// maxFit bounds the text of a word that is held against patterns.
const maxFit = 1 << 14

// fits holds text against a pattern with * and ?. Holes in the text may be
// anything.
func fits(pattern, text string) truth {
	if pattern == "*" {
		return yes
	}
	if before, ok := strings.CutSuffix(pattern, "<here>"); ok {
		return fitsHere(before, text)
	}
	// Most patterns fail at the first byte, and a hole is none of theirs.
	if pattern != "" && text != "" && pattern[0] != text[0] && pattern[0] != '*' && pattern[0] != '?' && text[0] != hole[0] {
		return no
	}
	if len(text) > maxFit {
		// Too long to look at in full: its ends must do.
		if begins(pattern, text[:maxFit/2]) && ends(pattern, text[len(text)-maxFit/2:]) {
			return maybe
		}
		return no
	}
	first := strings.Index(text, hole)
	if first < 0 {
		if glob(pattern, text) {
			return yes
		}
		return no
	}
	if glob(pattern, text) && !strings.Contains(pattern, "?") && strings.Contains(pattern, "*") {
		return yes // the known parts suffice: s3://* of s3://$bucket
	}
	last := strings.LastIndex(text, hole) + len(hole)
	if begins(pattern, text[:first]) && ends(pattern, text[last:]) {
		return maybe
	}
	return no
}

// fitsHere holds text against a pattern that ends with <here>, an address of this
// machine.
func fitsHere(before, text string) truth {
	rest, ok := strings.CutPrefix(text, before)
	if !ok {
		return no
	}
	switch h := fact.HostOf(rest); {
	case h.Local() && h.Name != "" && strings.Trim(rest, "0123456789") != "":
		return yes
	case strings.Contains(rest, hole):
		return maybe
	}
	return no
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
