package program

import (
	_ "embed" // the index
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// index lists which rules are about a program: a line each, sorted, with rules by
// their names, so that a new rule changes the lines of its programs and no other.
// It is searched as it is: nothing is read or built when the program starts.
//
//	terraform infra:tf-destroy,tf-state look-more:look-tf
//	git look:look-git|log|show git:read|push git:push-force,push
//
// Behind the program come the sets of [Packs] in their order, and the rules of each
// in theirs. Programs with many rules have further lists, each behind the
// subcommands that these rules' Cmd names.
//
//go:embed index.txt
var index string

// A Line of the index is the rules about a program, without its name.
type Line string

// RulesAbout returns the rules about a program; "" = there are none.
func RulesAbout(program string) Line {
	// The line begins in index[lo:hi], and a line begins at lo.
	lo, hi := 0, len(index)
	for hi-lo > 1 {
		mid := int(uint(lo+hi) >> 1)
		n := strings.IndexByte(index[mid-1:hi-1], '\n')
		if n < 0 || !upTo(index[mid+n:], program) {
			hi = mid
		} else {
			lo = mid + n
		}
	}
	line, _, _ := strings.Cut(index[lo:], "\n")
	if rest, ok := strings.CutPrefix(line, program); ok && strings.HasPrefix(rest, " ") {
		return Line(rest[1:])
	}
	return ""
}

// upTo reports whether the first line of a text is that of a program, or one
// before it.
func upTo(text, program string) bool {
	if text != "" && program != "" && text[0] != program[0] {
		return text[0] < program[0]
	}
	n := min(len(text), len(program))
	if d := strings.Compare(text[:n], program[:n]); d != 0 {
		return d < 0
	}
	return len(text) > n && text[n] <= ' '
}

// Plain are the rules whose Cmd names no subcommand, or all where subcommands are
// not told apart.
func (l Line) Plain() List {
	list, _, _ := strings.Cut(string(l), "|")
	return List(list)
}

// Of are the rules whose Cmd names a subcommand, beside those of Plain.
func (l Line) Of(sub string) List {
	if sub == "" || strings.ContainsAny(sub, " |") {
		return "" // as no subcommand is written
	}
	for rest, ok := string(l), true; ok; {
		if _, rest, ok = strings.Cut(rest, "|"+sub); ok && (rest[0] == ' ' || rest[0] == '|') {
			return listIn(rest)
		}
	}
	return ""
}

// Subs calls fn with the rules of all subcommands.
func (l Line) Subs(fn func(List)) {
	for rest := string(l); ; {
		i := strings.IndexByte(rest, '|')
		if i < 0 {
			return
		}
		list := listIn(rest[i:])
		fn(list)
		_, rest, _ = strings.Cut(rest[i:], " ")
		rest = rest[len(list):]
	}
}

// listIn is the list behind subcommands.
func listIn(text string) List {
	_, rest, _ := strings.Cut(text, " ")
	list, _, _ := strings.Cut(rest, "|")
	return List(list)
}

// A List is rules by name: "git:push-force,push ci:release".
type List string

// Each calls fn with the rules of a list.
func (l List) Each(fn func(*shell.Rule)) {
	sets, rest := Packs[:], string(l)
	for rest != "" {
		var ids string
		ids, rest, _ = strings.Cut(rest, " ")
		tag, ids, _ := strings.Cut(ids, ":")
		for len(sets) > 0 && sets[0].Tag != tag {
			sets = sets[1:]
		}
		if len(sets) == 0 {
			continue
		}
		rules := sets[0].Rules
		for ids != "" {
			var id string
			id, ids, _ = strings.Cut(ids, ",")
			for i := range rules {
				if rules[i].ID == id {
					fn(&rules[i])
					rules = rules[i+1:]
					break
				}
			}
		}
	}
}
