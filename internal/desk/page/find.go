package page

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/desk/frame"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// A budget limits how far back a list looks.
type budget struct {
	rows, records int // 0 means no limit
	time          time.Duration
}

// find returns the newest records that q selects. If hidden is set, it looks at every record and
// counts what filters hide.
func (p *Page) find(ctx context.Context, q *frame.Query, limit budget, hidden bool) (out frame.List, err error) {
	var needles [][]byte
	if !hidden {
		needles = q.Needles()
	}
	from := parsePlace(q.Get(frame.FromPlace))
	reader, err := ledger.NewBackwardReader(p.opts.Ledger, from, append(needles, frame.Member("kind", ledger.KindEvent))...)
	if err != nil {
		return out, err
	}
	defer reader.Close()
	end := p.opts.Now().Add(limit.time)
	for looked := 0; ; {
		entries, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		for i := range entries {
			e := &entries[i]
			if e.Line.Time.Before(q.Since) || e.Line.Seq <= q.After {
				return out, nil
			}
			out.Add(q, &e.Line, "")
			if looked++; limit.rows > 0 && len(out.Rows) == limit.rows || limit.records > 0 && looked == limit.records {
				out.More = formatPlace(e.At)
				return out, nil
			}
		}
		if at := reader.Position(); ctx.Err() != nil || p.opts.Now().After(end) {
			out.More = formatPlace(at)
			return out, ctx.Err()
		}
	}
}

// formatPlace returns a position in the ledger as a parameter of an address.
func formatPlace(at ledger.Position) string {
	return strconv.Itoa(at.Segment) + "." + strconv.FormatInt(at.Offset, 10)
}

// parsePlace returns the position in text, or the zero Position, which is the end of the ledger.
func parsePlace(text string) ledger.Position {
	segment, offset, _ := strings.Cut(text, ".")
	s, err1 := strconv.Atoi(segment)
	o, err2 := strconv.ParseInt(offset, 10, 64)
	if err1 != nil || err2 != nil || s < 1 || o < 0 {
		return ledger.Position{}
	}
	return ledger.Position{Segment: s, Offset: o}
}
