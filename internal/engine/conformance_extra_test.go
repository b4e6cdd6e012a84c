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

// Items 74 to 79 and 82; 81 is with the other faults.
func TestConformanceExtra(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T){
		"74 a grandchild that keeps stdout":                conformGrandchild,
		"75 gigabytes on stdout":                           conformFlood,
		"76 camelCase":                                     conformCamelCase,
		"77 two model hooks":                               conformTwoModels,
		"78 redacting one argument keeps the others":       conformRedactOne,
		"79 the limiter never sees what redaction removes": conformRedactFirst,
		"82 a matcher that matches nothing known":          conformUnknownTool,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

func conformGrandchild(t *testing.T) {
	for name, hook := range map[string]string{
		"with its parent":    sh("sleep 9999 & sleep 9999", "timeout: 0.2"),
		"in its own session": sh("setsid sleep 9999 & sleep 9999", "timeout: 0.2"),
		"after its parent":   sh("sleep 9999 & exit 0", "timeout: 0.2"),
	} {
		k := agentKit(t, onEvent(checkrein.PreToolUse, hook))
		t.Log(name) // who waited for it would wait for hours
		wantDecision(t, k.Decide(t.Context(), shell("ls")), checkrein.Deny)
	}
	quick := agentKit(t, onEvent(checkrein.PostToolUse, sh("echo said; sleep 9999 >/dev/null 2>&1 & exit 0", "timeout: 500")))
	if got := ask(t, quick, checkrein.PostToolUse).Verdict.Context; fmt.Sprint(got) != "[said]" {
		t.Errorf("a program that is done said %q", got)
	}
}

func conformFlood(t *testing.T) {
	var before, after runtime.MemStats
	k := agentKit(t, onEvent(checkrein.PreToolUse, sh("cat /dev/zero", "timeout: 500"), sh("cat /dev/zero >&2", "timeout: 0.3")))
	runtime.ReadMemStats(&before)
	out := k.Decide(t.Context(), shell("ls"))
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

func conformCamelCase(t *testing.T) {
	deny := prints(`{"hookSpecificOutput":{"hookEventName":"pre_tool_use","permissionDecision":"deny","permissionDecisionReason":"camel"}}`)
	out := ask(t, agentKit(t, onEvent(checkrein.PreToolUse, deny)), checkrein.PreToolUse)
	wantDecision(t, out, checkrein.Deny)
	wantText(t, out.Verdict.Reason, "camel")
	for answer, want := range map[string]string{
		`{"systemMessage":"said"}`:                                    "said",
		`{"hookSpecificOutput":{"additionalContext":"said"}}`:         "said",
		`{"Hook_Specific_Output":{"Additional_Context":"said"}}`:      "said",
		`{"hook-specific-output":{"additional_context":"not heard"}}`: "hook-specific-output",
	} {
		out := ask(t, agentKit(t, onEvent(checkrein.PostToolUse, prints(answer))), checkrein.PostToolUse)
		wantText(t, fmt.Sprint(out.Verdict.Context, out.Verdict.Notice, out.Steps[0].Answer.Ignored), want)
	}
}

func conformTwoModels(t *testing.T) {
	judge := &recorder{name: "model", ran: make(chan string, 9)}
	k := agentKit(t, onEvent(checkrein.PreToolUse, `{type: model, model: a/b, prompt: one}`, `{type: model, model: a/b, prompt: two}`, `{type: model, model: a/b, prompt: one}`),
		func(o *app.Options) { o.Handlers = []checkrein.HandlerType{judge.row()} })
	k.Decide(t.Context(), shell("ls"))
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

// redacts is a handler that replaces a secret, as redact_secrets does: it
// mentions only the arguments that it changes.
func redacts(_ context.Context, ev checkrein.Event) (checkrein.Answer, error) {
	var v checkrein.Verdict
	switch {
	case ev.Tool.Output != nil:
		if s, _ := rawjson.Text(ev.Tool.Output); strings.Contains(s, "SECRET") {
			v.Output = rawjson.Quote(strings.ReplaceAll(s, "SECRET", "[REDACTED]"))
		}
	case strings.Contains(command(ev), "SECRET"):
		v.Input = json.RawMessage(`{"cmd":` + string(rawjson.Quote(strings.ReplaceAll(command(ev), "SECRET", "[REDACTED]"))) + `}`)
	}
	return checkrein.Answer{Verdict: v}, nil
}

func conformRedactOne(t *testing.T) {
	out := decide(t, fns{"redact": redacts}.engine(hook("redactor", "redact")), call(`{"cmd":"echo SECRET","cwd":".","env":{"A":"b"}}`))
	if got, want := string(out.Verdict.Input), `{"cmd":"echo [REDACTED]","cwd":".","env":{"A":"b"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	k := agentKit(t, onEvent(checkrein.PreToolUse, patchHook(`{"cmd":"echo [REDACTED]"}`)))
	if got, want := string(k.Decide(t.Context(), call(`{"cmd":"echo SECRET","cwd":"."}`)).Verdict.Input), `{"cmd":"echo [REDACTED]","cwd":"."}`; got != want {
		t.Errorf("a program: got %s, want %s", got, want)
	}
}

// The limiter would write what it cuts to disk. Wherever hooks stand in the
// file and whatever their priority, it is shown what redaction left.
func conformRedactFirst(t *testing.T) {
	transform := on(checkrein.ToolResponseTransform)
	var saw string
	all := fns{
		"limit": func(_ context.Context, ev checkrein.Event) (checkrein.Answer, error) {
			saw = string(ev.Tool.Output)
			return checkrein.Answer{}, nil
		},
		"redact": redacts,
		"leak":   says(checkrein.Verdict{Append: "also SECRET"}),
	}
	e := all.engine(hook("limiter", "limit", transform, priority(1000)), hook("rewriter", "leak", transform, priority(0)), hook("redactor", "redact", transform))
	ev := event(checkrein.ToolResponseTransform)
	ev.Tool = &checkrein.Tool{Name: "shell", Output: rawjson.Quote("SECRET" + strings.Repeat("x", 1<<16))}
	out := decide(t, e, ev)
	if saw == "" || strings.Contains(saw, "SECRET") || strings.Contains(string(out.Verdict.Output), "SECRET") {
		t.Errorf("the limiter saw %.40s…", saw)
	}
}

func conformUnknownTool(t *testing.T) {
	warned := func(matcher string) bool {
		k := agentKit(t, "pre_tool_use: [{matcher: '"+matcher+"', hooks: ["+sh("true")+"]}]")
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
