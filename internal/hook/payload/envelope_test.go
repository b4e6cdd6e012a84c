package payload

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/fields"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// fullEvent returns an event with all fields that its contract has.
func fullEvent(row *checkrein.Contract) checkrein.Event {
	ev := checkrein.Event{Kind: row.Kind, Session: checkrein.Session{ID: "s\"1", Dir: "/repo", Agent: "root"}}
	if row.Kind == checkrein.Other {
		ev.Native = "FileChanged"
	}
	if row.Subject == checkrein.SubjectTool {
		ev.Tool = &checkrein.Tool{
			Name: "Bash", Canonical: "shell", Category: "shell", CallID: "c1", Failed: true,
			Input: json.RawMessage(`{"command":"ls","n":1.0}`), Output: json.RawMessage(`"ok\n"`),
		}
	}
	if row.Text != "" {
		ev.Text = "line 1\nline 2 \u2028 <b>"
	}
	if row.Subject == checkrein.SubjectMessages {
		ev.Messages = json.RawMessage(`[{"role":"user"}]`)
	}
	for i, name := range row.Fields {
		if name != "messages" {
			ev.Details = append(ev.Details, checkrein.Detail{Name: name, Value: json.RawMessage(fmt.Sprintf(`{"n":%d.0}`, i))})
		}
	}
	ev.Details = append(ev.Details, checkrein.Detail{Name: "x_unknown", Value: json.RawMessage(`[12345678901234567890]`)})
	return ev
}

// asRead ignores what reading adds: the raw payload and the native name.
var asRead = cmp.Options{cmpopts.IgnoreFields(checkrein.Event{}, "Raw", "Native"), cmpopts.EquateEmpty()}

func TestRoundTripOfEveryRow(t *testing.T) {
	t.Parallel()
	for i := range checkrein.Contracts() {
		row := &checkrein.Contracts()[i]
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			want := fullEvent(row)
			body := Append(nil, &want, nil)
			got, err := ReadEvent(body, "")
			if err != nil {
				t.Fatalf("%s: %v", body, err)
			}
			if diff := cmp.Diff(want, got, asRead); diff != "" {
				t.Errorf("event (-want +got):\n%s", diff)
			}
			if got.Native != EventName(&want) || string(got.Raw) != string(body) {
				t.Errorf("native %q, raw %s", got.Native, got.Raw)
			}
		})
	}
}

func TestRoundTripOfAnEmptyEvent(t *testing.T) {
	t.Parallel()
	for i := range checkrein.Contracts()[1:] {
		row := &checkrein.Contracts()[i+1]
		want := checkrein.Event{Kind: row.Kind}
		body := Append(nil, &want, nil)
		if wantBody := fmt.Sprintf(`{"session_id":"","cwd":"","hook_event_name":%q}`, row.Name); string(body) != wantBody {
			t.Errorf("payload %s, want %s", body, wantBody)
		}
		if row.Subject == checkrein.SubjectTool {
			want.Tool = &checkrein.Tool{}
		}
		got, err := ReadEvent(body, "")
		if gate := row.Closed && row.Subject == checkrein.SubjectTool; (err != nil) != gate {
			t.Errorf("%s: error %v; a gate without a tool: %v", row.Name, err, gate)
		}
		if diff := cmp.Diff(want, got, asRead); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.Name, diff)
		}
	}
}

