package packs

import (
	"errors"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/rawjson"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/suggest"
)

// known are packs that other packages answer for: their effects carry these
// names, and have no rules here.
var known = [...]string{"filesystem", "disk", "permissions", "exfiltration"}

// Names returns the names of all packs that can be switched on.
func Names() []string {
	names := append([]string(nil), known[:]...)
	for _, p := range all {
		if guards(p) {
			names = append(names, p.Name)
		}
	}
	return names
}

// guards reports whether a pack has anything to guard against.
func guards(p *shell.Pack) bool {
	for i := range p.Rules {
		if p.Rules[i].Label >= shell.Destructive {
			return true
		}
	}
	return false
}

// Named reports whether a pack of this name can be switched on.
func Named(name string) bool {
	for _, n := range Names() {
		if n == name {
			return true
		}
	}
	return false
}

// ruleKeys are the keys of a rule in a file.
var ruleKeys = []string{"id", "cmd", "any", "all", "not", "arg", "sql", "label", "kind", "category", "radius", "paths", "reason", "match", "no_match"}

// Parse reads a pack of a person's own: {"name", "about", "rules": [{…}]}.
func Parse(data []byte) (*shell.Pack, error) {
	if err := rawjson.CheckObject(data); err != nil {
		return nil, err
	}
	p := &shell.Pack{Name: rawjson.GetText(data, "name"), About: rawjson.GetText(data, "about")}
	if p.Name == "" || strings.ContainsAny(p.Name, ".= \n") || Named(p.Name) {
		return nil, fmt.Errorf("a pack of your own is called %q: give it a name of its own, without dots and spaces", p.Name)
	}
	list, _ := rawjson.Get(data, "rules")
	var errs []error
	rawjson.Elements(list, func(i int, val []byte) bool {
		rule, err := parseRule(val)
		if err != nil {
			errs = append(errs, fmt.Errorf("pack %s, rule %d: %w", p.Name, i+1, err))
			return true
		}
		p.Rules = append(p.Rules, rule)
		return true
	})
	if len(p.Rules) == 0 && len(errs) == 0 {
		errs = append(errs, fmt.Errorf("pack %s has no rules", p.Name))
	}
	return p, errors.Join(errs...)
}

func parseRule(val []byte) (shell.Rule, error) {
	if rawjson.Kind(val) != '{' {
		return shell.Rule{}, errors.New("it is no mapping")
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
		Kind: rawjson.GetText(val, "kind"), Category: rawjson.GetText(val, "category"), Reason: rawjson.GetText(val, "reason"), Match: texts(val, "match"), NoMatch: texts(val, "no_match"),
	}
	paths, _ := rawjson.Get(val, "paths")
	r.Paths = string(paths) == "true"
	var ok bool
	switch {
	case err != nil:
		return r, err
	case r.ID == "" || r.Cmd == "" || r.Reason == "":
		return r, errors.New("it needs id, cmd and reason")
	}
	if r.Label, ok = labelNamed(rawjson.GetText(val, "label")); !ok {
		return r, fmt.Errorf("label is %q: write safe, unknown, destructive or exfiltration", rawjson.GetText(val, "label"))
	}
	if r.Radius, ok = radiusNamed(rawjson.GetText(val, "radius")); !ok {
		return r, fmt.Errorf("radius is %q: write low, medium, high or unknown", rawjson.GetText(val, "radius"))
	}
	if r.Category == "" {
		r.Category = r.ID
	}
	if r.Kind == "" {
		r.Kind = "run"
	}
	return r, nil
}

func labelNamed(s string) (shell.Label, bool) {
	for l := shell.Safe; l <= shell.Exfiltration; l++ {
		if l.String() == s {
			return l, true
		}
	}
	return shell.Unknown, false
}

func radiusNamed(s string) (shell.Radius, bool) {
	for r := shell.RadiusLow; r <= shell.RadiusUnknown; r++ {
		if r.String() == s {
			return r, true
		}
	}
	return shell.RadiusUnknown, false
}

// texts returns a member that is a string or a list of them.
func texts(obj []byte, key string) []string {
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
