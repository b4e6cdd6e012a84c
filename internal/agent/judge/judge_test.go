package judge

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/engine"
)

func TestVerdicts(t *testing.T) {
	t.Parallel()
	cost := 0.5
	for _, tt := range []struct {
		name, reply, schema string
		kind                checkrein.Kind
		want                checkrein.Verdict
	}{
		{"allow", `{"decision":"allow","reason":"it reads"}`, decisionSchema, checkrein.PreToolUse, checkrein.Verdict{Decision: checkrein.Allow, Reason: "it reads", Notice: []string{"judge judge (scripted/judge): allow: it reads"}}},
		{"deny", `{"decision":"deny"}`, decisionSchema, checkrein.PreToolUse, checkrein.Verdict{Decision: checkrein.Deny, Reason: "no reason provided", Notice: []string{"judge judge (scripted/judge): deny: no reason provided"}}},
		{"guard has nothing against it", `{"decision":"allow","reason":"ok"}`, guardSchema, checkrein.UserPromptSubmit, checkrein.Verdict{}},
		{"guard denies", `{"decision":"deny","reason":"no"}`, guardSchema, checkrein.UserPromptSubmit, checkrein.Verdict{Decision: checkrein.Deny, Reason: "no", Notice: []string{"judge judge (scripted/judge): deny: no"}}},
		{"free text", " told \n", "", checkrein.TurnStart, checkrein.Verdict{Context: []string{"told"}}},
		{"no text", " \n", "", checkrein.TurnStart, checkrein.Verdict{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := &bench{say: func(context.Context, Question) (Reply, error) {
				return Reply{Text: tt.reply, Usage: &model.Usage{Input: 3, Output: 2}, Cost: &cost}, nil
			}}
			h := modelHook(tt.kind, "schema", tt.schema)
			ev := toolEvent(`{"cmd":"ls"}`)
			ev.Kind = tt.kind
			ans, err := b.handler(t, h).Handle(t.Context(), ev)
			if err != nil || ans.Decision != tt.want.Decision || ans.Reason != tt.want.Reason || strings.Join(ans.Notice, "|") != strings.Join(tt.want.Notice, "|") || strings.Join(ans.Context, "|") != strings.Join(tt.want.Context, "|") {
				t.Errorf("%+v, %v", ans.Verdict, err)
			}
			if s := ans.Usage; s == nil || s.Input != 3 || s.Output != 2 || *s.Cost != 0.5 || s.Model != "scripted/judge" {
				t.Errorf("spent %+v", s)
			}
			q := b.asked[0]
			if (q.Schema != nil) != (tt.schema != "") || q.Schema != nil && q.Schema.Name != tt.schema {
				t.Errorf("schema %v", q.Schema)
			}
			if !strings.Contains(q.System, "is data") || !strings.Contains(q.Prompt, "Rules:\n- Be careful.") {
				t.Errorf("asked %+v", q)
			}
		})
	}
}

// A hook's own system prompt does not remove the fence.
func TestSystemText(t *testing.T) {
	t.Parallel()
	b := benchReplying("x")
	if _, err := b.handler(t, modelHook(checkrein.PreToolUse, "system_prompt", "Be {{ .ToolName }}.")).Handle(t.Context(), toolEvent(`{}`)); err != nil {
		t.Fatal(err)
	}
	if s := b.asked[0].System; !strings.HasPrefix(s, "Be {{ .ToolName }}.\n\n") || !strings.Contains(s, "is data") {
		t.Error(s)
	}
}

// Secrets are not sent, neither by name nor composed by a template, unless the hook sets raw.
func TestSecretsAreNotSent(t *testing.T) {
	t.Parallel()
	key := "ghp_" + strings.Repeat("a1B2c3D4e5", 4)[:36]
	prompt := `{{ .ToolInput | toJSON }} {{ printf "ghp_%s" .ToolInput.half }} {{ .ToolInput.cmd | truncate 400 }}`
	ev := toolEvent(`{"cmd":"git push https://x:` + key + `@host/","half":"` + key[4:] + `","password":"hunter2-Zx9!kQ"}`)
	for raw, want := range map[string]bool{"": false, "true": true} {
		b := benchReplying("x")
		if _, err := b.handler(t, modelHook(checkrein.PreToolUse, "prompt", prompt, "raw", raw)).Handle(t.Context(), ev); err != nil {
			t.Fatal(err)
		}
		for _, sent := range []string{key, key[4:], "hunter2-Zx9!kQ"} {
			if strings.Contains(b.asked[0].Prompt, sent) != want && (want || sent != key[4:]) {
				t.Errorf("raw %q: %s in %s", raw, sent, b.asked[0].Prompt)
			}
		}
	}
}

// Every failure is an error, and reports the usage.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, f := range faultCases() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			b := &bench{say: f.say}
			_, err := b.handler(t, modelHook(checkrein.PreToolUse, "schema", decisionSchema)).Handle(t.Context(), toolEvent(`{"cmd":"ls"}`))
			wantError(t, err, f.want)
			wantError(t, err, "scripted/judge")
		})
	}
}

type fault struct {
	name string
	say  Ask
	want string
}

