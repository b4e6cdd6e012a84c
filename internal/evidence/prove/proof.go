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

// Headless is the mode of a run without a person.
const Headless = "headless"

// Limit is how long a proof of one host may take on a person's machine.
const Limit = 90 * time.Second

// A Proof is what one build of a host was seen to do.
type Proof struct {
	Host      string             `json:"host"`
	Title     string             `json:"title"`
	Version   string             `json:"version"` // as the build itself says
	Program   capability.Program `json:"program"`
	Mode      string             `json:"mode"`
	Began     time.Time          `json:"began"`
	Took      float64            `json:"took"`      // seconds
	Checkrein string             `json:"checkrein"` // the build that was asked
	Outcomes  []Outcome          `json:"outcomes"`
	Evidence  []Evidence         `json:"evidence"`
	// Notes are what a reader must know of the program besides: who else may replace it.
	Notes []string `json:"notes,omitempty"`
}

// An Outcome is what came of one row.
type Outcome struct {
	Row      capability.Row    `json:"row"`
	Result   capability.Result `json:"result"`
	Said     string            `json:"said"`               // what was seen, in a sentence
	Evidence []string          `json:"evidence,omitempty"` // digests
}

// Rows are the results by row.
func (p *Proof) Rows() map[capability.Row]capability.Result {
	rows := map[capability.Row]capability.Result{}
	for _, o := range p.Outcomes {
		rows[o.Row] = o.Result
	}
	return rows
}

// Build is the proof as the capability ledger keeps it.
func (p *Proof) Build() capability.Build {
	return capability.Build{Version: p.Version, Program: p.Program, Mode: p.Mode, Proven: p.Began, Checkrein: p.Checkrein, Rows: p.Rows()}
}

// Failed are the outcomes of a host that does not do what it is relied on for.
func (p *Proof) Failed() []Outcome {
	var out []Outcome
	for _, o := range p.Outcomes {
		if o.Result == capability.NotHonoured {
			out = append(out, o)
		}
	}
	return out
}

// Options say how to prove.
type Options struct {
	// Programs is the folder of the checkrein and checkreind that are asked.
	Programs string
	// Progress, if set, is told what is being done: the number of the run, of how
	// many, and what it is about. It may be called from several goroutines at once.
	Progress func(run, runs int, what string)
	// Keep leaves the throw-away home where it is.
	Keep bool
	// Limit is when the host is ended and whatever is left is not shown; 0 = never.
	Limit time.Duration
	Now   func() time.Time
}

// Run proves what a build of a host does. An error means that nothing could be shown;
// whatever the host did is in the proof. When it returns nothing of the host runs any
// more, and nothing of the run is left on the disk unless it is to be kept.
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
	if who := userdirs.Replaceable(h.Program()); who != "" {
		p.Notes = append(p.Notes, who+", so the program may be another one tomorrow")
	}
	w, err := newWorld(ctx, h, known, o)
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
	for _, row := range rows {
		out := row.check(seen)
		out.Row = row.id
		out.Evidence = seen.digests(row.runs)
		p.Outcomes = append(p.Outcomes, out)
	}
	p.Evidence = seen.evidence
	p.Took = o.Now().Sub(began).Seconds()
	return p, nil
}

// Shipped is what checkrein relies on of a host without a proof, row by row.
func Shipped(h *wire.Host) map[capability.Row]capability.Result {
	rows := map[capability.Row]capability.Result{}
	for _, f := range capability.Facts() {
		rows[f.Row] = capability.Honoured
		if f.Effect != 0 && !can(h, f.Row) {
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

// can reports whether a host is known to honour what a row is about.
func can(h *wire.Host, row capability.Row) bool {
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
