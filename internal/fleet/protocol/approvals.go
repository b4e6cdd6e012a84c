package protocol

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/checkrein/checkrein/internal/approval/grant"
)

// Pending is what waits for an answer in an account of a machine, and what became of answers.
type Pending struct {
	User      string           `json:"user"` // the account
	Approvals []grant.Approval `json:"approvals"`
	Taken     []Taken          `json:"taken,omitempty"`
}

// Limits of [Pending].
const (
	MaxPending     = 100 // approvals of an account
	MaxPendingBody = 4 << 20
)

// A Taken is what became of an answer on its machine.
type Taken struct {
	ID  string `json:"id"`            // of the approval
	Why string `json:"why,omitempty"` // why the answer does not count; "" = it counts
}

// An Approval is a blocked call on a machine that waits for an answer, or has one.
type Approval struct {
	ID      string         `json:"id"`
	Machine string         `json:"machine"`
	Name    string         `json:"name"` // of the machine
	User    string         `json:"user"` // the account
	Call    grant.Approval `json:"call"`
	Given   *Given         `json:"given,omitempty"` // the answer
}

// ApprovalID returns the id of an approval. It covers what an answer is bound to.
func ApprovalID(machine, user, digest string) string {
	sum := sha256.Sum256([]byte(machine + "\x00" + user + "\x00" + digest))
	return hex.EncodeToString(sum[:6])
}

// IsOpen reports whether the approval takes an answer: it has none that counts or may count.
func (a *Approval) IsOpen() bool { return a.Given == nil || a.Given.Why != "" }

// A NewAnswer is the answer of an approver to what they were shown.
type NewAnswer struct {
	Digest   string `json:"digest"`             // as in the call
	Decision string `json:"decision"`           // allow, for one call, or deny
	Programs bool   `json:"programs,omitempty"` // also lift what programs decided
	Words    string `json:"words,omitempty"`    // for the agent
}

// MaxWords limits the words for an agent, in bytes.
const MaxWords = 500

// A Given is an answer that was given at the hub.
type Given struct {
	NewAnswer
	By    string    `json:"by"`
	At    time.Time `json:"at"`
	Taken time.Time `json:"taken,omitzero"` // when its machine reported what became of it
	Why   string    `json:"why,omitempty"`  // why it does not count
}

// An Answer is an answer as the hub signs it for a machine. All of it is covered, so it serves for no
// other machine, call or time.
type Answer struct {
	Machine string `json:"machine"`
	Handle  string `json:"handle"`
	NewAnswer
	By      string    `json:"by"`
	At      time.Time `json:"at"`
	Expires time.Time `json:"expires"` // by the machine's clock, as the call itself
}

// A SignedAnswer carries an [Answer] to a machine.
type SignedAnswer struct {
	ID        string `json:"id"`     // of the approval
	User      string `json:"user"`   // the account
	Answer    []byte `json:"answer"` // as JSON
	Signature []byte `json:"signature"`
}

// answerPrefix begins what the hub signs, so that a signature of its key for another purpose serves for no
// answer.
const answerPrefix = "checkrein/fleet-approval/1\n"

// Sign returns the answer to the approval id of an account, signed with the hub's key.
func (a *Answer) Sign(id, user string, key ed25519.PrivateKey) (*SignedAnswer, error) {
	text, err := json.Marshal(a)
	return &SignedAnswer{id, user, text, ed25519.Sign(key, append([]byte(answerPrefix), text...))}, err
}

// Open returns the answer if the hub with this key signed it.
func (s *SignedAnswer) Open(key ed25519.PublicKey) (*Answer, error) {
	if len(key) != ed25519.PublicKeySize || !ed25519.Verify(key, append([]byte(answerPrefix), s.Answer...), s.Signature) {
		return nil, errors.New("the hub did not sign this answer")
	}
	a := &Answer{}
	return a, json.Unmarshal(s.Answer, a)
}
