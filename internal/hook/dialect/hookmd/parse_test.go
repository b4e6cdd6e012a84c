package hookmd

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// absDir returns an absolute directory on every system.
func absDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("/h")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// parseAs parses text as the HOOK.md of folder.
func parseAs(t testing.TB, folder, text string) (hookfile.File, error) {
	return Dialect.Parse(hookfile.Source{File: filepath.Join(absDir(t), folder, "HOOK.md"), Data: []byte(text)})
}

// guard is a file in folder guard with some more front matter.
func guard(more string) string {
	return "---\nname: guard\ndescription: Guards.\n" + more + "---\n\n# Guard\n"
}

// want is what such a file says when it says nothing else.
func want(t testing.TB, change func(*checkrein.Hook)) checkrein.Hook {
	folder, err := json.Marshal(filepath.Join(absDir(t), "guard"))
	if err != nil {
		t.Fatal(err)
	}
	h := checkrein.Hook{
		ID: "guard", Name: "guard", On: checkrein.PreToolUse, Run: "command", With: json.RawMessage(`{"hook_folder":` + string(folder) + `}`),
		Timeout: 30 * time.Second, Priority: 100, Chain: "hookmd", Rewrites: true, OnFault: checkrein.FaultWarn, Dialect: "hookmd",
		From: checkrein.Origin{File: filepath.Join(absDir(t), "guard", "HOOK.md"), Line: 2},
	}
	if change != nil {
		change(&h)
	}
	return h
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		change     func(*checkrein.Hook)
	}{
		{"the least", guard("trigger: before_tool\n"), nil},
		{"CRLF", strings.ReplaceAll(guard("trigger: before_tool\n"), "\n", "\r\n"), nil},
		{"a byte order mark", "\ufeff" + guard("trigger: before_tool\n"), nil},
		{"blanks behind the lines", "--- \nname: guard\ndescription: d\ntrigger: before_tool\n---\t \n", nil},
		{"no body", "---\nname: guard\ndescription: d\ntrigger: before_tool\n---", nil},
		{"a body that is no YAML, nor text", guard("trigger: before_tool\n") + "---\n{[\xff\x00", nil},
		{"nothing said", guard("trigger: before_tool\nmatcher:\ntimeout:\npriority: ~\nmetadata:\non_error:\n"), nil},
		{"everything said", guard("trigger: pre-tool-call\nmatcher:\n  tool: Shell\n  pattern: 'rm -rf /|mkfs'\ntimeout: 5000\nasync: false\npriority: 999\nmetadata: {a: [1]}\non_error: block\n"),
			func(h *checkrein.Hook) {
				h.Match, h.Args, h.Timeout, h.Priority, h.OnFault = "Shell", "rm -rf /|mkfs", 5*time.Second, 999, checkrein.FaultBlock
			}},
		{"asynchronous", guard("trigger: session_end\nasync: true\non_error: ignore\n"), func(h *checkrein.Hook) {
			h.On, h.Async, h.Chain, h.OnFault = checkrein.SessionEnd, true, "", checkrein.FaultIgnore
		}},
		{"an escape that YAML does not know", guard("trigger: after_tool\nmatcher: {tool: WriteFile, pattern: \"\\.(py|js|ts)$\"}\n"), func(h *checkrein.Hook) {
			h.On, h.Match, h.Args, h.If = checkrein.PostToolUse, "WriteFile", `\.(py|js|ts)$`, checkrein.Condition(successCond)
		}},
		{"the limits, low", guard("trigger: before_tool\ntimeout: 100\npriority: 0\n"), func(h *checkrein.Hook) { h.Timeout, h.Priority = 100*time.Millisecond, 0 }},
		{"the limits, high", guard("trigger: before_tool\ntimeout: 600000\npriority: 1000\n"), func(h *checkrein.Hook) { h.Timeout, h.Priority = 10*time.Minute, 1000 }},
		{"a whole number with a point", guard("trigger: before_tool\ntimeout: 5000.0\n"), func(h *checkrein.Hook) { h.Timeout = 5 * time.Second }},
		{"every tool", guard("trigger: before_tool\nmatcher: {tool: '*', pattern: ''}\n"), func(h *checkrein.Hook) { h.Match = "*" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := parseAs(t, "guard", tt.text)
			if err != nil || f.Lost != nil || len(f.Hooks) != 1 {
				t.Fatalf("got %d hooks, %v, lost %v", len(f.Hooks), err, f.Lost)
			}
			if diff := cmp.Diff(want(t, tt.change), f.Hooks[0]); diff != "" {
				t.Errorf("hook (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMistakes checks that an invalid declaration is reported with its line, the mistake and a remedy,
// and that its gate stays closed.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"no name", "---\ndescription: d\ntrigger: before_tool\n---\n", `2: hook "guard": the hook has no name (add name: guard)`},
		{"an empty name", "---\nname: ''\ndescription: d\ntrigger: before_tool\n---\n", `2: hook "guard": the name is empty or blank (use 1 to 64 characters)`},
		{"a long name", "---\nname: " + strings.Repeat("x", 65) + "\ndescription: d\ntrigger: before_tool\n---\n", `the name has 65 characters (use 1 to 64 characters)`},
		{"a name that is a number", "---\nname: 5\ndescription: d\ntrigger: before_tool\n---\n", `2: hook "guard": name is a number, not a string (quote it)`},
		{"a name of blanks", "---\nname: '  '\ndescription: d\ntrigger: before_tool\n---\n", `the name is empty or blank (use 1 to 64 characters)`},
		{"a name that cannot be typed", "---\nname: \"a\\tb\"\ndescription: d\ntrigger: before_tool\n---\n", `the name "a\tb" contains invisible characters (use only printable characters)`},
		{"an unknown key", guard("trigger: before_tool\ntimeuot: 5\n"), `5: hook "guard": unknown key "timeuot" in the front matter, did you mean "timeout"?`},
		{"a matcher elsewhere", guard("trigger: before_stop\nmatcher: {tool: Shell}\n"), `5: hook "guard": matcher has no effect on before_stop, because it is not a tool event (remove it and check the event in the script)`},
		{"a matcher that is a string", guard("trigger: before_tool\nmatcher: Shell\n"), `5: hook "guard": matcher is a string, not a mapping (write matcher: {tool: …, pattern: …})`},
		{"an unknown key of the matcher", guard("trigger: before_tool\nmatcher:\n  tools: Shell\n"), `6: hook "guard": unknown key "tools" in matcher, did you mean "tool"?`},
		{"a tool that is no expression", guard("trigger: before_tool\nmatcher: {tool: 'Shell('}\n"), `5: hook "guard": matcher.tool: pattern "Shell(": "(" is never closed: add ")", or write "\(" for a literal bracket (use Go's regular expression syntax, and check the rest in the script)`},
		{"a tool that is a number", guard("trigger: before_tool\nmatcher: {tool: 5}\n"), `tool is a number, not a string (quote it)`},
		{"look-around", guard("trigger: before_tool\nmatcher: {pattern: 'a(?!b)'}\n"), `5: hook "guard": matcher.pattern: pattern "a(?!b)": look-around "(?!" is not supported`},
		{"a short timeout", guard("trigger: before_tool\ntimeout: 99\n"), `5: hook "guard": timeout 99 must be a whole number from 100 to 600000 (the unit is milliseconds: write 5000 for 5 s)`},
		{"a long timeout", guard("trigger: before_tool\ntimeout: 600001\n"), `timeout 600001 must be a whole number from 100 to 600000`},
		{"half a millisecond", guard("trigger: before_tool\ntimeout: 100.5\n"), `timeout 100.5 must be a whole number`},
		{"a timeout that is a string", guard("trigger: before_tool\ntimeout: 30s\n"), `timeout is a string, not a number (the unit is milliseconds: write 5000 for 5 s)`},
		{"a low priority", guard("trigger: before_tool\npriority: -1\n"), `priority -1 must be a whole number from 0 to 1000`},
		{"a high priority", guard("trigger: before_tool\npriority: 1001\n"), `priority 1001 must be a whole number from 0 to 1000`},
		{"async that is a string", guard("trigger: before_tool\nasync: 'yes'\n"), `async is a string, not a boolean (write true or false)`},
		{"metadata that is a list", guard("trigger: before_tool\nmetadata: [1]\n"), `metadata is a list, not a mapping`},
		{"an unknown policy", guard("trigger: before_tool\non_error: blok\n"), `5: hook "guard": on_error: "blok" is unknown, did you mean "block"? (write warn, ignore or block)`},
		{"block on what cannot", guard("trigger: session_start\non_error: block\n"), `on_error: block has no effect here: no hook can block session_start (use warn or ignore)`},
		{"block beside", guard("trigger: before_tool\nasync: true\non_error: block\n"), `on_error: block has no effect here: an asynchronous hook cannot block`},
		{"an event that no host has", guard("trigger: post-agent-turn-stop\n"), `4: hook "guard": no agent fires the trigger "post-agent-turn-stop" (use pre-agent-turn-stop`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := parseAs(t, "guard", tt.text)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("one mistake is told as several: %v", err)
			}
			if f.Lost != nil || len(f.Hooks) != 1 {
				t.Fatalf("got %d hooks, lost %v", len(f.Hooks), f.Lost)
			}
			if h := f.Hooks[0]; h.Broken == "" || h.Async || h.OnFault != checkrein.FaultByRow && h.OnFault != checkrein.FaultBlock || h.Chain != "hookmd" || !strings.Contains(err.Error(), h.Broken) {
				t.Errorf("the gate is never closed: %+v", h)
			}
		})
	}
}

func TestAllMistakesAreReported(t *testing.T) {
	t.Parallel()
	_, err := parseAs(t, "guard", "---\nname: other\ndescription: ''\ntrigger: before_tool\nmatcher: {tool: '(', pattern: '('}\ntimeout: 1\npriority: x\ntimeuot: 1\n---\n")
	if got := strings.Count(fmt.Sprint(err), "\n") + 1; got != 5 {
		t.Errorf("%d mistakes are told, want 5:\n%v", got, err)
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, more, want string }{
		{"a tool that nobody knows", "trigger: before_tool\nmatcher: {tool: Shel}\n", `5: hook "guard": matcher.tool "Shel" matches no known tool, did you mean "Shell"? (check the spelling; names are case-sensitive)`},
		{"a server's tool", "trigger: before_tool\nmatcher: {tool: mcp__lab__say}\n", ""},
		{"another program's key", "trigger: before_tool\ncommand: x\n", `5: hook "guard": unknown key "command" in the front matter is ignored: the known keys are name, description, trigger, matcher, timeout, async, priority, metadata, on_error`},
		{"an escape", "trigger: before_tool\nmatcher: {pattern: \"\\.py\"}\n", `5:22: \. in double quotes means nothing to YAML`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := parseAs(t, "guard", guard(tt.more))
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(f.Warnings); !strings.Contains(got, tt.want) || tt.want == "" && len(f.Warnings) > 0 {
				t.Errorf("got %s, want %q", got, tt.want)
			}
		})
	}
}

