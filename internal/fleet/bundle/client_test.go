package bundle

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/theupdateframework/go-tuf/v2/metadata"
)

// A fleet is an administrator, a hub and a machine that runs base 1, with a clock of their own.
type fleet struct {
	t          *testing.T
	ctx        context.Context
	now        time.Time
	keys       Keys
	hub        ed25519.PrivateKey
	admin, srv *Repository
	client     *Client
	served     map[string][]byte // instead of what the hub has; nil = missing
	endless    string            // the end of the name of a file without an end
	fetched    map[string]int
}

// newSigningKey returns a key that depends on name only.
func newSigningKey(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte(name))
	return ed25519.NewKeyFromSeed(seed[:])
}

// Open implements Source: it serves the hub's repository, with what an attacker changed.
func (f *fleet) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	f.fetched[name]++
	if f.endless != "" && strings.HasSuffix(name, f.endless) {
		return io.NopCloser(zeros{}), nil
	}
	if data, changed := f.served[name]; changed {
		if data == nil {
			return nil, fs.ErrNotExist
		}
		return io.NopCloser(bytes.NewReader(data)), nil
	}
	return f.srv.Store.Open(ctx, name)
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	hub := newSigningKey("hub")
	f := &fleet{t: t, ctx: t.Context(), now: time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC), hub: hub, served: map[string][]byte{}, fetched: map[string]int{},
		keys: Keys{Root: newSigningKey("root"), Release: newSigningKey("release"), Hub: publicKey(hub)}}
	clock := func() time.Time { return f.now }
	f.admin, f.srv = &Repository{Dir(t.TempDir()), clock}, &Repository{Dir(t.TempDir()), clock}
	f.client = &Client{Dir: filepath.Join(t.TempDir(), config.FleetDir), Machine: "m1", Source: f, Now: clock}
	f.must(f.admin.Create(f.ctx, f.keys))
	f.add(1)
	f.publish(&Rollout{Active: "bundles/base-1.tar.gz", Stage: Enforce, Percent: 100})
	root := f.read("1.root.json")
	sum := sha256.Sum256(root)
	f.must(f.client.Pin(f.ctx, root, hex.EncodeToString(sum[:])))
	f.must(f.update())
	f.wantActive("base 1")
	return f
}

func (f *fleet) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// read returns a file of the hub.
func (f *fleet) read(name string) []byte {
	f.t.Helper()
	data, err := read(f.ctx, f.srv.Store, name, MaxArchive)
	f.must(err)
	return data
}

// add has the administrator publish a version of the bundle base, and the hub accept it.
func (f *fleet) add(version int64) {
	f.t.Helper()
	_, err := f.admin.Add(f.ctx, f.keys.Release, archiveOf(f.t, noteFile(version), policyFile(fmt.Sprint("rule", version))))
	f.must(err)
	f.must(f.srv.Accept(f.ctx, f.admin.Store, f.keys.Hub))
}

func (f *fleet) publish(r *Rollout) {
	f.t.Helper()
	f.must(f.srv.Publish(f.ctx, f.hub, r))
}

// rollOut publishes a rollout of version 2 to all machines, which the machine has not seen.
func (f *fleet) rollOut() {
	f.t.Helper()
	f.now = f.now.Add(time.Minute)
	f.add(2)
	f.publish(&Rollout{Active: "bundles/base-2.tar.gz", Previous: "bundles/base-1.tar.gz", Stage: Enforce, Percent: 100})
}

// update is what a machine does now and then.
func (f *fleet) update() error {
	plan, err := f.client.Refresh(f.ctx)
	if err != nil {
		return err
	}
	return f.client.Apply(f.ctx, plan)
}

// wantActive checks that the bundle is active, complete and loaded.
func (f *fleet) wantActive(want string) {
	f.t.Helper()
	got, err := f.client.Current(config.FleetActive)
	if err != nil || got == nil || got.String() != want {
		f.t.Errorf("%v is active, want %s: %v", got, want, err)
	}
}

