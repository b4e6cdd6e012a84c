package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/sampled"
)

// openingsData are ordinary programs that run, write, send or read by an option, a
// setting, a line that they are fed or a file: see its README.
const openingsData = "../../internal/shell/classify/testdata/openings"

// An openingCase is one command of them.
type openingCase struct {
	Program  string `json:"program"`
	Function string `json:"function"`
	Command  string `json:"command"`
	Want     string `json:"want"` // stop, open or pass
	Left     string `json:"left"` // why it is not what it should be
}

// TestVerdictsOpenings judges the public list of such programs: what carries a
// command, a file or a secret is stopped as that command, file or secret would be.
func TestVerdictsOpenings(t *testing.T) {
	data, err := os.ReadFile(openingsData + "/rows.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var cases []openingCase
	for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var c openingCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatalf("%d: %v", i+1, err)
		}
		cases = append(cases, c)
	}
	p := newVerdictPlace(t)
	type count struct{ all, right, open int }
	var mu sync.Mutex
	by := map[string]*count{}
	work := make(chan *openingCase)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for c := range work {
				got, reply := p.heard("claude", p.shellCall("claude", "", p.here(c.Command)))
				label := p.label(t, p.here(c.Command))
				right := false
				switch c.Want {
				case "stop":
					right = got == "ask" || got == "deny"
				case "open":
					right = label != "safe"
				case "pass":
					right = got == "none"
				}
				mu.Lock()
				n := by[c.Function]
				if n == nil {
					n = &count{}
					by[c.Function] = n
				}
				n.all++
				if right {
					n.right++
				}
				if label != "safe" {
					n.open++
				}
				mu.Unlock()
				switch {
				case !right && c.Left == "":
					t.Errorf("[%s] %s and %s, want %s: %s\n\t%s", c.Function, got, label, c.Want, c.Command, strings.TrimSpace(reply))
				case right && c.Left != "":
					t.Errorf("[%s] is what it should be, so it is not left any more: %s", c.Function, c.Command)
				case label == "safe" && c.Left == "" && c.Want != "pass":
					t.Errorf("[%s] is called safe: %s", c.Function, c.Command)
				}
			}
		})
	}
	for _, c := range sampled.Rows(cases, 3) {
		work <- &c
	}
	close(work)
	wg.Wait()
	for f, n := range by {
		t.Logf("%-20s %4d, right %4d (%.1f %%), not safe %4d", f, n.all, n.right, 100*float64(n.right)/float64(n.all), n.open)
	}
}

// TestVerdictsOpeningsUnused judges the same programs where nothing of it is used.
func TestVerdictsOpeningsUnused(t *testing.T) {
	data, err := os.ReadFile(openingsData + "/unused.txt")
	if err != nil {
		t.Fatal(err)
	}
	var cases []verdictCase
	for line := range strings.Lines(string(data)) {
		cases = append(cases, verdictCase{Class: "unused", Command: strings.TrimSpace(line)})
	}
	if judgeAll(newVerdictPlace(t), "codex", cases, touched).report(t, "unused", len(cases)) > 0 {
		t.Error("harmless calls are touched")
	}
}
