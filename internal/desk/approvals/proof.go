package approvals

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/checkrein/checkrein/internal/sys/random"
)

// A Proof shows that a person gave an answer. It has a code, or the name of a key and what that key
// signed. Bytes are in base64.
type Proof struct {
	Code string `json:"code,omitempty"` // from the person's terminal

	Key       string `json:"key,omitempty"` // the name of an enrolled key
	Signature []byte `json:"signature,omitempty"`
	// A passkey signs these, and the first names the digest of what it was asked to sign.
	ClientData        []byte `json:"client_data,omitempty"`
	AuthenticatorData []byte `json:"authenticator_data,omitempty"`
}

// What keys sign begins with one of these, so that a signature for one purpose serves no other.
const (
	answerPrefix    = "checkrein/approval/1\n"
	enrolmentPrefix = "checkrein/enrolment/1\n"
	policyPrefix    = "checkrein/policy/1\n"
)

// verify returns an error unless p proves that the holder of k signed text. For a passkey, origin is
// the only origin whose pages may ask for the signature. The result is the passkey's counter.
func (p *Proof) verify(k *Key, text []byte, origin string) (count uint32, err error) {
	public, err := x509.ParsePKIXPublicKey(k.Public)
	if err != nil {
		return 0, err
	}
	if k.Kind == Phone {
		sum := sha256.Sum256(text)
		own, ok := public.(*ecdsa.PublicKey)
		if !ok || len(p.Signature) != 64 || !ecdsa.Verify(own, sum[:], new(big.Int).SetBytes(p.Signature[:32]), new(big.Int).SetBytes(p.Signature[32:])) {
			return 0, errSignature
		}
		return 0, nil
	}
	if err := checkClientData(p.ClientData, "webauthn.get", text, origin); err != nil {
		return 0, err
	}
	count, _, err = parseAuthenticatorData(p.AuthenticatorData, false)
	if err != nil {
		return 0, err
	}
	client := sha256.Sum256(p.ClientData)
	if !isSignedBy(public, slices.Concat(p.AuthenticatorData, client[:]), p.Signature) {
		return 0, errSignature
	}
	return count, nil
}

var errSignature = errors.New("the signature is wrong")

// isSignedBy reports whether signature is that of text by a passkey.
func isSignedBy(public any, text, signature []byte) bool {
	sum := sha256.Sum256(text)
	switch k := public.(type) {
	case *ecdsa.PublicKey:
		return ecdsa.VerifyASN1(k, sum[:], signature)
	case ed25519.PublicKey:
		return ed25519.Verify(k, text, signature)
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(k, crypto.SHA256, sum[:], signature) == nil
	}
	return false
}

// passkeyHost is the host of the origin of passkeys. Browsers accept no address there.
const passkeyHost = "localhost"

// checkClientData returns an error unless data, the client data of WebAuthn, is of the given type, for
// the digest of text, and from origin.
func checkClientData(data []byte, kind string, text []byte, origin string) error {
	var c struct {
		Type, Challenge, Origin string
		CrossOrigin             bool
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return fmt.Errorf("the client data cannot be read: %w", err)
	}
	sum := sha256.Sum256(text)
	switch {
	case c.Type != kind:
		return errors.New("the client data is for something else")
	case subtle.ConstantTimeCompare([]byte(c.Challenge), []byte(base64.RawURLEncoding.EncodeToString(sum[:]))) != 1:
		return errors.New("the passkey signed another answer")
	case c.Origin != origin || c.CrossOrigin:
		return fmt.Errorf("the passkey was used on %q, not on %s", c.Origin, origin)
	}
	return nil
}

// Flags of authenticator data.
const (
	userPresent  = 1 << 0
	userVerified = 1 << 2
	hasKey       = 1 << 6
)

