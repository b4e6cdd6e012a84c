package secretguard

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/secret"
)

type searchedKey struct{}

// Searched is what is known of the secrets in an event's texts: whoever looks for them
// asks it, so that none is searched twice. It is nil where nothing is kept.
func Searched(seen *checkrein.Seen) *secret.Memory {
	m, _ := seen.Kept(searchedKey{}, func() any { return new(secret.Memory) }).(*secret.Memory)
	return m
}

// SecretsOf takes the secrets out of an event's texts.
func SecretsOf(ev *checkrein.Event) secret.Cleaner {
	return secret.Cleaner{Want: secret.Secrets, Memory: Searched(ev.Seen)}
}
