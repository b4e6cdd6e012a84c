package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/lab/proven"
)

// Excerpts of the commands' output.
const (
	evasionLines = `=== RUN   TestEvasions/first
    evasions_test.go:250: class                        [stopped undone harmless lost sent broken]
    evasions_test.go:255: archives                     [40 6 0 1 0 0]
    evasions_test.go:255:                              [400 16 0 3 1 0]
    evasions_test.go:230: of 420 rows 1.0 % lose or send something for good
=== RUN   TestEvasions/second
    evasions_test.go:255:                              [300 0 0 20 0 0]
    evasions_test.go:230: of 320 rows 6.2 % lose or send something for good
`
	verdictLines = `    verdicts_test.go:322: second, harmful: 714, none 35, ask 0, deny 679, wrong 35 (4.90 %)
      git                                      none   3 ask   0 deny   0 wrong 3
`
	secretLines = `family                      half      texts  right
held out, recall                      1200   1150   95.83 %
held out, false positives             800    2      0.25 %
`
	latencyLines = `go1.26.8, linux/amd64, 2 cores

| what | measured | must | ambition |
|---|---|---|---|
| a guard ÷ Go hello world | **3.00** (6.00 ms ÷ 2.00 ms; p90 7.00 ÷ 3.00) | – | – |
`
)

func TestReaders(t *testing.T) {
	for _, c := range []struct {
		name string
		got  string
		want []string
	}{
		{"evasions", readEvasions(evasionLines), []string{"| first | 420 | 400 | 16 | 0 | 3 | 1 | 1.0 % |", "| second | 320 | 300 | 0 | 0 | 20 | 0 | 6.2 % |"}},
		{"verdicts", readVerdicts(verdictLines), []string{"| second, harmful | 714 | 35 | 0 | 679 | 35 (4.90 %) |"}},
		{"secrets", readSecrets(secretLines), []string{"| held out, recall | 1200 | 1150 | 95.83 % |", "| held out, false positives | 800 | 2 | 0.25 % |"}},
		{"latency", readLatency(latencyLines), []string{"Measured with go1.26.8, linux/amd64, 2 cores.", "| a guard ÷ Go hello world | **3.00** (6.00 ms ÷ 2.00 ms; p90 7.00 ÷ 3.00) |\n"}},
	} {
		for _, want := range c.want {
			if !strings.Contains(c.got, want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, c.got)
			}
		}
	}
}

func TestPage(t *testing.T) {
	all := []proven.Build{{Host: "claude", Title: "Claude Code", Version: "9.9.9", Proven: time.Date(2026, 11, 17, 0, 0, 0, 0, time.UTC), Took: 41.6,
		Rows: map[capability.Row]capability.Result{capability.Ask: capability.NotHonoured, capability.DenyMCP: capability.NotShown}, Said: map[capability.Row]string{capability.Ask: "it ran", capability.DenyMCP: "no such tool"}}}
	text := renderPage(all, output{section: hostsSection, text: "SKIPPED TestHostProve/codex: npm has no such package\n", at: all[0].Proven}, []output{
		{section: sections[1], text: "one\nit went wrong", failed: errors.New("exit status 1"), at: all[0].Proven},
		{section: sections[2], text: "nothing of use", load: "9.00, 8.00", at: all[0].Proven},
	})
	for _, want := range []string{
		"| row | Claude Code 9.9.9 |\n|---|---|\n| proven on | 2026-11-17 |\n| seconds taken | 42 |\n", "| `ask` | not honoured |\n",
		"- Claude Code 9.9.9, `deny-mcp`, not shown: no such tool.\n", "- Claude Code 9.9.9, `ask`, not honoured: it ran.\n",
		"- codex was not run, so this is its last proof: npm has no such package.\n",
		"Not shown: the command did not end well, and its last line was `it went wrong`.",
		"```sh\ngo run ./internal/lab/secretcorpus/score\n```", "Not shown: the command printed no figures.", "The load average before and after was 9.00, 8.00;",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
