package desk

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/lab/clitest"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// A mistake is a case in an archive: the files of a directory, the first of which is validated, and
// the expected output of validate.
type mistake struct {
	name  string
	files []txtar.File
	want  int // the index of the expected output in the archive; -1 = it is missing
}

// Validate reports common mistakes in configuration files, each with its file, line and remedy.
func TestValidateMistakes(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob(filepath.Join("testdata", "mistakes", "*.txtar"))
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives:", err)
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			out := &txtar.Archive{Comment: archive.Comment}
			for _, m := range readMistakes(archive) {
				got := m.validateOutput(t)
				for _, f := range m.files {
					out.Files = append(out.Files, txtar.File{Name: m.name + "/" + f.Name, Data: f.Data})
				}
				out.Files = append(out.Files, txtar.File{Name: m.name + "/want", Data: []byte(got)})
				want := ""
				if m.want >= 0 {
					want = string(archive.Files[m.want].Data)
				}
				if diff := cmp.Diff(want, got); diff != "" && !*clitest.Update {
					t.Errorf("%s (-want +got):\n%s", m.name, diff)
				}
			}
			if *clitest.Update {
				if err := os.WriteFile(path, txtar.Format(out), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func readMistakes(archive *txtar.Archive) []*mistake {
	var out []*mistake
	for i, f := range archive.Files {
		dir, name, _ := strings.Cut(f.Name, "/")
		if len(out) == 0 || out[len(out)-1].name != dir {
			out = append(out, &mistake{name: dir, want: -1})
		}
		m := out[len(out)-1]
		if name == "want" {
			m.want = i
			continue
		}
		m.files = append(m.files, txtar.File{Name: name, Data: f.Data})
	}
	return out
}

// validateOutput returns the output of validate with its exit code. Scripts are executable unless they
// are named plain.sh, and those named crlf.sh have Windows line endings.
func (m *mistake) validateOutput(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range m.files {
		path, mode := filepath.Join(dir, f.Name), os.FileMode(0o644)
		if strings.HasSuffix(f.Name, ".sh") && !strings.HasSuffix(f.Name, "plain.sh") {
			mode = 0o755
		}
		if strings.HasSuffix(f.Name, "crlf.sh") {
			f.Data = bytes.ReplaceAll(f.Data, []byte("\n"), []byte("\r\n"))
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, mode); err != nil {
			t.Fatal(err)
		}
	}
	var said bytes.Buffer
	env := console.Env{Args: []string{"validate", filepath.FromSlash(m.files[0].Name)}, Stdin: strings.NewReader(""), Stdout: &said, Stderr: &said,
		Environ: []string{"HOME=" + filepath.Join(dir, "home"), "PATH=/usr/bin:/bin"}, Dir: dir, Managed: filepath.Join(dir, "managed"), Account: filepath.Join(dir, "home"),
		Now: func() time.Time { return clitest.Noon }}
	code := Run(t.Context(), env)
	return strings.ReplaceAll(said.String(), dir, "$WORK") + fmt.Sprintf("exit %d\n", code)
}
