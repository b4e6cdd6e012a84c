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

// Who settled whether a call runs, as on_tool_approval_decision says it.
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

// A ruling is what became of a call that asked to run.
type ruling struct {
	decision string // allow, deny or canceled
	source   string
	reason   string // for the model, when it does not run
	handle   string // by which a person can allow it; "" = no grant lifts it, or none is needed
	halt     *engine.Outcome
}

func allowed(source string) ruling { return ruling{decision: "allow", source: source} }
func refused(source, reason string) ruling {
	return ruling{decision: "deny", source: source, reason: reason}
}
func givenUp() ruling {
	return ruling{decision: "canceled", source: byCancel, reason: "the call was canceled"}
}
func (r *ruling) runs() bool { return r.decision == "allow" }

// always separates hooks that run on every call from those that only help
// to approve: the unmarked ones of agent files and of the command line.
// Redaction is always heard.
func (t *thread) always(h *checkrein.Hook) bool {
	return h.Preempt || h.Dialect != "docker-agent" && h.From.Scope != checkrein.ScopeFlag || t.who.hooks.Traits(h).Secrets
}

func (t *thread) helps(h *checkrein.Hook) bool { return !t.always(h) }

// gate judges hooks of one lot about a call and takes over what they made of its
// arguments.
func (t *thread) gate(ctx context.Context, c *call, pick func(*checkrein.Hook) bool) engine.Outcome {
	out := t.fireOn(ctx, t.who, checkrein.PreToolUse, pick, c.about)
	if in := out.Verdict.Input; in != nil {
		c.input = in
	}
	t.addCarry(out.Verdict.Context)
	return out
}

// approve settles whether a call runs, in this order: gates that are always
// heard; rules; auto-approval; the read-only hint; hooks that help to approve;
// permission_request; the person. What a later step made of the arguments is
// judged again by the gates and rules before it. An ask of an early step does not
// silence the later ones: they are heard, and of what they say only denials count.
func (t *thread) approve(ctx context.Context, c *call) ruling {
	r := t.settle(ctx, c)
	if ctx.Err() != nil {
		r = givenUp()
	}
	label := t.label(c)
	t.fireOn(context.WithoutCancel(ctx), t.who, checkrein.OnToolApprovalDecision, nil, c.about,
		with("approval_decision", r.decision), with("approval_source", r.source), with("safety_label", label["safety_label"]))
	return r
}

func (t *thread) settle(ctx context.Context, c *call) ruling {
	first := t.gate(ctx, c, t.always)
	r, ask := t.decide(c, &first)
	if r.decision == "" && ask {
		r = t.object(ctx, c)
	}
	if r.decision != "" {
		return r
	}
	if ask {
		return t.prompt(ctx, c, &first, nil)
	}
	before := bytes.Clone(c.input)
	second := t.help(ctx, c)
	if r := byHook(&second); r.decision != "" {
		return r
	}
	if !sameJSON(before, c.input) {
		first = t.gate(ctx, c, t.always)
		if r, ask := t.decide(c, &first); r.decision != "" {
			return r
		} else if ask {
			return t.prompt(ctx, c, &first, nil)
		}
	}
	if second.Verdict.Decision == checkrein.Allow || second.Verdict.Decision == checkrein.NoOpinion && gateAllows(&first) {
		return allowed(byHookAllow)
	}
	return t.prompt(ctx, c, &first, &second)
}

// help asks the hooks that help to approve, if there are any.
func (t *thread) help(ctx context.Context, c *call) engine.Outcome {
	if !t.hasHelp(c) {
		return engine.Outcome{}
	}
	return t.gate(ctx, c, t.helps)
}

func (t *thread) hasHelp(c *call) bool {
	ev := checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{ID: t.id, Dir: t.rt.opts.Dir, Agent: t.who.spec.Name}}
	c.about(&ev)
	return slices.ContainsFunc(t.who.hooks.Plan(ev), func(s engine.Step) bool { return t.helps(s.Hook) })
}

// object runs the hooks that help to approve a call about which the person will
// be asked: they may refuse it, and nothing else of what they say counts. Those
// whom auto-approval skips are skipped here too.
func (t *thread) object(ctx context.Context, c *call) ruling {
	rule, _ := t.rule(c.spec.Name, c.input)
	if rule == permit.Allow || t.rt.Yolo() || !t.hasHelp(c) {
		return ruling{}
	}
	out := t.fireOn(ctx, t.who, checkrein.PreToolUse, t.helps, c.about)
	return byHook(&out)
}

// byHook is the ruling of hooks that refuse or halt.
func byHook(out *engine.Outcome) ruling {
	if !denied(out) && !out.Verdict.Halt {
		return ruling{}
	}
	r := refused(byHookDeny, "rejected by a pre_tool_use hook: "+why(out))
	r.handle = out.Handle
	if out.Verdict.Halt {
		r.halt = out
	}
	return r
}

// decide is what gates, rules and auto-approval say. Ask is true when the person
// must be asked whatever else is granted; without a decision and without ask the
// next step decides.
func (t *thread) decide(c *call, gates *engine.Outcome) (r ruling, ask bool) {
	if r := byHook(gates); r.decision != "" {
		return r, false
	}
	name, input := c.spec.Name, c.input
	rule, source := t.rule(name, input)
	if rule == permit.Deny {
		return refused(source+"_deny", "the tool "+name+" is denied by "+levels[source]), false
	}
	if gates.Verdict.Decision == checkrein.Ask {
		if t.rt.rules.Covers(name, input) {
			return allowed("session_permissions_allow"), false
		}
		return ruling{}, true
	}
	switch {
	case rule == permit.Allow:
		return allowed(source + "_allow"), false
	case t.rt.Yolo():
		return allowed(byYolo), false
	case rule == permit.Ask:
		return ruling{}, true
	case c.spec.ReadOnly:
		return allowed(byReadOnly), false
	}
	return ruling{}, false
}

