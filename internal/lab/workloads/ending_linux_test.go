package workloads

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/catalog/walls"
)

// An ending is what a run of a workload left: its exit code, lines of output, and files. What changes from
// run to run, such as times, is masked.
type ending struct {
	exit                      int
	out, errors               string
	outLines, errLines, files []string // masked and sorted
}

// ignoredDirs lists directories of which the contents depend on times and order. pnpm keeps its packages
// in the project where it cannot make a file in the home directory.
var ignoredDirs = []string{".cache", ".npm", ".local/state", "go/pkg", ".gradle", ".m2", ".yarn/berry", ".bun/install", ".local/share/pnpm", ".pnpm-store", "node_modules", ".git/objects"}

func newEnding(t testing.TB, w *world, r result) *ending {
	t.Helper()
	e := &ending{exit: r.exit, out: r.out, errors: r.errors, outLines: maskLines(r.out), errLines: maskLines(r.errors)}
	err := filepath.WalkDir(w.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		name, _ := filepath.Rel(w.home, path)
		if d.IsDir() && slices.ContainsFunc(ignoredDirs, func(dir string) bool { return name == dir || strings.HasSuffix(name, "/"+dir) }) {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		line := mask(name) + " " + info.Mode().String()
		if info.Mode().IsRegular() && info.Size() < 64<<10 && !strings.Contains(name, ".git/") { // git notes times and IDs
			if data, err := os.ReadFile(path); err == nil && !strings.Contains(string(data), "\x00") {
				line += " " + strings.Join(maskLines(string(data)), "|")
			}
		}
		e.files = append(e.files, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(e.files)
	e.files = slices.Compact(e.files)
	return e
}

// varying matches what may differ from run to run: IDs, digests and numbers.
var varying = regexp.MustCompile(`/tmp/[A-Za-z0-9._-]+|\b[0-9a-f]{7,}\b|[A-Za-z0-9+/=_-]{40,}|[0-9]+(\.[0-9]+)?`)

func mask(s string) string { return varying.ReplaceAllString(s, "#") }

// maskLines returns the different lines of text, masked and sorted.
func maskLines(text string) []string {
	var out []string
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r", "\n"), "\n") {
		if line = strings.TrimSpace(mask(line)); line != "" {
			out = append(out, line)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// diff returns how contained, an ending in walls, differs from e, or "". again is a further ending without
// walls: what differs between those two says nothing.
func (e *ending) diff(again, contained *ending) string {
	var out []string
	if e.exit != contained.exit {
		out = append(out, fmt.Sprintf("exit %d, bare %d: %s | %s", contained.exit, e.exit, lastLine(contained.out), lastLine(contained.errors)))
	}
	for _, part := range []struct {
		name                   string
		bare, again, contained []string
	}{
		{"output", e.outLines, again.outLines, contained.outLines},
		{"errors", e.errLines, again.errLines, contained.errLines},
		{"files", e.files, again.files, contained.files},
	} {
		varies := missing(part.bare, part.again)
		lost := missing(missing(part.bare, varies), part.contained)
		added := missing(missing(part.contained, part.bare), part.again)
		if len(varies) > 0 {
			added = slices.DeleteFunc(added, func(line string) bool { return !walls.ReportsDenial(line) })
		}
		if len(lost)+len(added) > 0 {
			out = append(out, fmt.Sprintf("%s: bare alone %q, contained alone %q", part.name, head(lost), head(added)))
		}
	}
	return strings.Join(out, "; ")
}

// missing returns the lines of a that b lacks.
func missing(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

// head returns the first of lines, shortened.
func head(lines []string) []string {
	var out []string
	for _, line := range lines[:min(len(lines), 4)] {
		out = append(out, line[:min(len(line), 300)])
	}
	return out
}

// lastLine returns the last line of text.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
