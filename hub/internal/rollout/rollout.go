// Package rollout brings bundles to the machines of a fleet in steps, and takes a bundle back when what
// the machines report exceeds the limits of the step.
package rollout

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/checkrein/checkrein/hub/internal/records"
	"github.com/checkrein/checkrein/hub/internal/store"
	"github.com/checkrein/checkrein/internal/fleet/bundle"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// Names in the store.
const (
	stepsKey  = "rollout.steps"
	lockName  = "rollout"
	timestamp = "timestamp.json"
)

// maxSteps limits the steps that are kept.
const maxSteps = 100

// A Control publishes rollouts. It is safe for concurrent use, also by several hubs on one store.
type Control struct {
	store *store.Store
	key   ed25519.PrivateKey
	repo  bundle.Repository
	log   *slog.Logger

	mu      sync.Mutex
	changed chan struct{} // is closed when something was published
	tally   tally
}

// New returns a control that signs with the hub's key, and that follows what other hubs publish until
// ctx is done.
func New(ctx context.Context, s *store.Store, key ed25519.PrivateKey, log *slog.Logger) (*Control, error) {
	c := &Control{store: s, key: key, repo: bundle.Repository{Store: store.Files{Store: s}}, log: log, changed: make(chan struct{})}
	w, err := s.Trust.Watch(ctx, timestamp, jetstream.UpdatesOnly())
	if err != nil {
		return nil, fmt.Errorf("following rollouts: %w", err)
	}
	go func() {
		for range w.Updates() {
			c.mu.Lock()
			close(c.changed)
			c.changed = make(chan struct{})
			c.mu.Unlock()
		}
	}()
	return c, nil
}

// WaitChanged returns a channel that is closed when something is published after the call.
func (c *Control) WaitChanged() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

// Key returns the hub's public key.
func (c *Control) Key() ed25519.PublicKey { return c.key.Public().(ed25519.PublicKey) }

// SignAnswer signs the answer to an approval of an account, for its machine.
func (c *Control) SignAnswer(id, user string, a *protocol.Answer) (*protocol.SignedAnswer, error) {
	return a.Sign(id, user, c.key)
}

// Open returns a file of the repository, for machines.
func (c *Control) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	return c.repo.Store.Open(ctx, name)
}

// Root returns the SHA-256 of the first root metadata, which machines pin, or fs.ErrNotExist.
func (c *Control) Root(ctx context.Context) (string, error) {
	f, err := c.repo.Store.Open(ctx, "1.root.json")
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), err
}

// runLocked runs fn while no other hub changes the repository.
func (c *Control) runLocked(ctx context.Context, fn func() error) error {
	unlock, err := c.store.Lock(ctx, lockName)
	if err != nil {
		return fmt.Errorf("waiting for other hubs: %w", err)
	}
	defer unlock()
	return fn()
}

// Accept takes over what the administrator signed.
func (c *Control) Accept(ctx context.Context, from bundle.Source, by string) error {
	return c.runLocked(ctx, func() error {
		if err := c.repo.Accept(ctx, from, c.Key()); err != nil {
			return err
		}
		r, err := c.repo.Rollout(ctx)
		if err != nil {
			return err
		}
		c.log.Info("bundles accepted", "by", by)
		return c.repo.Publish(ctx, c.key, r)
	})
}

