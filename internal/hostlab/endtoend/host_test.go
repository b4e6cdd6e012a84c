package endtoend

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/hostlab"
	"github.com/checkrein/checkrein/internal/hostlab/hosttest"
	"github.com/checkrein/checkrein/internal/install"
	"github.com/checkrein/checkrein/internal/mockmodel"
	"github.com/checkrein/checkrein/internal/record"
)

// config has a hook for each thing that a host may honour. The packs are those
// that are on without a word. HOME and PROJECT stand for these folders.
const config = `version: 1
hooks:
  session_start:
    - {type: rule, name: greet, context: context-of-session}
  user_prompt_submit:
    - {type: rule, name: careful, if: {prompt: {contains: forbidden words}}, decision: deny, reason: such words are not for models, notice: note-of-prompt}
    - {type: rule, name: hint, context: context-of-prompt}
  pre_tool_use:
    - {type: rule, name: mend, if: {command: {is: touch before}}, patch: {command: touch after}}
    - {type: rule, name: advise, if: {command: {prefix: touch}}, context: context-of-call, notice: note-of-call}
    - {type: rule, name: vault, if: {paths: {under: PROJECT/vault}}, decision: deny, reason: the vault is closed, notice: note-of-write}
  tool_response_transform:
    - {name: redact, command: [node, HOME/redact.js]}
  post_tool_use:
    - {type: rule, name: comment, context: context-of-result, notice: note-of-result}
  stop:
    - {name: tests, command: 'echo the tests are red >&2; exit 2'}
`

// redact is a hook that changes the output wherever the secret stands in it.
const redact = `const e = JSON.parse(require("fs").readFileSync(0, "utf8"))
const was = JSON.stringify(e.tool_response), is = was.replace(/ghp_\w+/g, "[REDACTED]")
if (is !== was) console.log('{"updated_output":' + is + '}')
`

// TestHostEndToEnd runs each host four times: at work, with a prompt that
// is blocked, with a question, and with one thing after another broken.
func TestHostEndToEnd(t *testing.T) {
	hosttest.New(t) // skips before anything is built
	programs := build(t)
	for _, f := range facts() {
		t.Run(f.host, func(t *testing.T) {
			t.Run("work", func(t *testing.T) { testWork(t, programs, f) })
			t.Run("faults", func(t *testing.T) { testFaults(t, programs, f) })
		})
	}
}

func testWork(t *testing.T, programs string, f fact) {
	w := newWorld(t, programs, f.host)
	w.configure(strings.NewReplacer("HOME", w.Home, "PROJECT", w.Project).Replace(config))
	secret := "ghp_" + (rand.Text() + rand.Text())[:36]
	w.files(w.Home, map[string]string{"Documents/thesis.txt": "ten years of work\n", "redact.js": redact})
	w.files(w.Project, map[string]string{"notes.txt": "token " + secret + " is here\n", "src/main.c": "int main;\n"})
	res := w.Run(hostlab.Run{Prompt: "please go", Script: script(
		mockmodel.Shell("rm -rf ~/Documents"),
		mockmodel.Shell("touch before"),
		mockmodel.Shell("cat notes.txt"),
		mockmodel.Write(filepath.Join(w.Project, "vault", "key.txt"), "mine\n"),
		f.read(filepath.Join(w.Project, "notes.txt")),
	)})
	if res.Exit != 0 || !strings.Contains(res.Stdout, "all is well") {
		t.Errorf("exit %d, want 0 and the model's last word\nstdout: %s\nstderr: %s", res.Exit, res.Stdout, res.Stderr)
	}
	seen := w.ledger()
	w.checkDeny(res)
	w.checkWrite(res)
	w.checkRewrite(f, seen)
	w.checkContext(f, res)
	w.checkNotices(f, res, seen, "call", "write", "result")
	w.checkRedo(f, res, seen)
	w.checkRedaction(res, secret)
	w.checkRecords(f, seen)
	w.checkStatus()

	res = w.Run(hostlab.Run{Prompt: "here are forbidden words for you"})
	w.checkPrompt(f, res)
	w.checkNotices(f, res, w.ledger(), "prompt")

	w.configure("version: 1\n")
	res = w.Run(hostlab.Run{Prompt: "please go", Script: script(mockmodel.Shell("rm -rf ./src"))})
	w.checkAsk(f, res)
}

// script has the model make calls, one after another.
func script(calls ...mockmodel.Call) mockmodel.Script {
	s := mockmodel.Script{Final: "all is well"}
	for _, c := range calls {
		s.Turns = append(s.Turns, mockmodel.Turn{Calls: []mockmodel.Call{c}})
	}
	return s
}

