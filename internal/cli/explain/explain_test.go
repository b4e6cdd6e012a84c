package explain

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/lab/clitest"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/google/go-cmp/cmp"
)

func TestExplainScreens(t *testing.T) {
	t.Parallel()
	lone := clitest.DeniedRecord()
	lone.Plan = []record.Step{{Hook: "packs", Type: "builtin", Scope: "user", Origin: "user", Stage: 1, Outcome: "answered", Decision: "deny",
		Reason: "Blocked (overwrites main on origin): git push -f", Rule: "git/push-force", Why: "overwrites main on origin", Pack: "git", PackKey: "high", Effects: []string{"deny"}},
		{Hook: "protect_paths", Type: "builtin", Scope: "user", Origin: "user", Stage: 1, Outcome: "silent"}}
	lone.Handle, lone.Dropped, lone.Ignored, lone.Notices = "4f2a", nil, nil, nil
	lone.Reply = &record.Reply{Stdout: &record.Part{JSON: json.RawMessage(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"checkrein blocked git push -f: overwrites main on origin [git/push-force]. A person can allow it in another terminal: checkrein allow 4f2a"}}`)}}
	redacted := clitest.UndecidedRecord()
	redacted.Event, redacted.Native, redacted.Effects, redacted.Notices, redacted.Reply = "tool_response_transform", "PostToolUse", []string{"rewrite_output"}, []string{"1 secret redacted"}, nil
	redacted.Tool, redacted.Subject = clitest.DeniedRecord().Tool, clitest.DeniedRecord().Subject
	redacted.Plan = []record.Step{{Hook: "guard_secrets", Type: "builtin", Scope: "user", Origin: "user", Stage: 1, Outcome: "answered", Effects: []string{"rewrite_output"}}}
	live := &currentState{own: true, block: &grant.Block{Handle: "4f2a", Decision: "deny", Root: "/work/app", By: []grant.Decider{{Hook: "packs", Type: "builtin", Scope: "user", Rule: "git/push-force"}}}}
	for name, tt := range map[string]struct {
		r   *record.Record
		now *currentState
	}{"asked": {clitest.DeniedRecord(), &currentState{}}, "calm": {clitest.UndecidedRecord(), &currentState{}}, "unreadable": {unreadableRecord(), &currentState{}}, "denied": {lone, live}, "redacted": {redacted, &currentState{}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newExplanation(clitest.Raw(t, tt.r), tt.r, tt.now)
			clitest.Golden(t, "explain_"+name+".txt", clitest.OnScreen("", "never", func(p *report.Report) { s.print(p, tt.r) }))
		})
	}
	s := newExplanation(clitest.Raw(t, lone), lone, live)
	clitest.Golden(t, "explain_denied_colour.txt", clitest.OnScreen("80", "always", func(p *report.Report) { s.print(p, lone) }))
}

// unreadableRecord returns a record of an event that could not be judged.
func unreadableRecord() *record.Record {
	return &record.Record{V: 1, Seq: 8, Kind: "event", Time: clitest.Noon, Event: "other", Host: "native", Decision: "deny",
		Reason: "checkrein cannot judge this: the payload is no JSON", Fault: "the payload is no JSON", Effects: []string{"deny"}}
}

// Control characters in a record must not reach a terminal.
func TestExplainIsEscapedForTerminals(t *testing.T) {
	t.Parallel()
	r := clitest.HostileRecord()
	shown := func(raw []byte) string {
		return clitest.OnScreen("80", "never", func(p *report.Report) { PrintRecord(p, raw, time.UTC) })
	}
	raw := clitest.Raw(t, r)
	clitest.CheckVisible(t, map[string]string{
		"show":    shown(raw),
		"members": shown([]byte(strings.Replace(string(raw), `"kind":"event"`, `"kind":"torn"`, 1))),
		"no json": shown([]byte(clitest.Controls)),
		"explain": clitest.OnScreen("", "never", func(p *report.Report) {
			s := newExplanation(clitest.Raw(t, r), r, &currentState{})
			s.print(p, r)
		}),
	})
}

func TestMergedDecision(t *testing.T) {
	t.Parallel()
	step := func(hook, decision string) record.Step {
		return record.Step{Hook: hook, Outcome: "answered", Decision: decision, Reason: decision + " by " + hook}
	}
	tests := []struct {
		name     string
		record   record.Record
		decision string
		hooks    []string
	}{
		{"nobody", record.Record{Decision: "none"}, "none", nil},
		{"silence", record.Record{Decision: "none", Plan: []record.Step{{Hook: "a", Outcome: "silent"}}}, "none", nil},
		{"one", record.Record{Decision: "ask", Plan: []record.Step{step("a", "ask"), {Hook: "b", Outcome: "silent"}}}, "ask", []string{"a"}},
		{"agreed", record.Record{Decision: "deny", Plan: []record.Step{step("a", "deny"), step("b", "deny")}}, "deny", []string{"a", "b"}},
		{"strictest", record.Record{Decision: "deny", Plan: []record.Step{step("a", "allow"), step("b", "deny"), step("c", "ask")}}, "deny", []string{"b"}},
		{"unlisted", record.Record{Decision: "deny", More: 3, Plan: []record.Step{{Hook: "a", Outcome: "silent"}}}, "deny", nil},
		{"unreadable", *unreadableRecord(), "deny", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := tt.record.Merge()
			if got.Decision != tt.decision || !slices.Equal(got.Hooks, tt.hooks) {
				t.Errorf("got %q by %q, want %q by %q", got.Decision, got.Hooks, tt.decision, tt.hooks)
			}
		})
	}
}

func TestChangesOfOutcome(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		step record.Step
		want []string
	}{
		{"own", record.Step{Hook: "a", Scope: "user", Origin: "/u.yaml:3", Outcome: "answered", Decision: "deny"}, []string{"edit /u.yaml:3: remove the hook"}},
		{"own rule", record.Step{Hook: "a", Type: "rule", Scope: "user", Origin: "/u.yaml:3", Outcome: "answered", Decision: "deny"}, []string{"edit /u.yaml:3: write decision: none"}},
		{"project", record.Step{Hook: "a b", Scope: "project", Origin: "/p.yaml:3", Outcome: "answered", Decision: "deny"},
			[]string{"in /root, run checkrein hooks revoke 'a b'"}},
		{"managed", record.Step{Hook: "a", Scope: "managed", Origin: "/m.yaml:3", Outcome: "answered", Decision: "deny"}, []string{AskAdministrator + " (/m.yaml:3)"}},
		{"managed fault", record.Step{Hook: "a", Scope: "managed", Origin: "/m.yaml:3", Outcome: "fault", Fault: "x", Decision: "deny"}, []string{AskAdministrator + " (/m.yaml:3)"}},
		{"flag", record.Step{Hook: "a", Scope: "flag", Origin: "flag", Outcome: "answered", Decision: "deny"}, []string{"remove it from the command line that started the agent"}},
		{"no file", record.Step{Hook: "a", Scope: "user", Origin: "user", Outcome: "answered", Decision: "deny"}, []string{"change the calling program: it supplies the hook, which is not in a file"}},
		{"slow", record.Step{Hook: "a", Scope: "user", Origin: "/u.yaml:3", Outcome: "fault", Fault: "timed out after 1s"},
			[]string{"make it faster, or give it a longer timeout: edit /u.yaml:3"}},
		{"changed", record.Step{Hook: "a", Scope: "project", Origin: "/p.yaml:3", Outcome: "fault", Fault: "changed since it was approved: x.sh"},
			[]string{"check what changed in /p.yaml:3", "run checkrein hooks approve a"}},
		{"unapproved", record.Step{Hook: "a", Scope: "project", Origin: "/p.yaml:3", Outcome: "unapproved", Skipped: "not approved: x"},
			[]string{"read it first: /p.yaml:3", "in /root, run checkrein hooks approve a"}},
		{"off", record.Step{Hook: "a", Scope: "user", Origin: "/u.yaml:3", Outcome: "skipped", Skipped: "hooks are switched off"}, []string{"run checkrein hooks on"}},
		{"off by file", record.Step{Hook: "a", Scope: "user", Origin: "/u.yaml:3", Outcome: "skipped", Skipped: "switched off by agent.yaml in the same folder, which says shell_hooks.enabled: false"}, []string{"run checkrein hooks on"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := &record.Record{Event: "pre_tool_use", Decision: "deny", Root: "/root", Plan: []record.Step{tt.step}}
			got := possibleChanges(r, "deny", &currentState{})
			if len(got) != 1 || message.JoinRemedies(got[0].Remedies) != strings.Join(tt.want, "; ") {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	lesser := &record.Record{Decision: "deny", Plan: []record.Step{
		{Hook: "a", Scope: "user", Origin: "/u:1", Outcome: "answered", Decision: "allow"},
		{Hook: "b", Scope: "user", Origin: "/u:2", Outcome: "answered", Decision: "deny"},
	}}
	if got := possibleChanges(lesser, "deny", &currentState{}); len(got) != 1 || got[0].Hook != "b" {
		t.Errorf("a hook that was outvoted is named: %+v", got)
	}
	acting := &record.Record{Event: "stop", Decision: "none", Effects: []string{"context", "redo"},
		Dropped: []record.Dropped{{Hook: "c", Effect: "context", Why: "x"}}, Plan: []record.Step{
			{Hook: "a", Scope: "user", Origin: "/u:1", Outcome: "answered", Effects: []string{"context", "redo", "halt"}},
			{Hook: "b", Scope: "user", Origin: "/u:2", Outcome: "silent"},
			{Hook: "c", Scope: "user", Origin: "/u:3", Outcome: "answered", Effects: []string{"context"}},
		}}
	want := []change{{Hook: "a", Why: "gave the model context, sent the agent back to work", Remedies: remedyList{message.Do("edit /u:1: remove the hook")}}}
	if diff := cmp.Diff(want, possibleChanges(acting, "none", &currentState{})); diff != "" {
		t.Errorf("hooks that had an effect (-want +got):\n%s", diff)
	}
	both := &record.Record{Decision: "allow", Effects: []string{"allow", "rewrite_input"}, Plan: []record.Step{
		{Hook: "a", Scope: "user", Origin: "/u:1", Outcome: "answered", Decision: "allow", Effects: []string{"allow", "rewrite_input"}},
		{Hook: "b", Scope: "user", Origin: "/u:2", Outcome: "answered", Effects: []string{"rewrite_input"}},
	}}
	want = []change{{Hook: "a", Why: "decided allow, and changed the input", Remedies: remedyList{message.Do("edit /u:1: remove the hook")}}, {Hook: "b", Why: "changed the input", Remedies: remedyList{message.Do("edit /u:2: remove the hook")}}}
	if diff := cmp.Diff(want, possibleChanges(both, "allow", &currentState{})); diff != "" {
		t.Errorf("hooks that decided and had an effect (-want +got):\n%s", diff)
	}
	unlisted := &record.Record{Event: "stop", Decision: "none", Effects: []string{"halt"}, More: 3}
	if got := possibleChanges(unlisted, "none", &currentState{}); len(got) != 0 {
		t.Errorf("somebody had an effect: %+v", got)
	}
	other := &record.Record{Event: "other", Native: "FileChanged", Decision: "none"}
	if got := possibleChanges(other, "none", &currentState{}); len(got) != 1 || !strings.Contains(message.JoinRemedies(got[0].Remedies), "hooks: native:FileChanged:") {
		t.Errorf("a native event is not named: %+v", got)
	}
}

// The answer has the decision, who made it, why, and what to do next.
func TestExplainAnswer(t *testing.T) {
	t.Parallel()
	call := func(r record.Record) *record.Record {
		r.Event, r.Time = "pre_tool_use", clitest.Noon
		r.Tool = &record.Tool{Name: "Bash", Canonical: "shell"}
		r.Subject = &record.Subject{Input: &record.Part{JSON: json.RawMessage(`{"command":"git  push\n -f"}`)}}
		return &r
	}
	pack := record.Step{Hook: "packs", Type: "builtin", Scope: "user", Origin: "user", Outcome: "answered", Decision: "deny", Reason: "Blocked (x): git push", Rule: "git/push-force", Why: "overwrites main on origin", Pack: "git", PackKey: "high"}
	with := func(fn func(*record.Step)) []record.Step { s := pack; fn(&s); return []record.Step{s} }
	plan := []record.Step{pack}
	by := []grant.Decider{{Hook: "packs", Type: "builtin", Scope: "user", Rule: "git/push-force"}}
	block := &grant.Block{Handle: "4f2a", Decision: "deny", Root: "/p", By: by}
	mixed := &grant.Block{Handle: "4f2a", Decision: "deny", Root: "/p", By: append(by, grant.Decider{Hook: "my guard", Type: "command", Program: true})}
	live := &currentState{own: true, block: block}
	pause := []personAct{{Act: "pause", Until: clitest.Noon.Add(time.Hour), time: clitest.Noon.Add(-time.Minute)}}
	lifted := with(func(s *record.Step) {
		s.Lifted, s.Outcome, s.Decision = &record.Lifted{Grant: "g3", Decision: "deny", Reason: s.Reason}, "lifted", ""
	})
	const did = "  git push -f · git/push-force · Overwrites main on origin."
	for _, tt := range []struct {
		name string
		r    *record.Record
		now  *currentState
		want string
	}{
		{"denied", call(record.Record{Decision: "deny", Handle: "4f2a", Plan: plan}), live, "DENIED" + did + " · allow it once: checkrein allow 4f2a"},
		{"by a program too", call(record.Record{Decision: "deny", Handle: "4f2a", Plan: plan}), &currentState{own: true, block: mixed}, "DENIED" + did + " · allow it once: checkrein allow 4f2a --rule git/push-force --rule 'my guard'"},
		{"old", call(record.Record{Decision: "deny", Handle: "4f2a", Plan: plan}), &currentState{own: true}, "DENIED" + did + " · The handle 4f2a is older than a day. To get a new one, let the agent try again."},
		{"another's ledger", call(record.Record{Decision: "deny", Handle: "4f2a", Plan: plan}), &currentState{}, "DENIED" + did},
		{"asked", call(record.Record{Decision: "ask", Handle: "4f2a", Plan: with(func(s *record.Step) { s.Decision = "ask" })}), live, "ASKED" + did + " · allow it for this session: checkrein allow 4f2a --session"},
		{"unasked", call(record.Record{Decision: "deny", Handle: "4f2a", Unasked: "the host cannot ask", Plan: with(func(s *record.Step) { s.Decision = "ask" })}), live,
			"DENIED" + did + " · The user was not asked: the host cannot ask. · allow it once: checkrein allow 4f2a"},
		{"managed", call(record.Record{Decision: "deny", Plan: with(func(s *record.Step) { s.Scope = "managed" })}), &currentState{own: true}, "DENIED" + did + " · No grant can lift that: the hook is managed, so ask your administrator."},
		{"self-protection", call(record.Record{Decision: "deny", Plan: with(func(s *record.Step) { s.Final = "self-protection" })}), &currentState{own: true}, "DENIED" + did + " · No grant can lift that: it is checkrein's self-protection, but you can run the command yourself by hand."},
		{"fault", call(record.Record{Decision: "deny", Plan: []record.Step{{Hook: "g", Outcome: "fault", Fault: "exit 7", Decision: "deny", Reason: "failed"}}}), &currentState{own: true}, "DENIED  git push -f · g · It could not answer: exit 7. · No grant can lift that: the hook failed, so fix the hook \"g\"."},
		{"shadow", call(record.Record{Decision: "deny", Shadow: true, Plan: plan}), &currentState{own: true}, "NOT ENFORCED (shadow mode): would have been denied" + did},
		{"paused", call(record.Record{Decision: "ask", Shadow: true, Plan: with(func(s *record.Step) { s.Decision = "ask" })}), &currentState{own: true, acts: pause}, "NOT ENFORCED (paused): would have been asked about" + did},
		{"paused before", call(record.Record{Decision: "deny", Shadow: true, Plan: plan}), &currentState{own: true, acts: append(pause, personAct{Act: "resume", time: clitest.Noon.Add(-time.Second)})}, "NOT ENFORCED (shadow mode): would have been denied" + did},
		{"lifted", call(record.Record{Decision: "none", Plan: lifted}), live, "ALLOWED BY GRANT g3  git push -f · git/push-force · Overwrites main on origin; grant g3 let it pass."},
		{"changed", call(record.Record{Decision: "none", Effects: []string{"rewrite_input"}, Plan: []record.Step{{Hook: "tidy", Outcome: "answered", Effects: []string{"rewrite_input"}}}}), live, "CHANGED  git push -f · tidy · tidy changed the input."},
		{"allowed", call(record.Record{Decision: "allow", Plan: []record.Step{{Hook: "ok", Outcome: "answered", Decision: "allow"}}}), live, "ALLOWED  git push -f · ok · ok gave no reason."},
		{"silence", call(record.Record{Decision: "none"}), live, "NOT DECIDED  git push -f"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sum := summarize(tt.r, tt.now)
			if got := sum.String(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// A reason is shown once, whoever gave it.
func TestExplainShowsEachReasonOnce(t *testing.T) {
	t.Parallel()
	r := clitest.RepeatedReasonRecord()
	s := newExplanation(clitest.Raw(t, r), r, &currentState{})
	clitest.CheckReasonOnce(t, func(p *report.Report) { s.print(p, r) })
}

func TestPrintRecord(t *testing.T) {
	t.Parallel()
	shown := func(columns string, raw []byte) string {
		return clitest.OnScreen(columns, "never", func(p *report.Report) { PrintRecord(p, raw, time.UTC) })
	}
	clitest.Golden(t, "show_asked.txt", shown("", clitest.Raw(t, clitest.DeniedRecord())))
	clitest.Golden(t, "show_torn.txt", shown("", []byte(`{"v":1,"seq":9,"kind":"torn","time":"2026-11-15T12:00:00Z","bytes":17,"digest":"ab","hash":"cd"}`)))
	clitest.Golden(t, "show_no_record.txt", shown("", []byte(`{"v":1,`)))
}
