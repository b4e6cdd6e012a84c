package explain

import (
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/record"
)

// printFacts writes what decided beside the event itself.
func printFacts(p *report.Report, f *record.Facts) {
	if f == nil {
		return
	}
	p.Section("What the decision was based on")
	for i := range f.Effects {
		p.Point(1, effectText(&f.Effects[i]))
	}
	if c := f.Call; c != nil {
		p.Point(1, fmt.Sprintf("the call, as the conditions saw it: %s, impact %s%s", c.Label, c.Radius, places(" on ", c.Paths, c.PathsAll)))
	}
	for i := range f.Git {
		p.Point(1, repoText(&f.Git[i]))
	}
	for _, r := range f.Files {
		line := fmt.Sprintf("%s was read: %s", r.Path, base.Amount(r.Bytes, "byte"))
		if r.Digest != "" {
			line += ", keyed digest " + r.Digest
		}
		p.Point(1, line)
	}
	for _, id := range f.Grants {
		p.Point(1, "grant "+id)
	}
	if f.More > 0 {
		p.Point(1, fmt.Sprintf("and %d more, not listed in the record", f.More))
	}
}

func effectText(e *record.Effect) string {
	text := fmt.Sprintf("%q, rule %s: %s", e.Hook, e.Rule, effectKind(e))
	if e.Radius != "" {
		text += ", impact " + e.Radius
	}
	if e.On != "" {
		text += ", on " + e.On
	}
	text += places("; files: ", e.Paths, e.PathsAll) + places("; sent to: ", e.Hosts, e.HostsAll)
	if e.Maybe {
		text += ", as far as checkrein can tell from the command"
	}
	return text
}

// effectKind is what kind of effect it is: its label, and what it does in brackets.
func effectKind(e *record.Effect) string {
	label := e.Label
	if label == "unknown" {
		label = "effect unknown"
	}
	if does := strings.Join(strings.Fields(e.Kind+" "+e.Category), ", "); does != "" {
		return strings.TrimSpace(label + " (" + does + ")")
	}
	return label
}

// places lists paths or hosts behind a word, and how many more there were.
func places(word string, list []string, all int) string {
	if len(list) == 0 {
		return ""
	}
	text := word + strings.Join(list, ", ")
	if all > len(list) {
		text += fmt.Sprintf(" and %d more", all-len(list))
	}
	return text
}

func repoText(r *record.Repo) string {
	switch {
	case r.None:
		return "git in " + r.Dir + ": no readable repository"
	case r.Head == "":
		return "git in " + r.Dir + ": no branch was checked out"
	}
	text := "git in " + r.Dir + ": on branch " + strings.TrimPrefix(r.Head, "refs/heads/")
	for _, d := range r.Defaults {
		if d.Ref != "" {
			text += ", the default branch of " + d.Remote + " is " + strings.TrimPrefix(d.Ref, "refs/heads/")
		}
	}
	return text
}
