package transcript_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// claudeLine returns a line of a transcript of Claude Code with one block.
func claudeLine(at, block string) string {
	if at != "" {
		at = `"timestamp":` + at + `,`
	}
	return `{"type":"assistant","uuid":"u","sessionId":"s",` + at + `"message":{"role":"x","content":[` + block + `]}}`
}

func toolUse(id, command string) string {
	return fmt.Sprintf(`{"type":"tool_use","id":%s,"name":"Bash","input":{"command":%q}}`, id, command)
}

func toolResult(id, more string) string {
	return fmt.Sprintf(`{"type":"tool_result","tool_use_id":%s,%s}`, id, more)
}

const (
	fine    = `"content":"out","is_error":false`
	refused = `"content":"checkrein blocked ls: no","is_error":true`
	morning = `"2026-11-17T09:00:00Z"`
	later   = `"2026-11-17T09:00:01Z"`
)

// readText reads text as a transcript of Claude Code that was just changed, and returns a summary of
// each reported call.
func readText(t *testing.T, text string) ([]string, transcript.Report, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []string
	rep, err := transcript.File{Host: "claude", Form: setups.Transcripts().ForHost("claude"), Path: path, Time: time.Now()}.Read(transcript.Options{}, func(c *transcript.Call) error {
		one := c.Outcome.String() + " " + c.ID + " " + c.Command
		if c.Undated {
			one += " undated"
		}
		if c.Orphan {
			one += " orphan"
		}
		got = append(got, one)
		return nil
	})
	return got, rep, err
}

