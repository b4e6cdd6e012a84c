package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/permit"
	"github.com/checkrein/checkrein/internal/agent/session"
	"github.com/checkrein/checkrein/internal/engine"
)

// The sources of a ruling, as values of approval_source in on_tool_approval_decision.
const (
	byHookAllow     = "pre_tool_use_hook_allow"
	byHookDeny      = "pre_tool_use_hook_deny"
	byRequestAllow  = "permission_request_hook_allow"
	byRequestDeny   = "permission_request_hook_deny"
	byYolo          = "yolo"
	byReadOnly      = "readonly_hint"
	byPerson        = "user_approved"
	byPersonTool    = "user_approved_tool"
	byPersonSession = "user_approved_session"
	byRejection     = "user_rejected"
	byNobody        = "non_interactive_deny"
	byCancel        = "context_canceled"
)

// A ruling is the decision whether a call runs.
type ruling struct {
	decision string // allow, deny or canceled
	source   string
	reason   string // for the model, if the call does not run
	handle   string // for checkrein allow; "" = no grant can help, or none is needed
	halt     *engine.Outcome
}

func allowRuling(source string) ruling { return ruling{decision: "allow", source: source} }
func denyRuling(source, reason string) ruling {
	return ruling{decision: "deny", source: source, reason: reason}
}
func cancelRuling() ruling {
	return ruling{decision: "canceled", source: byCancel, reason: "the call was canceled"}
}
func (r *ruling) allows() bool { return r.decision == "allow" }

// runsOnEveryCall reports whether h runs on every call. Hooks of agent files and the command line
// without preempt do not: they only help to approve. Redaction always runs.
func (t *thread) runsOnEveryCall(h *checkrein.Hook) bool {
	return h.Preempt || !h.Exact && h.From.Scope != checkrein.ScopeFlag || t.agent.hooks.Traits(h).Secrets
}

// isHelper reports whether h only helps to approve calls; see runsOnEveryCall.
func (t *thread) isHelper(h *checkrein.Hook) bool { return !t.runsOnEveryCall(h) }

// runPreToolUse runs the pre_tool_use hooks that pick selects on c, and applies their rewrite of its
// arguments.
func (t *thread) runPreToolUse(ctx context.Context, c *call, pick func(*checkrein.Hook) bool) engine.Outcome {
	out := t.fireOn(ctx, t.agent, checkrein.PreToolUse, pick, c.setTool)
	if in := out.Verdict.Input; in != nil {
		c.input = in
	}
	t.addNextContext(out.Verdict.Context)
	return out
}

// approve decides whether c runs, and fires on_tool_approval_decision. These decide, in order: gates;
// rules; auto-approval; the read-only hint; hooks that help to approve; permission_request hooks; the
// user. If a later step rewrites the arguments, gates and rules judge the call again. If an early step
// asks, the later hooks still run, but only their denials count.
func (t *thread) approve(ctx context.Context, c *call) ruling {
	r := t.decideCall(ctx, c)
	if ctx.Err() != nil {
		r = cancelRuling()
	}
	label := t.safetyLabels(c)
	t.fireOn(context.WithoutCancel(ctx), t.agent, checkrein.OnToolApprovalDecision, nil, c.setTool,
		withDetail("approval_decision", r.decision), withDetail("approval_source", r.source), withDetail("safety_label", label["safety_label"]))
	return r
}

// decideCall returns the ruling on c; see approve.
func (t *thread) decideCall(ctx context.Context, c *call) ruling {
	first := t.runPreToolUse(ctx, c, t.runsOnEveryCall)
	r, ask := t.applyRules(c, &first)
	if r.decision == "" && ask {
		r = t.helperDenial(ctx, c)
	}
	if r.decision != "" {
		return r
	}
	if ask {
		return t.requestPermission(ctx, c, &first, nil)
	}
	before := bytes.Clone(c.input)
	second := t.runHelpers(ctx, c)
	if r := hookRuling(&second); r.decision != "" {
		return r
	}
	if !sameJSON(before, c.input) {
		first = t.runPreToolUse(ctx, c, t.runsOnEveryCall)
		if r, ask := t.applyRules(c, &first); r.decision != "" {
			return r
		} else if ask {
			return t.requestPermission(ctx, c, &first, nil)
		}
	}
	if second.Verdict.Decision == checkrein.Allow || second.Verdict.Decision == checkrein.NoOpinion && gateAllows(&first) {
		return allowRuling(byHookAllow)
	}
	return t.requestPermission(ctx, c, &first, &second)
}

// runHelpers runs the hooks that help to approve c. If there are none, it returns the zero Outcome.
func (t *thread) runHelpers(ctx context.Context, c *call) engine.Outcome {
	if !t.hasHelpers(c) {
		return engine.Outcome{}
	}
	return t.runPreToolUse(ctx, c, t.isHelper)
}

