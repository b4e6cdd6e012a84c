package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval/grant"
)

// newCourt is a gatehouse whose judge denies, which a person has confirmed.
func newCourt(t *testing.T, config string) *gatehouse {
	t.Helper()
	g := newGatehouse(t, config)
	script := `{"steps": [{"text": "{\"decision\": \"deny\", \"reason\": \"nobody knows it\"}", "cost": 0.001}]}`
	if err := os.WriteFile(filepath.Join(g.home, ".config/checkrein/deny.json"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	k, err := app.Open(app.Options{Dir: filepath.Join(g.home, "p"), State: filepath.Join(g.home, "state", "checkrein"), Managed: app.NoManaged, Environ: g.environ()})
	if err == nil {
		err = k.Confirm()
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Of many processes that would ask the judge at the same time no more do than the budget
// of the session has, and one of them tells that it is spent.
func TestJudgeBudgetRace(t *testing.T) {
	t.Parallel()
	g := newCourt(t, "version: 1\njudge: {model: scripted/deny.json, calls: 5}\n")
	said := make([]string, 16)
	var wait sync.WaitGroup
	for i := range said {
		wait.Add(1)
		go func() {
			defer wait.Done()
			_, said[i] = g.ask("PreToolUse", fmt.Sprint("frobnicate ", i), fmt.Sprint("c", i))
		}()
	}
	wait.Wait()
	judged, told := 0, 0
	for _, text := range said {
		judged += strings.Count(text, "the judge scripted/deny.json: nobody knows it")
		told += strings.Count(text, "it is not asked again in this session")
	}
	if judged != 5 || told != 1 {
		t.Errorf("%d were judged, %d told that nothing is left:\n%s", judged, told, strings.Join(said, "\n"))
	}
}

// What the judge denies a person can allow, and nothing else with it.
func TestJudgeGrant(t *testing.T) {
	t.Parallel()
	g := newCourt(t, "version: 1\njudge: {model: scripted/deny.json}\n")
	passes, said := g.ask("PreToolUse", "frobnicate 1", "c1")
	if passes {
		t.Fatalf("not denied: %s", said)
	}
	g.allow(said, grant.Session)
	if passes, said := g.ask("PreToolUse", "frobnicate 1", "c2"); !passes {
		t.Errorf("allowed, and denied: %s", said)
	}
	if passes, said := g.ask("PreToolUse", "frobnicate 2", "c3"); passes {
		t.Errorf("another call passes: %s", said)
	}
}

// Whatever goes wrong with the judge, a question stays a question, what nobody decided
// stays so, and the person is told once.
func TestJudgeFaults(t *testing.T) {
	t.Parallel()
	const allow = `{\"decision\": \"allow\", \"reason\": \"fine\"}`
	for name, step := range map[string]string{
		"two objects":  `{"text": "` + allow + `\n` + allow + `"}`,
		"wrong schema": `{"text": "{\"verdict\": \"allow\"}"}`,
		"wrong type":   `{"text": "{\"decision\": true, \"reason\": \"fine\"}"}`,
		"another word": `{"text": "{\"decision\": \"permit\", \"reason\": \"fine\"}"}`,
		"nested":       `{"text": "{\"answer\": ` + allow + `}"}`,
		"empty":        `{"text": ""}`,
		"prose":        `{"text": "I allow it."}`,
		"calls a tool": `{"text": "` + allow + `", "tool_calls": [{"name": "shell", "arguments": {"cmd": "ls"}}]}`,
		"down":         `{"error": "connection refused"}`,
		"hangs":        `{"error": "hang"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newCourt(t, "version: 1\njudge: {model: scripted/deny.json, timeout: 3}\n")
			if err := os.WriteFile(filepath.Join(g.home, ".config/checkrein/deny.json"), []byte(`{"steps": [`+step+`]}`), 0o600); err != nil {
				t.Fatal(err)
			}
			passes, said := g.ask("PreToolUse", `eval "$X"`, "c1")
			if passes || !strings.Contains(said, "the user was not asked") || !strings.Contains(said, "could not judge a call") {
				t.Errorf("the question: %s", said)
			}
			if passes, said := g.ask("PreToolUse", "frobnicate", "c2"); !passes || strings.Contains(said, "could not judge") {
				t.Errorf("what nobody decided: %s", said)
			}
		})
	}
}
