package health

import (
	"fmt"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/prove"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
)

// rowWidth is room for the name of a row.
const rowWidth = 17

// proofReport returns the rows of a proof, and what they go by if asked for.
func proofReport(env *console.Env, p *prove.Proof, evidence bool) *report.Report {
	s := report.New(env)
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
		s.Finding(term.Warn, "", message.New(note))
	}
	if evidence && len(p.Evidence) > 0 {
		addEvidence(s, p)
	}
	mark, m := proofSum(p, count)
	s.Message(mark, "", m)
	return s
}

func addEvidence(s *report.Report, p *prove.Proof) {
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

// proofSum is what came of a proof, and what to do.
func proofSum(p *prove.Proof, count map[capability.Result]int) (term.Style, message.Message) {
	honoured := fmt.Sprintf("%d of %d rows are honoured", count[capability.Honoured], len(p.Outcomes))
	switch bad := count[capability.NotHonoured]; {
	case !p.Shown():
		return term.Bad, message.New(p.Title+" did not come far enough to be judged, so nothing is proven", message.Run("checkrein prove "+p.Host+" --keep DIR", "to keep its home for you to look at"))
	case bad > 0:
		return term.Bad, message.New(fmt.Sprintf("%d of %d rows are not honoured by this build", bad, len(p.Outcomes)), message.Do("do not rely on them: use another build, or guard these calls another way"), message.Run("checkrein git install", "to guard commits and pushes"))
	case !p.Finished():
		return term.Warn, message.New(honoured+unproven(count)+". The agent did not come to its end", message.Do("run this again when the machine is less busy; what was seen of this build before still counts"))
	case count[capability.Differs] > 0:
		return term.Warn, message.New(fmt.Sprintf("%s, %d in another way than is known of this agent", honoured, count[capability.Differs]))
	}
	return term.Good, message.New(honoured+unproven(count), message.Run("checkrein prove --show "+p.Host, "to see the evidence"))
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
