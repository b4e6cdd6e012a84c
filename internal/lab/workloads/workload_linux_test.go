package workloads

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// A workload is a script with the files that it needs.
type workload struct {
	group, name string
	script      string
	files       map[string]string // by path in the project; those that begin with ~/ are in the home directory
	needs       []string          // programs
	tools       []string          // npm packages and caches, see installTool
	quick       bool              // runs in the ordinary tests
	offline     bool              // contained without network
	// allow is the setting of walls with which it ends as bare, if it does not end so without: "sockets",
	// "network", or "write" and a path.
	allow string
	// loses and warns hold words of files that it does not leave in walls, without harm, and of lines with
	// which it says that.
	loses, warns []string
	// stays is why it never ends in walls as it does bare.
	stays string
}

// readWorkloads returns the workloads of testdata. In each archive a file without a slash in its name is
// the script of a workload of that name, and those in a directory of that name are its files. The first
// lines of a script hold its fields: "# needs: gcc make".
func readWorkloads(t testing.TB) []*workload {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no workloads", err)
	}
	var all []*workload
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		group := strings.TrimSuffix(filepath.Base(path), ".txtar")
		byName := map[string]*workload{}
		for _, f := range txtar.Parse(data).Files {
			name, file, isFile := strings.Cut(f.Name, "/")
			switch w := byName[name]; {
			case isFile && w != nil:
				w.files[file] = string(f.Data)
			case isFile || w != nil:
				t.Fatalf("%s: %s has no script, or two", path, f.Name)
			default:
				w = &workload{group: group, name: name, script: string(f.Data), files: map[string]string{}}
				if err := w.readFields(); err != nil {
					t.Fatalf("%s: %s: %v", path, name, err)
				}
				byName[name] = w
				all = append(all, w)
			}
		}
	}
	return all
}

// readFields reads the fields in the first lines of the script.
func (w *workload) readFields() error {
	for line := range strings.Lines(w.script) {
		field, ok := strings.CutPrefix(strings.TrimSpace(line), "# ")
		if !ok {
			return nil
		}
		key, value, _ := strings.Cut(field, ":")
		value = strings.TrimSpace(value)
		switch key {
		case "needs":
			w.needs = strings.Fields(value)
		case "tools":
			w.tools = strings.Fields(value)
		case "quick":
			w.quick = true
		case "offline":
			w.offline = true
		case "allow":
			w.allow = value
		case "loses":
			w.loses = strings.Fields(value)
		case "warns":
			w.warns = strings.Fields(value)
		case "stays":
			w.stays = value
		default:
			return fmt.Errorf("unknown field %q", key)
		}
	}
	return nil
}

func TestWorkloadsAreComplete(t *testing.T) {
	t.Parallel()
	all := readWorkloads(t)
	if len(all) < 100 {
		t.Errorf("%d workloads", len(all))
	}
	names := map[string]bool{}
	for _, w := range all {
		if names[w.name] {
			t.Errorf("%s is there twice", w.name)
		}
		names[w.name] = true
		if w.quick && len(w.tools) > 0 {
			t.Errorf("%s is quick and needs tools", w.name)
		}
		if kind, _, _ := strings.Cut(w.allow, " "); !slices.Contains([]string{"", "sockets", "network", "write"}, kind) {
			t.Errorf("%s: no setting allows %s", w.name, w.allow)
		}
	}
}