// TestOnlyTheBeginningCounts checks that a file that is truncated after MaxFrontMatter bytes is read
// the same, and that a truncated line does not count as a whole one.
func TestOnlyTheBeginningCounts(t *testing.T) {
	t.Parallel()
	head := guard("trigger: before_tool\n")
	long := head + strings.Repeat("x", 2*MaxFrontMatter)
	for _, text := range []string{long, long[:MaxFrontMatter], head} {
		if f, err := parseAs(t, "guard", text); err != nil || len(f.Hooks) != 1 {
			t.Errorf("%d bytes: got %d hooks, %v", len(text), len(f.Hooks), err)
		}
	}
	open := "---\nname: guard\n#"
	open += strings.Repeat("x", MaxFrontMatter-len(open)-len("\n---")) + "\n---" // and then "-- this goes on"
	for _, text := range []string{open, open + "--\n", "\ufeff" + open, open[:len(open)-5] + "\n---"} {
		if f, err := parseAs(t, "guard", text); f.Lost == nil || !strings.Contains(err.Error(), "64 KiB") {
			t.Errorf("%d bytes: got %v", len(text), err)
		}
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]bool{
		"/h/x/HOOK.md": true, "HOOK.md": true, "/h/x/hook.md": false, "/h/HOOK.md/x": false, "/h/x/SKILL.md": false, "": false,
	} {
		if got := Dialect.Detect(hookfile.Source{File: filepath.FromSlash(file)}); got != want {
			t.Errorf("%s: got %v", file, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "---\n---\n", guard("trigger: before_tool\n"), guard("trigger: after_tool\nmatcher: {tool: x, pattern: \"\\.y\"}\ntimeout: 5\n"),
		guard("trigger: post-agent-turn-stop\nasync: true\non_error: block\nmetadata: [x]\n"), "\ufeff---\r\nname: guard\r\n---", "---\n? [x]\n: y\n---\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := parseAs(t, "guard", text)
		if (file.Lost != nil || len(file.Hooks) == 0) && err == nil {
			t.Error("nothing read, and no error")
		}
		if (file.Lost != nil) != (len(file.Instead) == 1 && file.Instead[0].Broken != "") {
			t.Errorf("lost %v, and %+v stands for it", file.Lost, file.Instead)
		}
		for _, h := range file.Hooks {
			switch {
			case h.Broken != "" && (err == nil || h.Async || h.OnFault == checkrein.FaultIgnore):
				t.Errorf("broken and open: %+v", h)
			case h.Broken == "" && (err != nil || h.Name == "" || h.Timeout < 100*time.Millisecond || !json.Valid(h.With)):
				t.Errorf("not whole: %+v", h)
			}
		}
		if docs, losses := Dialect.Write(file.Hooks); len(docs) == 0 && len(losses) == 0 && len(file.Hooks) > 0 {
			t.Error("a hook vanished")
		}
	})
}
