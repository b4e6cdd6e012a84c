package skill

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/tool"
)

// Instructions returns the text that describes the skills in list to an agent, or "" if there are
// none.
func Instructions(list []Skill) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Skills are instructions for certain tasks. When a task matches one, read it with read_skill before you begin, and read its files with read_skill_file when it names them. Run the skills that run by themselves with run_skill.\n<available_skills>\n")
	for i := range list {
		s := &list[i]
		how := ""
		if s.Fork {
			how = " (run it with run_skill)"
		}
		fmt.Fprintf(&b, "- %s: %s%s\n", s.Name, descriptionLine(s.Description), how)
	}
	b.WriteString("</available_skills>")
	return b.String()
}

// descriptionLine returns s, a description, on one line of limited length, without anything that could
// look like the end of the list.
func descriptionLine(s string) string {
	s = strings.Join(strings.Fields(strings.NewReplacer("<", "‹", ">", "›").Replace(s)), " ")
	if len(s) > maxAbout {
		s = strings.ToValidUTF8(s[:maxAbout], "") + "…"
	}
	return s
}

// FindNamed returns the skill name in list, or an error that lists the names.
func FindNamed(list []Skill, name string) (*Skill, error) {
	i := slices.IndexFunc(list, func(s Skill) bool { return s.Name == name })
	if i < 0 {
		names := make([]string, len(list))
		for i := range list {
			names[i] = list[i].Name
		}
		return nil, fmt.Errorf("there is no skill %q: there are %s", name, strings.Join(names, ", "))
	}
	return &list[i], nil
}

// Tools returns the tools that read the skills in list, or nil if there are none.
func Tools(list []Skill) []tool.Tool {
	if len(list) == 0 {
		return nil
	}
	reader := func(name, about, params string, do func(in readArgs) (string, error)) tool.Tool {
		return tool.Tool{
			Definition: model.Definition{Name: name, Description: about, Parameters: json.RawMessage(params)}, Category: "skills", ReadOnly: true,
			Run: func(_ context.Context, input json.RawMessage) (string, error) {
				var in readArgs
				if err := tool.ParseArguments(input, &in); err != nil {
					return "", fmt.Errorf("arguments of %s: %w", name, err)
				}
				return do(in)
			},
		}
	}
	return []tool.Tool{
		reader("read_skill", "Read a skill.", `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`, func(in readArgs) (string, error) {
			s, err := FindNamed(list, in.Name)
			if err != nil {
				return "", err
			}
			if s.Fork {
				return "", fmt.Errorf("%s runs by itself: use run_skill", s.Name)
			}
			return s.Text()
		}),
		reader("read_skill_file", "Read a file that belongs to a skill.", `{"type":"object","properties":{"skill_name":{"type":"string"},"path":{"type":"string","description":"as the skill names it"}},"required":["skill_name","path"]}`, func(in readArgs) (string, error) {
			s, err := FindNamed(list, in.Skill)
			if err != nil {
				return "", err
			}
			return s.ReadFile(in.Path)
		}),
	}
}

type readArgs struct {
	Name  string `json:"name"`
	Skill string `json:"skill_name"`
	Path  string `json:"path"`
}
