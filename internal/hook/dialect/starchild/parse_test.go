package starchild

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

const file = "/w/config/shell_hooks.yaml"

func read(text, beside string) (hookfile.File, error) {
	src := hookfile.Source{File: file, Data: []byte(text)}
	if beside != "" {
		src.Beside = []byte(beside)
	}
	return Dialect.Parse(src)
}

// plainHook returns the hook that parsing a plain entry at line yields.
func plainHook(on checkrein.Kind, id string, line int, change func(*checkrein.Hook)) checkrein.Hook {
	h := checkrein.Hook{ID: id, On: on, Run: "command", With: json.RawMessage(`{"argv":["/x"]}`), Timeout: 20 * time.Second,
		Priority: 100, Rewrites: true, OnFault: checkrein.FaultWarn, Dialect: "starchild", From: checkrein.Origin{File: file, Line: line}}
	if change != nil {
		change(&h)
	}
	return h
}

func TestParse(t *testing.T) {
	t.Parallel()
	pre := checkrein.PreToolUse
	one := func(line int, change func(*checkrein.Hook)) []checkrein.Hook {
		return []checkrein.Hook{plainHook(pre, "pre_tool_call#1", line, change)}
	}
	for _, tt := range []struct {
		name, text string
		want       []checkrein.Hook
	}{
		{"nothing", "", nil},
		{"no hooks", "hooks:\n", nil},
		{"empty list", "hooks: []\n", nil},
		{"switches are tolerated", "enabled: true\nshell_hooks: {enabled: true}\nhooks: []\n", nil},
		{"the least", "hooks:\n  - event: pre_tool_call\n    command: /x\n", one(2, nil)},
		{"everything", "hooks:\n- {event: pre_tool_call, name: guard, matcher: 'rm -rf|dd if=', command: \"/x 'a b'\", timeout: 10, type: command, on_error: block}\n",
			one(2, func(h *checkrein.Hook) {
				h.ID, h.Name, h.Search, h.Timeout, h.OnFault = "guard", "guard", "rm -rf|dd if=", 10*time.Second, checkrein.FaultBlock
				h.With = json.RawMessage(`{"argv":["/x","a b"]}`)
			})},
		{"http", "hooks: [{event: pre_tool_call, type: http, url: 'https://guard.example.com/hook'}]",
			one(1, func(h *checkrein.Hook) {
				h.Run, h.With = "http", json.RawMessage(`{"url":"https://guard.example.com/hook"}`)
			})},
		{"http to this machine", "hooks: [{event: pre_tool_call, type: http, url: 'http://127.0.0.1/hook', allow_local: true}]",
			one(1, func(h *checkrein.Hook) {
				h.Run, h.With = "http", json.RawMessage(`{"url":"http://127.0.0.1/hook","allow_local":true}`)
			})},
		{"http and not to this machine", "hooks: [{event: pre_tool_call, type: http, url: 'https://a/hook', allow_local: false}]",
			one(1, func(h *checkrein.Hook) { h.Run, h.With = "http", json.RawMessage(`{"url":"https://a/hook"}`) })},
		{"a program of PATH", "hooks: [{event: pre_tool_call, command: guard --strict}]",
			one(1, func(h *checkrein.Hook) { h.With = json.RawMessage(`{"argv":["guard","--strict"]}`) })},
		{"quiet faults", "hooks: [{event: pre_tool_call, command: /x, on_error: ignore}]",
			one(1, func(h *checkrein.Hook) { h.OnFault = checkrein.FaultIgnore })},
		{"what is null is not said", "hooks: [{event: pre_tool_call, command: /x, name: , matcher: ~, timeout: ~, type: ~, url: ~, on_error: ~}]", one(1, nil)},
		{"a timeout of nothing", "hooks: [{event: pre_tool_call, command: /x, timeout: 0}]", one(1, nil)},
		{"a negative timeout", "hooks: [{event: pre_tool_call, command: /x, timeout: -5}]", one(1, nil)},
		{"half a second", "hooks: [{event: pre_tool_call, command: /x, timeout: 0.5}]",
			one(1, func(h *checkrein.Hook) { h.Timeout = time.Second / 2 })},
		{"counted per event", "hooks:\n- {event: on_stop, command: /x}\n- {event: pre_tool_call, command: /x}\n- {event: on_stop, command: /x, name: b}\n- {event: on_stop, command: /x}\n",
			[]checkrein.Hook{plainHook(checkrein.Stop, "on_stop#1", 2, nil), plainHook(pre, "pre_tool_call#1", 3, nil),
				plainHook(checkrein.Stop, "b", 4, func(h *checkrein.Hook) { h.Name = "b" }), plainHook(checkrein.Stop, "on_stop#3", 5, nil)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := read(tt.text, "")
			if err != nil || f.Lost != nil || len(f.Warnings) > 0 {
				t.Fatalf("got %v, lost %v, warnings %v", err, f.Lost, f.Warnings)
			}
			if diff := cmp.Diff(tt.want, f.Hooks); diff != "" {
				t.Errorf("hooks (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEvents checks that there are the twelve events in starchild's documentation, and no others.
func TestEvents(t *testing.T) {
	t.Parallel()
	want := map[string]checkrein.Kind{
		"on_user_message": checkrein.UserPromptSubmit, "pre_tool_call": checkrein.PreToolUse, "post_tool_call": checkrein.PostToolUse,
		"transform_tool_result": checkrein.ToolResponseTransform, "pre_llm_call": checkrein.BeforeLLMCall, "post_llm_call": checkrein.AfterLLMCall,
		"on_response_end": checkrein.OnResponseEnd, "on_stop": checkrein.Stop, "on_outbound_message": checkrein.OnOutboundMessage,
		"on_completion_claim": checkrein.OnCompletionClaim, "on_session_start": checkrein.SessionStart, "on_session_end": checkrein.SessionEnd,
	}
	if got := eventNames(); len(got) != len(want) {
		t.Errorf("got %v", got)
	}
	for event, kind := range want {
		f, err := read("hooks: [{event: "+event+", command: /x}]", "")
		if err != nil || len(f.Hooks) != 1 || f.Hooks[0].On != kind {
			t.Errorf("%s: got %+v, %v", event, f.Hooks, err)
		}
	}
}

// TestParseErrors checks the first line of the error without the file, why the hook is broken if there
// is one, and whether gates close.
func TestParseErrors(t *testing.T) {
	t.Parallel()
	const known = "(must be one of on_session_start, on_session_end, on_user_message, pre_llm_call, post_llm_call, pre_tool_call, transform_tool_result, post_tool_call, on_response_end, on_stop, on_completion_claim, on_outbound_message)"
	const lost = "lost"
	entry := func(rest string) string { return "hooks:\n- event: pre_tool_call\n  " + rest + "\n" }
	for _, tt := range []struct{ name, text, err, broken string }{
		{"syntax", "hooks: [\n", `1:8: this [ is never closed (add ] where the list ends)`, lost},
		{"a list", "- a\n", `1: the file is a list, not a mapping`, lost},
		{"unknown top-level key", "hook: []\n", `1: unknown key "hook" in the file, did you mean "hooks"?`, lost},
		{"hooks by event", "hooks:\n  pre_tool_call: {command: /x}\n", `2: hooks is a mapping, not a list (write hooks: [{event: pre_tool_call, command: /path/to/script}])`, lost},
		{"an entry that is a string", "hooks: [x]\n", `1: an entry of hooks is a string, not a mapping (write {event: …, command: …})`, lost},
		{"no event", "hooks: [{command: /x}]\n", `1: the hook has no event ` + known, lost},
		{"an empty event", "hooks: [{event: '', command: /x}]\n", `1: the hook has no event ` + known, lost},
		{"an event that is a number", "hooks: [{event: 5, command: /x}]\n", `1: event is a number, not a string ` + known, lost},
		{"a mistyped event", "hooks:\n- event: pre_tool_cal\n  command: /x\n", `2: unknown event "pre_tool_cal", did you mean "pre_tool_call"?`, lost},
		{"an event of nobody", "hooks: [{event: sunrise, command: /x}]\n", `1: unknown event "sunrise" ` + known, lost},
		{"another system's name", "hooks: [{event: PreToolUse, command: /x}]\n", `1: unknown event "PreToolUse": in this format, it is called pre_tool_call (write event: pre_tool_call)`, lost},
		{"another system's event", "hooks: [{event: turn_start, command: /x}]\n", `1: unknown event "turn_start": starchild has no similar event ` + known, lost},

		{"unknown key", entry("matchr: rm\n  command: /x"), `3: hook "pre_tool_call#1": unknown key "matchr", did you mean "matcher"?`, `unknown key "matchr", did you mean "matcher"?`},
		{"a key of other dialects", entry("priority: 5\n  command: /x"), `3: hook "pre_tool_call#1": unknown key "priority" (must be one of event, matcher, command, timeout, type, url, name, on_error, allow_local)`,
			`unknown key "priority" (must be one of event, matcher, command, timeout, type, url, name, on_error, allow_local)`},
		{"no command", entry("timeout: 5"), `2: hook "pre_tool_call#1": the hook has no command (add command: /path/to/script)`, `the hook has no command (add command: /path/to/script)`},
		{"an empty command", entry("command: ' '"), `2: hook "pre_tool_call#1": the hook has no command (add command: /path/to/script)`, `the hook has no command (add command: /path/to/script)`},
		{"a command that is a list", entry("command: [/x, a]"), `3: hook "pre_tool_call#1": command is a list, not a string (write one line, with shell quoting)`,
			`command is a list, not a string (write one line, with shell quoting)`},
		{"an open quote", entry(`command: /x 'a`), `3: hook "pre_tool_call#1": command: the quote ' is never closed (close it, or put a backslash before it)`,
			`command: the quote ' is never closed (close it, or put a backslash before it)`},
		{"no program", entry(`command: "'' a"`), `3: hook "pre_tool_call#1": command: the program is missing (start with the path of a program)`,
			`command: the program is missing (start with the path of a program)`},
		{"a relative path", entry("command: ./guard.py"), `3: hook "pre_tool_call#1": command: the path "./guard.py" is relative, so starchild looks for it in its server's directory: the file is not there, so the guard silently protects nothing (use an absolute path)`,
			`command: the path "./guard.py" is relative, so starchild looks for it in its server's directory: the file is not there, so the guard silently protects nothing (use an absolute path)`},
		{"a home", entry("command: ~/guard.py"), `3: hook "pre_tool_call#1": command: the ~ in "~/guard.py" is not expanded, because no shell runs (use an absolute path)`,
			`command: the ~ in "~/guard.py" is not expanded, because no shell runs (use an absolute path)`},
		{"a bad matcher", entry("command: /x\n  matcher: 'a('"), `4: hook "pre_tool_call#1": matcher: pattern "a(": "(" is never closed: add ")", or write "\(" for a literal bracket (use RE2 syntax: no back-references, and \z for Python's \Z)`,
			`matcher: pattern "a(": "(" is never closed: add ")", or write "\(" for a literal bracket (use RE2 syntax: no back-references, and \z for Python's \Z)`},
		{"look-around", entry("command: /x\n  matcher: 'rm(?! -i)'"), `4: hook "pre_tool_call#1": matcher "rm(?! -i)": look-around is not supported (use a broader expression here and check the rest in the script)`,
			`matcher "rm(?! -i)": look-around is not supported (use a broader expression here and check the rest in the script)`},
		{"a matcher that is a number", entry("command: /x\n  matcher: 5"), `4: hook "pre_tool_call#1": matcher is a number, not a string (quote it)`, `matcher is a number, not a string (quote it)`},
		{"a timeout that is a string", entry("command: /x\n  timeout: '5'"), `4: hook "pre_tool_call#1": timeout is a string, not a number (write seconds)`, `timeout is a string, not a number (write seconds)`},
		{"unknown type", entry("type: comand\n  command: /x"), `3: hook "pre_tool_call#1": unknown hook type "comand", did you mean "command"?`, `unknown hook type "comand", did you mean "command"?`},
		{"a type of other dialects", entry("type: rule"), `3: hook "pre_tool_call#1": unknown hook type "rule" (must be one of command, http)`, `unknown hook type "rule" (must be one of command, http)`},
		{"http without url", entry("type: http"), `2: hook "pre_tool_call#1": a hook of type http needs a url (add url: https://…)`, `a hook of type http needs a url (add url: https://…)`},
		{"http with a command", entry("type: http\n  url: https://a\n  command: /x"), `5: hook "pre_tool_call#1": command has no effect on hooks of type http (remove it, or type: http)`,
			`command has no effect on hooks of type http (remove it, or type: http)`},
		{"a url without its type", entry("command: /x\n  url: https://a"), `4: hook "pre_tool_call#1": url has no effect on hooks of type command (add type: http, or remove it)`,
			`url has no effect on hooks of type command (add type: http, or remove it)`},
		{"a url of another scheme", entry("type: http\n  url: file:///etc"), `4: hook "pre_tool_call#1": url "file:///etc" is not an http or https URL (write https://…)`, `url "file:///etc" is not an http or https URL (write https://…)`},
		{"a command that allows", entry("command: /x\n  allow_local: true"), `4: hook "pre_tool_call#1": allow_local has no effect on hooks of type command (remove it)`, `allow_local has no effect on hooks of type command (remove it)`},
		{"allow_local in words", entry("type: http\n  url: https://a\n  allow_local: 'yes'"), `5: hook "pre_tool_call#1": allow_local is a string, not a boolean (write true or false)`,
			`allow_local is a string, not a boolean (write true or false)`},
		{"unknown on_error", entry("command: /x\n  on_error: blok"), `4: hook "pre_tool_call#1": on_error: "blok" is unknown, did you mean "block"?`, `on_error: "blok" is unknown, did you mean "block"?`},
		{"block where nothing blocks", "hooks: [{event: post_llm_call, command: /x, on_error: block}]", `1: hook "post_llm_call#1": on_error: block has no effect here: no hook can block post_llm_call (use warn or ignore)`,
			`on_error: block has no effect here: no hook can block post_llm_call (use warn or ignore)`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := read(tt.text, "")
			if err == nil || err.Error() != file+":"+tt.err {
				t.Errorf("got  %v\nwant %s", err, file+":"+tt.err)
			}
			if (f.Lost != nil) != (tt.broken == lost) {
				t.Errorf("lost: %v", f.Lost)
			}
			if tt.broken == lost {
				return
			}
			if h := f.Hooks[0]; h.Broken != tt.broken || h.Search != "" {
				t.Errorf("got  %+v\nwant %s", h, tt.broken)
			}
		})
	}
}

// TestAllErrorsAtOnce checks that all mistakes are reported at once, and that an invalid entry does
// not affect the others.
func TestAllErrorsAtOnce(t *testing.T) {
	t.Parallel()
	f, err := read("hooks:\n- {event: on_stop, command: ./x, timeout: x}\n- {event: nope, command: /x}\n- {event: on_stop, command: /x}\n", "")
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("got %v", err)
	}
	if len(f.Hooks) != 2 || f.Hooks[0].Broken == "" || f.Hooks[1].Broken != "" || f.Hooks[1].ID != "on_stop#2" {
		t.Errorf("got %+v", f.Hooks)
	}
}

// TestFaultsOfBrokenHooks checks that a broken hook only warns, as faults do in this dialect, unless
// on_error, or a key that may be a misspelt on_error, makes it stricter.
func TestFaultsOfBrokenHooks(t *testing.T) {
	t.Parallel()
	for rest, want := range map[string]checkrein.FaultPolicy{
		"":                    checkrein.FaultWarn,
		", on_error: warn":    checkrein.FaultWarn,
		", on_error: ignore":  checkrein.FaultWarn,
		", on_error: block":   checkrein.FaultBlock,
		", on_error: blok":    checkrein.FaultByRow,
		", on_error: [block]": checkrein.FaultByRow,
		", onerror: block":    checkrein.FaultByRow,
		", foo: block":        checkrein.FaultWarn,
	} {
		f, _ := read("hooks: [{event: pre_tool_call, command: ./x"+rest+"}]", "")
		if got := f.Hooks[0].OnFault; got != want {
			t.Errorf("%s: got %q, want %q", rest, got, want)
		}
	}
}

func TestTimeoutIsLimited(t *testing.T) {
	t.Parallel()
	f, err := read("hooks:\n- event: on_stop\n  command: /x\n  timeout: 300\n", "")
	if err != nil || f.Hooks[0].Timeout != 120*time.Second {
		t.Fatalf("got %+v, %v", f.Hooks, err)
	}
	want := file + `:4: hook "on_stop#1": timeout 300 is cut to 120 seconds, the maximum (write 120 or less)`
	if got := errors.Join(f.Warnings...); got == nil || got.Error() != want {
		t.Errorf("got  %v\nwant %s", got, want)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "hooks:\n  - event: pre_tool_call\n    matcher: \"rm\\s\"\n    command: /x 'a b'\n    timeout: 1e9\n    on_error: block\n",
		"hooks: [{event: on_stop, type: http, url: 'https://a', name: x}, 1, ~]", "hooks: {a: b}", "enabled: false\nshell_hooks: 1\n", "hooks: [{event: &a on_stop, command: *a}]"} {
		f.Add(s, "shell_hooks: {enabled: false}")
	}
	f.Fuzz(func(t *testing.T, text, agent string) {
		file, err := read(text, agent)
		if file.Lost != nil && err == nil {
			t.Error("lost without an error")
		}
		for _, h := range file.Hooks {
			switch {
			case h.Broken != "" && err == nil:
				t.Errorf("broken without an error: %+v", h)
			case h.Broken == "" && (h.Run == "" || !json.Valid(h.With) || h.OnFault == checkrein.FaultByRow):
				t.Errorf("not whole: %+v", h)
			case h.Timeout <= 0 || h.Timeout > maxTimeout:
				t.Errorf("timeout: %+v", h)
			}
		}
		if err == nil {
			checkRoundTrip(t, file.Hooks)
		}
	})
}
