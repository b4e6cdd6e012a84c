package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/lab/conformance"
)

// A promise is a behaviour that docker-agent's own tests check, with its number in the list that
// checkrein is compared with: the tool pipeline, the loop, the builtins.
type promise struct {
	item int
	says string
	ours string // an intended difference
	// shown names the tests that show it: "TestName/row" of this package, or
	// "directory TestName/row".
	shown []string
}

var promises = []promise{
	{33, "deny rules refuse, allow rules run, deny beats allow, the session's level comes before the file's",
		"a refusal of either level stands: no grant of a session undoes what the file denies",
		[]string{"TestApproval/allow rule", "TestApproval/deny rule", "TestApproval/deny rule beats allow rule", "internal/agent/permit TestOf", "TestRulesOfTwoLevels"}},
	{34, "deny rules survive auto-approval; ask rules do not", "",
		[]string{"TestApproval/deny rule beats yolo", "TestApproval/yolo beats an ask rule", "cmd/checkrein TestScripts/run_once"}},
	{35, "hooks that help to approve: allow runs, deny refuses, ask asks; rules go first; auto-approval skips them; they know the agent",
		"gates that are no agent file's or flag's are always heard; the read-only hint settles a call before helpers are asked, as the documentation has it",
		[]string{"TestApproval/helper allows", "TestApproval/helper denies", "TestApproval/helper asks", "TestApproval/deny rule beats a helper's allow",
			"TestApproval/helper is skipped under yolo", "TestApproval/helper is skipped by an allow rule", "TestApproval/gate denies under yolo", "TestHooksKnowTheAgent"}},
	{36, "preempting hooks: ask despite auto-approval and the file's allow rules, deny at once, allow only advises, metadata is shown; a grant silences the very call", "",
		[]string{"TestApproval/preempting hook asks under yolo", "TestApproval/preempting hook denies under yolo", "TestApproval/preempting hook's allow approves nothing",
			"TestApproval/preempting hook asks despite a file's allow rule", "TestGrant", "internal/agent/permit TestCovers"}},
	{37, "a guard refuses whatever else is granted, and neither helpers nor permission_request overrule what it asks",
		"there is no event of its own for guards: every gate is one. A person's grant for the very call silences its ask",
		[]string{"TestApproval/gate denies under yolo", "TestApproval/deny rule beats a gate's ask", "TestApproval/preempting hook asks: neither helpers nor request can approve", "TestNoWayAroundTheGate"}},
	{38, "what was rewritten is what rules see", "there is no event of its own for rewriting arguments: gates do it", []string{"TestRulesSeeRewrites"}},
	{39, "a helper's rewrite is judged again by gates and rules, once; one that changes nothing is not", "", []string{"TestRewriteIsJudgedAgain", "TestNoChangeIsNotJudgedAgain"}},
	{40, "a gate that fails refuses, and so does a helper that is asked", "", []string{"TestFailingGatesRefuse"}},
	{41, "where nobody can be asked, the call is refused, with a source of its own", "", []string{"TestApproval/nobody can be asked", "TestBackground"}},
	{42, "cancellation is no denial", "", []string{"TestCancel", "TestCanceledQuestion"}},
	{43, "everybody's metadata is in the one question", "", []string{"TestPromptMetadata", "TestOneQuestion"}},
	{44, "the answer always gives a rule for the session; sources have stable names", "", []string{"TestGrant", "TestApproval/person approves the tool"}},
	{45, "what a tool returned is changed before anybody sees it, refusals too", "", []string{"TestEffects/output is replaced before anyone sees it", "TestRefusalsAreTransformed"}},
	{46, "post_tool_use gets the response and whether it failed", "tools of the runtime itself fire it too, and post_tool_use_failure follows a failure", []string{"TestPostToolUseKnows"}},
	{47, "under auto-approval secrets reach neither the tool, the person, nor what is kept", "", []string{"cmd/checkrein TestScripts/run_secrets", "internal/agent/session TestSecretsAreNotKept"}},
	{48, "turn_end however a turn ends", "", []string{"TestOrder", "TestEffects/model call is refused", "TestModelFails", "TestCancel", "TestQueues"}},
	{49, "before_llm_call once an iteration, counted anew for each prompt", "", []string{"internal/guard TestMaxIterations", "TestIterationsAreCounted"}},
	{50, "after_llm_call knows model, usage and cost: none when there is no price, 0 when it is free", "", []string{"TestCostsAreTold"}},
	{51, "user_prompt_submit once for a prompt, and not for tasks of agents", "", []string{"TestTransfer", "TestPromptsAreSubmittedOnce"}},
	{52, "steering that comes while nobody works is heard in the next turn; hooks hear of it, and of follow-ups", "at a terminal what came too late is the next prompt",
		[]string{"TestQueues", "TestQueuesAreGuarded", "internal/agent/talk TestSteering", "internal/agent/talk TestTooLateToSteer", "TestIdleSteering"}},
	{53, "on_agent_switch names the models that are left, on_session_resume both limits", "", []string{"TestTransfer", "TestHandoff", "TestIterationLimit"}},
	{54, "compaction: refused, summarized by a hook, told of; overflow does not loop", "a veto of either event is told to the person", []string{"TestCompaction/vetoed", "TestCompaction/vetoed later", "TestCompaction/summary of a hook", "TestOverflow"}},
	{55, "the same calls five times in a row end the run, unless the tool polls", "", []string{"TestLoopDetector", "TestPollingIsNoLoop"}},
	{56, "a builtin on stop keeps replies to be given again", "not had: an answer that nobody thought about is nothing to guard", nil},
	{57, "builtins have their names, and do nothing where there is nothing to do", "", []string{"internal/guard TestTable", "internal/guard TestUnknownDirectory", "internal/guard TestGitWithoutOutput"}},
	{58, "builtins that tell the model of its place", "", []string{"internal/guard TestAddDate", "internal/guard TestAddEnvironmentInfo", "internal/guard TestIsGitRepository", "internal/guard TestAddDirectoryListing",
		"internal/guard TestAddDirectoryListingCap", "internal/guard TestAddUserInfo", "internal/guard TestAddRecentCommits", "internal/guard TestAddGitDiff", "internal/guard TestGitUsesHookEnvironment"}},
	{59, "prompt files", "", []string{"internal/guard TestAddPromptFiles"}},
	{60, "max_iterations", "", []string{"internal/guard TestMaxIterations", "cmd/checkrein TestScripts/max_iterations"}},
	{61, "redaction of arguments, messages and output", "the other arguments stay", []string{"internal/guard TestRedactSecrets", "internal/guard TestRedactKeepsOtherArguments"}},
	{62, "large results are saved to a file and truncated", "secrets are removed first", []string{"internal/guard/save TestLimitLargeToolResults", "internal/guard/save TestLimitTwice", "internal/guard/save TestLimitRedactsBeforeSaving"}},
	{63, "safer_shell asks for what destroys and for what nobody knows", "", []string{"internal/guard TestSaferShell", "cmd/checkrein TestScripts/safer_shell"}},
	{64, "commands are known by what they do", "they are parsed, not searched", []string{"internal/shell/classify TestCorpus", "internal/shell/classify TestSameEveryTime"}},
	{65, "snapshots and undo", "they outlive the process", []string{"internal/guard TestSnapshot", "internal/sys/snapshot TestUndo", "internal/sys/snapshot TestLargeFiles", "internal/sys/snapshot TestScope", "cmd/checkrein TestScripts/run_lines"}},
	{66, "unload frees what a local engine holds; http_post sends a fixed request", "http_post is not had: a hook of type http sends the event itself", []string{"internal/guard TestUnload", "internal/guard/usage TestUnloadURL", "cmd/checkrein TestScripts/hooks_http"}},
	{67, "transform_json keeps some keys of a response", "not had: it belongs to a later edition than this list's events", nil},
}

