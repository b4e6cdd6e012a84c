// Package suggest finds the known word that was probably meant by a mistyped one.
package suggest

import (
	"strings"
	"unicode"
)

// Closest returns the word in known that is closest to word, or "" if none is close enough to be
// meant.
func Closest(word string, known []string) string {
	for _, k := range known {
		if strings.EqualFold(k, word) || normalize(k) == normalize(word) {
			return k
		}
	}
	if k := findTranslation(word, known); k != "" {
		return k
	}
	if k := findCompletion(word, known); k != "" {
		return k
	}
	best, limit := "", max(1, len(word)/3)+1
	for _, k := range known {
		if d := editDistance(word, k, limit); d < limit {
			best, limit = k, d
		}
	}
	return best
}

// FindSlip returns the word in known from which word differs by one typing slip: another case or
// separator, or one letter that is missing, added, swapped with the next or, in words of six letters
// or more, changed (lint is not taken for list). It returns "" if there is none.
func FindSlip(word string, known []string) string {
	for _, k := range known {
		if normalize(k) == normalize(word) {
			return k
		}
	}
	for _, k := range known {
		if len(word) > 2 && editDistance(word, k, 2) < 2 && (len(word) > 5 || len(word) != len(k) || differTwice(word, k)) {
			return k
		}
	}
	return ""
}

// differTwice reports whether a and b, which have the same length, differ in more than one place.
func differTwice(a, b string) bool {
	n := 0
	for i := range len(a) {
		if a[i] != b[i] {
			n++
		}
	}
	return n > 1
}

// IsTypo reports whether word is one of known with a typing slip, or another system's word for one of
// them.
func IsTypo(word string, known []string) bool {
	return findTranslation(word, known) != "" || FindSlip(word, known) != ""
}

// normalize returns word in lower case without separators: preToolUse and pre_tool_use become
// pretooluse.
func normalize(word string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-. ", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, word)
}

// findCompletion returns the shortest known word that begins with word and an underscore: pre_tool_use
// for pre_tool. It returns "" if there is none.
func findCompletion(word string, known []string) string {
	best := ""
	for _, k := range known {
		if len(word) >= 4 && strings.HasPrefix(k, word+"_") && (best == "" || len(k) < len(best)) {
			best = k
		}
	}
	return best
}

// findTranslation returns the known word for word, a word of other systems or of plain English, or ""
// if there is none.
func findTranslation(word string, known []string) string {
	for _, row := range append(synonyms[:], hosts[:]...) {
		for _, w := range strings.Fields(row[1]) {
			if w != strings.ToLower(word) {
				continue
			}
			for _, k := range known {
				if k == row[0] {
					return k
				}
			}
		}
	}
	return ""
}

// synonyms lists checkrein's words, each followed by words that people write instead. If a word is in
// several rows, the first row whose word is known counts.
var synonyms = [...][2]string{
	{"command", "cmd run script exec shell bash program sh"},
	{"decision", "action effect verdict outcome then permission"},
	{"reason", "message msg why because description text"},
	{"if", "when condition conditions where cond filter"},
	{"matcher", "match tool tools pattern"},
	{"on_error", "on_failure onerror on_fail fail fault"},
	{"working_dir", "cwd dir workdir directory"},
	{"context", "additional_context inject"},
	{"patch", "updated_input rewrite modify set"},
	{"notice", "warning system_message"},
	{"type", "kind handler"},
	{"PreToolUse", "beforetool beforeshellexecution beforemcpexecution beforereadfile"},
	{"PostToolUse", "aftertool aftershellexecution aftermcpexecution afterfileedit"},
	{"UserPromptSubmit", "beforeagent beforesubmitprompt"},
	{"Stop", "afteragent"},
	{"args", "arguments params"},
	{"hooks", "rules events handlers"},
	{"packs", "guards"},
	{"builtin", "built-in internal"},
	{"http", "webhook url https"},
	{"model", "llm prompt ai"},
	{"deny", "block reject refuse forbid disallow no stop"},
	{"ask", "confirm prompt approve warn"},
	{"allow", "permit accept yes pass ok"},
	{"none", "ignore defer null"},
	{"block", "deny closed abort stop"},
	{"warn", "continue notify log"},
	{"is", "equals equal eq == = exact value"},
	{"in", "any_of one_of oneof includes_any values"},
	{"regex", "matches match regexp re pattern like rx"},
	{"prefix", "starts_with startswith begins_with starts begins"},
	{"suffix", "ends_with endswith ends"},
	{"contains", "includes include has substring"},
	{"ge", "min gte >= at_least"},
	{"le", "max lte <= at_most"},
	{"gt", "> greater greater_than more_than"},
	{"lt", "< less less_than"},
	{"exists", "present defined set"},
	{"under", "below inside within in_dir"},
	{"paths", "path file files file_path filepath filename file_name"},
	{"cwd", "dir directory pwd workspace"},
	{"tool", "tools"},
	{"prompt", "user_prompt"},
}

// Hint returns `, did you mean "x"?`, or "" if no known word is close.
func Hint(word string, known []string) string {
	if c := Closest(word, known); c != "" {
		return `, did you mean "` + c + `"?`
	}
	return ""
}

// HintOr returns the hint for word followed by about in parentheses, or a colon and about if there is
// no hint.
func HintOr(word string, known []string, about string) string {
	if hint := Hint(word, known); hint != "" {
		return hint + " (" + about + ")"
	}
	return ": " + about
}

// editDistance returns the edit distance of a and b, in which a swap of neighbouring letters counts as
// one edit. If it is at least limit, the result may be any number that is.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit || len(a) > 64 || len(b) > 64 {
		return limit
	}
	var rows [3][65]int
	before, prev, cur := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}