func (t *thread) hasHelpers(c *call) bool {
	ev := checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{ID: t.id, Dir: t.rt.opts.Dir, Agent: t.agent.spec.Name}}
	c.setTool(&ev)
	return slices.ContainsFunc(t.agent.hooks.Plan(ev), func(s engine.Step) bool { return t.isHelper(s.Hook) })
}

// helperDenial runs the hooks that help to approve c, about which the user will be asked. It returns
// their denial, or the zero ruling if there is none; nothing else that they answer counts. It does not
// run them if a rule or auto-approval would have skipped them.
func (t *thread) helperDenial(ctx context.Context, c *call) ruling {
	rule, _ := t.findRuling(c.spec.Name, c.input)
	if rule == permit.Allow || t.rt.Yolo() || !t.hasHelpers(c) {
		return ruling{}
	}
	out := t.fireOn(ctx, t.agent, checkrein.PreToolUse, t.isHelper, c.setTool)
	return hookRuling(&out)
}

// hookRuling returns the ruling of hooks that deny or halt, or the zero ruling if they do neither.
func hookRuling(out *engine.Outcome) ruling {
	if !isDenied(out) && !out.Verdict.Halt {
		return ruling{}
	}
	r := denyRuling(byHookDeny, "rejected by a pre_tool_use hook: "+denialReason(out))
	r.handle = out.Handle
	if out.Verdict.Halt {
		r.halt = out
	}
	return r
}

// applyRules returns the decision of gates, rules and auto-approval. ask is true if the user must be
// asked whatever else is granted. If the ruling is zero and ask is false, the next step decides.
func (t *thread) applyRules(c *call, gates *engine.Outcome) (r ruling, ask bool) {
	if r := hookRuling(gates); r.decision != "" {
		return r, false
	}
	name, input := c.spec.Name, c.input
	rule, source := t.findRuling(name, input)
	if rule == permit.Deny {
		return denyRuling(source+"_deny", "the tool "+name+" is denied by "+levels[source]), false
	}
	if gates.Verdict.Decision == checkrein.Ask {
		if t.rt.rules.IsGranted(name, input) {
			return allowRuling("session_permissions_allow"), false
		}
		return ruling{}, true
	}
	switch {
	case rule == permit.Allow:
		return allowRuling(source + "_allow"), false
	case t.rt.Yolo():
		return allowRuling(byYolo), false
	case rule == permit.Ask:
		return ruling{}, true
	case c.spec.ReadOnly:
		return allowRuling(byReadOnly), false
	}
	return ruling{}, false
}

var levels = map[string]string{"session_permissions": "the session's permissions", "team_permissions": "permissions.deny in the agent file"}

// findRuling returns the ruling for a call of the tool name and the level that it comes from. The
// rules that the user granted take precedence over those of the agent file, except for a denial there.
func (t *thread) findRuling(name string, input json.RawMessage) (permit.Ruling, string) {
	mine, agent, file := permit.None, t.agent.rules.RulingFor(name, input), t.rt.team.RulingFor(name, input)
	if t.rt.rules.IsGranted(name, input) {
		mine = permit.Allow
	}
	theirs := agent
	if theirs == permit.None || file == permit.Deny {
		theirs = file
	}
	if theirs == permit.Deny {
		return permit.Deny, "team_permissions"
	}
	if mine != permit.None {
		return mine, "session_permissions"
	}
	return theirs, "team_permissions"
}

// gateAllows reports whether a gate approves the call. A hook with preempt only advises, so its
// approval does not count.
func gateAllows(out *engine.Outcome) bool {
	return out.Verdict.Decision == checkrein.Allow && slices.ContainsFunc(out.Steps, func(s engine.Step) bool {
		return s.Verdict != nil && s.Verdict.Decision == checkrein.Allow && !s.Hook.Preempt
	})
}