// TestAppendIsDockerAgentsPayload checks the sample payloads of docker-agent's specification.
func TestAppendIsDockerAgentsPayload(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		ev   checkrein.Event
		want string
	}{
		{"tool call", checkrein.Event{
			Kind: checkrein.PreToolUse, Session: checkrein.Session{ID: "s1", Dir: "/repo", Agent: "root"},
			Tool:    &checkrein.Tool{Name: "shell", CallID: "c1", Input: json.RawMessage(`{"cmd":"make test","cwd":"."}`)},
			Details: []checkrein.Detail{{Name: "safety_policy", Value: json.RawMessage(`"balanced"`)}},
		}, `{"session_id":"s1","cwd":"/repo","hook_event_name":"pre_tool_use","agent_name":"root","tool_name":"shell","tool_use_id":"c1","tool_input":{"cmd":"make test","cwd":"."},"safety_policy":"balanced"}`},
		{"arguments that are no object", checkrein.Event{
			Kind: checkrein.PreToolUse, Session: checkrein.Session{ID: "s1", Dir: "/repo"}, Tool: &checkrein.Tool{Name: "shell"},
		}, `{"session_id":"s1","cwd":"/repo","hook_event_name":"pre_tool_use","tool_name":"shell"}`},
		{"compaction", checkrein.Event{
			Kind: checkrein.BeforeCompaction, Session: checkrein.Session{ID: "s1", Dir: "/repo"},
			Details: []checkrein.Detail{{Name: "input_tokens", Value: json.RawMessage(`181000`)}, {Name: "compaction_reason", Value: json.RawMessage(`"threshold"`)}},
		}, `{"session_id":"s1","cwd":"/repo","hook_event_name":"before_compaction","input_tokens":181000,"compaction_reason":"threshold"}`},
		{"failed tool", checkrein.Event{
			Kind: checkrein.PostToolUse, Tool: &checkrein.Tool{Name: "shell", Output: json.RawMessage(`"x"`), Failed: true},
		}, `{"session_id":"","cwd":"","hook_event_name":"post_tool_use","tool_name":"shell","tool_response":"x","tool_error":true}`},
		{"host's own event", checkrein.Event{Kind: checkrein.Other, Native: "FileChanged"}, `{"session_id":"","cwd":"","hook_event_name":"FileChanged"}`},
		{"invalid text", checkrein.Event{Kind: checkrein.UserPromptSubmit, Text: "a\xffb"}, `{"session_id":"","cwd":"","hook_event_name":"user_prompt_submit","prompt":"a\ufffdb"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := string(Append(nil, &tt.ev, nil)); got != tt.want {
				t.Errorf("payload\n%s, want\n%s", got, tt.want)
			}
		})
	}
}

func TestAppendTakesMore(t *testing.T) {
	t.Parallel()
	ev := checkrein.Event{Kind: checkrein.Stop}
	got := string(Append([]byte("x"), &ev, func(b []byte) []byte {
		return AppendRaw(AppendText(AppendText(b, "host", "claude"), "none", ""), "native", []byte(`{}`))
	}))
	if want := `x{"session_id":"","cwd":"","hook_event_name":"stop","host":"claude","native":{}}`; got != want {
		t.Errorf("payload %s, want %s", got, want)
	}
}

// read reads a payload that has nothing wrong with it.
func read(t *testing.T, body, name string) checkrein.Event {
	t.Helper()
	ev, err := ReadEvent([]byte(body), name)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return ev
}

func TestReadOtherSystemsNames(t *testing.T) {
	t.Parallel()
	session := checkrein.Session{ID: "s1", Dir: "/repo", Agent: "a1"}
	bash := &checkrein.Tool{Name: "Bash", Canonical: "shell", CallID: "c1", Input: json.RawMessage(`{"command":"ls"}`)}
	tests := []struct {
		name, body string
		want       checkrein.Event
	}{
		{"starchild tool call", `{"event":"pre_tool_call","session_id":"s1","agent_id":"a1","cwd":"/repo","tool_name":"bash","tool_input":{"command":"ls"}}`,
			checkrein.Event{Kind: checkrein.PreToolUse, Session: session, Tool: &checkrein.Tool{Name: "bash", Canonical: "shell", Input: bash.Input}}},
		{"starchild result", `{"event":"transform_tool_result","session_id":"s1","agent_id":"a1","cwd":"/repo","tool_name":"bash","tool_result":"out"}`,
			checkrein.Event{Kind: checkrein.ToolResponseTransform, Session: session, Tool: &checkrein.Tool{Name: "bash", Canonical: "shell", Output: json.RawMessage(`"out"`)}}},
		{"starchild prompt", `{"event":"on_user_message","session_id":"s1","agent_id":"a1","cwd":"/repo","message":"hi","channel":"web"}`,
			checkrein.Event{Kind: checkrein.UserPromptSubmit, Session: session, Text: "hi", Details: []checkrein.Detail{{Name: "channel", Value: json.RawMessage(`"web"`)}}}},
		{"starchild outbound", `{"event":"on_outbound_message","session_id":"s1","agent_id":"a1","cwd":"/repo","notification":"hi"}`,
			checkrein.Event{Kind: checkrein.OnOutboundMessage, Session: session, Text: "hi"}},
		{"outbound in our words", `{"hook_event_name":"on_outbound_message","session_id":"s1","agent_name":"a1","cwd":"/repo","message":"hi"}`,
			checkrein.Event{Kind: checkrein.OnOutboundMessage, Session: session, Text: "hi"}},
		{"starchild claim", `{"event":"on_completion_claim","session_id":"s1","agent_id":"a1","cwd":"/repo","response":"done","summary":"all"}`,
			checkrein.Event{Kind: checkrein.OnCompletionClaim, Session: session, Text: "done", Details: []checkrein.Detail{{Name: "summary", Value: json.RawMessage(`"all"`)}}}},
		{"HOOK.md tool call", `{"event_type":"before_tool","timestamp":"t","session_id":"s1","work_dir":"/repo","tool_name":"Shell","tool_input":{"command":"ls"},"tool_use_id":"c1"}`,
			checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{ID: "s1", Dir: "/repo"},
				Tool:    &checkrein.Tool{Name: "Shell", Canonical: "shell", CallID: "c1", Input: bash.Input},
				Details: []checkrein.Detail{{Name: "timestamp", Value: json.RawMessage(`"t"`)}}}},
		{"HOOK.md, new name", `{"event_type":"pre-agent-turn-stop","work_dir":"/repo","step_count":5}`,
			checkrein.Event{Kind: checkrein.Stop, Session: checkrein.Session{Dir: "/repo"}, Details: []checkrein.Detail{{Name: "step_count", Value: json.RawMessage(`5`)}}}},
		{"Claude", `{"hook_event_name":"PreToolUse","session_id":"s1","cwd":"/repo","agent_id":"a1","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c1"}`,
			checkrein.Event{Kind: checkrein.PreToolUse, Session: session, Tool: bash}},
		{"Claude's notification", `{"hook_event_name":"Notification","message":"wants you"}`,
			checkrein.Event{Kind: checkrein.Notification, Text: "wants you"}},
		{"camel case", `{"hookEventName":"post_tool_use","sessionId":"s1","cwd":"/repo","agent_name":"a1","toolName":"Bash","toolArgs":{"command":"ls"},"toolUseId":"c1","toolResult":5}`,
			checkrein.Event{Kind: checkrein.PostToolUse, Session: session, Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", CallID: "c1", Input: bash.Input, Output: json.RawMessage(`5`)}}},
		{"compaction's cause", `{"hook_event_name":"PreCompact","trigger":"manual"}`,
			checkrein.Event{Kind: checkrein.PreCompact, Details: []checkrein.Detail{{Name: "source", Value: json.RawMessage(`"manual"`)}}}},
		{"compaction's summary", `{"hook_event_name":"PostCompact","compact_summary":"short"}`,
			checkrein.Event{Kind: checkrein.AfterCompaction, Text: "short"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, read(t, tt.body, ""), asRead); diff != "" {
				t.Errorf("event (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNameOverridesPayload(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body, given string
		kind              checkrein.Kind
		native            string
	}{
		{"ours", `{"hook_event_name":"Stop","tool_name":"x"}`, "pre_tool_use", checkrein.PreToolUse, "pre_tool_use"},
		{"another system's", `{"hook_event_name":"Stop","tool_name":"x"}`, "pre_tool_call", checkrein.PreToolUse, "pre_tool_call"},
		{"host's own", `{}`, "native:Stop", checkrein.Other, "Stop"},
		{"unknown", `{}`, "FileChanged", checkrein.Other, "FileChanged"},
		{"in the payload", `{"hook_event_name":"native:Stop"}`, "", checkrein.Other, "Stop"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := read(t, tt.body, tt.given)
			if got.Kind != tt.kind || got.Native != tt.native {
				t.Errorf("%v, native %q, want %v, %q", got.Kind, got.Native, tt.kind, tt.native)
			}
		})
	}
}

// TestOwnNameBeatsAliases checks that, if a payload has a value under several names, checkrein's own
// name counts whatever their order.
func TestOwnNameBeatsAliases(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, members, losers string
		get                   func(*checkrein.Event) string
	}{
		{"prompt", `"prompt":"own"`, `"message":"alias"`, func(ev *checkrein.Event) string { return ev.Text }},
		{"session", `"session_id":"own"`, `"conversation_id":"alias","taskId":"alias"`, func(ev *checkrein.Event) string { return ev.Session.ID }},
		{"directory", `"cwd":"own"`, `"work_dir":"alias"`, func(ev *checkrein.Event) string { return ev.Session.Dir }},
		{"agent", `"agent_name":"own"`, `"agent_id":"alias"`, func(ev *checkrein.Event) string { return ev.Session.Agent }},
		{"empty is not said", `"prompt":""`, `"message":"own"`, func(ev *checkrein.Event) string { return ev.Text }},
		{"null is not said", `"prompt":null`, `"message":"own"`, func(ev *checkrein.Event) string { return ev.Text }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, body := range []string{tt.members + "," + tt.losers, tt.losers + "," + tt.members} {
				ev := read(t, "{"+body+"}", "user_prompt_submit")
				if got := tt.get(&ev); got != "own" {
					t.Errorf("{%s} is read as %q", body, got)
				}
			}
		})
	}
}

func TestOwnNameBeatsAliasesOfTools(t *testing.T) {
	t.Parallel()
	want := &checkrein.Tool{Name: "own", CallID: "own", Input: json.RawMessage(`{"own":1}`), Output: json.RawMessage(`"own"`)}
	own := `"tool_name":"own","tool_use_id":"own","tool_input":{"own":1},"tool_response":"own"`
	alias := `"toolName":"Bash","tool_call_id":"x","toolArgs":{"x":1},"tool_result":"x","tool_output":"y"`
	for _, body := range []string{own + "," + alias, alias + "," + own} {
		if diff := cmp.Diff(want, read(t, "{"+body+"}", "post_tool_use").Tool); diff != "" {
			t.Errorf("{%s} (-want +got):\n%s", body, diff)
		}
	}
}

func TestOwnNameBeatsAliasesOfDetails(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"source":"own","trigger":"alias"}`, `{"trigger":"alias","source":"own"}`} {
		ev := read(t, body, "pre_compact")
		if got := string(ev.Detail("source")); got != `"own"` {
			t.Errorf("%s: source is %s", body, got)
		}
		if got := string(ev.Detail("trigger")); got != `"alias"` {
			t.Errorf("%s: trigger is %s, want it kept under its own name", body, got)
		}
	}
}

