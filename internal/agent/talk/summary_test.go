package talk

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/agent"
	"github.com/checkrein/checkrein/internal/text/card"
)

func TestSummary(t *testing.T) {
	t.Parallel()
	shell := func(command, why, handle string, rules ...string) agent.Report {
		input, _ := json.Marshal(map[string]string{"cmd": command})
		return agent.Report{Type: agent.Blocked, Tool: "shell", Input: input, Text: why, Card: &card.Card{Sentence: why}, Handle: handle, Rules: rules}
	}
	for _, tt := range []struct {
		name string
		reps []agent.Report
		want string
	}{
		{"nothing", []agent.Report{{Type: agent.Called, Text: "x"}}, ""},
		{"once and again", []agent.Report{shell("git push -f", "Overwrites main", "4f2a", "git/push-force"), shell("git push -f", "Overwrites main", "4f2a", "git/push-force"), shell("rm x", "No", "")},
			"blocked in this run:\n  4f2a  git push -f: Overwrites main [git/push-force] (2 times)\n        rm x: No\nTo allow one that has a handle in front, run in a terminal of your own: checkrein allow HANDLE\n"},
		{"what nobody can lift", []agent.Report{shell("rm x", "No", "")}, "blocked in this run:\n  rm x: No\n"},
		{"a prompt", []agent.Report{{Type: agent.Blocked, Event: "user_prompt_submit", Text: "no\nmore", Handle: "4f2a"}},
			"blocked in this run:\n  4f2a  user_prompt_submit: no\nTo allow one that has a handle in front, run in a terminal of your own: checkrein allow HANDLE\n"},
		{"long, of several lines, with an escape", []agent.Report{shell("a\n  b\x1b[2K"+strings.Repeat("é", 200), "No\x1b", "")},
			"blocked in this run:\n  a b\\x1b[2K" + strings.Repeat("é", 90) + " …: No\\x1b\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var s blockSummary
			for _, rep := range tt.reps {
				s.addIfBlocked(rep)
			}
			var out strings.Builder
			if s.print(&out); out.String() != tt.want {
				t.Errorf("got\n%q\nwant\n%q", out.String(), tt.want)
			}
		})
	}
}
