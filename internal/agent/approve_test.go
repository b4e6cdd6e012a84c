package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/team"
)

// helperHook returns a hook of an agent file: it helps to approve, and auto-approval skips it.
func helperHook(kind checkrein.Kind) checkrein.Hook {
	h := recordingHook(kind)
	h.ID, h.Dialect, h.Exact = "helper", "docker-agent", true
	return h
}

// preemptHook returns a hook of an agent file that always runs.
func preemptHook() checkrein.Hook {
	h := helperHook(checkrein.PreToolUse)
	h.ID, h.Preempt = "preempting", true
	return h
}

func flagHook() checkrein.Hook {
	h := recordingHook(checkrein.PreToolUse)
	h.ID, h.From = "flag", checkrein.Origin{Scope: checkrein.ScopeFlag}
	return h
}

var (
	says = map[string]checkrein.Verdict{
		"allow": {Decision: checkrein.Allow, Reason: "fine"}, "ask": {Decision: checkrein.Ask, Reason: "sure?"}, "deny": {Decision: checkrein.Deny, Reason: "no"},
		"halt": {Decision: checkrein.Deny, Reason: "stop it", Halt: true}, "rm": {Input: json.RawMessage(`{"cmd":"rm x"}`)},
		"allow rm": {Decision: checkrein.Allow, Reason: "fine", Input: json.RawMessage(`{"cmd":"rm x"}`)},
	}
	answers = map[string]Answer{"yes": Approve, "no": Reject, "always": Always, "everything": Everything}
)

