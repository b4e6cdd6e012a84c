package ledger

import (
	"encoding/hex"
	"fmt"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// What keys are derived for. Each use has a key of its own, so that what is
// shown of one says nothing about another.
const (
	LabelHead    = "checkrein ledger head"    // seals the head file
	LabelRecords = "checkrein ledger records" // seals each record
	LabelDigests = "checkrein ledger digests" // digests of what was redacted
	LabelLines   = "checkrein ledger lines"   // fingerprints of written lines
	LabelSigning = "checkrein ledger signing" // seed of the signing key
	LabelMarkers = "checkrein markers"        // of redacted secrets
	LabelHandles = "checkrein handles"        // of blocks
	LabelMissed  = "checkrein ledger missed"  // seals the count of calls that were not recorded
	LabelCache   = "checkrein store cache"    // vouches for how configuration files were read
	LabelIndex   = "checkrein store index"    // vouches for the query index
	LabelJudged  = "checkrein store judged"   // vouches for verdicts of judges
	LabelCaps    = "checkrein caps"           // vouches for what was proven of hosts
	LabelStores  = "checkrein store seals"    // seals the files by which people switch and approve
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

// Derive returns the key for one use: HMAC-SHA256 of its label, which is short.
func (k Key) Derive(label string) [32]byte { return macOf((*[32]byte)(&k), []byte(label)) }

// Secret returns the secret of a store, by its label. A key that others may read
// vouches for nothing, and none is made: the first record does that.
func (l *Ledger) Secret(label string) (*state.Secret, error) {
	if err := l.opts.Dir.CheckOwnerOnly(path(KeyFile)); err != nil {
		return nil, err
	}
	key, err := l.Key()
	if err != nil {
		return nil, err
	}
	secret := state.Secret(key.Derive(label))
	return &secret, nil
}

// Secrets is Secret for a store that has writers beside the ledger's own: with make, the
// key is made when there is none.
func (l *Ledger) Secrets(label string) func(make bool) (*state.Secret, error) {
	return func(make bool) (*state.Secret, error) {
		if make {
			if _, err := l.Key(); err != nil {
				return nil, err
			}
		}
		return l.Secret(label)
	}
}

// ReadSecret is Secret for the ledger in any directory.
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

// ID names the ledger, and tells nothing about the key.
func (k Key) ID() string {
	sum := k.Derive(labelID)
	return hex.EncodeToString(sum[:8])
}
