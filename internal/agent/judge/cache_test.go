package judge

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// newCachedBench returns a bench whose verdicts are stored, and its clock.
func newCachedBench(t *testing.T) (*bench, *time.Time) {
	t.Helper()
	now := time.Now()
	secret := &state.Secret{1, 2, 3}
	b := benchReplying(`{"decision":"allow","reason":"fine"}`)
	b.policy = "p1"
	b.cache = Cache{Dir: state.NewDir(filepath.Join(t.TempDir(), "state")), Secret: func() *state.Secret { return secret }, Now: func() time.Time { return now }}
	return b, &now
}

// countAsks asks once and returns how often the model was asked so far.
func (b *bench) countAsks(t *testing.T, h checkrein.Hook, ev checkrein.Event) int {
	t.Helper()
	ans, err := b.handler(t, h).Handle(t.Context(), ev)
	if err != nil || ans.Decision != checkrein.Allow || ans.Reason != "fine" || len(ans.Notice) != 1 || ans.Usage == nil {
		t.Fatalf("%+v, %v", ans, err)
	}
	return len(b.asked)
}

func TestSameQuestionIsAskedOnce(t *testing.T) {
	t.Parallel()
	b, now := newCachedBench(t)
	usual := modelHook(checkrein.PreToolUse, "schema", decisionSchema)
	ev := toolEvent(`{"cmd":"ls"}`)
	if n := b.countAsks(t, usual, ev); n != 1 {
		t.Fatalf("asked %d times", n)
	}
	ans, err := b.handler(t, usual).Handle(t.Context(), ev)
	if err != nil || !ans.Usage.Again || ans.Usage.Cost != nil || len(b.asked) != 1 {
		t.Fatalf("%+v, %v, asked %d times", ans.Usage, err, len(b.asked))
	}
	other := ev
	other.Session.ID = "another session" // which the question does not tell
	if n := b.countAsks(t, usual, other); n != 1 {
		t.Errorf("asked %d times", n)
	}
	*now = now.Add(maxAge)
	if n := b.countAsks(t, usual, ev); n != 2 {
		t.Errorf("an old verdict counts: asked %d times", n)
	}
	*now = now.Add(-time.Minute)
	if n := b.countAsks(t, usual, ev); n != 3 {
		t.Errorf("a verdict of the future counts: asked %d times", n)
	}
}

// A stored verdict is not used if anything that may change it differs.
func TestCacheDoesNotCross(t *testing.T) {
	t.Parallel()
	usual := func() checkrein.Hook { return modelHook(checkrein.PreToolUse, "schema", decisionSchema) }
	ev := toolEvent(`{"cmd":"ls"}`)
	for name, change := range map[string]func(*bench, *checkrein.Hook, *checkrein.Event){
		"policy": func(b *bench, _ *checkrein.Hook, _ *checkrein.Event) { b.policy = "p2" },
		"model": func(_ *bench, h *checkrein.Hook, _ *checkrein.Event) {
			*h = modelHook(checkrein.PreToolUse, "schema", decisionSchema, "model", "scripted/other")
		},
		"prompt": func(_ *bench, h *checkrein.Hook, _ *checkrein.Event) {
			*h = modelHook(checkrein.PreToolUse, "schema", decisionSchema, "prompt", usualPrompt+"{{/* the same text */}}")
		},
		"system text": func(_ *bench, h *checkrein.Hook, _ *checkrein.Event) {
			*h = modelHook(checkrein.PreToolUse, "schema", decisionSchema, "system_prompt", "x")
		},
		"raw": func(_ *bench, h *checkrein.Hook, _ *checkrein.Event) {
			*h = modelHook(checkrein.PreToolUse, "schema", decisionSchema, "raw", "true")
		},
		"hook":      func(_ *bench, h *checkrein.Hook, _ *checkrein.Event) { h.Name = "other" },
		"file":      func(_ *bench, h *checkrein.Hook, _ *checkrein.Event) { h.From.File = "/other.yaml" },
		"arguments": func(_ *bench, _ *checkrein.Hook, ev *checkrein.Event) { *ev = toolEvent(`{"cmd":"ls "}`) },
		"directory": func(_ *bench, _ *checkrein.Hook, ev *checkrein.Event) { ev.Session.Dir = "/elsewhere" },
		"project":   func(_ *bench, _ *checkrein.Hook, ev *checkrein.Event) { ev.Session.Root = "/elsewhere" },
		"agent":     func(_ *bench, _ *checkrein.Hook, ev *checkrein.Event) { ev.Session.Agent = "other" },
		"host":      func(_ *bench, _ *checkrein.Hook, ev *checkrein.Event) { ev.Host = "codex" },
		"secret": func(b *bench, _ *checkrein.Hook, _ *checkrein.Event) {
			b.cache.Secret = func() *state.Secret { return &state.Secret{9} }
		},
		"no secret": func(b *bench, _ *checkrein.Hook, _ *checkrein.Event) {
			b.cache.Secret = func() *state.Secret { return nil }
		},
		"no policy": func(b *bench, _ *checkrein.Hook, _ *checkrein.Event) { b.policy = "" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _ := newCachedBench(t)
			b.countAsks(t, usual(), ev)
			h, ev := usual(), ev
			change(b, &h, &ev)
			if n := b.countAsks(t, h, ev); n != 2 {
				t.Errorf("asked %d times", n)
			}
		})
	}
	t.Run("schema", func(t *testing.T) {
		t.Parallel()
		b, _ := newCachedBench(t)
		b.countAsks(t, usual(), ev)
		ans, err := b.handler(t, modelHook(checkrein.PreToolUse, "schema", guardSchema)).Handle(t.Context(), ev)
		if err != nil || ans.Decision != checkrein.NoOpinion || len(b.asked) != 2 {
			t.Errorf("%+v, %v, asked %d times", ans, err, len(b.asked))
		}
	})
}