// checkDeny looks at a denial of the default packs: the command did not run,
// and the model knows why.
func (w *world) checkDeny(res hostlab.Result) {
	if !w.there(filepath.Join(w.Home, "Documents", "thesis.txt")) {
		w.t.Error("deny: the command ran")
	}
	if told, ok := res.Record.Result(0, 0); !ok || !strings.Contains(told.Text, "checkrein blocked rm -rf ~/Documents: deletes files in the home directory") || !strings.Contains(told.Text, "checkrein allow ") {
		w.t.Errorf("deny: the model was told %q, want the reason", told.Text)
	}
}

// checkWrite looks at a denial by path, of whatever tool the host writes files
// with.
func (w *world) checkWrite(res hostlab.Result) {
	if w.exists("vault") {
		w.t.Error("write: the file was written")
	}
	if told, ok := res.Record.Result(3, 0); !ok || !strings.Contains(told.Text, "the vault is closed") {
		w.t.Errorf("write: the model was told %q, want the reason", told.Text)
	}
}

// checkAsk looks at what the default packs want a person to be asked about, when
// there is none: it did not happen, and somebody knows why.
func (w *world) checkAsk(f fact, res hostlab.Result) {
	if !w.exists("src/main.c") {
		w.t.Error("ask: the command ran")
	}
	told, _ := res.Record.Result(0, 0)
	if f.prints {
		told.Text += res.Stderr
	}
	if !strings.Contains(told.Text, "rm -rf ./src: deletes project files [") {
		w.t.Errorf("ask: told %q\nstdout: %s\nstderr: %s", told.Text, res.Stdout, res.Stderr)
	}
}

// checkStatus wants a host that works to be said to.
func (w *world) checkStatus() {
	var report struct {
		Hosts []install.Report `json:"hosts"`
	}
	if err := json.Unmarshal([]byte(w.checkrein("status", w.name, "--json")), &report); err != nil || len(report.Hosts) != 1 {
		w.t.Fatalf("status: %v, %+v", err, report)
	}
	h := report.Hosts[0]
	if len(h.Problems) > 0 || h.Seen.Count == 0 || h.Enabled == nil || h.Enabled.State != install.Yes ||
		h.Trusted == nil || h.Trusted.State != install.Yes && h.Trusted.State != install.NotNeeded {
		w.t.Errorf("status: %+v, enabled %+v, trusted %+v", h, h.Enabled, h.Trusted)
	}
}

// checkRewrite looks at a call that a hook rewrote: it ran rewritten, or the
// ledger and the person know that it did not.
func (w *world) checkRewrite(f fact, seen []record.Record) {
	if w.exists("after") != f.rewrites || w.exists("before") == f.rewrites {
		w.t.Errorf("rewrite: the rewritten call ran: %v, the original: %v; the host rewrites: %v", w.exists("after"), w.exists("before"), f.rewrites)
	}
	dropped := slices.ContainsFunc(seen, func(r record.Record) bool {
		return slices.ContainsFunc(r.Dropped, func(d record.Dropped) bool { return d.Effect == "rewrite_input" }) &&
			strings.Contains(said(r), "a hook wanted to rewrite the call")
	})
	if dropped == f.rewrites {
		w.t.Errorf("rewrite: recorded and told as dropped: %v; the host rewrites: %v", dropped, f.rewrites)
	}
}

func (w *world) checkContext(f fact, res hostlab.Result) {
	for _, of := range []string{"session", "prompt", "call", "result"} {
		want := !slices.Contains(f.noContext, of)
		if saw := res.Record.Saw("context-of-" + of); saw != want {
			w.t.Errorf("context: the model saw that of the %s: %v, want %v", of, saw, want)
		}
	}
}

// checkNotices looks at what hooks tell the person beside their verdicts: the
// host was told, in a way that cost nothing else, and the model was not.
func (w *world) checkNotices(f fact, res hostlab.Result, seen []record.Record, about ...string) {
	for _, of := range about {
		note := "note-of-" + of
		if !slices.ContainsFunc(seen, func(r record.Record) bool { return strings.Contains(said(r), note) }) {
			w.t.Errorf("notice: the host was not given %s", note)
		}
		if res.Record.Saw(note) {
			w.t.Errorf("notice: the model saw %s", note)
		}
		if f.prints && !strings.Contains(res.Stderr, note) {
			w.t.Errorf("notice: the person was not shown %s\nstderr: %s", note, res.Stderr)
		}
	}
}

