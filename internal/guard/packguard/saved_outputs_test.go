package packguard

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/sys/undo"
)

// TestSavedOutputs has commands that remove files or write over them in words that are seldom used, with
// what is saved first, and neighbours that lose nothing.
func TestSavedOutputs(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write("work/notes.txt", "n\n")
	b.write("work/app", "n\n")
	b.write("work/out/x.js", "n\n")
	b.write("Documents/thesis/a.tex", "n\n")
	b.write("Documents/x.odt", "n\n")
	for _, tt := range []struct{ command, saved string }{
		// An output in the project, which git may not have.
		{"shuf -n0 -o notes.txt main.go", "work/notes.txt"},
		{"shuf -n0 -o new.txt main.go", ""},
		{"openssl rand -out notes.txt 5", "work/notes.txt"},
		{"node --redirect-warnings=notes.txt -e 0", "work/notes.txt"},
		{"echo 0 | xxd -r - notes.txt", "work/notes.txt"},
		{"gcc -o app main.c", ""},
		{"esbuild a.js --outfile=out/x.js", ""},
		// Outputs elsewhere, by options and operands of many programs.
		{"gpg --yes --batch -o ~/Documents/x.odt --dearmor /dev/null", "Documents/x.odt"},
		{"gpg --yes --batch -o ~/Documents/new.odt --dearmor /dev/null", ""},
		{"dpkg-deb -b /tmp/pkg ~/Documents/x.odt", "Documents/x.odt"},
		{"jar --create --file ~/Documents/x.odt -C src .", "Documents/x.odt"},
		{"jar tf ~/Documents/x.odt", ""},
		{"echo | gio save ~/Documents/x.odt", "Documents/x.odt"},
		{"python3 -m zipapp src -m util:total -o notes.txt", "work/notes.txt"},
		{"python3 -m cProfile -o ~/Documents/x.odt main.py", "Documents/x.odt"},
		{"python3 -m json.tool a.json", ""},
		{"node --test-reporter=tap --test-reporter-destination=../Documents/x.odt --test", "Documents/x.odt"},
		{"hyperfine --export-json ~/Documents/x.odt ls", "Documents/x.odt"},
		{"mksquashfs src ~/Documents/x.odt", "Documents/x.odt"},
		{"bison --defines=notes.txt a.y", "work/notes.txt"},
		{"xmllint --format a.xml -o ~/Documents/x.odt", "Documents/x.odt"},
		{"patchelf --set-rpath x ~/Documents/x.odt", "Documents/x.odt"},
		{"black ~/Documents/x.odt", "Documents/x.odt"},
		{"black --check ~/Documents/x.odt", ""},
		{"frobnicate -o ~/Documents/x.odt a", "Documents/x.odt"},
		{"frobnicate -o notes.txt a", "work/notes.txt"},
		{"ls -o ~/Documents/x.odt", ""},
		{"lsof -o notes.txt", ""},
		{"cd ~/Documents && jar xf /tmp/x.jar", "Documents"},
		{"unzip -oq /tmp/cfg.zip", "work/app work/main.go work/notes.txt"},
		{"unzip -oq /tmp/cfg.zip -d /tmp/x", ""},
		{"unzip -l /tmp/cfg.zip", ""},
		{"java -XX:LogFile=notes.txt -version", "work/notes.txt"},
		// Files that git discards without saying so, and from another directory.
		{"env -C src git checkout -q app.js", "."},
		{"git checkout -q src", "."},
		{"git checkout -q main", ""},
		// A loss that passes, by a program that another one runs.
		{"timeout 9 nice -n5 ionice -c3 unlink notes.txt", "work/notes.txt"},
		{"setsid rm notes.txt", "work/notes.txt"},
		{"strace rm notes.txt", "work/notes.txt"},
		{"git rebase -q -x 'rm notes.txt' HEAD~1", "work/notes.txt"},
	} {
		input, err := json.Marshal(map[string]string{"command": tt.command})
		if err != nil {
			t.Fatal(err)
		}
		var saved []string
		save := func(_ context.Context, _ *checkrein.Event, r undo.Request) (builtin.Saved, error) {
			for _, l := range r.Losses {
				if l.Repo != "" {
					saved = append(saved, ".")
				}
				if files, _ := filepath.Glob(l.Path); l.Path != "" && len(files) > 0 {
					name, _ := filepath.Rel(b.home, l.Path)
					saved = append(saved, name)
				}
			}
			slices.Sort(saved)
			return builtin.Saved{Any: len(saved) > 0, ID: "1a2b"}, nil
		}
		v, err := b.packs(t.Context(), builtin.Call{
			Event: checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{Root: b.dir}, Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", Input: input}},
			Dir:   b.dir, Machine: builtin.Machine{Home: b.home, Save: save},
		})
		if got := strings.Join(slices.Compact(saved), " "); err != nil || got != tt.saved || v.Decision > checkrein.NoOpinion {
			t.Errorf("%s: saved %q, want %q: %v %v", tt.command, got, tt.saved, v.Decision, err)
		}
	}
}
