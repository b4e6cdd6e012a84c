package match

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

const home = "/home/dev"

// call is a tool call in a project.
func call(kind checkrein.Kind, tool, input string) checkrein.Event {
	return checkrein.Event{
		Kind: kind, Host: "claude", Native: "PreToolUse",
		Session: checkrein.Session{ID: "s1", Dir: "/home/dev/project", Agent: "root"},
		Tool:    &checkrein.Tool{Name: tool, Canonical: tools.CanonicalTool(tool), Input: json.RawMessage(input)},
	}
}

// holds compiles cond for the contract of ev and reports whether it holds.
func holds(t *testing.T, cond string, ev checkrein.Event) bool {
	t.Helper()
	if err := rawjson.Check([]byte(cond)); err != nil {
		t.Fatalf("condition %s: %v", cond, err)
	}
	c, err := CompileCond([]byte(cond), checkrein.ContractOf(ev.Kind))
	if err != nil {
		t.Fatalf("condition %s: %v", cond, err)
	}
	view := ViewOf(&ev, home, nil)
	return c.Holds(&view)
}

// A condCase is a condition and whether it should hold.
type condCase struct {
	cond string
	want bool
}

func checkConds(t *testing.T, ev checkrein.Event, cases []condCase) {
	t.Helper()
	for _, c := range cases {
		if got := holds(t, c.cond, ev); got != c.want {
			t.Errorf("%s holds: %v, want %v", c.cond, got, c.want)
		}
	}
}

func TestConditionFields(t *testing.T) {
	t.Parallel()
	checkConds(t, call(checkrein.PreToolUse, "Bash", `{"command":"ls -l"}`), []condCase{
		{`{"event":{"is":"pre_tool_use"}}`, true},
		{`{"event":{"is":"PreToolUse"}}`, false},
		{`{"host":{"is":"claude"}}`, true},
		{`{"session_id":{"is":"s1"}}`, true},
		{`{"cwd":{"is":"/home/dev/project"}}`, true},
		{`{"agent":{"is":"root"}}`, true},
		{`{"tool_name":{"is":"Bash"}}`, true},
		{`{"tool_name":{"is":"shell"}}`, false},
		{`{"tool":{"is":"shell"}}`, true},
		{`{"command":{"is":"ls -l"}}`, true},
		{`{"paths":{"exists":false}}`, true},
		{`{"tool_error":{"is":false}}`, true},
	})
	other := call(checkrein.PreToolUse, "custom", `{}`)
	checkConds(t, other, []condCase{{`{"tool":{"is":"custom"}}`, true}, {`{"command":{"exists":true}}`, false}})
}

