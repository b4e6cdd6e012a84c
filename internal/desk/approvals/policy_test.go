package approvals

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
)

const weaker = "version: 1\npacks: []\n"

// config returns the path of the person's own policy.
func (b *bench) config() string {
	return filepath.Join(filepath.Dir(b.opts.State), ".config", "checkrein", "checkrein.yaml")
}

// propose returns the change of file to text, with a fresh challenge.
func (b *bench) propose(file, text string) *PolicyChange {
	b.t.Helper()
	c, _, err := b.ProposePolicy("", file, []byte(text))
	if err != nil {
		b.t.Fatal(err)
	}
	asked, err := b.Challenge(c.Handle)
	if err != nil {
		b.t.Fatal(err)
	}
	c.Challenge = asked.Challenge
	return c
}

// save sends c with the proof of dev.
func (b *bench) save(c *PolicyChange, text string, dev *device) error {
	change, _ := json.Marshal(c)
	_, err := b.SavePolicy("", change, []byte(text), dev.prove("webauthn.get", policyPrefix+string(change)))
	return err
}

// policy returns the text of a policy.
func (b *bench) policy(file string) string {
	b.t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// acts returns the records of what persons did.
func (b *bench) acts() (out []string) {
	b.t.Helper()
	reader, err := ledger.NewBackwardReader(filepath.Join(b.opts.State, ledger.Folder), ledger.Position{}, []byte(`"kind":"person"`))
	if err != nil {
		b.t.Fatal(err)
	}
	defer reader.Close()
	found, err := reader.Next()
	for i := range found {
		out = append(out, string(found[i].Line.Raw))
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// A proven change of the person's own policy and of the project's replaces the file, and is recorded.
func TestSavePolicy(t *testing.T) {
	t.Parallel()
	for _, dev := range []*device{newPhone("red"), newPasskey("laptop", nil)} {
		b := newBench(t)
		b.enrol(dev)
		project := filepath.Join(b.opts.Dir, "checkrein.yaml")
		if err := os.WriteFile(project, []byte("version: 1\n"), 0o640); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{b.config(), project} {
			before := b.policy(file)
			is, _ := os.Stat(file)
			c := b.propose(file, weaker)
			if err := b.save(c, weaker, dev); err != nil {
				t.Fatal(err)
			}
			if now, _ := os.Stat(file); b.policy(file) != weaker || now.Mode() != is.Mode() {
				t.Errorf("%s is %q, with mode %v", file, b.policy(file), now.Mode())
			}
			if acts := b.acts(); !strings.Contains(acts[0], `"act":"policy save"`) || !strings.Contains(acts[0], `"by":"anna (`) || !strings.Contains(acts[0], c.New) || !strings.Contains(acts[0], c.Old) {
				t.Errorf("recorded: %s", acts[0])
			}
			wantStatus(t, "the same again", b.save(c, weaker, dev), 409, "differs from what was shown")
			if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
			wantStatus(t, "the same for the old text", b.save(c, weaker, dev), 403, "used before")
		}
		if err := os.Remove(b.config()); err != nil {
			t.Fatal(err)
		}
		if err := b.save(b.propose(b.config(), weaker), weaker, dev); err != nil || b.policy(b.config()) != weaker {
			t.Errorf("the first policy: %v", err)
		}
	}
}

// What loosens the guard while an agent runs is saved, and reported as not in force.
func TestSavePolicyWhileAgentRuns(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows which agents run")
	}
	b := newBench(t)
	red := newPhone("red")
	b.enrol(red)
	b.kit().NoteProcess(os.Getppid())
	for text, want := range map[string]string{"version: 1\n": "", weaker: "packs: [] (all packs off)"} {
		c := b.propose(b.config(), text)
		change, _ := json.Marshal(c)
		saved, err := b.SavePolicy("", change, []byte(text), red.prove("", policyPrefix+string(change)))
		if err != nil || b.policy(b.config()) != text || strings.Join(saved.Held, "; ") != want {
			t.Errorf("%q: %+v, %v", text, saved, err)
		}
	}
}

// Forged, expired, misdirected and altered changes, and those of other files, save nothing.
func TestSavePolicyRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	red, laptop := newPhone("red"), newPasskey("laptop", nil)
	b.enrol(red)
	b.enrol(laptop)
	b.call("danger", "c1")
	handle := b.waiting().Handle
	foreign := filepath.Join(b.opts.Dir, "other.yaml")
	link := filepath.Join(b.opts.Dir, "checkrein.yaml")
	if err := errors.Join(os.WriteFile(foreign, []byte("version: 1\n"), 0o600), os.Symlink(foreign, link)); err != nil {
		t.Fatal(err)
	}
	as := func(file string) func(*PolicyChange) {
		return func(c *PolicyChange) {
			challenge := c.Challenge
			*c = *newPolicyChange(file, []byte("version: 1\n"), []byte(weaker))
			c.Challenge = challenge
		}
	}
	elsewhere, phished := *laptop, *laptop
	elsewhere.origin, phished.flags = "http://localhost:9", userPresent
	for _, tt := range []struct {
		name   string
		change func(*PolicyChange)
		dev    *device
		status int
		part   string
	}{
		{"another key", nil, newPhone("red"), 403, "signature is wrong"},
		{"a name without a key", nil, newPhone("blue"), 403, "no enrolled key"},
		{"a page of another origin", nil, &elsewhere, 403, "was used on"},
		{"without PIN or finger", nil, &phished, 403, "did not verify"},
		{"no challenge", func(c *PolicyChange) { c.Challenge = "" }, red, 403, "challenge"},
		{"the challenge of a call", func(c *PolicyChange) { asked, _ := b.Challenge(handle); c.Challenge = asked.Challenge }, red, 403, "challenge"},
		{"the challenge of another change", func(c *PolicyChange) { c.Challenge = b.propose(b.config(), rules+"# x\n").Challenge }, red, 403, "challenge"},
		{"another new text", func(c *PolicyChange) { c.New = newPolicyChange("", nil, []byte("x")).New }, red, 409, "differs from what was shown"},
		{"another old text", func(c *PolicyChange) { c.Old = c.New }, red, 409, "differs from what was shown"},
		{"another handle", func(c *PolicyChange) { c.Handle = handle }, red, 409, "differs from what was shown"},
		{"a file of the project", as(foreign), red, 422, "not a policy of yours"},
		{"traversal", as(filepath.Dir(b.config()) + "/../checkrein/checkrein.yaml"), red, 422, "not a policy of yours"},
		{"a relative path", as("checkrein.yaml"), red, 422, "not a policy of yours"},
		{"the administrator's file", as("/etc/checkrein/checkrein.yaml"), red, 422, "not a policy of yours"},
		{"a symbolic link", as(link), red, 422, "a symlink"},
	} {
		c := b.propose(b.config(), weaker)
		if tt.change != nil {
			tt.change(c)
		}
		wantStatus(t, tt.name, b.save(c, weaker, tt.dev), tt.status, tt.part)
	}
	c := b.propose(b.config(), weaker)
	change, _ := json.Marshal(c)
	for name, p := range map[string]*Proof{"no proof": {}, "a proof for a call": red.prove("", answerPrefix+string(change)), "a proof over other bytes": red.prove("", policyPrefix+string(change)+" ")} {
		_, err := b.SavePolicy("", change, []byte(weaker), p)
		wantStatus(t, name, err, 403, "does not prove")
	}
	b.at = b.at.Add(challengeLife)
	wantStatus(t, "an old challenge", b.save(c, weaker, red), 403, "expired")
	stale := b.propose(b.config(), weaker)
	if err := os.WriteFile(b.config(), []byte(rules+"# meanwhile\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, "a file that changed meanwhile", b.save(stale, weaker, red), 409, "differs from what was shown")
	if text := b.policy(b.config()); text != rules+"# meanwhile\n" {
		t.Errorf("the policy is %q", text)
	}
	if b.policy(foreign) != "version: 1\n" || strings.Contains(fmt.Sprint(b.acts()), "policy save") {
		t.Error("something was saved")
	}
}

// A code saves only the change for which it was made, once; 64 requests at once save one.
func TestSavePolicyByCode(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	newCode := func(handle string) string {
		t.Helper()
		text, err := OpenBook(b.kit().Grants()).NewCode(handle)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	c := b.propose(b.config(), weaker)
	change, _ := json.Marshal(c)
	for name, code := range map[string]string{"a code for any call": "", "a code for another change": b.propose(b.config(), weaker+"# x\n").Handle} {
		_, err := b.SavePolicy("", change, []byte(weaker), &Proof{Code: newCode(code)})
		wantStatus(t, name, err, 403, "the code")
	}
	code := newCode(c.Handle)
	b.call("danger", "c1")
	a := b.waiting()
	answer, _ := json.Marshal(&Request{Handle: a.Handle, Digest: a.Digest, Decision: "allow"})
	_, err := b.Answer(a.Handle, answer, &Proof{Code: code})
	wantStatus(t, "the code of a change for a call", err, 403, "the code")
	var won atomic.Int32
	var wg sync.WaitGroup
	for i := range 64 {
		desk := b.Desk
		if i%2 == 0 {
			desk = b.desk() // of another server
		}
		wg.Go(func() {
			_, err := desk.SavePolicy("", change, []byte(weaker), &Proof{Code: code})
			var e *Error
			switch {
			case err == nil:
				won.Add(1)
			case errors.Is(err, state.ErrBusy): // refused, because others take long
			case !errors.As(err, &e) || e.Status != http.StatusConflict:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := strings.Count(fmt.Sprint(b.acts()), "policy save"); won.Load() != 1 || n != 1 || b.policy(b.config()) != weaker {
		t.Errorf("%d requests have saved it, %d are recorded", won.Load(), n)
	}
}
