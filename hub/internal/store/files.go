package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// maxValue limits what is stored as a value. Larger files are objects.
const maxValue = 256 << 10

// Files are the files of the fleet's repository of bundles. It is a bundle.Store.
type Files struct{ *Store }

// Open returns the content of the file name, or fs.ErrNotExist.
func (f Files) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	entry, err := f.Trust.Get(ctx, name)
	switch {
	case err == nil && len(entry.Value()) > 0:
		return io.NopCloser(bytes.NewReader(entry.Value())), nil
	case err == nil: // it is an object
		object, err := f.Bundles.Get(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		return object, nil
	case errors.Is(err, jetstream.ErrKeyNotFound), errors.Is(err, jetstream.ErrInvalidKey):
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return nil, fmt.Errorf("reading %s: %w", name, err)
}

// Put replaces the file name as a whole.
func (f Files) Put(ctx context.Context, name string, data []byte) error {
	if len(data) > 0 && len(data) <= maxValue {
		_, err := f.Trust.Put(ctx, name, data)
		return err
	}
	if _, err := f.Bundles.PutBytes(ctx, name, data); err != nil {
		return fmt.Errorf("storing %s: %w", name, err)
	}
	_, err := f.Trust.Put(ctx, name, nil)
	return err
}

// Lock waits until no other hub holds the lock name, and takes it for a minute at most.
func (s *Store) Lock(ctx context.Context, name string) (unlock func(), err error) {
	key := "lock." + name
	for {
		revision, err := s.State.Create(ctx, key, nil)
		if err == nil {
			return func() {
				_ = s.State.Delete(context.WithoutCancel(ctx), key, jetstream.LastRevision(revision)) // it expires
			}, nil
		}
		if !IsConflict(err) {
			return nil, err
		}
		if entry, err := s.State.Get(ctx, key); err == nil && time.Since(entry.Created()) > time.Minute {
			_ = s.State.Delete(ctx, key, jetstream.LastRevision(entry.Revision())) // its holder died
		}
		pause(ctx, 50*time.Millisecond)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}
