package endtoend

import (
	"crypto/rand"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/prove"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
)

// config has hooks that send notices to the user, that use effects a host may not honour, and that
// change what is recorded. The packs are the default ones. HOME and PROJECT stand for these
// directories.
const config = `version: 1
hooks:
  user_prompt_submit:
    - {type: rule, name: careful, if: {prompt: {contains: forbidden words}}, decision: deny, reason: such words are not for models, notice: note-of-prompt}
  pre_tool_use:
    - {type: rule, name: mend, if: {command: {is: touch before}}, patch: {command: touch after}}
    - {type: rule, name: advise, if: {command: {prefix: touch}}, notice: note-of-call}
    - {type: rule, name: vault, if: {paths: {under: PROJECT/vault}}, decision: deny, reason: the vault is closed, notice: note-of-write}
  tool_response_transform:
    - {name: redact, command: [node, HOME/redact.js]}
  post_tool_use:
    - {type: rule, name: comment, notice: note-of-result}
  stop:
    - {name: tests, command: 'echo the tests are red >&2; exit 2'}
`

// redact is a hook that replaces the secret wherever it occurs in the output.
const redact = `const e = JSON.parse(require("fs").readFileSync(0, "utf8"))
const was = JSON.stringify(e.tool_response), is = was.replace(/ghp_\w+/g, "[REDACTED]")
if (is !== was) console.log('{"updated_output":' + is + '}')
`

// TestHostEndToEnd tests what a proof does not show (for that see TestHostProve): notices to the user,
// the ledger, status, and messages of the default packs. Each host runs four times: for ordinary work,
// with a blocked prompt, with a question, and with one thing after another broken.
func TestHostEndToEnd(t *testing.T) {
	hosttest.New(t) // skips before anything is built
	programs := buildPrograms(t)
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
	w.writeFiles(w.Home, map[string]string{"Documents/thesis.txt": "ten years of work\n", "redact.js": redact})
	w.writeFiles(w.Project, map[string]string{"notes.txt": "token " + secret + " is here\n", "src/main.c": "int main;\n"})
	res := w.Run(hostlab.Run{Prompt: "please go", Script: callScript(
		mockmodel.Shell("rm -rf ~/Documents"),
		mockmodel.Shell("touch before"),
		mockmodel.Shell("cat notes.txt"),
		mockmodel.Write(filepath.Join(w.Project, "vault", "key.txt"), "mine\n"),
		f.readCall(filepath.Join(w.Project, "notes.txt")),
	)})
	if res.Exit != 0 || !strings.Contains(res.Stdout, "all is well") {
		t.Errorf("exit %d, want 0 and the model's last word\nstdout: %s\nstderr: %s", res.Exit, res.Stdout, res.Stderr)
	}
	seen := w.readLedger()
	w.checkDeny(res)
	w.checkDropped(seen)
	w.checkNotices(f, res, seen, "call", "write", "result")
	w.checkRedo(f, res, seen)
	w.checkSecret(secret)
	w.checkRecords(f, seen)
	w.checkStatus()

	res = w.Run(hostlab.Run{Prompt: "here are forbidden words for you"})
	w.checkPrompt(f, res)
	w.checkNotices(f, res, w.readLedger(), "prompt")

	w.configure("version: 1\n")
	res = w.Run(hostlab.Run{Prompt: "please go", Script: callScript(mockmodel.Shell("git push --force-with-lease origin main"))})
	w.checkAsk(f, res)
}

// callScript returns a script in which the model makes calls, one after another.
func callScript(calls ...mockmodel.Call) mockmodel.Script {
	s := mockmodel.Script{Final: "all is well"}
	for _, c := range calls {
		s.Turns = append(s.Turns, mockmodel.Turn{Calls: []mockmodel.Call{c}})
	}
	return s
}

// checkDeny checks a denial of the default packs: the command did not run, and the model got the
// reason.
func (w *world) checkDeny(res hostlab.Result) {
	if !w.there(filepath.Join(w.Home, "Documents", "thesis.txt")) {
		w.t.Error("deny: the command ran")
	}
	if told, ok := res.Record.Result(0, 0); !ok || !strings.Contains(told.Text, "checkrein blocked rm -rf ~/Documents: deletes files in the home directory") || !strings.Contains(told.Text, "checkrein allow ") {
		w.t.Errorf("deny: the model was told %q, want the reason", told.Text)
	}
}

