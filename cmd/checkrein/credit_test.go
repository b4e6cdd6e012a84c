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
)

// TestFooterCredit runs the real programs against a real server: the hot program
// has its companion ask for the balance, and does without one that is late.
func TestFooterCredit(t *testing.T) {
	t.Parallel()
	late := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/late" {
			select {
			case <-late:
			case <-r.Context().Done():
			}
		}
		_, _ = io.WriteString(w, `{"credit_balance": 271.64}`)
	}))
	defer server.Close()
	defer close(late)
	dir := t.TempDir()
	for path, want := range map[string]string{"/credits": `\n\n─ m · $0.0211 · 💰 $271.64"`, "/late": `\n\n─ m · $0.0211"`} {
		t.Run(path[1:], func(t *testing.T) {
			config := filepath.Join(dir, path[1:]+".yaml")
			text := "version: 1\nhooks:\n  on_response_end:\n    - {type: builtin, command: runtime_footer, args: [credit, \"credit_url=" + server.URL + path + "\"]}\n"
			if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			var out []byte
			var err error
			for range 20 { // on a busy machine every answer may be late
				cmd := exec.Command(filepath.Join(programs, "checkrein"), "eval", "-c", config, "--json")
				cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
				cmd.Stdin = strings.NewReader(`{"event":"on_response_end","response":"Hi.","model":"m","turn_cost_usd":0.0211}`)
				out, err = cmd.Output()
				if err == nil && strings.Contains(string(out), want) && !strings.Contains(string(out), "notices") {
					return
				}
			}
			t.Errorf("%s, %v", out, err)
		})
	}
}
