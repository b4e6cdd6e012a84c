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

// A Set is what all files together say of the packs.
type Set struct {
	// Managed and User are the parts of the two hooks that guard: a managed one,
	// which nothing of the person's switches off, and the person's own. No pack
	// is guarded twice for the same reason.
	Managed, User []Part

	Off     []string // packs that are off because a file says so, in the order of the names
	Unknown []error  // names that are no packs: each leaves everything as it is
	Ignored []string // what projects' files say to no effect, since they can only tighten
}

// Merge puts together what files say of packs.
//
// The law:
//
//   - A file that names a pack means that pack alone. `packs: []` means every
//     pack, and switches it off.
//   - A managed or user file that does not name a pack has no opinion about it.
//     If none names it, the pack does what is usual, or is off where byDefault
//     is false.
//   - Otherwise, of each effect, the strictest counts of what the files which
//     name the pack say. So a lower file loosens nothing that a managed one set,
//     by a decision, by `off` or by `allow`, and the order of files means nothing.
//   - A project's file adds to that. It can only tighten: what would loosen has
//     no effect and is said.
//   - A name that is no pack leaves everything as it is and is said.
func Merge(said []setting.Pack, names func() []string, byDefault bool) Set {
	if len(said) == 0 { // as in most homes
		if byDefault {
			return Set{User: []Part{Usual(Every)}}
		}
		return Set{}
	}
	m := merger{names: names(), usually: byDefault, every: byDefault}
	for i := range said {
		m.add(&said[i])
	}
	return m.set()
}

type merger struct {
	names   []string
	usually bool // packs that nobody names are on, unless a file switches all off
	every   bool // they are
	managed []Part
	user    []Part
	project []Part
	out     Set
}

func (m *merger) add(s *setting.Pack) {
	project := s.From.Scope == checkrein.ScopeProject
	switch {
	case s.Name == "" && project:
		m.ignore(s, "packs: []")
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
	part := partOf(s)
	switch {
	case project && s.Off:
		m.ignore(s, "off: true for "+s.Name)
	case project:
		m.tighten(s, part)
	case s.From.Scope == checkrein.ScopeManaged:
		m.managed = append(m.managed, part)
	default:
		m.user = append(m.user, part)
	}
}

// tighten adds what a project's file says, without what would loosen. Its allow
// limits its own part and nothing else.
func (m *merger) tighten(s *setting.Pack, part Part) {
	loose := tightened(s, &part)
	if len(loose) > 0 {
		m.ignore(s, strings.Join(loose, ", ")+" for "+s.Name)
	}
	m.project = append(m.project, part)
}

// tightened takes out of a project's part what would loosen, and says it.
func tightened(s *setting.Pack, part *Part) (loose []string) {
	for i := range part.By {
		if l := &part.By[i]; !l.Usual && Loosens(i, l.Min) {
			loose = append(loose, setting.PackKeys[i]+": "+l.Min.String())
			l.Usual, l.Min = true, checkrein.NoOpinion
		}
	}
	if len(s.Allow) > 0 && part.By == Usual("").By {
		loose = append(loose, "allow")
	}
	return loose
}

// Loose is what of a setting does not count, because a project's file can only
// tighten.
func Loose(s *setting.Pack) []string {
	switch {
	case s.From.Scope != checkrein.ScopeProject:
		return nil
	case s.Name == "":
		return []string{"[]"}
	case s.Off:
		return []string{"off: true"}
	}
	part := partOf(s)
	return tightened(s, &part)
}

// Loosens reports whether a decision about a key is less than packs mostly make.
// Of low and unknown effects most pass, and some kinds are asked for.
func Loosens(key int, d checkrein.Decision) bool {
	return d < [...]checkrein.Decision{checkrein.Ask, checkrein.Ask, checkrein.Deny, checkrein.Ask, checkrein.Deny}[key]
}

func (m *merger) ignore(s *setting.Pack, what string) {
	m.out.Ignored = append(m.out.Ignored, fmt.Sprintf("%s: %s is ignored: a project's file can only tighten packs", s.From.String(), what))
}

func (m *merger) set() Set {
	for _, list := range []*[]Part{&m.managed, &m.user, &m.project} {
		slices.SortStableFunc(*list, compare)
	}
	var user []Part
	for _, name := range m.names {
		managed := strictest(nil, named(m.managed, name))
		said := named(m.user, name)
		if len(managed) == 0 && len(said) == 0 && m.every {
			said = []Part{Usual(name)}
		}
		rest := strictest(managed, said)
		rest = append(rest, strictest(slices.Concat(managed, rest), named(m.project, name))...)
		on := slices.DeleteFunc(slices.Clone(managed), func(p Part) bool { return p.None() })
		rest = slices.DeleteFunc(rest, func(p Part) bool { return p.None() })
		m.out.Managed = append(m.out.Managed, on...)
		switch {
		case len(rest) == 1 && isUsual(&rest[0]) && m.every: // which * says
		case len(rest) > 0:
			user = append(user, rest...)
		case m.every:
			user = append(user, Part{Name: name}) // so that * does not mean it
		}
		if len(on)+len(rest) == 0 && (m.usually || len(managed)+len(said) > 0) {
			m.out.Off = append(m.out.Off, name)
		}
	}
	if m.every {
		user = append([]Part{Usual(Every)}, user...)
	}
	m.out.User = user
	return m.out
}

// strictest leaves out of parts what others, or one of their own number, are at
// least as strict as.
func strictest(others, parts []Part) []Part {
	var out []Part
	for i := range parts {
		covers := func(q Part) bool { return parts[i].within(&q) }
		later := slices.ContainsFunc(parts[i+1:], func(q Part) bool { return covers(q) && !q.within(&parts[i]) })
		if !later && !slices.ContainsFunc(others, covers) && !slices.ContainsFunc(out, covers) {
			out = append(out, parts[i])
		}
	}
	return out
}

func named(parts []Part, name string) []Part {
	var out []Part
	for _, p := range parts {
		if p.Name == name {
			out = append(out, p)
		}
	}
	return out
}

func isUsual(p *Part) bool {
	u := Usual(p.Name)
	return p.By == u.By && len(p.Allow) == 0 && p.Project == ""
}

// compare orders parts by what they say, so that the order of files means nothing.
func compare(a, b Part) int { return slices.Compare(a.args(), b.args()) }

// On reports whether a list of parts switches a pack on.
func On(parts []Part, name string) bool {
	every, on, said := false, false, false
	for i := range parts {
		switch parts[i].Name {
		case Every:
			every = true
		case name:
			said, on = true, on || !parts[i].None()
		}
	}
	return on || every && !said
}

// Err joins what is unknown.
func (s *Set) Err() error { return errors.Join(s.Unknown...) }
