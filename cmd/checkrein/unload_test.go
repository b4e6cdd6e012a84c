package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestUnload runs the real programs against a server that stands for a model
// engine: the hot program has its companion tell it which models to free, of the
// agent that is left and of no other provider. One that refuses is logged and
// keeps nobody from going on.
func TestUnload(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var heard []string
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, r.Method+" "+r.URL.Path+" "+string(body))
		if r.URL.Path == "/busy" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer engine.Close()
	dir := t.TempDir()
	config := filepath.Join(dir, "agents.yaml")
	text := "agents:\n  root:\n    hooks:\n      on_agent_switch:\n        - {type: builtin, command: unload}\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	models := strings.ReplaceAll(`[{"provider":"dmr","model":"ai/a","base_url":"URL/engines/v1"},{"provider":"dmr","model":"ai/b","base_url":"URL/engines/v1","unload_api":"/busy"},`+
		`{"provider":"openai","model":"gpt","base_url":"URL/v1"},{"provider":"dmr","model":"ai/c","base_url":"URL/engines/v1","unload_api":"URL/free"}]`, "URL", engine.URL)
	cmd := exec.Command(filepath.Join(programs, "checkrein"), "eval", "-c", config, "--json")
	cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "HTTP_PROXY=http://127.0.0.1:1"}
	cmd.Stdin = strings.NewReader(`{"hook_event_name":"on_agent_switch","session_id":"s","from_agent":"coder","to_agent":"reviewer","agent_switch_kind":"handoff","from_agent_models":` + models + `}`)
	out, err := cmd.Output()
	if err != nil || strings.Contains(string(out), "notices") || strings.Contains(string(out), `"fault"`) {
		t.Errorf("%s, %v", out, err)
	}
	want := []string{`POST /engines/_unload {"model":"ai/a"}`, `POST /busy {"model":"ai/b"}`, `POST /free {"model":"ai/c"}`}
	if !slices.Equal(heard, want) {
		t.Errorf("the engine heard %q, want %q", heard, want)
	}
	log, err := os.ReadFile(filepath.Join(dir, ".local", "state", "checkrein", "log", "unload.jsonl"))
	if err != nil || strings.Count(string(log), "\n") != 1 || !strings.Contains(string(log), `"model":"ai/b"`) || !strings.Contains(string(log), "503") {
		t.Errorf("the log has %s, %v", log, err)
	}
}
