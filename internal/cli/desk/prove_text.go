package desk

import (
	"fmt"

	"github.com/checkrein/checkrein/internal/evidence/prove"
	"github.com/checkrein/checkrein/internal/host/caps"
	"github.com/checkrein/checkrein/internal/text/screen"
)

// rowWidth is room for the name of a row.
const rowWidth = 17

// printProof prints the rows of a proof, and what they go by if asked for.
func printProof(s *screen.Screen, p *prove.Proof, evidence bool) {
	s.Text(0, 2, screen.T(screen.Title, p.Title+" "+p.Version),
		screen.T(screen.Faint, fmt.Sprintf("  %s, %s, proven %s in %.0f s", s.Path(p.Program.Path), p.Mode, s.Ago(p.Began), p.Took)))
	count := map[caps.Result]int{}
	for _, o := range p.Outcomes {
		count[o.Result]++
		mark, said := screen.Mark(screen.Good), screen.P(o.Said)
		switch o.Result {
		case caps.NotHonoured:
			mark, said = screen.Mark(screen.Bad), screen.T(screen.Bad, o.Said)
		case caps.Differs:
			mark = screen.Mark(screen.Warn)
		case caps.NotShown, caps.Cannot:
			mark, said = screen.Mark(screen.Plain), screen.T(screen.Faint, string(o.Result)+": "+o.Said)
		}
		s.Text(2, 4+rowWidth, mark, screen.Span{Text: fmt.Sprintf(" %-*s", rowWidth, o.Row), Whole: true}, said)
	}
	for _, note := range p.Notes {
		s.Text(2, 4, screen.Mark(screen.Warn), screen.P(" "+note))
	}
	if evidence {
		printEvidence(s, p)
	}
	printSum(s, p, count)
}

func printEvidence(s *screen.Screen, p *prove.Proof) {
	if len(p.Evidence) == 0 {
		return
	}
	s.Blank()
	t := &screen.Table{Columns: []screen.Column{{Title: "evidence"}, {}, {Right: true}, {Give: 1, Least: 12}}}
	for _, e := range p.Evidence {
		t.Row([]screen.Span{screen.T(screen.Name, e.Digest[:min(12, len(e.Digest))])}, []screen.Span{screen.P(e.Kind)},
			[]screen.Span{screen.P(screen.Number(e.Bytes))}, []screen.Span{screen.T(screen.Faint, fmt.Sprintf("run %d: %s", e.Run, e.About))})
	}
	s.Table(2, t)
	s.Text(2, 4, screen.P("The SHA-256 of the program is "), screen.T(screen.Faint, p.Program.SHA256))
	s.Text(2, 4, screen.P("To see one: "), screen.Command("checkrein prove --show "+p.Evidence[0].Digest[:min(12, len(p.Evidence[0].Digest))]))
}

// printSum says in a line what came of it, and what to do.
func printSum(s *screen.Screen, p *prove.Proof, count map[caps.Result]int) {
	n := len(p.Outcomes)
	switch bad := count[caps.NotHonoured]; {
	case !p.Shown():
		s.Text(0, 2, screen.Mark(screen.Bad), screen.P(" "+p.Title+" did not come far enough to be judged, so nothing is proven: "), screen.Command("checkrein prove "+p.Host+" --keep DIR"), screen.P(" leaves its home for you to look at"))
	case bad > 0:
		s.Text(0, 2, screen.Mark(screen.Bad), screen.P(fmt.Sprintf(" %d of %d rows are not honoured by this build. Do not rely on them: use another build, or guard these calls another way (", bad, n)), screen.Command("checkrein git install"), screen.P(")"))
	case !p.Finished():
		s.Text(0, 2, screen.Mark(screen.Warn), screen.P(fmt.Sprintf(" %d of %d rows are honoured%s. The agent did not come to its end: run this again when the machine is less busy. What was seen of this build before still counts", count[caps.Honoured], n, unproven(count))))
	case count[caps.Differs] > 0:
		s.Text(0, 2, screen.Mark(screen.Warn), screen.P(fmt.Sprintf(" %d of %d rows are honoured, %d in another way than is known of this agent", count[caps.Honoured], n, count[caps.Differs])))
	default:
		s.Text(0, 2, screen.Mark(screen.Good), screen.P(fmt.Sprintf(" %d of %d rows are honoured%s. Evidence: ", count[caps.Honoured], n, unproven(count))), screen.Command("checkrein prove --show "+p.Host))
	}
}

// unproven says why some rows are not honoured, although nothing is wrong.
func unproven(count map[caps.Result]int) string {
	text := ""
	if n := count[caps.Cannot]; n > 0 {
		text += fmt.Sprintf(", %d this agent cannot do", n)
	}
	if n := count[caps.NotShown]; n > 0 {
		text += fmt.Sprintf(", %d could not be shown", n)
	}
	return text
}