// Pieces that are equal only when joined are different questions.
func TestCacheKeepsPiecesApart(t *testing.T) {
	t.Parallel()
	b, _ := newCachedBench(t)
	names := map[string]bool{}
	for _, parts := range [][]string{{"a", "bc"}, {"ab", "c"}, {"abc"}, {"", "abc"}, {"abc", ""}} {
		names[b.cache.entryName(parts)] = true
	}
	if len(names) != 5 {
		t.Errorf("%d names", len(names))
	}
}

// Faults and free text are not stored, and a changed file does not count.
func TestCacheSkipsFaults(t *testing.T) {
	t.Parallel()
	ev := toolEvent(`{"cmd":"ls"}`)
	b, _ := newCachedBench(t)
	for _, reply := range []string{"garbage", "", `{"decision":"maybe"}`} {
		b.say = benchReplying(reply).say
		if _, err := b.handler(t, modelHook(checkrein.PreToolUse, "schema", decisionSchema)).Handle(t.Context(), ev); err == nil {
			t.Fatal("no fault")
		}
	}
	b.say = benchReplying("text").say
	for range 2 {
		if _, err := b.handler(t, modelHook(checkrein.PreToolUse)).Handle(context.Background(), ev); err != nil {
			t.Fatal(err)
		}
	}
	if len(b.asked) != 5 {
		t.Fatalf("asked %d times", len(b.asked))
	}

	b.say = benchReplying(`{"decision":"allow","reason":"fine"}`).say
	usual := modelHook(checkrein.PreToolUse, "schema", decisionSchema)
	b.countAsks(t, usual, ev)
	files, _ := filepath.Glob(b.cache.Dir.Path(Folder, "*.json"))
	if len(files) != 1 {
		t.Fatalf("kept %v", files)
	}
	was, err := os.ReadFile(files[0])
	if err != nil || strings.Contains(string(was), "ls") {
		t.Fatalf("%s, %v", was, err)
	}
	for i, forged := range []string{strings.Replace(string(was), `"fine"`, `"forged"`, 1), "{}", "no JSON", strings.Replace(string(was), `"sum":"`, `"sum":"00`, 1)} {
		if forged == string(was) {
			t.Fatal("nothing is forged")
		}
		if err := os.WriteFile(files[0], []byte(forged), 0o600); err != nil {
			t.Fatal(err)
		}
		if n := b.countAsks(t, usual, ev); n != 7+i {
			t.Errorf("%s counts", forged)
		}
	}
}
