package fakehost_test

import (
	"os"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/checkreintest"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/fakehost"
	"github.com/checkrein/checkrein/internal/lab/fakehost/faketest"
)

// TestScenarios checks that an honest agent with checkrein passes the public conformance kit. It runs
// headless, so that no question is approved.
func TestScenarios(t *testing.T) {
	t.Parallel()
	program, programs := faketest.Program(t), faketest.Checkrein(t)
	checkreintest.TestRuntime(t, func(t *testing.T, s *checkreintest.Session) {
		runScenario(t, s, faketest.New(t, program, fakehost.Build{}), programs)
	}, "pre_tool_use/ask-approved",
		"before_llm_call/halt",       // there is no such event
		"pre_tool_use/notice",        // the test does not see the terminal
		"pre_tool_use/obligation",    // answers of commands have none
		"post_tool_use_failure/deny", // the agent ignores it
	)
}

// TestLyingScenario checks that an agent that runs denied calls fails the conformance kit.
func TestLyingScenario(t *testing.T) {
	t.Parallel()
	s := checkreintest.NewSession(t, "pre_tool_use/deny")
	runScenario(t, s, faketest.New(t, faketest.Program(t), fakehost.Build{Lies: []fakehost.Lie{fakehost.RunsDenied}}), faketest.Checkrein(t))
	if s.Check() == nil {
		t.Error("an agent that runs denied calls passes")
	}
}

// runScenario runs one turn of the agent with the hooks of a session.
func runScenario(t *testing.T, s *checkreintest.Session, space *faketest.Space, programs string) {
	t.Helper()
	space.Install(programs)
	config, err := os.ReadFile(s.Config)
	if err != nil {
		t.Fatal(err)
	}
	space.Write(space.Home, map[string]string{".config/checkrein/checkrein.yaml": string(config)})
	s.Dir = space.Project
	space.Run(faketest.Run{Prompt: s.Prompt, Script: mockmodel.Script{Choose: func(q mockmodel.Request) mockmodel.Turn {
		reply := s.Model(strings.Join(q.Texts(), "\n"))
		if reply.Command == "" {
			return mockmodel.Turn{}
		}
		return mockmodel.Turn{Calls: []mockmodel.Call{mockmodel.Shell(reply.Command)}}
	}}})
}
