package scan

import (
	"bytes"
	"context"

	"github.com/checkrein/checkrein/internal/evidence/provenance"
)

// An Origins reports findings together with the tool call that wrote their line, if the ledger
// contains it. It holds blocking findings back until Flush, so that the ledger is read once. Later
// findings wait too, which keeps the order.
type Origins struct {
	Book   *provenance.Finder // reads the ledger; nil means that there is none
	Report func(*Finding)
	held   []Finding
}

// Add reports f or holds it back.
func (o *Origins) Add(f *Finding) {
	if o.Book == nil || len(o.held) == 0 && (f.Mark == 0 || !f.Blocks()) {
		o.Report(f)
		return
	}
	if o.held = append(o.held, *f); len(o.held) == maxHeld {
		_ = o.Flush(context.Background()) // the last Flush returns the error
	}
}

// maxHeld is the maximum number of findings that wait for one pass over the ledger.
const maxHeld = 20000

// Flush reports the findings that were held back. If the ledger cannot be read, it reports them
// without their origin and returns the error.
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

// wholeLines returns the lines of buf that contain buf[start:end].
func wholeLines(buf []byte, start, end int) []byte {
	from := bytes.LastIndexByte(buf[:start], '\n') + 1
	if i := bytes.IndexByte(buf[end:], '\n'); i >= 0 {
		return buf[from : end+i]
	}
	return buf[from:]
}
