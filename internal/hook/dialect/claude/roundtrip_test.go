package claude

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

func drawWith(t *rapid.T, run string) json.RawMessage {
	text := rapid.String()
	command := rapid.StringMatching(`[^\x00]*[a-z][^\x00]*`)
	with := map[string]any{}
	maybe := func(key string, gen *rapid.Generator[string]) {
		if rapid.Bool().Draw(t, "has "+key) {
			with[key] = gen.Draw(t, key)
		}
	}
	switch run {
	case "command":
		if rapid.Bool().Draw(t, "argv") {
			with["argv"] = append([]string{command.Draw(t, "program")}, rapid.SliceOfN(text, 0, 3).Draw(t, "args")...)
		} else {
			with["command"] = command.Draw(t, "command")
		}
		maybe("working_dir", rapid.SampledFrom([]string{"sub", "/abs"}))
		if rapid.Bool().Draw(t, "has env") {
			with["env"] = map[string]string{rapid.SampledFrom([]string{"A", "B.C"}).Draw(t, "variable"): "x"}
		}
	case "http":
		with["url"] = "https://x.example/" + rapid.StringMatching(`[a-z]*`).Draw(t, "url")
		if rapid.Bool().Draw(t, "has headers") {
			with["headers"] = map[string]string{"X": rapid.SampledFrom([]string{"a", "${env.A}", "$A", "$ ${"}).Draw(t, "header")}
		}
		if rapid.Bool().Draw(t, "has allow_local") {
			with["allow_local"] = true
		}
	case "model":
		with["prompt"] = rapid.SampledFrom([]string{"x", "x {{ . | toJSON }}", `{{"{{"}} {{ . | toJSON }}`, "{{ .Cwd }}", "$ARGUMENTS"}).Draw(t, "prompt")
		maybe("model", rapid.SampledFrom([]string{"anthropic/a", "openai/b"}))
		maybe("schema", rapid.Just(decisionSchema))
		maybe("system_prompt", text)
	default:
		with["name"] = "x"
	}
	out, _ := json.Marshal(with)
	return out
}

func drawIf(t *rapid.T, row *checkrein.Contract) []byte {
	conds := []string{"", `{"cwd":{"under":"/x"}}`}
	if row.Subject == checkrein.SubjectTool {
		word := rapid.StringMatching(`[ -~]{1,10}`).Draw(t, "spec")
		for _, rule := range []string{"Bash", "Skill", "mcp__a__b", "mcp__a__*", "Bash(" + word + ")", "Edit(" + word + ")"} {
			if c, whole, err := ruleCond(rule); err == nil && whole {
				if _, err := match.CompileCond(c, row); err == nil {
					conds = append(conds, string(c))
				}
			}
		}
		if row.Kind == checkrein.PostToolUse {
			for _, c := range conds {
				if c == "" {
					conds = append(conds, successCond)
				} else {
					conds = append(conds, `{"all":[`+successCond+`,`+c+`]}`)
				}
			}
		}
	} else {
		conds = append(conds, neverCond)
		if f := matcherField(row.Kind); f != "" && slices.Contains(match.FieldNames(row), f) {
			conds = append(conds, string(fieldCond(f, "a|b-c")), string(fieldCond(f, "^x.*")))
		}
	}
	if c := rapid.SampledFrom(conds).Draw(t, "if"); c != "" {
		return json.RawMessage(c)
	}
	return nil
}

func drawHook(t *rapid.T, i int) checkrein.Hook {
	kind := checkrein.Kind(rapid.IntRange(0, int(checkrein.NumKinds)-1).Draw(t, "kind"))
	row := checkrein.ContractOf(kind)
	run := rapid.SampledFrom([]string{"command", "command", "http", "model", "builtin"}).Draw(t, "run")
	rarely := rapid.Custom(func(t *rapid.T) bool { return rapid.IntRange(0, 5).Draw(t, "rarely") == 0 })
	h := checkrein.Hook{
		ID: fmt.Sprintf("h%d", i), On: kind, Run: run, With: drawWith(t, run), If: drawIf(t, row),
		Timeout:  time.Duration(rapid.IntRange(0, 20000).Draw(t, "timeout")) * 100 * time.Millisecond,
		Priority: hookfile.DefaultPriority, Rewrites: !rarely.Draw(t, "rewrites"), Async: rarely.Draw(t, "async"),
		Gate: rarely.Draw(t, "gate"), Strict: rarely.Draw(t, "strict"), Dialect: rapid.SampledFrom([]string{"native", "claude"}).Draw(t, "dialect"),
	}
	if rarely.Draw(t, "priority") {
		h.Priority = 7
	}
	if rarely.Draw(t, "fault") {
		h.OnFault = rapid.SampledFrom([]checkrein.FaultPolicy{checkrein.FaultWarn, checkrein.FaultBlock}).Draw(t, "policy")
	}
	if rarely.Draw(t, "search") {
		h.Search = "x"
	}
	if rarely.Draw(t, "name") {
		h.Name = fmt.Sprintf("n%d", i)
	}
	if kind == checkrein.Other {
		h.Event = rapid.SampledFrom([]string{"", "FileChanged", "Setup", "beforeX"}).Draw(t, "event")
	}
	if row.Subject == checkrein.SubjectTool {
		h.Match = rapid.SampledFrom([]string{"", "*", "Bash", "shell|Edit", "edit", "mcp:lab/say", "sh.*", "mcp__.*"}).Draw(t, "match")
		if rapid.Bool().Draw(t, "by words") {
			h.MatchWords = true
		}
	}
	return h
}