// checkAsk checks a question of the default packs when no user is present: the call did not run, and
// the reason was reported.
func (w *world) checkAsk(f fact, res hostlab.Result) {
	told, _ := res.Record.Result(0, 0)
	if f.prints {
		told.Text += res.Stderr
	}
	if !strings.Contains(told.Text, "git push --force-with-lease origin main: overwrites remote history") {
		w.t.Errorf("ask: told %q\nstdout: %s\nstderr: %s", told.Text, res.Stdout, res.Stderr)
	}
}

// checkStatus checks that status reports a working host as working.
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

// reliesOn reports whether checkrein relies on the host for what a row is about.
func (w *world) reliesOn(row capability.Row) bool {
	known, _ := host.Find(w.name)
	return prove.ExpectedRows(known)[row] == capability.Honoured
}

// checkDropped checks a rewrite that the host cannot apply: it is in the ledger, and the user is
// notified.
func (w *world) checkDropped(seen []record.Record) {
	dropped := slices.ContainsFunc(seen, func(r record.Record) bool {
		return slices.ContainsFunc(r.Dropped, func(d record.Dropped) bool { return d.Effect == "rewrite_input" }) &&
			strings.Contains(replyText(r), "a hook wanted to rewrite the call")
	})
	if dropped == w.reliesOn(capability.Rewrite) {
		w.t.Errorf("rewrite: recorded and told as dropped: %v", dropped)
	}
}

// checkNotices checks the notices of hooks: the host got them without any other loss, and the model
// did not.
func (w *world) checkNotices(f fact, res hostlab.Result, seen []record.Record, about ...string) {
	for _, of := range about {
		note := "note-of-" + of
		if !slices.ContainsFunc(seen, func(r record.Record) bool { return strings.Contains(replyText(r), note) }) {
			w.t.Errorf("notice: the host was not given %s", note)
		}
		if res.Record.ModelSaw(note) {
			w.t.Errorf("notice: the model saw %s", note)
		}
		if f.prints && !strings.Contains(res.Stderr, note) {
			w.t.Errorf("notice: the person was not shown %s\nstderr: %s", note, res.Stderr)
		}
	}
}

// checkRedo checks a stop that a hook always blocks: it may keep the agent going several times, but in
// the end the user is notified.
func (w *world) checkRedo(f fact, res hostlab.Result, seen []record.Record) {
	attempts, told := 3, "the agent may stop even though a hook objects"
	if !w.reliesOn(capability.StopBlocked) {
		attempts, told = 0, "a hook tried to block stop"
	}
	if f.prints && !strings.Contains(res.Stderr, told) {
		w.t.Errorf("redo: the person was not told\nstderr: %s", res.Stderr)
	}
	stops := slices.DeleteFunc(slices.Clone(seen), func(r record.Record) bool { return r.Event != "stop" })
	if len(stops) != attempts+1 || !strings.Contains(replyText(stops[len(stops)-1]), told) {
		w.t.Errorf("redo: the last of %d stops is not recorded with %q", len(stops), told)
	}
}

// replyText returns the reply to the host.
func replyText(r record.Record) string {
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

// checkSecret checks that the ledger does not contain a secret that tools returned.
func (w *world) checkSecret(secret string) {
	if strings.Contains(w.checkrein("audit", "query", "--json", "-n", "1000"), secret) {
		w.t.Error("the ledger has the secret")
	}
}

// checkRecords checks that the ledger has every event that the host is known to fire.
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

// checkPrompt checks a blocked prompt: the exit of the host, and who got the reason.
func (w *world) checkPrompt(f fact, res hostlab.Result) {
	if res.Exit != f.blockedExit {
		w.t.Errorf("prompt: exit %d, want %d", res.Exit, f.blockedExit)
	}
	if told := strings.Contains(res.Stdout+res.Stderr, "such words are not for models"); told == f.blockedSilently {
		w.t.Errorf("prompt: the person was told why: %v\nstdout: %s\nstderr: %s", told, res.Stdout, res.Stderr)
	}
	blocked := slices.ContainsFunc(w.readLedger(), func(r record.Record) bool {
		return r.Event == "user_prompt_submit" && r.Decision == "deny" && r.Reason == "such words are not for models"
	})
	if !blocked {
		w.t.Error("prompt: not in the ledger")
	}
}
