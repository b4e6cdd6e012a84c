package resolve

import (
	"slices"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// findings are the calls and problems that a walk has found, and what it may still cost.
type findings struct {
	place    *shell.Place
	calls    []*shell.Call
	problems []shell.Effect
	trace    *Trace // all that starts is noted there; nil = it is not
	said     origin // of what is walked
	depth    int    // texts around what is walked

	steps, room, rounds int
	spent               bool // a budget ran out, and that was said
}

// An origin is the file that says what is walked.
type origin struct {
	at    *shell.Source // nil = the command itself
	depth int           // of the file's own text
}

// step pays for one thing to look at. It reports false when nothing is left.
func (w *findings) step() bool {
	if w.steps--; w.steps < 0 {
		w.tooMuch()
		return false
	}
	return true
}

// pay pays for n bytes.
func (w *findings) pay(n int) bool {
	if w.room -= n; w.room < 0 {
		w.tooMuch()
		w.steps = 0
		return false
	}
	return true
}

func (w *findings) tooMuch() {
	if !w.spent {
		w.spent = true
		w.untold("", "does more than checkrein can follow")
		w.report(shell.Exceeds("", "does more than checkrein can follow"))
	}
}

// opaque notes a text that is evaluated and cannot be read.
func (w *findings) opaque(words, reason string) { w.report(shell.Evaluates(words, reason)) }

// unknown notes an unknown program.
func (w *findings) unknown(words, reason string) {
	w.report(shell.Effect{Label: shell.Unknown, Kind: "run", Category: shell.Run, Radius: shell.RadiusUnknown, Words: words, Reason: reason})
}

// report notes a problem. Where there are too many the mildest goes.
func (w *findings) report(e shell.Effect) {
	if e.Source == nil {
		e.Source = w.said.at
	}
	least := 0
	for i := range w.problems {
		p := &w.problems[i]
		if p.Category == e.Category && p.Words == e.Words && p.Reason == e.Reason {
			return
		}
		if milder(p, &w.problems[least]) {
			least = i
		}
	}
	if len(w.problems) < maxProblem {
		w.problems = append(w.problems, e)
		return
	}
	if p := &w.problems[least]; milder(p, &e) {
		e, *p = *p, e
	}
	if e.Label != shell.Unknown || e.Gap() >= shell.GapOpaque || e.Row().Policy > shell.Pass {
		w.tooMuch() // somebody would have been asked about the one that goes
	}
}

// bomb notes a command that starts itself without end.
func (w *findings) bomb(words string) {
	w.report(shell.Effect{
		Label: shell.Destructive, Kind: "fork", Category: shell.ProcBomb,
		Radius: shell.RadiusHigh, Words: words, Reason: "starts processes endlessly until the machine hangs",
	})
}

// milder reports whether one problem matters less than another.
func milder(a, b *shell.Effect) bool {
	if a.Label == b.Label && a.Gap() != b.Gap() {
		return a.Gap() < b.Gap()
	}
	return shell.Worse(b.Label, b.Radius, a.Label, a.Radius)
}

// round pays for one run of a loop's body.
func (w *findings) round() bool {
	w.rounds--
	return w.rounds > 0 && w.steps > 0
}

// untold notes something that is not followed.
func (w *findings) untold(words, reason string) {
	if w.trace != nil && len(w.trace.Untold) < maxProblem {
		w.trace.Untold = append(w.trace.Untold, Untold{words, reason})
	}
}

func (w *findings) add(call *shell.Call) {
	if len(w.calls) >= maxCalls {
		w.tooMuch()
		w.steps = 0
		return
	}
	call.Source = w.said.at
	if w.calls == nil {
		w.calls = make([]*shell.Call, 0, 4)
	}
	w.calls = append(w.calls, call)
}

// drop takes back calls that only print set-up code for the shell.
func (w *findings) drop(calls []*shell.Call) {
	from := max(0, len(w.calls)-2*expand.MaxFrom) // they were met just now
	rest := slices.DeleteFunc(w.calls[from:], func(c *shell.Call) bool { return slices.Contains(calls, c) })
	w.calls = w.calls[:from+len(rest)]
}

// remoteCode notes that something downloaded is run.
func (w *findings) remoteCode(d *shell.Call, words []shell.Word) {
	host := argv.TalksTo(d)
	e := shell.Effect{
		Label: shell.Unknown, Kind: "run", Category: program.FetchSource(d), Radius: shell.RadiusHigh,
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
	w.report(e)
}

func (w *findings) sourceOf(f *file) *shell.Source {
	return &shell.Source{Path: f.path, Own: w.place.Wrote != nil && w.place.Wrote(f.path)}
}

// onLine notes the line of the file that is walked now.
func (w *findings) onLine(line uint) {
	if s := &w.said; s.depth == w.depth && s.at.Line != int(line) {
		at := *s.at
		at.Line = int(line)
		s.at = &at
	}
}