// differences lists the properties in which two hooks differ, with the names that losses have.
func differences(was, is *checkrein.Hook) []string {
	var out []string
	note := func(what string, differs bool) {
		if differs {
			out = append(out, what)
		}
	}
	note("name", was.Name != is.Name)
	note("search", was.Search != is.Search)
	note("priority", was.Priority != is.Priority)
	note("gate", was.Gate != is.Gate)
	note("rewrites", was.Rewrites != is.Rewrites)
	note("strict_output", was.Strict != is.Strict)
	// These matter to Claude only: checkrein reads the same.
	other := was.Dialect != dialect
	note("dialect", other && was.Run != "model")
	note("on_error", was.OnFault != is.OnFault || other && !was.Async && checkrein.ContractOf(was.On).Closed)
	note("async", was.Async != is.Async)
	note("if", !rawjson.Equal(orNull(was.If), orNull(is.If)))
	note("run", was.Run != is.Run)
	note("event", was.On != is.On || was.Event != is.Event || was.On == checkrein.PostToolUse && !strings.Contains(string(was.If), "tool_error"))
	note("timeout", was.Limit() != is.Limit())
	keys := map[string]bool{}
	for _, with := range [...][]byte{was.With, is.With} {
		rawjson.Each(with, func(key string, _ []byte) bool { keys[key] = true; return true })
	}
	for key := range keys {
		a, _ := rawjson.Get(was.With, key)
		b, _ := rawjson.Get(is.With, key)
		note(key, !rawjson.Equal(orNull(a), orNull(b)) || key == "allow_local" && other)
	}
	slices.Sort(out)
	return out
}

func orNull(b []byte) []byte {
	if b == nil {
		return []byte("null")
	}
	return b
}

// distinguishingTool returns a tool that only one of the two matchers accepts, by Claude's name and by
// the canonical name.
func distinguishingTool(t *rapid.T, was, is *checkrein.Hook) string {
	a, errA := match.CompileTool(was.Match, was.MatchWords)
	b, errB := match.CompileTool(is.Match, is.MatchWords)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	for _, name := range append(claudeTools[:], "mcp__lab__say", "mcp__lab__shout") {
		whole := &checkrein.Tool{Name: name, Canonical: tools.CanonicalTool(name)}
		if a.Match(whole, "") != b.Match(whole, "") {
			return name
		}
		if !was.MatchWords && b.Match(&checkrein.Tool{Name: name}, "") != a.Match(whole, "") {
			return name + " in Claude"
		}
	}
	return ""
}

// TestRoundTrip checks that hooks that are written and read again are equal except for the reported
// losses, and that every reported loss is one.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var hooks []checkrein.Hook
		for i := range rapid.IntRange(0, 6).Draw(t, "hooks") {
			hooks = append(hooks, drawHook(t, i))
		}
		docs, losses := Dialect.Write(hooks)
		file, err := readFile(string(docs[0].Data))
		if err != nil {
			t.Fatalf("%v\n%s", err, docs[0].Data)
		}
		lost := map[string][]string{}
		for _, l := range losses {
			if !slices.Contains(lost[l.Hook], l.What) {
				lost[l.Hook] = append(lost[l.Hook], l.What)
			}
		}
		back := file.Hooks
		for _, h := range sortByEvent(hooks) {
			what := lost[h.Label()]
			if slices.ContainsFunc(what, func(s string) bool {
				return s == "event" && h.On != checkrein.PostToolUse || s == "type" || s == "hook"
			}) {
				continue
			}
			if len(back) == 0 {
				t.Fatalf("%s is gone, and only lost %v\n%s", h.Label(), what, docs[0].Data)
			}
			slices.Sort(what)
			if got := differences(&h, &back[0]); !slices.Equal(got, what) {
				t.Fatalf("%s: %v differ, and %v are lost\n%+v\n%+v", h.Label(), got, what, h, back[0])
			}
			if tool := distinguishingTool(t, &h, &back[0]); tool != "" {
				t.Fatalf("%q became %q, which is another about %s", h.Match, back[0].Match, tool)
			}
			back = back[1:]
		}
		if len(back) > 0 {
			t.Fatalf("%d hooks too many", len(back))
		}
		again, more := Dialect.Write(file.Hooks)
		if twice, err := readFile(string(again[0].Data)); err != nil || formatHooks(twice) != formatHooks(file) || len(more) > 0 {
			t.Fatalf("written again:\n%s\n%v, losing %v; first:\n%s", again[0].Data, err, more, docs[0].Data)
		}
	})
}

// sortByEvent sorts hooks as files have them: by event, in the order of the first hooks.
func sortByEvent(hooks []checkrein.Hook) []checkrein.Hook {
	first := map[string]int{}
	key := func(h *checkrein.Hook) string { return h.On.String() + h.Event }
	for i := range hooks {
		var w writer
		_, hasName := w.eventFor(&hooks[i])
		_, hasEntry := w.newEntry(&hooks[i])
		if _, seen := first[key(&hooks[i])]; !seen && hasName && hasEntry {
			first[key(&hooks[i])] = i
		}
	}
	out := slices.Clone(hooks)
	slices.SortStableFunc(out, func(a, b checkrein.Hook) int { return first[key(&a)] - first[key(&b)] })
	return out
}
