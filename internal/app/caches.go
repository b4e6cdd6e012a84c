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

// secretFunc returns a function that returns the secret with this label, which authenticates a store,
// or nil if the ledger has no key, in which case nothing is stored.
func (k *Kit) secretFunc(label string) func() *state.Secret {
	return sync.OnceValue(func() *state.Secret {
		secret, _ := k.ledger.Secret(label)
		return secret
	})
}

// configCache returns the cache of configuration files. It is called only when needed, since few
// events read a file, and only those need the build's stamp.
func (k *Kit) configCache() config.Cache {
	return config.Cache{Dir: k.state, Build: build.Stamp(), Secret: k.secretFunc(ledger.LabelCache), OnDamaged: k.noteMisread}
}

// JudgeCache returns the directory in which the verdicts of judges are cached, and a function that
// returns the secret that authenticates them. The secret is nil if the kit is read-only.
func (k *Kit) JudgeCache() (state.Dir, func() *state.Secret) {
	if k.readOnly {
		return k.state, func() *state.Secret { return nil }
	}
	return k.state, k.secretFunc(ledger.LabelJudged)
}

// noteMisread adds a notice that the cached content of file was changed. The file is read again.
func (k *Kit) noteMisread(file string, err error) {
	if k.noteMisplaced(err) {
		return
	}
	k.misreadNotes = append(k.misreadNotes, fmt.Sprintf("checkrein's saved data about %s was damaged or changed, so it was not used, and the file was read again. "+
		"To see whether more was changed, run checkrein audit verify", file))
}

// noteMisplaced reports whether err means that something else is in the place of a store, and adds a
// notice if so. The notice is repeated until upkeep, which records that, or the user removes it.
func (k *Kit) noteMisplaced(err error) bool {
	if !errors.Is(err, state.ErrNotDir) {
		return false
	}
	k.noteAnomaly(err.Error() + "; until this is fixed, nothing is saved there")
	return true
}

// noteAnomaly adds a notice about a problem that lasts until the user solves it.
func (k *Kit) noteAnomaly(text string) {
	k.faultMu.Lock()
	defer k.faultMu.Unlock()
	if !slices.Contains(k.anomalies, text) {
		k.anomalies = append(k.anomalies, text)
	}
}

// Anomalies returns notices about cached files that were changed, and about other lasting problems,
// such as a file in the place of a store. Verdicts have these notices as well.
func (k *Kit) Anomalies() []string {
	k.faultMu.Lock()
	defer k.faultMu.Unlock()
	return slices.Concat(k.misreadNotes, k.anomalies)
}

// recordMisread records in the ledger which cached files were changed, since the cache no longer has
// them.
func (k *Kit) recordMisread() {
	for _, text := range k.misreadNotes {
		if err := k.ledger.AppendDerived(config.CacheFolder, secret.Redactor{}.MaskText(text)); err != nil {
			k.logLine(text)
		}
	}
}
