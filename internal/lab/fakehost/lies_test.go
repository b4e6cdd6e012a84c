package fakehost_test

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/fakehost"
	"github.com/checkrein/checkrein/internal/lab/fakehost/faketest"
)

// failedByLie maps each lie to what the host fails to do because of it. If a lie affected more, it
// could be detected for the wrong reason.
var failedByLie = map[fakehost.Lie][]string{
	fakehost.RunsDenied:         {"ask", "deny-edit", "deny-mcp", "deny-shell", "deny-subagent", "deny-write", "fault-hang", "fault-missing"},
	fakehost.RunsDeniedInSecret: {"ask", "deny-edit", "deny-mcp", "deny-shell", "deny-subagent", "deny-write", "fault-hang", "fault-missing"},
	fakehost.IgnoresOutput:      {"output-replaced"},
	fakehost.FiresLate:          {"ask", "deny-edit", "deny-mcp", "deny-shell", "deny-subagent", "deny-write", "fault-hang", "fault-missing", "rewrite"},
	fakehost.FiresForShell:      {"deny-edit", "deny-mcp", "deny-write", "seen"},
	fakehost.OtherVersion:       {"version"},
	fakehost.SkipsSubagents:     {"deny-subagent", "seen"},
	fakehost.SwallowsStop:       {"stop-blocked"},
	fakehost.IgnoresAsk:         nil, // without a terminal, checkrein denies what it would ask: see TestAsksAtTerminal
	fakehost.IgnoresRewrite:     {"rewrite"},
	fakehost.DropsContext:       {"context-call", "context-prompt", "context-result", "context-session"},
	fakehost.IgnoresPromptBlock: {"prompt-blocked"},
	fakehost.IgnoresExit:        {"fault-missing"},
	fakehost.Impatient:          {"fault-hang"},
	fakehost.FiresTwice:         {"once"},
	fakehost.Silent: {"ask", "context-call", "context-prompt", "context-result", "context-session", "deny-edit", "deny-mcp", "deny-shell",
		"deny-subagent", "deny-write", "fault-hang", "fault-missing", "output-replaced", "prompt-blocked", "rewrite", "seen", "stop-blocked"},
}

// testLie checks that a lie affects what failedByLie lists, and nothing else.
func testLie(t *testing.T, program, programs string, lie fakehost.Lie) {
	s := faketest.New(t, program, fakehost.Build{Lies: []fakehost.Lie{lie}})
	honoured := observe(t, s, installWithServer(t, s, programs), lie)
	if lie == fakehost.Impatient { // on a busy machine it gives up on any hook
		honoured = map[string]bool{"fault-hang": honoured["fault-hang"]}
	}
	var not []string
	for what, is := range honoured {
		if !is {
			not = append(not, what)
		}
	}
	slices.Sort(not)
	if !slices.Equal(not, failedByLie[lie]) {
		t.Errorf("not honoured: %q\nwant %q", not, failedByLie[lie])
	}
}

// observe runs the model's script and returns, by name, which things the host did right: what the
// model saw, what ran, and what the ledger has.
func observe(t *testing.T, s *faketest.Space, probe *pokeServer, lies ...fakehost.Lie) map[string]bool {
	t.Helper()
	res := s.Run(faketest.Run{Prompt: "please go", Script: workScript(s), Args: []string{"--allowedTools", "mcp__probe"}})
	if res.Exit != 0 || !strings.Contains(res.Stdout, "all is well") {
		t.Errorf("exit %d\nstdout: %s\nstderr: %s", res.Exit, res.Stdout, res.Stderr)
	}
	version, _, _ := s.Try("claude", "--version")
	version, _, _ = strings.Cut(version, " ")
	seen, once := ledgerHasCalls(t, s)
	testMisses(t, s, lies...)
	out := map[string]bool{
		"deny-shell":      !s.Exists("denied"),
		"deny-write":      !s.Exists("vault/key.txt"),
		"deny-edit":       s.Text("safe.c") == "int safe;\n",
		"deny-mcp":        !probe.called("poke-denied"),
		"deny-subagent":   !s.Exists("denied-in-sub"),
		"ask":             !s.Exists("asked"),
		"rewrite":         s.Exists("after") && !s.Exists("before"),
		"output-replaced": !res.Record.ModelSaw(secret),
		"stop-blocked":    res.Record.ModelSaw("Stop hook feedback:\n"),
		"fault-hang":      !s.Exists("hung"),
		"version":         res.Record.ModelSaw("cc_version=" + version + ";"),
		"seen":            seen,
		"once":            once,
	}
	for _, of := range []string{"session", "prompt", "call", "result"} {
		out["context-"+of] = res.Record.ModelSaw("context-of-" + of)
	}
	res = s.Run(faketest.Run{Prompt: "here are forbidden words"})
	out["prompt-blocked"] = len(res.Record) == 0
	if err := os.Remove(filepath.Join(s.Bin, "checkrein")); err != nil {
		t.Fatal(err)
	}
	s.Run(faketest.Run{Prompt: "please go", Script: mockmodel.Script{Turns: []mockmodel.Turn{{Calls: []mockmodel.Call{mockmodel.Shell("touch missing")}}}}})
	out["fault-missing"] = !s.Exists("missing")
	return out
}

// ledgerHasCalls reports whether the ledger has all calls in the transcripts, and whether it has none
// of them twice.
func ledgerHasCalls(t *testing.T, s *faketest.Space) (all, once bool) {
	t.Helper()
	asked := map[string]int{}
	if len(s.Transcripts()) == 0 {
		t.Fatal("no transcripts")
	}
	dec := json.NewDecoder(strings.NewReader(s.Checkrein("audit", "query", "--json", "--oldest", "-n", "1000")))
	for {
		var r record.Record
		err := dec.Decode(&r)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if r.Event == "pre_tool_use" && r.Tool != nil {
			asked[r.Tool.CallID]++
		}
	}
	all = true
	for _, path := range s.Transcripts() {
		calls, _ := readTranscript(t, path)
		for _, id := range calls {
			all = all && asked[id] > 0
		}
	}
	return all, !slices.ContainsFunc(slices.Collect(maps.Values(asked)), func(n int) bool { return n > 1 })
}
