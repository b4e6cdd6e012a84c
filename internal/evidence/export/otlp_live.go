package export

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
)

// MaxLive is how many records a [Live] should get before they are sent.
const MaxLive = defaultBatch

// A Live sends what is recorded to an OTLP endpoint while it happens: each record as a log record, each
// event also as a span of its session's trace, and figures about all events. It is not safe for
// concurrent use.
type Live struct {
	senders [3]*sender
	bodies  [3][]byte // requests that were not accepted yet
	logs    []*logs.LogRecord
	spans   []*trace.Span
	began   time.Time
	counts  map[counted]*figures
}

// A counted is what figures are about.
type counted struct{ host, event, answer string }

// A figures has the figures of events that are alike.
type figures struct {
	events  uint64
	faults  uint64
	seconds float64
	buckets [len(liveBounds) + 1]uint64
}

// liveBounds are the upper bounds of the buckets of durations, in seconds.
var liveBounds = [...]float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5, 30}

// NewLive returns a Live that sends to the base URL in o until ctx is done.
func NewLive(ctx context.Context, o OTLPOptions) (*Live, error) {
	l := &Live{began: time.Now(), counts: map[counted]*figures{}}
	for i, signal := range []string{"logs", "traces", "metrics"} {
		var err error
		if l.senders[i], err = newSender(ctx, &o, signal); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// Add adds a line of the ledger. Lines that are not records are ignored. from is nil for the records of
// this machine.
func (l *Live) Add(line []byte, from *Source) {
	r, err := decodeRecord(line)
	if err != nil {
		return
	}
	log := logRecord(r, line, time.Now())
	if from != nil {
		a := attributes(log.Attributes)
		a.addText("host.id", from.ID)
		a.addText("host.name", from.Name)
		a.addText("user.name", from.User)
		log.Attributes = a
	}
	l.logs = append(l.logs, log)
	if r.Kind != ledger.KindEvent {
		return
	}
	l.spans = append(l.spans, eventSpan(r))
	l.count(r)
}

// Flush sends what was added since the last call. After an error, the next call sends it again.
func (l *Live) Flush() error {
	if len(l.logs) > 0 {
		if err := l.encode(); err != nil {
			return err
		}
	}
	for i, body := range l.bodies {
		if body == nil {
			continue
		}
		rejected, err := l.senders[i].sendWithRetry(body)
		if err != nil && rejected == 0 { // what was rejected would be rejected again
			u := l.senders[i].url
			return fmt.Errorf("sending records to %s://%s%s: %w", u.Scheme, u.Host, u.Path, err)
		}
		l.bodies[i] = nil
	}
	return nil
}

// encode turns what was added into requests.
func (l *Live) encode() (err error) {
	if l.bodies[0], err = encodeLogs(l.logs); err != nil {
		return err
	}
	l.logs = nil
	if len(l.spans) == 0 {
		return nil
	}
	if l.bodies[1], err = encodeRequest(&trace.TracesData{ResourceSpans: []*trace.ResourceSpans{{
		Resource: ownResource(), ScopeSpans: []*trace.ScopeSpans{{Scope: ownScope(), Spans: l.spans}},
	}}}); err != nil {
		return err
	}
	l.spans = nil
	l.bodies[2], err = encodeRequest(l.metrics())
	return err
}

// eventSpan returns the span of an event. The spans of a session have one trace.
func eventSpan(r *record.Record) *trace.Span {
	of := r.Key
	if of == "" {
		of = r.Hash
	}
	id := sha256.Sum256([]byte("checkrein trace\x00" + of))
	own, _ := hex.DecodeString(r.Hash)
	if len(own) < 8 {
		sum := sha256.Sum256([]byte(r.Hash))
		own = sum[:]
	}
	s := &trace.Span{
		TraceId: id[:16], SpanId: own[:8], Name: r.Event, Kind: trace.Span_SPAN_KIND_INTERNAL,
		StartTimeUnixNano: unixNano(r.Time.Add(-time.Duration(r.MS * float64(time.Millisecond)))), EndTimeUnixNano: unixNano(r.Time),
	}
	if r.Tool != nil {
		s.Name += " " + r.Tool.Name
	}
	if r.Fault != "" {
		s.Status = &trace.Status{Code: trace.Status_STATUS_CODE_ERROR, Message: r.Fault}
	}
	var a attributes
	a.addGenAI(r)
	a.addDecision(r)
	s.Attributes = a
	return s
}

// count adds r to the figures.
func (l *Live) count(r *record.Record) {
	answer := r.Answer
	if answer == "" {
		answer = r.Decision
	}
	of := counted{r.Host, r.Event, answer}
	f := l.counts[of]
	if f == nil {
		f = &figures{}
		l.counts[of] = f
	}
	f.events++
	f.faults += uint64(len(faultTexts(r)))
	seconds := r.MS / 1000
	f.seconds += seconds
	i, _ := slices.BinarySearch(liveBounds[:], seconds)
	f.buckets[i]++
}

// metrics returns the figures since the Live began.
func (l *Live) metrics() proto.Message {
	const cumulative = metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE
	from, now := unixNano(l.began), unixNano(time.Now())
	var events, faults []*metrics.NumberDataPoint
	var times []*metrics.HistogramDataPoint
	for of, f := range l.counts {
		var a attributes
		a.addText("checkrein.host", of.host)
		a.addText("checkrein.event", of.event)
		a.addText("checkrein.answer", of.answer)
		point := func(n uint64) *metrics.NumberDataPoint {
			return &metrics.NumberDataPoint{Attributes: a, StartTimeUnixNano: from, TimeUnixNano: now, Value: &metrics.NumberDataPoint_AsInt{AsInt: int64(n)}}
		}
		events, faults = append(events, point(f.events)), append(faults, point(f.faults))
		times = append(times, &metrics.HistogramDataPoint{Attributes: a, StartTimeUnixNano: from, TimeUnixNano: now, Count: f.events, Sum: &f.seconds, BucketCounts: slices.Clone(f.buckets[:]), ExplicitBounds: liveBounds[:]})
	}
	sum := func(name, about, unit string, points []*metrics.NumberDataPoint) *metrics.Metric {
		return &metrics.Metric{Name: name, Description: about, Unit: unit, Data: &metrics.Metric_Sum{Sum: &metrics.Sum{AggregationTemporality: cumulative, IsMonotonic: true, DataPoints: points}}}
	}
	return &metrics.MetricsData{ResourceMetrics: []*metrics.ResourceMetrics{{
		Resource: ownResource(), ScopeMetrics: []*metrics.ScopeMetrics{{Scope: ownScope(), Metrics: []*metrics.Metric{
			sum("checkrein.events", "Events that were judged.", "{event}", events),
			sum("checkrein.faults", "Hooks that failed.", "{fault}", faults),
			{Name: "checkrein.event.duration", Description: "Time to judge and record an event.", Unit: "s", Data: &metrics.Metric_Histogram{Histogram: &metrics.Histogram{AggregationTemporality: cumulative, DataPoints: times}}},
		}}},
	}}}
}
