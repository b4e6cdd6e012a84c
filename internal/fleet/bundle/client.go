package bundle

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/theupdateframework/go-tuf/v2/metadata"
	"github.com/theupdateframework/go-tuf/v2/metadata/trustedmetadata"
)

// A Client keeps what a machine trusts of a repository, and the bundles that it runs. It is the only one
// that writes to Dir.
type Client struct {
	Dir     string // fleet in the administrator's directory
	Machine string // the ID that chooses the machine for rollouts
	Program string // checkrein, if Dir is in the administrator's directory; "" = what agents need of the bundles is not cached
	Source  Source
	Now     func() time.Time // nil = time.Now
}

// tufDir is the directory in Client.Dir of the metadata that was verified last.
const tufDir = "tuf"

func (c *Client) currentTime() time.Time {
	if c.Now == nil {
		return time.Now().UTC()
	}
	return c.Now().UTC()
}

// A Plan is what a repository says that a machine should run.
type Plan struct {
	Rollout Rollout
	Active  *Entry    // the bundle to enforce; nil = keep the one that is active
	Trial   *Entry    // the bundle to try in shadow mode; nil = none
	Expires time.Time // when the metadata expires unless it is renewed
	bundles map[string]Entry
}

// PlanOfMost returns a plan for a machine that runs what most machines of the fleet enforce, without a
// freeze.
func (p *Plan) PlanOfMost() *Plan {
	r := p.Rollout
	target := r.Previous
	if r.Stage == Enforce && 2*r.Percent > 100 {
		target = r.Active
	}
	r.Freeze = nil
	out := &Plan{Rollout: r, Expires: p.Expires, bundles: p.bundles}
	if e, ok := p.bundles[target]; ok {
		out.Active = &e
	}
	return out
}

// Pin makes root, the content of root.json, the root of all trust, if it has the digest that the
// administrator handed over, a SHA-256 in hexadecimal. Later roots must be signed by the one before.
func (c *Client) Pin(ctx context.Context, root []byte, digest string) error {
	if sum := sha256.Sum256(root); hex.EncodeToString(sum[:]) != digest {
		return refuse("root.json", fmt.Errorf("its digest is %x, and the administrator gave %s", sum, digest))
	}
	if _, err := trustedmetadata.New(root); err != nil {
		return refuse("root.json", err)
	}
	return c.keep(ctx, metadata.ROOT, root)
}

// IsPinned reports whether the machine knows a root of trust.
func (c *Client) IsPinned() bool { return c.readKept(metadata.ROOT) != nil }

// readKept returns the metadata of a role that was verified last, or nil if there is none.
func (c *Client) readKept(role string) []byte {
	data, _ := state.ReadRegular(filepath.Join(c.Dir, tufDir, role+".json"), maxTargets)
	return data
}

// keep replaces the metadata of a role with data, which was verified.
func (c *Client) keep(ctx context.Context, role string, data []byte) error {
	return Dir(filepath.Join(c.Dir, tufDir)).Put(ctx, role+".json", data)
}

// Refresh fetches and verifies what the repository has for this machine. A [Refusal] names the file that
// was not accepted; other errors mean that the repository cannot be reached. Either way, what was
// verified before stays, and so does what is active.
func (c *Client) Refresh(ctx context.Context) (plan *Plan, err error) {
	defer func() {
		if broken := recover(); broken != nil { // metadata that a stolen key signed may lack what the library needs
			plan, err = nil, refuse("metadata", fmt.Errorf("it is malformed: %v", broken))
		}
	}()
	trusted, err := c.refreshRoot(ctx)
	if err != nil {
		return nil, err
	}
	trusted.RefTime = c.currentTime()
	if err := c.refreshTimestamp(ctx, trusted); err != nil {
		return nil, err
	}
	if err := c.refreshSnapshot(ctx, trusted); err != nil {
		return nil, err
	}
	targets, err := c.refreshTargets(ctx, trusted, metadata.TARGETS, metadata.ROOT)
	if err != nil {
		return nil, err
	}
	role, err := c.refreshTargets(ctx, trusted, rolloutRole, metadata.TARGETS)
	if err != nil {
		return nil, err
	}
	rollout, err := c.fetchRollout(ctx, targets, role)
	if err != nil {
		return nil, err
	}
	plan, err = c.newPlan(rollout, targets)
	if err != nil {
		return nil, refuse(rolloutFile, err)
	}
	plan.Expires = trusted.Timestamp.Signed.Expires
	return plan, nil
}

