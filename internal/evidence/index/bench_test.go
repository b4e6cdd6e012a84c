package index

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// records returns how many records a benchmark uses: usual, or CHECKREIN_BENCH_RECORDS if that is set.
func records(b *testing.B, usual int) int {
	if n, err := strconv.Atoi(os.Getenv("CHECKREIN_BENCH_RECORDS")); err == nil {
		return n
	}
	return usual
}

func BenchmarkBuild(b *testing.B) {
	n := records(b, 200_000)
	dir := b.TempDir()
	newMade(b, dir, "bench").fill(n)
	var size int64
	for b.Loop() {
		ix, err := Open(b.Context(), dir, Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := ix.Close(); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		files, err := filepath.Glob(filepath.Join(dir, Folder, "*"))
		if err != nil {
			b.Fatal(err)
		}
		size = 0
		for _, file := range files {
			info, err := os.Stat(file)
			if err != nil {
				b.Fatal(err)
			}
			size += info.Size()
		}
		if err := Remove(dir); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "records/s")
	b.ReportMetric(float64(size)/float64(n), "bytes/record")
}

func BenchmarkQuery(b *testing.B) {
	n := records(b, 1_000_000)
	m := newMade(b, b.TempDir(), "bench")
	m.fill(n)
	ix, err := Open(b.Context(), m.dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer ix.Close()
	for _, q := range []struct {
		name   string
		filter Filter
	}{
		{"newest", Filter{}},
		{"oldest", Filter{Oldest: true}},
		{"since", Filter{Since: m.clock.Add(-10 * time.Minute)}},
		{"middle", Filter{Until: began.Add(m.clock.Sub(began) / 2)}},
		{"host", Filter{Host: []string{"gemini"}}},
		{"session", Filter{Session: []string{sessionOf(n / 2)}}},
		{"event", Filter{Event: []string{"stop"}}},
		{"tool", Filter{Tool: []string{"shell"}}},
		{"tool-glob", Filter{Tool: []string{"mcp__*"}}},
		{"decision", Filter{Decision: []string{"deny"}}},
		{"hook", Filter{Hook: []string{"hook-stop-3"}}},
		{"hook-glob", Filter{Hook: []string{"hook-*-3"}}},
		{"effect", Filter{Effect: []string{"context"}}},
		{"three", Filter{Host: []string{"codex"}, Tool: []string{"Bash", "Edit"}, Decision: []string{"deny"}}},
		{"rare-tool", Filter{Tool: []string{"RareTool"}}},
		{"rare-hook", Filter{Hook: []string{"rare-hook"}}},
		{"rare-decision", Filter{Decision: []string{"ask"}}},
		{"nothing", Filter{Event: []string{"stop"}, Tool: []string{"Bash"}}},
	} {
		q.filter.Limit = 50
		b.Run("50/"+q.name, func(b *testing.B) {
			hits := 0
			for b.Loop() {
				hits = 0
				for _, err := range ix.Query(b.Context(), q.filter) {
					if err != nil {
						b.Fatal(err)
					}
					hits++
				}
			}
			b.ReportMetric(float64(hits), "hits")
			b.ReportMetric(b.Elapsed().Seconds()*1000/float64(b.N), "ms")
		})
		b.Run("count/"+q.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := ix.Count(b.Context(), q.filter); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()*1000/float64(b.N), "ms")
		})
	}
	b.Run("hash", func(b *testing.B) {
		for b.Loop() {
			if hits, err := ix.ByHash(b.Context(), m.prev.String()[:12]); len(hits) != 1 || err != nil {
				b.Fatal(hits, err)
			}
		}
	})
	b.Run("catch-up", func(b *testing.B) {
		for b.Loop() {
			m.add("event", (&event{Event: "stop", Host: "claude"}).members(0))
			m.flush()
			if err := ix.CatchUp(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
