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

// secretOf returns what vouches for what is remembered in a store. Without a secret
// nothing is.
func (k *Kit) secretOf(label string) func() *state.Secret {
	return sync.OnceValue(func() *state.Secret {
		secret, _ := k.ledger.Secret(label)
		return secret
	})
}

// cache is how files are remembered. Few calls read one: those that do not, do not ask
// which build this is.
func (k *Kit) cache() config.Cache {
	return config.Cache{Dir: k.state, Build: build.Stamp(), Secret: k.secretOf(ledger.LabelCache), Told: k.noteMisread}
}

// Judged is where verdicts of judges are kept, and what vouches for them.
func (k *Kit) Judged() (state.Dir, func() *state.Secret) {
	if k.readOnly {
		return k.state, func() *state.Secret { return nil }
	}
	return k.state, k.secretOf(ledger.LabelJudged)
}

// noteMisread notes that what was remembered of a file is not what we wrote. The file is
// read anew.
func (k *Kit) noteMisread(file string, err error) {
	if k.noteMisplaced(err) {
		return
	}
	k.misreadNotes = append(k.misreadNotes, fmt.Sprintf("checkrein's saved data about %s was damaged or changed, so it was not used, and the file was read again. "+
		"To see whether more was changed, run checkrein audit verify", file))
}

// noteMisplaced notes that something lies in place of a store, if that is what is wrong. It
// stays until the upkeep or the person removes it, and is put on record then.
func (k *Kit) noteMisplaced(err error) bool {
	if !errors.Is(err, state.ErrNotDir) {
		return false
	}
	k.noteAnomaly(err.Error() + "; until then nothing is saved there")
	return true
}

// noteAnomaly notes something that stays wrong until somebody mends it.
func (k *Kit) noteAnomaly(text string) {
	k.faultMu.Lock()
	defer k.faultMu.Unlock()
	if !slices.Contains(k.anomalies, text) {
		k.anomalies = append(k.anomalies, text)
	}
}

// Misread reports of which files something else was remembered than they say, and what lies
// in place of a store. What is decided is told with the verdict.
func (k *Kit) Misread() []string {
	k.faultMu.Lock()
	defer k.faultMu.Unlock()
	return slices.Concat(k.misreadNotes, k.anomalies)
}

// recordMisread puts that on record, since the remembered reading is gone by now.
func (k *Kit) recordMisread() {
	for _, text := range k.misreadNotes {
		if err := k.ledger.AppendDerived(config.CacheFolder, secret.Redactor{}.Text(text)); err != nil {
			k.logLine(text)
		}
	}
}
