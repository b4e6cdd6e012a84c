package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/hub/internal/people"
	"github.com/checkrein/checkrein/hub/internal/records"
	"github.com/checkrein/checkrein/hub/internal/rollout"
	"github.com/checkrein/checkrein/hub/internal/store"
	"github.com/checkrein/checkrein/internal/desk/frame"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/fleet/bundle"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A machineRow is a machine in a list.
type machineRow struct {
	protocol.Machine
	State string // in a few words
	Last  time.Time
	Flags []protocol.Flag
}

func (p *pages) newMachineRow(m protocol.Machine) machineRow {
	state, _, _ := strings.Cut(m.State(p.Now()), ":") // a flag says more
	row := machineRow{m, state, m.Seen, m.Flags(p.Now())}
	if m.Heard.After(m.Seen) {
		row.Last = m.Heard
	}
	return row
}

// showMachines shows the machines of the fleet, those with flags first.
func (p *pages) showMachines(*visit) (frame.Screen, error) {
	var data struct {
		Name              string
		Machines, Flagged []machineRow
		Active            int
	}
	data.Name = p.Name
	for _, m := range p.Machines.All() {
		row := p.newMachineRow(m)
		if m.IsActive() {
			data.Active++
		}
		if len(row.Flags) > 0 {
			data.Flagged = append(data.Flagged, row)
		}
		data.Machines = append(data.Machines, row)
	}
	slices.SortStableFunc(data.Machines, func(a, b machineRow) int { return len(b.Flags) - len(a.Flags) })
	return frame.Screen{Name: "machines", Title: "Machines", Data: data}, nil
}

// showMachine shows one machine.
func (p *pages) showMachine(v *visit) (frame.Screen, error) {
	m, ok := p.Machines.Get(v.PathValue("id"))
	if !ok {
		return frame.Screen{}, frame.ErrNotFound
	}
	data := struct {
		machineRow
		MayRevoke bool
	}{p.newMachineRow(m), v.May(people.Admin) && m.IsActive()}
	return frame.Screen{Name: "machine", Title: cmp.Or(m.Facts.Name, m.ID), Data: data}, nil
}

// A measure is a figure of a rollout step beside its limit.
type measure struct {
	Name, Value, Limit string
	Exceeded           bool
	Plot               *frame.Plot
}

// newMeasure returns the measure of a step that value computes from figures. A limit of 0 is none.
func newMeasure(name, unit string, limit float64, all *records.Figures, points []rollout.Point, value func(*records.Figures) float64) measure {
	show := func(f float64) string { return strconv.FormatFloat(math.Round(10*f)/10, 'f', -1, 64) + unit }
	now := value(all)
	m := measure{Name: name, Value: show(now), Exceeded: limit > 0 && now > limit}
	m.Plot = &frame.Plot{Unit: strings.TrimSpace(unit), Series: []frame.Series{{Label: name}}}
	if limit > 0 {
		m.Limit = show(limit)
		m.Plot.Series = append(m.Plot.Series, frame.Series{Label: "limit", Limit: true})
	}
	for i := range points {
		y := value(&points[i].Figures)
		m.Plot.X = append(m.Plot.X, points[i].Time.Unix())
		m.Plot.Series[0].Values = append(m.Plot.Series[0].Values, &y)
		if limit > 0 {
			m.Plot.Series[1].Values = append(m.Plot.Series[1].Values, &limit)
		}
	}
	if len(points) < 2 { // no line
		m.Plot = nil
	}
	return m
}

// showRollout shows the steps of the rollout, and the figures of the newest one beside its limits.
func (p *pages) showRollout(v *visit) (frame.Screen, error) {
	state, err := p.RolloutState(v.Context())
	if err != nil {
		return frame.Screen{}, err
	}
	now, err := p.Rollout.Current(v.Context())
	if err != nil {
		return frame.Screen{}, err
	}
	data := struct {
		*protocol.RolloutState
		Machines  int
		Measures  []measure
		Freeze    *bundle.Freeze
		MayFreeze bool
	}{RolloutState: state, MayFreeze: v.May(people.Approver)}
	for _, n := range state.On {
		data.Machines += n
	}
	if now.Freeze != nil && p.Now().Before(now.Freeze.Until) {
		data.Freeze = now.Freeze
	}
	if len(state.Steps) > 0 && !state.Steps[0].Back {
		figures, err := p.Rollout.Figures(v.Context(), p.Records, p.Machines.Get)
		if err != nil {
			return frame.Screen{}, err
		}
		data.Measures = measureStep(&state.Steps[0], figures, p.Rollout.Points())
	}
	return frame.Screen{Name: "rollout", Title: "Rollout", Data: data}, nil
}

