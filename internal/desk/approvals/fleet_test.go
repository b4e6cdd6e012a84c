package approvals

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// hubKey returns a key of a hub that depends on name only.
func hubKey(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte(name))
	return ed25519.NewKeyFromSeed(seed[:])
}

func testFleet() *Fleet {
	return &Fleet{Machine: "m1", Key: hubKey("hub").Public().(ed25519.PublicKey)}
}

// fleetAnswer returns the answer of ann, a fleet's approver, to a on the machine m1.
func (b *bench) fleetAnswer(a *Approval, decision string) *protocol.Answer {
	return &protocol.Answer{Machine: "m1", Handle: a.Handle, NewAnswer: protocol.NewAnswer{Digest: a.Digest, Decision: decision, Words: "by hand"}, By: "ann", At: b.at, Expires: a.Expires}
}

func (b *bench) sign(a *protocol.Answer, key ed25519.PrivateKey) *protocol.SignedAnswer {
	b.t.Helper()
	s, err := a.Sign("id", "dev", key)
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

func TestFleetAnswers(t *testing.T) {
	t.Parallel()
	for _, decision := range []string{"allow", "deny"} {
		b := newBench(t)
		b.call("danger", "c1")
		got, err := b.AnswerFleet(testFleet(), b.sign(b.fleetAnswer(b.waiting(), decision), hubKey("hub")))
		if err != nil || got.Decision != decision || got.By != "anna (fleet approver ann)" {
			t.Fatalf("%+v, %v", got, err)
		}
		passes, _, reason := b.call("danger", "c2")
		if passes != (decision == "allow") || decision == "deny" && !strings.Contains(reason, "by hand") {
			t.Errorf("%s: passes %v: %s", decision, passes, reason)
		}
		if passes, _, _ := b.call("danger", "c3"); passes {
			t.Errorf("%s: it allows a second call", decision)
		}
	}
}

func TestFleetAnswersThatDoNotCount(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		key    string // of the hub
		change func(b *bench, a *protocol.Answer, f *Fleet)
		forge  func(s *protocol.SignedAnswer)
		status int
	}{
		{"signed by another hub", "thief", nil, nil, 403},
		{"without a signature", "hub", nil, func(s *protocol.SignedAnswer) { s.Signature = nil }, 403},
		{"changed after it was signed", "hub", nil, func(s *protocol.SignedAnswer) {
			s.Answer = []byte(strings.Replace(string(s.Answer), "by hand", "by hook", 1))
		}, 403},
		{"signed for another purpose", "hub", nil, func(s *protocol.SignedAnswer) { s.Signature = ed25519.Sign(hubKey("hub"), s.Answer) }, 403},
		{"of a fleet without a key", "hub", func(_ *bench, _ *protocol.Answer, f *Fleet) { f.Key = nil }, nil, 403},
		{"for another machine", "hub", func(_ *bench, a *protocol.Answer, _ *Fleet) { a.Machine = "m2" }, nil, 403},
		{"for another call", "hub", func(b *bench, a *protocol.Answer, _ *Fleet) {
			b.call("danger two", "c9")
			list, _ := b.List()
			for _, other := range list {
				if other.Handle != a.Handle {
					a.Digest = other.Digest
				}
			}
		}, nil, 409},
		{"for an unknown call", "hub", func(_ *bench, a *protocol.Answer, _ *Fleet) { a.Handle = "dead0" }, nil, 404},
		{"expired", "hub", func(b *bench, a *protocol.Answer, _ *Fleet) { b.at = b.at.Add(time.Hour); a.Expires = b.at }, nil, 403},
		{"without a decision", "hub", func(_ *bench, a *protocol.Answer, _ *Fleet) { a.Decision = "" }, nil, 403},
		{"from a fleet that the account joined", "hub", func(_ *bench, _ *protocol.Answer, f *Fleet) { f.Advisory = true }, nil, 403},
	} {
		b := newBench(t)
		b.call("danger", "c1")
		a, f := b.fleetAnswer(b.waiting(), "allow"), testFleet()
		if tt.change != nil {
			tt.change(b, a, f)
		}
		s := b.sign(a, hubKey(tt.key))
		if tt.forge != nil {
			tt.forge(s)
		}
		_, err := b.AnswerFleet(f, s)
		if why := (*Error)(nil); !errors.As(err, &why) || why.Status != tt.status {
			t.Errorf("%s: %v, want status %d", tt.name, err, tt.status)
		}
		if passes, _, _ := b.call("danger", "c2"); passes {
			t.Errorf("%s: the call passes", tt.name)
		}
	}
}

