package hookmd

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/match"
)

// drawOwnHook draws a hook that a HOOK.md can express, in a folder with a script.
func drawOwnHook(t *rapid.T, dir string) checkrein.Hook {
	kinds := []checkrein.Kind{}
	for _, row := range checkrein.Contracts() {
		if first, _ := triggerNames(row.Kind); first != "" {
			kinds = append(kinds, row.Kind)
		}
	}
	row := checkrein.ContractOf(rapid.SampledFrom(kinds).Draw(t, "kind"))
	h := checkrein.Hook{
		Name: rapid.StringMatching(`[a-z0-9-]{1,64}`).Draw(t, "name"), On: row.Kind, Run: "command",
		Timeout:  time.Duration(rapid.IntRange(minTimeout, maxTimeout).Draw(t, "timeout")) * time.Millisecond,
		Priority: rapid.IntRange(0, hookfile.MaxPriority).Draw(t, "priority"), Rewrites: true, Dialect: "hookmd",
		Async: rapid.Bool().Draw(t, "async"), OnFault: checkrein.FaultPolicy(rapid.IntRange(1, 3).Draw(t, "on_error")),
	}
	h.ID = h.Name
	folder, _ := json.Marshal(filepath.Join(dir, "script"))
	h.With = json.RawMessage(`{"hook_folder":` + string(folder) + `}`)
	if !h.Async {
		h.Chain = "hookmd"
	}
	if h.OnFault == checkrein.FaultBlock && (h.Async || !row.Can(checkrein.CanDeny)) {
		h.OnFault = checkrein.FaultWarn
	}
	if row.Kind == checkrein.PostToolUse {
		h.If = checkrein.Condition(successCond)
	}
	if row.Subject == checkrein.SubjectTool {
		h.Match, h.Args = drawExpression(t, "tool"), drawExpression(t, "pattern")
	}
	return h
}

// drawExpression draws a valid regular expression.
func drawExpression(t *rapid.T, label string) string {
	return rapid.OneOf(rapid.StringMatching(`[a-zA-Z_|]{0,12}`), rapid.SampledFrom([]string{`\.(py|js|ts)$`, `rm -rf /|mkfs|>:/dev/sda`, "a\"b'c: #", "-", "~", "null", "[0-9]{2}", "é\u2028😀\u0085\x7f"}),
		rapid.String()).Filter(func(s string) bool {
		_, search := match.CompileSearch(s)
		_, tool := match.CompileTool(s, false)
		return search == nil && tool == nil
	}).Draw(t, label)
}

// TestRoundTrip checks that hooks that a HOOK.md can express stay the same if they are written and
// read.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, dir, "script/scripts/run.sh", "exit 0\n", 0o755)
	where := cmp.Options{cmpopts.IgnoreFields(checkrein.Hook{}, "From", "With")}
	rapid.Check(t, func(t *rapid.T) {
		h := drawOwnHook(t, dir)
		docs, losses := Dialect.Write([]checkrein.Hook{h})
		if len(losses) > 0 || len(docs) != 2 {
			t.Fatalf("%d documents, lost %v", len(docs), losses)
		}
		got := readBack(t, docs[0])
		if diff := cmp.Diff(h, got, where); diff != "" {
			t.Fatalf("hook (-want +got):\n%s\n%s", diff, docs[0].Data)
		}
		if folder := hookFolder(&got); filepath.Base(folder) != h.Name {
			t.Fatalf("it runs in %s", folder)
		}
	})
}

// drawForeignHook draws a command hook of another dialect with arbitrary properties.
func drawForeignHook(t *rapid.T) checkrein.Hook {
	kind := checkrein.Kind(rapid.IntRange(0, int(checkrein.NumKinds)-1).Draw(t, "kind"))
	h := checkrein.Hook{
		ID: rapid.String().Draw(t, "id"), Name: rapid.String().Draw(t, "name"), On: kind, Run: "command",
		Timeout: time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "timeout")), Priority: rapid.IntRange(0, hookfile.MaxPriority).Draw(t, "priority"),
		Async: rapid.Bool().Draw(t, "async"), OnFault: checkrein.FaultPolicy(rapid.IntRange(0, 3).Draw(t, "on_error")),
		Gate: rapid.Bool().Draw(t, "gate"), Strict: rapid.Bool().Draw(t, "strict"), Rewrites: rapid.Bool().Draw(t, "rewrites"),
		Match: drawExpression(t, "match"), Args: drawExpression(t, "args"), MatchWords: rapid.Bool().Draw(t, "by"),
		Dialect: rapid.SampledFrom([]string{"", "native", "claude", "docker-agent"}).Draw(t, "dialect"),
	}
	command, _ := json.Marshal(rapid.String().Draw(t, "command"))
	h.With = json.RawMessage(`{"command":` + string(command) + `}`)
	return h
}

// TestWrittenIsValid checks that written folders are valid, and that every difference from the hook is
// reported.
func TestWrittenIsValid(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := drawForeignHook(t)
		docs, losses := Dialect.Write([]checkrein.Hook{h})
		told := map[string]bool{}
		for _, l := range losses {
			told[l.What] = true
		}
		if len(docs) == 0 {
			if len(losses) == 0 {
				t.Fatal("it vanished")
			}
			return
		}
		got := readBack(t, docs[0])
		effective := func(h *checkrein.Hook) checkrein.FaultPolicy {
			if h.OnFault == checkrein.FaultByRow && !(checkrein.ContractOf(h.On).Closed && !h.Async) {
				return checkrein.FaultWarn
			} else if h.OnFault == checkrein.FaultByRow {
				return checkrein.FaultBlock
			}
			return h.OnFault
		}
		for what, same := range map[string]bool{
			"event":         got.On == h.On && (h.On != checkrein.PostToolUse || h.If != nil),
			"timeout":       got.Limit() == h.Limit(),
			"priority":      got.Priority == h.Priority,
			"async":         got.Async == h.Async,
			"on_error":      effective(&got) == effective(&h),
			"gate":          !h.Gate,
			"strict_output": !h.Strict,
			"rewrites":      h.Rewrites,
			"name":          h.Name == "" || got.Name == h.Name,
			"matcher":       got.Args == h.Args && (got.Match == h.Match || h.MatchWords),
		} {
			if !same && !told[what] {
				t.Fatalf("%s is lost and nobody is told:\n%+v\n%+v", what, h, got)
			}
		}
	})
}
