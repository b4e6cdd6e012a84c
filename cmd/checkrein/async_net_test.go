package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/lab/built"
)

// Asynchronous hooks that need the companion do not delay the answer, and their output is in the log.
func TestAsyncHTTPHook(t *testing.T) {
	t.Parallel()
	heard := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		heard <- string(body)
		_, _ = io.WriteString(w, `{"decision":"block","reason":"too late"}`)
	}))
	t.Cleanup(server.Close)
	for _, tt := range []struct{ name, hook, log string }{
		{"http", "{name: late, type: http, async: true, allow_local: true, url: '" + server.URL + "/hook'}", "too late"},
		{"model", "{name: late, type: model, async: true, model: scripted/judge.json, prompt: 'What does {{ .ToolInput | toJSON }} do?'}", `it lists files","spent":{"model":"scripted/judge.json"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := built.TempDir(t)
			for name, text := range map[string]string{
				"checkrein.yaml": "version: 1\nhooks:\n  pre_tool_use:\n    - " + tt.hook + "\n",
				"judge.json":     `{"steps":[{"text":"it lists files"}]}`,
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command(filepath.Join(programs, "checkrein"), "eval", "-c", filepath.Join(dir, "checkrein.yaml"), "--json")
			cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
			cmd.Stdin = strings.NewReader(`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`)
			out, err := cmd.CombinedOutput()
			if err != nil || strings.Contains(string(out), `"decision"`) || !strings.Contains(string(out), `"detached":true`) {
				t.Fatalf("%v\n%s", err, out)
			}
			log := filepath.Join(dir, ".local", "state", "checkrein", "log", "async.log")
			var said []byte
			for deadline := time.Now().Add(time.Minute); len(said) == 0 && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
				said, _ = os.ReadFile(log)
			}
			if !strings.Contains(string(said), `"ended":"done"`) || !strings.Contains(string(said), tt.log) {
				t.Errorf("the log says %q", said)
			}
			if tt.name == "http" {
				select {
				case body := <-heard:
					if !strings.Contains(body, `"tool_name":"Bash"`) {
						t.Errorf("the server heard %s", body)
					}
				default:
					t.Error("the server heard nothing")
				}
			}
		})
	}
}
