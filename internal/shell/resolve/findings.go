package resolve

import (
	"slices"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// findings holds the calls and problems that a walk has found, and its remaining budget.
type findings struct {
	place    *shell.Place
	calls    []*shell.Call
	problems []shell.Effect
	trace    *Trace     // records every program that starts; nil = the caller does not need it
	source   textSource // source of the text that is walked
	depth    int        // nesting depth of the text that is walked; the command itself has 1

	steps, room, rounds int
	overLimit           bool // a limit was exceeded, and reportLimit has reported it
}

// A textSource is the file that the walked text comes from.
type textSource struct {
	file  *shell.Source // nil = the command itself
	depth int           // depth of the file's own text
}

// spendStep charges one step to the budget. It reports false if the budget is exhausted.
func (w *findings) spendStep() bool {
	if w.steps--; w.steps < 0 {
		w.reportLimit()
		return false
	}
	return true
}

// spendBytes charges n bytes to the budget. It reports false, and ends the walk, if the budget is
// exhausted.
func (w *findings) spendBytes(n int) bool {
	if w.room -= n; w.room < 0 {
		w.reportLimit()
		w.steps = 0
		return false
	}
	return true
}

// reportLimit reports, once per walk, that the text does more than a walk follows.
func (w *findings) reportLimit() {
	if !w.overLimit {
		w.overLimit = true
		w.addGap("", "does more than checkrein can follow")
		w.addProblem(shell.LimitEffect("", "does more than checkrein can follow"))
	}
}

// reportOpaque reports that words run code that cannot be read from the text.
func (w *findings) reportOpaque(words, reason string) {
	w.addProblem(shell.OpaqueEffect(words, reason))
}

// reportUnknown reports that words run an unknown program.
func (w *findings) reportUnknown(words, reason string) {
	w.addProblem(shell.Effect{Label: shell.Unknown, Kind: "run", Category: shell.Run, Impact: shell.ImpactUnknown, Words: words, Reason: reason})
}

// addProblem adds e unless an equal problem exists. If there are too many problems, it drops the
// mildest.
func (w *findings) addProblem(e shell.Effect) {
	if e.Source == nil {
		e.Source = w.source.file
	}
	least := 0
	for i := range w.problems {
		p := &w.problems[i]
		if p.Category == e.Category && p.Words == e.Words && p.Reason == e.Reason {
			return
		}
		if isMilder(p, &w.problems[least]) {
			least = i
		}
	}
	if len(w.problems) < maxProblem {
		w.problems = append(w.problems, e)
		return
	}
	if p := &w.problems[least]; isMilder(p, &e) {
		e, *p = *p, e
	}
	if e.Label != shell.Unknown || e.Gap() >= shell.GapOpaque || e.Row().Policy > shell.Pass {
		w.reportLimit() // the dropped problem would have needed a decision
	}
}

// reportForkBomb reports a command that starts itself endlessly.
func (w *findings) reportForkBomb(words string) {
	w.addProblem(shell.Effect{
		Label: shell.Destructive, Kind: "fork", Category: shell.ProcBomb,
		Impact: shell.ImpactHigh, Words: words, Reason: "starts processes endlessly until the machine hangs",
	})
}

// isMilder reports whether problem a matters less than problem b.
func isMilder(a, b *shell.Effect) bool {
	if a.Label == b.Label && a.Gap() != b.Gap() {
		return a.Gap() < b.Gap()
	}
	return shell.IsWorse(b.Label, b.Impact, a.Label, a.Impact)
}

// spendRound charges one iteration of a loop to the budget. It reports false if the budget is
// exhausted.
func (w *findings) spendRound() bool {
	w.rounds--
	return w.rounds > 0 && w.steps > 0
}

// addGap adds to the trace, if there is one, that words are not followed.
func (w *findings) addGap(words, reason string) {
	if w.trace != nil && len(w.trace.Gaps) < maxProblem {
		w.trace.Gaps = append(w.trace.Gaps, Gap{words, reason})
	}
}

// addCall adds call with the current source. If there are too many calls, it reports the limit and
// ends the walk.
func (w *findings) addCall(call *shell.Call) {
	if len(w.calls) >= maxCalls {
		w.reportLimit()
		w.steps = 0
		return
	}
	call.Source = w.source.file
	if w.calls == nil {
		w.calls = make([]*shell.Call, 0, 4)
	}
	w.calls = append(w.calls, call)
}

// dropCalls removes calls that were added recently, because they only print set-up code for the shell.
func (w *findings) dropCalls(calls []*shell.Call) {
	from := max(0, len(w.calls)-2*expand.MaxFrom) // they were added recently
	rest := slices.DeleteFunc(w.calls[from:], func(c *shell.Call) bool { return slices.Contains(calls, c) })
	w.calls = w.calls[:from+len(rest)]
}

// reportRemoteCode reports that words run the code that the call d downloads.
func (w *findings) reportRemoteCode(d *shell.Call, words []shell.Word) {
	host := argv.RemoteHost(d)
	e := shell.Effect{
		Label: shell.Unknown, Kind: "run", Category: program.FetchCategory(d), Impact: shell.ImpactHigh,
		Words: displayText(d.Path + " " + displayWords(d.Args) + " | " + displayWords(words)), Reason: "runs code downloaded from " + host,
	}
	if host == "" {
		e.Reason = "runs downloaded code"
	} else {
		e.Hosts = []string{host}
	}
	if e.Category == shell.RemoteScriptPlain {
		e.Reason += ", which anyone may have placed there"
	}
	w.addProblem(e)
}

// newSource returns f as the source of calls and effects, without a line.
func (w *findings) newSource(f *file) *shell.Source {
	return &shell.Source{Path: f.path, Own: f.edited || w.place.Wrote != nil && w.place.Wrote(f.path)}
}

// setSourceLine sets the line of the current source, unless code nested in that file is walked.
func (w *findings) setSourceLine(line uint) {
	if s := &w.source; s.depth == w.depth && s.file.Line != int(line) {
		at := *s.file
		at.Line = int(line)
		s.file = &at
	}
}