// wantRefused checks that an update is refused because of file for a reason that contains why, and that
// base 1 stays active.
func (f *fleet) wantRefused(file, why string) {
	f.t.Helper()
	err := f.update()
	r := (*Refusal)(nil)
	if !errors.As(err, &r) || !strings.Contains(r.File, file) || !strings.Contains(r.Err.Error(), why) {
		f.t.Errorf("got %v, want a refusal of %s: %s", err, file, why)
	}
	if err != nil && !strings.Contains(err.Error(), "administrator") {
		f.t.Errorf("nobody is named: %v", err)
	}
	f.wantActive("base 1")
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.rollOut()
	f.must(f.update())
	f.wantActive("base 2")
	c := config.Load(config.Options{Managed: filepath.Dir(f.client.Dir), Dialect: dialect.Detect})
	if len(c.Hooks) != 1 || c.Hooks[0].Name != "rule2" || c.Err() != nil {
		t.Errorf("a machine loads %v: %v", c.Hooks, c.Err())
	}
	// What the program needs of it is cached.
	cached := func() int {
		names, err := os.ReadDir(filepath.Join(filepath.Dir(f.client.Dir), config.CacheFolder))
		f.must(err)
		return len(names)
	}
	before := cached()
	f.must(f.update())
	if cached() != before {
		t.Error("something is cached for no program")
	}
	f.client.Program = os.Args[0]
	f.must(f.update())
	if cached() != before+1 {
		t.Error("nothing is cached for the program")
	}
	// A second time, nothing is fetched but what tells that nothing changed.
	clear(f.fetched)
	f.must(f.update())
	if len(f.fetched) != 2 || f.fetched["timestamp.json"] != 1 || f.fetched["2.root.json"] != 1 {
		t.Errorf("fetched %v", f.fetched)
	}
	// Back to the bundle before needs no download.
	f.now = f.now.Add(time.Minute)
	f.publish(&Rollout{Active: "bundles/base-1.tar.gz", Stage: Enforce, Percent: 100})
	clear(f.fetched)
	f.must(f.update())
	f.wantActive("base 1")
	for name := range f.fetched {
		if strings.Contains(name, "tar.gz") {
			t.Errorf("fetched %s", name)
		}
	}
}

// resign returns metadata of the hub as an attacker with that key changes it.
func resign[T metadata.Roles](f *fleet, from *metadata.Metadata[T], name string, key ed25519.PrivateKey, change func(*metadata.Metadata[T])) []byte {
	f.t.Helper()
	m, err := from.FromBytes(f.read(name))
	f.must(err)
	change(m)
	data, err := sign(m, key)
	f.must(err)
	return data
}

// name returns the name of the newest metadata of a role.
func (f *fleet) name(role string) string {
	f.t.Helper()
	signed, err := f.srv.signedPart(f.ctx, role)
	f.must(err)
	return versionName(role, signed.Version)
}

