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

	"github.com/checkrein/checkrein/internal/lab/built"
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

// A gate stays closed unless the server answers with an object; other events go on.
func TestHTTPGateNeedsAnAnswer(t *testing.T) {
	t.Parallel()
	answers := map[string]func(http.ResponseWriter, *http.Request){
		"/null":  func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "null") },
		"/list":  func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "[1]") },
		"/text":  func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `"text"`) },
		"/words": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "all is well") },
		"/empty": func(http.ResponseWriter, *http.Request) {},
		"/none":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"/cut":   func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"decision":"app`) },
		"/large": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "{}"+strings.Repeat(" ", 2<<20))
		},
		"/page": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>log in</html>") },
		"/redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://localhost:1/", http.StatusTemporaryRedirect)
		},
		"/object": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") },
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answers[r.URL.Path](w, r) }))
	t.Cleanup(server.Close)
	for path := range answers {
		t.Run(path[1:], func(t *testing.T) {
			t.Parallel()
			entry := "{name: remote, type: http, allow_local: true, url: \"" + server.URL + path + "\"}"
			config := "version: 1\nhooks:\n  pre_tool_use: [" + entry + "]\n  notification: [" + entry + "]\n"
			hook := func(event string) string {
				home := t.TempDir()
				dir := filepath.Join(home, ".config", "checkrein")
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, "checkrein.yaml"), []byte(config), 0o600); err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command(filepath.Join(programs, "checkrein"), "hook", "claude")
				cmd.Env, cmd.Dir = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}, t.TempDir()
				cmd.Stdin = strings.NewReader(`{"session_id":"s","hook_event_name":"` + event + `","tool_name":"Bash","tool_input":{"command":"ls"}}`)
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				return string(out)
			}
			said := hook("PreToolUse")
			if denied := strings.Contains(said, `"permissionDecision":"deny"`); denied != (path != "/object") {
				t.Errorf("the gate said %s", said)
			}
			if said := hook("Notification"); strings.Contains(said, `"decision"`) || strings.Contains(said, `"continue"`) {
				t.Errorf("the other event: %s", said)
			}
		})
	}
}

// An empty answer of a starchild hook's server means continue, also on a gate that asks
// to be closed by faults; anything else that is no object is a fault.
func TestStarchildHTTPEmptyBody(t *testing.T) {
	t.Parallel()
	answers := map[string]func(http.ResponseWriter){
		"/empty": func(http.ResponseWriter) {}, "/none": func(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) },
		"/accepted": func(w http.ResponseWriter) { w.WriteHeader(http.StatusAccepted) }, "/blank": func(w http.ResponseWriter) { _, _ = io.WriteString(w, " \n") },
		"/words": func(w http.ResponseWriter) { _, _ = io.WriteString(w, "ok") }, "/error": func(w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) },
		"/block": func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"decision":"block","reason":"no"}`) },
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answers[r.URL.Path](w) }))
	t.Cleanup(server.Close)
	for path, denies := range map[string]bool{"/empty": false, "/none": false, "/accepted": false, "/blank": false, "/words": true, "/error": true, "/block": true} {
		t.Run(path[1:], func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			file := filepath.Join(home, "shell_hooks.yaml")
			text := "hooks:\n  - {event: pre_tool_call, type: http, allow_local: yes, on_error: block, url: \"" + server.URL + path + "\"}\n"
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			program := func(stdin string, args ...string) string {
				cmd := exec.Command(filepath.Join(programs, "checkrein"), args...)
				cmd.Env, cmd.Dir, cmd.Stdin = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}, home, strings.NewReader(stdin)
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%v: %v: %s", args, err, out)
				}
				return string(out)
			}
			program("", "hooks", "approve", "-c", file, "--all")
			said := program(`{"event":"pre_tool_call","tool_name":"bash","tool_input":{"command":"ls"}}`, "eval", "-c", file, "--json")
			if strings.Contains(said, `"decision":"deny"`) != denies || !denies && strings.Contains(said, "notices") {
				t.Error(said)
			}
		})
	}
}

// What a host was started with may be a project's, so in a host's calls the variable that
// opens this machine to starchild's hooks opens nothing. It does for who runs eval.
func TestProjectOpensNoLocalAddress(t *testing.T) {
	t.Parallel()
	heard := make(chan bool, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		heard <- true
		_, _ = io.WriteString(w, `{"decision":"block","reason":"a service of this machine"}`)
	}))
	t.Cleanup(server.Close)
	home, project := built.TempDir(t), t.TempDir()
	file := filepath.Join(project, "config", "shell_hooks.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("hooks:\n  - event: pre_tool_call\n    type: http\n    url: "+server.URL+"/hook\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(stdin string, args ...string) string {
		cmd := exec.Command(filepath.Join(programs, "checkrein"), args...)
		cmd.Dir, cmd.Stdin = project, strings.NewReader(stdin)
		cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL=1"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	run("", "hooks", "approve", "--all")
	const call = `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"t"}`
	if out := run(call, "eval", "--json"); len(heard) != 1 || !strings.Contains(out, "a service of this machine") {
		t.Errorf("eval: heard %d times: %s", len(heard), out)
	}
	if out := run(call, "hook", "claude"); len(heard) != 1 || strings.Contains(out, "a service of this machine") {
		t.Errorf("hook: heard %d times: %s", len(heard), out)
	}
}
