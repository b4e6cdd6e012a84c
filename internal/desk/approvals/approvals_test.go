package approvals

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval/grant"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

const origin = "http://localhost:8000"

const rules = `version: 1
packs: []
hooks:
  pre_tool_use: {name: no, type: rule, if: {command: {contains: danger}}, decision: deny, reason: dangerous}
`

// A bench is a desk over a state directory, with a clock that tests set.
type bench struct {
	*Desk
	t    *testing.T
	opts app.Options
	at   time.Time
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, at: time.Now()}
	home := t.TempDir()
	config := filepath.Join(home, ".config", "checkrein")
	if err := os.MkdirAll(config, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "checkrein.yaml"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	b.opts = app.Options{Dir: t.TempDir(), State: filepath.Join(home, "state"), Managed: app.NoManaged, Environ: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}, Now: func() time.Time { return b.at }}
	b.Desk = b.desk()
	return b
}

// desk returns a desk as another server would have it.
func (b *bench) desk() *Desk {
	b.t.Helper()
	d, err := New(Options{Open: func(string) (*app.Kit, error) { return app.Open(b.opts) }, Person: "anna", Origin: origin, Config: b.config(), Now: b.opts.Now})
	if err != nil {
		b.t.Fatal(err)
	}
	return d
}

func (b *bench) kit() *app.Kit {
	b.t.Helper()
	k, err := app.Open(b.opts)
	if err != nil {
		b.t.Fatal(err)
	}
	return k
}

// call makes a call, and reports whether it passes.
func (b *bench) call(command, id string) (passes bool, handle, reason string) {
	b.t.Helper()
	return b.callIn("s1", command, id)
}

