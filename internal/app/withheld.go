package app

import (
	"crypto/hmac"
	"crypto/sha256"
	"strings"
	"sync"

	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/sys/random"
)

// A Withheld describes which secrets hooks took out of texts, so that whoever sends what is left
// can see that none of them is in it. It keeps keyed digests, no secrets. The zero Withheld
// knows of none, and then costs nothing. It is safe for concurrent use.
type Withheld struct {
	mu   sync.RWMutex
	key  []byte // made for this process
	sums map[[sha256.Size]byte]struct{}
}

// Add notes the secrets that are in what a text was and not in what it is now, except for
// those that are known otherwise.
func (w *Withheld) Add(was, is string, known func(value string) bool) {
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
			_ = random.Read(w.key) // the digests stay in this process, so that any key will do
			w.sums = map[[sha256.Size]byte]struct{}{}
		}
		w.sums[w.sum(value)] = struct{}{}
	})
}

// In returns the rule of a secret in a text that was taken out of another; "" = there is none.
func (w *Withheld) In(text string) (rule string) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if len(w.sums) == 0 {
		return ""
	}
	eachSecret(text, func(by, value string) {
		if _, ok := w.sums[w.sum(value)]; ok {
			rule = by
		}
	})
	return rule
}

// Forget forgets all of them.
func (w *Withheld) Forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sums, w.key = nil, nil
}

func (w *Withheld) sum(value string) [sha256.Size]byte {
	mac := hmac.New(sha256.New, w.key)
	mac.Write([]byte(value))
	return [sha256.Size]byte(mac.Sum(nil))
}

// eachSecret calls fn for each secret in a text.
func eachSecret(text string, fn func(rule, value string)) {
	c := secret.Cleaner{Want: secret.Secrets}
	for _, f := range c.Find(text) {
		fn(f.Rule, text[f.Start:f.End])
	}
}
