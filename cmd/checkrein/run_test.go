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

	"github.com/checkrein/checkrein/internal/lab/built"
)

// A runPlace is a place where an agent is run, with a home of its own.
type runPlace struct{ dir string }

func newRunPlace(t *testing.T, agent string) *runPlace {
	t.Helper()
	p := &runPlace{built.TempDir(t)}
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

// answerLines answers with lines in place of the program that calls models.
func answerLines(lines ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Join(lines, "\n")+"\n")
	}
}

// A model that fails in any way gives a clear error and is told to hooks; nothing
// of its key is shown.
func TestRunModelFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		want   string
	}{
		{"an error", answerLines(`{"fault":{"kind":"other","message":"500 Internal Server Error: out of memory"}}`), "500 Internal Server Error: out of memory"},
		{"key is refused", answerLines(`{"fault":{"kind":"auth","message":"the key in the environment variable MODEL_KEY was sent"}}`), "the key in the environment variable MODEL_KEY was sent"},
		{"garbage", answerLines(`{"delta":"he"}`, `{garbage`), "printed output that cannot be parsed: install checkrein-models of the same version"},
		{"an answer and a fault", answerLines(`{"answer":{"text":"x"},"fault":{"kind":"other","message":"y"}}`), "printed output that cannot be parsed"},
		{"an empty line", answerLines(`{}`), "printed output that cannot be parsed"},
		{"ends early", answerLines(`{"delta":"he"}`), "exited before it answered: install checkrein-models of the same version"},
		{"breaks off", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"delta":"he"}`+"\n"+`{"ans`)
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

// Without the program that calls models, a person hears what to do before anything is
// sent, or any hook runs.
func TestRunWithoutModels(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	for _, name := range []string{"checkrein", "checkreind"} {
		if err := os.Link(filepath.Join(programs, name), filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	p := newRunPlace(t, strings.ReplaceAll(served, "BASE", "http://127.0.0.1:1/v1"))
	cmd := p.command("hello")
	cmd.Path = filepath.Join(bin, "checkrein")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), `model "test/small": it needs the program checkrein-models, which is not in checkreind's directory (`+filepath.Join(bin, "checkrein-models")+"): install checkrein-models of the same version") {
		t.Errorf("%v\n%s", err, out)
	}
	if got := p.read(t, "end.json") + p.read(t, "turn.json"); got != "" {
		t.Errorf("hooks heard %s", got)
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