// callIn makes a call in a session.
func (b *bench) callIn(session, command, id string) (passes bool, handle, reason string) {
	b.t.Helper()
	input, _ := json.Marshal(map[string]string{"command": command, "description": "to \u202eclean up"})
	out := b.kit().Serve(b.t.Context(), checkrein.Event{Kind: checkrein.PreToolUse, Host: "some", Session: checkrein.Session{ID: session},
		Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", CallID: id, Input: input}})
	return out.Verdict.Decision < checkrein.Ask, out.Handle, out.Verdict.Reason
}

// waiting returns the only approval that waits.
func (b *bench) waiting() *Approval {
	b.t.Helper()
	list, err := b.List()
	if err != nil || len(list) != 1 {
		b.t.Fatalf("%d approvals wait: %v", len(list), err)
	}
	return list[0]
}

// A device signs as a browser does.
type device struct {
	name    string
	private crypto.Signer
	passkey bool
	origin  string
	host    string
	flags   byte
	count   uint32
}

func newPhone(name string) *device {
	k, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	return &device{name: name, private: k}
}

func newPasskey(name string, k crypto.Signer) *device {
	if k == nil {
		k, _ = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	return &device{name: name, private: k, passkey: true, origin: origin, host: "localhost", flags: userPresent | userVerified}
}

func (d *device) public() []byte {
	public, _ := x509.MarshalPKIXPublicKey(d.private.Public())
	return public
}

// prove returns the proof of the device for text.
func (d *device) prove(kind, text string) *Proof {
	sum := sha256.Sum256([]byte(text))
	if !d.passkey {
		r, s, _ := ecdsa.Sign(rand.Reader, d.private.(*ecdsa.PrivateKey), sum[:])
		size := max(32, len(r.Bytes()), len(s.Bytes())) // of the curve
		return &Proof{Key: d.name, Signature: slices.Concat(r.FillBytes(make([]byte, size)), s.FillBytes(make([]byte, size)))}
	}
	p := &Proof{Key: d.name, ClientData: fmt.Appendf(nil, `{"type":%q,"challenge":%q,"origin":%q,"crossOrigin":false}`, kind, base64.RawURLEncoding.EncodeToString(sum[:]), d.origin)}
	place := sha256.Sum256([]byte(d.host))
	p.AuthenticatorData = binary.BigEndian.AppendUint32(append(place[:], d.flags), d.count)
	if kind == "webauthn.create" {
		p.AuthenticatorData[32] |= hasKey
		p.AuthenticatorData = append(binary.BigEndian.AppendUint16(append(p.AuthenticatorData, make([]byte, 16)...), 4), "credCOSE"...)
		return p
	}
	client := sha256.Sum256(p.ClientData)
	signed := slices.Concat(p.AuthenticatorData, client[:])
	opts, message := crypto.SignerOpts(crypto.SHA256), signed
	if _, is := d.private.(ed25519.PrivateKey); is {
		opts = crypto.Hash(0)
	} else {
		sum := sha256.Sum256(signed)
		message = sum[:]
	}
	p.Signature, _ = d.private.Sign(rand.Reader, message, opts)
	return p
}

// enrol enrols the device, with a person who confirms it.
func (b *bench) enrol(d *device) {
	b.t.Helper()
	kind := Phone
	if d.passkey {
		kind = Passkey
	}
	book := OpenBook(b.kit().Grants())
	secret, err := book.BeginEnrolment(kind, d.name)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.Enrol(secret, d.public(), d.prove("webauthn.create", enrolmentPrefix+secret)); err != nil {
		b.t.Fatal(err)
	}
	k, err := book.EnrolledKey(secret)
	if err != nil || k == nil {
		b.t.Fatalf("no key: %v", err)
	}
	if err := book.EndEnrolment(secret, k); err != nil {
		b.t.Fatal(err)
	}
}

// request returns an answer to a, with a fresh challenge.
func (b *bench) request(a *Approval, decision string) *Request {
	b.t.Helper()
	c, err := b.Challenge(a.Handle)
	if err != nil {
		b.t.Fatal(err)
	}
	return &Request{Handle: a.Handle, Digest: a.Digest, Decision: decision, Challenge: c.Challenge}
}

// send sends r with the proof of dev.
func (b *bench) send(r *Request, dev *device) error {
	text, _ := json.Marshal(r)
	_, err := b.Answer(r.Handle, text, dev.prove("webauthn.get", answerPrefix+string(text)))
	return err
}

// wantStatus checks that err is a refusal with this status and with part in its reason.
func wantStatus(t *testing.T, what string, err error, status int, part string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Status != status || !strings.Contains(e.Why, part) {
		t.Errorf("%s: got %v, want status %d and %q", what, err, status, part)
	}
}

// Every kind of proof allows exactly one call, and lets its call pass.
func TestAnswerByProof(t *testing.T) {
	t.Parallel()
	_, ed, _ := ed25519.GenerateKey(rand.Reader)
	rsaKey, _ := rsa.GenerateKey(rand.Reader, 2048)
	for name, dev := range map[string]*device{
		"phone red": newPhone("red"), "passkey laptop": newPasskey("laptop", nil), "passkey ed": newPasskey("ed", ed), "passkey rsa": newPasskey("rsa", rsaKey),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.enrol(dev)
			b.call("danger", "c1")
			a := b.waiting()
			if a.Call != "danger" || a.Stated != `to \u202eclean up` || len(a.Why) != 1 || !a.Expires.Equal(a.Blocked.Add(grant.Life)) {
				t.Errorf("the approval: %+v", a)
			}
			if err := b.send(b.request(a, "allow"), dev); err != nil {
				t.Fatal(err)
			}
			found, err := b.Find(a.Handle)
			if err != nil || found.Answer == nil || found.Answer.By != "anna ("+name+")" {
				t.Errorf("afterwards: %+v, %v", found, err)
			}
			if passes, _, reason := b.call("danger", "c2"); !passes {
				t.Errorf("the retry: %s", reason)
			}
			if passes, _, _ := b.call("danger", "c3"); passes {
				t.Error("it allows two calls")
			}
		})
	}
}

// Replayed, forged, expired, misdirected and altered answers change nothing.
func TestAnswerRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	red, laptop := newPhone("red"), newPasskey("laptop", nil)
	b.enrol(red)
	b.enrol(laptop)
	_, other, _ := b.call("danger two", "c0")
	_, handle, _ := b.call("danger one", "c1")
	a, err := b.Find(handle)
	if err != nil {
		t.Fatal(err)
	}
	change := func(of *device, fn func(*device)) *device { d := *of; fn(&d); return &d }
	for _, tt := range []struct {
		name   string
		change func(*Request)
		dev    *device
		status int
		part   string
	}{
		{"another key", nil, newPhone("red"), 403, "signature is wrong"},
		{"a name without a key", nil, newPhone("blue"), 403, "no enrolled key"},
		{"no challenge", func(r *Request) { r.Challenge = "" }, red, 403, "challenge"},
		{"another server's challenge", func(r *Request) { c, _ := b.desk().Challenge(handle); r.Challenge = c.Challenge }, red, 403, "challenge"},
		{"another call's challenge", func(r *Request) { c, _ := b.Challenge(other); r.Challenge = c.Challenge }, red, 403, "challenge"},
		{"another digest", func(r *Request) { r.Digest = strings.Repeat("0", 32) }, red, 409, "something other"},
		{"no digest", func(r *Request) { r.Digest = "" }, red, 409, "something other"},
		{"unknown handle", func(r *Request) { r.Handle = "abc123" }, red, 404, "has the handle"},
		{"path as handle", func(r *Request) { r.Handle = "../grants.json" }, red, 404, "has the handle"},
		{"no decision", func(r *Request) { r.Decision = "" }, red, 400, "decision"},
		{"wide scope", func(r *Request) { r.Scope = "always" }, red, 400, "scope"},
		{"long words", func(r *Request) { r.Words = strings.Repeat("x", maxWords+1) }, red, 400, "words"},
		{"another site's passkey", nil, change(laptop, func(d *device) { d.origin = "https://evil.example" }), 403, "evil.example"},
		{"another port's passkey", nil, change(laptop, func(d *device) { d.origin = "http://localhost:9" }), 403, "not on"},
		{"another host's passkey", nil, change(laptop, func(d *device) { d.host = "evil.example" }), 403, "not for localhost"},
		{"nobody at the passkey", nil, change(laptop, func(d *device) { d.flags = userPresent }), 403, "did not verify"},
		{"a phone's signature as a passkey's", nil, change(red, func(d *device) { d.name = "laptop" }), 403, "client data"},
	} {
		r := b.request(a, "allow")
		if tt.change != nil {
			tt.change(r)
		}
		wantStatus(t, tt.name, b.send(r, tt.dev), tt.status, tt.part)
	}
	r := b.request(a, "deny")
	text, _ := json.Marshal(r)
	proof := red.prove("", answerPrefix+string(text))
	_, err = b.Answer(handle, []byte(strings.Replace(string(text), "deny", "allow", 1)), proof)
	wantStatus(t, "a denial turned into an allowance", err, 403, "signature is wrong")
	_, err = b.Answer(other, text, proof)
	wantStatus(t, "the answer to another call", err, 400, "another call")
	_, err = b.Answer(handle, text, &Proof{})
	wantStatus(t, "no proof", err, 403, "no proof")
	_, err = b.Answer(handle, []byte(`{"unknown":1}`), proof)
	wantStatus(t, "unknown member", err, 400, "cannot be read")
	late := b.request(a, "allow")
	b.at = b.at.Add(challengeLife)
	wantStatus(t, "a page left open", b.send(late, red), 403, "expired")
	if list, err := b.List(); err != nil || len(list) != 2 {
		t.Errorf("%d approvals wait after the refusals: %v", len(list), err)
	}
	if err := b.send(b.request(a, "allow"), red); err != nil {
		t.Errorf("a good answer after the refusals: %v", err)
	}
}