// HubKey returns the key of the hub that the metadata which was verified last names. It fails if that is
// expired.
func (c *Client) HubKey() (ed25519.PublicKey, error) {
	trusted, err := trustedmetadata.New(c.readKept(metadata.ROOT))
	if err != nil {
		return nil, refuse("root.json", err)
	}
	targets, err := metadata.Targets().FromBytes(c.readKept(metadata.TARGETS))
	if err == nil {
		err = trusted.Root.VerifyDelegate(metadata.TARGETS, targets)
	}
	if now := c.currentTime(); err == nil && (trusted.Root.Signed.IsExpired(now) || targets.Signed.IsExpired(now)) {
		err = errExpired
	}
	if err != nil {
		return nil, refuse("targets.json", err)
	}
	if d := targets.Signed.Delegations; d != nil && len(d.Roles) == 1 && d.Roles[0].Name == rolloutRole && len(d.Roles[0].KeyIDs) == 1 {
		if key := d.Keys[d.Roles[0].KeyIDs[0]]; key != nil {
			public, err := key.ToPublicKey()
			if hub, ok := public.(ed25519.PublicKey); ok && err == nil {
				return hub, nil
			}
		}
	}
	return nil, refuse("targets.json", errors.New("it names no key of a hub"))
}

// refreshRoot follows the rotations of the root that is trusted.
func (c *Client) refreshRoot(ctx context.Context) (*trustedmetadata.TrustedMetadata, error) {
	trusted, err := trustedmetadata.New(c.readKept(metadata.ROOT))
	if err != nil {
		return nil, refuse("root.json", fmt.Errorf("the copy on this machine is damaged: %w", err))
	}
	return trusted, followRoots(ctx, trusted, c.Source, func(root []byte) error { return c.keep(ctx, metadata.ROOT, root) })
}

// followRoots makes trusted follow the rotations of its root in from, and calls keep with each new root.
func followRoots(ctx context.Context, trusted *trustedmetadata.TrustedMetadata, from Source, keep func(root []byte) error) error {
	for range maxRotations {
		name := versionName(metadata.ROOT, trusted.Root.Signed.Version+1)
		root, err := read(ctx, from, name, maxRoot)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return err
		}
		if _, err := trusted.UpdateRoot(root); err != nil {
			return refuse(name, err)
		}
		if err := keep(root); err != nil {
			return err
		}
	}
	return nil
}

// refreshTimestamp fetches timestamp.json. The one before serves only to refuse older ones.
func (c *Client) refreshTimestamp(ctx context.Context, trusted *trustedmetadata.TrustedMetadata) error {
	_, _ = trusted.UpdateTimestamp(c.readKept(metadata.TIMESTAMP)) // it may be expired, or of a key that was replaced
	data, err := read(ctx, c.Source, timestampFile, maxTimestamp)
	if err != nil {
		return err
	}
	_, err = trusted.UpdateTimestamp(data)
	if errors.Is(err, &metadata.ErrEqualVersionNumber{}) {
		if err = nil; trusted.Timestamp.Signed.IsExpired(trusted.RefTime) {
			err = refuse(timestampFile, errExpired)
		}
		return err
	}
	if err != nil {
		return refuse(timestampFile, err)
	}
	return c.keep(ctx, metadata.TIMESTAMP, data)
}

// refreshSnapshot fetches the snapshot that the timestamp names, unless the machine has it.
func (c *Client) refreshSnapshot(ctx context.Context, trusted *trustedmetadata.TrustedMetadata) error {
	if _, err := trusted.UpdateSnapshot(c.readKept(metadata.SNAPSHOT), true); err == nil {
		return nil // otherwise it serves only to refuse older ones
	}
	name := versionName(metadata.SNAPSHOT, trusted.Timestamp.Signed.Meta["snapshot.json"].Version)
	data, err := read(ctx, c.Source, name, maxSnapshot)
	if err != nil {
		return refuseMissing(name, err)
	}
	if _, err := trusted.UpdateSnapshot(data, false); err != nil {
		return refuse(name, err)
	}
	return c.keep(ctx, metadata.SNAPSHOT, data)
}

// refuseMissing returns err, as a refusal if the repository lacks the file name although its signed metadata
// names it.
func refuseMissing(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return refuse(name, errors.New("it is missing"))
	}
	return err
}

