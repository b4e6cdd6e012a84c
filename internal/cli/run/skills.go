package run

import (
	"fmt"
	"slices"

	"github.com/checkrein/checkrein/internal/agent/skill"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/text/visible"
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
				fmt.Fprintf(r.env.Stderr, "note: agent %s: skill %s was not found\n", visible.Line(a.Name), visible.Line(name))
			}
		}
		list = slices.DeleteFunc(list, func(s skill.Skill) bool { return !slices.Contains(a.SkillNames, s.Name) })
	}
	for i := range list {
		if s := &list[i]; s.Project {
			fmt.Fprintf(r.env.Stderr, "note: project skill %s: %s\n", visible.Line(s.Name), visible.Line(s.Dir))
		}
	}
	return list
}