// An answer counts in the session that it answers: the same call of another session still waits, and
// has an answer of its own.
func TestAnswerOfOtherSession(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	red := newPhone("red")
	b.enrol(red)
	_, first, _ := b.callIn("s1", "danger", "c1")
	r := b.request(b.waiting(), "allow")
	_, second, _ := b.callIn("s2", "danger", "c2")
	if err := b.send(r, red); err != nil || first == second {
		t.Fatalf("%s and %s: %v", first, second, err)
	}
	if w := b.waiting(); w.Handle != second {
		t.Errorf("%s waits, not %s", w.Handle, second)
	}
	if passes, _, _ := b.callIn("s2", "danger", "c3"); passes {
		t.Error("an answer to one session allows the call of another")
	}
	if passes, _, _ := b.callIn("s1", "danger", "c4"); !passes {
		t.Error("the call that was allowed is blocked")
	}
	if err := b.send(b.request(b.waiting(), "deny"), red); err != nil {
		t.Error(err)
	}
}

// A signature that was used once does not allow the next call that is like the first.
func TestAnswerReplayed(t *testing.T) {
	t.Parallel()
	for name, dev := range map[string]*device{"phone": newPhone("k"), "passkey": newPasskey("k", nil)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.enrol(dev)
			_, handle, _ := b.call("danger", "c1")
			text, _ := json.Marshal(b.request(b.waiting(), "allow"))
			proof := dev.prove("webauthn.get", answerPrefix+string(text))
			if _, err := b.Answer(handle, text, proof); err != nil {
				t.Fatal(err)
			}
			_, err := b.Answer(handle, text, proof)
			wantStatus(t, "at once", err, 409, "already answered")
			if passes, _, _ := b.call("danger", "c2"); !passes {
				t.Fatal("allowed and blocked")
			}
			b.at = b.at.Add(time.Second)
			b.call("danger", "c3")
			_, err = b.Answer(handle, text, proof)
			wantStatus(t, "to the next call", err, 403, "used before")
		})
	}
}

