package program

import (
	_ "embed" // for the index
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// index lists the rules about each program: one sorted line per program, with the ids of its rules, so
// that a new rule changes only the lines of its programs. It is searched as text: nothing is read or
// built at start.
//
//	terraform infra:tf-destroy,tf-state look-more:look-tf
//	git look:look-git|log|show git:read|push git:push-force,push
//
// After the program come the sets of [Packs] in their order, and the rules of each in theirs. Programs
// with many rules have further lists, each after the subcommands that the Cmd of these rules names.
//
//go:embed index.txt
var index string

// A Line is a line of the index without the program's name. It lists the rules about the program.
type Line string

// RulesFor returns the line with the rules about program, or "" if there are none.
func RulesFor(program string) Line {
	// If there is a line for program, it begins in index[lo:hi]. A line begins at lo.
	lo, hi := 0, len(index)
	for hi-lo > 1 {
		mid := int(uint(lo+hi) >> 1)
		n := strings.IndexByte(index[mid-1:hi-1], '\n')
		if n < 0 || !isAtOrBefore(index[mid+n:], program) {
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

// isAtOrBefore reports whether the first line of text is the line of program, or sorts before it.
func isAtOrBefore(text, program string) bool {
	if text != "" && program != "" && text[0] != program[0] {
		return text[0] < program[0]
	}
	n := min(len(text), len(program))
	if d := strings.Compare(text[:n], program[:n]); d != 0 {
		return d < 0
	}
	return len(text) > n && text[n] <= ' '
}

// PlainRules returns the rules whose Cmd names no subcommand, or all rules if the line has no lists by
// subcommand.
func (l Line) PlainRules() List {
	list, _, _ := strings.Cut(string(l), "|")
	return List(list)
}

// SubcommandRules returns the rules whose Cmd names the subcommand sub, or "" if there are none. They
// apply in addition to PlainRules.
func (l Line) SubcommandRules(sub string) List {
	if sub == "" || strings.ContainsAny(sub, " |") {
		return "" // sub is not a valid subcommand
	}
	for rest, ok := string(l), true; ok; {
		if _, rest, ok = strings.Cut(rest, "|"+sub); ok && (rest[0] == ' ' || rest[0] == '|') {
			return listAfterNames(rest)
		}
	}
	return ""
}

// EachSubcommandList calls fn with the list of rules of each subcommand. Subcommands with the same
// rules share a list.
func (l Line) EachSubcommandList(fn func(List)) {
	for rest := string(l); ; {
		i := strings.IndexByte(rest, '|')
		if i < 0 {
			return
		}
		list := listAfterNames(rest[i:])
		fn(list)
		_, rest, _ = strings.Cut(rest[i:], " ")
		rest = rest[len(list):]
	}
}

// listAfterNames returns the list in text after the names of subcommands.
func listAfterNames(text string) List {
	_, rest, _ := strings.Cut(text, " ")
	list, _, _ := strings.Cut(rest, "|")
	return List(list)
}

// A List is a list of rules by pack and id, such as "git:push-force,push ci:release".
type List string

// Each calls fn with each rule of the list, in order.
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