// TestAttacks serves a machine what an attacker may serve, who sits on the network, has the hub's files or
// even a key. Nothing of it is ever active, and the refusal names the file and the reason.
func TestAttacks(t *testing.T) {
	t.Parallel()
	evil := newSigningKey("evil")
	type timestamp = metadata.Metadata[metadata.TimestampType]
	type snapshot = metadata.Metadata[metadata.SnapshotType]
	type targets = metadata.Metadata[metadata.TargetsType]
	for name, tt := range map[string]struct {
		attack    func(f *fleet)
		file, why string
	}{
		"timestamp by another key": {func(f *fleet) {
			f.served["timestamp.json"] = resign(f, metadata.Timestamp(), "timestamp.json", evil, func(m *timestamp) { m.Signed.Version++ })
		}, "timestamp.json", "not enough signatures"},
		"timestamp changed after signing": {func(f *fleet) {
			f.served["timestamp.json"] = bytes.Replace(f.read("timestamp.json"), []byte(`"version":`), []byte(`"version":1`), 1)
		}, "timestamp.json", "not enough signatures"},
		"snapshot by another key": {func(f *fleet) { f.served[f.name("snapshot")] = f.signSnapshot(evil, func(*snapshot) {}) }, "snapshot.json", "not enough signatures"},
		"targets by the hub's key": {func(f *fleet) {
			f.served[f.name("targets")] = resign(f, metadata.Targets(), "targets.json", f.hub, func(*targets) {})
		}, "targets.json", "not enough signatures"},
		"rollout by another key": {func(f *fleet) {
			f.served[f.name("rollout")] = resign(f, metadata.Targets(), "rollout.json", evil, func(*targets) {})
		}, "rollout.json", "not enough signatures"},
		"rollout by the release key": {func(f *fleet) {
			f.served[f.name("rollout")] = resign(f, metadata.Targets(), "rollout.json", f.keys.Release, func(*targets) {})
		}, "rollout.json", "not enough signatures"},
		"rollout that signs a bundle": {func(f *fleet) {
			f.served[f.name("rollout")] = resign(f, metadata.Targets(), "rollout.json", f.hub, func(m *targets) {
				_, err := addEntry(m, Info{Name: "evil", Version: 3}, []byte("x"))
				f.must(err)
			})
		}, "rollout.json", "nothing else"},
		"rollout that signs only a bundle": {func(f *fleet) {
			f.served[f.name("rollout")] = resign(f, metadata.Targets(), "rollout.json", f.hub, func(m *targets) {
				clear(m.Signed.Targets)
				_, err := addEntry(m, Info{Name: "evil", Version: 3}, []byte("x"))
				f.must(err)
			})
		}, "rollout.json", "nothing else"},
		"rollout that delegates": {func(f *fleet) {
			f.served[f.name("rollout")] = resign(f, metadata.Targets(), "rollout.json", f.hub, func(m *targets) {
				var err error
				m.Signed.Delegations, err = newDelegation(publicKey(evil))
				f.must(err)
			})
		}, "rollout.json", "nothing else"},
		"a bundle that nobody signed": {func(f *fleet) {
			f.serveRollout(&Rollout{Active: "bundles/evil-3.tar.gz", Stage: Enforce, Percent: 100})
		}, "rollout.json", "not among the bundles"},
		"a rollout that is not JSON": {func(f *fleet) {
			f.serveRollout("x")
		}, "rollout.json", ""},
		"other content of a rollout": {func(f *fleet) {
			for _, name := range f.hubFiles("targets/*.rollout.json") {
				f.served[name] = []byte(`{"active":"bundles/base-2.tar.gz","stage":"enforce","percent":100}`)
			}
		}, "rollout.json", "length"},
		"an older timestamp": {func(f *fleet) {
			old := f.read("timestamp.json")
			f.now = f.now.Add(time.Minute)
			f.publish(&Rollout{Active: "bundles/base-1.tar.gz", Stage: Enforce, Percent: 100})
			f.must(f.update())
			f.served["timestamp.json"] = old
		}, "timestamp.json", "must be >="},
		"an older snapshot": {func(f *fleet) {
			f.served["timestamp.json"] = resign(f, metadata.Timestamp(), "timestamp.json", f.hub, func(m *timestamp) { m.Signed.Meta["snapshot.json"].Version = 1 })
		}, "timestamp.json", "must be >="},
		"older targets":    {func(f *fleet) { f.serveSnapshot(func(m *snapshot) { m.Signed.Meta["targets.json"].Version = 1 }) }, "snapshot.json", "targets.json"},
		"an older rollout": {func(f *fleet) { f.serveSnapshot(func(m *snapshot) { m.Signed.Meta["rollout.json"].Version = 1 }) }, "snapshot.json", "rollout.json"},
		"no rollout":       {func(f *fleet) { f.serveSnapshot(func(m *snapshot) { delete(m.Signed.Meta, "rollout.json") }) }, "snapshot.json", "rollout.json"},
		"targets of another snapshot": {func(f *fleet) {
			f.served[f.name("targets")] = f.read(versionName("targets", 2))
		}, "targets.json", "version"},
		"a snapshot of another timestamp": {func(f *fleet) {
			f.served[f.name("snapshot")] = f.read(f.hubFiles("*.snapshot.json")[0])
		}, "snapshot.json", ""},
		"a role in place of another": {func(f *fleet) {
			f.served["timestamp.json"] = f.read("snapshot.json")
		}, "timestamp.json", "type"},
		"an expired timestamp": {func(f *fleet) { f.now = f.now.Add(timestampValid + time.Hour) }, "timestamp.json", "expired"},
		"an expired snapshot":  {func(f *fleet) { f.serveSnapshot(func(m *snapshot) { m.Signed.Expires = f.now.Add(-time.Hour) }) }, "snapshot.json", "expired"},
		"an expired rollout": {func(f *fleet) {
			f.served[f.name("rollout")] = resign(f, metadata.Targets(), "rollout.json", f.hub, func(m *targets) { m.Signed.Expires = f.now.Add(-time.Hour) })
		}, "rollout.json", "expired"},
		"expired targets": {func(f *fleet) {
			f.now = f.now.Add(targetsValid + time.Hour)
			rollout, err := f.srv.Rollout(f.ctx)
			f.must(err)
			f.publish(rollout)
		}, "targets.json", "expired"},
		"an expired root": {func(f *fleet) {
			f.now = f.now.Add(rootValid + time.Hour)
			rollout, err := f.srv.Rollout(f.ctx)
			f.must(err)
			f.publish(rollout)
		}, "timestamp.json", "root.json is expired"},
		"a freeze attack": {func(f *fleet) {
			old := f.read("timestamp.json")
			f.now = f.now.Add(timestampValid + time.Hour)
			f.publish(&Rollout{Active: "bundles/base-2.tar.gz", Stage: Enforce, Percent: 100})
			f.served["timestamp.json"] = old
		}, "timestamp.json", "expired"},
		"a freeze attack with what it has": {func(f *fleet) {
			f.publish(&Rollout{Active: "bundles/base-1.tar.gz", Stage: Enforce, Percent: 100})
			f.must(f.update())
			f.now = f.now.Add(timestampValid + time.Hour)
		}, "timestamp.json", "expired"},
		"another bundle's bytes": {func(f *fleet) {
			f.serveBundle(f.read(f.bundleFile("base-1.tar.gz")))
		}, "base-2.tar.gz", ""},
		"a bundle of wrong length": {func(f *fleet) { f.serveBundle(f.read(f.bundleFile("base-2.tar.gz"))[1:]) }, "base-2.tar.gz", "length"},
		"a bundle with a changed bit": {func(f *fleet) {
			data := f.read(f.bundleFile("base-2.tar.gz"))
			data[len(data)/2] ^= 1
			f.serveBundle(data)
		}, "base-2.tar.gz", "hash"},
		"no bundle":            {func(f *fleet) { f.served[f.bundleFile("base-2.tar.gz")] = nil }, "base-2.tar.gz", "missing"},
		"an endless timestamp": {func(f *fleet) { f.endless = "timestamp.json" }, "timestamp.json", "longer"},
		"an endless snapshot":  {func(f *fleet) { f.endless = ".snapshot.json" }, "snapshot.json", "longer"},
		"endless targets":      {func(f *fleet) { f.endless = ".targets.json" }, "targets.json", "longer"},
		"an endless rollout":   {func(f *fleet) { f.endless = ".rollout.json" }, "rollout.json", "longer"},
		"an endless root":      {func(f *fleet) { f.endless = "2.root.json" }, "root.json", "longer"},
		"an endless bundle":    {func(f *fleet) { f.endless = "base-2.tar.gz" }, "base-2.tar.gz", "longer"},
		"no snapshot":          {func(f *fleet) { f.served[f.name("snapshot")] = nil }, "snapshot.json", "missing"},
		"huge versions": {func(f *fleet) {
			f.served["timestamp.json"] = bytes.Replace(f.read("timestamp.json"), []byte(`"version":`), []byte(`"version":99999999999999999999`), 1)
		}, "timestamp.json", ""},
		"a timestamp without a snapshot": {func(f *fleet) {
			f.served["timestamp.json"] = resign(f, metadata.Timestamp(), "timestamp.json", f.hub, func(m *timestamp) { clear(m.Signed.Meta); m.Signed.Version++ })
		}, "", "malformed"},
		"not JSON":              {func(f *fleet) { f.served["timestamp.json"] = []byte("<html>sign in</html>") }, "timestamp.json", ""},
		"nothing":               {func(f *fleet) { f.served["timestamp.json"] = []byte{} }, "timestamp.json", ""},
		"deep JSON":             {func(f *fleet) { f.served["timestamp.json"] = bytes.Repeat([]byte("["), maxTimestamp) }, "timestamp.json", ""},
		"a root by another key": {func(f *fleet) { f.serveRoot(evil, Keys{evil, evil, publicKey(evil)}, 2) }, "2.root.json", "not enough signatures"},
		"a root that is not its own": {func(f *fleet) {
			root, err := newRoot(Keys{evil, evil, publicKey(evil)}, 2, f.now)
			f.must(err)
			f.served["2.root.json"], err = sign(root, f.keys.Root)
			f.must(err)
		}, "2.root.json", "not enough signatures"},
		"a root that skips a version": {func(f *fleet) { f.serveRoot(f.keys.Root, f.keys, 3) }, "2.root.json", "version"},
		"a root that is the old one":  {func(f *fleet) { f.served["2.root.json"] = f.read("1.root.json") }, "2.root.json", "version"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t)
			f.rollOut()
			tt.attack(f)
			f.wantRefused(tt.file, tt.why)
			f.wantRefused(tt.file, tt.why) // nothing of it was kept that makes it pass
		})
	}
}

