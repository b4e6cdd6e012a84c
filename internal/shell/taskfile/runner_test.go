package taskfile

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// osFiles is a FileReader for the real file system.
type osFiles struct{}

func (osFiles) File(path string) ([]byte, error) { return os.ReadFile(path) }

func (osFiles) Names(dir string) ([]string, error) {
	list, err := os.ReadDir(dir)
	var out []string
	for _, e := range list {
		out = append(out, e.Name())
	}
	return out, err
}

// parseCall returns the call in line, whose words are separated by spaces.
func parseCall(line string) *shell.Call {
	fields := strings.Fields(line)
	c := &shell.Call{}
	for len(fields) > 1 && strings.Contains(fields[0], "=") {
		name, val, _ := strings.Cut(fields[0], "=")
		c.Env = append(c.Env, shell.Variable{Name: name, Value: shell.Word{Text: val}})
		fields = fields[1:]
	}
	c.Name, c.Path = filepath.Base(fields[0]), fields[0]
	for _, f := range fields[1:] {
		c.Args = append(c.Args, shell.Word{Text: f})
	}
	return c
}

// writeTree writes the files in text to a new temporary directory and returns the directory.
func writeTree(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	writeFiles(t, dir, text)
	return dir
}

// writeFiles writes the files in text, each of which begins with a line "-- name --", to dir.
func writeFiles(t *testing.T, dir, text string) {
	t.Helper()
	name, body := "", ""
	flush := func() {
		if name == "" {
			return
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(text) {
		if head, ok := strings.CutPrefix(strings.TrimSpace(line), "-- "); ok {
			flush()
			name, body = strings.TrimSuffix(head, " --"), ""
			continue
		}
		body += line
	}
	flush()
}

// formatResult returns res as text, with paths relative to dir.
func formatResult(dir string, res Result) string {
	var b strings.Builder
	rel := func(path string) string {
		if r, err := filepath.Rel(dir, path); err == nil && !strings.HasPrefix(r, "..") {
			return filepath.ToSlash(r)
		}
		return path
	}
	for _, p := range res.Parts {
		b.WriteString("part " + rel(p.Path))
		if p.Name != "" {
			b.WriteString(" (" + p.Name + ")")
		}
		b.WriteString("\n")
		for line := range strings.Lines(string(p.Text)) {
			b.WriteString("  |" + strings.ReplaceAll(strings.TrimSuffix(line, "\n"), dir, "TOP") + "\n")
		}
	}
	for _, t := range res.Texts {
		b.WriteString("text [" + rel(t.Dir) + "]")
		for _, e := range t.Env {
			b.WriteString(" " + e.Name + "=" + strings.ReplaceAll(e.Value.Text, placeholder, "□"))
		}
		if len(t.Bin) > 0 {
			b.WriteString(" <" + rel(t.Bin[0]) + ">")
		}
		b.WriteString(" " + strings.ReplaceAll(strings.ReplaceAll(t.Text, dir, "TOP"), placeholder, "□") + "\n")
	}
	for _, u := range res.Unsure {
		b.WriteString("unsure " + strings.ReplaceAll(u, dir, "TOP") + "\n")
	}
	return b.String()
}

// readCall returns what the call in line runs in dir. It fails the test if its program is not a runner.
func readCall(t *testing.T, dir, line string) Result {
	t.Helper()
	res, ok := Read(parseCall(line), dir, osFiles{})
	if !ok {
		t.Fatalf("%s is not a runner", line)
	}
	return res
}

func TestRowsAreSorted(t *testing.T) {
	t.Parallel()
	if !slices.IsSortedFunc(rows[:], func(a, b row) int { return strings.Compare(a.program, b.program) }) {
		t.Error("rows are not sorted by program")
	}
	if _, ok := Read(parseCall("ls -l"), t.TempDir(), osFiles{}); ok {
		t.Error("ls is a runner")
	}
}

var update = flag.Bool("update", false, "write the results of Read to testdata/reads.txt")

// TestReadMatchesGolden compares the results of Read with testdata/reads.txt. Each case there consists
// of a call, the files, and the expected result after a line of arrows.
func TestReadMatchesGolden(t *testing.T) {
	t.Parallel()
	const file, arrows = "testdata/reads.txt", ">>>\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for one := range strings.SplitSeq("\n"+string(text), "\n=== ") {
		if strings.TrimSpace(one) == "" {
			continue
		}
		name, rest, _ := strings.Cut(one, "\n")
		call, rest, _ := strings.Cut(strings.TrimPrefix(rest, "$ "), "\n")
		files, want, _ := strings.Cut(rest+"\n", arrows)
		dir := writeTree(t, files)
		got := formatResult(dir, readCall(t, dir, call))
		out.WriteString("=== " + name + "\n$ " + call + "\n" + files + arrows + got)
		if strings.TrimSpace(got) != strings.TrimSpace(want) && !*update {
			t.Errorf("%s: %s\n got:\n%s\nwant:\n%s", name, call, got, want)
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
