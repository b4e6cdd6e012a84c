package approval

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/checkrein/checkrein"
)

// In a fresh checkout, what was approved in its source counts, byte for byte, and nothing else does.
func TestInheritFrom(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(p *project, twin string)
		want   State
	}{
		{"the same", func(*project, string) {}, Approved},
		{"another script", func(_ *project, twin string) { writeFile(t, filepath.Join(twin, "w.sh"), "echo other\n", 0o700) }, Changed},
		{"no script", func(_ *project, twin string) { _ = os.Remove(filepath.Join(twin, "w.sh")) }, Changed},
		{"the source changed since", func(p *project, _ string) { p.write("w.sh", "echo later\n") }, Approved},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.write("w.sh", "echo hi\n")
			h := commandHook(p.root, "prepare", "./w.sh")
			h.Dialect = "docker-agent" // which is run from where it lies
			p.approve(h)
			found := commandHook(p.root, "found", "./w.sh")
			p.approve(found)
			twin := RealPath(t.TempDir())
			writeFile(t, filepath.Join(twin, "w.sh"), "echo hi\n", 0o700)
			tt.change(p, twin)

			found.From.File = filepath.Join(twin, filepath.Base(found.From.File))
			hooks := []checkrein.Hook{h, found}
			for _, twinned := range []bool{true, false} {
				s, err := Load(p.dir)
				if err != nil {
					t.Fatal(err)
				}
				s.SetPlace(placeAt(twin))
				if twinned {
					s.InheritFrom(p.root)
				}
				s.Bind(hooks)
				for i := range hooks {
					is, why, _ := s.Check(&hooks[i])
					if twinned && is != tt.want || !twinned && is == Approved {
						t.Errorf("%s, a twin %v: %v, %s", hooks[i].Name, twinned, is, why)
					}
				}
				if gone := s.VanishedApprovals(ConfigRead{Read: []string{hooks[0].From.File, hooks[1].From.File}}); twinned && len(gone) != 0 {
					t.Errorf("gone: %v", gone)
				}
			}
		})
	}
}
