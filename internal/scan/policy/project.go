package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// tighten reads file, the policy of a project with the content src, on top of floor, which stays in
// force. A repository must not decide what may leave it, so each rule has the stricter of the two
// severities, and anything that would loosen is ignored and noted. A project can allow single findings
// only: a line by an ignore comment with a reason, a text or its digest by an allow entry. The path
// person is that of the user's own policy, for the note.
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

// addLoosening records something on line of a project's file that is ignored because it would loosen
// the policy.
func (r *reader) addLoosening(line int, format string, args ...any) {
	r.loose = append(r.loose, &yamldoc.Error{Line: line, Msg: fmt.Sprintf(format, args...)})
}

// checkBase records a loosening if p, which the file extends at n, has rules that are weaker than
// those of the floor.
func (r *reader) checkBase(p *Policy, n *yamldoc.Node) {
	if r.floor == nil || n == nil {
		return
	}
	names := slices.Clone(setNames)
	for _, of := range [...]*Policy{p, r.floor} {
		for i := range of.rows {
			names = append(names, of.rows[i].name)
		}
	}
	if slices.ContainsFunc(names, func(name string) bool { return r.severityAnywhere(p, name) < r.severityAnywhere(r.floor, name) }) {
		r.addLoosening(n.Line, "extends: %s", p.Name)
	}
}

// checkRow records a loosening if row is weaker, for some path, than the floor.
func (r *reader) checkRow(row *row, line int) {
	if r.floor == nil {
		return
	}
	if is := r.severityAnywhere(r.floor, row.name); row.severity < is || row.paths.isRestricted() && is != Off {
		r.addLoosening(line, "rules.%s", row.name)
	}
}

// severityAnywhere returns the severity of the rule or rule set name in p, regardless of paths.
func (r *reader) severityAnywhere(p *Policy, name string) Severity {
	set := name
	if kind, ok := r.kindOf(&Policy{}, name); ok && !slices.Contains(setNames, name) {
		set = ruleSetOfRule(name, kind)
	} else if !ok {
		return Off // a pattern of the file
	}
	return p.severity("", name, set)
}

// isExact reports whether a allows a single text only.
func (a *allowance) isExact() bool { return a.text != "" || a.digest != nil }
