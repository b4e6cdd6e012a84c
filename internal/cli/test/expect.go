package test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// A check is a key of expect: how its value is compared with what the policy decided.
type check struct {
	name  string
	words []string // the only values; nil = any
	raw   bool     // the value is JSON instead of a string or a list of strings
	// got returns what the policy decided: strings, or one JSON value if raw is set.
	got func(d *decision) []string
	// holds reports whether one wanted value is among those that the policy decided.
	holds func(got []string, want string) bool
}

// A decision is what the policy decided about a call.
type decision struct {
	out  engine.Outcome
	acts match.Acts
}

// checks are the keys of expect. A value null expects that there is none.
var checks = []check{
	{name: "answer", words: []string{"pass", "saved", "contained", "asked", "denied"}, got: func(d *decision) []string { return []string{engine.AnswerWord(&d.out.Verdict)} }, holds: slices.Contains[[]string]},
	{name: "decision", words: []string{"none", "allow", "ask", "deny"}, got: func(d *decision) []string { return []string{d.out.Verdict.Decision.String()} }, holds: slices.Contains[[]string]},
	{name: "rule", got: (*decision).rules, holds: slices.Contains[[]string]},
	{name: "effects", got: (*decision).effects, holds: slices.Contains[[]string]},
	{name: "input", raw: true, got: func(d *decision) []string { return rawValue(d.out.Verdict.Input) }, holds: hasMembers},
	{name: "output", raw: true, got: func(d *decision) []string { return rawValue(d.out.Verdict.Output) }, holds: hasMembers},
	{name: "context", got: func(d *decision) []string { return d.out.Verdict.Context }, holds: containsText},
	{name: "reason", got: func(d *decision) []string { return nonEmpty(d.out.Verdict.Reason) }, holds: containsText},
	{name: "faults", got: (*decision).faults, holds: slices.Contains[[]string]},
}

// findCheck returns the check of a key of expect, or nil if there is none.
func findCheck(name string) *check {
	for i := range checks {
		if checks[i].name == name {
			return &checks[i]
		}
	}
	return nil
}

// checkNames returns the keys of expect.
func checkNames() []string {
	var out []string
	for i := range checks {
		out = append(out, checks[i].name)
	}
	return out
}

// wrong returns what is wrong with the value n of the key, or "".
func (c *check) wrong(n *yamldoc.Node) string {
	if c.raw {
		return ""
	}
	for _, item := range items(n) {
		if item.Kind == yamldoc.Map || item.Kind == yamldoc.List {
			return "must be a string or a list of strings, not " + item.Kind.String()
		}
		if wrong := oneOf(item.Text, c.words); c.words != nil && wrong != "" {
			return wrong
		}
	}
	return ""
}

// items returns the items of a list, or n itself.
func items(n *yamldoc.Node) []*yamldoc.Node {
	if n.Kind == yamldoc.List {
		return n.Items
	}
	return []*yamldoc.Node{n}
}

// expectedValues returns the values that n expects; none if it expects that there are none.
func (c *check) expectedValues(n *yamldoc.Node) (out []string) {
	switch {
	case n.IsNull():
	case c.raw:
		out = []string{string(n.JSON())}
	default:
		for _, item := range items(n) {
			out = append(out, item.Text)
		}
	}
	return out
}

// A failure is an expectation that did not hold.
type failure struct {
	Key      string   `json:"key"`
	Expected []string `json:"expected"`
	Got      []string `json:"got"`
}

// compare returns the expectations of c that d does not meet.
func (c *testCase) compare(d *decision) (out []failure) {
	for _, p := range c.expect.Members() {
		ch := findCheck(p.Key)
		got, want := ch.got(d), ch.expectedValues(p.Value)
		missing := func(w string) bool { return !ch.holds(got, w) }
		if slices.ContainsFunc(want, missing) || len(want) == 0 && len(got) > 0 {
			out = append(out, failure{p.Key, orEmpty(want), orEmpty(got)})
		}
	}
	return out
}

