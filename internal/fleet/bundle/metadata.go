package bundle

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/sigstore/sigstore/pkg/signature"
	"github.com/theupdateframework/go-tuf/v2/metadata"
)

// rolloutRole is the role that the release key delegates to the hub. It may sign rolloutFile only.
const (
	rolloutRole = "rollout"
	rolloutFile = "rollout.json"
)

// timestampFile is what machines ask for first: the digest of the newest snapshot. Its name has no version.
const timestampFile = "timestamp.json"

// How long metadata is valid. The hub renews what it signs at half of it, so a machine's clock may be
// hours off.
const (
	rootValid      = 365 * 24 * time.Hour
	targetsValid   = 90 * 24 * time.Hour
	rolloutValid   = 7 * 24 * time.Hour
	snapshotValid  = 7 * 24 * time.Hour
	timestampValid = 24 * time.Hour
)

// Limits of the files of a repository.
const (
	maxRoot      = 64 << 10
	maxTargets   = 1 << 20
	maxSnapshot  = 64 << 10
	maxTimestamp = 16 << 10
	maxRollout   = 64 << 10 // of the role's metadata, and of rollout.json
	maxRotations = 64       // of the root in one refresh
)

// versionName returns the name of a version of a role's metadata.
func versionName(role string, version int64) string { return fmt.Sprintf("%d.%s.json", version, role) }

// targetName returns the name of the file with the content of a target.
func targetName(target string, meta *metadata.TargetFiles) string {
	dir, base := path.Split(target)
	return "targets/" + dir + digestOf(meta) + "." + base
}

// digestOf returns the SHA-256 of a target's content in hexadecimal.
func digestOf(meta *metadata.TargetFiles) string { return hex.EncodeToString(meta.Hashes["sha256"]) }

// sign signs m with the keys, each once, and returns its file.
func sign[T metadata.Roles](m *metadata.Metadata[T], keys ...ed25519.PrivateKey) ([]byte, error) {
	m.ClearSignatures()
	for i, key := range keys {
		if slices.ContainsFunc(keys[:i], func(k ed25519.PrivateKey) bool { return k.Equal(key) }) {
			continue
		}
		signer, err := signature.LoadED25519Signer(key)
		if err != nil {
			return nil, err
		}
		if _, err := m.Sign(signer); err != nil {
			return nil, err
		}
	}
	return m.ToBytes(false)
}

// newRoot returns an unsigned root with the public parts of keys.
func newRoot(keys Keys, version int64, now time.Time) (*metadata.Metadata[metadata.RootType], error) {
	root := metadata.Root(now.Add(rootValid))
	root.Signed.Version = version
	for role, key := range map[string]ed25519.PublicKey{
		metadata.ROOT: publicKey(keys.Root), metadata.TARGETS: publicKey(keys.Release), metadata.SNAPSHOT: keys.Hub, metadata.TIMESTAMP: keys.Hub,
	} {
		k, err := metadata.KeyFromPublicKey(key)
		if err != nil {
			return nil, err
		}
		if err := root.Signed.AddKey(k, role); err != nil {
			return nil, err
		}
	}
	return root, nil
}

func publicKey(key ed25519.PrivateKey) ed25519.PublicKey {
	public, _ := key.Public().(ed25519.PublicKey)
	return public
}

// tufKey returns a public key as metadata has it, with its ID.
func tufKey(public ed25519.PublicKey) (key *metadata.Key, id string, err error) {
	if key, err = metadata.KeyFromPublicKey(public); err == nil {
		id, err = key.ID()
	}
	return key, id, err
}

// newDelegation returns the delegation of rolloutRole to the key of the hub.
func newDelegation(hub ed25519.PublicKey) (*metadata.Delegations, error) {
	key, id, err := tufKey(hub)
	if err != nil {
		return nil, err
	}
	return &metadata.Delegations{Keys: map[string]*metadata.Key{id: key}, Roles: []metadata.DelegatedRole{
		{Name: rolloutRole, KeyIDs: []string{id}, Threshold: 1, Terminating: true, Paths: []string{rolloutFile}},
	}}, nil
}

// An Entry is a bundle that the release key signed.
type Entry struct {
	Info
	SHA256 string // of its archive, in hexadecimal
	file   *metadata.TargetFiles
}

// entryOf returns the bundle at the path target. Release keys sign nothing else.
func entryOf(target string, file *metadata.TargetFiles) (Entry, error) {
	if file.Custom == nil || len(file.Hashes["sha256"]) != 32 || file.Length > MaxArchive {
		return Entry{}, fmt.Errorf("%s is not described as a bundle", target)
	}
	info, err := parseInfo(*file.Custom)
	if err == nil && info.Target() != target {
		err = fmt.Errorf("it is described as %s", info)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("%s: %w", target, err)
	}
	return Entry{info, digestOf(file), file}, nil
}

// entries returns the bundles of targets by their paths.
func entries(targets *metadata.Metadata[metadata.TargetsType]) (map[string]Entry, error) {
	out := map[string]Entry{}
	for target, file := range targets.Signed.Targets {
		e, err := entryOf(target, file)
		if err != nil {
			return nil, err
		}
		out[target] = e
	}
	return out, nil
}

// checkRollout returns an error if r does not fit the bundles in all.
func checkRollout(r *Rollout, all map[string]Entry) error {
	return r.check(func(target string) (int64, bool) { e, ok := all[target]; return e.Version, ok })
}

// addEntry adds the archive of a bundle to targets.
func addEntry(targets *metadata.Metadata[metadata.TargetsType], info Info, archive []byte) (*metadata.TargetFiles, error) {
	file, err := metadata.TargetFile().FromBytes(info.Target(), archive, "sha256")
	if err != nil {
		return nil, err
	}
	custom, err := json.Marshal(info)
	if err != nil {
		return nil, err
	}
	file.Custom = (*json.RawMessage)(&custom)
	if old, ok := targets.Signed.Targets[info.Target()]; ok && !old.Equal(*file) {
		return nil, fmt.Errorf("%s was published with other content: give it a new version in bundle.json", info)
	}
	targets.Signed.Targets[info.Target()] = file
	return file, nil
}

// rolloutTarget returns the description of rollout.json, if role signs that and nothing else, as parent
// allows it.
func rolloutTarget(parent, role *metadata.Metadata[metadata.TargetsType]) (*metadata.TargetFiles, error) {
	file, ok := role.Signed.Targets[rolloutFile]
	if !ok || len(role.Signed.Targets) != 1 || role.Signed.Delegations != nil || file.Length > maxRollout {
		return nil, fmt.Errorf("it must sign %s and nothing else", rolloutFile)
	}
	if d := parent.Signed.Delegations; d != nil && len(d.Roles) == 1 && d.Roles[0].Name == rolloutRole {
		if allowed, err := d.Roles[0].IsDelegatedPath(rolloutFile); allowed && err == nil {
			return file, nil
		}
	}
	return nil, errors.New("the release key does not let the hub sign it")
}
