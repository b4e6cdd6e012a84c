package fakehost

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// A call is one that the model wants.
type call struct {
	id, tool string
	input    json.RawMessage
	line     string // of the transcript
}

// An outcome is the result of a call.
type outcome struct {
	response  any    // of the tool, if it ran
	refused   string // why it did not, or how it failed
	invalid   bool   // it was refused before hooks heard of it
	why       permission
	reminders []string
	hooks     []hookLine // of after it
}

// runCalls runs the calls of one answer. It returns a block for each result, and the reminders of
// hooks.
func (c *conversation) runCalls(ctx context.Context, list []call) (results []contentBlock, reminders []string) {
	var batch []batched
	for _, u := range list {
		c.used++
		o := c.runCall(ctx, &u)
		result, told := c.resultBlock(u, o)
		results = append(results, result)
		reminders = append(reminders, o.reminders...)
		batch = append(batch, batched{u.tool, u.input, u.id, told})
	}
	e := c.event("PostToolBatch")
	e.ToolCalls = batch
	if a := c.session.fire(ctx, e, c.log); len(a.blocked) > 0 || a.ends {
		c.ending = "Execution stopped by hook"
	}
	return results, reminders
}

// resultBlock returns the block of a call's result, and writes it to the transcript.
func (c *conversation) resultBlock(u call, o outcome) (contentBlock, any) {
	b := contentBlock{Type: "tool_result", ToolUseID: u.id}
	var result any
	switch {
	case o.refused != "":
		b.Content, b.IsError, result = o.refused, ptr(true), "Error: "+o.refused
		if o.invalid {
			b.Content = "<tool_use_error>" + o.refused + "</tool_use_error>"
		}
	default:
		b.Content = render(u.tool, o.response)
		if u.tool == "Bash" {
			b.IsError = ptr(false)
		}
		if c.agent == nil {
			result = o.response
		}
	}
	l := line{Type: "user", Parent: &u.line, Message: raw(message{"user", []contentBlock{b}}), Result: result, Assistant: u.line}
	if !o.invalid {
		l.Permission = &o.why
	}
	switch {
	case o.why.Decision == accept && u.tool == "Bash":
		l.Sandboxed = ptr(false)
	case o.why.Decision == reject && o.why.Source == "hook":
		l.Denial = "permission-rule"
	case o.why.Decision == reject:
		l.Denial = "user-rejected"
	}
	c.log.write(l)
	for _, h := range o.hooks {
		c.log.attach(h)
	}
	return b, b.Content
}

// runCall runs one call with its hooks, and sets u.input to the input that the tool got.
func (c *conversation) runCall(ctx context.Context, u *call) (o outcome) {
	s, lies := c.session, c.session.build.lies
	i := slices.IndexFunc(c.tools, func(t tool) bool { return t.name == u.tool })
	if i < 0 {
		return outcome{refused: "Error: No such tool available: " + u.tool, invalid: true}
	}
	t := c.tools[i]
	if why := t.invalid(s, u.input); why != "" {
		return outcome{refused: why, invalid: true}
	}
	var early outcome
	if lies(FiresLate) {
		early = c.runTool(ctx, t, *u)
	}
	e := c.event("PreToolUse")
	e.ToolName, e.ToolInput, e.ToolUseID = u.tool, u.input, u.id
	before := s.fire(ctx, e, c.log)
	reminders := toolReminders(&e, before)
	defer func() { o.reminders = append(reminders, o.reminders...) }()
	if before.ends {
		c.ending = "Execution stopped by hook: " + before.endsWith
	}
	refused, why := c.refusal(ctx, before, t, u)
	if refused != "" {
		if lies(RunsDeniedInSecret) {
			c.runTool(ctx, t, *u)
		}
		return outcome{refused: refused, why: why}
	}
	if !lies(FiresLate) {
		early = c.runTool(ctx, t, *u)
	}
	o = c.fireAfterCall(ctx, *u, early)
	o.why = why
	return o
}

// What the transcript says of a call that ran, and of one that did not.
const (
	accept = "accept"
	reject = "reject"
)

// Who refuses a call: a hook, or the person's rules and the person, of whom a hook may
// have wanted that they are asked.
var (
	byHook  = permission{Decision: reject, Source: "hook", Type: "hook", Code: "hook:PreToolUse"}
	byAsk   = permission{Decision: reject, Source: "config", Code: "hook:PreToolUse"}
	byRules = permission{Decision: reject, Source: "config"}
)