// TestLastOfADuplicateKeyCounts checks that the last value of a duplicate key counts, as in other
// parsers: otherwise a hook would judge another event than the host runs.
func TestLastOfADuplicateKeyCounts(t *testing.T) {
	t.Parallel()
	body := `{"hook_event_name":"stop","hook_event_name":"pre_tool_use","tool_name":"Read","tool_name":"Bash",
		"tool_input":{"command":"ls"},"tool_input":{"command":"ls","command":"rm","com\u006dand":"rm -rf /"},"x":1,"x":2,"session_id":"a","session_id":"b"}`
	ev := read(t, body, "")
	if ev.Kind != checkrein.PreToolUse || ev.Tool.Name != "Bash" || ev.Session.ID != "b" {
		t.Errorf("%v of %q in %q", ev.Kind, ev.Tool.Name, ev.Session.ID)
	}
	if got := ev.Tool.Command(); got != "rm -rf /" {
		t.Errorf("command %q", got)
	}
	if got := string(ev.Detail("x")); got != "2" {
		t.Errorf("x is %s", got)
	}
	var heard struct {
		Input struct{ Command string } `json:"tool_input"`
		X     int
	}
	if err := json.Unmarshal(Append(nil, &ev, nil), &heard); err != nil || heard.Input.Command != "rm -rf /" || heard.X != 2 {
		t.Errorf("hooks hear %+v, %v", heard, err)
	}
}

