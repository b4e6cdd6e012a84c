package bundle

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/theupdateframework/go-tuf/v2/metadata"
)

func TestPin(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	root := f.read("1.root.json")
	c := &Client{Dir: t.TempDir(), Source: f}
	if err := c.Pin(f.ctx, root, strings.Repeat("0", 64)); err == nil || !strings.Contains(err.Error(), "digest") {
		t.Errorf("another digest: %v", err)
	}
	sum := sha256.Sum256([]byte("{}"))
	if err := c.Pin(f.ctx, []byte("{}"), hex.EncodeToString(sum[:])); err == nil {
		t.Error("a root that is none was accepted")
	}
	if _, err := c.Refresh(f.ctx); err == nil {
		t.Error("a machine without a root accepts metadata")
	}
}

// TestRotation checks that machines follow a change of each key, and that the old key then counts for
// nothing.
func TestRotation(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Keys, *fleet){
		"renewal": func(*Keys, *fleet) {},
		"root":    func(k *Keys, _ *fleet) { k.Root = newSigningKey("root 2") },
		"release": func(k *Keys, _ *fleet) { k.Release = newSigningKey("release 2") },
		"hub":     func(k *Keys, f *fleet) { f.hub = newSigningKey("hub 2"); k.Hub = publicKey(f.hub) },
		"all": func(k *Keys, f *fleet) {
			f.hub = newSigningKey("hub 2")
			*k = Keys{newSigningKey("root 2"), newSigningKey("release 2"), publicKey(f.hub)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t)
			old, oldHub := f.keys, f.hub
			change(&f.keys, f)
			if err := f.admin.Rotate(f.ctx, newSigningKey("evil"), f.keys); err == nil && !f.keys.Root.Equal(old.Root) {
				t.Fatal("another root key can rotate")
			}
			f.must(f.admin.Rotate(f.ctx, old.Root, f.keys))
			f.must(f.srv.Accept(f.ctx, f.admin.Store, f.keys.Hub))
			f.rollOut()
			f.must(f.update())
			f.wantActive("base 2")
			if f.hub.Equal(oldHub) {
				return
			}
			if err := f.srv.Publish(f.ctx, oldHub, &Rollout{}); err == nil {
				t.Error("the old key of the hub signs")
			}
			f.served["timestamp.json"] = resign(f, metadata.Timestamp(), "timestamp.json", oldHub, func(m *metadata.Metadata[metadata.TimestampType]) { m.Signed.Version++ })
			if err := f.update(); err == nil || !strings.Contains(err.Error(), "not enough signatures") {
				t.Errorf("the old key of the hub counts: %v", err)
			}
		})
	}
}

// TestStolenHubKey checks that after a thief used the key of the hub with huge versions, a new key makes
// machines follow the hub again.
func TestStolenHubKey(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.served["timestamp.json"] = resign(f, metadata.Timestamp(), "timestamp.json", f.hub, func(m *metadata.Metadata[metadata.TimestampType]) { m.Signed.Version = 1 << 60 })
	f.must(f.update())
	clear(f.served)
	f.rollOut()
	f.wantRefused("timestamp.json", "must be >=")
	before := f.keys.Root
	f.hub = newSigningKey("hub 2")
	f.keys.Hub = publicKey(f.hub)
	f.must(f.admin.Rotate(f.ctx, before, f.keys))
	f.must(f.srv.Accept(f.ctx, f.admin.Store, f.keys.Hub))
	f.publish(&Rollout{Active: "bundles/base-2.tar.gz", Stage: Enforce, Percent: 100})
	f.must(f.update())
	f.wantActive("base 2")
}

// TestHubFromBackup checks that machines follow a hub that was restored from a backup.
func TestHubFromBackup(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	backup := t.TempDir()
	f.must(os.CopyFS(backup, os.DirFS(string(f.srv.Store.(Dir)))))
	f.rollOut()
	for range 5 {
		f.publish(&Rollout{Active: "bundles/base-2.tar.gz", Stage: Enforce, Percent: 100})
	}
	f.must(f.update())
	f.wantActive("base 2")
	f.now = f.now.Add(time.Hour)
	f.srv.Store = Dir(backup)
	f.publish(&Rollout{Active: "bundles/base-1.tar.gz", Stage: Enforce, Percent: 100})
	if err := f.update(); err == nil || !strings.Contains(err.Error(), "targets.json") {
		t.Errorf("it lacks what the administrator signed since, and got %v", err)
	}
	f.wantActive("base 2")
	f.must(f.srv.Accept(f.ctx, f.admin.Store, f.keys.Hub))
	f.publish(&Rollout{Active: "bundles/base-1.tar.gz", Stage: Enforce, Percent: 100})
	f.must(f.update())
	f.wantActive("base 1")
}

