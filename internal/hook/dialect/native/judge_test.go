package native

import (
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/google/go-cmp/cmp"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	from := checkrein.Origin{File: "/c.yaml", Line: 2}
	for _, tt := range []struct {
		block string
		want  setting.Judge
	}{
		{"{model: openai/gpt-4o-mini}", setting.Judge{Model: "openai/gpt-4o-mini", Calls: 20, Money: 100_000, Timeout: 20 * time.Second, From: from}},
		{"{model: a/b/c, calls: 3, money: 0.10, prompt: p, timeout: 1m30s, on_spent: ask}",
			setting.Judge{Model: "a/b/c", Prompt: "p", Calls: 3, Money: 100_000, Timeout: 90 * time.Second, OnSpent: checkrein.Ask, From: from}},
		{"{model: a/b, money: 2, timeout: 0.5, on_spent: none}", setting.Judge{Model: "a/b", Calls: 20, Money: 2_000_000, Timeout: 500 * time.Millisecond, From: from}},
	} {
		f, err := read("version: 1\njudge: " + tt.block + "\n")
		if diff := cmp.Diff([]setting.Judge{tt.want}, f.Settings.Judges); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", tt.block, err, diff)
		}
	}
}

// TestBadJudge checks that an invalid judge is ignored and reported with a remedy.
func TestBadJudge(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ block, err string }{
		{"true", "judge is a boolean, not a mapping (write judge: "},
		{"openai/gpt-4o-mini", "judge is a string, not a mapping (write judge: "},
		{"[{model: a/b}]", "judge is a list, not a mapping (write judge: "},
		{"{calls: 3}", "judge has no model (write judge: "},
		{"{model: gpt}", `judge.model: "gpt" is not a valid model name (write provider/model`},
		{"{model: /b}", "is not a valid model name"},
		{"{model: a/}", "is not a valid model name"},
		{"{model: 'a/b c'}", "is not a valid model name"},
		{"{model: [a/b]}", "is not a valid model name"},
		{"{model: a/b, calls: 0}", "judge.calls: 0 is out of range (write a whole number from 1 to 10000)"},
		{"{model: a/b, calls: 1.5}", "judge.calls"},
		{"{model: a/b, calls: many}", "judge.calls is a string"},
		{"{model: a/b, money: 0}", `judge.money: "0" is out of range (write the limit in USD per session`},
		{"{model: a/b, money: -1}", "judge.money"},
		{"{model: a/b, money: 1001}", "judge.money"},
		{"{model: a/b, money: '0.1'}", "judge.money"},
		{"{model: a/b, timeout: 0}", "judge.timeout"},
		{"{model: a/b, timeout: -5}", "judge.timeout"},
		{"{model: a/b, timeout: 11m}", "judge.timeout"},
		{"{model: a/b, timeout: soon}", `judge.timeout: "soon" is not a valid duration (write seconds`},
		{"{model: a/b, on_spent: allow}", `judge.on_spent: "allow" is unknown (use none`},
		{"{model: a/b, on_spent: 1}", "judge.on_spent"},
		{"{model: a/b, prompt: ' '}", "judge.prompt is not valid"},
		{"{model: a/b, prompt: [x]}", "judge.prompt is not valid"},
	} {
		f, err := read("version: 1\njudge: " + tt.block + "\n")
		if err == nil || !strings.Contains(err.Error(), tt.err) || len(f.Settings.Judges) > 0 || f.Lost != nil {
			t.Errorf("%s: %v, %+v", tt.block, err, f.Settings.Judges)
		}
	}
	if _, err := read("version: 1\njudge: {model: a/b, cals: 3}\n"); err == nil || !strings.Contains(err.Error(), "cals") {
		t.Errorf("an unknown key: %v", err)
	}
}