// refreshTargets fetches the targets of a role that the snapshot names, unless the machine has them.
func (c *Client) refreshTargets(ctx context.Context, trusted *trustedmetadata.TrustedMetadata, role, parent string) (*metadata.Metadata[metadata.TargetsType], error) {
	if targets, err := trusted.UpdateDelegatedTargets(c.readKept(role), role, parent); err == nil {
		return targets, nil
	}
	meta, ok := trusted.Snapshot.Signed.Meta[role+".json"]
	if !ok {
		return nil, refuse("snapshot.json", fmt.Errorf("it does not name %s.json", role))
	}
	name := versionName(role, meta.Version)
	data, err := read(ctx, c.Source, name, maxTargets)
	if err != nil {
		return nil, refuseMissing(name, err)
	}
	targets, err := trusted.UpdateDelegatedTargets(data, role, parent)
	if err != nil {
		return nil, refuse(name, err)
	}
	return targets, c.keep(ctx, role, data)
}

// fetchRollout returns the content of rollout.json.
func (c *Client) fetchRollout(ctx context.Context, targets, role *metadata.Metadata[metadata.TargetsType]) (*Rollout, error) {
	file, err := rolloutTarget(targets, role)
	if err != nil {
		return nil, refuse(rolloutRole+".json", err)
	}
	const cached = rolloutRole + "-content"
	content := c.readKept(cached)
	if file.VerifyLengthHashes(content) != nil {
		name := targetName(rolloutFile, file)
		if content, err = read(ctx, c.Source, name, file.Length); err != nil {
			return nil, refuseMissing(name, err)
		}
		if err := file.VerifyLengthHashes(content); err != nil {
			return nil, refuse(name, err)
		}
		if err := c.keep(ctx, cached, content); err != nil {
			return nil, err
		}
	}
	r, err := parseRollout(content)
	if err != nil {
		return nil, refuse(rolloutFile, err)
	}
	return r, nil
}

// newPlan returns what r means for this machine.
func (c *Client) newPlan(r *Rollout, targets *metadata.Metadata[metadata.TargetsType]) (*Plan, error) {
	all, err := entries(targets)
	if err != nil {
		return nil, err
	}
	if err := checkRollout(r, all); err != nil {
		return nil, err
	}
	active, trial := r.For(c.Machine)
	if all[active].Version < r.Minimum {
		active, trial = r.Active, ""
	}
	plan := &Plan{Rollout: *r, bundles: all}
	if e, ok := all[active]; ok {
		plan.Active = &e
	}
	if e, ok := all[trial]; ok {
		plan.Trial = &e
	}
	return plan, nil
}

// fetch returns the content of a bundle.
func (c *Client) fetch(ctx context.Context, e *Entry) (*Bundle, error) {
	name := targetName(e.Target(), e.file)
	archive, err := read(ctx, c.Source, name, e.file.Length)
	if err != nil {
		return nil, refuseMissing(name, err)
	}
	b, err := openArchive(*e, archive)
	if err != nil {
		return nil, refuse(name, err)
	}
	return b, nil
}

// Export copies what machines need of a repository, for those that get it as files. They verify it like
// what a hub sends, so it must be exported again before it expires. now may be nil, for the time.
func Export(ctx context.Context, from Source, to Store, now func() time.Time) error {
	temp, err := os.MkdirTemp("", "checkrein-export-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	copies := &copier{from: from, to: to}
	root, err := read(ctx, copies, versionName(metadata.ROOT, 1), maxRoot)
	if err != nil {
		return err
	}
	c := &Client{Dir: temp, Source: copies, Now: now} // it has nothing, so it reads all that machines read
	if err := c.keep(ctx, metadata.ROOT, root); err != nil {
		return err
	}
	plan, err := c.Refresh(ctx)
	if err != nil {
		return err
	}
	for _, target := range []string{plan.Rollout.Active, plan.Rollout.Previous} {
		if e, ok := plan.bundles[target]; ok {
			if _, err := c.fetch(ctx, &e); err != nil {
				return err
			}
		}
	}
	return to.Put(ctx, timestampFile, copies.timestamp)
}

// A copier is a source that copies what is read to a store. Only timestamp.json is left to the caller,
// because machines begin with it.
type copier struct {
	from      Source
	to        Store
	timestamp []byte
}

// Open implements [Source].
func (c *copier) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	data, err := read(ctx, c.from, name, MaxArchive)
	switch {
	case err != nil:
	case name == timestampFile:
		c.timestamp = data
	default:
		err = c.to.Put(ctx, name, data)
	}
	return io.NopCloser(bytes.NewReader(data)), err
}
