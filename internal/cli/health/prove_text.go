package health

import (
	"fmt"

	"github.com/checkrein/checkrein/internal/evidence/prove"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/text/term"
)

// rowWidth is room for the name of a row.
const rowWidth = 17

// printProof prints the rows of a proof, and what they go by if asked for.
func printProof(s *term.Screen, p *prove.Proof, evidence bool) {
	s.Text(0, 2, term.T(term.Title, p.Title+" "+p.Version),
		term.T(term.Faint, fmt.Sprintf("  %s, %s, proven %s in %.0f s", s.Path(p.Program.Path), p.Mode, s.Ago(p.Began), p.Took)))
	count := map[capability.Result]int{}
	for _, o := range p.Outcomes {
		count[o.Result]++
		mark, said := term.Mark(term.Good), term.P(o.Said)
		switch o.Result {
		case capability.NotHonoured:
			mark, said = term.Mark(term.Bad), term.T(term.Bad, o.Said)
		case capability.Differs:
			mark = term.Mark(term.Warn)
		case capability.NotShown, capability.Cannot:
			mark, said = term.Mark(term.Plain), term.T(term.Faint, string(o.Result)+": "+o.Said)
		}
		s.Text(2, 4+rowWidth, mark, term.Span{Text: fmt.Sprintf(" %-*s", rowWidth, o.Row), Whole: true}, said)
	}
	for _, note := range p.Notes {
		s.Text(2, 4, term.Mark(term.Warn), term.P(" "+note))
	}
	if evidence {
		printEvidence(s, p)
	}
	printSum(s, p, count)
}

func printEvidence(s *term.Screen, p *prove.Proof) {
	if len(p.Evidence) == 0 {
		return
	}
	s.Blank()
	t := &term.Table{Columns: []term.Column{{Title: "evidence"}, {}, {Right: true}, {Give: 1, Least: 12}}}
	for _, e := range p.Evidence {
		t.Row([]term.Span{term.T(term.Name, e.Digest[:min(12, len(e.Digest))])}, []term.Span{term.P(e.Kind)},
			[]term.Span{term.P(term.Number(e.Bytes))}, []term.Span{term.T(term.Faint, fmt.Sprintf("run %d: %s", e.Run, e.About))})
	}
	s.Table(2, t)
	s.Text(2, 4, term.P("The SHA-256 of the program is "), term.T(term.Faint, p.Program.SHA256))
	s.Text(2, 4, term.P("To see one: "), term.Command("checkrein prove --show "+p.Evidence[0].Digest[:min(12, len(p.Evidence[0].Digest))]))
}

// printSum says in a line what came of it, and what to do.
func printSum(s *term.Screen, p *prove.Proof, count map[capability.Result]int) {
	n := len(p.Outcomes)
	switch bad := count[capability.NotHonoured]; {
	case !p.Shown():
		s.Text(0, 2, term.Mark(term.Bad), term.P(" "+p.Title+" did not come far enough to be judged, so nothing is proven: "), term.Command("checkrein prove "+p.Host+" --keep DIR"), term.P(" leaves its home for you to look at"))
	case bad > 0:
		s.Text(0, 2, term.Mark(term.Bad), term.P(fmt.Sprintf(" %d of %d rows are not honoured by this build. Do not rely on them: use another build, or guard these calls another way (", bad, n)), term.Command("checkrein git install"), term.P(")"))
	case !p.Finished():
		s.Text(0, 2, term.Mark(term.Warn), term.P(fmt.Sprintf(" %d of %d rows are honoured%s. The agent did not come to its end: run this again when the machine is less busy. What was seen of this build before still counts", count[capability.Honoured], n, unproven(count))))
	case count[capability.Differs] > 0:
		s.Text(0, 2, term.Mark(term.Warn), term.P(fmt.Sprintf(" %d of %d rows are honoured, %d in another way than is known of this agent", count[capability.Honoured], n, count[capability.Differs])))
	default:
		s.Text(0, 2, term.Mark(term.Good), term.P(fmt.Sprintf(" %d of %d rows are honoured%s. Evidence: ", count[capability.Honoured], n, unproven(count))), term.Command("checkrein prove --show "+p.Host))
	}
}

// unproven says why some rows are not honoured, although nothing is wrong.
func unproven(count map[capability.Result]int) string {
	text := ""
	if n := count[capability.Cannot]; n > 0 {
		text += fmt.Sprintf(", %d this agent cannot do", n)
	}
	if n := count[capability.NotShown]; n > 0 {
		text += fmt.Sprintf(", %d could not be shown", n)
	}
	return text
}
