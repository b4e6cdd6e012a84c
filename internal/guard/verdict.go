package guard

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/shell"
)

// gated reports whether an event is a call that may be stopped: a tool is about to run,
// or a hook may approve that in the person's place.
func gated(ev *checkrein.Event) bool {
	return ev.Kind == checkrein.PreToolUse || ev.Kind == checkrein.PermissionRequest
}

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

// maxCauses is how many effects a verdict names as what it was decided by.
const maxCauses = 16

// because adds an effect to what a verdict was decided by.
func because(list []checkrein.Cause, e *shell.Effect) []checkrein.Cause {
	if len(list) >= maxCauses {
		return list
	}
	return append(list, checkrein.Cause{Label: e.Label.String(), Kind: e.Kind, Category: e.Row().Name, Rule: e.RuleName(), Radius: e.Radius.String(),
		On: e.On, Maybe: e.Maybe, Paths: e.Paths, Hosts: e.Hosts})
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
		if s.reason != first.reason && len(texts) < maxAlso && !slices.Contains(texts, text) {
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

// metadata is what confirmation prompts show of an effect.
func metadata(radius, category, reason string) map[string]string {
	m := map[string]string{"blast_radius": radius}
	if category != "" {
		m["category"] = category
	}
	if reason != "" {
		m["reason"] = reason
	}
	return m
}

// blocked is a reason of which hosts make a sentence and a command.
func blocked(why, command string) string { return "Blocked (" + uncolon(why) + "): " + command }

// uncolon leaves no colon of which cards would take what follows for the command.
func uncolon(why string) string { return strings.ReplaceAll(why, ": ", ", ") }

// observed is the answer of a hook that only looks on. Where a fault would close
// a gate, the person is told instead.
func observed(ev *checkrein.Event, name string, err error) (checkrein.Verdict, error) {
	if err != nil && checkrein.ContractOf(ev.Kind).Closed {
		return checkrein.Verdict{Notice: []string{name + ": " + err.Error()}}, nil
	}
	return checkrein.Verdict{}, err
}