// Every item of the list has a row, and every row names tests that exist or explains the difference.
func TestConformance(t *testing.T) {
	t.Parallel()
	for i, p := range promises {
		if p.item != 33+i {
			t.Fatalf("row %d is item %d", i, p.item)
		}
		t.Run(fmt.Sprint(p.item), func(t *testing.T) {
			t.Parallel()
			if len(p.shown) == 0 && !strings.HasPrefix(p.ours, "not had: ") {
				t.Errorf("nothing shows that %s", p.says)
			}
			for _, name := range p.shown {
				if strings.HasPrefix(name, "Test") {
					name = "internal/agent " + name
				}
				if err := conformance.Find(filepath.Join("..", ".."), name); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	if last := promises[len(promises)-1].item; last != 67 {
		t.Errorf("the list ends with %d", last)
	}
}

// approvalSources returns the sources of the rulings on calls, in order.
func (l *lab) approvalSources() []string {
	var out []string
	for _, ev := range l.seen {
		if ev.Kind == checkrein.OnToolApprovalDecision {
			out = append(out, detailText(ev, "approval_source"))
		}
	}
	return out
}

func TestRulesOfTwoLevels(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.rules = team.Permissions{Ask: []string{"act"}}
	l.agents[0].Permissions = team.Permissions{Deny: []string{"shell:cmd=rm *"}}
	l.person = func(Question) Reply { return Reply{Answer: Always} }
	l.script["root"] = []scriptedAnswer{{calls: []string{`act {}`, `act {}`, `shell {"cmd":"rm x"}`}}}
	r := l.start()
	if err := r.rules.Grant("shell"); err != nil {
		t.Fatal(err)
	}
	_ = r.Prompt(t.Context(), "go")
	wantList(t, "sources", l.approvalSources(), []string{"user_approved_tool", "session_permissions_allow", "team_permissions_deny"})
}

func TestHooksKnowTheAgent(t *testing.T) {
	t.Parallel()
	l := newTeamLab(t)
	l.script["root"] = []scriptedAnswer{{calls: []string{`transfer_task {"agent":"helper","task":"x"}`}}}
	l.script["helper"] = []scriptedAnswer{{calls: []string{`act {}`}}}
	_ = l.runPrompt("go")
	var who []string
	for _, ev := range l.seen {
		if ev.Kind == checkrein.PreToolUse {
			who = append(who, ev.Session.Agent+" "+ev.Tool.Name)
		}
	}
	wantList(t, "agents", who, []string{"root transfer_task", "helper act"})
}

func TestRulesSeeRewrites(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.yolo = true
	l.rules = team.Permissions{Deny: []string{"shell:cmd=rm *"}}
	l.on["pre_tool_use"] = answerWith(says["rm"])
	l.script["root"] = []scriptedAnswer{{calls: []string{`shell {"cmd":"ls"}`}}}
	_ = l.runPrompt("go")
	wantList(t, "sources", l.approvalSources(), []string{"team_permissions_deny"})
}

func TestNoChangeIsNotJudgedAgain(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	gates := 0
	l.on["root pre_tool_use note"] = func(checkrein.Event) checkrein.Verdict { gates++; return checkrein.Verdict{} }
	l.on["root pre_tool_use helper"] = answerWith(checkrein.Verdict{Decision: checkrein.Allow, Input: json.RawMessage(`{ "x" : 1 }`)})
	l.hooks = func(string) []checkrein.Hook {
		return []checkrein.Hook{recordingHook(checkrein.PreToolUse), helperHook(checkrein.PreToolUse)}
	}
	l.script["root"] = []scriptedAnswer{{calls: []string{`act {"x":1}`}}}
	_ = l.runPrompt("go")
	if gates != 1 || len(l.ran) != 1 {
		t.Errorf("the gate was asked %d times, and %v ran", gates, l.ran)
	}
}

func TestFailingGatesRefuse(t *testing.T) {
	t.Parallel()
	for name, hook := range map[string]checkrein.Hook{"note": recordingHook(checkrein.PreToolUse), "preempting": preemptHook(), "helper": helperHook(checkrein.PreToolUse)} {
		for _, yolo := range []bool{false, true} {
			l := newLab(t)
			l.yolo = yolo
			l.person = func(Question) Reply { return Reply{Answer: Approve} }
			l.on["root pre_tool_use "+name] = func(checkrein.Event) checkrein.Verdict { panic("broken") }
			l.hooks = func(string) []checkrein.Hook {
				return []checkrein.Hook{hook, recordingHook(checkrein.OnToolApprovalDecision)}
			}
			l.script["root"] = []scriptedAnswer{{calls: []string{`act {}`}}}
			_ = l.runPrompt("go")
			want := "pre_tool_use_hook_deny"
			if yolo && name == "helper" {
				want = "yolo" // the hook did not run
			}
			wantList(t, name, l.approvalSources(), []string{want})
		}
	}
}

func TestCanceledQuestion(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	ctx, cancel := context.WithCancel(t.Context())
	l.person = func(Question) Reply { cancel(); return Reply{} }
	l.script["root"] = []scriptedAnswer{{calls: []string{`act {}`}}}
	r := l.start()
	_ = r.Prompt(ctx, "go")
	ev := l.lastEvent(checkrein.OnToolApprovalDecision)
	if detailText(ev, "approval_decision") != "canceled" || detailText(ev, "approval_source") != "context_canceled" || len(l.ran) != 0 {
		t.Errorf("%v", ev.Details)
	}
}

func TestOneQuestion(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	questions := 0
	var q Question
	l.person = func(asked Question) Reply { questions++; q = asked; return Reply{} }
	l.on["root pre_tool_use note"] = answerWith(checkrein.Verdict{Decision: checkrein.Ask, Reason: "one", Metadata: map[string]string{"a": "gate"}})
	l.on["root pre_tool_use preempting"] = answerWith(checkrein.Verdict{Decision: checkrein.Ask, Reason: "two", Metadata: map[string]string{"b": "preempting"}})
	l.hooks = func(string) []checkrein.Hook {
		return []checkrein.Hook{recordingHook(checkrein.PreToolUse), preemptHook()}
	}
	l.script["root"] = []scriptedAnswer{{calls: []string{`act {}`}}}
	_ = l.runPrompt("go")
	if questions != 1 || q.Metadata["a"] != "gate" || q.Metadata["b"] != "preempting" || q.Reason == "" {
		t.Errorf("asked %d times: %+v", questions, q)
	}
}

func TestRefusalsAreTransformed(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]string{"hook": `shell {"cmd":"x"}`, "rule": `act {}`, "unknown tool": `nothing {}`, "arguments": `look [1]`} {
		l := newLab(t)
		l.rules = team.Permissions{Deny: []string{"act"}}
		l.on["pre_tool_use"] = deny("RAW")
		l.on["tool_response_transform"] = rewriteTo("CLEAN")
		l.script["root"] = []scriptedAnswer{{calls: []string{call}}}
		_ = l.runPrompt("go")
		var told []string
		for _, m := range l.asked[1].Messages {
			if m.Role == model.ToolRole {
				told = append(told, m.Content)
			}
		}
		wantList(t, name, told, []string{"CLEAN"})
		if !l.lastEvent(checkrein.ToolResponseTransform).Tool.Failed {
			t.Errorf("%s: hooks do not know that it did not run", name)
		}
	}
}

func TestPostToolUseKnows(t *testing.T) {
	t.Parallel()
	l := newTeamLab(t)
	l.runs = func(_ string, in json.RawMessage) (string, error) {
		if strings.Contains(string(in), "bad") {
			return "half", fmt.Errorf("broke")
		}
		return "fine", nil
	}
	l.script["root"] = []scriptedAnswer{{calls: []string{`act {}`, `act {"bad":1}`, `transfer_task {"agent":"helper","task":"x"}`}}}
	_ = l.runPrompt("go")
	var got []string
	for _, ev := range l.seen {
		if ev.Kind == checkrein.PostToolUse || ev.Kind == checkrein.PostToolUseFailure {
			got = append(got, fmt.Sprintf("%s %s %s %v", ev.Kind, ev.Tool.Name, ev.Tool.Output, ev.Tool.Failed))
		}
	}
	wantList(t, "heard", got, []string{`post_tool_use act "fine" false`, `post_tool_use act "half\nbroke" true`, `post_tool_use_failure act "half\nbroke" true`, `post_tool_use transfer_task "done" false`})
	var types []string
	for _, r := range l.reports {
		if r.CallID == "root-0-0" {
			types = append(types, r.Type)
		}
	}
	wantList(t, "reports", types, []string{Calling, Called})
}

func TestIterationsAreCounted(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.yolo = true
	l.script["root"] = []scriptedAnswer{{calls: []string{`act {"n":1}`}}, {calls: []string{`act {"n":2}`}}, {text: "done"}, {text: "again"}}
	r := l.start()
	for range 2 {
		_ = r.Prompt(t.Context(), "go")
	}
	var got []string
	for _, ev := range l.seen {
		if ev.Kind == checkrein.BeforeLLMCall {
			got = append(got, string(ev.Detail("iteration")))
		}
	}
	wantList(t, "iterations", got, []string{"1", "2", "3", "1"})
}

func TestCostsAreTold(t *testing.T) {
	t.Parallel()
	r := newLab(t).start()
	free, dear := 0.0, 0.25
	for _, tt := range []struct {
		answer model.Answer
		want   string
	}{
		{model.Answer{}, `model_id "test/root"`},
		{model.Answer{Usage: &model.Usage{Input: 3, Output: 1}}, `model_id "test/root" usage {"input_tokens":3,"output_tokens":1,"cached_input_tokens":0,"cached_write_tokens":0}`},
		{model.Answer{Cost: &free}, `model_id "test/root" cost 0`},
		{model.Answer{Cost: &dear}, `model_id "test/root" cost 0.25`},
	} {
		var ev checkrein.Event
		for _, a := range r.main.costDetails(&tt.answer) {
			a(&ev)
		}
		var got []string
		for _, d := range ev.Details {
			got = append(got, d.Name+" "+string(d.Value))
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s, want %s", s, tt.want)
		}
	}
}

func TestPromptsAreSubmittedOnce(t *testing.T) {
	t.Parallel()
	l := newTeamLab(t)
	l.script["root"] = []scriptedAnswer{{calls: []string{`transfer_task {"agent":"helper","task":"x"}`}}}
	_ = l.runPrompt("go")
	n := 0
	for _, e := range l.events {
		if strings.HasSuffix(e, " user_prompt_submit") {
			n++
		}
	}
	if n != 1 || !slices.Contains(l.events, "helper session_start") {
		t.Errorf("%d times: %v", n, l.events)
	}
}

func TestIdleSteering(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	r := l.start()
	_ = r.Steer("early")
	_ = r.Prompt(t.Context(), "go")
	if !l.wasSent(0, "early") || len(l.asked) != 1 || detailText(l.lastEvent(checkrein.TurnEnd), "reason") != "normal" {
		t.Errorf("%d calls, events %v", len(l.asked), l.events)
	}
}

func TestPollingIsNoLoop(t *testing.T) {
	t.Parallel()
	l := newTeamLab(t)
	for range 2 * maxRepeats {
		l.script["root"] = append(l.script["root"], scriptedAnswer{calls: []string{`view_background_agent {"task_id":"1"}`}})
	}
	if err := l.runPrompt("go"); err != nil || l.calls["root"] != 2*maxRepeats+1 {
		t.Errorf("%v after %d calls", err, l.calls["root"])
	}
}
