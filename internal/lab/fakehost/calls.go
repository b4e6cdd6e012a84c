package fakehost

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// A call is a tool call of the model.
type call struct {
	id, tool string
	input    json.RawMessage
	line     string // id of its transcript line
}

// An outcome is the result of a call.
type outcome struct {
	response  any    // the tool's response, if it ran
	refused   string // why it did not run, or how it failed
	invalid   bool   // it was refused before any hook ran
	why       permission
	reminders []string
	hooks     []hookLine // transcript entries of the hooks after the call
}

// runCalls runs the calls of one reply. It returns a block for each result, and the reminders of
// hooks.
func (c *conversation) runCalls(ctx context.Context, list []call) (results []contentBlock, reminders []string) {
	var batch []batchedCall
	for _, u := range list {
		c.used++
		o := c.runCall(ctx, &u)
		result, content := c.logResult(u, o)
		results = append(results, result)
		reminders = append(reminders, o.reminders...)
		batch = append(batch, batchedCall{u.tool, u.input, u.id, content})
	}
	e := c.newEvent("PostToolBatch")
	e.ToolCalls = batch
	if a := c.session.fire(ctx, e, c.log); len(a.blocked) > 0 || a.ends {
		c.ending = "Execution stopped by hook"
	}
	return results, reminders
}

// logResult writes the result of a call to the transcript and returns it as a block, with the block's
// content.
func (c *conversation) logResult(u call, o outcome) (contentBlock, any) {
	b := contentBlock{Type: "tool_result", ToolUseID: u.id}
	var result any
	switch {
	case o.refused != "":
		b.Content, b.IsError, result = o.refused, ptr(true), "Error: "+o.refused
		if o.invalid {
			b.Content = "<tool_use_error>" + o.refused + "</tool_use_error>"
		}
	default:
		b.Content = renderResponse(u.tool, o.response)
		if u.tool == "Bash" {
			b.IsError = ptr(false)
		}
		if c.agent == nil {
			result = o.response
		}
	}
	l := line{Type: "user", Parent: &u.line, Message: mustJSON(message{"user", []contentBlock{b}}), Result: result, Assistant: u.line}
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

// runCall validates a call and runs it with its hooks, and sets u.input to the input that the tool
// got.
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
	e := c.newEvent("PreToolUse")
	e.ToolName, e.ToolInput, e.ToolUseID = u.tool, u.input, u.id
	before := s.fire(ctx, e, c.log)
	reminders := toolReminders(&e, before)
	defer func() { o.reminders = append(reminders, o.reminders...) }()
	if before.ends {
		c.ending = "Execution stopped by hook: " + before.endsWith
	}
	refused, why := c.checkPermission(ctx, before, t, u)
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

// Decisions in the transcript: accept for calls that ran, reject for calls that did not.
const (
	accept = "accept"
	reject = "reject"
)

// Permissions of refused calls: byHook for a hook's denial, byAsk for the user's refusal
// after a hook asked, byRules for a refusal by the user's rules, or by the user because of them.
var (
	byHook  = permission{Decision: reject, Source: "hook", Type: "hook", Code: "hook:PreToolUse"}
	byAsk   = permission{Decision: reject, Source: "config", Code: "hook:PreToolUse"}
	byRules = permission{Decision: reject, Source: "config"}
)

// checkPermission returns why a call does not run, or "" if it runs: a hook denies it, a hook's
// rewrite is invalid, or the user's rules or the user refuse it. It also applies a hook's rewrite to
// u.
func (c *conversation) checkPermission(ctx context.Context, a answer, t tool, u *call) (string, permission) {
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
		return c.askUser(ctx, u, a.reason, byAsk)
	}
	allowed, denied, asked := s.ruleDecisions(u.tool, t.subject(u.input))
	switch {
	case denied:
		return fmt.Sprintf("Permission to use %s with command %s has been denied.", u.tool, t.subject(u.input)), byRules
	case asked || !allowed && a.decision == "":
		return c.askUser(ctx, u, fmt.Sprintf("Claude requested permissions to use %s, but you haven't granted it yet.", u.tool), byRules)
	case a.decision == "allow":
		return "", permission{Decision: accept, Source: "hook", Type: "hook"}
	}
	return "", permission{Decision: accept, Source: "config", Type: "rule", Rule: "cliArg"}
}

// askUser asks the user about a call and returns why it does not run, or "" if it runs. In a headless
// session, it returns why. no is the permission that a refusal gets.
func (c *conversation) askUser(ctx context.Context, u *call, why string, no permission) (string, permission) {
	person := c.session.person
	if person == nil {
		return why, no
	}
	e := c.newEvent("PermissionRequest")
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

// fireAfterCall fires PostToolUse or PostToolUseFailure and returns the outcome as hooks changed it.
func (c *conversation) fireAfterCall(ctx context.Context, u call, o outcome) outcome {
	e := c.newEvent("PostToolUse")
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

// toolReminders returns the context and the objections of a tool event's hooks, worded for the model.
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

// isReplacement reports whether a hook's output, is, can replace a tool's response, was. It must have
// all of its members; the host ignores any other output.
func isReplacement(tool string, was any, is json.RawMessage) bool {
	if isMCP(tool) {
		return bytes.HasPrefix(is, []byte(`"`)) || bytes.HasPrefix(is, []byte(`[`))
	}
	var old, now map[string]json.RawMessage
	if json.Unmarshal(mustJSON(was), &old) != nil || json.Unmarshal(is, &now) != nil {
		return false
	}
	for k := range old {
		if _, has := now[k]; !has && k != "noOutputExpected" && k != "isImage" {
			return false
		}
	}
	return true
}
