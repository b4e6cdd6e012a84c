package checkreintest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/payload"
)

// A Session is one scripted session of an agent. The program under test runs the agent with the
// session's hooks and connects it to the session: it passes the requests to the model to Model, and
// runs commands with Shell.
//
// If the agent has its own model server and shell, the program calls Model for each request that the
// server gets, and lets the agent run its commands in Dir. The commands write to a file there that
// they ran.
//
// The methods are safe for concurrent use.
type Session struct {
	// Name is the scenario's name, such as "pre_tool_use/deny".
	Name string
	// Dir is the directory in which the agent works.
	Dir string
	// Prompt is the prompt of the person.
	Prompt string

	// Hooks and Handlers are for programs that embed checkrein.
	Hooks    []checkrein.Hook
	Handlers []checkrein.HandlerType
	// Config is a configuration file with the same hooks, for agents that start the
	// checkrein program. It is not in Dir.
	Config string

	scenario *scenario
	mu       sync.Mutex
	requests []string
	commands []string
	notices  []string
	events   []checkrein.Event // as the observing hooks got them
	asked    int
}

// A Reply is the model's answer to a request.
type Reply struct {
	Text    string
	Command string // a shell command that the model wants to run; "" = the turn is over
}

// maxRequests limits how many requests a session's model answers. Hooks make an agent go on at most
// three times.
const maxRequests = 20

// Model returns the model's reply to a request. request is everything that was sent to the model, as
// text in any format: the conversation with the system prompt, tool results and added context. Model
// panics if the agent does not stop.
func (s *Session) Model(request string) Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.requests = append(s.requests, request); len(s.requests) > maxRequests {
		panic(fmt.Sprintf("checkreintest: %s: the agent does not stop after %d requests; does each event have the session's ID?", s.Name, maxRequests))
	}
	if len(s.requests) == 1 && !s.scenario.noCall {
		command := commandFor(original)
		if s.scenario.fails {
			command += "; exit 1"
		}
		return Reply{Text: "I run a command.", Command: command}
	}
	return Reply{Text: "I am done."}
}

// Shell simulates a command of the model and returns its output. It starts no process. The error is not
// nil if the command fails, which is a failure of the tool.
func (s *Session) Shell(command string) (output string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commands = append(s.commands, command)
	if s.scenario.fails {
		err = errors.New("exit status 1")
	}
	return outputOf(wordOf(command)) + "\n", err
}

// Notify records a notice that the agent shows to the person.
func (s *Session) Notify(notice string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notices = append(s.notices, notice)
}

// Approve returns the person's answer when the agent asks whether a command may run.
func (s *Session) Approve(string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	return !s.scenario.refuse
}

// The words that the commands of a session print.
const (
	original  = "checkreintest-original"
	rewritten = "checkreintest-rewritten"
)

// ranFile is the file in Dir to which commands write that they ran.
const ranFile = "checkreintest-ran"

// commandFor returns a shell command that prints the output for word and writes it to ranFile. The
// output is not a part of the command, so that requests to the model show which of the two they
// contain.
func commandFor(word string) string { return "echo " + word + " | tr a-z A-Z | tee -a " + ranFile }

// wordOf returns the word for which commandFor returned the command.
func wordOf(command string) string {
	word, _, _ := strings.Cut(strings.TrimPrefix(command, "echo "), " ")
	return word
}

// outputOf returns the output of the command for word.
func outputOf(word string) string { return strings.ToUpper(word) }

// wordsRun returns the words of the commands that ran, with Shell or in the agent's own shell.
func (s *Session) wordsRun() []string {
	var out []string
	for _, c := range s.commands {
		out = append(out, wordOf(c))
	}
	file, _ := os.ReadFile(filepath.Join(s.Dir, ranFile))
	return append(out, strings.Fields(strings.ToLower(string(file)))...)
}

// eventsFile is the name of the file, beside Config, to which command hooks write the events that they
// get.
const eventsFile = "events"

