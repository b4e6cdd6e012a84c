package agent

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model"
)

// elsewhere are the rows that no agent fires: events of git and of the scrubber,
// of other hosts, and the one that the command line fires before a session
// exists. Each names the test that shows it.
var elsewhere = map[checkrein.Kind]string{
	checkrein.Other:          "hosts only",
	checkrein.WorktreeCreate: "cmd/checkrein: run_worktree",
	checkrein.PreCommit:      "git",
	checkrein.PrePush:        "git",
	checkrein.Scrub:          "scrub",
}

// The runtime fires every row of the contract table.
func TestEveryRowIsFired(t *testing.T) {
	t.Parallel()
	fired := map[string]bool{}
	run := func(set func(*lab), do func(*lab, *Runtime)) {
		l := newTeamLab(t)
		set(l)
		r := l.start()
		r.Start(t.Context(), "startup")
		do(l, r)
		r.End(t.Context(), EndOther)
		for _, e := range l.events {
			_, name, _ := strings.Cut(e, " ")
			fired[name] = true
		}
	}
	run(func(l *lab) {
		l.yolo, l.goOn = false, true
		l.person = func(Question) Reply { return Reply{Answer: Approve} }
		l.agents[0].MaxIterations = 1
		l.runs = func(string, json.RawMessage) (string, error) { return "", errors.New("it broke") }
		l.script["root"] = []scriptedAnswer{{calls: []string{`act {}`, `send_message {"message":"m"}`, `transfer_task {"agent":"helper","task":"x"}`}}, {text: "done"}}
	}, func(l *lab, r *Runtime) {
		_ = r.Steer("faster")
		_ = r.FollowUp("more")
		_ = r.Prompt(t.Context(), "go")
		_ = r.Compact(t.Context())
		_ = r.PursueGoal(t.Context(), "g")
	})
	run(func(l *lab) { l.script["root"] = []scriptedAnswer{{err: model.ErrOverflow}} }, func(_ *lab, r *Runtime) { _ = r.Prompt(t.Context(), "go") })
	for _, row := range checkrein.Contracts() {
		if _, ok := elsewhere[row.Kind]; ok == fired[row.Name] {
			t.Errorf("%s: fired %v, listed as fired elsewhere %v", row.Name, fired[row.Name], ok)
		}
	}
}
