package builtin

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
)

// final marks what no grant lifts, in a verdict's metadata.
const final = "self-protection"

// by says in a verdict's metadata who decides, and why: one line, without the
// command.
func by(v checkrein.Verdict, rule, reason string) checkrein.Verdict {
	if v.Metadata == nil {
		v.Metadata = map[string]string{}
	}
	v.Metadata["rule"], v.Metadata["reason"] = rule, reason
	return v
}

// A stop is one effect of a call that a guard denies or asks about.
type stop struct {
	decision     checkrein.Decision
	rule, reason string
}

// maxAlso is how many further effects a verdict names.
const maxAlso = 2

// also names what else stops a call, in the metadata: the first few with their
// reasons, and every rule, so that lifting one of them lifts no other.
func also(v *checkrein.Verdict, stops []stop) {
	first := stop{v.Decision, v.Metadata["rule"], v.Metadata["reason"]}
	rules := []string{first.rule}
	var texts []string
	slices.SortStableFunc(stops, func(a, b stop) int { return int(b.decision) - int(a.decision) })
	for _, s := range stops {
		if !slices.Contains(rules, s.rule) {
			rules = append(rules, s.rule)
		}
		text := s.reason + " [" + s.rule + "]"
		if s != first && len(texts) < maxAlso && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if len(texts) > 0 {
		v.Metadata["also"] = strings.Join(texts, "; ")
	}
	if len(rules) > 1 {
		v.Metadata["rules"] = strings.Join(rules, " ")
	}
}
