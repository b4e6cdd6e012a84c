package builtin

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/shell"
)

// IsGated reports whether an event is a call that may be stopped: a tool is about to run,
// or a hook may approve that in the person's place.
func IsGated(ev *checkrein.Event) bool {
	return ev.Kind == checkrein.PreToolUse || ev.Kind == checkrein.PermissionRequest
}

// Sign describes in a verdict's metadata who decides, and why: one line, without the
// command.
func Sign(v checkrein.Verdict, rule, reason string) checkrein.Verdict {
	if v.Metadata == nil {
		v.Metadata = map[string]string{}
	}
	v.Metadata["rule"], v.Metadata["reason"] = rule, reason
	return v
}

// A Stop is one effect of a call that a guard denies or asks about.
type Stop struct {
	Decision     checkrein.Decision
	Rule, Reason string
}

// maxCauses is how many effects a verdict names as what it was decided by.
const maxCauses = 16

// AddCause adds an effect to what a verdict was decided by.
func AddCause(list []checkrein.Cause, e *shell.Effect) []checkrein.Cause {
	if len(list) >= maxCauses {
		return list
	}
	return append(list, checkrein.Cause{Label: e.Label.String(), Kind: e.Kind, Category: e.Row().Name, Rule: e.RuleName(), Radius: e.Impact.String(),
		On: e.Subject, Maybe: e.Uncertain, Paths: e.Paths, Hosts: e.Hosts})
}

// maxAlso is how many further effects a verdict names.
const maxAlso = 2

// AddStops names what else stops a call, in the metadata: the first few with their
// reasons, and every rule, so that lifting one of them lifts no other.
func AddStops(v *checkrein.Verdict, stops []Stop) {
	first := Stop{v.Decision, v.Metadata["rule"], v.Metadata["reason"]}
	rules := []string{first.Rule}
	var texts []string
	slices.SortStableFunc(stops, func(a, b Stop) int { return int(b.Decision) - int(a.Decision) })
	for _, s := range stops {
		if !slices.Contains(rules, s.Rule) {
			rules = append(rules, s.Rule)
		}
		text := s.Reason + " [" + s.Rule + "]"
		if s.Reason != first.Reason && len(texts) < maxAlso && !slices.Contains(texts, text) {
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

// Metadata is what confirmation prompts show of an effect.
func Metadata(radius, category, reason string) map[string]string {
	m := map[string]string{"blast_radius": radius}
	if category != "" {
		m["category"] = category
	}
	if reason != "" {
		m["reason"] = reason
	}
	return m
}

// BlockedReason is a reason of which hosts make a sentence and a command.
func BlockedReason(why, command string) string {
	return "Blocked (" + WithoutColons(why) + "): " + command
}

// WithoutColons leaves no colon of which cards would take what follows for the command.
func WithoutColons(why string) string { return strings.ReplaceAll(why, ": ", ", ") }

// ObserverVerdict is the answer of a hook that only looks on. Where a fault would close
// a gate, the person is told instead.
func ObserverVerdict(ev *checkrein.Event, name string, err error) (checkrein.Verdict, error) {
	if err != nil && checkrein.ContractOf(ev.Kind).Closed {
		return checkrein.Verdict{Notice: []string{name + ": " + err.Error()}}, nil
	}
	return checkrein.Verdict{}, err
}