func TestConditionFieldsOfOtherEvents(t *testing.T) {
	t.Parallel()
	detail := func(name, val string) []checkrein.Detail {
		return []checkrein.Detail{{Name: name, Value: json.RawMessage(val)}}
	}
	tests := []struct {
		name  string
		ev    checkrein.Event
		cases []condCase
	}{
		{"prompt", checkrein.Event{Kind: checkrein.UserPromptSubmit, Text: "hello"}, []condCase{
			{`{"prompt":{"contains":"ell"}}`, true}, {`{"host":{"is":"native"}}`, true}, {`{"session_id":{"exists":false}}`, true}}},
		{"no prompt", checkrein.Event{Kind: checkrein.UserPromptSubmit}, []condCase{{`{"prompt":{"exists":true}}`, false}}},
		{"reply", checkrein.Event{Kind: checkrein.Stop, Text: "done", Details: detail("stop_hook_active", "true")}, []condCase{
			{`{"response":{"is":"done"}}`, true}, {`{"stop_response":{"is":"done"}}`, true},
			{`{"stop_hook_active":{"is":true}}`, true}, {`{"stop_hook_active":{"is":false}}`, false}}},
		{"message", checkrein.Event{Kind: checkrein.OnOutboundMessage, Text: "hi"}, []condCase{{`{"message":{"is":"hi"}}`, true}}},
		{"number", checkrein.Event{Kind: checkrein.BeforeLLMCall, Details: detail("iteration", "12")}, []condCase{
			{`{"iteration":{"gt":11}}`, true}, {`{"iteration":{"gt":12}}`, false}, {`{"iteration":{"ge":12}}`, true},
			{`{"iteration":{"lt":12.5}}`, true}, {`{"iteration":{"le":11}}`, false}, {`{"iteration":{"is":12}}`, true},
			{`{"iteration":{"in":[1,12]}}`, true}, {`{"iteration":{"gt":1,"lt":5}}`, false}}},
		{"number as text", checkrein.Event{Kind: checkrein.BeforeLLMCall, Details: detail("iteration", `"12"`)}, []condCase{{`{"iteration":{"gt":11}}`, true}}},
		{"number that is none", checkrein.Event{Kind: checkrein.BeforeLLMCall, Details: detail("iteration", `"many"`)}, []condCase{
			{`{"iteration":{"gt":0}}`, false}, {`{"iteration":{"le":0}}`, false}}},
		{"list", checkrein.Event{Kind: checkrein.Stop, Details: detail("tool_names", `["Bash","Write"]`)}, []condCase{
			{`{"tool_names":{"is":"Write"}}`, true}, {`{"tool_names":{"is":"Read"}}`, false}, {`{"tool_names":{"prefix":"Ba"}}`, true}}},
		{"empty list", checkrein.Event{Kind: checkrein.Stop, Details: detail("tool_names", `[]`)}, []condCase{
			{`{"tool_names":{"exists":true}}`, true}, {`{"tool_names":{"contains":"B"}}`, false}}},
		{"host's own event", checkrein.Event{Kind: checkrein.Other, Native: "FileChanged"}, []condCase{{`{"event":{"is":"FileChanged"}}`, true}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { t.Parallel(); checkConds(t, tt.ev, tt.cases) })
	}
}

func TestConditionOperators(t *testing.T) {
	t.Parallel()
	checkConds(t, call(checkrein.PreToolUse, "Bash", `{"command":"git push -f"}`), []condCase{
		{`{"command":{"is":"git push -f"}}`, true},
		{`{"command":{"is":"git push"}}`, false},
		{`{"command":{"in":["x","git push -f"]}}`, true},
		{`{"command":{"in":["x"]}}`, false},
		{`{"command":{"prefix":"git "}}`, true},
		{`{"command":{"prefix":"push"}}`, false},
		{`{"command":{"suffix":"-f"}}`, true},
		{`{"command":{"suffix":"git"}}`, false},
		{`{"command":{"contains":"push"}}`, true},
		{`{"command":{"contains":"PUSH"}}`, false},
		{`{"command":{"glob":"git push*"}}`, true},
		{`{"command":{"glob":["x","git *"]}}`, true},
		{`{"command":{"glob":"push"}}`, false},
		{`{"command":{"regex":"\\bpush\\b.*-f"}}`, true},
		{`{"command":{"regex":"^push"}}`, false},
		{`{"command":{"exists":true}}`, true},
		{`{"command":{"exists":false}}`, false},
		{`{"command":{"prefix":"git","suffix":"-f"}}`, true},
		{`{"command":{"prefix":"git","suffix":"-x"}}`, false},
	})
}

func TestConditionCombines(t *testing.T) {
	t.Parallel()
	const yes, no = `{"tool":{"is":"shell"}}`, `{"tool":{"is":"read"}}`
	checkConds(t, call(checkrein.PreToolUse, "Bash", `{"command":"ls"}`), []condCase{
		{`{"all":[` + yes + `,` + yes + `]}`, true},
		{`{"all":[` + yes + `,` + no + `]}`, false},
		{`{"any":[` + no + `,` + yes + `]}`, true},
		{`{"any":[` + no + `,` + no + `]}`, false},
		{`{"not":` + yes + `}`, false},
		{`{"not":` + no + `}`, true},
		{`{"not":{"all":[` + yes + `,{"any":[` + no + `,{"not":` + yes + `}]}]}}`, true},
		{`{"tool":{"is":"shell"},"command":{"is":"ls"}}`, true},
		{`{"tool":{"is":"shell"},"command":{"is":"x"}}`, false},
		{`{"tool":{"is":"shell"},"not":` + no + `,"any":[` + no + `,` + yes + `]}`, true},
		{`{"to\u006fl":{"\u0069s":"shel\u006c"}}`, true},
	})
}

func TestConditionOnArguments(t *testing.T) {
	t.Parallel()
	checkConds(t, call(checkrein.PreToolUse, "Bash", `{"cmd":"ls","n":5,"deep":{"a":[{"b":"x"},"y"],"t":true},"tags":["red","blue"],"nil":null,"quo\"te":1}`), []condCase{
		{`{"tool_input.cmd":{"is":"ls"}}`, true},
		{`{"tool_input.command":{"is":"ls"}}`, true},
		{`{"tool_input.CommandLine":{"is":"ls"}}`, true},
		{`{"tool_input.n":{"gt":4}}`, true},
		{`{"tool_input.n":{"is":5}}`, true},
		{`{"tool_input.n":{"is":"5"}}`, true},
		{`{"tool_input.deep.a.0.b":{"is":"x"}}`, true},
		{`{"tool_input.deep.a.1":{"is":"y"}}`, true},
		{`{"tool_input.deep.a.2":{"exists":true}}`, false},
		{`{"tool_input.deep.t":{"is":true}}`, true},
		{`{"tool_input.deep.t.x":{"exists":true}}`, false},
		{`{"tool_input.tags":{"is":"blue"}}`, true},
		{`{"tool_input.tags":{"in":["green","red"]}}`, true},
		{`{"tool_input.tags":{"is":"green"}}`, false},
		{`{"tool_input.missing":{"exists":false}}`, true},
		{`{"tool_input.missing":{"is":""}}`, false},
		{`{"tool_input.nil":{"exists":true}}`, false},
		{`{"tool_input.nil":{"is":"null"}}`, false},
		{`{"tool_input.quo\"te":{"is":1}}`, true},
	})
	checkConds(t, call(checkrein.PreToolUse, "Write", `{"file_path":"/p/a.txt"}`), []condCase{
		{`{"tool_input.path":{"suffix":".txt"}}`, true},
		{`{"tool_input.filePath":{"suffix":".txt"}}`, true},
	})
}

func TestConditionOnTheResult(t *testing.T) {
	t.Parallel()
	ev := call(checkrein.PostToolUse, "Bash", `{"command":"ls"}`)
	ev.Tool.Output, ev.Tool.Failed = json.RawMessage(`"no such file"`), true
	checkConds(t, ev, []condCase{
		{`{"tool_response":{"contains":"such"}}`, true},
		{`{"tool_error":{"is":true}}`, true},
	})
	ev.Tool = &checkrein.Tool{Name: "Bash", Output: json.RawMessage(`{"stdout":"hello"}`)}
	checkConds(t, ev, []condCase{{`{"tool_response":{"contains":"hello"}}`, true}})
}

// TestUnder checks that under compares paths lexically, without following symlinks.
func TestUnder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		path, dir string
		want      bool
	}{
		{"a.txt", ".", true},
		{"./a/b", ".", true},
		{"/home/dev/project/a", ".", true},
		{"/home/dev/project", ".", true},
		{"/home/dev/projector/a", ".", false},
		{"../other", ".", false},
		{"a/../../other", ".", false},
		{"a/../b", ".", true},
		{"/home/dev/project/../secret", ".", false},
		{"/etc/passwd", ".", false},
		{"/tmp/../etc/passwd", "/etc", true},
		{"//etc//passwd", "/etc", true},
		{"/etcetera", "/etc", false},
		{"/etc", "/etc/", true},
		{"~/.ssh/id", "~/.ssh", true},
		{"/home/dev/.ssh/id", "~/.ssh", true},
		{"../.ssh/id", "~/.ssh", true},
		{"~", "~", true},
		{"~other/.ssh", "~", true}, // a file of that name in the project, which is below home
		{"a", "a", true},
		{"a", "b/..", true},
		{"/x", "/", true},
		{"a", "/", true},
		{"src/a", "src", true},
		{"SRC/a", "src", false},
	}
	for _, tt := range tests {
		t.Run(tt.path+" in "+tt.dir, func(t *testing.T) {
			t.Parallel()
			ev := call(checkrein.PreToolUse, "Write", fmt.Sprintf(`{"file_path":%q}`, tt.path))
			if got := holds(t, fmt.Sprintf(`{"paths":{"under":%q}}`, tt.dir), ev); got != tt.want {
				t.Errorf("%s under %s: %v, want %v", tt.path, tt.dir, got, tt.want)
			}
		})
	}
}

