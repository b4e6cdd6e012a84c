package dialect_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
	"pgregory.net/rapid"
)

// hookGen generates hooks that a native file can declare.
func hookGen(n int) *rapid.Generator[checkrein.Hook] {
	return rapid.Custom(func(t *rapid.T) checkrein.Hook {
		rows := checkrein.Contracts()[1:]
		row := &rows[rapid.IntRange(0, len(rows)-1).Draw(t, "event")]
		h := checkrein.Hook{
			ID: fmt.Sprintf("h%d", n), Name: fmt.Sprintf("h%d", n), On: row.Kind, Dialect: "native", Rewrites: true,
			Priority: rapid.SampledFrom([]int{100, 100, 100, 900}).Draw(t, "priority"),
			Timeout:  rapid.SampledFrom([]time.Duration{0, 5 * time.Second, 300 * time.Second}).Draw(t, "timeout"),
			Strict:   rapid.SampledFrom([]bool{false, false, true}).Draw(t, "strict"),
			OnFault:  rapid.SampledFrom([]checkrein.FaultPolicy{checkrein.FaultByRow, checkrein.FaultWarn, checkrein.FaultIgnore}).Draw(t, "on_error"),
		}
		if row.Subject == checkrein.SubjectTool {
			h.Match = rapid.SampledFrom([]string{"", "shell", "shell|write", "mcp__.*"}).Draw(t, "match")
			if rapid.Bool().Draw(t, "args") {
				h.Args = "prod"
			}
		}
		if rapid.IntRange(0, 4).Draw(t, "if") == 0 {
			h.If = checkrein.Condition(`{"session_id":{"is":"s"}}`)
		}
		switch rapid.IntRange(0, 5).Draw(t, "type") {
		case 0:
			h.Run, h.With = "builtin", json.RawMessage(`{"name":"add_date"}`)
		case 1:
			h.Run, h.With = "http", json.RawMessage(`{"url":"https://example.com/hook"}`)
		case 2:
			h.Run, h.With = "command", json.RawMessage(`{"argv":["/usr/bin/guard","--x","a b","it's"]}`)
			if rapid.Bool().Draw(t, "sandbox") {
				h.With = json.RawMessage(`{"argv":["/usr/bin/guard","--x","a b","it's"],"sandbox":` + rapid.SampledFrom([]string{`{}`, `{"read":["."],"network":false}`}).Draw(t, "box") + `}`)
			}
		default:
			h.Run, h.With = "command", json.RawMessage(`{"command":"cat > /dev/null; echo \"it's $HOME\" | grep -v '#'"}`)
			h.Async = rapid.IntRange(0, 4).Draw(t, "async") == 0
			h.Gate = !h.Async && rapid.IntRange(0, 4).Draw(t, "gate") == 0
			h.Rewrites = rapid.IntRange(0, 4).Draw(t, "rewrites") != 0
		}
		return h
	})
}

