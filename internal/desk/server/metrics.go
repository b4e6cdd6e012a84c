package server

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/sys/localhttp"
)

// metricsType is the content type of the text form of Prometheus.
const metricsType = "text/plain; version=0.0.4; charset=utf-8"

// bounds are the upper bounds of the histogram of times, in seconds.
var bounds = [...]float64{.0005, .001, .0025, .005, .01, .02, .05, .1, .5, 1, 5, 30}

// A metrics counts the events that the server answered.
type metrics struct {
	mu      sync.Mutex
	answers map[string]uint64
	buckets [len(bounds)]uint64
	count   uint64
	seconds float64
}

// observe counts an event with its answer.
func (m *metrics) observe(answer string, took time.Duration) {
	s := took.Seconds()
	i, _ := slices.BinarySearch(bounds[:], s)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.answers == nil {
		m.answers = map[string]uint64{}
	}
	m.answers[answer]++
	if i < len(bounds) {
		m.buckets[i]++
	}
	m.count++
	m.seconds += s
}

// showMetrics answers with the figures in the text form of Prometheus.
func (s *Server) showMetrics(context.Context, *localhttp.Request) localhttp.Answer {
	var b bytes.Buffer
	head := func(name, kind, help string) { fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind) }
	gauge := func(name, help string, value float64) {
		head(name, "gauge", help)
		fmt.Fprintf(&b, "%s %s\n", name, number(value))
	}
	head("checkrein_build_info", "gauge", "The version of the server.")
	fmt.Fprintf(&b, "checkrein_build_info{version=%q} 1\n", build.Version)
	s.metrics.write(&b, head)
	gauge("checkrein_http_streams", "Open streams of events.", float64(s.streams.Load()))
	faults := 0
	list := s.policies.list().Policies
	for _, p := range list {
		if p.Fault != "" {
			faults++
		}
	}
	gauge("checkrein_policies", "Projects whose configuration is in use.", float64(len(list)))
	gauge("checkrein_policy_faults", "Projects in which an earlier configuration remains in force, because the current one is broken.", float64(faults))
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	gauge("go_goroutines", "Goroutines.", float64(runtime.NumGoroutine()))
	gauge("go_memstats_heap_inuse_bytes", "Memory of the heap that is in use.", float64(memory.HeapInuse))
	return localhttp.Answer{Body: b.Bytes(), Type: metricsType}
}

// write writes what m counted.
func (m *metrics) write(b *bytes.Buffer, head func(name, kind, help string)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	head("checkrein_http_events_total", "counter", "Events that this server answered.")
	for _, answer := range slices.Sorted(maps.Keys(m.answers)) {
		fmt.Fprintf(b, "checkrein_http_events_total{answer=%q} %d\n", answer, m.answers[answer])
	}
	const seconds = "checkrein_http_event_seconds"
	head(seconds, "histogram", "Time to judge and record an event.")
	sum := uint64(0)
	for i, le := range bounds {
		sum += m.buckets[i]
		fmt.Fprintf(b, "%s_bucket{le=%q} %d\n", seconds, number(le), sum)
	}
	fmt.Fprintf(b, "%s_bucket{le=\"+Inf\"} %d\n%s_sum %s\n%s_count %d\n", seconds, m.count, seconds, number(m.seconds), seconds, m.count)
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
