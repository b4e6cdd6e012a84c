package hooks

import (
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/lab/clitest"
	"github.com/checkrein/checkrein/internal/text/message"
)

// The list of hooks with many problems matches its golden files.
func TestListScreens(t *testing.T) {
	t.Parallel()
	const long = "my-guard-with-a-name-that-is-longer-than-any-column"
	hook := func(id, event, shows, origin, approval, health string) hookReport {
		return hookReport{ID: id, Event: event, Shows: shows, Scope: "project", Origin: origin, Approval: approval, Health: health}
	}
	approve := func(id string) []message.Remedy {
		return []message.Remedy{message.Run("checkrein hooks approve "+id, "")}
	}
	lint := hook("lint", "pre_tool_use", "./scripts/lint.sh", "/home/ann/shop/checkrein.yaml:4", "changed", "changed")
	lint.Drift = []driftReport{{Name: "scripts/lint.sh", Why: "changed", MTime: clitest.Noon.Add(-10 * time.Minute), Approved: clitest.Noon.Add(-30 * time.Minute)}}
	lint.Remedies = approve("lint")
	lint2 := lint
	lint2.Event, lint2.Origin = "post_tool_use", "/home/ann/shop/checkrein.yaml:11"
	fine := hook(long, "pre_tool_use", "./guard.sh", "/home/ann/shop/checkrein.yaml:14", "approved", "ok")
	fine.LastRun, fine.Match = &runRecord{At: clitest.Noon.Add(-2 * time.Hour)}, "Bash"
	gone := hook("gone", "stop", "/home/ann/no-such.sh", "/home/ann/.config/checkrein/checkrein.yaml:12", "not needed", "missing")
	gone.Scope, gone.HealthWhy = "user", "/home/ann/no-such.sh is not there"
	gone.Remedies = []message.Remedy{message.Do("put the file there, or correct its path in /home/ann/.config/checkrein/checkrein.yaml:12")}
	fresh := hook("fresh", "stop", "INPUT=$(cat)\nmake check", "/home/ann/shop/checkrein.yaml:20", "not approved", "not approved")
	fresh.Remedies = approve("fresh")
	packs := hook("packs", "pre_tool_use", "packs", byDefault, "not needed", "ok")
	packs.Scope = "user"
	list := &listReport{On: true, Root: "/home/ann/shop", Hooks: []hookReport{gone, lint, lint2, fresh, fine, packs},
		Files:  []fileEntry{{Path: "/home/ann/shop/.claude/settings.json", Scope: "project", Broken: true, Remedies: []message.Remedy{message.Run("checkrein validate", "")}}},
		Guards: []message.Message{message.New("paused until 13:00: what hooks decide is recorded and not enforced", message.Run("checkrein pause off", "to end the pause"))}}
	clitest.CheckScreens(t, map[string]func(env *console.Env){
		"hooks":   func(env *console.Env) { _ = list.report(env, false).Show() },
		"hooks-v": func(env *console.Env) { _ = list.report(env, true).Show() },
	})
}
