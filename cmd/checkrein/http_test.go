package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestHTTPHook runs the real programs against a real server: the hot program
// hands the hook over, the companion posts the event, and the answer counts.
func TestHTTPHook(t *testing.T) {
	t.Parallel()
	heard := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		heard <- r.Header.Get("X-Team") + " " + string(body)
		_, _ = io.WriteString(w, `{"hook_specific_output":{"permission_decision":"deny","permission_decision_reason":"not today"}}`)
	}))
	defer server.Close()
	dir := t.TempDir()
	config := filepath.Join(dir, "checkrein.yaml")
	text := "version: 1\nhooks:\n  pre_tool_use:\n    - {name: remote, type: http, allow_local: true, url: \"" + server.URL + "/hook\", headers: {X-Team: \"${env.TEAM}\"}, allowed_env: [TEAM]}\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(programs, "checkrein"), "eval", "-c", config, "--json")
	cmd.Env = []string{"HOME=" + dir, "TEAM=red", "PATH=" + os.Getenv("PATH")}
	cmd.Stdin = strings.NewReader(`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Decision, Reason string }
	if err := json.Unmarshal(out, &got); err != nil || got.Decision != "deny" || got.Reason != "not today" {
		t.Errorf("got %s", out)
	}
	if said := <-heard; !strings.HasPrefix(said, "red {") || !strings.Contains(said, `"tool_name":"Bash"`) {
		t.Errorf("the server heard %s", said)
	}
}