// A passkey whose counter goes back was copied.
func TestPasskeyCounter(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	dev := newPasskey("k", nil)
	dev.count = 5
	b.enrol(dev)
	b.call("danger", "c1")
	wantStatus(t, "the same counter", b.send(b.request(b.waiting(), "allow"), dev), 403, "copied")
	dev.count = 6
	if err := b.send(b.request(b.waiting(), "allow"), dev); err != nil {
		t.Error(err)
	}
}

// What a call would do is part of what is answered: an answer to what it did before does not count.
func TestAnswerToChangedCall(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	red := newPhone("red")
	b.enrol(red)
	script := filepath.Join(b.opts.Dir, "danger.sh")
	write := func(text string) {
		if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write("echo fine\n")
	b.call("sh danger.sh", "c1")
	r := b.request(b.waiting(), "allow")
	write("rm -rf /srv/x\n")
	b.call("sh danger.sh", "c2")
	wantStatus(t, "after the script changed", b.send(r, red), 409, "something other")
}

// A code answers once, for a while, for its call, and after five wrong tries not at all.
func TestCode(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, other, _ := b.call("danger two", "c0")
	_, handle, _ := b.call("danger one", "c1")
	book := OpenBook(b.kit().Grants())
	newCode := func(of string) string {
		t.Helper()
		text, err := book.NewCode(of)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	try := func(at, code string) error {
		a, err := b.Find(at)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(&Request{Handle: at, Digest: a.Digest, Decision: "deny", Words: "no"})
		_, err = b.Answer(at, text, &Proof{Code: code})
		return err
	}
	wantStatus(t, "no code", try(handle, "aaaaa-aaaaa"), 403, "the code")
	first := newCode("")
	second := newCode("")
	wantStatus(t, "a replaced code", try(handle, first), 403, "the code")
	b.at = b.at.Add(CodeLife)
	wantStatus(t, "an old code", try(handle, second), 403, "the code")
	wantStatus(t, "the code of another call", try(handle, newCode(other)), 403, "the code")
	guessed := newCode("")
	for range maxTries {
		wantStatus(t, "a guess", try(handle, "aaaaa-aaaaa"), 403, "the code")
	}
	wantStatus(t, "after the guesses", try(handle, guessed), 403, "the code")
	good := newCode(handle)
	if err := try(handle, strings.ToUpper(strings.ReplaceAll(good, "-", " "))); err != nil {
		t.Error(err)
	}
	wantStatus(t, "a used code", try(other, good), 403, "the code")
	if _, _, reason := b.call("danger one", "c2"); !strings.Contains(reason, "A person (anna (code)) denied this call: no") {
		t.Errorf("the retry: %s", reason)
	}
}

// An enrolment takes one key, of its kind, with its secret and within its time, and the key counts
// only when the person confirms it.
func TestEnrolment(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	book := OpenBook(b.kit().Grants())
	begin := func(kind, name string) string {
		t.Helper()
		secret, err := book.BeginEnrolment(kind, name)
		if err != nil {
			t.Fatal(err)
		}
		return secret
	}
	enrol := func(secret string, d *device, signed string) error {
		_, err := b.Enrol(secret, d.public(), d.prove("webauthn.create", enrolmentPrefix+signed))
		return err
	}
	red := newPhone("red")
	wantStatus(t, "no enrolment", enrol("00", red, "00"), 403, "wrong or has expired")
	secret := begin(Phone, "red")
	wantStatus(t, "without the private key", enrol(secret, red, "other"), 403, "signature")
	p384, _ := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	wantStatus(t, "another curve", enrol(secret, &device{name: "red", private: p384}, secret), 403, "P-256")
	if err := enrol(secret, red, secret); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, "a second key", enrol(secret, newPhone("red"), secret), 409, "was used")
	b.call("danger", "c1")
	wantStatus(t, "a key that is not confirmed", b.send(b.request(b.waiting(), "allow"), red), 403, "no enrolled key")
	if err := book.EndEnrolment(secret, nil); err != nil {
		t.Fatal(err)
	}
	if keys, err := book.Keys(); err != nil || len(keys) != 0 {
		t.Errorf("%d keys after the person refused: %v", len(keys), err)
	}
	old := begin(Passkey, "laptop")
	b.at = b.at.Add(EnrolmentLife)
	laptop := newPasskey("laptop", nil)
	wantStatus(t, "an old link", enrol(old, laptop, old), 403, "expired")
	b.enrol(laptop)
	if _, err := book.BeginEnrolment(Phone, "laptop"); err == nil {
		t.Error("a name twice")
	}
	for _, name := range []string{"", "a b", "../x", "a\n", strings.Repeat("x", 33)} {
		if _, err := book.BeginEnrolment(Phone, name); err == nil {
			t.Errorf("the name %q", name)
		}
	}
	if err := book.RemoveKey("laptop"); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, "a removed key", b.send(b.request(b.waiting(), "allow"), laptop), 403, "no enrolled key")
}

