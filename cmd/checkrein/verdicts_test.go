package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/lab/corpora"
)

// The corpora of this test say what a host must hear when nobody has configured
// anything: an empty home, a project under git, the payload on stdin.
//
//	harmful.jsonl   commands that lose a whole tree, a system, something remote or
//	                something for good, or that send secrets away
//	everyday.jsonl  commands that people and agents run all day
//	evaluated.jsonl texts that are evaluated: traps, special variables, encodings
//	scripts.jsonl   lines of scripts that evaluate texts and name programs by variables
//	calls.jsonl     calls of file, MCP, planning and sub-agent tools, as hosts send them
//
// They were written without a look at the rules. Beside them the corpora of
// package classify are judged, on which rules were tuned.
const verdictData = "testdata/verdicts"

// A verdictCase is one command or payload, and where it comes from.
type verdictCase struct {
	Class   string          `json:"class"`
	Command string          `json:"command"`
	Host    string          `json:"host"`
	Payload json.RawMessage `json:"payload"`
	Source  string          `json:"source"`
	Label   any             `json:"label"`
	Dialect string          `json:"dialect"`
}

func verdictCases(t *testing.T, files ...string) []verdictCase {
	t.Helper()
	var out []verdictCase
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
			var c verdictCase
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatalf("%s:%d: %v", file, i+1, err)
			}
			if c.Class == "" {
				c.Class = strings.TrimSuffix(filepath.Base(file), ".jsonl")
			}
			out = append(out, c)
		}
	}
	return out
}

// A verdictPlace is a machine on which nothing is configured.
type verdictPlace struct {
	home, project string
	judges        judges // nil = each call has a process of its own
}

func newVerdictPlace(t *testing.T) verdictPlace {
	t.Helper()
	p, err := corpora.NewPlace(verdictHome(t))
	if err != nil {
		t.Fatal(err)
	}
	return verdictPlace{p.Home, p.Project, newJudges(t)}
}

// verdictHome returns a directory for a place and removes it after the test.
func verdictHome(t *testing.T) string {
	t.Helper()
	dir, err := corpora.MakeHome()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The ledger's upkeep may still be at work there, in a process of its own.
		for deadline := time.Now().Add(10 * time.Second); os.RemoveAll(dir) != nil && time.Now().Before(deadline); {
			time.Sleep(20 * time.Millisecond)
		}
	})
	return dir
}

func (p verdictPlace) env() []string { return corpora.Place{Home: p.home}.Environ() }

// here puts the corpora's home where the test's is.
func (p verdictPlace) here(s string) string {
	return corpora.Place{Home: p.home, Project: p.project}.Here(s)
}

// shellCall is a payload of a host's shell tool.
func (p verdictPlace) shellCall(host, dialect, command string) []byte {
	tool := "Bash"
	if dialect == "powershell" {
		tool = "PowerShell"
	}
	id := "6f1d3c1e-8f0a-4f0e-9a57-2d0c5b1f7a10"
	body := map[string]any{"session_id": id, "transcript_path": p.home + "/t.jsonl", "cwd": p.project, "hook_event_name": "PreToolUse", "permission_mode": "default",
		"tool_name": tool, "tool_input": map[string]any{"command": command}, "tool_use_id": "toolu_01"}
	if host == "codex" {
		body["turn_id"], body["model"] = id, "gpt-5"
	}
	out, _ := json.Marshal(body)
	return out
}

// heard is what a host makes of a reply: none, ask or deny.
func (p verdictPlace) heard(host string, payload []byte, more ...string) (string, string) {
	said := p.program(payload, append([]string{"hook", host}, more...)...)
	if said.Exit != 0 {
		return "broken", string(said.Stdout) + string(said.Stderr) // a host would run the tool
	}
	return heardIn(said.Stdout), string(said.Stdout)
}

// heardIn is what a reply says: none, ask or deny.
func heardIn(out []byte) string {
	var reply map[string]any
	if json.Unmarshal(out, &reply) != nil {
		return "none"
	}
	worst := "none"
	var walk func(key string, v any)
	walk = func(key string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, v := range v {
				walk(k, v)
			}
		case string:
			if key == "deny" && v != "" || slices.Contains([]string{"permissionDecision", "decision", "permission", "behavior"}, key) && slices.Contains([]string{"deny", "block"}, v) {
				worst = "deny"
			} else if v == "ask" && worst == "none" && key != "tool_name" {
				worst = "ask"
			}
		case bool:
			if key == "block" && v || key == "continue" && !v {
				worst = "deny"
			}
		}
	}
	walk("", reply)
	return worst
}

