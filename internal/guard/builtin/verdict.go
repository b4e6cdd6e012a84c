package builtin

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/shell"
)

// IsGated reports whether ev is a tool call that can be stopped: the tool is about to run, or a hook
// may approve it in place of the user.
func IsGated(ev *checkrein.Event) bool {
	return ev.Kind == checkrein.PreToolUse || ev.Kind == checkrein.PermissionRequest
}

// SetRule returns v with the rule that decided and its reason in the metadata. The reason is one line
// without the command.
func SetRule(v checkrein.Verdict, rule, reason string) checkrein.Verdict {
	if v.Metadata == nil {
		v.Metadata = map[string]string{}
	}
	v.Metadata["rule"], v.Metadata["reason"] = rule, reason
	return v
}

// A Stop is an effect of a call that a guard denies or asks about.
type Stop struct {
	Decision     checkrein.Decision
	Rule, Reason string
}

// maxCauses is the maximum number of effects that a verdict lists as its causes.
const maxCauses = 16

// AddCause appends e to the causes of a verdict, unless there are already maxCauses.
func AddCause(list []checkrein.Cause, e *shell.Effect) []checkrein.Cause {
	if len(list) >= maxCauses {
		return list
	}
	return append(list, checkrein.Cause{Label: e.Label.String(), Kind: e.Kind, Category: e.Row().Name, Rule: e.RuleName(), Radius: e.Impact.String(),
		On: e.Subject, Maybe: e.Uncertain, Paths: e.Paths, Hosts: e.Hosts})
}

// maxAlso is the maximum number of further reasons that a verdict lists.
const maxAlso = 2

// AddStops adds further stops of a call to the metadata of v: the first few with their reasons, and
// the rules of all, so that a grant for one of them does not lift the others.
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

// Metadata returns the metadata that confirmation prompts show for an effect.
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

// BlockedReason returns the reason for a denial in the form that hosts split into a sentence and a
// command.
func BlockedReason(why, command string) string {
	return "Blocked (" + WithoutColons(why) + "): " + command
}

// WithoutColons replaces colons in why with commas, because hosts take the text after a colon for the
// command.
func WithoutColons(why string) string { return strings.ReplaceAll(why, ": ", ", ") }

// ObserverVerdict returns the result of the builtin name, which only observes. If err would close a
// gate on this event, it becomes a notice instead.
func ObserverVerdict(ev *checkrein.Event, name string, err error) (checkrein.Verdict, error) {
	if err != nil && checkrein.ContractOf(ev.Kind).Closed {
		return checkrein.Verdict{Notice: []string{name + ": " + err.Error()}}, nil
	}
	return checkrein.Verdict{}, err
}
