package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestSymlinksOnDisk checks that symlinks on disk determine the location of a path.
func TestSymlinksOnDisk(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	disk, home := filepath.Join(top, "disk"), "/home/u"
	for _, dir := range []string{"home/u/Documents", "home/u/.ssh", "home/u/proj/src", "home/u/proj/build", "home/u/proj/out", "home/u/tools/x", "home/u/new", "home/u/proj/target/logs", "home/u/proj/third", "home/u/Papers", "home/u/proj/opts"} {
		if err := os.MkdirAll(filepath.Join(disk, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"Documents/a.txt", "Papers/p1.md", "Papers/p2.md", "proj/src/app.js", "proj/src/list.txt", "proj/.env", "proj/opts/--exec=x", "proj/opts/a"} {
		if err := os.WriteFile(filepath.Join(disk, "home/u", file), []byte("a"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"docs": "../Documents", "tmp": "../Documents", "build/out": "../..", "note.txt": "../Documents/a.txt", "src/inner": "../build", "dist": "../Documents", "conf": ".env",
		"target/logs/app.log": "../../../Documents/a.txt", "target/docs": "../../Documents", "third/deps": "../../"} {
		if err := os.Symlink(to, filepath.Join(disk, "home/u/proj", name)); err != nil {
			t.Fatal(err)
		}
	}
	// disk is a directory of the test that stands for /.
	real := func(path string) string {
		dir, rest := path, ""
		if !strings.HasSuffix(path, "/.") {
			dir, rest = filepath.Split(path)
		}
		for dir = filepath.Clean(dir); ; dir = filepath.Dir(dir) {
			if got, err := filepath.EvalSymlinks(filepath.Join(disk, dir)); err == nil {
				return filepath.Join("/", strings.TrimPrefix(got, disk), rest)
			}
			rest = filepath.Join(filepath.Base(dir), rest)
		}
	}
	kind := func(path string) shell.PathKind {
		info, err := os.Lstat(filepath.Join(disk, path))
		switch {
		case err != nil:
			return shell.NoPath
		case info.IsDir():
			return shell.PathDir
		}
		return shell.PathFile
	}
	list := func(dir string) (out []shell.Entry, all bool) {
		entries, err := os.ReadDir(filepath.Join(disk, dir))
		for _, e := range entries {
			out = append(out, shell.Entry{Name: e.Name(), Dir: e.IsDir(), Link: e.Type()&os.ModeSymlink != 0})
		}
		return out, err == nil || os.IsNotExist(err)
	}
	p := &shell.Place{Dir: "/home/u/proj", Root: "/home/u/proj", Home: home, Real: real, Kind: kind, List: list}
	for _, tt := range []struct {
		text  string
		label shell.Label
	}{
		{"rm -rf docs/*", shell.Destructive},
		{"rm -rf docs/", shell.Destructive},
		{"rm -rf docs/.", shell.Destructive},
		{"rm -rf dist/*", shell.Destructive},
		{"rm -rf tmp/sub", shell.Destructive},
		{"rm -rf build/out/src", shell.Destructive},
		{"rm -rf src/inner/x", shell.Safe}, // build can be rebuilt
		{"rm dist", shell.Safe},            // only the symlink is deleted
		{"rm -rf build", shell.Safe},
		{"rm -rf build/x", shell.Safe},
		{"cp src/a note.txt", shell.Destructive},
		{"cp src/a ~/Documents/a.txt", shell.Destructive},
		{"cp src/a ~/Documents/new.txt", shell.Unknown},
		{"tee note.txt", shell.Destructive},
		{"tee src/a.txt", shell.Safe},

		// Patterns match existing files.
		{"tee ~/Documents/*.txt", shell.Destructive},
		{"tee ~/Documents/*", shell.Destructive},
		{"tee ~/Documents/*.md", shell.Unknown}, // no file matches
		{"cp src/a ~/Documents/a.*", shell.Destructive},
		{"install src/a ~/Documents/?.txt", shell.Destructive},
		{"mv src/a ~/Documents/[a-c].txt", shell.Destructive},
		{"cp src/a ~/tool*/", shell.Unknown},
		{"find ~/Documents -type f -exec cp src/a {} ;", shell.Destructive},
		{"find ~/Documents -type f -exec cp {} src/ ;", shell.Safe},
		{"tee src/*.txt", shell.Safe},
		{"tr a b < src/a > src/a", shell.Destructive},
		{"tr a b < src/a > src/b", shell.Safe},
		{"truncate -s 0 target/logs/*.log", shell.Destructive},
		{"truncate -s 0 target/**/*.log", shell.Destructive},
		{"tee target/*/app.log", shell.Destructive},
		{"sed -i s/a/b/ target/logs/*", shell.Destructive},
		{"truncate -s 0 out/*.log", shell.Safe},
		{"rm target/logs/*.log", shell.Safe}, // only the symlink is deleted
		{"rm -rf target/*/", shell.Destructive},
		{"rm -rf target/*/*", shell.Destructive},
		{"rm -rf out/*/", shell.Safe},
		{"rm -rf target/*", shell.Safe},

		// The output of a program is not a source file.
		{"gcc -o src/app.js src/a.c", shell.Destructive},
		{"gcc -o src/app src/a.c", shell.Safe},
		{"clang -o src/new.js a.c", shell.Safe}, // the file does not exist
		{"go build -o src/app.js .", shell.Destructive},
		{"strace -o src/app.js ls", shell.Destructive},
		{"git show --output=src/app.js HEAD", shell.Destructive},
		{"git show --output=src/list.txt HEAD", shell.Safe},
		{"perf -o src/app.js ls", shell.Destructive},
		{"make 2> src/app.js", shell.Destructive},
		{"make 2> src/err.js", shell.Safe},
		{"make 2> src/list.txt", shell.Safe},
		{"ln -sf /dev/null src/list.txt", shell.Destructive},
		{"ln -f src/a src/app.js", shell.Destructive},

		// Files without another copy.
		{"cp src/a .env", shell.Destructive},
		{"tee .env", shell.Destructive},
		{"tee -a .env", shell.Safe},
		{"tee .env.example", shell.Safe},
		{"tee src/.env", shell.Safe}, // the file does not exist
		{"cp src/a conf", shell.Destructive},
		{"cp -n src/a .env", shell.Unknown},

		// Files that are read and written at the same time.
		{"grep -v x src/list.txt > src/list.txt", shell.Destructive},
		{"grep -v x src/list.txt > src/new.txt", shell.Safe},
		{"comm -12 src/list.txt b > src/list.txt", shell.Destructive},

		// Names of existing files.
		{"cp -t ~/Documents src/a.txt", shell.Destructive},
		{"mv src/a.txt ~/Documents/", shell.Destructive},
		{"install src/a.txt ~/Documents", shell.Destructive},
		{"cp -n src/a.txt ~/Documents", shell.Unknown},
		{"cp src/b.txt ~/Documents", shell.Unknown},
		{"cp ~/Documents/*.txt", shell.Unknown}, // only one file matches
		{"rename.ul p1 p3 ~/Papers/*.md", shell.Unknown},
		{"xz -dk ~/Papers/p1.md.xz", shell.Safe}, // xz refuses to overwrite
		{"gunzip -fk ~/Papers/p3.md.gz", shell.Unknown},
		{"split -l 1 src/a ~/Papers/p", shell.Destructive},
		{"split -l 1 src/a ~/Papers/new", shell.Unknown},

		// File names that are options.
		{"cd opts && rsync * /tmp/x", shell.Destructive},
		{"cd opts && wc *", shell.Safe},
		{"cd opts && chmod 644 ./*", shell.Safe},
		{"cd opts && chmod 644 -- *", shell.Safe},

		// Options that follow symlinks.
		{"find -L target -type f -delete", shell.Destructive},
		{"find target -follow -type f -delete", shell.Destructive},
		{"find -L target -type f -exec rm {} +", shell.Destructive},
		{"find target -type f -delete", shell.Safe},
		{"find -L out -type f -delete", shell.Safe},
		{"find -L target -type f", shell.Safe},
		{"fd -L . target -x rm", shell.Destructive},
		{"chmod -R -L 000 target", shell.Destructive},
		{"chmod -R 000 target", shell.Safe},
		{"chown -RL root target", shell.Destructive},
		{"rsync -aK --delete src/ target/", shell.Destructive},
		{"rsync -a --delete src/ target/", shell.Safe},

		// Archives.
		{"tar xf a.tar -C ~/Documents", shell.Destructive},
		{"tar xf a.tar --one-top-level=/home/u/Documents", shell.Destructive},
		{"tar xf a.tar -C ~/tools", shell.Unknown},
		{"tar xf a.tar -C ~/new", shell.Unknown}, // the directory is empty
		{"tar xf a.tar -C src", shell.Safe},
		{"tar xf a.tar -C third", shell.Destructive}, // third/deps leads to the home directory
		{"unzip a.zip -d ~/Documents", shell.Destructive},
		{"7z x a.7z -o/home/u/Documents", shell.Destructive},
		{"cd ~ && cpio -i", shell.Destructive},
		{"cd ~ && tar xf a.tar", shell.Destructive},
		{"cd src && jar xf a.jar", shell.Safe},
		{"jar cf a.jar -C /home/u/Documents .", shell.Safe},
		{"unrar x a.rar /home/u/Documents/", shell.Destructive},
		{"unrar l a.rar", shell.Safe},
		{"unar -o /home/u a.zip", shell.Destructive},
		{"dpkg-deb -x a.deb /home/u", shell.Destructive},
		{"unsquashfs -d /home/u a.sqfs", shell.Destructive},
	} {
		if e, _ := worstEffect(t, tt.text, p); e.Label != tt.label {
			t.Errorf("%s: %s (%s %v), want %s", tt.text, e.Label, e.Reason, e.Paths, tt.label)
		}
	}
}
