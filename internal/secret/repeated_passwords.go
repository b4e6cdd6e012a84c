package secret

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// maxRepeats is the maximum number of repetitions that are checked around each password.
const maxRepeats = 8

// findRepeatedPasswords adds other occurrences near the passwords found so far, because the next line
// often uses them.
func findRepeatedPasswords(f *search.Finder) {
	s := f.Text
	list := mergeFound(f)
	for _, n := range list[:len(list):len(list)] {
		val := s[n.Start:n.End]
		if !mayRepeat(&rules.Table[n.Rule], val) {
			continue
		}
		at, end := max(0, n.Start-lex.RepeatReach), min(len(s), n.End+lex.RepeatReach)
		for range maxRepeats {
			i := strings.Index(s[at:end], val)
			if i < 0 {
				break
			}
			i += at
			at = i + len(val)
			if !isFoundAt(list, i) && lex.OpensWord(s, i) && lex.ClosesWord(s, at) {
				f.Add(n.Rule, i, at)
			}
		}
	}
}

// isFoundAt reports whether a finding of the sorted list contains i.
func isFoundAt(list []search.Found, i int) bool {
	k, _ := slices.BinarySearchFunc(list, i, func(n search.Found, i int) int {
		if n.End > i {
			return 1
		}
		return -1
	})
	return k < len(list) && list[k].Start <= i
}

// mayRepeat reports whether val is a password that is distinctive enough to be searched for nearby.
// Passwords in tables are not, because a table is read from so far away that a stream could not find
// the repetitions.
func mayRepeat(r *rules.Rule, val string) bool {
	return readers[r.By].repeats && len(val) >= 8 && len(val) <= 64 && lex.HasDigit(val) && value.IsStatedPassword(val, false)
}
