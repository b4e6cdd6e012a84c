// Package approvals answers blocked calls on behalf of people who are not at the terminal.
//
// A blocked call that a grant could allow waits for an answer. Reading what waits takes the server's
// token or a link; an answer takes a [Proof], which no file of the person suffices for: a code from the
// person's own terminal, or the signature of a key that was enrolled there. An answer is bound to
// everything that the person was shown of the call, and the first one counts.
package approvals

import (
	"bytes"
	"crypto/hmac"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// What people see of a blocked call, and of its answer.
type (
	Approval = grant.Approval
	Answered = grant.Answered
)

// Options configure a desk.
type Options struct {
	Open   func(dir string) (*app.Kit, error) // opens the kit of a directory; "" = where the server runs
	Person string                             // the name of the user, for the record
	// Origin is the origin of the server's pages with the host localhost, on which passkeys work, such
	// as http://localhost:8000. It is "" if another program could answer there.
	Origin string
	Config string // the person's own checkrein.yaml
	Now    func() time.Time
}

// A Desk lists what waits for an answer and takes answers. It is safe for concurrent use.
type Desk struct {
	opts       Options
	challenges *challenges
	answering  sync.Mutex // lets answers wait for each other longer than for those of other processes
}

// New returns a desk for opts.
func New(opts Options) (*Desk, error) {
	c, err := newChallenges()
	return &Desk{opts: opts, challenges: c}, err
}

// An Error says why a request was not carried out.
type Error struct {
	Status      int // of HTTP
	Why, Remedy string
	Answer      *Answered // the answer that came first
}

func (e *Error) Error() string { return e.Why }

func unknownHandle(handle string) error {
	return &Error{Status: http.StatusNotFound, Why: fmt.Sprintf("no call blocked in the last day has the handle %q", handle), Remedy: "list the calls that wait: GET /v1/approvals"}
}

// A Request is an answer as a client sends it. What it is about stands in it, so that a proof over it
// serves nothing else.
type Request struct {
	Handle    string `json:"handle"`
	Digest    string `json:"digest"`              // as in the approval that the person saw
	Decision  string `json:"decision"`            // allow or deny
	Scope     string `json:"scope,omitempty"`     // once, which is the default, or session
	Programs  bool   `json:"programs,omitempty"`  // also lift what programs decided
	Words     string `json:"words,omitempty"`     // for the agent
	Challenge string `json:"challenge,omitempty"` // required for the signature of a key
}

// maxWords is how many bytes of words the agent gets.
const maxWords = protocol.MaxWords

// parseRequest reads an answer to the block handle.
func parseRequest(text []byte, handle string) (*Request, error) {
	var r Request
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return nil, &Error{Status: http.StatusBadRequest, Why: "the answer cannot be read: " + err.Error(), Remedy: `send {"answer": {"handle", "digest", "decision", …}, "proof": {…}}`}
	}
	why := ""
	switch {
	case r.Handle != handle:
		why = "the answer is for another call than its address"
	case r.Decision != grant.AnswerAllow && r.Decision != grant.AnswerDeny:
		why = "the decision must be allow or deny"
	case r.Scope != "" && r.Scope != string(grant.Once) && r.Scope != string(grant.Session):
		why = "the scope must be once or session"
	case len(r.Words) > maxWords:
		why = fmt.Sprintf("the words for the agent are longer than %d bytes", maxWords)
	}
	if why != "" {
		return nil, &Error{Status: http.StatusBadRequest, Why: why, Remedy: "correct the answer, and prove it again"}
	}
	return &r, nil
}

// List returns what waits for an answer, newest first.
func (d *Desk) List() ([]*Approval, error) {
	k, err := d.opts.Open("")
	if err != nil {
		return nil, err
	}
	return ListPending(k)
}

// ListPending returns what waits for an answer in k, newest first.
func ListPending(k *app.Kit) ([]*Approval, error) {
	key, err := k.BlockKey()
	if err != nil {
		return nil, err
	}
	blocks, _, err := k.AnswerableBlocks()
	out := make([]*Approval, 0, len(blocks))
	for _, b := range blocks {
		out = append(out, grant.NewApproval(b, b.CallDigest(key)))
	}
	return out, err
}

