package page

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/desk/feed"
	"github.com/checkrein/checkrein/internal/desk/frame"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
)

// Limits of what is counted for a view.
const (
	statsAge  = 7 * 24 * time.Hour
	statsTime = 200 * time.Millisecond
	statsMost = 20_000 // records
	buckets   = 48     // points of a plot
)

// A stats counts what happened lately.
type stats struct {
	From, To time.Time
	Events   int
	Whole    bool // it covers statsAge; otherwise, older records of that time were not counted
	Hooks    []*hookStat
	Answers  map[string]int
	Rules    map[string]*ruleStat
	Models   []*modelStat
	Projects []string // their directories
	Took     float64  // by all hooks, in milliseconds

	points []point
	hooks  map[string]*hookStat
	models map[string]*modelStat
}

// A point is the time that the hooks of one event took.
type point struct {
	at time.Time
	ms float64
}

// A hookStat counts what one hook did.
type hookStat struct {
	Name         string
	Runs, Faults int
	Catches      int
	Total        float64 // milliseconds
	Median, P95  float64
	Fault        string // the newest
	FaultSeq     uint64 // the record with it

	ms []float64
}

// A ruleStat counts what one rule or hook decided.
type ruleStat struct {
	Denied, Asked, Other int
	Last                 uint64 // the newest record
	At                   time.Time
}

// A modelStat counts what hooks spent on one model.
type modelStat struct {
	Name                 string
	Calls, Input, Output int
	Cost                 float64
	Unpriced             int // calls without a known price
}

// readStats counts the newest records of the last week. What it returns is shown again for a moment.
func (p *Page) readStats(ctx context.Context) (*stats, error) {
	c := &p.counted
	c.mu.Lock()
	defer c.mu.Unlock()
	now := p.opts.Now()
	if c.stats != nil && now.Sub(c.at) < cacheLife {
		return c.stats, nil
	}
	s := &stats{To: now, From: now, Answers: map[string]int{}, Rules: map[string]*ruleStat{}, hooks: map[string]*hookStat{}, models: map[string]*modelStat{}}
	reader, err := ledger.NewBackwardReader(p.opts.Ledger, ledger.Position{}, frame.Member("kind", ledger.KindEvent))
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	for began := time.Now(); !s.Whole && s.Events < statsMost && time.Since(began) < statsTime; {
		entries, err := reader.Next()
		if errors.Is(err, io.EOF) {
			s.Whole = true
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		for i := range entries {
			if s.Whole = entries[i].Line.Time.Before(now.Add(-statsAge)); s.Whole {
				break
			}
			var r record.Record
			if json.Unmarshal(entries[i].Line.Raw, &r) == nil {
				s.add(&r)
			}
		}
	}
	s.finish()
	c.stats, c.at = s, now
	return s, nil
}

// add counts r.
func (s *stats) add(r *record.Record) {
	s.Events++
	s.From = r.Time
	if r.Root != "" && !slices.Contains(s.Projects, r.Root) {
		s.Projects = append(s.Projects, r.Root)
	}
	if frame.IsCall(r) {
		s.Answers[feed.AnswerOf(r)]++
		s.points = append(s.points, point{r.Time, r.MS})
	}
	for _, d := range frame.Deciders(r) {
		s.addRule(d, r)
	}
	for i := range r.Plan {
		s.addStep(&r.Plan[i], r)
	}
}

// addRule counts the decision of d.
func (s *stats) addRule(d *record.Step, r *record.Record) {
	one := s.Rules[d.Decider()]
	if one == nil {
		one = &ruleStat{Last: r.Seq, At: r.Time}
		s.Rules[d.Decider()] = one
	}
	switch d.Decision {
	case "deny":
		one.Denied++
	case "ask":
		one.Asked++
	default:
		one.Other++
	}
}

// addStep counts the run of a hook.
func (s *stats) addStep(step *record.Step, r *record.Record) {
	if step.Outcome == "unapproved" || step.Outcome == "skipped" {
		return // it did not run
	}
	h := s.hooks[step.Hook]
	if h == nil {
		h = &hookStat{Name: step.Hook}
		s.hooks[step.Hook] = h
	}
	h.Runs++
	h.ms = append(h.ms, step.MS)
	h.Total += step.MS
	s.Took += step.MS
	if step.Decision == "deny" || step.Decision == "ask" {
		h.Catches++
	}
	if step.Outcome == "fault" {
		if h.Faults++; h.Fault == "" {
			h.Fault, h.FaultSeq = step.Fault, r.Seq
		}
	}
	if u := step.Spent; u != nil && !u.Again {
		m := s.models[u.Model]
		if m == nil {
			m = &modelStat{Name: u.Model}
			s.models[u.Model] = m
		}
		m.Calls, m.Input, m.Output = m.Calls+1, m.Input+u.Input, m.Output+u.Output
		if u.Cost == nil {
			m.Unpriced++
		} else {
			m.Cost += *u.Cost
		}
	}
}

// finish sorts what was counted.
func (s *stats) finish() {
	for _, h := range s.hooks {
		slices.Sort(h.ms)
		h.Median, h.P95 = quantile(h.ms, .5), quantile(h.ms, .95)
	}
	s.Hooks = slices.SortedFunc(maps.Values(s.hooks), func(a, b *hookStat) int { return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Name, b.Name)) })
	s.Models = slices.SortedFunc(maps.Values(s.models), func(a, b *modelStat) int { return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(a.Name, b.Name)) })
	slices.Reverse(s.points)
}

// quantile returns the value below which the part q of the sorted values lies.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// Latency returns the plot of the time that hooks take, or nil if there is too little to show.
func (s *stats) Latency() *frame.Plot {
	if len(s.points) < 10 {
		return nil
	}
	first, last := s.points[0].at, s.points[len(s.points)-1].at
	width := max(last.Sub(first)/buckets, time.Second)
	p := &frame.Plot{Unit: "ms", Series: []frame.Series{{Label: "half are faster"}, {Label: "95 of 100 are faster"}}}
	for from, i := first, 0; i < len(s.points); from = from.Add(width) {
		var ms []float64
		for ; i < len(s.points) && s.points[i].at.Before(from.Add(width)); i++ {
			ms = append(ms, s.points[i].ms)
		}
		p.X = append(p.X, from.Add(width/2).Unix())
		var median, p95 *float64
		if slices.Sort(ms); len(ms) > 0 {
			m, n := quantile(ms, .5), quantile(ms, .95)
			median, p95 = &m, &n
		}
		p.Series[0].Values, p.Series[1].Values = append(p.Series[0].Values, median), append(p.Series[1].Values, p95)
	}
	if len(p.X) < 3 { // no line
		return nil
	}
	return p
}