// TestUnderWithoutADirectory checks that no absolute path is inside the session's directory if that is
// unknown.
func TestUnderWithoutADirectory(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"a": true, "./a/b": true, "a/../b": true, "..": false, "../a": false, "a/../../b": false, "/etc/passwd": false, "..a": true,
	} {
		ev := call(checkrein.PreToolUse, "Write", fmt.Sprintf(`{"file_path":%q}`, path))
		ev.Session.Dir = ""
		if got := holds(t, `{"paths":{"under":"."}}`, ev); got != want {
			t.Errorf("%s under .: %v, want %v", path, got, want)
		}
	}
}

// TestPathConditionsResolveDots checks that conditions compare paths after . and .. are resolved.
func TestPathConditionsResolveDots(t *testing.T) {
	t.Parallel()
	tests := []struct {
		path, cond string
		want       bool
	}{
		{"src/a.go", `{"paths":{"glob":"src/**"}}`, true},
		{"src/../../etc/passwd", `{"paths":{"glob":"src/**"}}`, false},
		{"/tmp/../etc/passwd", `{"paths":{"glob":"/etc/**"}}`, true},
		{"/etc/./passwd", `{"paths":{"is":"/etc/passwd"}}`, true},
		{"/tmp/../etc/passwd", `{"paths":{"prefix":"/etc/"}}`, true},
		{"/etc/x/../passwd", `{"paths":{"regex":"^/etc/passwd$"}}`, true},
		{"./build/x", `{"paths":{"glob":"./build/**"}}`, true},
		{"build/x", `{"paths":{"glob":"./build/**"}}`, true},
		{"./.env", `{"paths":{"glob":".env"}}`, true},
		{"a/b/", `{"paths":{"glob":"a/b/**"}}`, true},
		{"../a", `{"paths":{"prefix":"../"}}`, true},
		{"/", `{"paths":{"is":"/"}}`, true},
	}
	for _, tt := range tests {
		t.Run(tt.path+" "+tt.cond, func(t *testing.T) {
			t.Parallel()
			ev := call(checkrein.PreToolUse, "Write", fmt.Sprintf(`{"file_path":%q}`, tt.path))
			checkConds(t, ev, []condCase{{tt.cond, tt.want}})
		})
	}
}

