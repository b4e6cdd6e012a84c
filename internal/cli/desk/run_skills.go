package desk

import (
	"fmt"
	"slices"

	"github.com/checkrein/checkrein/internal/agent/skill"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// skills are those of an agent. What came with the project is said: it tells the model
// what to do, and its author may be anybody.
func (r *run) skills(a *team.Agent) []skill.Skill {
	if !a.Skills {
		return nil
	}
	list := skill.Find(skill.Place{Home: environ.Home(r.env.Environ), Top: environ.Top(r.dir), Dir: r.dir})
	if len(a.SkillNames) > 0 {
		for _, name := range a.SkillNames {
			if !slices.ContainsFunc(list, func(s skill.Skill) bool { return s.Name == name }) {
				fmt.Fprintf(r.env.Stderr, "note: agent %s: skill %s was not found\n", approval.VisibleLine(a.Name), approval.VisibleLine(name))
			}
		}
		list = slices.DeleteFunc(list, func(s skill.Skill) bool { return !slices.Contains(a.SkillNames, s.Name) })
	}
	for i := range list {
		if s := &list[i]; s.Project {
			fmt.Fprintf(r.env.Stderr, "note: project skill %s: %s\n", approval.VisibleLine(s.Name), approval.VisibleLine(s.Dir))
		}
	}
	return list
}
