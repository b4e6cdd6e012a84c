package bundle

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/theupdateframework/go-tuf/v2/metadata"
	"github.com/theupdateframework/go-tuf/v2/metadata/trustedmetadata"
)

// Keys are the keys of a repository: the administrator's own, and the public one of the hub.
type Keys struct {
	Root, Release ed25519.PrivateKey
	Hub           ed25519.PublicKey
}

// A Repository holds what a fleet's administrator and hub sign. The administrator has one, to which
// [Repository.Add] and [Repository.Rotate] write. The hub has another, which takes over what the
// administrator signed with [Repository.Accept], and from which machines read.
//
// Names of files begin with the version of the metadata or the digest of the target, so that a file never
// changes. The names without a version are the newest; only timestamp.json is read by machines.
type Repository struct {
	Store Store
	Now   func() time.Time // nil = time.Now
}

func (r *Repository) currentTime() time.Time {
	if r.Now == nil {
		return time.Now().UTC().Truncate(time.Second)
	}
	return r.Now().UTC().Truncate(time.Second)
}

// put writes a version of a role's metadata, and then what is the newest.
func (r *Repository) put(ctx context.Context, role string, version int64, data []byte) error {
	if err := r.Store.Put(ctx, versionName(role, version), data); err != nil {
		return err
	}
	return r.Store.Put(ctx, role+".json", data)
}

// load reads metadata, an empty one of its type.
func load[T metadata.Roles](ctx context.Context, from Source, name string, empty *metadata.Metadata[T]) (*metadata.Metadata[T], error) {
	data, err := read(ctx, from, name, maxTargets)
	if err != nil {
		return nil, err
	}
	return empty.FromBytes(data)
}

// newest returns the newest root and list of bundles.
func (r *Repository) newest(ctx context.Context) (*metadata.Metadata[metadata.RootType], *metadata.Metadata[metadata.TargetsType], error) {
	root, err := load(ctx, r.Store, "root.json", metadata.Root())
	if err != nil {
		return nil, nil, err
	}
	targets, err := load(ctx, r.Store, "targets.json", metadata.Targets())
	return root, targets, err
}

// Create creates a repository without bundles.
func (r *Repository) Create(ctx context.Context, keys Keys) error {
	if _, _, err := r.newest(ctx); !errors.Is(err, fs.ErrNotExist) {
		return cmp.Or(err, errors.New("there is a repository already"))
	}
	return r.writeOffline(ctx, keys, keys.Root, nil, metadata.Targets())
}

// Rotate gives the repository the keys next, which may be the ones that it has, to renew what expires. root
// is its root key until now.
func (r *Repository) Rotate(ctx context.Context, root ed25519.PrivateKey, next Keys) error {
	old, targets, err := r.newest(ctx)
	if err != nil {
		return err
	}
	targets.Signed.Version++
	return r.writeOffline(ctx, next, root, old, targets)
}

// writeOffline writes the root that follows old, if there is one, which the key before and the root key of
// keys sign, and targets, which the release key signs.
func (r *Repository) writeOffline(ctx context.Context, keys Keys, before ed25519.PrivateKey, old *metadata.Metadata[metadata.RootType], targets *metadata.Metadata[metadata.TargetsType]) error {
	version := int64(1)
	if old != nil {
		version += old.Signed.Version
	}
	root, err := newRoot(keys, version, r.currentTime())
	if err != nil {
		return err
	}
	data, err := sign(root, before, keys.Root)
	if err != nil {
		return err
	}
	if old != nil {
		if err := old.VerifyDelegate(metadata.ROOT, root); err != nil {
			return fmt.Errorf("this is not the root key of the repository: %w", err)
		}
	}
	if targets.Signed.Delegations, err = newDelegation(keys.Hub); err != nil {
		return err
	}
	if err := r.put(ctx, metadata.ROOT, version, data); err != nil {
		return err
	}
	return r.writeTargets(ctx, keys.Release, root, targets)
}