func TestPathListsHoldWhenAnyDoes(t *testing.T) {
	t.Parallel()
	checkConds(t, call(checkrein.PreToolUse, "read_many_files", `{"paths":["a.go","/etc/passwd"]}`), []condCase{
		{`{"paths":{"under":"/etc"}}`, true},
		{`{"not":{"paths":{"under":"."}}}`, false}, // one is inside; authors must know
		{`{"paths":{"glob":"*.go"}}`, true},
		{`{"paths":{"glob":"*.py"}}`, false},
	})
}

func TestConditionMistakes(t *testing.T) {
	t.Parallel()
	const pre, prompt, llm = checkrein.PreToolUse, checkrein.UserPromptSubmit, checkrein.BeforeLLMCall
	tests := []struct {
		name string
		kind checkrein.Kind
		cond string
		want string
	}{
		{"unknown field", pre, `{"comand":{"is":"x"}}`, `did you mean "command"?`},
		{"unknown field, nothing near", pre, `{"zzzzzzzzz":{"is":"x"}}`, "must be one of event, host"},
		{"field of another event", prompt, `{"command":{"is":"x"}}`, `unknown field "command" on user_prompt_submit`},
		{"field of the row, misspelt", checkrein.Stop, `{"stop_respons":{"is":"x"}}`, `did you mean "stop_response"?`},
		{"dotted field without a name", pre, `{"tool_input.":{"is":"x"}}`, "unknown field"},
		{"arguments as a whole", pre, `{"tool_input":{"is":"x"}}`, "tool_input.NAME"},
		{"unknown operator", pre, `{"command":{"contain":"x"}}`, `did you mean "contains"?`},
		{"unknown operator, nothing near", pre, `{"command":{"resembles":"x"}}`, "must be one of is, in"},
		{"no operator", pre, `{"command":{}}`, "the operator is missing"},
		{"value without operator", pre, `{"command":"ls"}`, `{is: "ls"}`},
		{"nothing", pre, `{}`, "empty condition"},
		{"not a valid condition", pre, `"x"`, "write {field: {operator: value}}"},
		{"list", pre, `[]`, "write {field: {operator: value}}"},
		{"all of nothing", pre, `{"all":[]}`, "all needs at least one condition"},
		{"any of an object", pre, `{"any":{"command":{"is":"x"}}}`, "any must be a list"},
		{"not of a list", pre, `{"not":[]}`, "not a valid condition"},
		{"text compared as number", pre, `{"command":{"gt":5}}`, "gt does not apply"},
		{"number searched as text", llm, `{"iteration":{"contains":"1"}}`, "contains does not apply"},
		{"number is a string", llm, `{"iteration":{"is":"x"}}`, "must be a number"},
		{"number in texts", llm, `{"iteration":{"in":[1,"x"]}}`, "must be a number"},
		{"number greater than a text", llm, `{"iteration":{"gt":"5"}}`, "must be a number"},
		{"bool is a string", pre, `{"tool_error":{"is":"yes"}}`, "must be true or false"},
		{"bool by glob", pre, `{"tool_error":{"glob":"*"}}`, "glob does not apply"},
		{"text is a number", pre, `{"command":{"is":5}}`, "quote 5"},
		{"text is a list", pre, `{"command":{"is":["a"]}}`, `for a list, use "in"`},
		{"text is null", pre, `{"command":{"is":null}}`, "must be a string"},
		{"in without a list", pre, `{"command":{"in":"a"}}`, "must be a list"},
		{"in of nothing", pre, `{"command":{"in":[]}}`, "must be a list"},
		{"empty text", pre, `{"command":{"contains":""}}`, "must be a string"},
		{"empty glob", pre, `{"command":{"glob":["a",""]}}`, "must be a glob"},
		{"glob of a number", pre, `{"command":{"glob":5}}`, "must be a glob"},
		{"bad glob", pre, `{"command":{"glob":"[a"}}`, "never closed"},
		{"bad regexp", pre, `{"command":{"regex":"("}}`, `"(" is never closed`},
		{"look-ahead", pre, `{"command":{"regex":"(?!x)"}}`, `look-around "(?!" is not supported`},
		{"look-behind", pre, `{"command":{"regex":"a(?<=x)"}}`, `look-around "(?<=" is not supported`},
		{"exists of a text", pre, `{"command":{"exists":"yes"}}`, "must be true or false"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := CompileCond([]byte(tt.cond), checkrein.ContractOf(tt.kind))
			if err == nil {
				t.Fatalf("%s is accepted", tt.cond)
			}
			if got := err.Error(); !strings.Contains(got, tt.want) {
				t.Errorf("error %q, want %q in it", got, tt.want)
			}
		})
	}
}

