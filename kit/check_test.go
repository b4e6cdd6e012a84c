package kit_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/kit"
)

// openKit returns a kit with a home of its own that reads no files.
func openKit(t *testing.T, opts kit.Options) *kit.Kit {
	t.Helper()
	home := t.TempDir()
	opts.Environ = []string{"HOME=" + home, "USERPROFILE=" + home, "PATH=" + os.Getenv("PATH")}
	if opts.Files == nil {
		opts.Files = []string{}
	}
	if opts.Dir == "" {
		opts.Dir = t.TempDir()
	}
	k, err := kit.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// denyAll is a rule's settings.
var denyAll = json.RawMessage(`{"decision":"deny","reason":"no"}`)

// TestCheckReportsMistakes checks that Check reports options that can never work, with a remedy, and
// nothing about correct ones.
func TestCheckReportsMistakes(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	hook := checkrein.Hook{ID: "a", On: checkrein.PreToolUse, Run: "rule", With: denyAll}
	with := func(change func(*checkrein.Hook)) []checkrein.Hook {
		h := hook
		change(&h)
		return []checkrein.Hook{h}
	}
	other := with(func(h *checkrein.Hook) { h.ID = "b" })[0]
	project := t.TempDir()
	for _, tt := range []struct {
		name string
		opts kit.Options
		want string // in the error; "" = there is none
	}{
		{"no options", kit.Options{}, ""},
		{"two hooks", kit.Options{Hooks: []checkrein.Hook{hook, other}}, ""},
		{"same ID", kit.Options{Hooks: []checkrein.Hook{hook, hook}}, "same ID \"a\" (give each"},
		{"no ID", kit.Options{Hooks: with(func(h *checkrein.Hook) { h.ID = "" })}, "hook 1 of Options.Hooks has no ID (set ID"},
		{"no On", kit.Options{Hooks: with(func(h *checkrein.Hook) { h.On = checkrein.Other })}, "no On (set On"},
		{"event of the agent's own", kit.Options{Hooks: with(func(h *checkrein.Hook) {
			h.On, h.Event, h.With = checkrein.Other, "my_event", json.RawMessage(`{"notice":"x"}`)
		})}, ""},
		{"shadow", kit.Options{Hooks: with(func(h *checkrein.Hook) { h.Shadow = true })}, "Shadow has no effect"},
		{"known host", kit.Options{Host: "claude"}, ""},
		{"native host", kit.Options{Host: "native"}, ""},
		{"mistyped host", kit.Options{Host: "claud"}, `unknown agent "claud", did you mean "claude"?`},
		{"unknown host", kit.Options{Host: "acme-runtime"}, "leave it empty"},
		{"missing directory", kit.Options{Dir: filepath.Join(project, "missing")}, "(create it"},
		{"file as directory", kit.Options{Dir: file}, "is not a directory"},
		{"ledger", kit.Options{Ledger: filepath.Join(t.TempDir(), "new", "records")}, ""},
		{"ledger in the project", kit.Options{Dir: project, Ledger: "records"}, ""},
		{"ledger is a file", kit.Options{Ledger: file}, "Options.Ledger: "},
		{"ledger below a file", kit.Options{Ledger: filepath.Join(file, "records")}, "(set it to"},
		{"ledger is the project", kit.Options{Dir: project, Ledger: "."}, "contains Options.Dir"},
		{"no programs", kit.Options{Programs: t.TempDir()}, "Options.Programs: "},
		{"settings without JSON", kit.Options{Hooks: with(func(h *checkrein.Hook) { h.With = h.With[:9] })}, "With are not valid JSON: "},
		{"handler type without New", kit.Options{Handlers: []checkrein.HandlerType{{Name: "own"}}, Hooks: with(func(h *checkrein.Hook) { h.Run = "own" })}, `handler type "own" has no New`},
		{"no handler", kit.Options{Handlers: []checkrein.HandlerType{{Name: "own", New: func(checkrein.Hook) (checkrein.Handler, error) { return nil, nil }}},
			Hooks: with(func(h *checkrein.Hook) { h.Run = "own" })}, `handler type "own" returned no handler`},
		{"condition without JSON", kit.Options{Hooks: with(func(h *checkrein.Hook) { h.If = h.If.Test("command", "is", make(chan int)) })}, "command: the value of is cannot be encoded: json: unsupported type: chan int"},
	} {
		err := openKit(t, tt.opts).Check()
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestMalformedCallIsDenied checks that a tool call that hooks cannot judge is denied with what is
// wrong, by a kit and by an engine, and that calls without arguments are not.
func TestMalformedCallIsDenied(t *testing.T) {
	t.Parallel()
	k, e := openKit(t, kit.Options{}), engine.New(engine.Options{})
	call := func(input string) *checkrein.Tool {
		return &checkrein.Tool{Name: "list_users", Input: json.RawMessage(input)}
	}
	for _, tt := range []struct {
		name string
		ev   checkrein.Event
		want string // in the reason; "" = there is no opinion
	}{
		{"no tool", checkrein.Event{Kind: checkrein.PreToolUse}, "Event.Tool is nil"},
		{"no name", checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Input: json.RawMessage(`{}`)}}, "no Name"},
		{"text", checkrein.Event{Kind: checkrein.PreToolUse, Tool: call(`"rm -rf /"`)}, "Event.Tool.Input is not a JSON object"},
		{"null", checkrein.Event{Kind: checkrein.PreToolUse, Tool: call(`null`)}, "not a JSON object"},
		{"list", checkrein.Event{Kind: checkrein.PreToolUse, Tool: call(`["rm"]`)}, "not a JSON object"},
		{"truncated", checkrein.Event{Kind: checkrein.PreToolUse, Tool: call(`{"command":"rm -rf`)}, "not a JSON object"},
		{"arguments", checkrein.Event{Kind: checkrein.PreToolUse, Tool: call(`{"page":1}`)}, ""},
		{"empty arguments", checkrein.Event{Kind: checkrein.PreToolUse, Tool: call(`{}`)}, ""},
		{"no arguments", checkrein.Event{Kind: checkrein.PreToolUse, Tool: call(``)}, ""},
		{"after the call", checkrein.Event{Kind: checkrein.PostToolUse, Tool: call(`"text"`)}, ""},
		{"prompt", checkrein.Event{Kind: checkrein.UserPromptSubmit, Text: "hello"}, ""},
	} {
		for who, decide := range map[string]func(context.Context, checkrein.Event) engine.Outcome{"serve": k.Serve, "decide": k.Decide, "engine": e.Decide} {
			v := decide(t.Context(), tt.ev).Verdict
			if denied := v.Decision == checkrein.Deny; denied != (tt.want != "") || !strings.Contains(v.Reason, tt.want) {
				t.Errorf("%s: %s: %v %q, want %q", tt.name, who, v.Decision, v.Reason, tt.want)
			}
		}
	}
}

// TestLedgerIsProtected checks that agents may not change the directory of the kit's records or read
// its key, and may do the same elsewhere.
func TestLedgerIsProtected(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"records", "../records"} {
		project := filepath.Join(t.TempDir(), "project")
		if err := os.Mkdir(project, 0o700); err != nil {
			t.Fatal(err)
		}
		k := openKit(t, kit.Options{Dir: project, Ledger: place})
		k.Serve(t.Context(), checkrein.Event{Kind: checkrein.SessionStart})
		k.Serve(t.Context(), checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Name: "shell", Input: json.RawMessage(`{"command":"ls"}`)}})
		dir := filepath.Join(project, place)
		if _, err := os.Stat(filepath.Join(dir, "ledger", "key")); err != nil {
			t.Fatal("a relative ledger is not below Dir: ", err)
		}
		for _, tt := range []struct {
			tool, field, value string
			denied             bool
		}{
			{"shell", "command", "rm -rf " + place, true},
			{"shell", "command", "rm -rf " + dir + "/ledger", true},
			{"shell", "command", "rm " + dir + "/ledger/current.jsonl", true},
			{"shell", "command", "mv " + dir + " /tmp/away", true},
			{"shell", "command", "echo '{}' >> " + dir + "/ledger/current.jsonl", true},
			{"shell", "command", "sed -i d " + place + "/ledger/current.jsonl", true},
			{"shell", "command", "cat " + place + "/ledger/key", true},
			{"shell", "command", "base64 < " + dir + "/ledger/key", true},
			{"write", "path", dir + "/ledger/current.jsonl", true},
			{"write", "path", place + "/ledger/head", true},
			{"read", "path", dir + "/ledger/key", true},
			{"shell", "command", "ls " + place, false},
			{"shell", "command", "rm -rf build", false},
			{"shell", "command", "cat notes/ledger/key", false},
			{"shell", "command", "echo x >> records.txt", false},
			{"write", "path", project + "/main.go", false},
			{"read", "path", project + "/main.go", false},
		} {
			input, _ := json.Marshal(map[string]string{tt.field: tt.value, "content": "x"})
			if tt.tool != "write" {
				input, _ = json.Marshal(map[string]string{tt.field: tt.value})
			}
			v := k.Decide(t.Context(), checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Name: tt.tool, Input: input}}).Verdict
			if denied := v.Decision == checkrein.Deny; denied != tt.denied {
				t.Errorf("ledger %s: %s %q: %v (%s), want denied %v", place, tt.tool, tt.value, v.Decision, v.Reason, tt.denied)
			}
		}
	}
}