// TestAlteredTranscripts reads transcripts that no host writes, and checks that every call in them is
// read or reported.
func TestAlteredTranscripts(t *testing.T) {
	t.Parallel()
	whole := []string{claudeLine(morning, toolUse(`"a"`, "ls")), claudeLine(later, toolResult(`"a"`, fine)), claudeLine(later, toolUse(`"b"`, "pwd")), claudeLine(later, toolResult(`"b"`, fine))}
	both := "ran a ls, ran b pwd"
	veil := strings.NewReplacer("tool_use", `tool\u005fuse`, "tool_result", `tool_r\u0065sult`, "message", `messag\u0065`)
	for _, test := range []struct {
		name, text, want string
		lost             int
		torn             bool
	}{
		{name: "as it should be", text: strings.Join(whole, "\n") + "\n", want: both},
		{name: "carriage returns and line feeds", text: strings.Join(whole, "\r\n") + "\r\n", want: both},
		{name: "carriage returns", text: strings.Join(whole, "\r") + "\r", want: both},
		{name: "carriage returns, and a last line feed", text: strings.Join(whole, "\r") + "\n", want: both},
		{name: "nothing ends the last line", text: strings.Join(whole, "\n"), want: both},
		{name: "nothing ends any line", text: strings.Join(whole, ""), want: both},
		{name: "one line, and a line feed", text: strings.Join(whole, " ") + "\n", want: both},
		{name: "the last line is cut", text: strings.Join(whole[:2], "\n") + "\n" + whole[2][:len(whole[2])-3], want: "ran a ls", torn: true},
		{name: "something follows a line", text: whole[0] + "\n" + whole[1] + "x" + "\n" + whole[2] + "\n" + whole[3] + "}" + "\n", want: both},
		{name: "a line is damaged", text: whole[0] + "\n" + whole[1] + "\n" + strings.Replace(whole[2], `"s",`, `"s"`, 1) + "\n", want: "ran a ls", lost: 1},
		{name: "a line without a call is damaged", text: "{\"type\":\"us\n" + strings.Join(whole, "\n") + "\n", want: both},
		{name: "letters as numbers", text: veil.Replace(strings.Join(whole, "\n")) + "\n", want: both},
		{name: "no ID", text: claudeLine(morning, toolUse(`""`, "ls")) + "\n" + claudeLine(later, toolResult(`""`, fine)) + "\n", want: "ran  ls"},
		{name: "an ID that is null, of the call alone", text: claudeLine(morning, toolUse(`null`, "ls")) + "\n" + claudeLine(later, toolResult(`"a"`, fine)) + "\n", want: "ran  ls"},
		{name: "no ID and no result", text: claudeLine(morning, toolUse(`""`, "ls")) + "\n" + claudeLine(morning, toolUse(`null`, "pwd")) + "\n", want: "unknown  ls, unknown  pwd"},
		{name: "an ID for two commands", text: claudeLine(morning, toolUse(`"a"`, "ls")) + "\n" + claudeLine(later, toolResult(`"a"`, fine)) + "\n" + claudeLine(later, toolUse(`"a"`, "pwd")) + "\n" + claudeLine(later, toolResult(`"a"`, fine)) + "\n", want: "ran a ls, ran a pwd"},
		{name: "an ID for two open commands", text: claudeLine(morning, toolUse(`"a"`, "ls")+","+toolUse(`"a"`, "pwd")) + "\n" + claudeLine(later, toolResult(`"a"`, fine)) + "\n", want: "unknown a ls, ran a pwd"},
		{name: "a key twice", text: claudeLine(morning, strings.Replace(toolUse(`"a"`, "ls"), `"id":`, `"id":"z","id":`, 1)) + "\n" + whole[1] + "\n", want: "ran a ls", lost: 1},
		{name: "a message twice", text: strings.Replace(whole[0], `"message":`, `"message":{"content":[`+toolUse(`"z"`, "id")+`]},"message":`, 1) + "\n" + whole[1] + "\n", want: "ran a ls", lost: 1},
		{name: "denied, and then it ran", text: whole[0] + "\n" + claudeLine(later, toolResult(`"a"`, refused)) + "\n" + whole[1] + "\n", want: "denied a ls, ran a ls"},
		{name: "it ran, and then it was denied", text: whole[0] + "\n" + whole[1] + "\n" + claudeLine(later, toolResult(`"a"`, refused)) + "\n", want: "ran a ls"},
		{name: "denied twice", text: whole[0] + "\n" + claudeLine(later, toolResult(`"a"`, refused)) + "\n" + claudeLine(later, toolResult(`"a"`, refused)) + "\n", want: "denied a ls"},
		{name: "no time", text: claudeLine("", toolUse(`"a"`, "ls")) + "\n" + claudeLine("", toolResult(`"a"`, fine)) + "\n", want: "ran a ls undated"},
		{name: "no time that can be read", text: claudeLine(`"soon"`, toolUse(`"a"`, "ls")) + "\n" + whole[1] + "\n", want: "ran a ls undated"},
		{name: "before there were agents", text: claudeLine(`"1999-11-17T09:00:00Z"`, toolUse(`"a"`, "ls")) + "\n" + whole[1] + "\n", want: "ran a ls undated"},
		{name: "in many years", text: claudeLine(`"2999-11-17T09:00:00Z"`, toolUse(`"a"`, "ls")) + "\n" + whole[1] + "\n", want: "ran a ls undated"},
		{name: "a year ago", text: claudeLine(`"2025-11-17T09:00:00Z"`, toolUse(`"a"`, "ls")+","+toolResult(`"a"`, fine)) + "\n", want: "ran a ls"},
		{name: "a year before its result", text: claudeLine(`"2025-11-17T09:00:00Z"`, toolUse(`"a"`, "ls")) + "\n" + whole[1] + "\n", want: "ran a ls undated"},
		{name: "an hour before what comes first", text: whole[0] + "\n" + whole[1] + "\n" + claudeLine(`"2026-11-17T08:00:00Z"`, toolUse(`"b"`, "pwd")+","+toolResult(`"b"`, fine)) + "\n", want: "ran a ls, ran b pwd undated"},
		{name: "old lines that a session copied, then new ones", text: claudeLine(`"2026-10-17T08:00:00Z"`, toolUse(`"z"`, "id")+","+toolResult(`"z"`, fine)) + "\n" + strings.Join(whole, "\n") + "\n", want: "ran z id, " + both},
		{name: "one list", text: "[" + strings.Join(whole, ",") + "]", want: both},
		{name: "one list, and a line feed", text: "[" + strings.Join(whole, ", ") + "]\n", want: both},
		{name: "lists in lists", text: claudeLine(morning, "["+toolUse(`"a"`, "ls")+",["+toolResult(`"a"`, fine)+"]]") + "\n", want: "ran a ls"},
		{name: "a message as a text", text: strings.Replace(whole[0], `"message":{"role":"x","content":[`+toolUse(`"a"`, "ls")+`]}`, `"message":`+string(rawjson.Quote(`{"content":[`+toolUse(`"a"`, "ls")+`]}`)), 1) + "\n" + whole[1] + "\n", want: "ran a ls"},
		{name: "types in other letters", text: strings.NewReplacer(`"tool_use"`, `"Tool_Use"`, `"tool_result"`, `"TOOL_RESULT"`).Replace(strings.Join(whole, "\n")) + "\n", want: both},
		{name: "types of servers", text: strings.NewReplacer(`"tool_use"`, `"mcp_tool_use"`, `"tool_result"`, `"mcp_tool_result"`).Replace(strings.Join(whole, "\n")) + "\n", want: both},
		{name: "keys in other letters", text: strings.NewReplacer(`"message"`, `"Message"`).Replace(strings.Join(whole, "\n")) + "\n", want: "", lost: 4},
		{name: "content in other letters", text: strings.NewReplacer(`"content":[`, `"Content":[`).Replace(strings.Join(whole, "\n")) + "\n", want: "", lost: 4},
		{name: "a refusal", text: whole[0] + "\n" + claudeLine(later, toolResult(`"a"`, `"content":"The user doesn't want to proceed with this tool use. STOP.","is_error":true`)) + "\n", want: "refused a ls"},
		{name: "a refusal with long words of the person", text: whole[0] + "\n" + claudeLine(later, toolResult(`"a"`, `"content":"The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n`+strings.Repeat("no ", 2000)+`","is_error":true`)) + "\n", want: "refused a ls"},
		{name: "a refusal and much output", text: whole[0] + "\n" + claudeLine(later, toolResult(`"a"`, `"content":"The user doesn't want to proceed with this tool use.\n`+strings.Repeat("root:x:0:0 ", 200)+`","is_error":true`)) + "\n", want: "failed a ls"},
		{name: "a flaw of the call", text: whole[0] + "\n" + claudeLine(later, toolResult(`"a"`, `"content":"<tool_use_error>InputValidationError: x</tool_use_error>","is_error":true`)) + "\n", want: "refused a ls"},
		{name: "a flaw of the call and output", text: whole[0] + "\n" + claudeLine(later, toolResult(`"a"`, `"content":"<tool_use_error>InputValidationError: x</tool_use_error>\nroot:x:0","is_error":true`)) + "\n", want: "failed a ls"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, rep, err := readText(t, test.text)
			if said := strings.Join(got, ", "); err != nil || said != test.want || rep.Lost != test.lost || rep.TruncatedCall != test.torn {
				t.Errorf("%q, %v\nwant %q\n%+v", said, err, test.want, rep)
			}
		})
	}
}

