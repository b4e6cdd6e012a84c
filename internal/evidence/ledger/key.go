package ledger

import (
	"encoding/hex"
	"fmt"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// Labels of derived keys. Each use has its own key, so that values computed with
// one reveal nothing about another.
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

// ParseKey returns the contents of a key file as a Key, or an error if their length is wrong.
func ParseKey(data []byte) (Key, error) {
	var k Key
	if len(data) != len(k) {
		return Key{}, fmt.Errorf("ledger key has %d bytes instead of %d: restore it from a backup, "+
			"or move the whole ledger directory away to begin a new one", len(data), len(k))
	}
	copy(k[:], data)
	return k, nil
}

// Derive returns the key for the use that label names: its HMAC-SHA256 with k. label must be short.
func (k Key) Derive(label string) [32]byte { return shortMAC((*[32]byte)(&k), []byte(label)) }

// Secret returns the secret of the store that label names. It fails if other users may read the
// ledger's key, or if there is no key yet, since the first record creates it.
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

// SecretFunc returns a function that calls Secret, for a store that is also written when the ledger is
// not. With make set, it creates the key if there is none.
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

// ReadSecret is [Ledger.Secret] for the ledger in the directory dir.
func ReadSecret(dir, label string) (*state.Secret, error) {
	at := state.NewDir(dir)
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

// ID returns an id of the ledger that does not reveal the key.
func (k Key) ID() string {
	sum := k.Derive(labelID)
	return hex.EncodeToString(sum[:8])
}
