package secret

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// mostRepeats is how often one is looked for from each place.
const mostRepeats = 8

// findRepeated finds other places of the passwords that were found: who writes one
// down often uses it in the next line.
func findRepeated(f *search.Finder) {
	s := f.Text
	list := mergeFound(f)
	for _, n := range list[:len(list):len(list)] {
		val := s[n.Start:n.End]
		if !isRepeated(&rules.Table[n.Rule], val) {
			continue
		}
		at, end := max(0, n.Start-lex.RepeatReach), min(len(s), n.End+lex.RepeatReach)
		for range mostRepeats {
			i := strings.Index(s[at:end], val)
			if i < 0 {
				break
			}
			i += at
			at = i + len(val)
			if !isWithin(list, i) && lex.OpensWord(s, i) && lex.ClosesWord(s, at) {
				f.Add(n.Rule, i, at)
			}
		}
	}
}

// isWithin reports whether one of the list, which is in order, reaches over i.
func isWithin(list []search.Found, i int) bool {
	k, _ := slices.BinarySearchFunc(list, i, func(n search.Found, i int) int {
		if n.End > i {
			return 1
		}
		return -1
	})
	return k < len(list) && list[k].Start <= i
}

// isRepeated reports whether a value is a password that is worth looking for
// elsewhere. Tables are read from far away, and no stream would know of them.
func isRepeated(r *rules.Rule, val string) bool {
	return readers[r.By].repeats && len(val) >= 8 && len(val) <= 64 && lex.HasDigit(val) && value.IsSaid(val, false)
}
