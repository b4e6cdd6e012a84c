package undo

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestMadeAgain checks that a directory which tools fill is left out if the project ignores it, and only
// then.
func TestMadeAgain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, prepare string
		saved         bool
	}{
		{"ignored", "echo node_modules >> .gitignore", false},
		{"not ignored", "true", true},
		{"an exception", "printf 'node_modules\n!node_modules\n' >> .gitignore", true},
		{"tracked", "git add -f src/node_modules && git commit -qm x && echo changed > src/node_modules/x/index.js", true},
		{"in no repository", "rm -rf .git", false},
	} {
		b := newBench(t)
		b.run("mkdir -p src/node_modules/x/node_modules/y && echo x | tee src/node_modules/x/index.js > src/node_modules/x/node_modules/y/index.js; " + tt.prepare)
		for _, l := range []Loss{{Path: filepath.Join(b.dir, "src")}, {Path: filepath.Join(b.dir, "src", "*.js")}} {
			e := b.save(l, Loss{Path: filepath.Join(b.dir, "run.sh")})
			m, err := b.store.readManifest(e.name)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"x/index.js", "x/node_modules/y/index.js"} {
				path := filepath.Join(b.dir, "src", "node_modules", filepath.FromSlash(name))
				if got := slices.ContainsFunc(m.files, func(f file) bool { return f.path == path }); got != tt.saved {
					t.Errorf("%s, %s: %s is saved: %v", tt.name, l.Path, name, got)
				}
			}
		}
	}
}
