package app

import (
	"crypto/hmac"
	"crypto/sha256"
	"strings"
	"sync"

	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/sys/random"
)

// WithheldSecrets collects the secrets that hooks removed from texts, so that a sender can check that
// a text contains none of them. It stores keyed digests instead of secrets. The zero value is empty,
// and its checks return at once. It is safe for concurrent use.
type WithheldSecrets struct {
	mu      sync.RWMutex
	key     []byte // random, for this process only
	digests map[[sha256.Size]byte]struct{}
}

// Add adds the secrets that are in was but not in is, except those for which known returns true.
func (w *WithheldSecrets) Add(was, is string, known func(value string) bool) {
	if was == is {
		return
	}
	eachSecret(was, func(_, value string) {
		if strings.Contains(is, value) || known(value) {
			return
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.key == nil {
			w.key = make([]byte, sha256.Size)
			_ = random.Read(w.key) // the digests stay in this process, so any key will do
			w.digests = map[[sha256.Size]byte]struct{}{}
		}
		w.digests[w.digest(value)] = struct{}{}
	})
}

// FindIn returns the rule of a withheld secret in text, or "" if there is none.
func (w *WithheldSecrets) FindIn(text string) (rule string) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if len(w.digests) == 0 {
		return ""
	}
	eachSecret(text, func(by, value string) {
		if _, ok := w.digests[w.digest(value)]; ok {
			rule = by
		}
	})
	return rule
}

// Clear removes all secrets.
func (w *WithheldSecrets) Clear() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.digests, w.key = nil, nil
}

// digest returns the keyed digest of value.
func (w *WithheldSecrets) digest(value string) [sha256.Size]byte {
	mac := hmac.New(sha256.New, w.key)
	mac.Write([]byte(value))
	return [sha256.Size]byte(mac.Sum(nil))
}

// eachSecret calls fn with each secret in text and its rule.
func eachSecret(text string, fn func(rule, value string)) {
	c := secret.Cleaner{Want: secret.Secrets}
	for _, f := range c.Find(text) {
		fn(f.Rule, text[f.Start:f.End])
	}
}