func TestArgumentsNotAnObject(t *testing.T) {
	t.Parallel()
	for _, args := range []string{`"ls"`, `["ls"]`, `5`, `null`, `true`} {
		if _, err := ReadEvent([]byte(`{"tool_name":"Bash","tool_input":`+args+`}`), "pre_tool_use"); err == nil && args != "null" {
			t.Errorf("a gate lets arguments pass that nobody can judge: %s", args)
		}
		ev := read(t, `{"tool_name":"Bash","tool_input":`+args+`}`, "post_tool_use")
		if ev.Tool.Input != nil {
			t.Errorf("%s is read as %s", args, ev.Tool.Input)
		}
		if body := Append(nil, &ev, nil); strings.Contains(string(body), "tool_input") {
			t.Errorf("hooks hear of tool_input %s: %s", args, body)
		}
	}
}

// TestArgumentsInString checks that arguments are read if a host sends the object as a string.
func TestArgumentsInString(t *testing.T) {
	t.Parallel()
	ev := read(t, `{"tool_name":"Bash","tool_input":"{\"command\":\"rm -rf /\"}"}`, "pre_tool_use")
	if got := ev.Tool.Command(); got != "rm -rf /" {
		t.Errorf("got %q", got)
	}
}

func TestNullIsAbsent(t *testing.T) {
	t.Parallel()
	ev := read(t, `{"hook_event_name":null,"event":"post_tool_call","session_id":null,"tool_name":"bash","tool_input":null,"tool_response":null,"x":null}`, "")
	want := checkrein.Event{Kind: checkrein.PostToolUse, Tool: &checkrein.Tool{Name: "bash", Canonical: "shell"}}
	if diff := cmp.Diff(want, ev, asRead); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}
}