// TestHarmlessForeignFiles checks that files that are not transcripts and have no calls are told from
// transcripts that may have been altered.
func TestHarmlessForeignFiles(t *testing.T) {
	t.Parallel()
	for text, harmless := range map[string]bool{
		`{"type":"file-history-snapshot","messageId":"m","snapshot":{}}` + "\n": true,
		`{"rows":[1,2]}` + "\n":                  true,
		`{"rows":[{"type":"tool_use"}]}` + "\n":  false,
		`{"rows":[{"tool_use":1}` + "\n":         false,
		"\x00\x00\x00\x00\n":                     false,
		"{\"type\":\"assistant\",\"message\":\n": false,
	} {
		_, _, err := readText(t, text)
		var foreign *transcript.ForeignError
		if !errors.As(err, &foreign) || foreign.Harmless != harmless {
			t.Errorf("%q: %+v", text, err)
		}
	}
}

// TestFakedRefusals checks that a call counts as run if its result begins like the host's text for a
// call that did not run, but has more than the host would write.
func TestFakedRefusals(t *testing.T) {
	t.Parallel()
	const no = "Permission to use Bash has been denied."
	claude := func(content, more string) string {
		return claudeLine(morning, toolUse(`"a"`, "ls")) + "\n" + strings.Replace(claudeLine(later, toolResult(`"a"`, `"is_error":true,"content":`+content)), `"message"`, more+`"message"`, 1) + "\n"
	}
	codex := func(output string) string {
		return `{"timestamp":` + morning + `,"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"ls\"}","call_id":"a"}}` + "\n" +
			`{"timestamp":` + later + `,"type":"response_item","payload":{"type":"function_call_output","call_id":"a","output":` + output + `}}` + "\n"
	}
	gemini := func(response string) string {
		return `{"id":"i","timestamp":` + morning + `,"type":"gemini","toolCalls":[{"id":"a","name":"run","args":{},"status":"error","timestamp":` + later + `,"result":[{"functionResponse":{"response":` + response + `}}]}]}` + "\n"
	}
	copilot := func(data string) string {
		return `{"type":"tool.execution_start","id":"1","timestamp":` + morning + `,"data":{"toolCallId":"a","toolName":"bash","arguments":{}}}` + "\n" +
			`{"type":"tool.execution_complete","id":"2","timestamp":` + later + `,"data":{"toolCallId":"a","success":false,` + data + `}}` + "\n"
	}
	for _, test := range []struct{ name, host, text, want string }{
		{"the host's words", "claude", claude(`"`+no+`"`, `"toolUseResult":"Error: `+no+`",`), "refused"},
		{"as one part", "claude", claude(`[{"type":"text","text":"`+no+`"},{"type":"image"}]`, ""), "refused"},
		{"another part", "claude", claude(`[{"type":"text","text":"`+no+`"},{"type":"text","text":"root"}]`, ""), "failed"},
		{"what a tool returned", "claude", claude(`"`+no+`"`, `"toolUseResult":{"stdout":"root"},`), "failed"},
		{"a denial, and what a tool returned", "claude", claude(`"checkrein blocked ls"`, `"toolUseResult":{"stdout":"root"},`), "failed"},
		{"what a program printed", "claude", claude(`"Exit code 1\n`+no+`"`, ""), "failed exited"},
		{"words in the middle", "claude", claude(`"root. You haven't granted it yet"`, ""), "failed"},
		{"the host's words", "codex", codex(`"Command blocked by PreToolUse hook: no"`), "denied"},
		{"another part", "codex", codex(`[{"type":"input_text","text":"Command blocked by PreToolUse hook: no"},{"type":"input_text","text":"root"}]`), "ran"},
		{"the host's words", "gemini", gemini(`{"error":"Tool execution blocked: no"}`), "denied"},
		{"an unknown tool", "gemini", gemini(`{"error":"Tool \"x\" not found in registry."}`), "refused"},
		{"an output, too", "gemini", gemini(`{"error":"Tool execution blocked: no","output":"root"}`), "failed"},
		{"what a tool says of itself", "gemini", gemini(`{"error":"Tool \"x\" printed root"}`), "failed"},
		{"the host's words", "copilot", copilot(`"error":{"message":"Denied by preToolUse hook","code":"denied"}`), "denied"},
		{"a result, too", "copilot", copilot(`"error":{"message":"Denied by preToolUse hook","code":"denied"},"result":{"content":"root"}`), "failed"},
		{"an exit status, too", "copilot", copilot(`"error":{"message":"no","code":"denied"},"shellExecution":{"exitCode":1}`), "failed exited"},
	} {
		got := ""
		_, err := setups.Transcripts().ForHost(test.host).Read(strings.NewReader(test.text), transcript.Options{}, func(c *transcript.Call) error {
			if got = c.Outcome.String(); c.Exited {
				got += " exited"
			}
			return nil
		})
		if err != nil || got != test.want {
			t.Errorf("%s, %s: %q, want %q; %v", test.host, test.name, got, test.want, err)
		}
	}
}
