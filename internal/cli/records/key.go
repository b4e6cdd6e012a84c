package records

import (
	"encoding/hex"
	"strings"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// ReadPublicKey returns the public key in text, which is 64 hex digits, or the path of a file with hex
// digits or PEM.
func ReadPublicKey(env *console.Env, text string) (seal.PublicKey, error) {
	var key seal.PublicKey
	if raw, err := hex.DecodeString(text); err == nil && len(raw) == len(key) {
		return seal.PublicKey(raw), nil
	}
	data, err := state.ReadRegular(env.Path(text), 1<<16)
	if err != nil {
		return key, err
	}
	if raw, err := hex.DecodeString(strings.TrimSpace(string(data))); err == nil && len(raw) == len(key) {
		return seal.PublicKey(raw), nil
	}
	return seal.ParsePublicKey(data)
}