// checkRedo looks at a stop that a hook always blocks: the agent went on three
// times, each time told which it was, and then stopped. A host without such a
// thing stopped at once. Either way the person knows.
func (w *world) checkRedo(f fact, res hostlab.Result, seen []record.Record) {
	calls, attempts, told := 5, 3, "the agent may stop even though a hook objects"
	if f.noStop {
		attempts, told = 0, "a hook tried to block stop"
	}
	if n := len(res.Record.Turns()); n != calls+1+attempts {
		w.t.Errorf("redo: %d turns, want %d calls, a last word and %d more of it", n, calls, attempts)
	}
	for i := 1; i <= 4; i++ {
		if saw := res.Record.Saw(fmt.Sprintf("the tests are red\n(attempt %d of 3)", i)); saw != (i <= attempts) {
			w.t.Errorf("redo: the model was told of attempt %d: %v", i, saw)
		}
	}
	if f.prints && !strings.Contains(res.Stderr, told) {
		w.t.Errorf("redo: the person was not told\nstderr: %s", res.Stderr)
	}
	stops := slices.DeleteFunc(slices.Clone(seen), func(r record.Record) bool { return r.Event != "stop" })
	if len(stops) != attempts+1 || !strings.Contains(said(stops[len(stops)-1]), told) {
		w.t.Errorf("redo: the last of %d stops is not recorded with %q", len(stops), told)
	}
}

// said is what the host was told.
func said(r record.Record) string {
	var b strings.Builder
	if r.Reply != nil {
		for _, p := range []*record.Part{r.Reply.Stdout, r.Reply.Stderr} {
			if p != nil {
				b.WriteString(string(p.JSON) + p.Text + p.Head + p.Tail)
			}
		}
	}
	return b.String()
}

// checkRedaction looks at a secret in what tools returned: the model did not see
// it, nor does the ledger have it.
func (w *world) checkRedaction(res hostlab.Result, secret string) {
	for _, turn := range []int{2, 4} {
		if told, ok := res.Record.Result(turn, 0); !ok || !strings.Contains(told.Text, "token [REDACTED] is here") {
			w.t.Errorf("redaction: of call %d the model was told %q", turn, told.Text)
		}
	}
	if res.Record.Saw(secret) {
		w.t.Error("redaction: the model saw the secret")
	}
	if strings.Contains(w.checkrein("audit", "query", "--json", "-n", "1000"), secret) {
		w.t.Error("redaction: the ledger has the secret")
	}
}

// checkRecords wants every event that the host is known to fire in the ledger.
func (w *world) checkRecords(f fact, seen []record.Record) {
	want := map[string]int{
		"session_start none": 1, "user_prompt_submit none": 1, "pre_tool_use deny": 2, "pre_tool_use none": 3,
		"tool_response_transform none": 3, "post_tool_use none": 3, "stop deny": 3, "stop none": 1, "session_end none": 1,
	}
	maps.Copy(want, f.records)
	maps.DeleteFunc(want, func(_ string, n int) bool { return n == 0 })
	got := map[string]int{}
	for _, r := range seen {
		got[r.Event+" "+r.Decision]++
		if r.Host != f.host || r.Native == "" || r.Session == "" {
			w.t.Errorf("ledger: record %d is of %q, event %q, session %q", r.Seq, r.Host, r.Native, r.Session)
		}
	}
	if !maps.Equal(got, want) {
		w.t.Errorf("ledger: records %v, want %v", got, want)
	}
}

// checkPrompt looks at a prompt that a hook blocked: the model never heard of it.
func (w *world) checkPrompt(f fact, res hostlab.Result) {
	if n := len(res.Record.Turns()); n > 0 || res.Record.Saw("forbidden words") {
		w.t.Errorf("prompt: %d turns; the model saw it: %v", n, res.Record.Saw("forbidden words"))
	}
	if res.Exit != f.blockedExit {
		w.t.Errorf("prompt: exit %d, want %d", res.Exit, f.blockedExit)
	}
	if told := strings.Contains(res.Stdout+res.Stderr, "such words are not for models"); told == f.blockedSilently {
		w.t.Errorf("prompt: the person was told why: %v\nstdout: %s\nstderr: %s", told, res.Stdout, res.Stderr)
	}
	blocked := slices.ContainsFunc(w.ledger(), func(r record.Record) bool {
		return r.Event == "user_prompt_submit" && r.Decision == "deny" && r.Reason == "such words are not for models"
	})
	if !blocked {
		w.t.Error("prompt: not in the ledger")
	}
}
