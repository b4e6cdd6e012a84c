package hot

import (
	"github.com/checkrein/checkrein/internal/approval/trust"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/evidence/provenance"
	"github.com/checkrein/checkrein/internal/scan/boundary"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/sys/whose"
	"github.com/checkrein/checkrein/internal/sys/workplace"
)

// placesOf are the person's directories.
func placesOf(env console.Env) whose.Places {
	// Git may call us, with variables that a project set. Where nothing is sure,
	// nothing is remembered.
	p, _ := whose.Ask{Environ: env.Environ, Called: true, Projects: []string{workplace.Top(env.Dir)}}.Find()
	return p
}

// stateOf is the person's state directory; the zero one when there is none.
func stateOf(env console.Env) state.Dir { return state.At(placesOf(env).State) }

// originsOf makes a scan report its findings with who wrote them.
func originsOf(env console.Env, s *boundary.Scan, report func(*boundary.Finding)) *boundary.Origins {
	book, err := provenance.Open(stateOf(env), workplace.Top(env.Dir))
	if err != nil {
		fail(env, 0, "cannot tell who wrote a line: %s", trust.Visible(err.Error()))
	}
	o := &boundary.Origins{Book: book, Report: report}
	if book != nil {
		s.Mark = book.Mark
	}
	s.Report = o.Add
	return o
}
