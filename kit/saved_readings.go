package kit

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/checkrein/checkrein/internal/approval/coverage/cache"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/secret/strict"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// cacheSecret is what vouches for how files were read before. Without one nothing is
// remembered of them.
func (k *Kit) cacheSecret() func() *state.Secret {
	return sync.OnceValue(func() *state.Secret {
		secret, _ := k.ledger.Secret(ledger.LabelCache)
		return secret
	})
}

// cache is how files are remembered. Few calls read one: those that do not, do not ask
// which build this is.
func (k *Kit) cache() config.Cache {
	return config.Cache{Dir: k.state, Build: build.Stamp(), Secret: k.cacheSecret(), Told: k.misread}
}

// plansOf are the plans of hooks that were made before.
func (k *Kit) plansOf() cache.Store {
	k.planned.Do(func() {
		if k.keeps {
			k.plans = cache.Store{Dir: k.state, Build: build.Stamp(), Secret: k.plansSecret(), Told: k.misplanned}
		}
	})
	return k.plans
}

// Judged is where verdicts of judges are kept, and what vouches for them.
func (k *Kit) Judged() (state.Dir, func() *state.Secret) {
	return k.state, sync.OnceValue(func() *state.Secret {
		if k.peek {
			return nil
		}
		secret, _ := k.ledger.Secret(ledger.LabelJudged)
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
	text := "checkrein's saved data about the files that your hooks run was damaged or changed, so it was not used. " +
		"To see whether more was changed, run checkrein audit verify"
	k.badly.Lock()
	k.bad = append(k.bad, text)
	k.badly.Unlock()
	if err := k.ledger.AppendDerived(cache.Folder, text); err != nil {
		k.note(text)
	}
}

// misread notes that what was remembered of a file is not what we wrote. The file is
// read anew.
func (k *Kit) misread(file string, err error) {
	if k.misplaced(err) {
		return
	}
	k.bad = append(k.bad, fmt.Sprintf("checkrein's saved data about %s was damaged or changed, so it was not used, and the file was read again. "+
		"To see whether more was changed, run checkrein audit verify", file))
}

// misplaced notes that something lies in place of a store, if that is what is wrong. It
// stays until the upkeep or the person removes it, and is put on record then.
func (k *Kit) misplaced(err error) bool {
	if !errors.Is(err, state.ErrPlace) {
		return false
	}
	k.odder(err.Error() + "; until then nothing is saved there")
	return true
}

// odder notes something that stays wrong until somebody mends it.
func (k *Kit) odder(text string) {
	k.badly.Lock()
	defer k.badly.Unlock()
	if !slices.Contains(k.odd, text) {
		k.odd = append(k.odd, text)
	}
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
		if err := k.ledger.AppendDerived(config.CacheFolder, strict.Redactor{}.Text(text)); err != nil {
			k.note(text)
		}
	}
}
