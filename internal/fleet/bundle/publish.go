package bundle

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/theupdateframework/go-tuf/v2/metadata"
)

// Rollout returns what the hub published last. Before that, it is one without a bundle.
func (r *Repository) Rollout(ctx context.Context) (*Rollout, error) {
	role, err := load(ctx, r.Store, rolloutRole+".json", metadata.Targets())
	if errors.Is(err, fs.ErrNotExist) {
		return &Rollout{}, nil
	}
	if err != nil {
		return nil, err
	}
	file, ok := role.Signed.Targets[rolloutFile]
	if !ok {
		return nil, fmt.Errorf("the role %s signs no %s", rolloutRole, rolloutFile)
	}
	content, err := read(ctx, r.Store, targetName(rolloutFile, file), maxRollout)
	if err != nil {
		return nil, err
	}
	return parseRollout(content)
}

// Publish signs a rollout with the key of the hub, and with it what the repository has for machines: each
// step of a rollout is a new version. timestamp.json is written last, so machines see all of it or nothing.
func (r *Repository) Publish(ctx context.Context, hub ed25519.PrivateKey, rollout *Rollout) error {
	root, targets, err := r.newest(ctx)
	if err != nil {
		return err
	}
	all, err := entries(targets)
	if err != nil {
		return err
	}
	if err := checkRollout(rollout, all); err != nil {
		return err
	}
	if err := checkHubKey(root, publicKey(hub)); err != nil {
		return err
	}
	content, err := json.Marshal(rollout)
	if err != nil {
		return err
	}
	file, err := metadata.TargetFile().FromBytes(rolloutFile, content, "sha256")
	if err != nil {
		return err
	}
	if err := r.Store.Put(ctx, targetName(rolloutFile, file), content); err != nil {
		return err
	}
	role := metadata.Targets(r.currentTime().Add(rolloutValid))
	role.Signed.Targets[rolloutFile] = file
	if role.Signed.Version, err = r.nextVersion(ctx, rolloutRole); err != nil {
		return err
	}
	roleFile, err := sign(role, hub)
	if err != nil {
		return err
	}
	if err := r.put(ctx, rolloutRole, role.Signed.Version, roleFile); err != nil {
		return err
	}
	return r.publishSnapshot(ctx, hub, map[string]*metadata.MetaFiles{
		"targets.json":        {Version: targets.Signed.Version},
		rolloutRole + ".json": {Version: role.Signed.Version},
	})
}

// publishSnapshot signs a snapshot of these files, and the timestamp.
func (r *Repository) publishSnapshot(ctx context.Context, hub ed25519.PrivateKey, files map[string]*metadata.MetaFiles) error {
	snapshot := metadata.Snapshot(r.currentTime().Add(snapshotValid))
	snapshot.Signed.Meta = files
	var err error
	if snapshot.Signed.Version, err = r.nextVersion(ctx, metadata.SNAPSHOT); err != nil {
		return err
	}
	data, err := sign(snapshot, hub)
	if err != nil {
		return err
	}
	if err := r.put(ctx, metadata.SNAPSHOT, snapshot.Signed.Version, data); err != nil {
		return err
	}
	sum, err := metadata.TargetFile().FromBytes("", data, "sha256")
	if err != nil {
		return err
	}
	timestamp := metadata.Timestamp(r.currentTime().Add(timestampValid))
	if timestamp.Signed.Version, err = r.nextVersion(ctx, metadata.TIMESTAMP); err != nil {
		return err
	}
	timestamp.Signed.Meta["snapshot.json"] = &metadata.MetaFiles{Version: snapshot.Signed.Version, Length: sum.Length, Hashes: sum.Hashes}
	if data, err = sign(timestamp, hub); err != nil {
		return err
	}
	return r.Store.Put(ctx, timestampFile, data)
}

// nextVersion returns the next version of a role that the hub signs: the time, so that a hub that was
// restored from a backup soon exceeds what machines have seen of it.
func (r *Repository) nextVersion(ctx context.Context, role string) (int64, error) {
	signed, err := r.signedPart(ctx, role)
	if errors.Is(err, fs.ErrNotExist) {
		return r.currentTime().Unix(), nil
	}
	return max(signed.Version+1, r.currentTime().Unix()), err
}

// A signedPart is what all metadata has.
type signedPart struct {
	Version int64     `json:"version"`
	Expires time.Time `json:"expires"`
}

// signedPart returns what the newest metadata of a role says about itself. It is the repository's own,
// and its signature is not checked.
func (r *Repository) signedPart(ctx context.Context, role string) (signedPart, error) {
	var m struct {
		Signed signedPart `json:"signed"`
	}
	data, err := read(ctx, r.Store, role+".json", maxTargets)
	if err != nil {
		return m.Signed, err
	}
	return m.Signed, json.Unmarshal(data, &m)
}

// Renew publishes again what is published, if something that the hub signs has passed half of its
// validity. It reports whether it did.
func (r *Repository) Renew(ctx context.Context, hub ed25519.PrivateKey) (bool, error) {
	due := false
	for role, valid := range map[string]time.Duration{rolloutRole: rolloutValid, metadata.SNAPSHOT: snapshotValid, metadata.TIMESTAMP: timestampValid} {
		signed, err := r.signedPart(ctx, role)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		due = due || r.currentTime().After(signed.Expires.Add(-valid/2))
	}
	if !due {
		return false, nil
	}
	rollout, err := r.Rollout(ctx)
	if err != nil {
		return false, err
	}
	return true, r.Publish(ctx, hub, rollout)
}
