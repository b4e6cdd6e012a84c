package ledger

import (
	"encoding/hex"
	"fmt"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// Labels of derived keys. Each use has its own key, so that values made with one
// reveal nothing about another.
const (
	LabelHead    = "checkrein ledger head"    // seals the head file
	LabelRecords = "checkrein ledger records" // seals each record
	LabelDigests = "checkrein ledger digests" // digests of what was redacted
	LabelLines   = "checkrein ledger lines"   // fingerprints of written lines
	LabelSigning = "checkrein ledger signing" // seed of the signing key
	LabelMarkers = "checkrein markers"        // of redacted secrets
	LabelHandles = "checkrein handles"        // of blocks
	LabelMissed  = "checkrein ledger missed"  // seals the count of calls that were not recorded
	LabelCache   = "checkrein store cache"    // authenticates cached configuration files
	LabelIndex   = "checkrein store index"    // authenticates the query index
	LabelJudged  = "checkrein store judged"   // authenticates verdicts of judges
	LabelCaps    = "checkrein caps"           // authenticates what was proven about hosts
	LabelStores  = "checkrein store seals"    // seals the files of approvals and switches
	labelID      = "checkrein ledger id"
)

// A Key is the secret of one ledger, the contents of its key file.
type Key [32]byte

// ParseKey checks and returns the contents of a key file.
func ParseKey(data []byte) (Key, error) {
	var k Key
	if len(data) != len(k) {
		return Key{}, fmt.Errorf("ledger key has %d bytes instead of %d: restore it from a copy, "+
			"or move the whole ledger directory away to begin a new one", len(data), len(k))
	}
	copy(k[:], data)
	return k, nil
}

// Derive returns the key for one use: HMAC-SHA256 of its label, which must be short.
func (k Key) Derive(label string) [32]byte { return shortMAC((*[32]byte)(&k), []byte(label)) }

// Secret returns the secret of a store, by its label. It fails if other users may read the key, or if
// there is none: the first record creates it.
func (l *Ledger) Secret(label string) (*state.Secret, error) {
	if err := l.opts.Dir.CheckOwnerOnly(ledgerPath(KeyFile)); err != nil {
		return nil, err
	}
	key, err := l.Key()
	if err != nil {
		return nil, err
	}
	secret := state.Secret(key.Derive(label))
	return &secret, nil
}

// SecretFunc returns Secret as a function, for a store that has other writers than the ledger: if make
// is set, the key is created if there is none.
func (l *Ledger) SecretFunc(label string) func(make bool) (*state.Secret, error) {
	return func(make bool) (*state.Secret, error) {
		if make {
			if _, err := l.Key(); err != nil {
				return nil, err
			}
		}
		return l.Secret(label)
	}
}

// ReadSecret is [Ledger.Secret] for the ledger in any directory.
func ReadSecret(dir, label string) (*state.Secret, error) {
	at := state.At(dir)
	data, err := at.Read(KeyFile, state.KeySize)
	if err == nil {
		err = at.CheckOwnerOnly(KeyFile)
	}
	if err != nil {
		return nil, err
	}
	key, err := ParseKey(data)
	if err != nil {
		return nil, err
	}
	secret := state.Secret(key.Derive(label))
	return &secret, nil
}

// ID identifies the ledger without revealing the key.
func (k Key) ID() string {
	sum := k.Derive(labelID)
	return hex.EncodeToString(sum[:8])
}