// ListSettled returns the handles of the blocked calls that no longer wait for an answer.
func (d *Desk) ListSettled() ([]string, error) {
	k, err := d.opts.Open("")
	if err != nil {
		return nil, err
	}
	_, settled, err := k.AnswerableBlocks()
	var handles []string
	for _, b := range settled {
		handles = append(handles, b.Handle)
	}
	return handles, err
}

// Find returns the blocked call with this handle, whether it waits for an answer or has one.
func (d *Desk) Find(handle string) (*Approval, error) {
	k, err := d.opts.Open("")
	if err != nil {
		return nil, err
	}
	b, a, err := findBlock(k, handle)
	if err != nil {
		return nil, err
	}
	given, err := k.Grants().AnswerTo(b)
	if given != nil {
		a.Answer = grant.NewAnswered(given)
	}
	return a, err
}

// findBlock returns the block with this handle, and its display.
func findBlock(k *app.Kit, handle string) (*grant.Block, *Approval, error) {
	key, err := k.BlockKey()
	if err != nil {
		return nil, nil, err
	}
	b, err := k.Grants().Block(handle)
	if errors.Is(err, grant.ErrUnknown) || err == nil && (!b.HasValidSeal(key) || !b.IsLiftable() || b.Opens != nil) {
		return nil, nil, unknownHandle(handle)
	}
	if err != nil {
		return nil, nil, err
	}
	return b, grant.NewApproval(b, b.CallDigest(key)), nil
}

// A Challenge is what a key signs together with an answer.
type Challenge struct {
	Challenge string    `json:"challenge"`
	Expires   time.Time `json:"expires"`
	Keys      []KeyName `json:"keys"` // the enrolled ones
}

// A KeyName names a key that may sign.
type KeyName struct {
	Name       string `json:"name"`
	Kind       string `json:"kind"`
	Credential []byte `json:"credential,omitempty"`
}

// Challenge returns a challenge for an answer to the block, or for the change of a policy, with this
// handle.
func (d *Desk) Challenge(handle string) (*Challenge, error) {
	k, err := d.opts.Open("")
	if err != nil {
		return nil, err
	}
	if !IsPolicyHandle(handle) {
		if _, _, err := findBlock(k, handle); err != nil {
			return nil, err
		}
	}
	keys, err := OpenBook(k.Grants()).Keys()
	if err != nil {
		return nil, err
	}
	c := &Challenge{Keys: []KeyName{}}
	for i := range keys {
		c.Keys = append(c.Keys, KeyName{keys[i].Name, keys[i].Kind, keys[i].Credential})
	}
	c.Challenge, c.Expires, err = d.challenges.issue(handle, d.opts.Now())
	return c, err
}

// Answer carries out the answer text, a [Request] exactly as its proof covers it, to the block with
// this handle.
func (d *Desk) Answer(handle string, text []byte, p *Proof) (*Answered, error) {
	r, err := parseRequest(text, handle)
	if err != nil {
		return nil, err
	}
	return d.carryOut(r, func(k *app.Kit) (string, error) {
		return d.check(k, r.Handle, r.Challenge, slices.Concat([]byte(answerPrefix), text), p)
	})
}

// carryOut carries out r if prove returns who gave it.
func (d *Desk) carryOut(r *Request, prove func(*app.Kit) (by string, err error)) (*Answered, error) {
	k, err := d.opts.Open("")
	if err != nil {
		return nil, err
	}
	d.answering.Lock()
	defer d.answering.Unlock()
	b, shown, err := findBlock(k, r.Handle)
	if err != nil {
		return nil, err
	}
	if !hmac.Equal([]byte(shown.Digest), []byte(r.Digest)) {
		return nil, &Error{Status: http.StatusConflict, Why: "the call would now do something other than what was shown", Remedy: "look at the call again, and answer it as it is now"}
	}
	given, err := k.Grants().AnswerTo(b)
	if err != nil {
		return nil, err
	}
	if given != nil {
		return nil, answeredError(given)
	}
	a := grant.Answer{Decision: r.Decision, Words: strings.TrimSpace(r.Words)}
	var g grant.Grant
	if r.Decision == grant.AnswerAllow {
		if g, err = d.newGrant(b, r); err != nil {
			return nil, &Error{Status: http.StatusUnprocessableEntity, Why: err.Error(), Remedy: "answer it in a terminal: " + b.AllowCommand("")}
		}
	}
	if a.By, err = prove(k); err != nil {
		return nil, err
	}
	a, err = k.AnswerBlock(b, a, g, nil)
	if late := (*grant.AnsweredError)(nil); errors.As(err, &late) {
		return nil, answeredError(&late.Answer)
	}
	return grant.NewAnswered(&a), err
}