var levels = map[string]string{"session_permissions": "the session's permissions", "team_permissions": "permissions.deny in the agent file"}

// rule is what the first level of rules says that says anything: the person's,
// then the agent file's. A refusal of either level stands.
func (t *thread) rule(name string, input json.RawMessage) (permit.Ruling, string) {
	mine, agent, file := permit.None, t.who.rules.Of(name, input), t.rt.team.Of(name, input)
	if t.rt.rules.Covers(name, input) {
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

// gateAllows reports whether a gate approves the call. That one which preempts
// auto-approval does not is its nature: it advises only.
func gateAllows(out *engine.Outcome) bool {
	return out.Verdict.Decision == checkrein.Allow && slices.ContainsFunc(out.Steps, func(s engine.Step) bool {
		return s.Verdict != nil && s.Verdict.Decision == checkrein.Allow && !s.Hook.Preempt
	})
}

// prompt asks hooks on permission_request, and then the person. Such a hook does
// not overrule a gate that asked: then it can only refuse, and when only
// preempting entries asked it is not heard at all, as their system documents.
func (t *thread) prompt(ctx context.Context, c *call, gates, helpers *engine.Outcome) ruling {
	q := Question{Session: t.id, Agent: t.who.spec.Name, Tool: c.spec.Name, CallID: c.id, Metadata: map[string]string{}}
	mandatory, asked := gates.Verdict.Decision == checkrein.Ask, ""
	if !mandatory || !onlyPreempting(gates) {
		own := func(h *checkrein.Hook) bool { return h.On == checkrein.PermissionRequest } // gates were heard
		out := t.fireOn(ctx, t.who, checkrein.PermissionRequest, own, c.about)
		switch {
		case denied(&out):
			r := refused(byRequestDeny, "rejected by a permission_request hook: "+why(&out))
			r.handle = out.Handle
			return r
		case out.Verdict.Input != nil:
			c.input = out.Verdict.Input
			again := t.gate(ctx, c, t.always)
			if r := t.refuses(ctx, c, &again); r.decision != "" {
				return r
			}
			if again.Verdict.Decision == checkrein.Ask {
				gates, mandatory = &again, true
			}
		}
		if !mandatory && out.Verdict.Decision == checkrein.Allow {
			return allowed(byRequestAllow)
		}
		maps.Copy(q.Metadata, out.Verdict.Metadata)
	}
	q.Input = c.input
	maps.Copy(q.Metadata, t.label(c))
	for _, out := range []*engine.Outcome{helpers, gates} {
		if out != nil {
			maps.Copy(q.Metadata, out.Verdict.Metadata)
			if out.Verdict.Decision == checkrein.Ask {
				q.Reason, asked = out.Verdict.Reason, out.Handle
			}
		}
	}
	r := t.person(ctx, c, q)
	if r.source == byNobody {
		r.handle = asked
	}
	return r
}

// refuses returns the denial, if any, of a call that a permission_request hook rewrote:
// of the gates, which have judged it again, of the rules, or of the hooks that help to approve.
func (t *thread) refuses(ctx context.Context, c *call, gates *engine.Outcome) ruling {
	if r, _ := t.decide(c, gates); r.decision == "deny" {
		return r
	}
	return t.object(ctx, c)
}

// onlyPreempting reports whether all hooks that asked are entries which preempt
// auto-approval. The packs that are on by default are not.
func onlyPreempting(out *engine.Outcome) bool {
	return !slices.ContainsFunc(out.Steps, func(s engine.Step) bool {
		return s.Verdict != nil && s.Verdict.Decision == checkrein.Ask && !s.Hook.Preempt
	})
}

// person asks the person, one question at a time. What an earlier answer granted
// is not asked for again.
func (t *thread) person(ctx context.Context, c *call, q Question) ruling {
	if !t.interactive {
		reason := "it needs a person's approval, and this run cannot ask anyone"
		if q.Reason != "" {
			reason += ": " + q.Reason
		}
		return refused(byNobody, reason)
	}
	t.rt.asking.Lock()
	defer t.rt.asking.Unlock()
	if t.rt.rules.Covers(c.spec.Name, c.input) {
		return allowed("session_permissions_allow")
	}
	q.Grant = permit.Pattern(c.spec.Name, c.input)
	t.fire(ctx, checkrein.OnUserInput)
	reply, err := t.rt.opts.UI.Confirm(ctx, q)
	if err != nil && ctx.Err() == nil {
		return refused(byNobody, "it needs a person's approval: "+err.Error())
	}
	if err != nil {
		return givenUp()
	}
	switch reply.Answer {
	case Approve:
		return allowed(byPerson)
	case Always:
		if q.Grant == "" {
			return allowed(byPerson) // nothing says which calls are like this one
		}
		if err := t.rt.rules.Grant(q.Grant); err != nil {
			t.report(Report{Type: Warning, Text: err.Error()})
			return allowed(byPerson)
		}
		t.rt.keep(session.Item{Kind: session.Granted, Text: q.Grant})
		return allowed(byPersonTool)
	case Everything:
		t.rt.SetYolo(true)
		return allowed(byPersonSession)
	}
	return refused(byRejection, t.rejected(ctx, reply.Reason))
}

// label is what the runtime itself knows of a call's danger.
func (t *thread) label(c *call) map[string]string {
	ev := checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{ID: t.id, Dir: t.rt.opts.Dir}}
	c.about(&ev)
	acts := t.who.hooks.Acts(ev)
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

// sameJSON reports whether two objects are the same but for their spelling.
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
