package desk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/record"
	"github.com/checkrein/checkrein/internal/trust"
)

// A change is what a person can do so that the next such event ends otherwise.
type change struct {
	Hook string   `json:"hook,omitempty"`
	Why  string   `json:"why"`
	Do   []string `json:"do"`
}

// changesOf lists what would change the outcome: the hooks that decided it or had
// another effect, those that could not take part, and how to begin when there is
// none.
func changesOf(r *record.Record, merged string) []change {
	out := []change{}
	if r.Fault != "" {
		out = append(out, change{Why: "the event could not be judged: " + r.Fault, Do: []string{"see what is wrong with: checkrein validate"}})
	}
	for i := range r.Plan {
		s := &r.Plan[i]
		switch {
		case s.Outcome == "fault":
			out = append(out, change{Hook: s.Hook, Why: "could not answer: " + s.Fault, Do: mend(s)})
		case s.Outcome == "unapproved":
			out = append(out, change{Hook: s.Hook, Why: "is not approved", Do: approval(r, s)})
		case s.Outcome == "skipped" && strings.Contains(s.Skipped, "switched off"):
			out = append(out, change{Hook: s.Hook, Why: s.Skipped, Do: switchOn(s)})
		default:
			if why := deeds(r, s, merged); why != "" {
				out = append(out, change{Hook: s.Hook, Why: why, Do: edit(r, s)})
			}
		}
	}
	if !decides(merged) && len(r.Effects) == 0 && r.Fault == "" {
		out = append(out, change{Why: "no hook decided", Do: begin(r)})
	}
	return out
}

// deeds says what of a verdict is a hook's doing; "" = nothing.
func deeds(r *record.Record, s *record.Step, merged string) string {
	var out []string
	if decides(s.Decision) && s.Decision == merged {
		out = append(out, "decided "+s.Decision)
	}
	effects := slices.DeleteFunc(otherEffects(s), func(e string) bool {
		return !slices.Contains(r.Effects, e) ||
			slices.ContainsFunc(r.Dropped, func(d record.Dropped) bool { return d.Hook == s.Hook && d.Effect == e })
	})
	if len(effects) > 0 {
		out = append(out, "asked for "+strings.Join(effects, ", "))
	}
	return strings.Join(out, ", and ")
}

// fileOf names where a hook stands, "" when it stands in no file.
func fileOf(s *record.Step) string {
	if s.Origin == s.Scope {
		return ""
	}
	return s.Origin
}

const askAdministrator = "ask your administrator: the hook is managed, and nothing of yours switches it off"

// edit says how to change or remove a hook.
func edit(r *record.Record, s *record.Step) []string {
	if s.Scope == checkrein.ScopeManaged.String() {
		return []string{askAdministrator + at(s)}
	}
	if s.Scope == checkrein.ScopeFlag.String() {
		return []string{"leave it out of the command line that started the agent"}
	}
	var out []string
	if file := fileOf(s); file != "" {
		out = append(out, "edit "+file)
	}
	if s.Scope == checkrein.ScopeProject.String() {
		out = append(out, trust.Remedy("revoke", s.Hook)+within(r))
	}
	if s.Pack != "" && s.Type == "builtin" {
		out = append(out, adjust(s)...)
	}
	if len(out) == 0 {
		out = append(out, "it comes from the program that asked, not from a file")
	}
	return out
}

// adjust says how to loosen the pack that decided, and that alone. A denial can
// become a question, a question can go.
func adjust(s *record.Step) []string {
	to := checkrein.Ask
	if s.Decision == checkrein.Ask.String() {
		to = checkrein.NoOpinion
	}
	if s.Origin != s.Scope { // a pack of the file's own
		return nil
	}
	return []string{fmt.Sprintf("in your checkrein.yaml: packs: [{name: %s, %s: %s}] (the other packs stay as they are; {name: %s, off: true} switches this one off)", s.Pack, s.PackKey, to, s.Pack)}
}

func at(s *record.Step) string {
	if file := fileOf(s); file != "" {
		return " (" + file + ")"
	}
	return ""
}

// within says where a command must be given to be about the right project.
func within(r *record.Record) string {
	dir := r.Root
	if dir == "" {
		dir = r.Dir
	}
	if dir == "" {
		return ""
	}
	return "  (in " + dir + ")"
}

// mend says what to do about a hook that could not answer.
func mend(s *record.Step) []string {
	if s.Scope == checkrein.ScopeManaged.String() {
		return []string{askAdministrator + at(s)}
	}
	where := fileOf(s)
	if where == "" {
		where = "where it was given"
	}
	switch {
	case strings.Contains(s.Fault, "changed since it was approved"):
		return []string{"look at what changed in " + where, trust.Remedy("approve", s.Hook)}
	case strings.Contains(s.Fault, "timed out"):
		return []string{"make it faster, or give it a longer timeout: edit " + where}
	}
	return []string{"mend it: edit " + where, "see what else is wrong with: checkrein validate", "try it with: checkrein eval --explain < event.json"}
}

func approval(r *record.Record, s *record.Step) []string {
	out := []string{trust.Remedy("approve", s.Hook) + within(r)}
	if file := fileOf(s); file != "" {
		out = append([]string{"read it first: " + file}, out...)
	}
	return out
}

func switchOn(s *record.Step) []string {
	if s.Skipped == "hooks are switched off" {
		return []string{"checkrein hooks on"}
	}
	return []string{"edit " + s.Origin}
}

// begin says how to get a hook on this event.
func begin(r *record.Record) []string {
	event := r.Event
	if event == checkrein.Other.String() && r.Native != "" {
		event = "native:" + r.Native
	}
	return []string{
		"checkrein init writes a commented checkrein.yaml for the project" + within(r),
		"checkrein init --user writes your own, for every project",
		"in either, put a hook under hooks: " + event + ":",
	}
}
