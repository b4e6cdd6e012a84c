package bundle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/hook/dialect"
)

// loadMachine loads the administrator's files of the machine, as each call of an agent does.
func (f *fleet) loadMachine() *config.Config {
	return config.Load(config.Options{Managed: filepath.Dir(f.client.Dir), Dialect: dialect.Detect})
}

// TestBrokenBundleIsRefused checks that a bundle with a mistake, which the release key signed, is not
// activated: a machine with it would deny every tool.
func TestBrokenBundleIsRefused(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.now = f.now.Add(time.Minute)
	f.signBundle(archiveOf(t, noteFile(2), File{Name: "checkrein.yaml", Data: []byte("version: 1\nhooks:\n  pre_tool_use: {name: x, type: builtin, command: of-a-later-build}\n")}))
	f.srv.Store = f.admin.Store // the hub was of a later build, so it accepted it
	f.must(f.srv.Publish(f.ctx, f.hub, &Rollout{}))
	f.now = f.now.Add(time.Minute)
	f.publish(&Rollout{Active: "bundles/base-2.tar.gz", Previous: "bundles/base-1.tar.gz", Stage: Enforce, Percent: 100})
	f.wantRefused("bundles/base-2.tar.gz", "checkrein.yaml:3")
	if c := f.loadMachine(); c.Err() != nil || len(c.Hooks) != 1 {
		t.Errorf("the machine loads %v: %v", c.Hooks, c.Err())
	}
	// So is one on trial.
	f.now = f.now.Add(time.Minute)
	f.publish(&Rollout{Active: "bundles/base-2.tar.gz", Previous: "bundles/base-1.tar.gz", Stage: Shadow, Percent: 100})
	f.wantRefused("bundles/base-2.tar.gz", "checkrein.yaml:3")
}

func TestFreeze(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	frozen := func() bool { return len(f.loadMachine().Hooks) == 2 }
	r := Rollout{Active: "bundles/base-1.tar.gz", Stage: Enforce, Percent: 100, Freeze: &Freeze{Until: f.now.Add(time.Hour), By: "ada: \"x\"\n", Reason: "#1 'y' {z}"}}
	f.now = f.now.Add(time.Minute)
	f.publish(&r)
	f.must(f.update())
	c := f.loadMachine()
	if !frozen() || c.Err() != nil {
		t.Fatalf("not frozen: %v", c.Err())
	}
	if with := string(c.Hooks[1].With); !strings.Contains(with, `until=2026-11-19T13:00:00Z`) || !strings.Contains(with, `by=ada: \"x\"\n`) || !strings.Contains(with, "#1 'y' {z}") {
		t.Errorf("the freeze is %s", with)
	}
	// It does not depend on a bundle that can be fetched.
	f.add(2)
	f.now = f.now.Add(time.Minute)
	r.Active, r.Freeze.Reason = "bundles/base-2.tar.gz", "again"
	f.publish(&r)
	f.serveBundle(nil)
	f.wantRefused("base-2.tar.gz", "missing")
	if with := string(f.loadMachine().Hooks[1].With); !strings.Contains(with, "again") {
		t.Errorf("the freeze is %s", with)
	}
	// It is lifted the same way, and removed when it is over.
	clear(f.served)
	for _, next := range []*Freeze{nil, {Until: f.now.Add(-time.Second)}} {
		f.now = f.now.Add(time.Minute)
		r.Freeze = next
		f.publish(&r)
		f.must(f.update())
		if frozen() {
			t.Errorf("still frozen with %v", next)
		}
	}
}

// TestPrune checks that a machine keeps the bundles that it runs and the one before, and nothing else.
func TestPrune(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	bundles := filepath.Join(f.client.Dir, config.FleetBundles)
	f.must(os.MkdirAll(filepath.Join(bundles, newPrefix+"x", "y"), 0o700))
	f.must(os.MkdirAll(filepath.Join(bundles, oldPrefix+"x", "y"), 0o700))
	for version := int64(2); version <= 4; version++ {
		f.now = f.now.Add(time.Minute)
		f.add(version)
		f.publish(&Rollout{Active: fmt.Sprintf("bundles/base-%d.tar.gz", version), Stage: Enforce, Percent: 100})
		f.must(f.update())
	}
	found, err := os.ReadDir(bundles)
	if err != nil || len(found) != 2 {
		t.Errorf("%v, %v", found, err)
	}
	previous, err := f.client.Current(previousLink)
	if err != nil || previous.String() != "base 3" {
		t.Errorf("%v: %v", previous, err)
	}
	// A bundle that vanished is fetched again, and every user can read it.
	f.must(os.RemoveAll(bundles))
	tuf := filepath.Join(f.client.Dir, tufDir)
	f.must(errors.Join(os.Chmod(f.client.Dir, 0o700), os.Chmod(tuf, 0o700)))
	f.must(f.update())
	f.wantActive("base 4")
	for _, dir := range []string{f.client.Dir, bundles, tuf, filepath.Join(f.client.Dir, config.FleetActive)} {
		if info, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o755 {
			t.Errorf("%s: %v, %v", dir, info.Mode(), err)
		}
	}
}