// answeredError returns the error for an answer after a.
func answeredError(a *grant.Answer) error {
	return &Error{Status: http.StatusConflict, Why: (&grant.AnsweredError{Answer: *a}).Error(), Remedy: "you need not do anything: the first answer counts", Answer: grant.NewAnswered(a)}
}

// newGrant returns the grant for b that r describes.
func (d *Desk) newGrant(b *grant.Block, r *Request) (grant.Grant, error) {
	now := d.opts.Now()
	g := b.NewGrant(now)
	g.Host, g.Session = b.Host, b.Session // the person saw the call of this session
	if r.Scope == string(grant.Session) {
		if err := g.LimitToSession(b, now); err != nil {
			return g, err
		}
	}
	if r.Programs {
		g.Lifts = slices.Clone(b.By)
		return g, nil
	}
	if slices.ContainsFunc(b.By, func(d grant.Decider) bool { return d.Program }) {
		return g, errors.New(`a program blocked this call, and it may know something that checkrein does not: to lift its decision too, send "programs": true`)
	}
	return g, g.SetLifts(b, nil)
}

// check returns who proved the request about handle by p, which signs text and the challenge in it.
func (d *Desk) check(k *app.Kit, handle, challenge string, text []byte, p *Proof) (who string, err error) {
	by, err := d.findProver(OpenBook(k.Grants()), handle, challenge, text, p)
	if err != nil && !errors.Is(err, state.ErrBusy) {
		err = &Error{Status: http.StatusForbidden, Why: "this does not prove that a person answers: " + err.Error(), Remedy: "answer with a code, a passkey or an enrolled phone: checkrein docs desk"}
	}
	return d.opts.Person + " (" + by + ")", err
}

// findProver is check, and returns only what proved the request.
func (d *Desk) findProver(book *Book, handle, challenge string, text []byte, p *Proof) (by string, err error) {
	if p.Code != "" {
		return "code", book.useCode(p.Code, handle)
	}
	if p.Key == "" {
		return "", errors.New("there is no proof")
	}
	now := d.opts.Now()
	if err := d.challenges.check(challenge, handle, now); err != nil {
		return "", err
	}
	k, err := book.findKey(p.Key)
	if err != nil {
		return "", err
	}
	if k == nil {
		return "", errors.New("no enrolled key has this name")
	}
	count, err := p.verify(k, text, d.opts.Origin)
	if err != nil {
		return "", err
	}
	if !d.challenges.use(challenge, now) {
		return "", errors.New("the challenge was used before")
	}
	return k.Kind + " " + k.Name, book.noteUse(k.Name, count)
}

// Enrol takes the public key of a browser for the enrolment with this secret. It returns the key, which
// does not count before the person confirms it at the terminal.
func (d *Desk) Enrol(secret string, public []byte, p *Proof) (*Key, error) {
	k, err := d.opts.Open("")
	if err != nil {
		return nil, err
	}
	var made *Key
	book := OpenBook(k.Grants())
	err = book.change(func(e *entries) error {
		n := e.findEnrolment(secret, book.now())
		switch {
		case n == nil:
			return &Error{Status: http.StatusForbidden, Why: "the link is wrong or has expired", Remedy: "run checkrein approvals again in your own terminal"}
		case n.Key != nil:
			return &Error{Status: http.StatusConflict, Why: "the link was used", Remedy: "if you did not use it, answer no at the terminal, and run the command again"}
		}
		var err error
		if made, err = newKey(n, secret, public, p, d.opts.Origin, d.opts.Now()); err != nil {
			return &Error{Status: http.StatusForbidden, Why: err.Error(), Remedy: "try again with another browser or passkey"}
		}
		n.Key = made
		return nil
	})
	return made, err
}

// EnrolmentKind returns the kind and the name of the enrolment with this secret, or "" if there is none.
func (d *Desk) EnrolmentKind(secret string) (kind, name string, err error) {
	k, err := d.opts.Open("")
	if err != nil {
		return "", "", err
	}
	book := OpenBook(k.Grants())
	e, err := book.read()
	if n := e.findEnrolment(secret, book.now()); n != nil {
		return n.Kind, n.Name, err
	}
	return "", "", err
}