// requestPermission runs permission_request hooks and then asks the user. If a gate asked, such a hook
// can deny but not approve, and if only hooks with preempt asked, it does not run, as docker-agent
// documents.
func (t *thread) requestPermission(ctx context.Context, c *call, gates, helpers *engine.Outcome) ruling {
	q := Question{Session: t.id, Agent: t.agent.spec.Name, Tool: c.spec.Name, CallID: c.id, Metadata: map[string]string{}}
	mandatory, asked := gates.Verdict.Decision == checkrein.Ask, ""
	if !mandatory || !onlyPreemptingAsked(gates) {
		own := func(h *checkrein.Hook) bool { return h.On == checkrein.PermissionRequest } // gates have already run
		out := t.fireOn(ctx, t.agent, checkrein.PermissionRequest, own, c.setTool)
		switch {
		case isDenied(&out):
			r := denyRuling(byRequestDeny, "rejected by a permission_request hook: "+denialReason(&out))
			r.handle = out.Handle
			return r
		case out.Verdict.Input != nil:
			c.input = out.Verdict.Input
			again := t.runPreToolUse(ctx, c, t.runsOnEveryCall)
			if r := t.denialOfRewrite(ctx, c, &again); r.decision != "" {
				return r
			}
			if again.Verdict.Decision == checkrein.Ask {
				gates, mandatory = &again, true
			}
		}
		if !mandatory && out.Verdict.Decision == checkrein.Allow {
			return allowRuling(byRequestAllow)
		}
		maps.Copy(q.Metadata, out.Verdict.Metadata)
	}
	q.Input = c.input
	maps.Copy(q.Metadata, t.safetyLabels(c))
	for _, out := range []*engine.Outcome{helpers, gates} {
		if out != nil {
			maps.Copy(q.Metadata, out.Verdict.Metadata)
			if out.Verdict.Decision == checkrein.Ask {
				q.Reason, asked = out.Verdict.Reason, out.Handle
			}
		}
	}
	r := t.askUser(ctx, c, q)
	if r.source == byNobody {
		r.handle = asked
	}
	return r
}

// denialOfRewrite returns the denial of a call that a permission_request hook rewrote, or the zero
// ruling if there is none. gates is the outcome of the gates on the rewritten call; rules and hooks
// that help to approve may deny it too.
func (t *thread) denialOfRewrite(ctx context.Context, c *call, gates *engine.Outcome) ruling {
	if r, _ := t.applyRules(c, gates); r.decision == "deny" {
		return r
	}
	return t.helperDenial(ctx, c)
}

// onlyPreemptingAsked reports whether all hooks that asked have preempt. Packs that are on by default
// do not have it.
func onlyPreemptingAsked(out *engine.Outcome) bool {
	return !slices.ContainsFunc(out.Steps, func(s engine.Step) bool {
		return s.Verdict != nil && s.Verdict.Decision == checkrein.Ask && !s.Hook.Preempt
	})
}

// askUser asks the user about c and returns the ruling. It asks one question at a time, and does not
// ask about calls that an earlier answer granted.
func (t *thread) askUser(ctx context.Context, c *call, q Question) ruling {
	if !t.interactive {
		reason := "it needs a person's approval, and this run cannot ask anyone"
		if q.Reason != "" {
			reason += ": " + q.Reason
		}
		return denyRuling(byNobody, reason)
	}
	t.rt.askMu.Lock()
	defer t.rt.askMu.Unlock()
	if t.rt.rules.IsGranted(c.spec.Name, c.input) {
		return allowRuling("session_permissions_allow")
	}
	q.Grant = permit.NarrowestRule(c.spec.Name, c.input)
	t.fire(ctx, checkrein.OnUserInput)
	reply, err := t.rt.opts.UI.Confirm(ctx, q)
	if err != nil && ctx.Err() == nil {
		return denyRuling(byNobody, "it needs a person's approval: "+err.Error())
	}
	if err != nil {
		return cancelRuling()
	}
	switch reply.Answer {
	case Approve:
		return allowRuling(byPerson)
	case Always:
		if q.Grant == "" {
			return allowRuling(byPerson) // there is no pattern for similar calls
		}
		if err := t.rt.rules.Grant(q.Grant); err != nil {
			t.report(Report{Type: Warning, Text: err.Error()})
			return allowRuling(byPerson)
		}
		t.rt.save(session.Item{Kind: session.Granted, Text: q.Grant})
		return allowRuling(byPersonTool)
	case Everything:
		t.rt.SetYolo(true)
		return allowRuling(byPersonSession)
	}
	return denyRuling(byRejection, t.rejectionText(ctx, reply.Reason))
}

// safetyLabels returns the runtime's own classification of c, as metadata of a question.
func (t *thread) safetyLabels(c *call) map[string]string {
	ev := checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{ID: t.id, Dir: t.rt.opts.Dir}}
	c.setTool(&ev)
	acts := t.agent.hooks.Acts(ev)
	out := map[string]string{"safety_label": "unknown", "blast_radius": "unknown"}
	if c.spec.ReadOnly {
		out["safety_label"], out["blast_radius"] = "safe", "safe"
	}
	if acts.Label != "" {
		out["safety_label"] = acts.Label
	}
	if acts.Radius != "" {
		out["blast_radius"] = acts.Radius
	}
	return out
}

// sameJSON reports whether a and b are equal except for their formatting.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	if bytes.Equal(a, b) {
		return true
	}
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	p, _ := json.Marshal(x)
	q, _ := json.Marshal(y)
	return bytes.Equal(p, q)
}