// measureStep returns the measures of step.
func measureStep(step *protocol.Step, all *records.Figures, points []rollout.Point) []measure {
	share := func(n func(*records.Figures) int) func(*records.Figures) float64 {
		return func(f *records.Figures) float64 { return 100 * float64(n(f)) / float64(max(f.Events, 1)) }
	}
	denied, name := func(f *records.Figures) int { return f.Denied }, "Denials"
	if step.Stage == string(bundle.Shadow) {
		denied, name = func(f *records.Figures) int { return f.Would }, "Denials, in shadow mode"
	}
	reports := 0.0 // so far
	return []measure{
		newMeasure(name, " %", step.Limits.Denials, all, points, share(denied)),
		newMeasure("Faults", " %", step.Limits.Faults, all, points, share(func(f *records.Figures) int { return f.Faults })),
		newMeasure("Slowest of 100 events", " ms", step.Limits.P99.Seconds()*1000, all, points, func(f *records.Figures) float64 { return f.Quantile(.99).Seconds() * 1000 }),
		newMeasure("False alarms", "", float64(step.Limits.Reports), all, points, func(f *records.Figures) float64 {
			if f == all {
				return float64(f.Disputed)
			}
			reports += float64(f.Disputed)
			return reports
		}),
	}
}

// Limits of a search.
const (
	searchRows = 60
	searchTime = time.Second
)

// find returns the newest records that q selects, in rows that lead to their pages. It goes on where the
// place in q says, which is the batch and the record after which the list before ended.
func (p *pages) find(ctx context.Context, q *frame.Query) (out frame.List, err error) {
	var batch, next uint64
	_, _ = fmt.Sscanf(q.Get(frame.FromPlace), "%d.%d", &batch, &next) // what is no place is the end
	needles := append(q.Needles(), frame.Member("kind", ledger.KindEvent))
	began := p.Now()
	err = p.Records.EachBefore(ctx, p.rangeOf(q), batch+min(batch, 1), func(b *records.Stored) bool {
		m, _ := p.Machines.Get(b.Machine)
		lines := bytes.Split(bytes.TrimSuffix(b.Lines, []byte("\n")), []byte("\n"))
		for _, raw := range slices.Backward(lines) {
			line, err := ledger.ParseLine(raw)
			switch {
			case err != nil, b.Sequence == batch && line.Seq >= next: // it is withheld, or was shown
				continue
			case line.Time.Before(q.Since):
				return b.Time.After(q.Since) // the clock of another machine may be behind
			case slices.ContainsFunc(needles, func(n []byte) bool { return !bytes.Contains(raw, n) }):
				continue
			}
			if is := out.Add(q, &line, cmp.Or(m.Facts.Name, b.Machine)); is != nil {
				is.Path = fmt.Sprintf("/r/%d/%d", b.Sequence, line.Seq)
			}
			if len(out.Rows) == searchRows {
				out.More = fmt.Sprintf("%d.%d", b.Sequence, line.Seq)
				return false
			}
		}
		if p.Now().Sub(began) > searchTime {
			out.More = fmt.Sprintf("%d.0", b.Sequence)
			return false
		}
		return true
	})
	return out, err
}

// rangeOf returns the range of batches that has all records of q.
func (p *pages) rangeOf(q *frame.Query) (r store.Range) {
	if names := q.Values[frame.ByMachine]; len(names) == 1 {
		for _, m := range p.Machines.All() {
			if m.Facts.Name == names[0] {
				if r.Machine != "" { // several have the name
					return store.Range{}
				}
				r.Machine = m.ID
			}
		}
	}
	return r
}

// showSearch shows the records that a query selects.
func (p *pages) showSearch(v *visit) (frame.Screen, error) {
	began := time.Now()
	q := frame.ParseQuery(v.URL.Query(), p.Now())
	found, err := p.find(v.Context(), &q)
	return frame.Screen{Name: "search", Title: "Search", Data: frame.NewSearch(&q, found, began)}, err
}

// showRows shows the rows of a list that follow those that a page shows.
func (p *pages) showRows(v *visit) (frame.Screen, error) {
	q := frame.ParseQuery(v.URL.Query(), p.Now())
	found, err := p.find(v.Context(), &q)
	return frame.Screen{Name: "rows", Part: true, Data: frame.NewCalls(&q, found, "/rows")}, err
}