func TestConditionMistakesAreAllReported(t *testing.T) {
	t.Parallel()
	cond := `{"all":[{"comand":{"is":"x"}},{"command":{"gt":1}}],"not":{"tool":{"iz":"x"}},"prompt":{"is":"x"}}`
	_, err := CompileCond([]byte(cond), checkrein.ContractOf(checkrein.PreToolUse))
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{"comand", "gt does not apply", "iz", "prompt"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q lacks %q", err, want)
		}
	}
}

func TestConditionDepthIsBounded(t *testing.T) {
	t.Parallel()
	nest := func(n int, open, end string) string {
		return strings.Repeat(open, n) + `{"tool":{"is":"shell"}}` + strings.Repeat(end, n)
	}
	row := checkrein.ContractOf(checkrein.PreToolUse)
	if _, err := CompileCond([]byte(nest(maxCondDepth, `{"not":`, `}`)), row); err != nil {
		t.Errorf("%d levels: %v", maxCondDepth, err)
	}
	for _, deep := range []string{
		nest(maxCondDepth+1, `{"not":`, `}`), nest(100_000, `{"not":`, `}`), nest(100_000, `{"all":[`, `]}`), strings.Repeat(`{"any":[`, 100_000),
	} {
		if _, err := CompileCond([]byte(deep), row); err == nil {
			t.Errorf("%.30s… is accepted", deep)
		}
	}
}