// zeros is data without an end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// hubFiles returns the names of the hub's files that match a pattern.
func (f *fleet) hubFiles(pattern string) []string {
	f.t.Helper()
	dir := string(f.srv.Store.(Dir))
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	f.must(err)
	for i := range found {
		found[i], err = filepath.Rel(dir, found[i])
		f.must(err)
	}
	return found
}

// bundleFile returns the name of the hub's file with an archive.
func (f *fleet) bundleFile(archive string) string {
	return f.hubFiles("targets/bundles/*." + archive)[0]
}

func (f *fleet) serveBundle(data []byte) { f.served[f.bundleFile("base-2.tar.gz")] = data }

// signSnapshot returns the newest snapshot, changed and signed with key, and serves a timestamp that the hub
// signed for it.
func (f *fleet) signSnapshot(key ed25519.PrivateKey, change func(*metadata.Metadata[metadata.SnapshotType])) []byte {
	f.t.Helper()
	data := resign(f, metadata.Snapshot(), "snapshot.json", key, change)
	sum, err := metadata.TargetFile().FromBytes("", data, "sha256")
	f.must(err)
	f.served["timestamp.json"] = resign(f, metadata.Timestamp(), "timestamp.json", f.hub, func(m *metadata.Metadata[metadata.TimestampType]) {
		m.Signed.Meta["snapshot.json"].Length, m.Signed.Meta["snapshot.json"].Hashes = sum.Length, sum.Hashes
	})
	return data
}