func TestRenew(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	for _, tt := range []struct {
		after time.Duration
		want  bool
	}{{timestampValid / 3, false}, {timestampValid / 3, true}, {time.Minute, false}, {10 * timestampValid, true}} {
		f.now = f.now.Add(tt.after)
		if done, err := f.srv.Renew(f.ctx, f.hub); done != tt.want || err != nil {
			t.Errorf("after %s: %v, %v", tt.after, done, err)
		}
		f.must(f.update())
		f.wantActive("base 1")
	}
	root, targets, err := f.srv.Expires(f.ctx)
	if err != nil || root.Sub(f.now) > rootValid || targets.Sub(f.now) > targetsValid {
		t.Errorf("%s, %s: %v", root, targets, err)
	}
}

// TestAcceptRefuses checks that the hub refuses what does not continue what it has, and keeps that.
func TestAcceptRefuses(t *testing.T) {
	t.Parallel()
	evil := newSigningKey("evil")
	for name, tt := range map[string]struct {
		upload func(f *fleet) // changes the administrator's repository
		want   string
	}{
		"an older list": {func(f *fleet) {
			old, err := read(f.ctx, f.admin.Store, "2.targets.json", maxTargets)
			f.must(err)
			f.add(2)
			f.must(f.admin.Store.Put(f.ctx, "targets.json", old))
		}, "not newer"},
		"another release key": {func(f *fleet) {
			f.changeTargets(evil, func(*metadata.TargetsType) {})
		}, "not enough signatures"},
		"another fleet": {func(f *fleet) {
			f.admin = &Repository{Dir(t.TempDir()), f.admin.Now}
			f.must(f.admin.Create(f.ctx, Keys{evil, evil, f.keys.Hub}))
			f.must(f.admin.Rotate(f.ctx, evil, Keys{evil, evil, f.keys.Hub}))
		}, "not enough signatures"},
		"another hub": {func(f *fleet) {
			f.must(f.admin.Rotate(f.ctx, f.keys.Root, Keys{f.keys.Root, f.keys.Release, publicKey(evil)}))
		}, "is not this hub's key"},
		"a wider delegation": {func(f *fleet) {
			f.changeTargets(f.keys.Release, func(s *metadata.TargetsType) { s.Delegations.Roles[0].Paths = []string{"*/*"} })
		}, "nothing else"},
		"an expired list": {func(f *fleet) {
			f.changeTargets(f.keys.Release, func(s *metadata.TargetsType) { s.Expires = f.now.Add(-time.Second) })
		}, "expired"},
		"no bundle that is rolled out": {func(f *fleet) {
			f.changeTargets(f.keys.Release, func(s *metadata.TargetsType) { clear(s.Targets) })
		}, "not among the bundles"},
		"a target that is no bundle": {func(f *fleet) {
			f.changeTargets(f.keys.Release, func(s *metadata.TargetsType) { s.Targets["rollout.json"] = s.Targets["bundles/base-1.tar.gz"] })
		}, "described as base 1"},
		"a broken bundle": {func(f *fleet) {
			f.signBundle(archiveOf(t, noteFile(2), File{Name: "checkrein.yaml", Data: []byte("version: 1\nhoks: {}\n")}))
		}, "checkrein.yaml:2"},
		"an archive that is none": {func(f *fleet) {
			f.changeTargets(f.keys.Release, func(s *metadata.TargetsType) {
				file, err := addEntry(&metadata.Metadata[metadata.TargetsType]{Signed: *s}, Info{Name: "base", Version: 2}, []byte("x"))
				f.must(err)
				f.must(f.admin.Store.Put(f.ctx, targetName("bundles/base-2.tar.gz", file), []byte("x")))
			})
		}, "gzip"},
		"another archive": {func(f *fleet) {
			_, err := f.admin.Add(f.ctx, f.keys.Release, archiveOf(t, noteFile(2)))
			f.must(err)
			found, err := filepath.Glob(filepath.Join(string(f.admin.Store.(Dir)), "targets/bundles/*.base-2.tar.gz"))
			f.must(err)
			f.must(os.WriteFile(found[0], []byte("x"), 0o600))
		}, "verification"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t)
			f.now = f.now.Add(time.Minute)
			tt.upload(f)
			if err := f.srv.Accept(f.ctx, f.admin.Store, f.keys.Hub); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			rollout, err := f.srv.Rollout(f.ctx)
			f.must(err)
			f.publish(rollout)
			f.must(f.update())
			f.wantActive("base 1")
		})
	}
}

