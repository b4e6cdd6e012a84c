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

// A certificate signs what was proven on a machine, so that somebody else can tell that
// it was proven there and is as it was written. It is one line of JSON: the proof, the
// machine's public key, and an Ed25519 signature over the canonical form of the proof. A
// certificate that is not spelled as it was written is none: every byte of it counts.

// KeyFile is the machine's key in the state directory.
const KeyFile = "machine.key"

// MaxCertificate bounds a certificate.
const MaxCertificate = 4 << 20

// form names the form of certificates, and what signatures are for.
const form = "checkrein certificate 1"

var (
	// ErrChanged reports that a certificate is not as it was signed.
	ErrChanged = errors.New("it is not as it was signed: ask for a new copy")
	// ErrOtherKey reports that a certificate was signed with another key.
	ErrOtherKey = errors.New("it was signed with another key")
)

// A Key signs for one machine.
type Key struct{ private ed25519.PrivateKey }

// OpenKey reads the machine's key and makes one when there is none. One that others may
// read signs nothing.
func OpenKey(dir state.Dir) (Key, error) {
	seed, err := dir.Key(KeyFile)
	if err == nil {
		err = dir.CheckOwnerOnly(KeyFile)
	}
	if err != nil {
		return Key{}, fmt.Errorf("the machine's key: %w", err)
	}
	return Key{ed25519.NewKeyFromSeed(seed)}, nil
}

// Public is what checks its signatures.
func (k Key) Public() seal.PublicKey {
	return seal.PublicKey(k.private.Public().(ed25519.PublicKey))
}

// Sign returns the certificate of a proof, which is anything that JSON can write.
func (k Key) Sign(proof any) ([]byte, error) {
	text, err := json.Marshal(proof)
	if err != nil {
		return nil, err
	}
	if text, err = canonical(text); err != nil {
		return nil, err
	}
	file := encode(k.Public(), text, ed25519.Sign(k.private, signed(text)))
	if len(file) > MaxCertificate {
		return nil, fmt.Errorf("the proof is larger than %d bytes", MaxCertificate)
	}
	return file, nil
}

// VerifyCertificate returns the proof of a certificate that the owner of the key signed.
func VerifyCertificate(file []byte, key seal.PublicKey) (json.RawMessage, error) {
	if len(file) > MaxCertificate || rawjson.CheckObject(file) != nil {
		return nil, errors.New("not a certificate: checkrein prove writes one")
	}
	if got := rawjson.GetText(file, "form"); got != form {
		return nil, fmt.Errorf("not a certificate that this build can read: its form is %q, not %q", got, form)
	}
	if got := rawjson.GetText(file, "key"); got != hex.EncodeToString(key[:]) {
		return nil, fmt.Errorf("%w: %s, and you named %x", ErrOtherKey, got, key[:])
	}
	proof, _ := rawjson.Get(file, "proof")
	signature, err := hex.DecodeString(rawjson.GetText(file, "signature"))
	if err != nil || !bytes.Equal(encode(key, proof, signature), file) {
		return nil, ErrChanged // spelled otherwise
	}
	if text, err := canonical(proof); err != nil || !bytes.Equal(text, proof) {
		return nil, ErrChanged
	}
	if !ed25519.Verify(key[:], signed(proof), signature) {
		return nil, ErrChanged
	}
	return proof, nil
}

// encode spells a certificate.
func encode(key seal.PublicKey, proof, signature []byte) []byte {
	b := rawjson.Object{'{'}
	b.Text("form", form)
	b.Hex("key", key[:])
	b.Raw("proof", proof)
	b.Hex("signature", signature)
	b.Close()
	return append(b, '\n')
}

// signed is what the signature of a proof is over.
func signed(proof []byte) []byte { return append([]byte(form+"\n"), proof...) }

// canonical spells JSON in the one way that is signed: names in order, each once, no
// space, numbers as they are.
func canonical(text []byte) ([]byte, error) {
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
