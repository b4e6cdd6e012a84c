package dist

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestReproducible builds the commit of the release again, in a clone elsewhere, later, with another umask,
// time zone and host name, and compares all files.
func TestReproducible(t *testing.T) {
	r := open(t)
	root := filepath.Dir(r.dir)
	if changed := run(t, root, "git", "status", "--porcelain"); changed != "" {
		skipOrFail(t, "the checkout has changes, so its release is that of no commit:\n%s", changed)
	}
	if head := strings.TrimSpace(run(t, root, "git", "rev-parse", "HEAD")); head != r.commit {
		t.Fatalf("dist is of %s and the checkout of %s: run make dist first", r.commit, head)
	}
	clone := filepath.Join(t.TempDir(), "elsewhere")
	run(t, root, "git", "clone", "-q", root, clone)
	argv := []string{"sh", "-c", "umask 077; exec make dist"}
	if os.Getuid() == 0 {
		argv = []string{"unshare", "-u", "sh", "-c", "hostname elsewhere; umask 077; exec make dist"}
	}
	began := time.Now()
	if out, err := try(t, clone, []string{"TZ=Pacific/Auckland", "USER=someone", "LANG=de_DE.UTF-8"}, argv...); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("the second build took %s", time.Since(began).Round(time.Second))
	first, second := sums(t, r.dir), sums(t, filepath.Join(clone, "dist"))
	if len(first) < 20 {
		t.Errorf("only %d files were compared", len(first))
	}
	for name, sum := range first {
		other, ok := second[name]
		switch {
		case !ok:
			t.Errorf("%s is not in the second build", name)
		case other != sum:
			t.Errorf("%s differs", name)
		}
	}
	if len(second) != len(first) {
		t.Errorf("%d files, then %d", len(first), len(second))
	}
	t.Logf("%d files are the same", len(first))
}

// sums returns the checksums of the files of a release. It leaves out goreleaser's notes about the build,
// which are not published.
func sums(t *testing.T, dir string) map[string][sha256.Size]byte {
	t.Helper()
	all := map[string][sha256.Size]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch d.Name() {
		case "artifacts.json", "metadata.json", "config.yaml":
			return nil
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[name] = sha256.Sum256(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
