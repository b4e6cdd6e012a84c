// Package people knows who may do what at a hub: by tokens that the hub gives out, or by an OpenID
// provider.
package people

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A Role says what a person may do. Each role may do what the ones before it may.
type Role string

// The roles.
const (
	Viewer   Role = "viewer"   // sees machines, records and rollouts
	Approver Role = "approver" // answers approvals, and freezes the fleet
	Admin    Role = "admin"    // joins and revokes machines, and rolls out bundles
)

var roles = []Role{Viewer, Approver, Admin}

// ParseRole parses the name of a role.
func ParseRole(name string) (Role, error) {
	if !slices.Contains(roles, Role(name)) {
		return "", fmt.Errorf("%q is not a role: write viewer, approver or admin", name)
	}
	return Role(name), nil
}

// Includes reports whether r may do what other may.
func (r Role) Includes(other Role) bool {
	return other != "" && slices.Index(roles, r) >= slices.Index(roles, other)
}

// A Person is someone, or a program, that uses the hub.
type Person struct {
	Name    string    `json:"name"`
	Role    Role      `json:"role"`
	Expires time.Time `json:"expires,omitzero"`
	Key     string    `json:"-"` // under which the store has the person
}

// ErrUnknown means that a token belongs to nobody, or has expired.
var ErrUnknown = errors.New("the token is not valid or has expired")

const personPrefix = "person."

// Tokens are the tokens of people. The store has only their digests.
type Tokens struct{ Store jetstream.KeyValue }

// keyOf returns the key of what a secret stands for, which has only its digest.
func keyOf(prefix, secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return prefix + hex.EncodeToString(sum[:])
}

// find decodes the value of a key into v. It returns [ErrUnknown] if there is none.
func find(ctx context.Context, from jetstream.KeyValue, key string, v any) error {
	entry, err := from.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return ErrUnknown
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(entry.Value(), v)
}

// New makes a token for p.
func (t Tokens) New(ctx context.Context, p Person) (string, error) {
	var raw [24]byte
	_, _ = rand.Read(raw[:]) // never fails
	token := "crh_" + base64.RawURLEncoding.EncodeToString(raw[:])
	return token, t.Put(ctx, token, p)
}

// Put makes token the token of p.
func (t Tokens) Put(ctx context.Context, token string, p Person) error {
	return t.put(ctx, keyOf(personPrefix, token), p)
}

func (t Tokens) put(ctx context.Context, key string, p Person) error {
	data, err := json.Marshal(&p)
	if err != nil {
		return err
	}
	_, err = t.Store.Put(ctx, key, data)
	return err
}

// Find returns whose token it is.
func (t Tokens) Find(ctx context.Context, token string, now time.Time) (Person, error) {
	return t.Get(ctx, keyOf(personPrefix, token), now)
}

// Get returns the person whom the store has under key.
func (t Tokens) Get(ctx context.Context, key string, now time.Time) (p Person, err error) {
	err = find(ctx, t.Store, key, &p)
	p.Key = key
	if err == nil && !p.Expires.IsZero() && now.After(p.Expires) {
		err = ErrUnknown
	}
	return p, err
}

// Remove removes the people with a name, and returns how many there were. They can log in by a provider
// again if it gives them a role.
func (t Tokens) Remove(ctx context.Context, name string) (n int, err error) {
	keys, err := t.Store.ListKeysFiltered(ctx, personPrefix+"*", memberPrefix+"*")
	if err != nil {
		return 0, err
	}
	for key := range keys.Keys() {
		var p Person
		err := find(ctx, t.Store, key, &p)
		if errors.Is(err, ErrUnknown) || err == nil && p.Name != name {
			continue
		}
		if err == nil {
			err = t.Store.Delete(ctx, key)
		}
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
