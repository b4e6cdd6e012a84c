package packs

// An entry of the index are the rules of a program and its first subcommand;
// sub "" are those that begin with no fixed subcommand.
type entry struct {
	sub      string
	from, to uint16 // in refs
}

// A span is where the entries of a program are.
type span struct {
	program  string
	from, to uint16 // in index
}

// A ref is a rule by its place in the table of packs.
type ref struct {
	pack uint8
	rule uint16
}

// subsOf returns the entries of a program, sorted by subcommand; none = no rule
// is about it.
func subsOf(program string) []entry {
	lo, hi := 0, len(spans)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if spans[m].program < program {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < len(spans) && spans[lo].program == program {
		return index[spans[lo].from:spans[lo].to]
	}
	return nil
}

// findSub returns the entry of a subcommand; nil = there is none.
func findSub(subs []entry, sub string) *entry {
	lo, hi := 0, len(subs)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if subs[m].sub < sub {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < len(subs) && subs[lo].sub == sub {
		return &subs[lo]
	}
	return nil
}

// knows reports whether some rule is about a program.
func knows(program string) bool { return len(subsOf(program)) > 0 }