// TestApproval checks which step decides a call, in the documented order.
func TestApproval(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		gate     string // the decision of a gate
		preempt  string // the decision of an agent file's hook with preempt
		helper   string // the decision of an agent file's other hook
		flag     string // the decision of a hook of the command line
		request  string // the decision of a permission_request hook
		rules    team.Permissions
		yolo     bool
		person   string // "" = there is none
		tool     string // "" = act
		source   string
		decision string
		heard    string // the hooks that ran, in order
	}{
		{name: "nobody can be asked", source: "non_interactive_deny", decision: "deny"},
		{name: "person approves", person: "yes", source: "user_approved", decision: "allow"},
		{name: "person rejects", person: "no", source: "user_rejected", decision: "deny"},
		{name: "person approves the tool", person: "always", source: "user_approved_tool", decision: "allow"},
		{name: "person approves everything", person: "everything", source: "user_approved_session", decision: "allow"},
		{name: "yolo", yolo: true, source: "yolo", decision: "allow"},
		{name: "read-only", tool: "look", source: "readonly_hint", decision: "allow"},

		{name: "allow rule", rules: team.Permissions{Allow: []string{"act"}}, source: "team_permissions_allow", decision: "allow"},
		{name: "deny rule", rules: team.Permissions{Deny: []string{"act"}}, source: "team_permissions_deny", decision: "deny"},
		{name: "deny rule beats allow rule", rules: team.Permissions{Deny: []string{"act"}, Allow: []string{"act"}}, source: "team_permissions_deny", decision: "deny"},
		{name: "deny rule beats yolo", rules: team.Permissions{Deny: []string{"act"}}, yolo: true, source: "team_permissions_deny", decision: "deny"},
		{name: "deny rule beats a helper's allow", rules: team.Permissions{Deny: []string{"act"}}, helper: "allow", source: "team_permissions_deny", decision: "deny"},
		{name: "deny rule beats a gate's allow", rules: team.Permissions{Deny: []string{"act"}}, gate: "allow", source: "team_permissions_deny", decision: "deny", heard: "note"},
		{name: "deny rule beats a gate's ask", rules: team.Permissions{Deny: []string{"act"}}, gate: "ask", person: "yes", source: "team_permissions_deny", decision: "deny", heard: "note"},
		{name: "ask rule: a helper's allow does not count", rules: team.Permissions{Ask: []string{"act"}}, helper: "allow", person: "no", source: "user_rejected", decision: "deny", heard: "helper request"},
		{name: "ask rule: a helper denies", rules: team.Permissions{Ask: []string{"act"}}, helper: "deny", person: "yes", source: "pre_tool_use_hook_deny", decision: "deny", heard: "helper"},
		{name: "ask rule: a helper's rewrite does not count", rules: team.Permissions{Ask: []string{"act"}}, helper: "rm", person: "yes", source: "user_approved", decision: "allow", heard: "helper request"},
		{name: "yolo beats an ask rule", rules: team.Permissions{Ask: []string{"act"}}, yolo: true, source: "yolo", decision: "allow"},
		{name: "ask rule on a read-only tool", rules: team.Permissions{Ask: []string{"look"}}, tool: "look", source: "non_interactive_deny", decision: "deny"},

		{name: "helper allows", helper: "allow", source: "pre_tool_use_hook_allow", decision: "allow", heard: "helper"},
		{name: "helper denies", helper: "deny", source: "pre_tool_use_hook_deny", decision: "deny", heard: "helper"},
		{name: "helper asks", helper: "ask", person: "yes", source: "user_approved", decision: "allow", heard: "helper request"},
		{name: "helper asks, request approves", helper: "ask", request: "allow", source: "permission_request_hook_allow", decision: "allow", heard: "helper request"},
		{name: "helper is skipped under yolo", helper: "deny", yolo: true, source: "yolo", decision: "allow"},
		{name: "helper is skipped by an allow rule", helper: "deny", rules: team.Permissions{Allow: []string{"act"}}, source: "team_permissions_allow", decision: "allow"},
		{name: "helper is skipped by the read-only hint", helper: "deny", tool: "look", source: "readonly_hint", decision: "allow"},
		{name: "flag's hook is a helper", flag: "deny", yolo: true, source: "yolo", decision: "allow"},
		{name: "flag's hook denies", flag: "deny", source: "pre_tool_use_hook_deny", decision: "deny", heard: "flag"},

		{name: "preempting hook denies under yolo", preempt: "deny", yolo: true, source: "pre_tool_use_hook_deny", decision: "deny", heard: "preempting"},
		{name: "preempting hook denies despite an allow rule", preempt: "deny", rules: team.Permissions{Allow: []string{"act"}}, source: "pre_tool_use_hook_deny", decision: "deny", heard: "preempting"},
		{name: "preempting hook asks under yolo", preempt: "ask", yolo: true, person: "yes", source: "user_approved", decision: "allow", heard: "preempting"},
		{name: "preempting hook asks, nobody is there", preempt: "ask", yolo: true, source: "non_interactive_deny", decision: "deny", heard: "preempting"},
		{name: "preempting hook asks: neither helpers nor request can approve", preempt: "ask", helper: "allow", request: "allow", person: "no", source: "user_rejected", decision: "deny", heard: "preempting helper"},
		{name: "preempting hook asks, a helper denies", preempt: "ask", helper: "deny", person: "yes", source: "pre_tool_use_hook_deny", decision: "deny", heard: "preempting helper"},
		{name: "preempting hook asks, a flag's hook denies", preempt: "ask", flag: "deny", person: "yes", source: "pre_tool_use_hook_deny", decision: "deny", heard: "preempting flag"},
		{name: "preempting hook asks under yolo: helpers are skipped", preempt: "ask", helper: "deny", yolo: true, person: "yes", source: "user_approved", decision: "allow", heard: "preempting"},
		{name: "preempting hook says nothing", preempt: "nothing", helper: "allow", source: "pre_tool_use_hook_allow", decision: "allow", heard: "preempting helper"},
		{name: "preempting hook's allow only advises", preempt: "allow", helper: "deny", source: "pre_tool_use_hook_deny", decision: "deny", heard: "preempting helper"},
		{name: "preempting hook's allow approves nothing", preempt: "allow", source: "non_interactive_deny", decision: "deny", heard: "preempting request"},
		{name: "preempting hook asks despite a file's allow rule", preempt: "ask", rules: team.Permissions{Allow: []string{"act"}}, person: "yes", source: "user_approved", decision: "allow", heard: "preempting"},

		{name: "gate denies under yolo", gate: "deny", yolo: true, source: "pre_tool_use_hook_deny", decision: "deny", heard: "note"},
		{name: "gate denies a read-only tool", gate: "deny", tool: "look", source: "pre_tool_use_hook_deny", decision: "deny", heard: "note"},
		{name: "gate asks under yolo", gate: "ask", yolo: true, person: "no", source: "user_rejected", decision: "deny", heard: "note"},
		{name: "gate asks, a helper denies", gate: "ask", helper: "deny", person: "yes", source: "pre_tool_use_hook_deny", decision: "deny", heard: "note helper"},
		{name: "gate asks, a helper halts", gate: "ask", helper: "halt", person: "yes", source: "pre_tool_use_hook_deny", decision: "deny", heard: "note helper"},
		{name: "gate asks: a helper's allow does not count", gate: "ask", helper: "allow", source: "non_interactive_deny", decision: "deny", heard: "note helper"},
		{name: "gate asks: a request's allow does not count", gate: "ask", request: "allow", person: "no", source: "user_rejected", decision: "deny", heard: "note request"},
		{name: "gate asks, a request denies", gate: "ask", request: "deny", person: "yes", source: "permission_request_hook_deny", decision: "deny", heard: "note request"},
		{name: "gate asks about a read-only tool, a helper denies", gate: "ask", helper: "deny", tool: "look", person: "yes", source: "pre_tool_use_hook_deny", decision: "deny", heard: "note helper"},
		{name: "gate asks despite an allow rule: helpers are skipped", gate: "ask", helper: "deny", rules: team.Permissions{Allow: []string{"act"}}, person: "yes", source: "user_approved", decision: "allow", heard: "note"},
		{name: "gate allows", gate: "allow", source: "pre_tool_use_hook_allow", decision: "allow", heard: "note"},
		{name: "helper's denial beats a gate's allow", gate: "allow", helper: "deny", source: "pre_tool_use_hook_deny", decision: "deny", heard: "note helper"},

		{name: "request allows", request: "allow", source: "permission_request_hook_allow", decision: "allow", heard: "request"},
		{name: "request denies", request: "deny", person: "yes", source: "permission_request_hook_deny", decision: "deny", heard: "request"},
		{name: "request says nothing", request: "", person: "yes", source: "user_approved", decision: "allow"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.yolo, l.rules = tt.yolo, tt.rules
			if tt.person != "" {
				l.person = func(Question) Reply { return Reply{Answer: answers[tt.person]} }
			}
			var heard []string
			l.hooks = func(string) []checkrein.Hook {
				list := []checkrein.Hook{recordingHook(checkrein.OnToolApprovalDecision)}
				add := func(said string, h checkrein.Hook, name string) {
					if said == "" {
						return
					}
					h.ID = name
					list = append(list, h)
					key := "root " + h.On.String() + " " + name
					l.on[key] = func(checkrein.Event) checkrein.Verdict {
						heard = append(heard, name)
						return says[said]
					}
				}
				add(tt.gate, recordingHook(checkrein.PreToolUse), "note")
				add(tt.preempt, preemptHook(), "preempting")
				add(tt.helper, helperHook(checkrein.PreToolUse), "helper")
				add(tt.flag, flagHook(), "flag")
				if tt.heard != "" && strings.Contains(tt.heard, "request") && tt.request == "" {
					tt.request = "nothing"
				}
				add(tt.request, recordingHook(checkrein.PermissionRequest), "request")
				return list
			}
			name := tt.tool
			if name == "" {
				name = "act"
			}
			l.script["root"] = []scriptedAnswer{{calls: []string{name + ` {"x":1}`}}}
			_ = l.runPrompt("go")
			ev := l.lastEvent(checkrein.OnToolApprovalDecision)
			if got := detailText(ev, "approval_source"); got != tt.source {
				t.Errorf("source %q, want %q", got, tt.source)
			}
			if got := detailText(ev, "approval_decision"); got != tt.decision {
				t.Errorf("decision %q, want %q", got, tt.decision)
			}
			if got := strings.Join(heard, " "); got != tt.heard {
				t.Errorf("heard %q, want %q", got, tt.heard)
			}
			if ran := len(l.ran) > 0; ran != (tt.decision == "allow") {
				t.Errorf("it ran: %v", ran)
			}
		})
	}
}

