package scan

import (
	"bytes"
	"context"

	"github.com/checkrein/checkrein/internal/evidence/provenance"
)

// Origins reports findings with the tool call that wrote their line, where the
// ledger knows it. Findings that block are held back until all are known, since
// the ledger is read once; those behind them wait too, so the order stays.
type Origins struct {
	Book   *provenance.Finder // nil = nothing is known
	Report func(*Finding)
	held   []Finding
}

// Add takes a finding.
func (o *Origins) Add(f *Finding) {
	if o.Book == nil || len(o.held) == 0 && (f.Mark == 0 || !f.Blocks()) {
		o.Report(f)
		return
	}
	if o.held = append(o.held, *f); len(o.held) == mostHeld {
		_ = o.Flush(context.Background()) // the last one says what is wrong
	}
}

// mostHeld is how many findings wait for one reading of the ledger.
const mostHeld = 20000

// Flush reports what was held back, also when the ledger cannot be read.
func (o *Origins) Flush(ctx context.Context) error {
	lines := make([]provenance.Line, len(o.held))
	for i := range o.held {
		if f := &o.held[i]; f.Blocks() {
			lines[i] = provenance.Line{Mark: f.Mark, Path: f.Path}
		}
	}
	found, err := o.Book.Find(ctx, lines)
	for i := range o.held {
		o.held[i].Origin = found[i]
		o.Report(&o.held[i])
	}
	o.held = nil
	return err
}

// wholeLines are the lines that a finding lies on.
func wholeLines(buf []byte, start, end int) []byte {
	from := bytes.LastIndexByte(buf[:start], '\n') + 1
	if i := bytes.IndexByte(buf[end:], '\n'); i >= 0 {
		return buf[from : end+i]
	}
	return buf[from:]
}