// newSession returns a session for a scenario, with new temporary directories.
func newSession(t *testing.T, sc *scenario) *Session {
	t.Helper()
	s := &Session{Name: sc.name, Dir: t.TempDir(), Prompt: "Please run the command.", scenario: sc, Config: filepath.Join(t.TempDir(), "checkrein.yaml")}
	s.Hooks = []checkrein.Hook{{ID: "checkreintest", On: sc.on, Run: "checkreintest", Rewrites: true}}
	for _, kind := range sc.observe {
		s.Hooks = append(s.Hooks, checkrein.Hook{ID: "checkreintest-" + kind.String(), On: kind, Run: "checkreintest-observe"})
	}
	s.Handlers = []checkrein.HandlerType{
		{
			Name:   "checkreintest",
			New:    func(checkrein.Hook) (checkrein.Handler, error) { return checkrein.HandlerFunc(sc.handle), nil },
			Traits: func(*checkrein.Hook) checkrein.Traits { return checkrein.Traits{Rewrites: true} },
		},
		{
			Name: "checkreintest-observe",
			New:  func(checkrein.Hook) (checkrein.Handler, error) { return checkrein.HandlerFunc(s.handleObserved), nil },
		},
	}
	if err := os.WriteFile(s.Config, s.configFile(), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// handleObserved is the handler of the observing hooks: it records the event.
func (s *Session) handleObserved(_ context.Context, ev checkrein.Event) (checkrein.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, cloneEvent(ev))
	return checkrein.Answer{}, nil
}

// observedEvents returns the events that the observing hooks got, in this process or as commands.
func (s *Session) observedEvents() ([]checkrein.Event, error) {
	out := slices.Clone(s.events)
	text, _ := os.ReadFile(filepath.Join(filepath.Dir(s.Config), eventsFile))
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		ev, err := payload.ReadEvent(line, "")
		if err != nil {
			return nil, fmt.Errorf("an event that a hook got cannot be read: %w", err)
		}
		out = append(out, ev)
	}
	return out, nil
}

// handle is the handler of the session's hook: it answers with the scenario's verdict, or fails.
func (sc *scenario) handle(context.Context, checkrein.Event) (checkrein.Answer, error) {
	if sc.fault {
		return checkrein.Answer{}, errors.New("checkreintest: this hook fails on purpose")
	}
	return checkrein.Answer{Verdict: sc.verdict}, nil
}

// configFile returns a configuration file with the session's hooks. It is JSON, which is also YAML.
func (s *Session) configFile() []byte {
	sc, hooks := s.scenario, map[string][]any{}
	hook := map[string]any{"name": "checkreintest", "command": "printf '%s' '" + string(sc.commandOutput()) + "'"}
	if sc.fault {
		hook["command"], hook["gate"] = "exit 1", true
	}
	hooks[sc.on.String()] = append(hooks[sc.on.String()], hook)
	for _, kind := range sc.observe {
		file := "'" + filepath.Join(filepath.Dir(s.Config), eventsFile) + "'"
		hooks[kind.String()] = append(hooks[kind.String()], map[string]any{"name": "checkreintest-" + kind.String(), "command": "{ cat; echo; } >> " + file})
	}
	return encode(map[string]any{"version": 1, "hooks": hooks})
}

// commandOutput returns the output with which a command hook answers with the scenario's verdict.
func (sc *scenario) commandOutput() []byte {
	v, out := sc.verdict, map[string]any{}
	if v.Decision != checkrein.NoOpinion {
		out["decision"], out["reason"] = v.Decision, v.Reason
	}
	if len(v.Context) > 0 {
		out["additional_context"] = strings.Join(v.Context, "\n")
	}
	if v.Input != nil {
		out["updated_input"] = v.Input
	}
	if v.Output != nil {
		out["updated_output"] = v.Output
	}
	if len(v.Notice) > 0 {
		out["system_message"] = strings.Join(v.Notice, "\n")
	}
	if v.Halt {
		out["halt"] = true
	}
	return encode(out)
}

// encode returns v as one line of JSON.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // cannot happen: this package provides the values
	}
	return bytes.TrimSpace(b.Bytes())
}