func detailText(ev checkrein.Event, name string) string {
	var s string
	_ = json.Unmarshal(ev.Detail(name), &s)
	return s
}

// Gates and rules judge a call again after a helper or permission_request hook rewrote its arguments,
// and the person sees the new ones.
func TestRewriteIsJudgedAgain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		rules   team.Permissions
		gate    string // the gate's decision on rm
		request string // the permission_request hook's decision; "" = the helper rewrites
		want    string
		person  bool
	}{
		{name: "rule", rules: team.Permissions{Deny: []string{"shell:cmd=rm *"}}, want: "team_permissions_deny"},
		{name: "gate", gate: "deny", want: "pre_tool_use_hook_deny"},
		{name: "person sees it", person: true, want: "user_approved"},
		{name: "request rewrites: rule", request: "allow rm", rules: team.Permissions{Deny: []string{"shell:cmd=rm *"}}, want: "team_permissions_deny"},
		{name: "request rewrites: gate denies", request: "allow rm", gate: "deny", want: "pre_tool_use_hook_deny"},
		{name: "request rewrites: gate asks", request: "allow rm", gate: "ask", person: true, want: "user_approved"},
		{name: "request rewrites and allows", request: "allow rm", want: "permission_request_hook_allow"},
		{name: "request rewrites, person sees it", request: "rm", person: true, want: "user_approved"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.rules = tt.rules
			gates := 0
			var shown string
			if tt.person {
				l.person = func(q Question) Reply { shown = string(q.Input); return Reply{Answer: Approve} }
			}
			rewriter := helperHook(checkrein.PreToolUse)
			l.on["root pre_tool_use helper"] = answerWith(says["rm"])
			if tt.request != "" {
				rewriter = recordingHook(checkrein.PermissionRequest)
				l.on["root permission_request"] = answerWith(says[tt.request])
			}
			l.on["root pre_tool_use note"] = func(ev checkrein.Event) checkrein.Verdict {
				gates++
				if ev.Tool.Command() == "rm x" {
					return says[tt.gate]
				}
				return checkrein.Verdict{}
			}
			l.hooks = func(string) []checkrein.Hook {
				return []checkrein.Hook{recordingHook(checkrein.PreToolUse), rewriter, recordingHook(checkrein.OnToolApprovalDecision)}
			}
			l.script["root"] = []scriptedAnswer{{calls: []string{`shell {"cmd":"ls"}`}}}
			_ = l.runPrompt("go")
			if got := detailText(l.lastEvent(checkrein.OnToolApprovalDecision), "approval_source"); got != tt.want {
				t.Errorf("source %q, want %q", got, tt.want)
			}
			if gates != 2 {
				t.Errorf("the gate was asked %d times, want 2", gates)
			}
			if tt.person && shown != `{"cmd":"rm x"}` {
				t.Errorf("shown %s", shown)
			}
			if ran := strings.Join(l.ran, "\n"); !strings.HasSuffix(tt.want, "_deny") && ran != `shell {"cmd":"rm x"}` {
				t.Errorf("ran %s", ran)
			}
		})
	}
}

