package kit

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/checkrein/checkrein/internal/config"
	"github.com/checkrein/checkrein/internal/covers/kept"
	"github.com/checkrein/checkrein/internal/ledger"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/state"
)

// cacheSecret is what vouches for how files were read before. Without one nothing is
// remembered of them.
func (k *Kit) cacheSecret() func() *state.Secret {
	return sync.OnceValue(func() *state.Secret {
		secret, _ := k.ledger.Secret(ledger.LabelCache)
		return secret
	})
}

// plansSecret is what vouches for plans of hooks that were made before.
func (k *Kit) plansSecret() func() *state.Secret {
	return sync.OnceValue(func() *state.Secret {
		secret, _ := k.ledger.Secret(ledger.LabelPlans)
		return secret
	})
}

// misplanned notes, and puts on record, that a remembered plan is not what we wrote.
func (k *Kit) misplanned(err error) {
	if k.misplaced(err) {
		return
	}
	text := "what checkrein remembered of the files that your hooks run was changed by somebody, or damaged: it was not used. " +
		"To see whether more was changed: checkrein audit verify"
	k.badly.Lock()
	k.bad = append(k.bad, text)
	k.badly.Unlock()
	if err := k.ledger.AppendDerived(kept.Folder, text); err != nil {
		k.note(text)
	}
}

// misread notes that what was remembered of a file is not what we wrote. The file is
// read anew.
func (k *Kit) misread(file string, err error) {
	if k.misplaced(err) {
		return
	}
	k.bad = append(k.bad, fmt.Sprintf("what checkrein remembered of %s was changed by somebody, or damaged: it was not used, and the file was read anew. "+
		"To see whether more was changed: checkrein audit verify", file))
}

// misplaced notes that something lies in place of a store, if that is what is wrong. It
// stays until the upkeep or the person removes it, and is put on record then.
func (k *Kit) misplaced(err error) bool {
	if !errors.Is(err, state.ErrPlace) {
		return false
	}
	text := err.Error() + "; until then nothing is remembered there"
	k.badly.Lock()
	defer k.badly.Unlock()
	if !slices.Contains(k.odd, text) {
		k.odd = append(k.odd, text)
	}
	return true
}

// Misread says of which files something else was remembered than they say, and what lies
// in place of a store. What is decided is told with the verdict.
func (k *Kit) Misread() []string {
	k.badly.Lock()
	defer k.badly.Unlock()
	return slices.Concat(k.bad, k.odd)
}

// recordMisread puts that on record, since the remembered reading is gone by now.
func (k *Kit) recordMisread() {
	for _, text := range k.bad {
		if err := k.ledger.AppendDerived(config.CacheFolder, secret.Strict{}.Text(text)); err != nil {
			k.note(text)
		}
	}
}