func TestNoConditionHolds(t *testing.T) {
	t.Parallel()
	for _, src := range [][]byte{nil, {}} {
		c, err := CompileCond(src, checkrein.ContractOf(checkrein.Stop))
		if err != nil {
			t.Fatal(err)
		}
		view := ViewOf(&checkrein.Event{}, "", nil)
		if !c.Holds(&view) {
			t.Error("does not hold")
		}
	}
}

// TestFieldNamesAreUsable checks that conditions on an event can test every field that FieldNames
// returns for it.
func TestFieldNamesAreUsable(t *testing.T) {
	t.Parallel()
	for i := range checkrein.Contracts() {
		row := &checkrein.Contracts()[i]
		for _, name := range FieldNames(row) {
			cond := fmt.Sprintf(`{%q:{"exists":true}}`, strings.Replace(name, ".NAME", ".x", 1))
			if _, err := CompileCond([]byte(cond), row); err != nil {
				t.Errorf("%s: %v", row.Name, err)
			}
		}
	}
}

func FuzzCondition(f *testing.F) {
	for _, s := range []string{
		`{"tool":{"is":"shell"}}`, `{"any":[{"paths":{"under":"~"}},{"not":{"command":{"regex":"a+"}}}]}`, `{"tool_input.a.0.b":{"gt":5}}`,
		`{"paths":{"glob":["**/x","[a-z]"]}}`, `{"all":[`, `{"tool":{"in":[null]}}`, `{"command":{"exists":1}}`, `{"":{"":""}}`,
	} {
		f.Add([]byte(s), `{"command":"ls","path":["a","~/b"],"a":[{"b":6}]}`, byte(checkrein.PreToolUse))
	}
	f.Fuzz(func(t *testing.T, cond []byte, input string, kind byte) {
		k := checkrein.Kind(kind % byte(checkrein.NumKinds))
		c, err := CompileCond(cond, checkrein.ContractOf(k))
		if err != nil {
			return
		}
		for _, ev := range []checkrein.Event{{Kind: k}, call(k, "Bash", input), {Kind: k, Text: input, Details: []checkrein.Detail{{Name: "iteration", Value: []byte(input)}}}} {
			view := ViewOf(&ev, home, nil)
			first := c.Holds(&view)
			if again := c.Holds(&view); again != first {
				t.Errorf("%s holds: %v, then %v", cond, first, again)
			}
		}
	})
}

// TestRelativeDirectories checks that a relative directory is one of the session's directory, and for rules
// that deny also one of the project.
func TestRelativeDirectories(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path, cond         string
		denies, allowsSure bool
	}{
		{"../data/a", `{"under":"data"}`, true, false},
		{"/home/dev/project/data/a", `{"under":"./data"}`, true, false},
		{"data/a", `{"under":"data"}`, true, true},
		{"../database/a", `{"under":"data"}`, false, false},
		{"../data/a", `{"glob":"data/**"}`, true, false},
		{"../data/a", `{"is":"data/a"}`, true, false},
		{"../data/a", `{"under":"/home/dev/project/data"}`, true, true},
		{"../data/a", `{"under":"~/data"}`, false, false},
		{"../data/a", `{"outside":"data"}`, true, false},
		{"data/a", `{"outside":"data"}`, false, false},
		{"../../x", `{"outside":"data"}`, true, true},
		{"../x", `{"under":"."}`, true, false},
		{"../x", `{"outside":"."}`, true, false},
	} {
		ev := call(checkrein.PreToolUse, "Read", `{"file_path":"`+tt.path+`"}`)
		ev.Session.Dir, ev.Session.Root = "/home/dev/project/sub", "/home/dev/project"
		c, err := CompileCond([]byte(`{"paths":`+tt.cond+`}`), checkrein.ContractOf(ev.Kind))
		if err != nil {
			t.Fatal(err)
		}
		for _, resolve := range []func(*checkrein.Event, string) string{nil, func(_ *checkrein.Event, p string) string { return p }} {
			view := ViewOf(&ev, home, nil).WithResolver(resolve)
			if denies, allows := c.Holds(&view), c.SurelyHolds(&view); denies != tt.denies || allows != tt.allowsSure {
				t.Errorf("%s %s: holds %v, surely %v", tt.path, tt.cond, denies, allows)
			}
		}
	}
}
