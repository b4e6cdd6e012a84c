package rollout

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/checkrein/checkrein/hub/internal/records"
	"github.com/checkrein/checkrein/hub/internal/store"
	"github.com/checkrein/checkrein/internal/fleet/bundle"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// leastEvents is how many events a step must have seen before shares mean anything.
const leastEvents = 50

// A tally adds up the figures of a step. It reads each batch once.
type tally struct {
	mu      sync.Mutex
	began   time.Time // of the step
	next    uint64    // the sequence of the next batch to read
	figures records.Figures
	points  []Point
	width   time.Duration // of a point
}

// A Point has the figures of the events whose records came during a part of a step.
type Point struct {
	Time time.Time // when the part began
	records.Figures
}

// maxPoints limits the points of a step. If there would be more, two become one.
const maxPoints = 120

// add adds the figures of records that came at a time.
func (t *tally) add(at time.Time, f *records.Figures) {
	t.figures.Add(f)
	if t.addPoint(at, f); len(t.points) <= maxPoints {
		return
	}
	old := t.points
	t.points, t.width = nil, 2*t.width
	for i := range old {
		t.addPoint(old[i].Time, &old[i].Figures)
	}
}

func (t *tally) addPoint(at time.Time, f *records.Figures) {
	from := t.began.Add(max(at.Sub(t.began), 0).Truncate(t.width))
	if n := len(t.points); n == 0 || t.points[n-1].Time.Before(from) {
		t.points = append(t.points, Point{Time: from})
	}
	t.points[len(t.points)-1].Add(f)
}

// count returns the figures of the events that machines recorded with the bundle of step, since it
// began.
func (t *tally) count(ctx context.Context, book *records.Book, step *protocol.Step, r *bundle.Rollout, machine func(string) (protocol.Machine, bool)) (*records.Figures, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.began.Equal(step.Began) {
		t.began, t.next, t.figures, t.points, t.width = step.Began, 0, records.Figures{}, nil, time.Second
	}
	err := book.Each(ctx, store.Range{Since: step.Began, From: t.next, Summaries: true}, func(b *records.Stored) bool {
		t.next = b.Sequence + 1
		if m, ok := machine(b.Machine); ok && r.Chooses(b.Machine) && runs(&m.Report, step) {
			for _, f := range b.Summary.Policies {
				t.add(b.Time, f)
			}
		}
		return true
	})
	out := t.figures
	return &out, err
}

// runs reports whether a machine runs the bundle of step as it says.
func runs(r *protocol.Report, step *protocol.Step) bool {
	if step.Stage == string(bundle.Shadow) {
		return r.Trial == step.Bundle
	}
	return r.Bundle == step.Bundle
}

// findExceeded returns which limit of step the figures exceed, or "".
func findExceeded(step *protocol.Step, f *records.Figures) string {
	l := &step.Limits
	if l.Reports > 0 && f.Disputed > l.Reports {
		return fmt.Sprintf("%d denials were reported as false alarms; the limit is %d", f.Disputed, l.Reports)
	}
	if f.Events < leastEvents {
		return ""
	}
	share := func(n int) float64 { return 100 * float64(n) / float64(f.Events) }
	denied := f.Denied
	if step.Stage == string(bundle.Shadow) {
		denied = f.Would
	}
	switch {
	case l.Denials > 0 && share(denied) > l.Denials:
		return fmt.Sprintf("%.1f %% of %d events were denied; the limit is %g %%", share(denied), f.Events, l.Denials)
	case l.Faults > 0 && share(f.Faults) > l.Faults:
		return fmt.Sprintf("hooks failed in %.1f %% of %d events; the limit is %g %%", share(f.Faults), f.Events, l.Faults)
	case l.P99 > 0 && f.Quantile(.99) > l.P99:
		return fmt.Sprintf("1 %% of the events took %v or longer; the limit is %v", f.Quantile(.99), l.P99)
	}
	return ""
}
