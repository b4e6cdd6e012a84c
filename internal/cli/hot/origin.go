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

// userPlaces returns the user's directories.
func userPlaces(env console.Env) userdirs.Places {
	// Git may run this program with environment variables that a project set. If the directories
	// are not safe, Find returns none, and nothing is saved.
	p, _ := userdirs.Finder{Environ: env.Environ, Called: true, Projects: []string{environ.RepoTop(env.Dir)}}.Find()
	return p
}

// userState returns the user's state directory, or the zero Dir if there is none.
func userState(env console.Env) state.Dir { return state.NewDir(userPlaces(env).State) }

// reportOrigins makes s call report for each finding once its origin, which is who wrote the line, is
// known. The caller must flush the result after the scan.
func reportOrigins(env console.Env, s *scan.Scan, report func(*scan.Finding)) *scan.Origins {
	book, err := provenance.Open(userState(env), environ.RepoTop(env.Dir))
	if err != nil {
		printError(env, 0, "cannot tell who wrote a line: %s", visible.EscapeText(err.Error()))
	}
	o := &scan.Origins{Book: book, Report: report}
	if book != nil {
		s.Mark = book.Fingerprint
	}
	s.Report = o.Add
	return o
}
