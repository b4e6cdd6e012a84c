package approvals

import (
	"bytes"
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/sys/random"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// Kinds of keys.
const (
	Passkey = "passkey" // of WebAuthn, in this machine's browser
	Phone   = "phone"   // of WebCrypto, in the browser of another device
)

// A Key is a public key that a person enrolled.
type Key struct {
	Name       string    `json:"name"`
	Kind       string    `json:"kind"`
	Public     []byte    `json:"public"`               // in PKIX form
	Credential []byte    `json:"credential,omitempty"` // the id of a passkey
	Count      uint32    `json:"count,omitempty"`      // the last signature counter of a passkey
	Made       time.Time `json:"made"`
	Used       time.Time `json:"used,omitzero"`
}

// Fingerprint returns the digest of the public key by which a person compares keys.
func (k *Key) Fingerprint() string {
	sum := sha256.Sum256(k.Public)
	text := hex.EncodeToString(sum[:8])
	return text[:4] + "-" + text[4:8] + "-" + text[8:12] + "-" + text[12:]
}

// An enrolment waits for the key of a browser. The person then confirms the key at the terminal.
type enrolment struct {
	Kind   string       `json:"kind"`
	Name   string       `json:"name"`
	Digest []byte       `json:"digest"` // of the secret in the link
	Made   grant.Moment `json:"made"`
	Until  time.Time    `json:"until"`
	Key    *Key         `json:"key,omitempty"`
}

// A code is a short secret with which a person answers once.
type code struct {
	Salt   []byte       `json:"salt"`
	Digest []byte       `json:"digest"`
	Handle string       `json:"handle,omitempty"` // the only block or change of a policy that it answers; "" = any block
	Tries  int          `json:"tries"`            // wrong ones
	Made   grant.Moment `json:"made"`
	Until  time.Time    `json:"until"`
}

type entries struct {
	Keys       []Key       `json:"keys,omitempty"`
	Enrolments []enrolment `json:"enrolments,omitempty"`
	Code       *code       `json:"code,omitempty"`
	Used       []usedUp    `json:"used,omitempty"`
}

// A usedUp is an answer of a fleet's approver that serves for nothing any more.
type usedUp struct {
	Digest []byte    `json:"digest"`
	Until  time.Time `json:"until"` // when it expires anyway
}

// A Book holds what proves that a person answers: public keys, and the digest of a code. It holds
// nothing that answers could be made with. Its file is sealed, so that no process without the ledger's
// key can add to it. It is safe for concurrent use by goroutines and processes.
type Book struct {
	dir state.Dir
	now func() grant.Moment
}

// OpenBook returns the book in the state directory of s.
func OpenBook(s *grant.Store) *Book { return &Book{s.Dir, s.Now} }

const (
	bookFile = state.ApproversFile
	maxBook  = 1 << 20
	maxKeys  = 32

	// CodeLife is how long a code is valid, and EnrolmentLife the link of an enrolment.
	CodeLife      = 10 * time.Minute
	EnrolmentLife = 10 * time.Minute
	maxTries      = 5
)

// read returns the entries of the book.
func (b *Book) read() (entries, error) {
	var e entries
	body, _, err := b.dir.ReadSealed(bookFile, maxBook)
	if errors.Is(err, fs.ErrNotExist) {
		return e, nil
	}
	if err == nil {
		err = json.Unmarshal(body, &e)
	}
	return e, err
}

// change calls fn with the entries while it holds their lock, and writes them unless fn fails.
func (b *Book) change(fn func(*entries) error) error {
	unlock, err := b.dir.Lock(bookFile)
	if err != nil {
		return err
	}
	defer unlock()
	e, err := b.read()
	if err != nil {
		return err
	}
	now := b.now()
	e.Used = slices.DeleteFunc(e.Used, func(u usedUp) bool { return now.Wall.After(u.Until) })
	e.Enrolments = slices.DeleteFunc(e.Enrolments, func(n enrolment) bool { return n.Made.ExpiryReason(n.Until, now) != "" })
	if e.Code != nil && e.Code.Made.ExpiryReason(e.Code.Until, now) != "" {
		e.Code = nil
	}
	if err := fn(&e); err != nil {
		return err
	}
	body, err := json.Marshal(&e)
	if err != nil {
		return err
	}
	return b.dir.WriteSealed(bookFile, body, true)
}

// Keys returns the enrolled keys.
func (b *Book) Keys() ([]Key, error) {
	e, err := b.read()
	return e.Keys, err
}

// findKey returns the enrolled key called name, or nil.
func (b *Book) findKey(name string) (*Key, error) {
	e, err := b.read()
	for i := range e.Keys {
		if e.Keys[i].Name == name {
			return &e.Keys[i], err
		}
	}
	return nil, err
}

// RemoveKey removes the key called name.
func (b *Book) RemoveKey(name string) error {
	return b.change(func(e *entries) error {
		n := len(e.Keys)
		if e.Keys = slices.DeleteFunc(e.Keys, func(k Key) bool { return k.Name == name }); len(e.Keys) == n {
			return fmt.Errorf("no key is called %s: to list the keys, run checkrein approvals", visible.EscapeLine(name))
		}
		return nil
	})
}

// noteUse stores when the key was used and its signature counter. It fails if another process has
// noted a later counter, which means that the key was copied.
func (b *Book) noteUse(name string, count uint32) error {
	return b.change(func(e *entries) error {
		i := slices.IndexFunc(e.Keys, func(k Key) bool { return k.Name == name })
		if i < 0 {
			return errors.New("the key was removed")
		}
		k := &e.Keys[i]
		if (count != 0 || k.Count != 0) && count <= k.Count {
			return errors.New("the key's counter went back, so it may have been copied")
		}
		k.Count, k.Used = count, b.now().Wall
		return nil
	})
}

// checkName returns an error if name cannot be that of a key.
func checkName(name string) error {
	fine := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
	}
	if name == "" || len(name) > 32 || strings.IndexFunc(name, func(r rune) bool { return !fine(r) }) >= 0 {
		return errors.New("a name has up to 32 letters, digits, - and _")
	}
	return nil
}

