package rules

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
)

// ruleKeys lists the valid keys of a rule in a pack file.
var ruleKeys = []string{"id", "cmd", "any", "all", "not", "arg", "sql", "label", "kind", "category", "radius", "paths", "reason", "match", "no_match"}

// ParsePack parses a user's own pack, the JSON object {"name", "about", "rules": [{…}]}. It returns
// the valid rules even if the error lists problems in others.
func ParsePack(data []byte) (*shell.RuleSet, error) {
	if err := rawjson.CheckObject(data); err != nil {
		return nil, err
	}
	p := &shell.RuleSet{Own: rawjson.GetText(data, "name")}
	_, taken := shell.PackNamed(p.Own)
	if p.Own == "" || strings.ContainsAny(p.Own, ".= \n") || taken {
		return nil, fmt.Errorf("%q is not a valid pack name: choose a name that is not taken, without dots, spaces or \"=\"", p.Own)
	}
	list, _ := rawjson.Get(data, "rules")
	var errs []error
	rawjson.Elements(list, func(i int, val []byte) bool {
		rule, err := parseRule(p.Own, val)
		if err != nil {
			errs = append(errs, fmt.Errorf("pack %s, rule %d: %w", p.Own, i+1, err))
			return true
		}
		p.Rules = append(p.Rules, rule)
		return true
	})
	if len(p.Rules) == 0 && len(errs) == 0 {
		errs = append(errs, fmt.Errorf("pack %s has no rules: add at least one", p.Own))
	}
	return p, errors.Join(errs...)
}

// parseRule parses val, a rule of the user's own pack with this name.
func parseRule(pack string, val []byte) (shell.Rule, error) {
	if rawjson.Kind(val) != '{' {
		return shell.Rule{}, errors.New("must be a mapping")
	}
	var err error
	rawjson.Each(val, func(key string, _ []byte) bool {
		for _, k := range ruleKeys {
			if k == key {
				return true
			}
		}
		err = fmt.Errorf("unknown key %q%s", key, suggest.Hint(key, ruleKeys))
		return false
	})
	r := shell.Rule{
		ID: rawjson.GetText(val, "id"), Cmd: rawjson.GetText(val, "cmd"), Any: rawjson.GetText(val, "any"), All: rawjson.GetText(val, "all"), Not: rawjson.GetText(val, "not"), Arg: rawjson.GetText(val, "arg"), SQL: rawjson.GetText(val, "sql"),
		Kind: rawjson.GetText(val, "kind"), Reason: rawjson.GetText(val, "reason"), Samples: &shell.Samples{Match: stringList(val, "match"), NoMatch: stringList(val, "no_match")},
	}
	paths, _ := rawjson.Get(val, "paths")
	r.Paths = string(paths) == "true"
	var ok bool
	switch {
	case err != nil:
		return r, err
	case r.ID == "" || r.Cmd == "" || r.Reason == "":
		return r, errors.New("must have id, cmd and reason")
	}
	if r.Label, ok = parseLabel(rawjson.GetText(val, "label")); !ok {
		return r, fmt.Errorf("label is %q: must be one of safe, unknown, destructive, exfiltration", rawjson.GetText(val, "label"))
	}
	if r.Impact, ok = parseImpact(rawjson.GetText(val, "radius")); !ok {
		return r, fmt.Errorf("radius is %q: must be one of low, medium, high, unknown", rawjson.GetText(val, "radius"))
	}
	if r.Kind == "" {
		r.Kind = "run"
	}
	// The name of the category is only used for display and in conditions. The pack determines the
	// policy, even if a built-in category has the same name.
	r.Own = &shell.Row{Name: cmp.Or(rawjson.GetText(val, "category"), r.ID), Own: pack, Label: r.Label, Impact: r.Impact, Policy: shell.ByImpact, Doc: r.Reason}
	return r, nil
}

// parseLabel returns the label with the name s. It reports false if there is none.
func parseLabel(s string) (shell.Label, bool) {
	for l := shell.Safe; l <= shell.Exfiltration; l++ {
		if l.String() == s {
			return l, true
		}
	}
	return shell.Unknown, false
}

// parseImpact returns the impact with the name s. It reports false if there is none.
func parseImpact(s string) (shell.Impact, bool) {
	for r := shell.ImpactLow; r <= shell.ImpactUnknown; r++ {
		if r.String() == s {
			return r, true
		}
	}
	return shell.ImpactUnknown, false
}

// stringList returns the member key of the JSON object obj, which is a string or a list of strings, as
// a list.
func stringList(obj []byte, key string) []string {
	val, _ := rawjson.Get(obj, key)
	if s, ok := rawjson.Text(val); ok {
		return []string{s}
	}
	var out []string
	rawjson.Elements(val, func(_ int, val []byte) bool {
		s, _ := rawjson.Text(val)
		out = append(out, s)
		return true
	})
	return out
}