// faultCases are the ways in which a judge fails to return a verdict.
func faultCases() []fault {
	text := func(name, reply, want string) fault { return fault{name, benchReplying(reply).say, want} }
	fails := func(name, message string) fault {
		return fault{name, func(context.Context, Question) (Reply, error) { return Reply{}, errors.New(message) }, message}
	}
	return []fault{
		text("garbage", "\x00\xff<html>", "no JSON object"),
		text("wrong schema", `{"ok":true}`, "no decision"),
		text("two objects", `{"decision":"allow"}{"decision":"allow"}`, "a single JSON object"),
		text("empty", "", "its reply is empty"),
		text("refuses", "I cannot judge this.", "no JSON object"),
		text("too long", strings.Repeat(" ", maxReply)+`{"decision":"allow"}`, "longer than"),
		fails("provider down", "connection refused"),
		fails("budget spent", "the budget is spent"),
	}
}

// On every event, whatever the hook's fault setting: a gate stays closed, everything else continues
// with a notice.
func TestFaultsOfEveryEvent(t *testing.T) {
	t.Parallel()
	all := append(faultCases(), fault{"late", func(ctx context.Context, _ Question) (Reply, error) {
		<-ctx.Done()
		return Reply{}, ctx.Err()
	}, "timed out"}, fault{"panics", func(context.Context, Question) (Reply, error) { panic("no") }, "panic"})
	for i := range checkrein.Contracts() {
		row := &checkrein.Contracts()[i]
		for _, f := range all {
			for _, policy := range []checkrein.FaultPolicy{checkrein.FaultByRow, checkrein.FaultWarn, checkrein.FaultIgnore, checkrein.FaultBlock} {
				t.Run(row.Name+"/"+f.name+"/on_error "+policy.String(), func(t *testing.T) {
					t.Parallel()
					schema := decisionSchema
					if !row.Can(checkrein.CanDeny) {
						schema = ""
					}
					h := modelHook(row.Kind, "schema", schema, "prompt", "{{ .Cwd }}")
					h.OnFault = policy
					if f.name == "late" {
						h.Timeout = 1
					}
					b := &bench{say: f.say}
					out := engine.New(engine.Options{Hooks: []checkrein.Hook{h}, Handlers: []checkrein.HandlerType{Type(b.options())}}).Decide(t.Context(), checkrein.Event{Kind: row.Kind, Native: "x", Session: checkrein.Session{ID: "s"},
						Tool: &checkrein.Tool{Name: "shell", Input: []byte(`{}`)}})
					if len(out.Steps) != 1 {
						t.Fatalf("%d steps", len(out.Steps))
					}
					faulty := out.Steps[0].Fault != nil
					if free := schema == "" && (strings.Contains("garbage wrong schema two objects empty refuses", f.name)); faulty == free {
						t.Fatalf("fault %v", out.Steps[0].Fault)
					}
					if !faulty {
						return
					}
					denied := out.Verdict.Decision == checkrein.Deny || out.Redo != nil
					told := strings.Contains(strings.Join(append(out.Verdict.Notice, out.Verdict.Reason), " "), "failed")
					switch {
					case row.Closed && (!denied || !told):
						t.Errorf("a gate is open: %+v", out.Verdict)
					case !row.Closed && denied != (policy == checkrein.FaultBlock && row.Can(checkrein.CanDeny)):
						t.Errorf("denied %v: %+v", denied, out.Verdict)
					case !row.Closed && !denied && policy != checkrein.FaultIgnore && policy != checkrein.FaultBlock && !told:
						t.Errorf("nobody is told: %+v", out.Verdict)
					}
				})
			}
		}
	}
}

// A judge that allows does not override the denial of another hook.
func TestDenialsStand(t *testing.T) {
	t.Parallel()
	b := benchReplying(`{"decision":"allow","reason":"all is well"}`)
	rule := checkrein.HandlerType{Name: "rule", New: func(checkrein.Hook) (checkrein.Handler, error) {
		return checkrein.HandlerFunc(func(context.Context, checkrein.Event) (checkrein.Answer, error) {
			return checkrein.Answer{Verdict: checkrein.Verdict{Decision: checkrein.Deny, Reason: "by rule"}}, nil
		}), nil
	}}
	hooks := []checkrein.Hook{modelHook(checkrein.PreToolUse, "schema", decisionSchema), {ID: "r", On: checkrein.PreToolUse, Run: "rule"}}
	out := engine.New(engine.Options{Hooks: hooks, Handlers: []checkrein.HandlerType{Type(b.options()), rule}}).Decide(t.Context(), toolEvent(`{"cmd":"ls"}`))
	if out.Verdict.Decision != checkrein.Deny || !strings.Contains(out.Verdict.Reason, "by rule") {
		t.Errorf("%+v", out.Verdict)
	}
}

// A judge is not asked about its own calls.
func TestJudgeDoesNotRecurse(t *testing.T) {
	t.Parallel()
	b := benchReplying("")
	var inner error
	h := b.handler(t, modelHook(checkrein.PreToolUse, "schema", decisionSchema))
	b.say = func(ctx context.Context, _ Question) (Reply, error) {
		_, inner = h.Handle(ctx, toolEvent(`{}`))
		return Reply{Text: `{"decision":"allow","reason":"x"}`}, nil
	}
	if _, err := h.Handle(t.Context(), toolEvent(`{}`)); err != nil {
		t.Fatal(err)
	}
	wantError(t, inner, "its own call")
	if len(b.asked) != 1 {
		t.Errorf("asked %d times", len(b.asked))
	}
}
