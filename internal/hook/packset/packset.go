// Package packset determines which packs are on and what each decides. It merges the settings of all
// scopes and encodes the result as arguments of the guarding builtin, which decodes them with this
// package.
package packset

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/setting"
)

// Every is the name of the part for all packs that have no part of their own.
const Every = "*"

// Secrets is the pack that also redacts secrets unless it is off.
const Secrets = "secrets"

// A Level is what a pack decides about effects with one of the [setting.PackKeys].
type Level struct {
	Default bool               // the decision is at least the default for the effect
	Min     checkrein.Decision // the decision is at least this
}

// A Part is the setting of a pack in one file, or its default. If a pack has several parts, the
// strictest one counts for each effect.
type Part struct {
	Name    string
	By      [len(setting.PackKeys)]Level
	Allow   []string // globs of paths to which it does not apply
	Own     string   // the definition of a user-defined pack, as JSON
	Project string   // FILE:LINE of the project's file that sets it, or ""; a project's part does not judge reads
	Skip    []string // rules that do not count, because they are in shadow mode, or [setting.EveryRule]
	Only    []string // for hooks in shadow mode: the rules that count, or [setting.EveryRule]
}

// DefaultPart returns the part of the pack name with its default policy.
func DefaultPart(name string) Part {
	p := Part{Name: name}
	for i := range p.By {
		p.By[i].Default = true
	}
	return p
}

// IsOff reports whether the part has no opinion about any effect.
func (p *Part) IsOff() bool { return p.By == [len(setting.PackKeys)]Level{} }

// OnlySaves reports whether the part decides nothing, because the pack is in shadow mode as a whole. What
// calls lose is saved all the same.
func (p *Part) OnlySaves() bool { return slices.Contains(p.Skip, setting.EveryRule) }

// newPart returns the part for the setting s of a file.
func newPart(s *setting.Pack) Part {
	if s.Off {
		return Part{Name: s.Name}
	}
	p := DefaultPart(s.Name)
	p.Allow, p.Skip = s.Allow, s.Shadow
	for _, by := range s.By {
		if i := slices.Index(setting.PackKeys[:], by.Key); i >= 0 {
			p.By[i] = Level{Min: by.Is}
		}
	}
	if s.From.Scope == checkrein.ScopeProject {
		p.Project = s.From.String()
	}
	return p
}

// CountsRule reports whether the rule with this ID, without the pack's name, counts in p.
func (p *Part) CountsRule(id string) bool {
	return (p.Only == nil || slices.Contains(p.Only, id) || slices.Contains(p.Only, setting.EveryRule)) && !slices.Contains(p.Skip, id) && !p.OnlySaves()
}

// isCoveredBy reports whether q is at least as strict as p about every effect, whatever the defaults
// are.
func (p *Part) isCoveredBy(q *Part) bool {
	for i, l := range p.By {
		m := q.By[i]
		if m.Min < checkrein.Deny && (l.Default && !m.Default || l.Min > m.Min) {
			return false
		}
	}
	exempts := func(list, others []string) bool {
		return slices.ContainsFunc(list, func(s string) bool { return !slices.Contains(others, s) })
	}
	return p.IsOff() || !exempts(q.Allow, p.Allow) && !exempts(q.Skip, p.Skip)
}

// EncodeArgs returns parts as arguments of the builtin. Parse decodes them.
func EncodeArgs(parts []Part) []string {
	var out []string
	for i := range parts {
		out = append(out, parts[i].encodeArgs()...)
	}
	return out
}

// encodeArgs returns the part as arguments of the builtin.
func (p *Part) encodeArgs() []string {
	out := []string{p.Name}
	if p.Own != "" {
		out[0] = p.Own
	}
	if p.IsOff() {
		return append(out, p.Name+".off=true")
	}
	for i, l := range p.By {
		switch {
		case !l.Default:
			out = append(out, p.Name+"."+setting.PackKeys[i]+"="+l.Min.String())
		case l.Min != checkrein.NoOpinion:
			out = append(out, p.Name+"."+setting.PackKeys[i]+">="+l.Min.String())
		}
	}
	for _, glob := range p.Allow {
		out = append(out, p.Name+".allow="+glob)
	}
	for _, rule := range p.Skip {
		out = append(out, p.Name+".skip="+rule)
	}
	for _, rule := range p.Only {
		out = append(out, p.Name+".only="+rule)
	}
	if p.Project != "" {
		out = append(out, p.Name+".project="+p.Project)
	}
	return out
}

// Parse parses the arguments of the builtin:
//
//	git                 the pack, with its default policy
//	*                   every pack that is not named
//	{"name":…}          a user-defined pack
//	git.high=ask        the decision for a key, whatever the default is
//	git.high>=ask       the least strict decision for a key
//	git.allow=./x/**    paths to which the pack does not apply
//	git.off=true        the pack is off
//	git.skip=RULE       a rule that does not count, or * for all: what they lose is saved
//	git.only=RULE       the rule that counts, or * for all, in a hook in shadow mode
//	git.project=FILE:3  the part is from a project's file
//
// A name may be repeated; each time it starts a new part. The function ownName returns the name of
// a user-defined pack.
func Parse(args []string, ownName func(string) (string, error)) ([]Part, error) {
	var out []Part
	for _, arg := range args {
		if strings.HasPrefix(arg, "{") {
			name, err := ownName(arg)
			if err != nil {
				return nil, err
			}
			p := DefaultPart(name)
			p.Own = arg
			out = append(out, p)
			continue
		}
		name, text, isSetting := strings.Cut(arg, ".")
		if !isSetting {
			out = append(out, DefaultPart(name))
			continue
		}
		i := len(out) - 1
		for i >= 0 && out[i].Name != name {
			i--
		}
		if i < 0 {
			return nil, fmt.Errorf("%s must come after the pack name %s", arg, name)
		}
		if err := out[i].applySetting(text); err != nil {
			return nil, fmt.Errorf("pack %s: %w", name, err)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("the pack name is missing")
	}
	return out, nil
}

// applySetting applies an argument's setting, KEY=VALUE or KEY>=VALUE, to p.
func (p *Part) applySetting(text string) error {
	key, val, _ := strings.Cut(text, "=")
	key, least := strings.CutSuffix(key, ">")
	switch key {
	case "allow":
		p.Allow = append(p.Allow, val)
		return nil
	case "project":
		p.Project = val
		return nil
	case "skip":
		p.Skip = append(p.Skip, val)
		return nil
	case "only":
		p.Only = append(p.Only, val)
		return nil
	case "off":
		p.By = [len(setting.PackKeys)]Level{}
		return nil
	}
	i := slices.Index(setting.PackKeys[:], key)
	if i < 0 {
		return fmt.Errorf("%s is unknown: use %s, allow, off, skip or only", key, strings.Join(setting.PackKeys[:], ", "))
	}
	d, ok := hookfile.ParseDecision(val)
	if !ok || d == checkrein.Allow {
		return fmt.Errorf("%s cannot be %q: use none, ask or deny", key, val)
	}
	p.By[i] = Level{Default: least, Min: d}
	return nil
}