// serveSnapshot serves a snapshot that the hub signed.
func (f *fleet) serveSnapshot(change func(*metadata.Metadata[metadata.SnapshotType])) {
	f.t.Helper()
	f.served[f.name("snapshot")] = f.signSnapshot(f.hub, change)
}

// serveRollout publishes any content of rollout.json.
func (f *fleet) serveRollout(content any) {
	f.t.Helper()
	data, err := json.Marshal(content)
	f.must(err)
	file, err := metadata.TargetFile().FromBytes(rolloutFile, data, "sha256")
	f.must(err)
	f.must(f.srv.Store.Put(f.ctx, targetName(rolloutFile, file), data))
	role := metadata.Targets(f.now.Add(rolloutValid))
	role.Signed.Targets[rolloutFile] = file
	role.Signed.Version, err = f.srv.nextVersion(f.ctx, rolloutRole)
	f.must(err)
	signed, err := sign(role, f.hub)
	f.must(err)
	f.must(f.srv.put(f.ctx, rolloutRole, role.Signed.Version, signed))
	_, list, err := f.srv.newest(f.ctx)
	f.must(err)
	f.must(f.srv.publishSnapshot(f.ctx, f.hub, map[string]*metadata.MetaFiles{"targets.json": {Version: list.Signed.Version}, "rollout.json": {Version: role.Signed.Version}}))
}

// serveRoot serves a version of the root as the next one, signed by before and by its own key.
func (f *fleet) serveRoot(before ed25519.PrivateKey, keys Keys, version int64) {
	f.t.Helper()
	root, err := newRoot(keys, version, f.now)
	f.must(err)
	f.served["2.root.json"], err = sign(root, before, keys.Root)
	f.must(err)
}
