package secretguard

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/seen"
	"github.com/checkrein/checkrein/internal/secret"
)

// memoryKey is the type of the key for Memory in [seen.Seen].
type memoryKey struct{}

// Memory returns the cache of secrets found in an event's texts. All guards share it, so that no text
// is searched twice. It is nil if seen is nil.
func Memory(seen *seen.Seen) *secret.Memory {
	m, _ := seen.LoadOrMake(memoryKey{}, func() any { return new(secret.Memory) }).(*secret.Memory)
	return m
}

// NewCleaner returns a cleaner that redacts the secrets in an event's texts.
func NewCleaner(ev *checkrein.Event) secret.Cleaner {
	return secret.Cleaner{Want: secret.Secrets, Memory: Memory(seen.ForEvent(ev))}
}
