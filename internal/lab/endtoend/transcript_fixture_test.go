package endtoend

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/checkrein/checkrein/internal/host/setups"
)

var (
	// longText is a text of the host's own, such as its instructions.
	longText = regexp.MustCompile(`"((?:[^"\\]|\\.){40})(?:[^"\\]|\\.){500,}"`)
	anyID    = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\ba[0-9a-f]{16}\b|\b[0-9a-f]{64}\b|\b[0-9a-f]{40}\b`)
)

// writeFixtures writes the host's transcripts as test data, without what belongs to this machine or to
// the host's makers. Databases must be added by hand: see internal/host/transcript/testdata.
func (w *world) writeFixtures() {
	w.t.Helper()
	ids := map[string]string{}
	clean := func(b []byte) []byte {
		dir := regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(w.Dir, "-")
		b = []byte(strings.NewReplacer(w.Project, "/home/ann/shop", w.Home, "/home/ann", dir+"-project", "-home-ann-shop", strings.ReplaceAll(w.Project, "/", "-"), "-home-ann-shop", w.Dir, "/home").Replace(string(b)))
		b = longText.ReplaceAll(b, []byte(`"$1 … (cut)"`))
		return anyID.ReplaceAllFunc(b, func(id []byte) []byte {
			if ids[string(id)] == "" {
				n := fmt.Sprintf("%012x", len(ids)+1)
				ids[string(id)] = "00000000-0000-4000-8000-" + n
				if !bytes.Contains(id, []byte("-")) {
					ids[string(id)] = strings.Repeat("a", len(id)-12) + n
				}
			}
			return []byte(ids[string(id)])
		})
	}
	to := filepath.Join(*fixtures, w.name)
	for _, f := range setups.Transcripts().Find(w.Home, nil) {
		if filepath.Ext(f.Path) == ".db" {
			continue
		}
		b, err := os.ReadFile(f.Path)
		if err != nil {
			w.t.Fatal(err)
		}
		name, err := filepath.Rel(w.Home, f.Path)
		if err != nil {
			w.t.Fatal(err)
		}
		b = clean(b)
		path := filepath.Join(to, string(clean([]byte(name))))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
}