func TestUnknownMembersAreKept(t *testing.T) {
	t.Parallel()
	ev := read(t, `{"hook_event_name":"FileChanged","file_path":"/a","event":"add","tool_name":"Bash","n":1.0}`, "")
	if ev.Kind != checkrein.Other || ev.Native != "FileChanged" || ev.Tool != nil {
		t.Errorf("%v %q %v", ev.Kind, ev.Native, ev.Tool)
	}
	for name, want := range map[string]string{"file_path": `"/a"`, "event": `"add"`, "tool_name": `"Bash"`, "n": "1.0"} {
		if got := string(ev.Detail(name)); got != want {
			t.Errorf("%s is %q, want %s", name, got, want)
		}
	}
}

func TestCanonicalToolIsDerived(t *testing.T) {
	t.Parallel()
	ev := read(t, `{"tool_name":"Bash","tool":"read"}`, "pre_tool_use")
	if ev.Tool.Canonical != "shell" || ev.Detail("tool") != nil {
		t.Errorf("canonical %q, detail %s", ev.Tool.Canonical, ev.Detail("tool"))
	}
}

func TestReadMistakes(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000)
	for name, body := range map[string]string{
		"empty": "", "white space": " \n", "truncated": `{"tool_name":"Ba`, "list": `[]`, "text": `"x"`, "null": "null", "two objects": "{}{}",
		"text behind": "{} x", "binary": "\x00\x01\x02", "invalid UTF-8": "{\"tool_name\":\"\xff\"}", "deep": deep, "deep lists": strings.Repeat("[", 100_000),
		"byte order mark": "\ufeff{}", "single quotes": `{'a':1}`, "number as text": `{"prompt":5}`, "list as text": `{"session_id":[]}`,
		"tool's name is a number": `{"tool_name":5}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := "user_prompt_submit"
			if strings.HasPrefix(name, "tool") {
				given = "pre_tool_use"
			}
			ev, err := ReadEvent([]byte(body), given)
			if err == nil {
				t.Fatalf("read as %+v", ev)
			}
			if want, _ := hookfile.KindOf(given); ev.Kind != want {
				t.Errorf("beside the error the kind is %v, want %v", ev.Kind, want)
			}
		})
	}
}

func TestReadWithoutAName(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{}`, `{"hook_event_name":""}`, `{"hook_event_name":null}`, `{"hook_event_name":5}`, `{"tool_name":"Bash"}`} {
		if ev, err := ReadEvent([]byte(body), ""); err == nil || ev.Kind != checkrein.Other {
			t.Errorf("%s is read as %v, %v", body, ev.Kind, err)
		}
	}
}

func TestHugePayload(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("é", 4<<20)
	ev := read(t, `{"prompt":"`+huge+`"}`, "user_prompt_submit")
	if ev.Text != huge {
		t.Errorf("prompt has %d bytes, want %d", len(ev.Text), len(huge))
	}
}

