package grant

import (
	"crypto/hmac"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// What an answer decides.
const (
	AnswerAllow = "allow"
	AnswerDeny  = "deny"
)

// An Answer is what a person decided about a block.
type Answer struct {
	Handle   string `json:"handle"`
	Digest   string `json:"digest"` // the digest of the block
	Decision string `json:"decision"`
	Scope    Scope  `json:"scope,omitempty"`
	Grant    string `json:"grant,omitempty"` // the id of the grant that it gave
	Words    string `json:"words,omitempty"` // for the agent
	By       string `json:"by"`              // the person, and the proof
	At       Moment `json:"at"`
}

// An AnsweredError is the error for a second answer to a block.
type AnsweredError struct{ Answer }

func (e *AnsweredError) Error() string {
	return fmt.Sprintf("it was already answered: %s, by %s, at %s", e.Decision, e.By, e.At.Wall.Local().Format(time.DateTime))
}

const (
	AnswersDir = "answers"
	maxAnswer  = 16 << 10
)

// CallDigest returns the digest of everything in b that a person who answers relies on. It changes
// with what the call would do, but not when the same call is blocked again.
func (b *Block) CallDigest(key []byte) string {
	c := *b
	c.At, c.Times, c.Call, c.Decision, c.Unasked = Moment{}, 0, "", "", ""
	return c.computeSeal(key)
}

// Expires returns when b can no longer be answered.
func (b *Block) Expires() time.Time { return b.At.Wall.Add(Life) }

// NewGrant returns a grant for b that allows one call. It lifts nothing yet.
func (b *Block) NewGrant(now time.Time) Grant {
	return Grant{Handle: b.Handle, Scope: Once, Shown: b.Shown, Binding: b.Binding, Root: b.Root, Until: now.Add(Life)}
}

// LimitToSession makes g a grant for the session of b. It fails if that session is unknown.
func (g *Grant) LimitToSession(b *Block, now time.Time) error {
	if b.Session == "" {
		return fmt.Errorf("%s did not report a session ID, so a grant for the session (--session) cannot be used here. Use --for 2h instead", b.Host)
	}
	g.Scope, g.Host, g.Session, g.Root, g.Until = Session, b.Host, b.Session, "", now.Add(7*24*time.Hour)
	return nil
}

// AnswerTo returns the answer to b that is in force, or nil. A denial is in force for a day, and
// anything else until the call is blocked again.
func (s *Store) AnswerTo(b *Block) (*Answer, error) {
	name := AnswersDir + "/" + b.Handle
	data, err := s.Dir.Read(name, maxAnswer)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var a Answer
	body, ok := s.Dir.UnsealNote(name, data)
	if !ok || json.Unmarshal(body, &a) != nil || !hmac.Equal([]byte(a.Digest), []byte(b.Digest)) {
		return nil, nil // a forged answer allows nothing, and must not keep a person from answering
	}
	age, ok := s.Now().since(a.At)
	if !ok || age > Life || a.Decision != AnswerDeny && b.At.Wall.After(a.At.Wall) {
		return nil, nil
	}
	return &a, nil
}

// AddAnswer stores a as the answer to b, after give has put it into effect. Of several answers the
// first counts; the error for the others is an [AnsweredError]. seen is an earlier answer that the
// person has seen and replaces, or nil.
func (s *Store) AddAnswer(b *Block, a Answer, seen *Answer, give func(*Answer) error) (Answer, error) {
	unlock, err := s.Dir.Lock(AnswersDir)
	if err != nil {
		return a, err
	}
	defer unlock()
	have, err := s.AnswerTo(b)
	switch {
	case err != nil:
		return a, err
	case have != nil && (seen == nil || *have != *seen):
		return *have, &AnsweredError{*have}
	}
	a.Handle, a.Digest, a.At = b.Handle, b.Digest, s.Now()
	if err := give(&a); err != nil {
		return a, err
	}
	body, err := json.Marshal(&a)
	if err != nil {
		return a, err
	}
	name := AnswersDir + "/" + b.Handle
	if body, err = s.Dir.SealNote(name, body); err == nil {
		err = s.Dir.Write(name, body)
	}
	return a, err
}

// isAnswerable reports whether b is of the kind that waits for a person's answer.
func (b *Block) isAnswerable() bool { return b.IsLiftable() && b.Opens == nil && b.Value == "" }

// IsFileGone reports whether file, the absolute path of a file with hooks, no longer exists, such as that
// of a freeze that was lifted. Other values, as of default guards, are never gone.
func IsFileGone(file string) bool { return filepath.IsAbs(file) && state.IsAbsent(file) }

// isInForce reports whether a hook that decided about b may still exist.
func (b *Block) isInForce() bool {
	return slices.ContainsFunc(b.By, func(d Decider) bool { return !IsFileGone(d.File) })
}

// isPending reports whether b waits for a person's answer: a grant could allow it, none does, it has no
// answer, and a hook that decided about it may still exist.
func (s *Store) isPending(b *Block) (bool, error) {
	if !b.isAnswerable() || !b.isInForce() {
		return false, nil
	}
	a, err := s.AnswerTo(b)
	if a != nil || err != nil {
		return false, err
	}
	grants, err := s.List()
	for i := range grants {
		if !grants[i].IsSpent() && grants[i].Allows(b) {
			return false, nil
		}
	}
	return true, err
}

// AnswerableBlocks returns the blocks that wait for a person's answer, and those that no longer do,
// newest first. key is that of the seals: blocks that were changed are left out.
func (s *Store) AnswerableBlocks(key []byte) (pending, settled []*Block, err error) {
	all, err := s.Blocks()
	for _, b := range all {
		if !b.isAnswerable() || !b.HasValidSeal(key) {
			continue
		}
		switch waits, why := s.isPending(b); {
		case why != nil:
			return pending, settled, why
		case waits:
			pending = append(pending, b)
		default:
			settled = append(settled, b)
		}
	}
	return pending, settled, err
}

// removeOldAnswers removes the answers that are no longer in force.
func (s *Store) removeOldAnswers() error {
	names, err := s.Dir.Names(AnswersDir)
	if err != nil {
		return nil // nothing was answered yet
	}
	for _, name := range names {
		if !s.Dir.Has(BlocksDir + "/" + name) {
			if err := s.Dir.Remove(AnswersDir + "/" + name); err != nil {
				return err
			}
		}
	}
	return nil
}
