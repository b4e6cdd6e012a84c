package replay_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/app/replay"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/lab/corpora"
	"github.com/checkrein/checkrein/internal/lab/cputime"
	"github.com/checkrein/checkrein/internal/sys/state"
)

var (
	benchCalls = flag.Int("replay-calls", 2000, "how many calls BenchmarkReplay decides")
	benchOwn   = flag.Int("replay-own", 3, "which share of them has a command of its own: each third, …; 0 = none")
)

// BenchmarkReplay decides the calls of a long ledger again, of everyday commands.
func BenchmarkReplay(b *testing.B) {
	book := newBook(b, "")
	book.grow(*benchCalls)
	b.ResetTimer()
	for b.Loop() {
		began, used, peak := time.Now(), cputime.All(), watchHeap(b)
		r := book.replay(replay.Options{Recorded: true})
		if r.Changes() > 0 || r.Calls < *benchCalls || r.LostCount() > r.Calls/10 {
			b.Fatal(describe(r))
		}
		b.ReportMetric(float64(r.Calls)/time.Since(began).Seconds(), "calls/s")
		b.ReportMetric(float64((cputime.All()-used).Microseconds())/float64(r.Calls), "cpu-µs/call")
		b.ReportMetric(float64(peak())/(1<<20), "MiB-heap")
	}
}

// watchHeap returns a function that returns the largest heap since.
func watchHeap(b *testing.B) func() uint64 {
	runtime.GC()
	end, peak := make(chan struct{}), make(chan uint64)
	go func() {
		most := uint64(0)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse)
			select {
			case <-end:
				peak <- most
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	return func() uint64 { close(end); return <-peak }
}

// grow adds records of sessions of a hundred calls to the ledger until it has n: copies of real ones for
// everyday commands, of which a share gets a command of its own.
func (b *book) grow(n int) {
	b.t.Helper()
	k := b.kit()
	list, err := corpora.Sets()[0].ReadWithoutSetup("../../..")
	if err != nil {
		b.t.Fatal(err)
	}
	for i := 0; i < len(list); i += 1 + len(list)/300 {
		if c := b.Localize(list[i].Command); !strings.ContainsAny(c, "\n'\"\\#") { // so that a comment can follow
			b.shell(k, "a-session", c)
		}
	}
	var members [][]byte
	r := ledger.NewReader(b.ledger(), ledger.Position{})
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			b.t.Fatal(err)
		}
		if m := e.Line.Members(); e.Line.Kind == ledger.KindEvent && !bytes.Contains(m, []byte(`"answer"`)) {
			members = append(members, bytes.Clone(m))
		}
	}
	book := ledger.Open(ledger.Options{Dir: state.NewDir(b.state)})
	for i := range n {
		m := bytes.Replace(members[i*7%len(members)], []byte("a-session"), fmt.Appendf(nil, "session-%d", i/100), 1)
		if *benchOwn > 0 && i%*benchOwn == 0 {
			at := bytes.Index(m, []byte(`"command":"`)) + len(`"command":"`)
			end := at + bytes.IndexByte(m[at:], '"')
			m = append(fmt.Appendf(bytes.Clone(m[:end]), " # %d", i), m[end:]...)
		}
		if _, err := book.Append(ledger.KindEvent, m, false); err != nil {
			b.t.Fatal(err)
		}
	}
}
