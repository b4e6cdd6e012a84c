package prove

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/sys/userdirs"
)

// Headless is the mode of a run without a user to ask.
const Headless = "headless"

// Limit is how long a proof of one host may take on a user's machine.
const Limit = 90 * time.Second

// A Proof is what one build of a host was observed to do.
type Proof struct {
	Host      string             `json:"host"`
	Title     string             `json:"title"`
	Version   string             `json:"version"` // as the build reports it
	Program   capability.Program `json:"program"`
	Mode      string             `json:"mode"`
	Began     time.Time          `json:"began"`
	Took      float64            `json:"took"`      // seconds
	Checkrein string             `json:"checkrein"` // the version of checkrein that was used
	Outcomes  []Outcome          `json:"outcomes"`
	Evidence  []Evidence         `json:"evidence"`
	// Notes are remarks about the program, such as who else may replace it.
	Notes []string `json:"notes,omitempty"`
}

// An Outcome is the result for one row.
type Outcome struct {
	Row      capability.Row    `json:"row"`
	Result   capability.Result `json:"result"`
	Said     string            `json:"said"`               // what was observed, in a sentence
	Evidence []string          `json:"evidence,omitempty"` // digests
}

// Rows returns the results by row.
func (p *Proof) Rows() map[capability.Row]capability.Result {
	rows := map[capability.Row]capability.Result{}
	for _, o := range p.Outcomes {
		rows[o.Row] = o.Result
	}
	return rows
}

// Build returns the proof as an entry of the capability ledger.
func (p *Proof) Build() capability.Build {
	return capability.Build{Version: p.Version, Program: p.Program, Mode: p.Mode, Proven: p.Began, Checkrein: p.Checkrein, Rows: p.Rows()}
}

// FailedOutcomes returns the outcomes in which the host did not do what checkrein relies on.
func (p *Proof) FailedOutcomes() []Outcome {
	var out []Outcome
	for _, o := range p.Outcomes {
		if o.Result == capability.NotHonoured {
			out = append(out, o)
		}
	}
	return out
}

// Options holds the settings of Run.
type Options struct {
	// Programs is the directory of the checkrein and checkreind to use.
	Programs string
	// Progress, if set, is called with the number of the run, the number of runs and a description. It
	// may be called from several goroutines at once.
	Progress func(run, runs int, what string)
	// Keep keeps the temporary home directory.
	Keep bool
	// Limit is how long the host may run before it is stopped; rows that it did not reach are not
	// shown. 0 means no limit.
	Limit time.Duration
	Now   func() time.Time
}

// Run tests what a build of a host does. An error means that nothing could be shown; failures of the
// host are in the proof. When Run returns, no process of the host is running, and nothing of the run
// is left on disk unless o.Keep is set.
func Run(ctx context.Context, h *hostlab.Host, o Options) (p *Proof, err error) {
	known, ok := host.Find(h.Name)
	if !ok {
		return nil, fmt.Errorf("unknown agent %q", h.Name)
	}
	if o.Progress == nil {
		o.Progress = func(int, int, string) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	began := o.Now()
	p = &Proof{
		Host: h.Name, Title: known.Title, Version: h.Version, Mode: Headless,
		Began: began.UTC().Truncate(time.Second), Checkrein: build.Version,
	}
	if p.Program, err = capability.HashProgram(h.Program()); err != nil {
		return nil, err
	}
	if who := userdirs.WhoCanReplace(h.Program()); who != "" {
		p.Notes = append(p.Notes, who+", so this proof may not apply to the program for long")
	}
	w, err := newTestSpace(ctx, h, known, o)
	if err != nil {
		return nil, err
	}
	defer func() {
		end := w.Close
		if o.Keep {
			end = w.CloseKeepingFiles
		}
		err = errors.Join(err, end())
	}()
	seen, err := w.observe(ctx)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for _, row := range proofRows {
		out := row.check(seen)
		out.Row = row.id
		out.Evidence = seen.runDigests(row.runs)
		p.Outcomes = append(p.Outcomes, out)
	}
	p.Evidence = seen.evidence
	p.Took = o.Now().Sub(began).Seconds()
	return p, nil
}

// ExpectedRows returns, by row, what checkrein expects of h without a proof.
func ExpectedRows(h *wire.Host) map[capability.Row]capability.Result {
	rows := map[capability.Row]capability.Result{}
	for _, f := range capability.Facts() {
		rows[f.Row] = capability.Honoured
		if f.Effect != 0 && !isKnownToHonour(h, f.Row) {
			rows[f.Row] = capability.Cannot
		}
	}
	rows[capability.StopCap] = rows[capability.StopBlocked]
	switch {
	case h.BlindOption != "":
		rows[capability.DenyEditor], rows[capability.AskEditor] = capability.NotHonoured, capability.NotHonoured
	case len(h.Asks.EditorArgs) == 0:
		rows[capability.AskEditor] = capability.Cannot
	}
	return rows
}

// isKnownToHonour reports whether h is known to honour the effect that row is about. It returns true
// if row is not about an effect.
func isKnownToHonour(h *wire.Host, row capability.Row) bool {
	f, ok := capability.FactOf(row)
	if !ok || f.Effect == 0 {
		return true
	}
	for i := range h.Events {
		for _, r := range h.Events[i].Rows {
			if h.Events[i].Wired && r.Kind == f.Kind && r.Honours&f.Effect != 0 {
				return true
			}
		}
	}
	return false
}