// A book that another process wrote, or an older copy of it, does not count.
func TestForgedBook(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	red := newPhone("red")
	b.enrol(red)
	file := filepath.Join(b.opts.State, bookFile)
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(old), "PRIVATE") {
		t.Error("the file has a private key")
	}
	book := OpenBook(b.kit().Grants())
	if err := book.RemoveKey("red"); err != nil {
		t.Fatal(err)
	}
	b.call("danger", "c1")
	body, _ := json.Marshal(entries{Keys: []Key{{Name: "red", Kind: Phone, Public: red.public()}}})
	for name, data := range map[string][]byte{"older copy": old, "without a seal": body,
		"another seal": slices.Concat([]byte(`{"seal":"`+strings.Repeat("0", 64)+`","generation":9999999999999999,"body":`), body, []byte("}\n"))} {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		r := &Request{Handle: b.waiting().Handle, Digest: b.waiting().Digest, Decision: "allow"}
		r.Challenge, _, _ = b.challenges.issue(r.Handle, b.at)
		wantStatus(t, name, b.send(r, red), http.StatusForbidden, "not as checkrein left it")
	}
}

// A code that 64 requests have at once answers one of 64 calls.
func TestCodeAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for i := range 64 {
		b.call(fmt.Sprint("danger ", i), fmt.Sprint("c", i))
	}
	list, err := b.List()
	if err != nil || len(list) != 64 {
		t.Fatalf("%d calls wait: %v", len(list), err)
	}
	text, err := OpenBook(b.kit().Grants()).NewCode("")
	if err != nil {
		t.Fatal(err)
	}
	var won atomic.Int32
	var wg sync.WaitGroup
	for _, a := range list {
		wg.Go(func() {
			answer, _ := json.Marshal(&Request{Handle: a.Handle, Digest: a.Digest, Decision: "allow"})
			if _, err := b.Answer(a.Handle, answer, &Proof{Code: text}); err == nil {
				won.Add(1)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("a code has answered %d calls", won.Load())
	}
}

// Of 64 proven answers at once, one counts; the others get 409 and that answer.
func TestAnswersAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	red := newPhone("red")
	b.enrol(red)
	b.call("danger", "c1")
	a := b.waiting()
	var won, late atomic.Int32
	var wg sync.WaitGroup
	for i := range 64 {
		r := b.request(a, []string{"allow", "deny"}[i%2])
		wg.Go(func() {
			err := b.send(r, red)
			var e *Error
			switch {
			case err == nil:
				won.Add(1)
			case errors.As(err, &e) && e.Status == http.StatusConflict && e.Answer != nil:
				late.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 || late.Load() != 63 {
		t.Errorf("%d answers counted, %d came late", won.Load(), late.Load())
	}
}
