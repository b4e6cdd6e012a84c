package hot

import (
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/evidence/provenance"
	"github.com/checkrein/checkrein/internal/scan"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/sys/userdirs"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// placesOf returns the person's directories.
func placesOf(env console.Env) userdirs.Places {
	// Git may call this program with variables that a project set. If the directories are not
	// safe, nothing is saved.
	p, _ := userdirs.Finder{Environ: env.Environ, Called: true, Projects: []string{environ.RepoTop(env.Dir)}}.Find()
	return p
}

// stateOf returns the person's state directory; the zero one if there is none.
func stateOf(env console.Env) state.Dir { return state.At(placesOf(env).State) }

// reportOrigins makes a scan report its findings together with who wrote the lines.
func reportOrigins(env console.Env, s *scan.Scan, report func(*scan.Finding)) *scan.Origins {
	book, err := provenance.Open(stateOf(env), environ.RepoTop(env.Dir))
	if err != nil {
		fail(env, 0, "cannot tell who wrote a line: %s", visible.Text(err.Error()))
	}
	o := &scan.Origins{Book: book, Report: report}
	if book != nil {
		s.Mark = book.Mark
	}
	s.Report = o.Add
	return o
}