// changingVariable makes the test program activate bundles until it is killed; see TestKill.
const changingVariable = "CHECKREIN_TEST_ACTIVATE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(changingVariable); dir != "" {
		activateForever(dir)
	}
	os.Exit(m.Run())
}

// activateForever activates two bundles in turn, which it unpacks and removes each time.
func activateForever(dir string) {
	c := &Client{Dir: filepath.Join(dir, config.FleetDir), Source: Dir(filepath.Join(dir, "repository"))}
	repository := &Repository{Store: Dir(filepath.Join(dir, "repository"))}
	all, err := repository.Bundles(context.Background())
	if err != nil {
		panic(err)
	}
	for i := 0; ; i++ {
		next := all[i%len(all)]
		err := c.Apply(context.Background(), &Plan{Active: &next, Trial: &all[(i+1)%len(all)]})
		if err != nil {
			panic(err)
		}
		fmt.Println(i)
	}
}

// TestKill kills a process at any time while it activates bundles. The active bundle is always complete,
// and the next process goes on.
func TestKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keys := Keys{Root: newSigningKey("root"), Release: newSigningKey("release"), Hub: publicKey(newSigningKey("hub"))}
	repository := &Repository{Store: Dir(filepath.Join(dir, "repository"))}
	if err := repository.Create(t.Context(), keys); err != nil {
		t.Fatal(err)
	}
	archives := map[string]int{}
	for version := int64(1); version <= 4; version++ {
		files := []File{noteFile(version), policyFile(fmt.Sprint("rule", version))}
		for i := range 20 {
			files = append(files, File{Name: fmt.Sprintf("data/%d/%d", version, i), Data: bytes.Repeat([]byte{byte(i)}, 1000*i)})
		}
		if _, err := repository.Add(t.Context(), keys.Release, archiveOf(t, files...)); err != nil {
			t.Fatal(err)
		}
		archives[Info{Name: "base", Version: version}.String()] = len(files)
	}
	rounds := 0
	for killed := 0; killed < 25; killed++ {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), changingVariable+"="+dir)
		var out, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(30+rand.IntN(250)) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if stderr.Len() > 0 {
			t.Fatalf("it failed: %s", &stderr)
		}
		rounds += strings.Count(out.String(), "\n")
		for _, link := range []string{config.FleetActive, config.FleetTrial, previousLink} {
			target, err := os.Readlink(filepath.Join(dir, config.FleetDir, link))
			if os.IsNotExist(err) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			_, b, err := Build(filepath.Join(dir, config.FleetDir, target))
			if err != nil || len(b.Files) != archives[b.Info.String()] {
				t.Fatalf("%s is incomplete: %v", link, err)
			}
			if i := slices.IndexFunc(b.Files, func(f File) bool { return f.Name == "checkrein.yaml" }); !bytes.Equal(b.Files[i].Data, policyFile(fmt.Sprint("rule", b.Version)).Data) {
				t.Fatalf("%s is mixed", link)
			}
		}
		if c := config.Load(config.Options{Managed: dir, Dialect: dialect.Detect}); c.Err() != nil {
			t.Fatalf("a machine does not load it: %v", c.Err())
		}
	}
	if rounds < 5 {
		t.Errorf("only %d activations were complete, so the kills were too early", rounds)
	}
}

// TestDamagedCopies checks that a machine goes on after its copies of metadata were lost or damaged, as by
// a power cut, and that it names a damaged root, without which it refuses everything.
func TestDamagedCopies(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	for _, role := range []string{"timestamp", "snapshot", "targets", rolloutRole, rolloutRole + "-content"} {
		for _, content := range []string{"", "{", `{"signed":{"_type":"root"},"signatures":[]}`} {
			path := filepath.Join(f.client.Dir, tufDir, role+".json")
			f.must(os.Remove(path))
			f.must(os.WriteFile(path, []byte(content), 0o600))
			f.must(f.update())
			f.wantActive("base 1")
		}
	}
	f.must(os.Truncate(filepath.Join(f.client.Dir, tufDir, "root.json"), 0))
	f.wantRefused("root.json", "damaged")
}
