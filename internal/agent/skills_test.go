package agent

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/skill"
)

// newSkillLab returns a lab whose agent has a skill to read and one with fork.
func newSkillLab(t *testing.T, tools string) *lab {
	t.Helper()
	l := newLab(t)
	l.yolo = true
	for name, head := range map[string]string{"note": "", "review": "context: fork\n" + tools} {
		dir := filepath.Join(l.dir, ".agents", "skills", name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		text := "---\nname: " + name + "\ndescription: how to " + name + "\n" + head + "---\nSteps of " + name + "\n"
		if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l.skills = skill.Find(skill.Place{Top: l.dir, Dir: l.dir})
	return l
}

// A skill with fork runs in a session of its own with the agent's hooks: no prompt is submitted and no
// agent is switched, but sub-agent events are fired.
func TestSkillRunsByItself(t *testing.T) {
	t.Parallel()
	l := newSkillLab(t, "")
	l.script["root"] = []scriptedAnswer{{calls: []string{`run_skill {"name":"review","task":"look at main.go"}`}}, {calls: []string{`act {"h":1}`}}, {text: "reviewed"}, {text: "thanks"}}
	if err := l.runPrompt("go"); err != nil {
		t.Fatal(err)
	}
	at := slices.Index(l.events, "root on_tool_approval_decision")
	end := len(l.events) - 1 - slices.Index(reversed(l.events), "root subagent_stop")
	wantList(t, "events", l.events[at+1:end+1], strings.Split(`root subagent_start|root session_start|root turn_start|root before_llm_call|root after_llm_call|root pre_tool_use|root on_tool_approval_decision|root tool_response_transform|root post_tool_use|root turn_end|root turn_start|root before_llm_call|root after_llm_call|root on_response_end|root stop|root turn_end|root session_end|root subagent_stop`, "|"))
	if n := len(slices.DeleteFunc(slices.Clone(l.events), func(e string) bool { return e != "root user_prompt_submit" })); n != 1 {
		t.Errorf("%d prompts were submitted", n)
	}
	if slices.Contains(l.events, "root on_agent_switch") {
		t.Error("an agent was switched")
	}
	stop := l.lastEvent(checkrein.SubagentStop)
	if stop.Session.ID == "s1" || stop.Session.Agent != "root" || stop.Text != "reviewed" || detailText(stop, "parent_session_id") != "s1" || detailText(stop, "subagent_type") != "review" {
		t.Errorf("subagent_stop: %+v", stop)
	}
	if !l.wasSent(1, "Steps of review") || !l.wasSent(1, "look at main.go") || l.wasSent(1, `"role":"user","content":"go"`) || !l.wasSent(3, "reviewed") || l.wasSent(0, "Steps of review") {
		t.Errorf("asked %+v", l.asked)
	}
	if !l.wasSent(0, "- note: how to note\n") || !l.wasSent(0, "- review: how to review (run it with run_skill)") {
		t.Error("the agent was not told of its skills")
	}
}

func reversed(list []string) []string {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

func TestHooksDenySkills(t *testing.T) {
	t.Parallel()
	for _, on := range []string{"root pre_tool_use", "root subagent_start"} {
		l := newSkillLab(t, "")
		l.on[on] = deny("not this one")
		l.script["root"] = []scriptedAnswer{{calls: []string{`run_skill {"name":"review","task":"x"}`}}}
		if err := l.runPrompt("go"); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(l.events, "root subagent_stop") || !l.wasSent(1, "not this one") {
			t.Errorf("%s: %v", on, l.events)
		}
	}
}

// A skill that names its tools cannot use others.
func TestToolsOfASkill(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]string{
		"":                                 "act look shell run_skill",
		"allowed-tools: lo*, Bash\n":       "look shell",
		"allowed-tools: [look, run_skill]": "look run_skill",
		"allowed-tools: Bash(git:*)\n":     "",
	} {
		if head != "" {
			head = strings.TrimSuffix(head, "\n") + "\n"
		}
		l := newSkillLab(t, head)
		l.script["root"] = []scriptedAnswer{{calls: []string{`run_skill {"name":"review","task":"x"}`}}, {calls: []string{`act {"h":1}`}}, {text: "done"}}
		if err := l.runPrompt("go"); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, name := range []string{"act", "look", "shell", "run_skill"} {
			if slices.ContainsFunc(l.asked[1].Tools, func(d model.Definition) bool { return d.Name == name }) {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: tools %q, want %q", head, got, want)
		}
		if ran := slices.Contains(l.ran, `act {"h":1}`); ran != strings.HasPrefix(want, "act") {
			t.Errorf("%q: ran %v", head, l.ran)
		}
	}
}

func TestReadSkill(t *testing.T) {
	t.Parallel()
	l := newSkillLab(t, "")
	l.script["root"] = []scriptedAnswer{{calls: []string{`read_skill {"name":"note"}`, `read_skill {"name":"review"}`, `read_skill {"name":"x"}`, `read_skill_file {"skill_name":"note","path":"../review/SKILL.md"}`}}, {text: "ok"}}
	if err := l.runPrompt("go"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Steps of note", "review runs by itself: use run_skill", `there is no skill "x": there are note, review`, "escapes"} {
		if !l.wasSent(1, want) {
			t.Errorf("the model did not hear %q", want)
		}
	}
}
