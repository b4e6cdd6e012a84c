package transcript_test

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/lab/cputime"
)

var benchSize = flag.Int("transcript-mb", 64, "size of the benchmark's file in MB; the figures in docs are for 1024")

// BenchmarkRead reads a transcript of each host as a file, and also reports the peak memory. The
// transcript consists of lines that the host wrote, with results of some kilobytes in place of short
// ones, as in real sessions.
func BenchmarkRead(b *testing.B) {
	for _, host := range hostsWithLines() {
		for _, texts := range []bool{false, true} {
			name := host
			if texts {
				name += "+texts"
			}
			b.Run(name, func(b *testing.B) { benchRead(b, host, texts) })
		}
	}
}

func benchRead(b *testing.B, host string, texts bool) {
	f := writeLongTranscript(b, host)
	var most uint64
	calls := 0
	o := transcript.Options{}
	if texts {
		o.Text = func(*transcript.Call, string) error { return nil }
	}
	b.SetBytes(f.Size)
	var took time.Duration
	for b.Loop() {
		var err error
		took += cputime.Of(func() {
			_, err = f.Read(o, func(*transcript.Call) error {
				if calls++; calls%50_000 == 0 {
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					most = max(most, m.HeapInuse)
				}
				return nil
			})
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	if took > 0 { // CPU time depends less on other work on the machine
		b.ReportMetric(float64(f.Size)*float64(b.N)/1e6/took.Seconds(), "MB/cpu-s")
	}
	b.ReportMetric(float64(calls)/float64(b.N), "calls/op")
	b.ReportMetric(float64(most)/(1<<20), "MB-in-use")
}

// writeLongTranscript writes a long transcript of a host.
func writeLongTranscript(b *testing.B, host string) transcript.File {
	path, text := longestFixture(b, host)
	rnd := rand.New(rand.NewPCG(1, 2))
	file := filepath.Join(b.TempDir(), filepath.Base(path))
	out, err := os.Create(file)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriterSize(out, 1<<20)
	var fillers [16][]byte
	for i := range fillers {
		fillers[i] = fillerResult(rnd)
	}
	size := 0
	for round := 0; size < *benchSize<<20; round++ {
		filler := fillers[round%len(fillers)]
		for l := range bytes.Lines(text) {
			l = bytes.ReplaceAll(l, []byte("n0\""), []byte("n"+strconv.Itoa(round)+"\""))
			if !bytes.Contains(l, []byte("echo first")) { // the call is unchanged
				l = bytes.ReplaceAll(l, []byte("first"), filler)
			}
			n, err := w.Write(l)
			if err != nil {
				b.Fatal(err)
			}
			size += n
		}
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := out.Close(); err != nil {
		b.Fatal(err)
	}
	return transcript.File{Host: host, Form: setups.Transcripts().ForHost(host), Path: file, Size: int64(size)}
}

// fillerResult returns a result that consists of lines of code, escaped for JSON.
func fillerResult(rnd *rand.Rand) []byte {
	var b bytes.Buffer
	for range 20 + rnd.IntN(200) {
		fmt.Fprintf(&b, `\tif err := step%d(ctx, \"part %x\"); err != nil {\n`, rnd.IntN(100), rnd.Uint32())
	}
	return b.Bytes()
}