// TestCanceledContext checks that a context that ends before the hooks have answered is reported, and
// that the call stays denied.
func TestCanceledContext(t *testing.T) {
	t.Parallel()
	waits := checkrein.HandlerType{Name: "waits", New: func(checkrein.Hook) (checkrein.Handler, error) {
		return checkrein.HandlerFunc(func(ctx context.Context, _ checkrein.Event) (checkrein.Answer, error) {
			<-ctx.Done()
			return checkrein.Answer{}, ctx.Err()
		}), nil
	}}
	instant := waits
	instant.Name, instant.Traits = "instant", func(*checkrein.Hook) checkrein.Traits { return checkrein.Traits{Instant: true} }
	for _, run := range []string{"waits", "instant"} {
		hooks := []checkrein.Hook{{ID: "waits", On: checkrein.PreToolUse, Run: run}}
		k := openKit(t, kit.Options{Hooks: hooks, Handlers: []checkrein.HandlerType{waits, instant}})
		e := engine.New(engine.Options{Hooks: hooks, Handlers: []checkrein.HandlerType{waits, instant}})
		ev := checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Name: "shell", Input: json.RawMessage(`{"command":"ls"}`)}}
		for who, decide := range map[string]func(context.Context, checkrein.Event) engine.Outcome{"serve": k.Serve, "engine": e.Decide} {
			before, cancel := context.WithCancel(t.Context())
			cancel()
			during, stop := context.WithCancel(t.Context())
			time.AfterFunc(20*time.Millisecond, stop)
			late, end := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer end()
			for name, ctx := range map[string]context.Context{"before": before, "during": during, "deadline": late} {
				if out := decide(ctx, ev); !out.Canceled || out.Verdict.Decision != checkrein.Deny {
					t.Errorf("%s, %s, %s: canceled %v, decision %v", run, who, name, out.Canceled, out.Verdict.Decision)
				}
			}
		}
	}
	out := openKit(t, kit.Options{}).Serve(t.Context(), checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Name: "shell", Input: json.RawMessage(`{"command":"ls"}`)}})
	if out.Canceled {
		t.Error("an outcome is canceled although the context did not end")
	}
}

// TestApprovalsLackBuiltins checks that Approvals lists the hooks that a person or program declared,
// and that each state has a name.
func TestApprovalsLackBuiltins(t *testing.T) {
	t.Parallel()
	k := openKit(t, kit.Options{Hooks: []checkrein.Hook{{ID: "mine", On: checkrein.PreToolUse, Run: "rule", With: denyAll}}})
	got := k.Approvals()
	if len(got) != 1 || got[0].Hook.ID != "mine" || got[0].State.String() != "approved" {
		t.Errorf("approvals: %+v", got)
	}
}

// TestCommentListsDenials checks that the package comment has the meaning of denials as the contracts
// have it.
func TestCommentListsDenials(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("kit.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for line := range strings.Lines(string(file)) {
		name, means, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "//\t"), "  ")
		for _, row := range checkrein.Contracts() {
			if ok && row.Name == name {
				if found++; strings.TrimSpace(means) != row.DenyIs {
					t.Errorf("%s: %q, want %q", name, strings.TrimSpace(means), row.DenyIs)
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("the comment has %d events", found)
	}
}