// Bundles returns the bundles that can be rolled out.
func (c *Control) Bundles(ctx context.Context) ([]bundle.Entry, error) {
	list, err := c.repo.Bundles(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return list, err
}

// Expires returns when what the administrator signs expires, or zero times before there is anything.
func (c *Control) Expires(ctx context.Context) (root, targets time.Time, err error) {
	root, targets, err = c.repo.Expires(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return root, targets, err
}

// Steps returns the steps of rollouts, the newest first.
func (c *Control) Steps(ctx context.Context) (steps []protocol.Step, err error) {
	entry, err := c.store.State.Get(ctx, stepsKey)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(entry.Value(), &steps)
	}
	return steps, err
}

// Current returns what is published.
func (c *Control) Current(ctx context.Context) (*bundle.Rollout, error) { return c.repo.Rollout(ctx) }

// Begin publishes a step.
func (c *Control) Begin(ctx context.Context, step protocol.Step) (protocol.Step, error) {
	err := c.runLocked(ctx, func() error {
		r, err := c.repo.Rollout(ctx)
		if err != nil {
			return err
		}
		steps, err := c.Steps(ctx)
		if err != nil {
			return err
		}
		if err := apply(r, &step); err != nil {
			return &protocol.Refusal{Status: 400, Why: err.Error()}
		}
		step.Began = time.Now().UTC().Truncate(time.Millisecond)
		return c.publish(ctx, r, step, steps)
	})
	return step, err
}

// apply changes r to what step says.
func apply(r *bundle.Rollout, step *protocol.Step) error {
	switch {
	case step.Percent < 1 || step.Percent > 100:
		return fmt.Errorf("%d is not a share of machines: write 1%% to 100%%", step.Percent)
	case step.Bundle != r.Active:
		if r.Stage == bundle.Enforce && r.Percent == 100 || r.Active == "" {
			r.Previous = r.Active
		} // a rollout that was not finished is abandoned: the other machines still have the previous one
		r.Active, r.Seed = step.Bundle, newSeed()
	}
	r.Stage, r.Percent = bundle.Stage(step.Stage), step.Percent
	return nil
}

// newSeed returns a seed, which chooses other machines for each bundle.
func newSeed() string {
	var raw [8]byte
	_, _ = rand.Read(raw[:]) // never fails
	return hex.EncodeToString(raw[:])
}

// publish signs r, and stores step as the newest one.
func (c *Control) publish(ctx context.Context, r *bundle.Rollout, step protocol.Step, steps []protocol.Step) error {
	if err := c.repo.Publish(ctx, c.key, r); err != nil {
		return &protocol.Refusal{Status: 409, Why: err.Error()}
	}
	steps = append([]protocol.Step{step}, steps...)
	data, err := json.Marshal(steps[:min(len(steps), maxSteps)])
	if err != nil {
		return err
	}
	_, err = c.store.State.Put(ctx, stepsKey, data)
	c.log.Info("rollout", "bundle", step.Bundle, "stage", step.Stage, "percent", step.Percent, "by", step.By, "why", step.Why)
	return err
}

// Freeze denies all tools on all machines until f.Until, or allows them again if f is nil.
func (c *Control) Freeze(ctx context.Context, f *bundle.Freeze) error {
	return c.runLocked(ctx, func() error {
		r, err := c.repo.Rollout(ctx)
		if err != nil {
			return err
		}
		r.Freeze = f
		if err := c.repo.Publish(ctx, c.key, r); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return &protocol.Refusal{Status: 409, Why: "the fleet has no keys yet", Remedy: "run checkrein fleet keys first"}
			}
			return err
		}
		if f != nil {
			c.log.Warn("frozen", "until", f.Until, "by", f.By, "reason", f.Reason)
		} else {
			c.log.Warn("freeze lifted")
		}
		return nil
	})
}

// Points returns the figures over time of the step whose figures were last asked for.
func (c *Control) Points() []Point {
	c.tally.mu.Lock()
	defer c.tally.mu.Unlock()
	return slices.Clone(c.tally.points)
}

// Watch renews what expires, and takes a step back whose limits are exceeded, until ctx is done.
func (c *Control) Watch(ctx context.Context, book *records.Book, machine func(string) (protocol.Machine, bool)) {
	for {
		if err := c.watchOnce(ctx, book, machine); err != nil && ctx.Err() == nil {
			c.log.Error("watching the rollout failed; it will be tried again", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(watchEvery):
		case <-c.WaitChanged():
		}
	}
}

// watchEvery is how often the limits of a step are checked.
const watchEvery = 3 * time.Second

func (c *Control) watchOnce(ctx context.Context, book *records.Book, machine func(string) (protocol.Machine, bool)) error {
	err := c.runLocked(ctx, func() error {
		_, err := c.repo.Renew(ctx, c.key)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("renewing the metadata that expires: %w", err)
	}
	steps, err := c.Steps(ctx)
	if err != nil || len(steps) == 0 || steps[0].Back {
		return err
	}
	r, err := c.repo.Rollout(ctx)
	if err != nil {
		return err
	}
	figures, err := c.tally.count(ctx, book, &steps[0], r, machine)
	if err != nil {
		return err
	}
	if why := findExceeded(&steps[0], figures); why != "" {
		return c.takeBack(ctx, steps[0], why)
	}
	return nil
}

// takeBack takes step back: all machines get the bundle before it.
func (c *Control) takeBack(ctx context.Context, step protocol.Step, why string) error {
	return c.runLocked(ctx, func() error {
		steps, err := c.Steps(ctx)
		if err != nil || len(steps) == 0 || !steps[0].Began.Equal(step.Began) || steps[0].Back {
			return err // another hub did it, or a person was faster
		}
		r, err := c.repo.Rollout(ctx)
		if err != nil {
			return err
		}
		if r.Previous == "" {
			// There is nothing to go back to. Nobody enforces the bundle then.
			r.Stage, r.Percent = bundle.Shadow, 0
		} else {
			r.Active, r.Previous, r.Stage, r.Percent = r.Previous, "", bundle.Enforce, 100
		}
		next := protocol.Step{Bundle: r.Active, Stage: string(r.Stage), Percent: r.Percent, By: "checkrein-hub", Why: why, Back: true, Began: time.Now().UTC().Truncate(time.Millisecond)}
		return c.publish(ctx, r, next, steps)
	})
}

// Figures returns the figures of the machines on which the newest step has begun.
func (c *Control) Figures(ctx context.Context, book *records.Book, machine func(string) (protocol.Machine, bool)) (*records.Figures, error) {
	steps, err := c.Steps(ctx)
	if err != nil || len(steps) == 0 {
		return &records.Figures{}, err
	}
	r, err := c.repo.Rollout(ctx)
	if err != nil {
		return nil, err
	}
	return c.tally.count(ctx, book, &steps[0], r, machine)
}
