// Package machines knows the machines of a fleet: how they join, what they report, and which of them
// are revoked.
package machines

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/checkrein/checkrein/hub/internal/store"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// A Registry has the machines of the fleet and the tokens with which they join. It follows the store,
// so that several hubs agree. It is safe for concurrent use.
type Registry struct {
	machines, tokens jetstream.KeyValue

	mu    sync.RWMutex
	byID  map[string]*protocol.Machine
	ready chan struct{}
}

// NewRegistry returns a registry that follows the store until ctx is done.
func NewRegistry(ctx context.Context, machines, tokens jetstream.KeyValue) (*Registry, error) {
	r := &Registry{machines: machines, tokens: tokens, byID: map[string]*protocol.Machine{}, ready: make(chan struct{})}
	w, err := machines.WatchAll(ctx)
	if err != nil {
		return nil, fmt.Errorf("following the machines: %w", err)
	}
	go r.follow(w)
	select {
	case <-r.ready:
		return r, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (r *Registry) follow(w jetstream.KeyWatcher) {
	ready := sync.OnceFunc(func() { close(r.ready) })
	for entry := range w.Updates() {
		if entry == nil { // all that were there
			ready()
			continue
		}
		r.set(entry)
	}
	ready()
}

// set takes over what entry says about a machine.
func (r *Registry) set(entry jetstream.KeyValueEntry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := &protocol.Machine{}
	if entry.Operation() != jetstream.KeyValuePut || json.Unmarshal(entry.Value(), m) != nil {
		delete(r.byID, entry.Key())
		return
	}
	r.byID[entry.Key()] = m
}

// Get returns a copy of the machine with this id.
func (r *Registry) Get(id string) (protocol.Machine, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if m := r.byID[id]; m != nil {
		return *m, true
	}
	return protocol.Machine{}, false
}

// All returns all machines by name.
func (r *Registry) All() []protocol.Machine {
	r.mu.RLock()
	out := make([]protocol.Machine, 0, len(r.byID))
	for _, m := range r.byID {
		out = append(out, *m)
	}
	r.mu.RUnlock()
	slices.SortFunc(out, func(a, b protocol.Machine) int {
		return cmp.Or(cmp.Compare(a.Facts.Name, b.Facts.Name), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// update changes a machine in the store and returns it. change is called again if another hub changed
// the machine meanwhile; if it returns an error, nothing is stored.
func (r *Registry) update(ctx context.Context, id string, change func(*protocol.Machine) error) (protocol.Machine, error) {
	for {
		m := protocol.Machine{ID: id}
		entry, err := r.machines.Get(ctx, id)
		switch {
		case errors.Is(err, jetstream.ErrKeyNotFound):
		case err != nil:
			return m, fmt.Errorf("reading the machine: %w", err)
		default:
			if err := json.Unmarshal(entry.Value(), &m); err != nil {
				return m, fmt.Errorf("reading the machine: %w", err)
			}
		}
		if err := change(&m); err != nil {
			return m, err
		}
		data, err := json.Marshal(&m)
		if err != nil {
			return m, err
		}
		if entry == nil {
			_, err = r.machines.Create(ctx, id, data)
		} else {
			_, err = r.machines.Update(ctx, id, data, entry.Revision())
		}
		if store.IsConflict(err) {
			continue
		}
		if err == nil {
			r.mu.Lock()
			r.byID[id] = &m
			r.mu.Unlock()
		}
		return m, err
	}
}

// A Token lets machines join. The store has only the digest of its secret, which is its id.
type Token struct {
	ID      string    `json:"id"`
	Left    int       `json:"left"` // how many machines can still join with it
	Expires time.Time `json:"expires"`
	By      string    `json:"by"`
	Made    time.Time `json:"made"`
}

func tokenID(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:16])
}

// NewToken makes a token for uses machines and returns its secret.
func (r *Registry) NewToken(ctx context.Context, uses int, expires time.Time, by string) (secret string, t Token, err error) {
	var raw [24]byte
	_, _ = rand.Read(raw[:]) // never fails
	secret = base64.RawURLEncoding.EncodeToString(raw[:])
	t = Token{ID: tokenID(secret), Left: uses, Expires: expires, By: by, Made: time.Now().UTC()}
	data, err := json.Marshal(&t)
	if err == nil {
		_, err = r.tokens.Create(ctx, t.ID, data)
	}
	return secret, t, err
}

// errToken is the refusal of a token. It does not say what is wrong with it.
var errToken = &protocol.Refusal{Status: 403, Why: "the join token is not valid, is used up or has expired", Remedy: "ask your administrator for a new one"}

// useToken uses the token once.
func (r *Registry) useToken(ctx context.Context, secret string, now time.Time) (Token, error) {
	for {
		entry, err := r.tokens.Get(ctx, tokenID(secret))
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return Token{}, errToken
		}
		var t Token
		if err == nil {
			err = json.Unmarshal(entry.Value(), &t)
		}
		if err != nil {
			return t, fmt.Errorf("reading the token: %w", err)
		}
		if t.Left <= 0 || now.After(t.Expires) {
			return t, errToken
		}
		t.Left--
		data, err := json.Marshal(&t)
		if err != nil {
			return t, err
		}
		if _, err = r.tokens.Update(ctx, t.ID, data, entry.Revision()); store.IsConflict(err) {
			continue
		}
		return t, err
	}
}

// Join adds a machine. A machine that has joined before, with the same key, uses no token.
func (r *Registry) Join(ctx context.Context, j *protocol.Join, now time.Time) (protocol.Machine, error) {
	if len(j.Key) != ed25519.PublicKeySize {
		return protocol.Machine{}, &protocol.Refusal{Status: 400, Why: "the request has no valid key"}
	}
	id := protocol.MachineID(j.Key)
	if m, ok := r.Get(id); ok && m.IsActive() {
		return m, nil
	}
	if m, ok := r.Get(id); ok && !m.Revoked.IsZero() {
		return m, errRevoked
	}
	t, err := r.useToken(ctx, j.Token, now)
	if err != nil {
		return protocol.Machine{}, err
	}
	return r.update(ctx, id, func(m *protocol.Machine) error {
		if !m.Revoked.IsZero() {
			return errRevoked
		}
		*m = protocol.Machine{ID: id, Key: j.Key, Joined: now, Token: t.ID, Facts: j.Facts, Seen: now}
		return nil
	})
}

var errRevoked = &protocol.Refusal{Status: 403, Why: "this machine was revoked", Remedy: "ask your administrator. To join again, the machine needs a new key: run checkrein fleet leave first"}

// storeEvery is how often a report is stored that says nothing new.
const storeEvery = 10 * time.Minute

// Report takes what a machine says about itself, and stores it if it is new.
func (r *Registry) Report(ctx context.Context, id string, report *protocol.Report, now time.Time) error {
	r.mu.Lock()
	known := r.byID[id]
	if known != nil && isSameReport(&known.Report, report) && now.Sub(known.Seen) < storeEvery-time.Duration(mathrand.Int64N(int64(storeEvery/4))) {
		heard := *known
		heard.Report, heard.Heard = *report, now
		r.byID[id] = &heard
		r.mu.Unlock()
		return nil
	}
	r.mu.Unlock()
	_, err := r.update(ctx, id, func(m *protocol.Machine) error {
		m.Report, m.Facts, m.Seen, m.Heard, m.Skew = *report, report.Facts, now, now, report.Time.Sub(now).Round(time.Second)
		return nil
	})
	return err
}

// Notice stores flags about the records of a machine, unless it has them already. One of each kind is kept.
func (r *Registry) Notice(ctx context.Context, id string, flags []protocol.Flag) error {
	known, _ := r.Get(id)
	isNew := func(f protocol.Flag) bool {
		return !slices.ContainsFunc(known.Noticed, func(k protocol.Flag) bool {
			return k.Kind == f.Kind && k.Text == f.Text && f.Time.Sub(k.Time) < storeEvery
		})
	}
	if !slices.ContainsFunc(flags, isNew) {
		return nil
	}
	_, err := r.update(ctx, id, func(m *protocol.Machine) error {
		for _, f := range flags {
			m.Noticed = append(slices.DeleteFunc(slices.Clone(m.Noticed), func(k protocol.Flag) bool { return k.Kind == f.Kind }), f)
		}
		return nil
	})
	return err
}

// isSameReport reports whether two reports differ only in their times and in how far ledgers are
// uploaded.
func isSameReport(a, b *protocol.Report) bool {
	strip := func(r protocol.Report) []byte {
		r.Time = time.Time{}
		r.Ledgers = slices.Clone(r.Ledgers)
		for i := range r.Ledgers {
			r.Ledgers[i].Seq, r.Ledgers[i].Hash, r.Ledgers[i].Waiting = 0, ledger.Hash{}, 0
		}
		r.Agents = slices.Clone(r.Agents)
		for i := range r.Agents {
			r.Agents[i].LastSeen = time.Time{}
		}
		data, _ := json.Marshal(r) // cannot fail
		return data
	}
	return bytes.Equal(strip(*a), strip(*b))
}

// Revoke refuses all further requests of a machine.
func (r *Registry) Revoke(ctx context.Context, id, by string, now time.Time) error {
	_, err := r.update(ctx, id, func(m *protocol.Machine) error {
		if m.Key == nil {
			return &protocol.Refusal{Status: 404, Why: "there is no machine with the ID " + id + ": checkrein fleet machines lists their IDs"}
		}
		m.Revoked, m.By = now, by
		return nil
	})
	return err
}

// Leave records that a machine left the fleet.
func (r *Registry) Leave(ctx context.Context, id string, now time.Time) error {
	_, err := r.update(ctx, id, func(m *protocol.Machine) error { m.Left = now; return nil })
	return err
}