// hookProgram returns what a command hook runs, in one form for all ways to write it.
func hookProgram(h *checkrein.Hook) string {
	if v, ok := rawjson.Get(h.With, "command"); ok {
		s, _ := rawjson.Text(v)
		return s
	}
	var words []string
	v, _ := rawjson.Get(h.With, "argv")
	rawjson.Elements(v, func(_ int, e []byte) bool {
		s, _ := rawjson.Text(e)
		words = append(words, s)
		return true
	})
	if len(words) == 3 && words[0] == "/bin/sh" && words[1] == "-c" {
		return words[2]
	}
	for i, w := range words {
		words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return strings.Join(words, " ")
}

// differences lists the properties in which two hooks differ, with the names that losses have.
func differences(a, b *checkrein.Hook) []string {
	var out []string
	diff := func(differs bool, what string) {
		if differs {
			out = append(out, what)
		}
	}
	diff(!slices.Equal(matchedTools(a), matchedTools(b)), "matcher")
	diff(string(rawjson.Compact(nil, a.If)) != string(rawjson.Compact(nil, b.If)), "if")
	diff(a.Timeout != b.Timeout, "timeout")
	diff(a.Priority != b.Priority, "priority")
	diff(a.Async != b.Async, "async")
	diff(a.Gate != b.Gate, "gate")
	diff(a.Rewrites != b.Rewrites, "rewrites")
	diff(a.Strict != b.Strict, "strict_output")
	diff(a.OnFault != b.OnFault, "on_error")
	diff(a.Args != b.Args, "args")
	diff(a.Run != b.Run, "type")
	boxA, _ := rawjson.Get(a.With, "sandbox")
	boxB, _ := rawjson.Get(b.With, "sandbox")
	diff(string(boxA) != string(boxB), "sandbox")
	if a.Run == "command" {
		diff(hookProgram(a) != hookProgram(b) && hookProgram(b) != scriptWord, "command")
	} else if a.Run != "command" {
		diff(!rawjson.Equal(a.With, b.With), "settings")
	}
	return out
}

// scriptWord is the script of a hook folder, which contains the original command.
const scriptWord = `'/w/h1/scripts/run.sh'`

// matchedTools returns the known tools that the matcher of h accepts, because dialects may express the
// same matcher differently.
func matchedTools(h *checkrein.Hook) []string {
	m, err := match.CompileTool(h.Match, h.MatchWords)
	if err != nil {
		return []string{err.Error()}
	}
	out := []string{}
	tools.EachName(func(native, canonical string) {
		if m.Match(&checkrein.Tool{Name: native, Canonical: canonical}, dialect.ToolName(h.Dialect, canonical)) {
			out = append(out, native)
		}
	})
	if mcp := "mcp__lab__say"; m.Match(&checkrein.Tool{Name: mcp, Canonical: tools.CanonicalTool(mcp)}, dialect.ToolName(h.Dialect, tools.CanonicalTool(mcp))) {
		out = append(out, mcp)
	}
	return out
}

func folder(h *checkrein.Hook) string {
	v, _ := rawjson.Get(h.With, "hook_folder")
	s, _ := rawjson.Text(v)
	return s
}

// canonicalLoss maps the names that dialects have for the same loss to one.
func canonicalLoss(what string) string {
	switch what {
	case "args_match", "pattern":
		return "args"
	case "match_words":
		return "matcher"
	case "strict":
		return "strict_output"
	}
	return what
}

// isImpliedDifference reports whether a difference results from defaults of the dialect d and does not
// change what the hook does.
func isImpliedDifference(d *hookfile.Dialect, what string, a, b *checkrein.Hook) bool {
	switch {
	case what == "timeout" && a.Timeout == 0: // its own default is written out
		return b.Timeout == (&checkrein.Hook{}).Limit() || d.Name != "native" && b.Timeout <= (&checkrein.Hook{}).Limit()
	case what == "on_error" && a.Async: // which decides nothing either way
		return true
	case what == "on_error" && a.OnFault == checkrein.FaultByRow: // what the row would do is written out
		row := checkrein.ContractOf(a.On)
		return b.OnFault == checkrein.FaultBlock == row.Closed && (b.OnFault == checkrein.FaultBlock || b.OnFault == checkrein.FaultWarn)
	case what == "if": // said as a loss of the event: it fires on success only
		return d.Name == "hookmd" && a.On == checkrein.PostToolUse && string(b.If) == `{"tool_error":{"is":false}}`
	}
	return false
}

// parseWritten parses the documents that the dialect d wrote.
func parseWritten(t *rapid.T, d *hookfile.Dialect, docs []hookfile.Document) []checkrein.Hook {
	var out []checkrein.Hook
	for _, doc := range docs {
		if strings.Contains(doc.Name, "/scripts/") {
			continue
		}
		file, err := d.Parse(hookfile.Source{File: filepath.Join("/w", doc.Name), Data: doc.Data})
		if err != nil {
			t.Fatalf("%s cannot read what it wrote: %v\n%s", d.Name, err, doc.Data)
		}
		for _, h := range file.Hooks {
			if !h.Implied {
				out = append(out, h)
			}
		}
	}
	return out
}

// TestConversionReportsLosses checks that converting hooks to a dialect and back loses exactly what is
// reported.
func TestConversionReportsLosses(t *testing.T) {
	t.Parallel()
	native, _ := dialect.Lookup("native")
	for _, d := range dialect.Table() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				h := hookGen(1).Draw(t, "hook")
				docs, losses := d.Write([]checkrein.Hook{h})
				var lost []string
				for _, l := range losses {
					lost = append(lost, canonicalLoss(l.What))
					if l.Hook != h.Label() || l.Why == "" {
						t.Errorf("a loss of nobody or for no reason: %+v", l)
					}
				}
				there := parseWritten(t, d, docs)
				if len(there) == 0 {
					if !slices.ContainsFunc(lost, func(w string) bool { return w == "event" || w == "type" || w == "hook" || w == "command" }) {
						t.Errorf("the hook is gone and nothing says so: %v", losses)
					}
					return
				}
				if f := folder(&there[0]); f != "" { // as convert does
					there[0].With = json.RawMessage(`{"argv":["` + f + `/scripts/run.sh"]}`)
				}
				back, more := native.Write(there)
				again := parseWritten(t, native, back)
				if len(again) != 1 || len(more) != 0 {
					t.Fatalf("native cannot say it: %v\n%s", more, back[0].Data)
				}
				for _, what := range differences(&h, &again[0]) {
					if !slices.Contains(lost, what) && !isImpliedDifference(d, what, &h, &again[0]) {
						t.Errorf("%s is lost and nothing says so\nlosses %v\nbefore %+v\nafter  %+v\n%s", what, losses, h, again[0], docs[0].Data)
					}
				}
			})
		})
	}
}