// BeginEnrolment returns the secret for the link with which a browser enrols the key name.
func (b *Book) BeginEnrolment(kind, name string) (secret string, err error) {
	if err := checkName(name); err != nil {
		return "", err
	}
	raw := make([]byte, 16)
	if err := random.Read(raw); err != nil {
		return "", err
	}
	secret = hex.EncodeToString(raw)
	return secret, b.change(func(e *entries) error {
		if slices.ContainsFunc(e.Keys, func(k Key) bool { return k.Name == name }) {
			return fmt.Errorf("a key is already called %s: to remove it, run checkrein approvals remove %s", name, name)
		}
		if len(e.Keys) >= maxKeys {
			return fmt.Errorf("there are already %d keys: remove one first", maxKeys)
		}
		e.Enrolments = slices.DeleteFunc(e.Enrolments, func(n enrolment) bool { return n.Name == name })
		now := b.now()
		e.Enrolments = append(e.Enrolments, enrolment{Kind: kind, Name: name, Digest: digestOf(secret), Made: now, Until: now.Wall.Add(EnrolmentLife)})
		return nil
	})
}

// EnrolledKey returns the key that a browser made for the enrolment, or nil if there is none yet. It
// fails if the enrolment has ended.
func (b *Book) EnrolledKey(secret string) (*Key, error) {
	e, err := b.read()
	if err != nil {
		return nil, err
	}
	n := e.findEnrolment(secret, b.now())
	if n == nil {
		return nil, errors.New("the link has expired: run the command again")
	}
	return n.Key, nil
}