// writeTargets signs and writes the list of bundles.
func (r *Repository) writeTargets(ctx context.Context, release ed25519.PrivateKey, root *metadata.Metadata[metadata.RootType], targets *metadata.Metadata[metadata.TargetsType]) error {
	targets.Signed.Expires = r.currentTime().Add(targetsValid)
	data, err := sign(targets, release)
	if err != nil {
		return err
	}
	if err := root.VerifyDelegate(metadata.TARGETS, targets); err != nil {
		return fmt.Errorf("this is not the release key of the repository: %w", err)
	}
	return r.put(ctx, metadata.TARGETS, targets.Signed.Version, data)
}

// Add adds a bundle that machines may run, if its policies have no mistake.
func (r *Repository) Add(ctx context.Context, release ed25519.PrivateKey, archive []byte) (Info, error) {
	b, err := Parse(archive)
	if err != nil {
		return Info{}, err
	}
	if err := b.Check(); err != nil {
		return Info{}, err
	}
	root, targets, err := r.newest(ctx)
	if err != nil {
		return Info{}, err
	}
	file, err := addEntry(targets, b.Info, archive)
	if err != nil {
		return Info{}, err
	}
	if err := r.Store.Put(ctx, targetName(b.Target(), file), archive); err != nil {
		return Info{}, err
	}
	targets.Signed.Version++
	return b.Info, r.writeTargets(ctx, release, root, targets)
}

// Bundles returns the bundles that machines may run, by name and version.
func (r *Repository) Bundles(ctx context.Context) ([]Entry, error) {
	_, targets, err := r.newest(ctx)
	if err != nil {
		return nil, err
	}
	all, err := entries(targets)
	return slices.SortedFunc(maps.Values(all), func(a, b Entry) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Version, b.Version))
	}), err
}

// Expires returns when the root and the list of bundles expire, which only the administrator can renew.
func (r *Repository) Expires(ctx context.Context) (root, targets time.Time, err error) {
	m, t, err := r.newest(ctx)
	if err != nil {
		return time.Time{}, time.Time{}, err
	}
	return m.Signed.Expires, t.Signed.Expires, nil
}

// Accept takes over what the administrator signed in from, if it continues what the repository has and
// every bundle in it is good. The first time, the caller vouches for its root. hub is the key that the
// repository must name as the hub's. Machines learn of it with the next [Repository.Publish].
func (r *Repository) Accept(ctx context.Context, from Source, hub ed25519.PublicKey) error {
	trusted, roots, err := r.acceptRoots(ctx, from)
	if err != nil {
		return err
	}
	if err := checkHubKey(trusted.Root, hub); err != nil {
		return refuse("root.json", err)
	}
	data, err := read(ctx, from, "targets.json", maxTargets)
	if err != nil {
		return err
	}
	targets, err := metadata.Targets().FromBytes(data)
	if err == nil {
		err = trusted.Root.VerifyDelegate(metadata.TARGETS, targets)
	}
	if err == nil {
		err = r.checkTargets(ctx, targets, data, hub)
	}
	if err != nil {
		return refuse("targets.json", err)
	}
	for target, file := range targets.Signed.Targets {
		if err := r.acceptBundle(ctx, from, target, file); err != nil {
			return refuse(target, err)
		}
	}
	for i, root := range roots {
		if err := r.put(ctx, metadata.ROOT, trusted.Root.Signed.Version-int64(len(roots)-1-i), root); err != nil {
			return err
		}
	}
	return r.put(ctx, metadata.TARGETS, targets.Signed.Version, data)
}