// A grant suppresses a preempting ask for exactly that call, and is saved with the session.
func TestGrant(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	questions := 0
	l.person = func(q Question) Reply { questions++; return Reply{Answer: Always} }
	l.on["root pre_tool_use preempting"] = answerWith(says["ask"])
	l.hooks = func(string) []checkrein.Hook { return []checkrein.Hook{preemptHook()} }
	l.script["root"] = []scriptedAnswer{
		{calls: []string{`shell {"cmd":"mkdir x"}`}}, {calls: []string{`shell {"cmd":"mkdir x"}`}},
		{calls: []string{`shell {"cmd":"mkdir x && rm y"}`}},
	}
	if err := l.runPrompt("go"); err != nil {
		t.Fatal(err)
	}
	if questions != 2 {
		t.Errorf("asked %d times, want 2", questions)
	}
	granted := 0
	for _, it := range l.kept {
		if it.Kind == "grant" {
			granted++
		}
	}
	if granted != 2 {
		t.Errorf("%d grants were kept", granted)
	}
}

// The prompt shows all metadata about the call's risk; earlier hooks take precedence.
func TestPromptMetadata(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	var q Question
	l.person = func(asked Question) Reply { q = asked; return Reply{} }
	l.on["root permission_request"] = answerWith(checkrein.Verdict{Metadata: map[string]string{"a": "request", "blast_radius": "request"}})
	l.on["root pre_tool_use note"] = answerWith(checkrein.Verdict{Metadata: map[string]string{"a": "gate"}})
	l.script["root"] = []scriptedAnswer{{calls: []string{`shell {"cmd":"rm -rf src"}`}}} // which the packs ask for
	_ = l.runPrompt("go")
	if q.Metadata["a"] != "gate" || q.Metadata["safety_label"] != "destructive" || q.Metadata["blast_radius"] != "medium" {
		t.Errorf("metadata %v", q.Metadata)
	}
}