// changeTargets writes a version of the administrator's list that key signs.
func (f *fleet) changeTargets(key ed25519.PrivateKey, change func(*metadata.TargetsType)) {
	f.t.Helper()
	_, m, err := f.admin.newest(f.ctx)
	f.must(err)
	m.Signed.Version++
	m.Signed.Expires = f.now.Add(targetsValid)
	change(&m.Signed)
	data, err := sign(m, key)
	f.must(err)
	f.must(f.admin.put(f.ctx, metadata.TARGETS, m.Signed.Version, data))
}

// signBundle signs an archive whatever its policies are.
func (f *fleet) signBundle(archive []byte) {
	f.t.Helper()
	b, err := Parse(archive)
	f.must(err)
	f.changeTargets(f.keys.Release, func(s *metadata.TargetsType) {
		file, err := addEntry(&metadata.Metadata[metadata.TargetsType]{Signed: *s}, b.Info, archive)
		f.must(err)
		f.must(f.admin.Store.Put(f.ctx, targetName(b.Target(), file), archive))
	})
}

func TestAddRefuses(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	for name, tt := range map[string]struct {
		key     ed25519.PrivateKey
		archive []byte
		want    string
	}{
		"a broken policy": {f.keys.Release, archiveOf(t, noteFile(2), File{Name: "checkrein.yaml", Data: []byte("version: 1\nhoks: {}\n")}), "checkrein.yaml:2"},
		"a version again": {f.keys.Release, archiveOf(t, noteFile(1), policyFile("other")), "new version"},
		"another key":     {f.hub, archiveOf(t, noteFile(2)), "not the release key"},
		"not an archive":  {f.keys.Release, []byte("x"), "gzip"},
	} {
		if _, err := f.admin.Add(f.ctx, tt.key, tt.archive); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
	if err := f.admin.Create(f.ctx, f.keys); err == nil {
		t.Error("a repository was created twice")
	}
	all, err := f.admin.Bundles(f.ctx)
	if err != nil || len(all) != 1 || all[0].String() != "base 1" {
		t.Errorf("%v, %v", all, err)
	}
}

func TestPublishRefuses(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	for name, r := range map[string]Rollout{
		"an unknown bundle":   {Active: "bundles/x-1.tar.gz", Stage: Enforce},
		"an unknown previous": {Active: "bundles/base-1.tar.gz", Previous: "bundles/x-1.tar.gz", Stage: Enforce},
		"a previous alone":    {Previous: "bundles/base-1.tar.gz"},
		"an unknown stage":    {Active: "bundles/base-1.tar.gz", Stage: "x"},
		"no stage":            {Active: "bundles/base-1.tar.gz"},
		"a percentage":        {Active: "bundles/base-1.tar.gz", Stage: Enforce, Percent: 101},
		"below the minimum":   {Active: "bundles/base-1.tar.gz", Stage: Enforce, Minimum: 2},
	} {
		if err := f.srv.Publish(f.ctx, f.hub, &r); err == nil {
			t.Errorf("%s was published", name)
		}
	}
	if err := f.srv.Publish(f.ctx, newSigningKey("evil"), &Rollout{}); err == nil {
		t.Error("another key publishes")
	}
}

func TestRolloutChooses(t *testing.T) {
	t.Parallel()
	const machines = 2000
	var before map[int]bool
	for _, percent := range []int{0, 5, 50, 100} {
		chosen := map[int]bool{}
		for i := range machines {
			r := Rollout{Seed: "s", Percent: percent}
			if r.Chooses(fmt.Sprint("m", i)) {
				chosen[i] = true
			}
		}
		if got, want := len(chosen), machines*percent/100; got < want*8/10 || got > want*12/10 {
			t.Errorf("%d %%: %d of %d machines", percent, got, machines)
		}
		for i := range before {
			if !chosen[i] {
				t.Errorf("%d %%: machine %d is no longer chosen", percent, i)
			}
		}
		before = chosen
	}
	other := 0
	for i := range machines {
		id := fmt.Sprint("m", i)
		if (&Rollout{Seed: "s", Percent: 50}).Chooses(id) != (&Rollout{Seed: "t", Percent: 50}).Chooses(id) {
			other++
		}
	}
	if other < machines/3 {
		t.Errorf("another seed chooses other machines for %d of %d only", other, machines)
	}
}

// TestStages checks what a machine runs in each stage of a rollout.
func TestStages(t *testing.T) {
	t.Parallel()
	const one, two = "bundles/base-1.tar.gz", "bundles/base-2.tar.gz"
	f := newFleet(t)
	f.add(2)
	for _, tt := range []struct {
		name          string
		r             Rollout
		active, trial string
	}{
		{"shadow of none", Rollout{Active: two, Previous: one, Stage: Shadow}, "base 1", ""},
		{"shadow of all", Rollout{Active: two, Previous: one, Stage: Shadow, Percent: 100}, "base 1", "base 2"},
		{"enforced by none", Rollout{Active: two, Previous: one, Stage: Enforce}, "base 1", ""},
		{"enforced by all", Rollout{Active: two, Previous: one, Stage: Enforce, Percent: 100}, "base 2", ""},
		{"back", Rollout{Active: one, Previous: two, Stage: Enforce, Percent: 100}, "base 1", ""},
		{"a minimum", Rollout{Active: two, Previous: one, Stage: Shadow, Minimum: 2}, "base 2", ""},
		{"nothing", Rollout{}, "base 2", ""},
	} {
		f.now = f.now.Add(time.Minute)
		f.publish(&tt.r)
		f.must(f.update())
		f.wantActive(tt.active)
		trial, err := f.client.Current(config.FleetTrial)
		if got := trial; err != nil || (got == nil) != (tt.trial == "") || got != nil && got.String() != tt.trial {
			t.Errorf("%s: %v is tried, want %s: %v", tt.name, trial, tt.trial, err)
		}
	}
}

// TestExport checks that a machine can follow a repository that was copied as files, with the same checks.
func TestExport(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.rollOut()
	dir := Dir(t.TempDir())
	export := func() error {
		return Export(f.ctx, f, dir, f.srv.Now)
	}
	f.must(export())
	f.client.Source = dir
	f.must(f.update())
	f.wantActive("base 2")
	f.publish(&Rollout{Active: "bundles/base-1.tar.gz", Previous: "bundles/base-2.tar.gz", Stage: Enforce, Percent: 100})
	f.must(export())
	f.must(f.update())
	f.wantActive("base 1")
	f.now = f.now.Add(timestampValid + time.Minute)
	f.wantRefused("timestamp.json", "expired")
	if err := export(); err == nil {
		t.Error("expired metadata was exported")
	}
	found, err := filepath.Glob(filepath.Join(string(dir), "targets/bundles/*"))
	if err != nil || len(found) != 2 {
		t.Errorf("%q: %v", found, err)
	}
	for _, name := range found {
		f.must(os.WriteFile(name, bytes.Repeat([]byte("x"), 100), 0o600))
	}
	if err := (&Client{Dir: t.TempDir(), Source: dir}).Apply(f.ctx, &Plan{}); err != nil {
		t.Error(err)
	}
	if err := f.admin.Store.Put(f.ctx, "../x", nil); !errors.Is(err, os.ErrInvalid) {
		t.Errorf("a name that leads elsewhere: %v", err)
	}
}

// The key that signs answers of approvers is the one that the verified metadata names as the hub's.
func TestHubKey(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	want := func(key ed25519.PublicKey) {
		t.Helper()
		got, err := f.client.HubKey()
		if key == nil && err == nil || key != nil && !key.Equal(got) {
			t.Errorf("the key is %x (%v), want %x", got, err, key)
		}
	}
	want(f.keys.Hub)
	before := f.hub
	f.hub = newSigningKey("hub two")
	f.keys.Hub = publicKey(f.hub)
	f.now = f.now.Add(time.Minute)
	f.must(f.admin.Rotate(f.ctx, f.keys.Root, f.keys))
	f.must(f.srv.Accept(f.ctx, f.admin.Store, f.keys.Hub))
	f.publish(&Rollout{Active: "bundles/base-1.tar.gz", Stage: Enforce, Percent: 100})
	want(publicKey(before)) // until the machine learns of it
	f.must(f.update())
	want(f.keys.Hub)

	kept := f.client.readKept(metadata.TARGETS)
	for name, damage := range map[string][]byte{"missing": nil, "changed": bytes.Replace(kept, []byte(`"version":`), []byte(`"version": 1`), 1), "another role": f.client.readKept(metadata.ROOT)} {
		f.must(f.client.keep(f.ctx, metadata.TARGETS, damage))
		if got, err := f.client.HubKey(); err == nil {
			t.Errorf("%s: the key is %x", name, got)
		}
	}
	evil, err := metadata.Targets().FromBytes(kept)
	f.must(err)
	evil.Signed.Delegations, err = newDelegation(publicKey(newSigningKey("evil")))
	f.must(err)
	signed, err := sign(evil, newSigningKey("evil"))
	f.must(err)
	f.must(f.client.keep(f.ctx, metadata.TARGETS, signed))
	want(nil)
	f.must(f.client.keep(f.ctx, metadata.TARGETS, kept))
	want(f.keys.Hub)
	f.now = f.now.Add(targetsValid + time.Hour)
	want(nil)
}
