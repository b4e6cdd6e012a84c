package desk

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/lab/clitest"
	"github.com/checkrein/checkrein/internal/lab/cputime"
)

var missesSize = flag.Int("misses-mb", 16, "how long the transcript of BenchmarkMisses is; the figures in docs are of 1024")

// BenchmarkMisses runs misses on a long transcript of Claude Code, with a ledger that has two records
// of each call, and reports the peak memory. The index of the ledger is built before.
func BenchmarkMisses(b *testing.B) {
	book := clitest.NewBook(b, 64<<20)
	size, calls := writeLongTranscript(book, b, int64(*missesSize)<<20)
	if code, _, errs := runOnBook(book, "audit", "query", "--limit", "1"); code != 0 {
		b.Fatal(errs)
	}
	b.SetBytes(size)
	var most atomic.Uint64
	done := make(chan struct{})
	go func() { // measure the memory while the command runs
		for {
			select {
			case <-done:
				return
			case <-time.After(50 * time.Millisecond):
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most.Store(max(most.Load(), m.HeapInuse))
			}
		}
	}()
	began := cputime.All()
	for b.Loop() {
		env, out, errs := book.Env("misses")
		if code := Run(context.Background(), env); code != 0 || !strings.Contains(out.String(), " calls, 0 unseen") {
			b.Fatalf("%d: %s%s", code, out, errs)
		}
	}
	took := cputime.All() - began
	close(done)
	if took > 0 { // CPU time depends less on other load than wall time
		b.ReportMetric(float64(size)*float64(b.N)/1e6/took.Seconds(), "MB/cpu-s")
	}
	b.ReportMetric(float64(calls), "calls/op")
	b.ReportMetric(float64(most.Load())/(1<<20), "MB-in-use")
}

// writeLongTranscript writes a transcript of about want bytes, and the records of its calls. It
// returns the size and the number of calls.
func writeLongTranscript(b *clitest.Book, t testing.TB, want int64) (size int64, calls int) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(1, 2))
	var results [16][]byte
	for i := range results {
		var text bytes.Buffer
		for range 20 + rnd.IntN(200) {
			fmt.Fprintf(&text, `\tif err := step%d(ctx, \"part %x\"); err != nil {\n`, rnd.IntN(100), rnd.Uint32())
		}
		results[i] = text.Bytes()
	}
	path := filepath.Join(filepath.Dir(b.Home), ".claude", "projects", "p", "long.jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := bufio.NewWriterSize(file, 1<<20)
	line := func(kind, block string, result []byte) {
		n, err := fmt.Fprintf(w, `{"parentUuid":null,"isSidechain":false,"type":%q,"uuid":"u%d","sessionId":"long","timestamp":%q,"message":{"role":%q,"content":[%s%s]}}`+"\n",
			kind, calls, b.Now.Format(time.RFC3339Nano), kind, block, result)
		if err != nil {
			t.Fatal(err)
		}
		size += int64(n)
	}
	record := func(event, native string) {
		members := fmt.Sprintf(`"program":"dev","policy":"sha256:00","event":%q,"native":%q,"host":"claude","session":"long","tool":{"name":"Bash","canonical":"shell","call_id":"toolu_%d"},"decision":"none","subject":{"input":{"digest":"","json":{"command":"go test ./part%d"}}},"ms":0.4`, event, native, calls, calls)
		if _, err := b.Append(ledger.KindEvent, []byte(members), false); err != nil {
			t.Fatal(err)
		}
	}
	for ; size < want; calls++ {
		line("assistant", fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":"Bash","input":{"command":"go test ./part%d"}}`, calls, calls), nil)
		record("pre_tool_use", "PreToolUse")
		b.Now = b.Now.Add(time.Second)
		record("post_tool_use", "PostToolUse")
		line("user", fmt.Sprintf(`{"type":"tool_result","tool_use_id":"toolu_%d","is_error":false,"content":"`, calls), append(results[calls%len(results)], `"}`...))
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return size, calls
}
