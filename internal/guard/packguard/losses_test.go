package packguard

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/sys/undo"
)

// TestSaveFirst checks what becomes of calls whose losses are saved, cannot be saved or do not exist.
func TestSaveFirst(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write("work/lib/a.go", "a\n")
	full := fmt.Errorf("%w: full", undo.ErrNotSaved)
	for _, tt := range []struct {
		name, command string
		kind          checkrein.Kind
		saved         builtin.Saved
		err           error
		want          checkrein.Decision
		obligations   int
	}{
		{"saved", "rm -rf lib", checkrein.PreToolUse, builtin.Saved{Any: true, ID: "1a2b"}, nil, checkrein.NoOpinion, 1},
		{"before a permission", "rm -rf lib", checkrein.PermissionRequest, builtin.Saved{Any: true}, nil, checkrein.NoOpinion, 0},
		{"not saved", "rm -rf lib", checkrein.PreToolUse, builtin.Saved{}, full, checkrein.Ask, 0},
		{"nothing there", "rm -rf none", checkrein.PreToolUse, builtin.Saved{}, nil, checkrein.NoOpinion, 0},
		{"nothing there yet", "frobnicate; rm -rf none", checkrein.PreToolUse, builtin.Saved{}, nil, checkrein.Ask, 0},
		{"a denial beside it", "rm -rf lib; rm -rf ~", checkrein.PreToolUse, builtin.Saved{Any: true, ID: "1a2b"}, nil, checkrein.Deny, 0},
		{"a question beside it", "rm -rf lib; git push --force-with-lease origin main", checkrein.PreToolUse, builtin.Saved{Any: true, ID: "1a2b"}, nil, checkrein.Ask, 0},
		{"a loss that passes anyway", "git branch -D other", checkrein.PreToolUse, builtin.Saved{}, full, checkrein.NoOpinion, 0},
	} {
		input, err := json.Marshal(map[string]string{"command": tt.command})
		if err != nil {
			t.Fatal(err)
		}
		save := func(context.Context, *checkrein.Event, undo.Request) (builtin.Saved, error) {
			return tt.saved, tt.err
		}
		v, err := b.packs(t.Context(), builtin.Call{
			Event: checkrein.Event{Kind: tt.kind, Session: checkrein.Session{Root: b.dir}, Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", Input: input}},
			Dir:   b.dir, Machine: builtin.Machine{Home: b.home, Save: save},
		})
		if err != nil || v.Decision != tt.want || len(v.Obligations) != tt.obligations {
			t.Errorf("%s: %+v %v", tt.name, v, err)
		}
	}
}

// TestInPlace checks that files into which a call writes are copied: a hard link would change too.
func TestInPlace(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write("work/shop.db", "SQLite format 3\x00")
	for command, want := range map[string]bool{
		"sqlite3 shop.db 'delete from entries'": true,
		"sqlite3 shop.db 'drop table entries'":  true,
		"exec 9<>main.go; echo x >&9":           true,
		"rm main.go":                            false,
	} {
		var got *undo.Loss
		input, _ := json.Marshal(map[string]string{"command": command})
		_, err := b.packs(t.Context(), builtin.Call{
			Event: checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{Root: b.dir}, Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", Input: input}},
			Dir:   b.dir, Machine: builtin.Machine{Home: b.home, Save: func(_ context.Context, _ *checkrein.Event, r undo.Request) (builtin.Saved, error) {
				got = &r.Losses[0]
				return builtin.Saved{Any: true, ID: "1a2b"}, nil
			}},
		})
		if err != nil || got == nil || got.InPlace != want {
			t.Errorf("%s: %+v, want in place %v, %v", command, got, want, err)
		}
	}
}
