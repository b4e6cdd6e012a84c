package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// TestConformanceExtra checks items 74 to 79 and 82. Item 81 is tested with the other faults.
func TestConformanceExtra(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T){
		"74 a grandchild that keeps stdout":                checkGrandchild,
		"75 gigabytes on stdout":                           checkOutputFlood,
		"76 camelCase":                                     checkCamelCase,
		"77 two model hooks":                               checkTwoModels,
		"78 redacting one argument keeps the others":       checkPartialRedaction,
		"79 the limiter never sees what redaction removes": checkRedactionBeforeLimit,
		"82 a matcher that matches nothing known":          checkUnknownTool,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

func checkGrandchild(t *testing.T) {
	for name, hook := range map[string]string{
		"with its parent":    scriptHook("sleep 9999 & sleep 9999", "timeout: 0.2"),
		"in its own session": scriptHook("setsid sleep 9999 & sleep 9999", "timeout: 0.2"),
		"after its parent":   scriptHook("sleep 9999 & exit 0", "timeout: 0.2"),
	} {
		k := agentKit(t, hooksOn(checkrein.PreToolUse, hook))
		t.Log(name) // waiting for it would take hours
		wantDecision(t, k.Decide(t.Context(), shellEvent("ls")), checkrein.Deny)
	}
	quick := agentKit(t, hooksOn(checkrein.PostToolUse, scriptHook("echo said; sleep 9999 >/dev/null 2>&1 & exit 0", "timeout: 500")))
	if got := decideKind(t, quick, checkrein.PostToolUse).Verdict.Context; fmt.Sprint(got) != "[said]" {
		t.Errorf("a program that is done said %q", got)
	}
}

func checkOutputFlood(t *testing.T) {
	var before, after runtime.MemStats
	k := agentKit(t, hooksOn(checkrein.PreToolUse, scriptHook("cat /dev/zero", "timeout: 500"), scriptHook("cat /dev/zero >&2", "timeout: 0.3")))
	runtime.ReadMemStats(&before)
	out := k.Decide(t.Context(), shellEvent("ls"))
	runtime.ReadMemStats(&after)
	wantDecision(t, out, checkrein.Deny)
	wantText(t, out.Verdict.Reason, "too much output")
	if grown := int64(after.TotalAlloc) - int64(before.TotalAlloc); grown > 512<<20 {
		t.Errorf("it took %d MiB", grown>>20)
	}
	if n := len(out.Steps[0].Answer.Raw); n > 1<<20 {
		t.Errorf("%d bytes are kept", n)
	}
}

func checkCamelCase(t *testing.T) {
	deny := printHook(`{"hookSpecificOutput":{"hookEventName":"pre_tool_use","permissionDecision":"deny","permissionDecisionReason":"camel"}}`)
	out := decideKind(t, agentKit(t, hooksOn(checkrein.PreToolUse, deny)), checkrein.PreToolUse)
	wantDecision(t, out, checkrein.Deny)
	wantText(t, out.Verdict.Reason, "camel")
	for answer, want := range map[string]string{
		`{"systemMessage":"said"}`:                                    "said",
		`{"hookSpecificOutput":{"additionalContext":"said"}}`:         "said",
		`{"Hook_Specific_Output":{"Additional_Context":"said"}}`:      "said",
		`{"hook-specific-output":{"additional_context":"not heard"}}`: "hook-specific-output",
	} {
		out := decideKind(t, agentKit(t, hooksOn(checkrein.PostToolUse, printHook(answer))), checkrein.PostToolUse)
		wantText(t, fmt.Sprint(out.Verdict.Context, out.Verdict.Notice, out.Steps[0].Answer.Ignored), want)
	}
}

func checkTwoModels(t *testing.T) {
	judge := &recorder{name: "model", ran: make(chan string, 9)}
	k := agentKit(t, hooksOn(checkrein.PreToolUse, `{type: model, model: a/b, prompt: one}`, `{type: model, model: a/b, prompt: two}`, `{type: model, model: a/b, prompt: one}`),
		func(o *app.Options) { o.Handlers = []checkrein.HandlerType{judge.handlerType()} })
	k.Decide(t.Context(), shellEvent("ls"))
	close(judge.ran)
	var prompts []string
	for with := range judge.ran {
		v, _ := rawjson.Get([]byte(with), "prompt")
		prompts = append(prompts, string(v))
	}
	if got := strings.Join(prompts, " "); len(prompts) != 2 || !strings.Contains(got, "one") || !strings.Contains(got, "two") {
		t.Errorf("ran %s", got)
	}
}

// redactSecret is a handler that replaces a secret, as redact_secrets does. Its rewrite contains only
// the arguments that it changes.
func redactSecret(_ context.Context, ev checkrein.Event) (checkrein.Answer, error) {
	var v checkrein.Verdict
	switch {
	case ev.Tool.Output != nil:
		if s, _ := rawjson.Text(ev.Tool.Output); strings.Contains(s, "SECRET") {
			v.Output = rawjson.Quote(strings.ReplaceAll(s, "SECRET", "[REDACTED]"))
		}
	case strings.Contains(shellCommand(ev), "SECRET"):
		v.Input = json.RawMessage(`{"cmd":` + string(rawjson.Quote(strings.ReplaceAll(shellCommand(ev), "SECRET", "[REDACTED]"))) + `}`)
	}
	return checkrein.Answer{Verdict: v}, nil
}

func checkPartialRedaction(t *testing.T) {
	out := decide(t, handlerFuncs{"redact": redactSecret}.newEngine(newHook("redactor", "redact")), shellCall(`{"cmd":"echo SECRET","cwd":".","env":{"A":"b"}}`))
	if got, want := string(out.Verdict.Input), `{"cmd":"echo [REDACTED]","cwd":".","env":{"A":"b"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	k := agentKit(t, hooksOn(checkrein.PreToolUse, patchHook(`{"cmd":"echo [REDACTED]"}`)))
	if got, want := string(k.Decide(t.Context(), shellCall(`{"cmd":"echo SECRET","cwd":"."}`)).Verdict.Input), `{"cmd":"echo [REDACTED]","cwd":"."}`; got != want {
		t.Errorf("a program: got %s, want %s", got, want)
	}
}

// checkRedactionBeforeLimit checks that the limiter, which saves what it removes to disk, gets the
// redacted output, whatever the order and the priorities of the hooks.
func checkRedactionBeforeLimit(t *testing.T) {
	transform := on(checkrein.ToolResponseTransform)
	var saw string
	all := handlerFuncs{
		"limit": func(_ context.Context, ev checkrein.Event) (checkrein.Answer, error) {
			saw = string(ev.Tool.Output)
			return checkrein.Answer{}, nil
		},
		"redact": redactSecret,
		"leak":   answerWith(checkrein.Verdict{Append: "also SECRET"}),
	}
	e := all.newEngine(newHook("limiter", "limit", transform, priority(1000)), newHook("rewriter", "leak", transform, priority(0)), newHook("redactor", "redact", transform))
	ev := newEvent(checkrein.ToolResponseTransform)
	ev.Tool = &checkrein.Tool{Name: "shell", Output: rawjson.Quote("SECRET" + strings.Repeat("x", 1<<16))}
	out := decide(t, e, ev)
	if saw == "" || strings.Contains(saw, "SECRET") || strings.Contains(string(out.Verdict.Output), "SECRET") {
		t.Errorf("the limiter saw %.40s…", saw)
	}
}

func checkUnknownTool(t *testing.T) {
	warned := func(matcher string) bool {
		k := agentKit(t, "pre_tool_use: [{matcher: '"+matcher+"', hooks: ["+scriptHook("true")+"]}]")
		for _, f := range k.Files() {
			for _, w := range f.Warnings {
				if strings.Contains(w.Error(), "matches no known tool") && strings.Contains(w.Error(), "agent.yaml:4") {
					return true
				}
			}
		}
		return false
	}
	for matcher, want := range map[string]bool{"shel": true, "SHELL": true, "shell": false, "Bash|shell": false, "edit_.*": false, "*": false, "mcp__github__.*": false} {
		if got := warned(matcher); got != want {
			t.Errorf("%s: warned %v, want %v", matcher, got, want)
		}
	}
}