// rules returns the rules and hooks that decided, those of files before others: those with the merged
// decision, or with an obligation if there is none.
func (d *decision) rules() []string {
	var own, others []string
	add := func(list *[]string, names ...string) {
		for _, name := range names {
			if name != "" && !slices.Contains(own, name) && !slices.Contains(others, name) {
				*list = append(*list, name)
			}
		}
	}
	decision := d.out.Verdict.Decision
	if d.out.Unasked != "" { // the question became a denial
		decision = checkrein.Ask
	}
	for i := range d.out.Steps {
		s := &d.out.Steps[i]
		if s.Verdict == nil || s.Verdict.Decision != decision || decision == checkrein.NoOpinion && len(s.Verdict.Obligations) == 0 {
			continue
		}
		list := &own
		if s.Hook.Implied {
			list = &others
		}
		add(list, s.Verdict.Metadata["rule"])
		add(list, strings.Fields(s.Verdict.Metadata["rules"])...)
		for _, cause := range s.Verdict.Because {
			add(list, cause.Rule)
		}
		if decision != checkrein.NoOpinion && s.Verdict.Metadata["rule"] == "" {
			add(list, s.Hook.Label())
		}
	}
	if decision != checkrein.NoOpinion {
		add(&others, d.out.Verdict.Metadata["rule"])
	}
	return append(own, others...)
}

// faults returns the hooks that could not answer.
func (d *decision) faults() (out []string) {
	for i := range d.out.Steps {
		if s := &d.out.Steps[i]; s.Fault != nil {
			out = append(out, s.Hook.Label())
		}
	}
	return out
}

// unexpectedFaults returns a message about each hook that could not answer, unless expect is about that.
// Otherwise, a case that expects a denial would pass because a gate is broken.
func (d *decision) unexpectedFaults(expect *yamldoc.Node) (out []message.Message) {
	if expect.Get("faults") != nil {
		return nil
	}
	for i := range d.out.Steps {
		if s := &d.out.Steps[i]; s.Fault != nil {
			text := s.Fault.Error()
			if s.Answer != nil && s.Answer.Log != "" {
				text += ": " + strings.TrimSpace(s.Answer.Log)
			}
			out = append(out, message.New(fmt.Sprintf("the hook %q could not answer: %s", s.Hook.Label(), text), message.Do(fmt.Sprintf("if that is what you test, expect faults: %s", scalarText(s.Hook.Label())))))
		}
	}
	return out
}

// effects returns what the call does, as conditions name it, and what the verdict does besides its
// decision.
func (d *decision) effects() []string {
	out := slices.Clone(d.acts.Effects)
	own := d.out.Verdict.Effects() &^ (checkrein.CanDeny | checkrein.CanAsk | checkrein.CanAllow | checkrein.CanAnnotate)
	return append(out, own.Words()...)
}

// rawValue returns a JSON value as a list.
func rawValue(val json.RawMessage) []string {
	if val == nil {
		return nil
	}
	return []string{string(val)}
}

// nonEmpty returns text as a list, which is empty if text is.
func nonEmpty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// orEmpty returns list, or an empty one for nil, which JSON shows as a list too.
func orEmpty(list []string) []string { return append([]string{}, list...) }

// containsText reports whether one of got contains want.
func containsText(got []string, want string) bool {
	return slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, want) })
}

// hasMembers reports whether the JSON value got is want or, for objects, has the members of want. A
// member that want has as null must be missing.
func hasMembers(got []string, want string) bool {
	if len(got) == 0 {
		return false
	}
	val, wanted := []byte(got[0]), []byte(want)
	if rawjson.Kind(val) != '{' || rawjson.Kind(wanted) != '{' {
		return rawjson.EqualForEveryReader(val, wanted)
	}
	same := true
	rawjson.Each(wanted, func(name string, w []byte) bool {
		v, has := rawjson.Get(val, name)
		same = same && (string(w) == "null" && !has || has && hasMembers([]string{string(v)}, string(w)))
		return same
	})
	return same
}

// summary returns the values of the keys in expect in one line: answers and rules as they are, others
// behind their key.
func summary(expect *yamldoc.Node, of func(*check, *yamldoc.Node) []string) string {
	var out []string
	for _, p := range expect.Members() {
		text := strings.Join(of(findCheck(p.Key), p.Value), ", ")
		if text == "" {
			text = "no " + p.Key
		} else if !slices.Contains([]string{"answer", "decision", "rule"}, p.Key) {
			text = fmt.Sprintf("%s: %s", p.Key, text)
		}
		out = append(out, text)
	}
	return strings.Join(out, " · ")
}
