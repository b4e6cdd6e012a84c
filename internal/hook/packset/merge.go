package packset

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/text/suggest"
)

// A Set holds the merged settings of packs from all files.
type Set struct {
	// Managed and User are the parts for the two guarding hooks: a managed one, which the user
	// cannot switch off, and the user's own. A part of User is left out if the managed hook is at
	// least as strict.
	Managed, User []Part

	Off     []string // packs that a file switches off, sorted by name
	Unknown []error  // errors for unknown packs, which are otherwise ignored
	Ignored []string // settings of project files without effect, because these can only tighten

	Tried []Trial // what is in shadow mode, in the order of the files
}

// A Trial is the part of a pack that a file puts into shadow mode.
type Trial struct {
	Part  Part
	Scope checkrein.Scope
	Until string // the end, as RFC 3339 in UTC; "" = none
	From  checkrein.Origin
}

// Names returns the pack of the trial, or its rules as PACK/RULE.
func (t *Trial) Names() []string {
	if slices.Contains(t.Part.Only, setting.EveryRule) {
		return []string{t.Part.Name}
	}
	out := make([]string, len(t.Part.Only))
	for i, rule := range t.Part.Only {
		out[i] = t.Part.Name + "/" + rule
	}
	return out
}

// Merge merges the settings of packs in said. The function names returns the names of all packs.
//
// The rules are:
//
//   - An entry for a pack concerns that pack alone. `packs: []` switches all packs off.
//   - A managed or user file that does not name a pack has no opinion about it. If none names it,
//     the pack has its default policy, or is off if byDefault is false.
//   - Otherwise the strictest setting of the files that name the pack counts, for each effect
//     separately. So a user's file cannot loosen what a managed file set, whether by a decision, by
//     `off` or by `allow`, and the order of files has no meaning.
//   - A project's file can only tighten the result. A setting that would loosen it has no effect
//     and is reported.
//   - A pack in shadow mode decides nothing in its file, and a rule is absent, but what a pack that is on by
//     default would rather save is saved. If the file only makes the pack stricter, its default policy
//     counts. What they would decide is left to a hook of their own; see [Set.Tried].
//   - A bundle of a fleet on trial decides nothing. What its packs would decide is left to hooks of their
//     own.
//   - An unknown name has no effect and is reported.
func Merge(said []setting.Pack, names func() []string, byDefault bool) Set {
	if len(said) == 0 { // the usual case
		if byDefault {
			return Set{User: []Part{DefaultPart(Every)}}
		}
		return Set{}
	}
	m := merger{names: names(), byDefault: byDefault, every: byDefault}
	for i := range said {
		m.addSetting(&said[i])
	}
	return m.mergedSet()
}

type merger struct {
	names     []string
	byDefault bool // packs that no file names are on unless a file has packs: []
	every     bool // packs that no file names are on
	managed   []Part
	user      []Part
	project   []Part
	beside    []Trial // of bundles of a fleet on trial: the files that count do not name them
	out       Set
}

// addSetting adds one setting: it is sorted by scope, or recorded as unknown or ignored.
func (m *merger) addSetting(s *setting.Pack) {
	project := s.From.Scope == checkrein.ScopeProject
	switch {
	case s.Name == "" && project:
		m.addIgnored(s, "packs: []")
		return
	case s.Name == "" && s.Trial:
		return
	case s.Name == "":
		m.every = false
		return
	case !slices.Contains(m.names, s.Name):
		m.out.Unknown = append(m.out.Unknown, &checkrein.HookError{Origin: s.From,
			Err:    fmt.Errorf("unknown pack %q%s", s.Name, suggest.Hint(s.Name, m.names)),
			Remedy: "the available packs are " + strings.Join(m.names, ", ") + ", pii and security_guard; the rest of the file still applies"})
		return
	}
	part := newPart(s)
	if s.Trial {
		if !part.IsOff() && !part.OnlySaves() {
			part.Only = []string{setting.EveryRule}
			m.beside = append(m.beside, Trial{part, s.From.Scope, "", s.From})
		}
		return
	}
	if s.Shadow != nil && !project && !s.Off {
		only := part
		only.Skip, only.Only = nil, s.Shadow
		m.out.Tried = append(m.out.Tried, Trial{only, s.From.Scope, s.Until, s.From})
		if slices.Contains(s.Shadow, setting.EveryRule) {
			part = DefaultPart(s.Name)
			if !IsStricter(s) {
				part.Skip = []string{setting.EveryRule}
			}
		}
	}
	switch {
	case project && s.Off:
		m.addIgnored(s, "off: true for "+s.Name)
	case project:
		m.addTightening(s, part)
	case s.From.Scope == checkrein.ScopeManaged:
		m.managed = append(m.managed, part)
	default:
		m.user = append(m.user, part)
	}
}

// addTightening adds a part of a project's file, without the settings that would loosen. Its allow
// limits this part only.
func (m *merger) addTightening(s *setting.Pack, part Part) {
	loose := removeLoosening(s, &part)
	if len(loose) > 0 {
		m.addIgnored(s, strings.Join(loose, ", ")+" for "+s.Name)
	}
	m.project = append(m.project, part)
}

