package people

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// SessionLife is how long a session lasts at most.
const SessionLife = 12 * time.Hour

// A Session is the right of one browser to act as a person.
type Session struct {
	Person `json:"-"` // as the store has them now
	Of     string     `json:"of"`   // the key of the person
	CSRF   string     `json:"csrf"` // accompanies requests that change something
	Ends   time.Time  `json:"ends"`
}

// Sessions are the sessions of browsers. The store has only digests of their secrets.
type Sessions struct {
	Store  jetstream.KeyValue
	Tokens Tokens
}

// Prefixes of keys in the store.
const (
	sessionPrefix = "session."
	loginPrefix   = "login."  // of logins that were used
	memberPrefix  = "member." // of people who logged in by a provider
)

// BeginWithToken begins a session of the person with this token, and returns its secret.
func (s Sessions) BeginWithToken(ctx context.Context, token string, now time.Time) (secret string, p Person, err error) {
	if p, err = s.Tokens.Find(ctx, token, now); err != nil {
		return "", p, err
	}
	secret, err = s.begin(ctx, p.Key, now)
	return secret, p, err
}

// ErrUsed means that a login was used before.
var ErrUsed = errors.New("this login was used before: log in again")

// BeginWithLogin begins a session of the person who logged in by a provider, and returns its secret. Their
// role in other sessions is now the same.
func (s Sessions) BeginWithLogin(ctx context.Context, l *Login, now time.Time) (secret string, err error) {
	_, err = s.Store.Create(ctx, keyOf(loginPrefix, l.ID), nil)
	if errors.Is(err, jetstream.ErrKeyExists) {
		return "", ErrUsed
	}
	if err != nil {
		return "", err
	}
	key := keyOf(memberPrefix, l.Subject)
	if l.Role == "" {
		if err := s.Tokens.Store.Delete(ctx, key); err != nil {
			return "", err
		}
		return "", fmt.Errorf("%s has no role at this hub", l.Name)
	}
	if err := s.Tokens.put(ctx, key, Person{Name: l.Name, Role: l.Role, Expires: now.Add(SessionLife).UTC()}); err != nil {
		return "", err
	}
	return s.begin(ctx, key, now)
}

// begin begins a session of the person under key.
func (s Sessions) begin(ctx context.Context, key string, now time.Time) (secret string, err error) {
	secret = rand.Text()
	data, err := json.Marshal(&Session{Of: key, CSRF: rand.Text(), Ends: now.Add(SessionLife).UTC()})
	if err == nil {
		_, err = s.Store.Put(ctx, keyOf(sessionPrefix, secret), data)
	}
	if err != nil {
		return "", fmt.Errorf("storing the session: %w", err)
	}
	return secret, nil
}

// Find returns the session with this secret. It returns [ErrUnknown] if there is none, or no longer.
func (s Sessions) Find(ctx context.Context, secret string, now time.Time) (one *Session, err error) {
	one = &Session{}
	if err := find(ctx, s.Store, keyOf(sessionPrefix, secret), one); err != nil {
		return nil, err
	}
	if !now.Before(one.Ends) {
		return nil, ErrUnknown
	}
	one.Person, err = s.Tokens.Get(ctx, one.Of, now)
	return one, err
}

// End ends the session with this secret.
func (s Sessions) End(ctx context.Context, secret string) error {
	return s.Store.Purge(ctx, keyOf(sessionPrefix, secret))
}
