package prove

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A certificate is a signed proof, with which others can verify that it was made on this machine and is
// unchanged. It is one line of JSON: the proof, the machine's public key, and an Ed25519 signature of
// the canonical form of the proof. The certificate must be spelled exactly as it was written, since every
// byte counts.

// KeyFile is the file of the machine's key in the state directory.
const KeyFile = "machine.key"

// MaxCertificate limits the size of a certificate.
const MaxCertificate = 4 << 20

// certificateForm names the format of certificates. The signature covers it too.
const certificateForm = "checkrein certificate 1"

var (
	// ErrChanged means that a certificate was changed after it was signed.
	ErrChanged = errors.New("it was changed after it was signed: ask for a new copy")
	// ErrOtherKey means that a certificate was signed with another key.
	ErrOtherKey = errors.New("it was signed with another key")
)

// A Key signs for one machine.
type Key struct{ private ed25519.PrivateKey }

// OpenKey reads the machine's key from dir, and creates one if there is none. It fails if other users
// may read the key.
func OpenKey(dir state.Dir) (Key, error) {
	seed, err := dir.ReadOrCreateKey(KeyFile)
	if err == nil {
		err = dir.CheckOwnerOnly(KeyFile)
	}
	if err != nil {
		return Key{}, fmt.Errorf("the machine's key: %w", err)
	}
	return Key{ed25519.NewKeyFromSeed(seed)}, nil
}

// Public returns the key that verifies signatures of k.
func (k Key) Public() seal.PublicKey {
	return seal.PublicKey(k.private.Public().(ed25519.PublicKey))
}

// Sign returns the certificate of proof, which may be any value that JSON can encode.
func (k Key) Sign(proof any) ([]byte, error) {
	text, err := json.Marshal(proof)
	if err != nil {
		return nil, err
	}
	if text, err = canonicalJSON(text); err != nil {
		return nil, err
	}
	file := encodeCertificate(k.Public(), text, ed25519.Sign(k.private, signedText(text)))
	if len(file) > MaxCertificate {
		return nil, fmt.Errorf("the proof is larger than %d bytes", MaxCertificate)
	}
	return file, nil
}

// VerifyCertificate returns the proof in file, a certificate that was signed with key. The error is
// ErrOtherKey if another key signed it, and ErrChanged if it was changed.
func VerifyCertificate(file []byte, key seal.PublicKey) (json.RawMessage, error) {
	if len(file) > MaxCertificate || rawjson.CheckObject(file) != nil {
		return nil, errors.New("not a certificate: create one with checkrein prove")
	}
	if got := rawjson.GetText(file, "form"); got != certificateForm {
		return nil, fmt.Errorf("not a certificate that this build can read: its format is %q, not %q", got, certificateForm)
	}
	if got := rawjson.GetText(file, "key"); got != hex.EncodeToString(key[:]) {
		return nil, fmt.Errorf("%w: %s instead of %x", ErrOtherKey, got, key[:])
	}
	proof, _ := rawjson.Get(file, "proof")
	signature, err := hex.DecodeString(rawjson.GetText(file, "signature"))
	if err != nil || !bytes.Equal(encodeCertificate(key, proof, signature), file) {
		return nil, ErrChanged // it is spelled differently
	}
	if text, err := canonicalJSON(proof); err != nil || !bytes.Equal(text, proof) {
		return nil, ErrChanged
	}
	if !ed25519.Verify(key[:], signedText(proof), signature) {
		return nil, ErrChanged
	}
	return proof, nil
}

// encodeCertificate returns the certificate with these parts as a line of JSON.
func encodeCertificate(key seal.PublicKey, proof, signature []byte) []byte {
	b := rawjson.Object{'{'}
	b.Text("form", certificateForm)
	b.Hex("key", key[:])
	b.Raw("proof", proof)
	b.Hex("signature", signature)
	b.Close()
	return append(b, '\n')
}

// signedText returns the text that the signature of proof covers.
func signedText(proof []byte) []byte { return append([]byte(certificateForm+"\n"), proof...) }

// canonicalJSON returns text in the form that is signed: each name once and sorted, without white
// space, and with numbers unchanged. It returns an error if text is not one JSON value.
func canonicalJSON(text []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("more than one value")
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
