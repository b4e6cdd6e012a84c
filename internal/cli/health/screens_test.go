package health

import (
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/cli/canary"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/doctor"
	"github.com/checkrein/checkrein/internal/evidence/misses"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/lab/clitest"
	"github.com/checkrein/checkrein/internal/text/message"
)

// The screens of a machine with many problems match their golden files.
func TestScreens(t *testing.T) {
	t.Parallel()
	ago := func(d time.Duration) *time.Time { at := clitest.Noon.Add(-d); return &at }
	events := []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"}
	site := install.Site{Scope: "user", Files: []install.SiteFile{{Path: "/home/ann/.claude/settings.json"}}, Events: events}
	codex := site
	codex.Files = []install.SiteFile{{Path: "/home/ann/.codex/hooks.json"}}
	hosts := []install.Report{
		{Host: "claude", Title: "Claude Code", Installed: []install.Site{site}, Enabled: &install.Check{State: install.Yes}, Trusted: &install.Check{State: install.NotNeeded},
			Seen: install.Seen{Count: 1204, Last: ago(3 * time.Minute), Event: "PreToolUse"}, Proven: install.Proof{State: install.Yes, Time: ago(48 * time.Hour), Version: "2.1.325", Mode: "headless", Checkrein: "v1.2.0", Rows: map[capability.Row]capability.Result{capability.DenyShell: capability.Honoured, capability.DenyWrite: capability.Honoured, capability.Latency: capability.NotShown}}},
		{Host: "codex", Title: "Codex CLI", Installed: []install.Site{codex}, Enabled: &install.Check{State: install.Yes},
			Trusted:  &install.Check{State: install.NotYet, Why: "Codex skips what you did not trust: all 5 events", Remedies: []message.Remedy{message.Do("start codex, open /hooks and trust them")}},
			Problems: []message.Message{message.New("the program /home/ann/bin/checkrein is not there", message.Do("put it there"), message.Run("checkrein install codex --scope user", "to name this one"))}},
		{Host: "gemini", Title: "Gemini CLI", Present: true}, {Host: "cursor", Title: "Cursor"}, {Host: "kiro", Title: "Kiro CLI"},
	}
	changed := message.New("changed since it was approved: scripts/lint.sh changed", message.Run("checkrein hooks approve lint", "after you have reviewed what changed"))
	report := &doctor.Report{Ran: []doctor.Run{{Hook: "lint", Event: "stop", Took: 4 * time.Millisecond}}, Findings: []doctor.Finding{
		{Check: "changed", Level: doctor.Error, Hook: "lint", Event: "pre_tool_use", Origin: "/home/ann/shop/checkrein.yaml:4", Message: changed},
		{Check: "changed", Level: doctor.Error, Hook: "lint", Event: "post_tool_use", Origin: "/home/ann/shop/checkrein.yaml:11", Message: changed},
		{Check: "host-unseen", Level: doctor.Warn, Message: message.New("Codex CLI: no event from it has ever arrived", message.Do("use the host once"), message.Run("checkrein status", message.Then))},
		{Check: "host-not-installed", Level: doctor.Info, Message: message.New("Gemini CLI is on this machine, but does not call checkrein", message.Run("checkrein install gemini", ""))},
	}}
	known := []evidence{
		{Host: "claude", Installed: true, Proved: ago(48 * time.Hour), Misses: &misses.Count{Calls: 12}, Canary: ago(3 * time.Hour)},
		{Host: "codex", Installed: true, Misses: &misses.Count{Calls: 12, Failed: 2}, Canary: ago(3 * time.Hour), Hooks: []canary.Standing{{Host: "codex", Hook: "audit.sh", Verdict: "inert", Time: ago(3 * time.Hour)}, {Host: "codex", Hook: "new.py"}}},
		{Host: "checkrein", Canary: ago(3 * time.Hour), Hooks: []canary.Standing{{Host: "checkrein", Hook: "lint", Verdict: "crashes", Time: ago(3 * time.Hour)}}},
	}
	status := &statusReport{On: true, GitUnscanned: true, Hosts: hosts, Evidence: known, Guards: []message.Message{message.New("paused until 13:00: what hooks decide is recorded and not enforced", message.Run("checkrein pause off", "to end the pause"))}, Running: []runningHost{{Host: "claude", PID: 4711, Since: ago(2 * time.Hour)}, {Host: "codex", PID: 4712, Since: ago(26 * time.Hour), Background: true}}}
	clitest.CheckScreens(t, map[string]func(env *console.Env){
		"status":   func(env *console.Env) { _ = status.report(env, false, false).Show() },
		"status-v": func(env *console.Env) { _ = status.report(env, false, true).Show() },
		"doctor":   func(env *console.Env) { _ = doctorReport(env, report).Show() },
	})
}
