package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/built"
)

// A pasted is a secret that a person pastes by mistake, put together so that this
// file holds none.
type pasted struct{ name, text string }

var (
	pastedKey    = pasted{"key", "gh" + "p_" + "6Ev7aHj4uXnlOePqT3zxKbKXupAly8xBwgLJ"}
	pastedPhrase = pasted{"seed phrase", "scheme spot photo card baby mountain device kick cradle " + "pact join borrow"}
)

// A listener is a model on a server that notes all it is sent.
type listener struct {
	mu   sync.Mutex
	sent []string
	// first is called before the first answer.
	first func()
	// call is the first answer, a tool call; "" = it says done, as it does later.
	call string
}

func (l *listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	l.mu.Lock()
	l.sent = append(l.sent, string(body))
	n := len(l.sent)
	l.mu.Unlock()
	answer := `{"text":"done"}`
	if n == 1 {
		if l.first != nil {
			l.first()
		}
		if l.call != "" {
			answer = `{"tool_calls":[{"id":"c1","type":"function","function":{"name":"shell","arguments":` + fmt.Sprintf("%q", l.call) + `}}]}`
		}
	}
	_, _ = io.WriteString(w, `{"answer":`+answer+"}\n")
}

func (l *listener) received() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.sent, "\n")
}

// A way is how a person gives the agent a message.
type way struct {
	name string
	// give runs the program and gives it the message; it returns what the person saw.
	give func(t *testing.T, p *runPlace, l *listener, message string) string
}

func outputOf(cmd *exec.Cmd) string {
	out, _ := cmd.CombinedOutput()
	return string(out)
}

var ways = []way{
	{"prompt", func(_ *testing.T, p *runPlace, _ *listener, message string) string {
		return outputOf(p.command(message))
	}},
	{"follow-up", func(_ *testing.T, p *runPlace, _ *listener, message string) string {
		return outputOf(p.command("--follow-up", message, "--follow-up", "and then", "hello"))
	}},
	{"piped line", func(_ *testing.T, p *runPlace, _ *listener, message string) string {
		cmd := p.command()
		cmd.Stdin = strings.NewReader("hello\n" + message + "\nand then\n")
		return outputOf(cmd)
	}},
	{"goal", func(_ *testing.T, p *runPlace, _ *listener, message string) string {
		cmd := p.command()
		cmd.Stdin = strings.NewReader("/goal " + message + "\n")
		return outputOf(cmd)
	}},
	{"steering", func(t *testing.T, p *runPlace, l *listener, message string) string {
		asked, answer := make(chan bool), make(chan bool)
		l.first = func() { close(asked); <-answer }
		x := startInTerminal(t, p.command())
		x.expect("> ")
		x.typeKeys("hello\n")
		<-asked
		x.typeKeys(message + "\n/yolo\n")
		x.expect("auto-approval is on") // so the line before it was taken
		close(answer)
		x.expect("\n> ")
		x.typeKeys("/exit\n")
		x.waitForExit()
		return x.text.String()
	}},
	{"answer to a question", func(t *testing.T, p *runPlace, l *listener, message string) string {
		l.call = `{"cmd":"touch it"}`
		x := startInTerminal(t, p.command())
		x.expect("> ")
		x.typeKeys("hello\n")
		x.expect("allow? ")
		x.typeKeys(message + "\n")
		x.expect("done")
		x.expect("> ")
		x.typeKeys("/exit\n")
		x.waitForExit()
		return x.text.String()
	}},
}

// A guardedPlace is one where a guard hears what a person says.
type guardedPlace struct {
	name   string
	secret pasted
	agent  string // what the agent file says beside the model
	setUp  func(t *testing.T, p *runPlace)
	masks  bool // it takes the secret out, and lets the rest pass
}

// approve approves all hooks of the place.
func (p *runPlace) approve(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(programs, "checkrein"), append([]string{"hooks", "approve"}, args...)...)
	cmd.Dir, cmd.Env = p.dir, p.command().Env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// installStarchild puts the starchild example into p, as its README describes.
