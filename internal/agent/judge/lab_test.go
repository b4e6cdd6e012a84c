package judge

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A bench is a judge's hook with a model that the test controls.
type bench struct {
	mu    sync.Mutex
	asked []Question
	say   func(context.Context, Question) (Reply, error)
	cache Cache
	// policy is the digest of the configuration.
	policy string
}

func benchReplying(text string) *bench {
	return &bench{say: func(context.Context, Question) (Reply, error) { return Reply{Text: text}, nil }}
}

func (b *bench) ask(ctx context.Context, q Question) (Reply, error) {
	b.mu.Lock()
	b.asked = append(b.asked, q)
	b.mu.Unlock()
	return b.say(ctx, q)
}

func (b *bench) options() Options {
	return Options{Ask: b.ask, Dialect: plainDialect, Cache: b.cache, Policy: func(context.Context) string { return b.policy }}
}

// plainDialect returns a dialect of plain payloads.
func plainDialect(name string) (*hookfile.Dialect, bool) {
	return &hookfile.Dialect{Name: name, Encode: func(ev checkrein.Event) ([]byte, error) {
		o := rawjson.Object{'{'}
		o.Text("session_id", ev.Session.ID)
		o.Text("cwd", ev.Session.Dir)
		o.Text("hook_event_name", ev.Kind.String())
		if t := ev.Tool; t != nil {
			o.Text("tool_name", t.Name)
			if t.Input != nil {
				o.Raw("tool_input", t.Input)
			}
			if t.Output != nil {
				o.Raw("tool_response", t.Output)
			}
		}
		if row := checkrein.ContractOf(ev.Kind); row.Text != "" {
			o.Text(row.Text, ev.Text)
		}
		if ev.Messages != nil {
			o.Raw("messages", ev.Messages)
		}
		for _, d := range ev.Details {
			o.Raw(d.Name, d.Value)
		}
		o.Close()
		return []byte(o), nil
	}}, true
}

const usualPrompt = "Tool: {{ .ToolName }}\nArgs: {{ .ToolInput | toJSON | truncate 4000 }}\nRules:\n- Be careful.\n"

// modelHook returns a hook on an event, with additional settings.
func modelHook(kind checkrein.Kind, more ...string) checkrein.Hook {
	with := map[string]any{"model": "scripted/judge", "prompt": usualPrompt}
	for i := 0; i+1 < len(more); i += 2 {
		switch with[more[i]] = more[i+1]; {
		case more[i] != "raw":
		case more[i+1] == "true":
			with["raw"] = true
		case more[i+1] == "":
			delete(with, "raw")
		}
	}
	b, _ := json.Marshal(with)
	return checkrein.Hook{ID: "judge", Name: "judge", On: kind, Run: "model", With: b, Dialect: "native"}
}

func (b *bench) handler(t testing.TB, h checkrein.Hook) checkrein.Handler {
	t.Helper()
	out, err := Type(b.options()).New(h)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func toolEvent(input string) checkrein.Event {
	return checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{ID: "s", Dir: "/work", Root: "/work"},
		Tool: &checkrein.Tool{Name: "shell", Canonical: "shell", Input: json.RawMessage(input)}}
}

func wantError(t testing.TB, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

func benchFailing(err error) *bench {
	return &bench{say: func(context.Context, Question) (Reply, error) { return Reply{}, err }}
}