// drawPayload draws a payload with values under several names.
func drawPayload(t *rapid.T, row *checkrein.Contract) []byte {
	names := append(fields.CommonNames(), "x", "message")
	if names = append(names, row.Fields...); row.Subject == checkrein.SubjectTool {
		names = append(names, fields.ToolNames()...)
	}
	if row.Text != "" {
		names = append(names, row.Text, row.Text)
	}
	b := []byte{'{'}
	for range rapid.IntRange(0, 12).Draw(t, "members") {
		key := rapid.SampledFrom(names).Draw(t, "field")
		if f, ok := fields.Find(key); ok {
			key = rapid.SampledFrom(append(f.Aliases, f.Name)).Draw(t, "key")
		}
		val := rapid.SampledFrom([]string{`"a"`, `"b"`, `""`, `{"c":1}`, `{}`, `null`, `true`}).Draw(t, "value")
		b = AppendRaw(b, key, []byte(val))
	}
	return append(b, '}')
}

// TestNoFieldIsRepeated checks that each field is read once, however a payload mixes the names of
// systems.
func TestNoFieldIsRepeated(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.SampledFrom(checkrein.Contracts()).Draw(t, "row")
		ev, err := ReadEvent(drawPayload(t, &row), row.Name)
		body := Append(nil, &ev, nil)
		seen := map[string]bool{}
		rawjson.Each(body, func(key string, _ []byte) bool {
			if seen[key] {
				t.Fatalf("%s becomes %s, which has %s twice", ev.Raw, body, key)
			}
			seen[key] = true
			return true
		})
		if err != nil {
			return
		}
		again, _ := ReadEvent(body, row.Name)
		if diff := cmp.Diff(ev, again, asRead); diff != "" {
			t.Fatalf("%s read again (-first +second):\n%s", body, diff)
		}
	})
}

func TestTablesAgreeOnWhatEveryPayloadHas(t *testing.T) {
	t.Parallel()
	r := eventReader{ev: &checkrein.Event{Tool: &checkrein.Tool{}}}
	for _, name := range append(fields.CommonNames(), fields.ToolNames()...) {
		if !r.isCommonField(name) {
			t.Errorf("%s is in every payload, but not read", name)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`, `{"event":"on_user_message","message":"hi","prompt":"x"}`,
		`{"a":1,"a":{"a":2,"a":3}}`, `{"tool_input":"x","toolArgs":{}}`, "\ufeff{}", `{"hook_event_name":"native:X"}`, `{"\ud800":1,"\udc00":2}`,
	} {
		f.Add([]byte(s), "")
		f.Add([]byte(s), "pre_tool_use")
	}
	f.Fuzz(func(t *testing.T, body []byte, name string) {
		ev, err := ReadEvent(body, name)
		if name != "" {
			if kind, _ := eventKind(name); ev.Kind != kind {
				t.Errorf("kind %v, want %v", ev.Kind, kind)
			}
		}
		if string(ev.Raw) != string(body) {
			t.Error("raw is not what came")
		}
		out := Append(nil, &ev, nil)
		if checkErr := rawjson.CheckObject(out); checkErr != nil {
			t.Errorf("payload %s: %v", out, checkErr)
		}
		if err != nil {
			return
		}
		if ev.Tool != nil && ev.Tool.Input != nil && rawjson.Kind(ev.Tool.Input) != '{' {
			t.Errorf("arguments %s", ev.Tool.Input)
		}
	})
}

func TestNamedAgentsAreReadBack(t *testing.T) {
	t.Parallel()
	for _, want := range []checkrein.Session{{Agent: "a1", AgentName: "scout"}, {AgentName: "scout"}, {Agent: "scout", AgentName: "scout"}} {
		ev := checkrein.Event{Kind: checkrein.SubagentStart, Session: want, Details: []checkrein.Detail{{Name: "subagent_type", Value: json.RawMessage(`"scout"`)}}}
		got := read(t, string(Append(nil, &ev, nil)), "subagent_start")
		if got.Session != want || got.Detail("agent_id") != nil {
			t.Errorf("%+v is read back as %+v, details %s", want, got.Session, got.Details)
		}
	}
}