// The account's own fleet cannot allow, and can deny.
func TestAdvisoryFleetDenies(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.call("danger", "c1")
	f := testFleet()
	f.Advisory = true
	if _, err := b.AnswerFleet(f, b.sign(b.fleetAnswer(b.waiting(), "deny"), hubKey("hub"))); err != nil {
		t.Fatal(err)
	}
	if _, _, reason := b.call("danger", "c2"); !strings.Contains(reason, "by hand") {
		t.Error(reason)
	}
}

// An answer counts once, even if the same call is blocked again, a person was faster, or the files of the
// account are put back to before the answer.
func TestFleetAnswerReplayed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.call("danger", "c1")
	s := b.sign(b.fleetAnswer(b.waiting(), "allow"), hubKey("hub"))
	before := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(before, os.DirFS(b.opts.State)); err != nil {
		t.Fatal(err)
	}
	replay := func(when string) {
		t.Helper()
		_, err := b.desk().AnswerFleet(testFleet(), s)
		if why := (*Error)(nil); !errors.As(err, &why) || why.Status != http.StatusForbidden {
			t.Errorf("%s: %v", when, err)
		}
	}
	if _, err := b.AnswerFleet(testFleet(), s); err != nil {
		t.Fatal(err)
	}
	replay("at once")
	if passes, _, _ := b.call("danger", "c2"); !passes {
		t.Fatal("the answer does not count")
	}
	b.at = b.at.Add(time.Second)
	b.call("danger", "c3")
	if w := b.waiting(); w.Digest == "" {
		t.Fatal("it does not wait again")
	}
	replay("after it was used")
	// An agent puts files of the account back. The ledger has what they should be.
	for _, name := range []string{"approvers.json", "grants.json", "answers"} {
		path := filepath.Join(b.opts.State, name)
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(filepath.Join(before, name)); err == nil {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	_, _ = b.desk().AnswerFleet(testFleet(), s)
	if passes, _, _ := b.call("danger", "c4"); passes {
		t.Error("with files put back, the answer counts again")
	}
}

func TestFleetAnswerAfterPerson(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	red := newPhone("red")
	b.enrol(red)
	b.call("danger", "c1")
	s := b.sign(b.fleetAnswer(b.waiting(), "allow"), hubKey("hub"))
	if err := b.send(b.request(b.waiting(), "deny"), red); err != nil {
		t.Fatal(err)
	}
	_, err := b.AnswerFleet(testFleet(), s)
	if why := (*Error)(nil); !errors.As(err, &why) || why.Status != http.StatusConflict || why.Answer.Decision != "deny" {
		t.Fatalf("%v", err)
	}
	if passes, _, _ := b.call("danger", "c2"); passes {
		t.Error("the second answer counts")
	}
}

// The HTTP API of the desk takes no answer of a fleet.
func TestServerTakesNoFleetAnswer(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.call("danger", "c1")
	a := b.waiting()
	s := b.sign(b.fleetAnswer(a, "allow"), hubKey("hub"))
	text, _ := json.Marshal(Request{Handle: a.Handle, Digest: a.Digest, Decision: "allow"})
	if _, err := b.Answer(a.Handle, text, &Proof{Key: "hub", Signature: s.Signature}); err == nil {
		t.Error("it was taken")
	}
}