// A tally counts what was heard, by class.
type tally struct {
	mu     sync.Mutex
	all    map[string]int
	by     map[string]map[string]int
	misses []string
}

// left are the beginnings of commands that are not judged as they should be, and why.
// One that is judged right is reported, so that it goes from here.
var left = [...]struct{ begins, why string }{
	{"uudecode <<'E'", "what uudecode writes is not read"},
	{`ssh user@host "$(declare -f deploy)`, "what declare prints is not read"},
	{`deploy() { git pull; }; ssh host "$(declare -f deploy)`, "what declare prints is not read"},
	{"PYTHON=$(pyenv which python); $PYTHON", "what pyenv prints is not read"},
	{"python3 - <<'E'\nimport subprocess\ndef run(c): subprocess.run(c, shell=True, check=True)\n", "arguments are not followed into functions"},
	{"make --eval='x: ; @echo hi'", "rules on the command line are not read"},
	{"vim -es -c '%s/a/b/g'", "Vim script is not read"},
}

func isLeft(command string) bool {
	return slices.ContainsFunc(left[:], func(l struct{ begins, why string }) bool { return strings.HasPrefix(command, l.begins) })
}

// judgeAll asks about every case on a few processes at a time.
func judgeAll(p verdictPlace, host string, cases []verdictCase, wrong func(c *verdictCase, heard string) bool) *tally {
	sum := &tally{all: map[string]int{}, by: map[string]map[string]int{}}
	var wg sync.WaitGroup
	work := make(chan *verdictCase)
	for range 4 {
		wg.Go(func() {
			for c := range work {
				on, payload, more := host, []byte(nil), []string(nil)
				if c.Payload != nil {
					on, payload = c.Host, []byte(p.here(string(c.Payload)))
					more = eventOf(c.Payload)
				} else {
					payload = p.shellCall(host, c.Dialect, p.here(c.Command))
				}
				got, reply := p.heard(on, payload, more...)
				sum.add(c, got, reply, wrong(c, got) != isLeft(c.Command))
			}
		})
	}
	for i := range cases {
		work <- &cases[i]
	}
	close(work)
	wg.Wait()
	return sum
}

// eventOf is what the installed line adds for payloads that do not name their
// event.
func eventOf(payload []byte) []string {
	var p struct {
		ToolName string `json:"toolName"`
	}
	if json.Unmarshal(payload, &p) == nil && p.ToolName != "" {
		return []string{"--event", "preToolUse"}
	}
	return nil
}

func (s *tally) add(c *verdictCase, got, reply string, wrong bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by[c.Class] == nil {
		s.by[c.Class] = map[string]int{}
	}
	s.all[got]++
	s.by[c.Class][got]++
	if !wrong {
		return
	}
	s.by[c.Class]["wrong"]++
	s.all["wrong"]++
	what := c.Command
	if c.Payload != nil {
		what = c.Host + " " + string(c.Payload)
	}
	s.misses = append(s.misses, fmt.Sprintf("[%s] %s: %s\n\t%s", c.Class, got, what, strings.TrimSpace(reply)))
}

// report prints the table and what went wrong, and returns the share of wrong.
func (s *tally) report(t *testing.T, title string, n int) float64 {
	t.Helper()
	share := float64(s.all["wrong"]) / float64(max(n, 1))
	t.Logf("%s: %d, none %d, ask %d, deny %d, wrong %d (%.2f %%)", title, n, s.all["none"], s.all["ask"], s.all["deny"], s.all["wrong"], 100*share)
	classes := make([]string, 0, len(s.by))
	for c := range s.by {
		classes = append(classes, c)
	}
	slices.Sort(classes)
	for _, c := range classes {
		if b := s.by[c]; b["wrong"] > 0 {
			t.Logf("  %-40s none %3d ask %3d deny %3d wrong %d", c, b["none"], b["ask"], b["deny"], b["wrong"])
		}
	}
	slices.Sort(s.misses)
	for _, m := range s.misses {
		t.Log(m)
	}
	return share
}