// findEnrolment returns the enrolment with this secret, or nil.
func (e *entries) findEnrolment(secret string, now grant.Moment) *enrolment {
	sum := digestOf(secret)
	for i := range e.Enrolments {
		n := &e.Enrolments[i]
		if subtle.ConstantTimeCompare(n.Digest, sum) == 1 && n.Made.ExpiryReason(n.Until, now) == "" {
			return n
		}
	}
	return nil
}

// EndEnrolment ends the enrolment. If confirmed is set, its key counts from now on.
func (b *Book) EndEnrolment(secret string, confirmed *Key) error {
	return b.change(func(e *entries) error {
		n := e.findEnrolment(secret, b.now())
		switch {
		case n == nil && confirmed == nil:
			return nil
		case n == nil || confirmed != nil && (n.Key == nil || n.Key.Fingerprint() != confirmed.Fingerprint()):
			return errors.New("the link has expired: run the command again")
		case confirmed != nil:
			e.Keys = append(e.Keys, *n.Key)
		}
		name := n.Name
		e.Enrolments = slices.DeleteFunc(e.Enrolments, func(n enrolment) bool { return n.Name == name })
		return nil
	})
}

// codeLetters are the letters of codes, without those that look alike.
const codeLetters = "0123456789abcdefghjkmnpqrstvwxyz"

// NewCode returns a new code, which replaces any earlier one. It answers only the block, or the change of
// a policy, with this handle or, if handle is "", any block.
func (b *Book) NewCode(handle string) (string, error) {
	raw := make([]byte, 26)
	if err := random.Read(raw); err != nil {
		return "", err
	}
	var text strings.Builder
	for i, r := range raw[:10] {
		if i == 5 {
			text.WriteByte('-')
		}
		text.WriteByte(codeLetters[r%32])
	}
	c := &code{Salt: raw[10:], Handle: handle}
	var err error
	if c.Digest, err = c.digest(text.String()); err != nil {
		return "", err
	}
	return text.String(), b.change(func(e *entries) error {
		c.Made = b.now()
		c.Until = c.Made.Wall.Add(CodeLife)
		e.Code = c
		return nil
	})
}

// digest returns the slow digest of text, a code as a person typed it.
func (c *code) digest(text string) ([]byte, error) {
	text = strings.NewReplacer("-", "", " ", "", "o", "0", "i", "1", "l", "1").Replace(strings.ToLower(text))
	return pbkdf2.Key(sha256.New, text, c.Salt, 200_000, sha256.Size)
}

// errCode is the error for a code that does not count. It does not say why.
var errCode = errors.New("the code is wrong, was used, or has expired: get a new one in your own terminal with checkrein approvals code")

// useCode uses up the code if text is that code and it may answer what has this handle. After a
// few wrong tries no code is left.
func (b *Book) useCode(text, handle string) error {
	result := errCode
	err := b.change(func(e *entries) error {
		if e.Code == nil {
			return errCode // nothing is written
		}
		sum, err := e.Code.digest(text)
		if err != nil {
			return err
		}
		right := subtle.ConstantTimeCompare(sum, e.Code.Digest) == 1
		switch {
		case right && (e.Code.Handle == handle || e.Code.Handle == "" && !IsPolicyHandle(handle)):
			result, e.Code = nil, nil
		case e.Code.Tries+1 >= maxTries:
			e.Code = nil
		default:
			e.Code.Tries++
		}
		return nil
	})
	if err != nil {
		return err
	}
	return result
}

// useUp uses up text, an answer that expires at until. It fails if that was done before.
func (b *Book) useUp(text string, until time.Time) error {
	sum := digestOf(text)
	return b.change(func(e *entries) error {
		if slices.ContainsFunc(e.Used, func(u usedUp) bool { return bytes.Equal(u.Digest, sum) }) {
			return errors.New("the answer was used before")
		}
		e.Used = append(e.Used, usedUp{sum, until})
		return nil
	})
}

// digestOf returns the digest of a random secret, or of an answer.
func digestOf(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}