// removeLoosening removes the settings that would loosen from part, which was made from the project's
// setting s, and returns a description of each.
func removeLoosening(s *setting.Pack, part *Part) (loose []string) {
	for i := range part.By {
		if l := &part.By[i]; !l.Default && Loosens(i, l.Min) {
			loose = append(loose, setting.PackKeys[i]+": "+l.Min.String())
			l.Default, l.Min = true, checkrein.NoOpinion
		}
	}
	if len(s.Allow) > 0 && part.By == DefaultPart("").By {
		loose = append(loose, "allow")
	}
	if part.Skip != nil {
		loose, part.Skip = append(loose, "shadow mode"), nil
	}
	return loose
}

// IsStricter reports whether s sets levels, and none that is weaker than a pack's default.
func IsStricter(s *setting.Pack) bool {
	loosens := func(by setting.PackDecision) bool {
		i := slices.Index(setting.PackKeys[:], by.Key)
		return i < 0 || Loosens(i, by.Is)
	}
	return len(s.By) > 0 && len(s.Allow) == 0 && !slices.ContainsFunc(s.By, loosens)
}

// IgnoredLoosening returns a description of each part of s that is ignored because a project's file
// can only tighten. It returns nil if s is not from a project's file.
func IgnoredLoosening(s *setting.Pack) []string {
	switch {
	case s.From.Scope != checkrein.ScopeProject:
		return nil
	case s.Name == "":
		return []string{"[]"}
	case s.Off:
		return []string{"off: true"}
	}
	part := newPart(s)
	return removeLoosening(s, &part)
}

// Loosens reports whether the decision d for the key with that index in [setting.PackKeys] may be
// weaker than a pack's default: packs let most effects with low or unknown impact pass, but ask for
// some.
func Loosens(key int, d checkrein.Decision) bool {
	return d < [...]checkrein.Decision{checkrein.Ask, checkrein.Ask, checkrein.Deny, checkrein.Ask, checkrein.Deny}[key]
}

func (m *merger) addIgnored(s *setting.Pack, what string) {
	m.out.Ignored = append(m.out.Ignored, fmt.Sprintf("%s: %s is ignored: a project's file can only tighten packs", s.From.String(), what))
}

// mergedSet returns the set for all settings that were added.
func (m *merger) mergedSet() Set {
	for _, list := range []*[]Part{&m.managed, &m.user, &m.project} {
		slices.SortStableFunc(*list, compareParts)
	}
	var user []Part
	for _, name := range m.names {
		managed := withoutCovered(nil, partsNamed(m.managed, name))
		said := partsNamed(m.user, name)
		if len(managed) == 0 && len(said) == 0 && m.every {
			said = []Part{DefaultPart(name)}
		}
		if !m.every { // the pack would not be on without its entry
			said = slices.DeleteFunc(said, func(p Part) bool { return p.OnlySaves() })
		}
		rest := withoutCovered(managed, said)
		rest = append(rest, withoutCovered(slices.Concat(managed, rest), partsNamed(m.project, name))...)
		on := slices.DeleteFunc(slices.Clone(managed), func(p Part) bool { return p.IsOff() })
		rest = slices.DeleteFunc(rest, func(p Part) bool { return p.IsOff() })
		m.out.Managed = append(m.out.Managed, on...)
		switch {
		case len(rest) == 1 && isDefault(&rest[0]) && m.every: // the part for all packs includes it
		case len(rest) > 0:
			user = append(user, rest...)
		case m.every:
			user = append(user, Part{Name: name}) // so that the part for all packs does not include it
		}
		if len(on)+len(rest) == 0 && !m.isTried(name) && (m.byDefault || len(managed)+len(said) > 0) {
			m.out.Off = append(m.out.Off, name)
		}
	}
	if m.every {
		user = append([]Part{DefaultPart(Every)}, user...)
	}
	m.out.User = user
	m.out.Tried = append(m.out.Tried, m.beside...)
	return m.out
}

// isTried reports whether the pack name is in shadow mode as a whole.
func (m *merger) isTried(name string) bool {
	return slices.ContainsFunc(m.out.Tried, func(t Trial) bool {
		return t.Part.Name == name && slices.Contains(t.Part.Only, setting.EveryRule)
	})
}

// withoutCovered returns parts without those for which another one, in others or in parts, is at least
// as strict.
func withoutCovered(others, parts []Part) []Part {
	var out []Part
	for i := range parts {
		covers := func(q Part) bool { return parts[i].isCoveredBy(&q) }
		later := slices.ContainsFunc(parts[i+1:], func(q Part) bool { return covers(q) && !q.isCoveredBy(&parts[i]) })
		if !later && !slices.ContainsFunc(others, covers) && !slices.ContainsFunc(out, covers) {
			out = append(out, parts[i])
		}
	}
	return out
}

func partsNamed(parts []Part, name string) []Part {
	var out []Part
	for _, p := range parts {
		if p.Name == name {
			out = append(out, p)
		}
	}
	return out
}

func isDefault(p *Part) bool {
	u := DefaultPart(p.Name)
	return p.By == u.By && len(p.Allow)+len(p.Skip) == 0 && p.Project == ""
}

// compareParts orders parts by content, so that the order of files has no effect on the result.
func compareParts(a, b Part) int { return slices.Compare(a.encodeArgs(), b.encodeArgs()) }

// IsOn reports whether parts switch the pack name on.
func IsOn(parts []Part, name string) bool {
	every, on, said := false, false, false
	for i := range parts {
		switch parts[i].Name {
		case Every:
			every = true
		case name:
			said, on = true, on || !parts[i].IsOff() && !parts[i].OnlySaves()
		}
	}
	return on || every && !said
}

// Err returns the joined errors for unknown packs.
func (s *Set) Err() error { return errors.Join(s.Unknown...) }