// parseAuthenticatorData returns the signature counter in data and, if made is set, the id of the new
// credential. It returns an error unless a person was present and verified, for localhost.
func parseAuthenticatorData(data []byte, made bool) (count uint32, credential []byte, err error) {
	place := sha256.Sum256([]byte(passkeyHost))
	if len(data) < 37 || !bytes.Equal(data[:32], place[:]) {
		return 0, nil, errors.New("the authenticator data is not for " + passkeyHost)
	}
	flags, count := data[32], binary.BigEndian.Uint32(data[33:])
	if flags&(userPresent|userVerified) != userPresent|userVerified {
		return 0, nil, errors.New("the authenticator did not verify the person")
	}
	if !made {
		return count, nil, nil
	}
	const id = 37 + 16 + 2
	if flags&hasKey == 0 || len(data) < id {
		return 0, nil, errors.New("the authenticator data has no key")
	}
	n := int(binary.BigEndian.Uint16(data[id-2:]))
	if n == 0 || n > 1023 || len(data) < id+n {
		return 0, nil, errors.New("the authenticator data has no credential")
	}
	return count, slices.Clone(data[id : id+n]), nil
}

// newKey returns the key that p and public are about, for the enrolment n with this secret. It returns
// an error unless the holder of the key made the request.
func newKey(n *enrolment, secret string, public []byte, p *Proof, origin string, now time.Time) (*Key, error) {
	k := &Key{Name: n.Name, Kind: n.Kind, Public: public, Made: now}
	parsed, err := x509.ParsePKIXPublicKey(public)
	if err != nil {
		return nil, errors.New("the public key cannot be read")
	}
	text := []byte(enrolmentPrefix + secret)
	if ec, ok := parsed.(*ecdsa.PublicKey); ok && ec.Curve != elliptic.P256() {
		return nil, errors.New("the public key is not on the curve P-256")
	}
	if n.Kind == Phone {
		_, err := p.verify(k, text, origin)
		return k, err
	}
	if err := checkClientData(p.ClientData, "webauthn.create", text, origin); err != nil {
		return nil, err
	}
	k.Count, k.Credential, err = parseAuthenticatorData(p.AuthenticatorData, true)
	return k, err
}

// challengeLife is how long a challenge can be answered.
const challengeLife = 2 * time.Minute

// challenges makes and checks challenges: random numbers with an end, authenticated for a handle. Only
// those that were used are stored, so that requests cannot fill the memory.
type challenges struct {
	key [32]byte

	mu   sync.Mutex
	used map[string]time.Time // with their ends
}

func newChallenges() (*challenges, error) {
	c := &challenges{used: map[string]time.Time{}}
	return c, random.Read(c.key[:])
}

// issue returns a new challenge for handle, and its end.
func (c *challenges) issue(handle string, now time.Time) (string, time.Time, error) {
	end := now.Add(challengeLife)
	raw := make([]byte, 24, 56)
	if err := random.Read(raw[:16]); err != nil {
		return "", end, err
	}
	binary.BigEndian.PutUint64(raw[16:], uint64(end.Unix()))
	return base64.RawURLEncoding.EncodeToString(c.authenticate(raw, handle)), end, nil
}

// authenticate appends the MAC of raw and handle to raw.
func (c *challenges) authenticate(raw []byte, handle string) []byte {
	mac := hmac.New(sha256.New, c.key[:])
	mac.Write(raw)
	mac.Write([]byte(handle))
	return mac.Sum(raw)
}

// check returns an error unless text is a challenge for handle that has not ended.
func (c *challenges) check(text, handle string, now time.Time) error {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(raw) != 56 || !hmac.Equal(c.authenticate(slices.Clone(raw[:24]), handle), raw) {
		return errors.New("the challenge is not from this server, or not for this call")
	}
	if end := binary.BigEndian.Uint64(raw[16:]); uint64(now.Unix()) >= end {
		return errors.New("the challenge has expired")
	}
	return nil
}

// use marks text, a challenge that was answered, as used. It reports false if it was used before.
func (c *challenges) use(text string, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for have, end := range c.used {
		if now.After(end) {
			delete(c.used, have)
		}
	}
	if _, again := c.used[text]; again {
		return false
	}
	c.used[text] = now.Add(challengeLife)
	return true
}
