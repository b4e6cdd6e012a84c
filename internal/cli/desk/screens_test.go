package desk

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/doctor"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/lab/clitest"
)

// screens are the screens of a day on which much is wrong.
func screens() map[string]func(env *console.Env) {
	ago := func(d time.Duration) *time.Time { at := clitest.Noon.Add(-d); return &at }
	events := []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"}
	site := install.Site{Scope: "user", Files: []install.SiteFile{{Path: "/home/ann/.claude/settings.json"}}, Events: events}
	codex := site
	codex.Files = []install.SiteFile{{Path: "/home/ann/.codex/hooks.json"}}
	hosts := []install.Report{
		{Host: "claude", Title: "Claude Code", Installed: []install.Site{site}, Enabled: &install.Check{State: install.Yes}, Trusted: &install.Check{State: install.NotNeeded},
			Seen: install.Seen{Count: 1204, Last: ago(3 * time.Minute), Event: "PreToolUse"}, Proven: install.Proof{State: install.Yes, Time: ago(48 * time.Hour), Version: "2.1.325", Mode: "headless", Checkrein: "v1.2.0", Rows: map[capability.Row]capability.Result{capability.DenyShell: capability.Honoured, capability.DenyWrite: capability.Honoured, capability.Latency: capability.NotShown}}},
		{Host: "codex", Title: "Codex CLI", Installed: []install.Site{codex}, Enabled: &install.Check{State: install.Yes},
			Trusted:  &install.Check{State: install.NotYet, Why: "Codex skips what you did not trust: " + strings.Join(events, ", ") + ". Start codex, open /hooks and trust them"},
			Problems: []string{"the program /home/ann/bin/checkrein is not there: put it there, or checkrein install codex --scope user"}},
		{Host: "gemini", Title: "Gemini CLI", Present: true}, {Host: "cursor", Title: "Cursor"}, {Host: "kiro", Title: "Kiro CLI"},
	}
	const long = "my-guard-with-a-name-that-is-longer-than-any-column"
	hook := func(id, event, shows, origin, approval, health string) hookReport {
		return hookReport{ID: id, Event: event, Shows: shows, Scope: "project", Origin: origin, Approval: approval, Health: health, approve: "checkrein hooks approve " + id}
	}
	lint := hook("lint", "pre_tool_use", "./scripts/lint.sh", "/home/ann/shop/checkrein.yaml:4", "changed", "changed")
	lint.Drift = []driftReport{{Name: "scripts/lint.sh", Why: "changed", MTime: clitest.Noon.Add(-10 * time.Minute), Approved: clitest.Noon.Add(-30 * time.Minute)}}
	lint2 := lint
	lint2.Event, lint2.Origin = "post_tool_use", "/home/ann/shop/checkrein.yaml:11"
	fine := hook(long, "pre_tool_use", "./guard.sh", "/home/ann/shop/checkrein.yaml:14", "approved", "ok")
	fine.LastRun, fine.Match = &ran{At: clitest.Noon.Add(-2 * time.Hour)}, "Bash"
	gone := hook("gone", "stop", "/home/ann/no-such.sh", "/home/ann/.config/checkrein/checkrein.yaml:12", "not needed", "missing")
	gone.Scope, gone.HealthWhy = "user", "/home/ann/no-such.sh is not there"
	packs := hook("packs", "pre_tool_use", "packs", byDefault, "not needed", "ok")
	packs.Scope = "user"
	list := &listReport{On: true, Root: "/home/ann/shop", Hooks: []hookReport{gone, lint, lint2, hook("fresh", "stop", "make check", "/home/ann/shop/checkrein.yaml:20", "not approved", "not approved"), fine, packs},
		Files: []fileEntry{{Path: "/home/ann/shop/.claude/settings.json", Scope: "project", Broken: true}}, Guards: []string{"paused until 13:00 (to end the pause, run checkrein pause off): what hooks decide is recorded and not enforced"}}
	report := &doctor.Report{Ran: []doctor.Ran{{Hook: "lint", Event: "stop", Took: 4 * time.Millisecond}}, Findings: []doctor.Finding{
		{Check: "changed", Level: doctor.Error, Hook: "lint", Event: "pre_tool_use", Origin: "/home/ann/shop/checkrein.yaml:4", What: "changed since it was approved: scripts/lint.sh changed", Remedy: "review what changed, then approve it again: checkrein hooks approve lint"},
		{Check: "changed", Level: doctor.Error, Hook: "lint", Event: "post_tool_use", Origin: "/home/ann/shop/checkrein.yaml:11", What: "changed since it was approved: scripts/lint.sh changed", Remedy: "review what changed, then approve it again: checkrein hooks approve lint"},
		{Check: "host-unseen", Level: doctor.Warn, What: "Codex CLI: no event from it has ever arrived", Remedy: "use the host once, then run checkrein status"},
		{Check: "host-not-installed", Level: doctor.Info, What: "Gemini CLI is on this machine, but does not call checkrein", Remedy: "checkrein install gemini"},
	}}
	status := &statusReport{On: true, GitUnscanned: true, Hosts: hosts, Guards: list.Guards, Running: []runningHost{{Host: "claude", PID: 4711, Since: ago(2 * time.Hour)}, {Host: "codex", PID: 4712, Since: ago(26 * time.Hour), Background: true}}}
	return map[string]func(env *console.Env){
		"status":   func(env *console.Env) { printStatus(base.Screen(env, env.Stdout), status, false, false) },
		"status-v": func(env *console.Env) { printStatus(base.Screen(env, env.Stdout), status, false, true) },
		"doctor":   func(env *console.Env) { showDoctor(base.Screen(env, env.Stdout), report, hosts, false) },
		"hooks":    func(env *console.Env) { printHookList(env, list, false) },
		"hooks-v":  func(env *console.Env) { printHookList(env, list, true) },
	}
}

// The screens, as they are at 80 and at 120 columns, and with colours.
func TestScreens(t *testing.T) {
	t.Parallel()
	for name, show := range screens() {
		for _, c := range []struct {
			width  int
			colour string
		}{{80, "never"}, {120, "never"}, {80, "always"}} {
			var out strings.Builder
			show(&console.Env{Stdout: &out, Colour: c.colour, Now: func() time.Time { return clitest.Noon }, Environ: []string{"HOME=/home/ann", "TZ=UTC", "COLUMNS=" + strconv.Itoa(c.width)}})
			file := "screens/" + name + "-" + strconv.Itoa(c.width)
			if c.colour == "always" {
				file += "-colour"
			}
			clitest.Golden(t, file+".txt", out.String())
		}
	}
}
