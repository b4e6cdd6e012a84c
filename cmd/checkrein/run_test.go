package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A runPlace is a place where an agent is run, with a home of its own.
type runPlace struct{ dir string }

func newRunPlace(t *testing.T, agent string) *runPlace {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &runPlace{dir}
	t.Cleanup(func() { // the ledger's upkeep may be at work still
		for i := 0; os.RemoveAll(dir) != nil && i < 1000; i++ {
			time.Sleep(5 * time.Millisecond)
		}
	})
	p.write(t, "agent.yaml", agent)
	return p
}

func (p *runPlace) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (p *runPlace) read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(data)
}

// command is a run of the program there.
func (p *runPlace) command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(programs, "checkrein"), append([]string{"run", "agent.yaml"}, args...)...)
	cmd.Dir = p.dir
	cmd.Env = []string{"HOME=" + filepath.Join(p.dir, "home"), "PATH=" + os.Getenv("PATH"), "MODEL_KEY=topsecret-model-key"}
	return cmd
}

const served = `
models:
  local: {provider: test, model: small, base_url: BASE, token_key: MODEL_KEY}
providers:
  test: {base_url: BASE}
agents:
  root:
    model: local
    toolsets: [{type: shell}]
    hooks:
      on_error: [{type: command, command: "cat >error.json"}]
      turn_end: [{type: command, command: "cat >turn.json"}]
      session_end: [{type: command, command: "cat >end.json"}]
`

// A model that fails in any way gives a clear error and is told to hooks; nothing
// of its key is shown.
func TestRunModelFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		want   string
	}{
		{"500", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"error":{"message":"out of `+"\x1b[2J"+`memory with topsecret-model-key"}}`, http.StatusInternalServerError)
		}, "500 Internal Server Error: "},
		{"key is refused", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"error":{"message":"who are you"}}`, http.StatusUnauthorized)
		}, "the key in the environment variable MODEL_KEY was sent"},
		{"garbage", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"he\"}}]}\n\ndata: {garbage\n\n")
		}, ""},
		{"a page", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>")
		}, "is base_url right?"},
		{"breaks off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"he\"}}]}\n\n")
			panic(http.ErrAbortHandler)
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(tt.answer)
			defer server.Close()
			p := newRunPlace(t, strings.ReplaceAll(served, "BASE", server.URL+"/v1"))
			cmd := p.command("hello")
			var errs bytes.Buffer
			cmd.Stderr = &errs
			out, err := cmd.Output()
			var code *exec.ExitError
			if !errors.As(err, &code) || code.ExitCode() != 1 {
				t.Errorf("%v", err)
			}
			said := errs.String() + string(out) + p.read(t, "error.json")
			if !strings.Contains(errs.String(), "error: the model did not answer: model test/small at "+server.URL) || !strings.Contains(errs.String(), tt.want) {
				t.Errorf("%s", errs.String())
			}
			if strings.ContainsAny(said, "\x1b") || strings.Contains(said, "topsecret") {
				t.Errorf("shown: %q", said)
			}
			if got := p.read(t, "error.json"); !strings.Contains(got, `"notification_level":"error"`) || !strings.Contains(got, "test/small") {
				t.Errorf("on_error heard %s", got)
			}
			if got := p.read(t, "turn.json"); !strings.Contains(got, `"reason":"error"`) {
				t.Errorf("turn_end heard %s", got)
			}
			if got := p.read(t, "end.json"); !strings.Contains(got, `"reason":"other"`) {
				t.Errorf("session_end heard %s", got)
			}
		})
	}
}

// A model that never answers is left when the person wants it, and no error is
// made of that.
func TestRunModelNeverAnswers(t *testing.T) {
	t.Parallel()
	asked, end := make(chan string, 1), make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked <- r.Header.Get("Authorization") + " " + string(body)
		select {
		case <-end:
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	defer close(end)
	p := newRunPlace(t, strings.ReplaceAll(served, "BASE", server.URL+"/v1"))
	cmd := p.command("hello")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if got := <-asked; !strings.HasPrefix(got, "Bearer topsecret-model-key ") || !strings.Contains(got, `"content":"hello"`) {
		t.Errorf("the server was asked %s", got)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("it ended well")
	}
	if got := p.read(t, "turn.json"); !strings.Contains(got, `"reason":"canceled"`) {
		t.Errorf("turn_end heard %s", got)
	}
	if got := p.read(t, "end.json"); !strings.Contains(got, `"reason":"other"`) {
		t.Errorf("session_end heard %s", got)
	}
	if got := p.read(t, "error.json"); got != "" {
		t.Errorf("on_error heard %s", got)
	}
	if !strings.Contains(out.String(), "stopped") {
		t.Errorf("%s", out.String())
	}
}