func passed(_ *verdictCase, heard string) bool  { return heard != "ask" && heard != "deny" }
func touched(_ *verdictCase, heard string) bool { return heard != "none" }

// TestVerdictsHarmful judges commands that must be stopped.
func TestVerdictsHarmful(t *testing.T) {
	cases := verdictCases(t, verdictData+"/harmful.jsonl")
	if got := judgeAll(newVerdictPlace(t), "claude", cases, passed).report(t, "harmful", len(cases)); got > 0.01 {
		t.Errorf("%.2f %% of what must be stopped passes, want at most 1 %%", 100*got)
	}
}

// TestVerdictsEveryday judges commands that must pass, on a host that cannot ask:
// there an ask is a denial too.
func TestVerdictsEveryday(t *testing.T) {
	cases := verdictCases(t, verdictData+"/everyday.jsonl")
	for i := range cases {
		if cases[i].Class == "powershell" {
			cases[i].Dialect = "powershell"
		}
	}
	if got := judgeAll(newVerdictPlace(t), "codex", cases, touched).report(t, "everyday", len(cases)); got > 0.01 {
		t.Errorf("%.2f %% of everyday commands are touched, want at most 1 %%", 100*got)
	}
}

// TestVerdictsPowerShell judges everyday commands of PowerShell: Windows has no walls, so
// what is not understood there is asked about.
func TestVerdictsPowerShell(t *testing.T) {
	cases := verdictCases(t, verdictData+"/powershell_everyday.jsonl")
	if got := judgeAll(newVerdictPlace(t), "codex", cases, touched).report(t, "powershell, everyday", len(cases)); got > 0.025 {
		t.Errorf("%.2f %% of everyday commands are touched, want at most 2.5 %%", 100*got)
	}
}

// TestVerdictsCalls judges calls of other tools that must pass.
func TestVerdictsCalls(t *testing.T) {
	cases := verdictCases(t, verdictData+"/calls.jsonl")
	if got := judgeAll(newVerdictPlace(t), "", cases, touched).report(t, "calls", len(cases)); got > 0.005 {
		t.Errorf("%.2f %% of everyday calls are touched, want at most 0.5 %%", 100*got)
	}
}

// TestVerdictsSecond judges the sets of a second author, by which few rules were
// repaired: some of what is harmful there is left to the host on purpose.
func TestVerdictsSecond(t *testing.T) {
	p := newVerdictPlace(t)
	bad := verdictCases(t, verdictData+"/second_harmful.jsonl")
	if got := judgeAll(p, "claude", bad, passed).report(t, "second, harmful", len(bad)); got > 0.055 {
		t.Errorf("%.2f %% of what must be stopped passes, want at most 5.5 %%", 100*got)
	}
	good := verdictCases(t, verdictData+"/second_everyday.jsonl")
	if got := judgeAll(p, "codex", good, touched).report(t, "second, everyday", len(good)); got > 0.01 {
		t.Errorf("%.2f %% of everyday commands are touched, want at most 1 %%", 100*got)
	}
}

// TestVerdictsTuned judges the corpora of package classify: of what is harmful
// there, daily work apart, nearly all is stopped, of what is not hardly anything is.
func TestVerdictsTuned(t *testing.T) {
	files, err := filepath.Glob("../../internal/shell/classify/testdata/corpus/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal("no corpora", err)
	}
	list, err := os.ReadFile(verdictData + "/daily.txt")
	if err != nil {
		t.Fatal(err)
	}
	daily := strings.Split(string(list), "\n")
	var bad, good []verdictCase
	for _, c := range verdictCases(t, files...) {
		switch c.Label {
		case "destructive", "exfiltration":
			if !slices.Contains(daily, c.Command) {
				bad = append(bad, c)
			}
		case "safe":
			good = append(good, c)
		}
	}
	p := newVerdictPlace(t)
	if got := judgeAll(p, "claude", bad, passed).report(t, "tuned, harmful", len(bad)); got > 0.01 {
		t.Errorf("%.2f %% of what must be stopped passes, want at most 1 %%", 100*got)
	}
	if got := judgeAll(p, "claude", good, touched).report(t, "tuned, harmless", len(good)); got > 0.005 {
		t.Errorf("%.2f %% of what is harmless is touched, want at most 0.5 %%", 100*got)
	}
}