// showRecord shows one record of a batch.
func (p *pages) showRecord(v *visit) (s frame.Screen, err error) {
	batch, _ := strconv.ParseUint(v.PathValue("batch"), 10, 64)
	seq, _ := strconv.ParseUint(v.PathValue("record"), 10, 64)
	each := p.Records.EachBefore(v.Context(), store.Range{}, batch+1, func(b *records.Stored) bool {
		for raw := range bytes.Lines(b.Lines) {
			raw = bytes.TrimSuffix(raw, []byte("\n"))
			if n, _ := rawjson.Get(raw, "seq"); b.Sequence == batch && string(n) == strconv.FormatUint(seq, 10) {
				s, err = p.recordScreen(b, raw)
				break
			}
		}
		return false
	})
	if err == nil {
		err = each
	}
	if err == nil && s.Name == "" {
		err = frame.ErrNotFound
	}
	return s, err
}

// recordScreen returns the screen of the record raw in a batch.
func (p *pages) recordScreen(b *records.Stored, raw []byte) (frame.Screen, error) {
	r, err := record.Decode(bytes.Clone(raw))
	if err != nil {
		return frame.Screen{}, err
	}
	var text bytes.Buffer
	if err := json.Indent(&text, raw, "", "  "); err != nil {
		return frame.Screen{}, err
	}
	m, _ := p.Machines.Get(b.Machine)
	data := struct {
		Record    *record.Record
		Row       frame.Row
		Call      string
		Machine   protocol.Machine
		User, Raw string
		Stored    time.Time
	}{r, frame.NewRow(r), frame.CallText(r), m, b.Summary.User, text.String(), b.Time}
	return frame.Screen{Name: "record", Title: "Record " + strconv.FormatUint(r.Seq, 10), Data: data}, nil
}

// An approval is a call that waits, as the person sees it who may answer it.
type approval struct {
	protocol.Approval
	May bool
}

// splitApprovals returns the calls that wait for an answer, newest first, and those that have one.
func (p *pages) splitApprovals(v *visit) (open, given []approval) {
	for _, a := range p.Approvals.List(p.Now()) {
		if a.IsOpen() {
			open = append(open, approval{a, v.May(people.Approver)})
		} else {
			given = append(given, approval{Approval: a})
		}
	}
	return open, given
}

// showApprovals shows what waits for an answer on all machines, and what was answered.
func (p *pages) showApprovals(v *visit) (frame.Screen, error) {
	var data struct{ Open, Given []approval }
	data.Open, data.Given = p.splitApprovals(v)
	return frame.Screen{Name: "approvals", Title: "Approvals", Data: data}, nil
}

// showCards shows the cards of the calls that wait for an answer, for a page that is open.
func (p *pages) showCards(v *visit) (frame.Screen, error) {
	open, _ := p.splitApprovals(v)
	return frame.Screen{Name: "cards", Part: true, Data: open}, nil
}

// Times of pages that are open.
const (
	liveFor   = 5 * time.Minute        // after which the browser connects again, and the session is checked
	liveEvery = 300 * time.Millisecond // between two looks at what waits
	liveAlive = 20 * time.Second       // between two signs of life
)

// showLive sends a page which calls wait for an answer, when it opens and whenever that changes.
func (p *pages) showLive(w http.ResponseWriter, r *http.Request, one *people.Session) {
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{})
	w.Header().Set("Content-Type", "text/event-stream")
	look := time.NewTicker(liveEvery)
	defer look.Stop()
	end, was, sent := time.After(liveFor), "", time.Time{}
	for {
		open, _ := p.splitApprovals(&visit{r, one})
		ids := []string{}
		for i := range open {
			ids = append(ids, open[i].ID)
		}
		data, _ := json.Marshal(map[string]any{"changed": true, "waiting": ids}) // cannot fail
		if now := time.Now(); string(data) != was || now.Sub(sent) > liveAlive {
			was, sent = string(data), now
			_ = out.SetWriteDeadline(now.Add(time.Minute))
			if _, err := fmt.Fprintf(w, "event: rows\ndata: %s\n\n", data); err != nil || out.Flush() != nil {
				return
			}
		}
		select {
		case <-r.Context().Done():
			return
		case <-p.Closing:
			return
		case <-end:
			return
		case <-look.C:
		}
	}
}
