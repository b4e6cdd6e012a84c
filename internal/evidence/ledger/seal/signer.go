package seal

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A Signer signs for one ledger.
type Signer struct {
	id  string // of the ledger
	key ed25519.PrivateKey
}

// NewSigner returns the signer for the ledger with this key.
func NewSigner(key ledger.Key) Signer {
	seed := key.Derive(ledger.LabelSigning)
	return Signer{id: key.ID(), key: ed25519.NewKeyFromSeed(seed[:])}
}

// Ledger returns the id of the ledger that s signs for.
func (s Signer) Ledger() string { return s.id }

// Public returns the key that verifies signatures of s.
func (s Signer) Public() PublicKey { return PublicKey(s.key.Public().(ed25519.PublicKey)) }

// sign returns the signature of text in hex.
func (s Signer) sign(text []byte) string { return hex.EncodeToString(ed25519.Sign(s.key, text)) }

// A PublicKey verifies signatures.
type PublicKey [ed25519.PublicKeySize]byte

// ID returns the first 16 hex digits of the key's SHA-256, which identify the key.
func (p PublicKey) ID() string {
	sum := sha256.Sum256(p[:])
	return hex.EncodeToString(sum[:8])
}

// verify reports whether sig, in hex, is a valid signature of text.
func (p PublicKey) verify(text []byte, sig string) bool {
	raw, err := hex.DecodeString(sig)
	return err == nil && hex.EncodeToString(raw) == sig && ed25519.Verify(p[:], text, raw)
}

const pemType = "PUBLIC KEY"

// derPrefix is everything that precedes the key itself in the standard encoding of an Ed25519 key (RFC
// 8410).
const derPrefix = "\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00"

// PEM returns the key in PEM format, which other programs can read.
func (p PublicKey) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: append([]byte(derPrefix), p[:]...)})
}

// ParsePublicKey parses a key in the format that PEM returns.
func ParsePublicKey(data []byte) (PublicKey, error) {
	block, _ := pem.Decode(data)
	if block == nil || block.Type != pemType {
		return PublicKey{}, errors.New("not a PEM public key: it must begin with -----BEGIN PUBLIC KEY-----")
	}
	raw, ok := bytes.CutPrefix(block.Bytes, []byte(derPrefix))
	if !ok || len(raw) != ed25519.PublicKeySize {
		return PublicKey{}, errors.New("the public key is not an Ed25519 key; ledger keys must be Ed25519")
	}
	return PublicKey(raw), nil
}

// ReadKey reads the key in the ledger's directory dir, regardless of who owns the file. If it does not
// exist, the error is fs.ErrNotExist.
func ReadKey(dir string) (ledger.Key, error) {
	data, err := state.ReadRegular(filepath.Join(dir, ledger.KeyFile), 1<<10)
	if err != nil {
		return ledger.Key{}, fmt.Errorf("reading the ledger's key: %w", err)
	}
	return ledger.ParseKey(data)
}