// refusal returns why a call does not run: because of a hook, a rewritten input or the person's rules.
// It also rewrites the call.
func (c *conversation) refusal(ctx context.Context, a answer, t tool, u *call) (string, permission) {
	s, lies := c.session, c.session.build.lies
	if a.decision == "deny" && !lies(RunsDenied) {
		return a.reason, byHook
	}
	if len(a.input) > 0 && a.decision != "deny" && !lies(IgnoresRewrite) {
		if why := t.invalid(s, a.input); why != "" {
			return fmt.Sprintf("PreToolUse hook for %s returned updatedInput that failed schema validation: %s\nThe tool input from the model was valid; the hook's rewrite of it was not.", u.tool, why), byHook
		}
		u.input = a.input
	}
	if a.decision == "ask" && !lies(IgnoresAsk) {
		return c.askPerson(ctx, u, a.reason, byAsk)
	}
	allowed, denied, asked := s.ruleDecisions(u.tool, t.subject(u.input))
	switch {
	case denied:
		return fmt.Sprintf("Permission to use %s with command %s has been denied.", u.tool, t.subject(u.input)), byRules
	case asked || !allowed && a.decision == "":
		return c.askPerson(ctx, u, fmt.Sprintf("Claude requested permissions to use %s, but you haven't granted it yet.", u.tool), byRules)
	case a.decision == "allow":
		return "", permission{Decision: accept, Source: "hook", Type: "hook"}
	}
	return "", permission{Decision: accept, Source: "config", Type: "rule", Rule: "cliArg"}
}

// askPerson asks the person about a call and returns why it does not run, "" if it does. Without a
// person, that is the question itself. The permission is the one of a refusal.
func (c *conversation) askPerson(ctx context.Context, u *call, why string, no permission) (string, permission) {
	person := c.session.person
	if person == nil {
		return why, no
	}
	e := c.event("PermissionRequest")
	e.ToolName, e.ToolInput, e.Suggestions = u.tool, u.input, &[]any{}
	switch a := c.session.fire(ctx, e, c.log); a.behaviour {
	case "allow":
		if len(a.input) > 0 {
			u.input = a.input
		}
		return "", permission{Decision: accept, Source: "hook", Type: "hook", Code: "hook:PermissionRequest"}
	case "deny":
		return a.reason, permission{Decision: reject, Source: "hook", Type: "hook", Code: "hook:PermissionRequest"}
	}
	if person.allows(u, why) {
		return "", permission{Decision: accept, Source: "user_temporary", Scope: "once", Code: no.Code}
	}
	return "The user doesn't want to proceed with this tool use. The tool use was rejected.", no
}

// runTool runs the tool of a call.
func (c *conversation) runTool(ctx context.Context, t tool, u call) outcome {
	response, err := t.run(ctx, c, u)
	if err != nil {
		return outcome{refused: err.Error()}
	}
	return outcome{response: response}
}

// fireAfterCall fires the event after a call and returns the outcome as hooks changed it.
func (c *conversation) fireAfterCall(ctx context.Context, u call, o outcome) outcome {
	e := c.event("PostToolUse")
	e.ToolName, e.ToolInput, e.ToolUseID, e.DurationMS = u.tool, u.input, u.id, ptr(time.Millisecond.Milliseconds())
	if o.refused != "" {
		e.Name, e.Error, e.IsInterrupt = "PostToolUseFailure", o.refused, ptr(false)
	} else {
		e.ToolResponse = o.response
	}
	c.log.hold()
	a := c.session.fire(ctx, e, c.log)
	o.hooks = c.log.release()
	switch {
	case o.refused != "" || len(a.output) == 0 || c.session.build.lies(IgnoresOutput):
	case isReplacement(u.tool, o.response, a.output):
		o.response = a.output
	default:
		o.hooks = append(o.hooks, hookLine{
			Type: "hook_error_during_execution", Hook: e.title(), ToolUseID: u.id, Event: e.Name,
			Content: "PostToolUse hook returned updatedToolOutput that does not match " + u.tool + "'s output shape; using original output.",
		})
	}
	o.reminders = toolReminders(&e, a)
	if a.ends && e.Name == "PostToolUse" {
		c.ending = "Execution stopped by PostToolUse hook: " + a.endsWith
	}
	return o
}

// toolReminders returns the reminders of hooks about a call.
func toolReminders(e *event, a answer) []string {
	var out []string
	for _, text := range a.context {
		out = append(out, contextReminder(e.title(), text))
	}
	if e.Name != "PreToolUse" {
		for _, b := range a.blocked {
			out = append(out, objectionReminder(e.title(), b))
		}
	}
	return out
}

// isReplacement reports whether a hook's output can replace a tool's: it must have all of its members.
// The host ignores any other.
func isReplacement(tool string, was any, is json.RawMessage) bool {
	if isMCP(tool) {
		return bytes.HasPrefix(is, []byte(`"`)) || bytes.HasPrefix(is, []byte(`[`))
	}
	var old, now map[string]json.RawMessage
	if json.Unmarshal(raw(was), &old) != nil || json.Unmarshal(is, &now) != nil {
		return false
	}
	for k := range old {
		if _, has := now[k]; !has && k != "noOutputExpected" && k != "isImage" {
			return false
		}
	}
	return true
}
