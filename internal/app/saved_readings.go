package app

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// secretOf returns a function that returns the secret that authenticates a store, or nil if the ledger
// has no key, in which case nothing is stored.
func (k *Kit) secretOf(label string) func() *state.Secret {
	return sync.OnceValue(func() *state.Secret {
		secret, _ := k.ledger.Secret(label)
		return secret
	})
}

// cache returns the cache of configuration files. It is called lazily, since few events read a file
// and only those need the build's stamp.
func (k *Kit) cache() config.Cache {
	return config.Cache{Dir: k.state, Build: build.Stamp(), Secret: k.secretOf(ledger.LabelCache), OnDamaged: k.noteMisread}
}

// JudgeCache returns where verdicts of judges are saved, and the secret that authenticates them.
func (k *Kit) JudgeCache() (state.Dir, func() *state.Secret) {
	if k.readOnly {
		return k.state, func() *state.Secret { return nil }
	}
	return k.state, k.secretOf(ledger.LabelJudged)
}

// noteMisread adds a notice that the cached reading of a file was changed. The file is read again.
func (k *Kit) noteMisread(file string, err error) {
	if k.noteMisplaced(err) {
		return
	}
	k.misreadNotes = append(k.misreadNotes, fmt.Sprintf("checkrein's saved data about %s was damaged or changed, so it was not used, and the file was read again. "+
		"To see whether more was changed, run checkrein audit verify", file))
}

// noteMisplaced reports whether err means that something else lies in place of a store, and adds a
// notice. It stays until upkeep or a person removes that, which is recorded then.
func (k *Kit) noteMisplaced(err error) bool {
	if !errors.Is(err, state.ErrNotDir) {
		return false
	}
	k.noteAnomaly(err.Error() + "; until then nothing is saved there")
	return true
}

// noteAnomaly adds a notice about a problem that lasts until a person solves it.
func (k *Kit) noteAnomaly(text string) {
	k.faultMu.Lock()
	defer k.faultMu.Unlock()
	if !slices.Contains(k.anomalies, text) {
		k.anomalies = append(k.anomalies, text)
	}
}

// Anomalies returns notices about cached readings that were changed, and about other lasting problems,
// such as a file in place of a store. Verdicts carry them as well.
func (k *Kit) Anomalies() []string {
	k.faultMu.Lock()
	defer k.faultMu.Unlock()
	return slices.Concat(k.misreadNotes, k.anomalies)
}

// recordMisread records changed readings in the ledger, since the cache no longer has them.
func (k *Kit) recordMisread() {
	for _, text := range k.misreadNotes {
		if err := k.ledger.AppendDerived(config.CacheFolder, secret.Redactor{}.Text(text)); err != nil {
			k.logLine(text)
		}
	}
}
