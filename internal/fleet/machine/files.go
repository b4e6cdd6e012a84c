package machine

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/checkrein/checkrein/internal/fleet/bundle"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// Files are what the administrator of a fleet exported, for a machine that talks to no hub.
type Files struct {
	Dir     string // of the enrollment
	From    string // the directory with the files
	Root    string // SHA-256 of the fleet's first root metadata; "" = that of the files that were applied before
	Program string // see [bundle.Client]
}

// IsPinned reports whether files were applied before, so that the machine knows whose they must be.
func (f *Files) IsPinned() bool { return f.client().IsPinned() }

func (f *Files) client() *bundle.Client {
	return &bundle.Client{Dir: f.Dir, Program: f.Program, Source: bundle.Dir(f.From)}
}

// Apply makes the machine run what the files say, verified like what a hub sends. If they are refused, the
// error is a [bundle.Refusal], and what was active stays active.
func (f *Files) Apply(ctx context.Context) (Status, error) {
	if e, err := Load(f.Dir); err == nil {
		return Status{}, fmt.Errorf("%w: %s at %s, which sends it bundles", ErrEnrolled, e.Fleet, e.URL)
	} else if !errors.Is(err, ErrNotEnrolled) {
		return Status{}, err
	}
	if err := os.MkdirAll(f.Dir, 0o755); err != nil {
		return Status{}, err
	}
	key, err := createKey(f.Dir) // the machine's id chooses it for rollouts
	if err != nil {
		return Status{}, err
	}
	c := f.client()
	c.Machine = protocol.MachineID(key.Public().(ed25519.PublicKey))
	if err := f.pin(ctx, c); err != nil {
		return Status{}, err
	}
	change, err := update(ctx, c, func() time.Duration { return 0 })
	if err != nil {
		return Status{}, err
	}
	s := readStatus(f.Dir)
	change(&s)
	return s, s.save(f.Dir)
}

// FilesStatus returns what was applied last of files in dir, the directory of enrollments. It reports false if
// nothing was.
func FilesStatus(dir string) (Status, bool) {
	s := readStatus(dir)
	return s, !s.Checked.IsZero() || s.Refused != ""
}

// pin makes the first root metadata the root of all trust, or checks that it is the one that is.
func (f *Files) pin(ctx context.Context, c *bundle.Client) error {
	if f.Root == "" {
		if c.IsPinned() {
			return nil
		}
		return errors.New("the digest of the fleet's root metadata is needed the first time: --root DIGEST")
	}
	r, err := c.Source.Open(ctx, "1.root.json")
	if err != nil {
		return err
	}
	defer r.Close()
	root, err := io.ReadAll(io.LimitReader(r, 1<<20))
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(root); c.IsPinned() && hex.EncodeToString(sum[:]) == f.Root {
		return nil // what the machine has verified follows from it, or Refresh refuses the files
	}
	if c.IsPinned() {
		return &bundle.Refusal{File: "1.root.json", Err: fmt.Errorf("its digest is not %s", f.Root)}
	}
	return c.Pin(ctx, root, f.Root)
}