func installStarchild(t *testing.T, p *runPlace) {
	t.Helper()
	if out, err := exec.Command("sh", filepath.Join("..", "..", "examples", "starchild", "install.sh"), p.dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.Remove(filepath.Join(p.dir, "checkrein.yaml")); err != nil { // one of the two, not both
		t.Fatal(err)
	}
	p.approve(t, "-c", "config/shell_hooks.yaml", "--all")
}

func (p *runPlace) writeConfig(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(p.dir, "home", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := built.WriteScript(path, text); err != nil {
		t.Fatal(err)
	}
}

var guardedPlaces = []guardedPlace{
	{name: "starchild security_guard.py", secret: pastedPhrase, setUp: installStarchild},
	{name: "security_guard pack", secret: pastedPhrase, setUp: func(t *testing.T, p *runPlace) {
		p.writeConfig(t, ".config/checkrein/checkrein.yaml", "version: 1\npacks: [security_guard]\n")
	}},
	{name: "default secrets pack", secret: pastedKey, masks: true},
	{name: "redact_secrets", secret: pastedKey, agent: "    redact_secrets: true\n", masks: true},
	{name: "Claude UserPromptSubmit", secret: pastedPhrase, setUp: func(t *testing.T, p *runPlace) {
		p.writeConfig(t, ".claude/settings.json", `{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"grep -q 'photo card baby' && { echo a seed phrase >&2; exit 2; } || true"}]}]}}`)
		p.writeConfig(t, ".config/checkrein/checkrein.yaml", "version: 1\ninclude: ["+filepath.Join(p.dir, "home", ".claude", "settings.json")+"]\n")
	}},
	{name: "HOOK.md before_agent", secret: pastedPhrase, setUp: func(t *testing.T, p *runPlace) {
		p.writeConfig(t, ".config/agents/hooks/phrases/HOOK.md", "---\nname: phrases\ndescription: holds back seed phrases\ntrigger: before_agent\n---\n")
		p.writeConfig(t, ".config/agents/hooks/phrases/scripts/run.sh", "#!/bin/sh\ngrep -q 'photo card baby' || exit 0\necho a seed phrase >&2\nexit 2\n")
	}},
	{name: "docker-agent's own events", secret: pastedPhrase, agent: `    hooks:
      user_prompt_submit: &guard [{type: builtin, command: secret_guard}]
      user_followup_submit: *guard
      user_steering_messages_submit: *guard
`},
}

// A secret that a person pastes never reaches the model, in whatever way it comes,
// nor the session that is kept; the person is told why.
func TestPastedSecretNeverReachesTheModel(t *testing.T) {
	t.Parallel()
	for _, g := range guardedPlaces {
		for _, w := range ways {
			if g.name == "docker-agent's own events" && w.name == "answer to a question" {
				continue // it has no event for these
			}
			t.Run(g.name+"/"+w.name, func(t *testing.T) {
				t.Parallel()
				l := &listener{}
				server := httptest.NewServer(l)
				defer server.Close()
				p := newRunPlace(t, "models: {local: {provider: openai, model: small, base_url: "+server.URL+"/v1, token_key: MODEL_KEY}}\n"+
					"agents:\n  root:\n    model: local\n    toolsets: [{type: shell}]\n"+g.agent)
				if g.setUp != nil {
					g.setUp(t, p)
				}
				saw := w.give(t, p, l, "my words: "+g.secret.text)
				if strings.Contains(l.received(), g.secret.text) {
					t.Errorf("the model heard %s", l.received())
				}
				if strings.Contains(l.received(), "my words: ") != g.masks {
					t.Errorf("of the rest the model heard %s", l.received())
				}
				if !g.masks && !strings.Contains(saw, "✗ user_") {
					t.Errorf("the person saw %s", saw)
				}
				if w.name == "follow-up" && g.name != "docker-agent's own events" && !strings.Contains(l.received(), "and then") {
					t.Errorf("the next message was not heard: %s", saw)
				}
				kept, _ := filepath.Glob(filepath.Join(p.dir, "home", ".local", "state", "checkrein", "runs", "*"))
				if len(kept) == 0 {
					t.Error("no session was kept")
				}
				for _, file := range kept {
					if data, err := os.ReadFile(file); err != nil || strings.Contains(string(data), g.secret.text) {
						t.Errorf("%s keeps it, or %v", file, err)
					}
				}
			})
		}
	}
}
