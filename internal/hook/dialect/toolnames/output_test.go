package toolnames

import (
	"encoding/json"
	"testing"

	"github.com/checkrein/checkrein"
)

func TestOutputText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, out, want string }{
		{"text", `"hello\n"`, "hello\n"},
		{"command", `{"stdout":"hello","stderr":"","interrupted":false,"isImage":false}`, "hello"},
		{"command that warned", `{"stdout":"hello","stderr":"careful","interrupted":false}`, "hello\ncareful"},
		{"command without output", `{"stdout":"","stderr":""}`, ""},
		{"file", `{"type":"text","file":{"filePath":"/a","content":"two\n","numLines":2}}`, "two\n"},
		{"content blocks", `[{"type":"text","text":"one"},{"type":"text","text":"two"}]`, "one\ntwo"},
		{"MCP result", `{"content":[{"type":"text","text":"said hi"}],"isError":false}`, "said hi"},
		{"MCP result with more", `{"content":[], "structuredContent":{"key":"v"}}`, `{"content":[],"structuredContent":{"key":"v"}}`},
		{"picture", `[{"text":"a"},{"inlineData":{"data":"AA"}}]`, "a\n" + `{"inlineData":{"data":"AA"}}`},
		{"search", `{"mode":"content","numFiles":1,"filenames":[],"content":"a:1:x"}`, "a:1:x"},
		{"names", `{"filenames":["a","b"],"durationMs":3}`, "a\nb"},
		{"for the model", `{"resultType":"success","textResultForLlm":"hello"}`, "hello"},
		{"list of results", `{"success":true,"result":["a","b"]}`, "a\nb"},
		{"error", `{"message":"exit 1"}`, "exit 1"},
		{"edit", `{"filePath":"/a","oldString":"x","newString":"y"}`, `{"filePath":"/a","oldString":"x","newString":"y"}`},
		{"written file", `{"filePath":"/a","content":"new","originalFile":"old"}`, `{"filePath":"/a","content":"new","originalFile":"old"}`},
		{"number", `3`, `3`},
	} {
		if got := OutputText([]byte(tt.out)); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestTextOutput checks that the host's output is returned as well, and that the caller's event is not
// modified.
func TestTextOutput(t *testing.T) {
	t.Parallel()
	tool := &checkrein.Tool{Name: "Bash", Output: json.RawMessage(`{"stdout":"x"}`)}
	ev, host := TextOutput(checkrein.Event{Tool: tool}, nil)
	if got := string(ev.Tool.Output); got != `"x"` || host != tool || string(tool.Output) != `{"stdout":"x"}` {
		t.Errorf("got %s, host %+v", got, host)
	}
	if got, want := string(NativeNames(&ev, "", host)), `{"tool_name":"Bash","tool_response":{"stdout":"x"}}`; got != want {
		t.Errorf("native %s, want %s", got, want)
	}
}
