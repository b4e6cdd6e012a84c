package ledger

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// What keys are derived for. Each use has a key of its own, so that what is
// shown of one says nothing about another.
const (
	LabelHead    = "checkrein ledger head"    // seals the head file
	LabelDigests = "checkrein ledger digests" // digests of what was redacted
	LabelLines   = "checkrein ledger lines"   // fingerprints of written lines
	LabelSigning = "checkrein ledger signing" // seed of the signing key
	LabelMarkers = "checkrein markers"        // of redacted secrets
	LabelHandles = "checkrein handles"        // of blocks
	labelID      = "checkrein ledger id"
)

// A Key is the secret of one ledger, the content of its key file.
type Key [32]byte

// ParseKey reads the content of a key file.
func ParseKey(data []byte) (Key, error) {
	var k Key
	if len(data) != len(k) {
		return Key{}, fmt.Errorf("ledger key has %d bytes instead of %d: restore it from a copy, "+
			"or move the whole ledger directory away to begin a new one", len(data), len(k))
	}
	copy(k[:], data)
	return k, nil
}

// Derive returns the key for one use.
func (k Key) Derive(label string) [32]byte {
	mac := hmac.New(sha256.New, k[:])
	mac.Write([]byte(label))
	var out [32]byte
	mac.Sum(out[:0])
	return out
}

// ID names the ledger, and tells nothing about the key.
func (k Key) ID() string {
	sum := k.Derive(labelID)
	return hex.EncodeToString(sum[:8])
}