// acceptRoots returns what to trust after the roots in from, and those that are new, in their order.
func (r *Repository) acceptRoots(ctx context.Context, from Source) (*trustedmetadata.TrustedMetadata, [][]byte, error) {
	first, err := read(ctx, r.Store, "root.json", maxRoot)
	var roots [][]byte
	if errors.Is(err, fs.ErrNotExist) {
		first, err = read(ctx, from, versionName(metadata.ROOT, 1), maxRoot)
		roots = append(roots, first)
	}
	if err != nil {
		return nil, nil, err
	}
	trusted, err := trustedmetadata.New(first)
	if err != nil {
		return nil, nil, refuse("root.json", err)
	}
	err = followRoots(ctx, trusted, from, func(root []byte) error {
		roots = append(roots, root)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if trusted.Root.Signed.IsExpired(r.currentTime()) {
		return nil, nil, refuse("root.json", errExpired)
	}
	return trusted, roots, nil
}

var errExpired = errors.New("it is expired")

// checkHubKey returns an error unless hub is the only key of the roles that the hub signs.
func checkHubKey(root *metadata.Metadata[metadata.RootType], hub ed25519.PublicKey) error {
	_, id, err := tufKey(hub)
	if err != nil {
		return err
	}
	for _, role := range []string{metadata.SNAPSHOT, metadata.TIMESTAMP} {
		if is := root.Signed.Roles[role]; is == nil || !slices.Equal(is.KeyIDs, []string{id}) {
			return fmt.Errorf("its key for %s is not this hub's key", role)
		}
	}
	return nil
}

// checkTargets returns an error unless targets, with the file data, can replace the list of bundles.
func (r *Repository) checkTargets(ctx context.Context, targets *metadata.Metadata[metadata.TargetsType], data []byte, hub ed25519.PublicKey) error {
	want, err := newDelegation(hub)
	if err != nil {
		return err
	}
	wanted, err := json.Marshal(want)
	if err != nil {
		return err
	}
	if got, err := json.Marshal(targets.Signed.Delegations); err != nil || !bytes.Equal(got, wanted) {
		return fmt.Errorf("it must let this hub sign %s and nothing else", rolloutFile)
	}
	if targets.Signed.IsExpired(r.currentTime()) {
		return errExpired
	}
	old, err := read(ctx, r.Store, "targets.json", maxTargets)
	if errors.Is(err, fs.ErrNotExist) || err == nil && bytes.Equal(old, data) {
		return nil
	}
	if err != nil {
		return err
	}
	before, err := metadata.Targets().FromBytes(old)
	if err != nil {
		return err
	}
	if before.Signed.Version >= targets.Signed.Version {
		return fmt.Errorf("its version %d is not newer than %d, which the hub has", targets.Signed.Version, before.Signed.Version)
	}
	all, err := entries(targets)
	if err != nil {
		return err
	}
	now, err := r.Rollout(ctx)
	if err != nil {
		return err
	}
	return checkRollout(now, all)
}

// acceptBundle copies the archive of a bundle, unless the repository has it.
func (r *Repository) acceptBundle(ctx context.Context, from Source, target string, file *metadata.TargetFiles) error {
	e, err := entryOf(target, file)
	if err != nil {
		return err
	}
	name := targetName(target, file)
	if have, err := read(ctx, r.Store, name, MaxArchive); err == nil && file.VerifyLengthHashes(have) == nil {
		return nil
	}
	archive, err := read(ctx, from, name, file.Length)
	if err != nil {
		return err
	}
	b, err := openArchive(e, archive)
	if err != nil {
		return err
	}
	if err := b.Check(); err != nil {
		return err
	}
	return r.Store.Put(ctx, name, archive)
}

// openArchive returns the content of the archive of e, if it is what was signed.
func openArchive(e Entry, archive []byte) (*Bundle, error) {
	if err := e.file.VerifyLengthHashes(archive); err != nil {
		return nil, err
	}
	b, err := Parse(archive)
	if err != nil {
		return nil, err
	}
	if b.Target() != e.Target() {
		return nil, fmt.Errorf("it holds the bundle %s", b.Info)
	}
	return b, nil
}
