package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// tighten reads a project's file over a policy that stays in force. What came with a
// repository must not decide what may leave it, so a rule is as strict as the
// stricter of the two has it, and what would loosen does not count and is noted.
// Only single things can be excused: a line by an ignore with a reason, a text or its
// digest by an entry of allow.
func tighten(floor *Policy, person, file string, src []byte, now time.Time) (*Policy, error) {
	r := reader{file: file, now: now, floor: floor}
	p, err := r.parse(src)
	if err != nil {
		return nil, err
	}
	p.floor, p.inline = floor, p.inline && floor.inline
	if !r.named {
		p.Name = floor.Name
	}
	if len(r.loose) > 0 {
		slices.SortStableFunc(r.loose, func(a, b *yamldoc.Error) int { return a.Line - b.Line })
		list := make([]string, len(r.loose))
		for i, l := range r.loose {
			list[i] = fmt.Sprintf("%s (line %d)", l.Msg, l.Line)
		}
		p.Notes = append(p.Notes, fmt.Sprintf("%s: a project's policy can only tighten, so this is ignored: %s. To use the whole file, pass --policy FILE, or add trusts: [%s] to your own policy, %s",
			file, strings.Join(list, ", "), file, person))
	}
	p.Notes = append(p.Notes, floor.Notes...)
	return p, nil
}

// loosens notes that something of a project's file does not count.
func (r *reader) loosens(line int, format string, args ...any) {
	r.loose = append(r.loose, &yamldoc.Error{Line: line, Msg: fmt.Sprintf(format, args...)})
}

// baseLoosens notes a base with rules that are weaker than what stays in force.
func (r *reader) baseLoosens(p *Policy, n *yamldoc.Node) {
	if r.floor == nil || n == nil {
		return
	}
	names := slices.Clone(setNames)
	for _, of := range [...]*Policy{p, r.floor} {
		for i := range of.rows {
			names = append(names, of.rows[i].name)
		}
	}
	if slices.ContainsFunc(names, func(name string) bool { return r.strictness(p, name) < r.strictness(r.floor, name) }) {
		r.loosens(n.Line, "extends: %s", p.Name)
	}
}

// rowLoosens notes a rule that is weaker, somewhere, than what stays in force.
func (r *reader) rowLoosens(row *row, line int) {
	if r.floor == nil {
		return
	}
	if is := r.strictness(r.floor, row.name); row.severity < is || row.paths.any() && is != Off {
		r.loosens(line, "rules.%s", row.name)
	}
}

// strictness is the severity of a rule or a set, where paths do not matter.
func (r *reader) strictness(p *Policy, name string) Severity {
	set := name
	if kind, ok := r.kindOf(&Policy{}, name); ok && !slices.Contains(setNames, name) {
		set = setOf(name, kind)
	} else if !ok {
		return Off // a pattern of the file's own
	}
	return p.severity("", name, set)
}

// isExact reports whether an allowance is for one text alone.
func (a *allowance) isExact() bool { return a.text != "" || a.digest != nil }
