package records_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/checkrein/checkrein/hub/internal/records"
	"github.com/checkrein/checkrein/hub/internal/store"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// chainOf returns batches of n records of the ledger with this key. Their members are those of lines.
func chainOf(tb interface{ Fatal(...any) }, key ledger.Key, lines [][]byte, n int) (batches [][]byte, records int) {
	public := seal.NewSigner(key).Public()
	var text []byte
	var prev ledger.Hash
	from := uint64(0)
	start := prev
	end := func(seq uint64) {
		h, err := json.Marshal(protocol.BatchHeader{Ledger: key.ID(), After: from, Hash: start, Key: hex.EncodeToString(public[:]), User: "dev"})
		if err != nil {
			tb.Fatal(err)
		}
		batches = append(batches, protocol.Compress(append(append(h, '\n'), text...)))
		text, from, start = nil, seq, prev
	}
	for seq := uint64(1); int(seq) <= n; seq++ {
		l, err := ledger.ParseLine(lines[int(seq)%len(lines)])
		if err != nil {
			tb.Fatal(err)
		}
		s := l.Stamp
		s.Seq, s.Prev = seq, prev
		text, prev = ledger.AppendLine(text, &s, l.Members(), key.Seals())
		if len(text) >= protocol.MaxBatch || int(seq) == n {
			end(seq)
		}
	}
	return batches, n
}

func BenchmarkAdd(b *testing.B) {
	data, err := os.ReadFile(os.Getenv("CHECKREIN_BENCH_LEDGER"))
	if err != nil {
		b.Skip("CHECKREIN_BENCH_LEDGER names no segment of a ledger")
	}
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	const machines, each = 50, 4000
	all := make([][][]byte, machines)
	bodies, size := 0, 0
	for i := range all {
		var key ledger.Key
		key[0] = byte(i + 1)
		all[i], _ = chainOf(b, key, lines, each)
		for _, x := range all[i] {
			bodies++
			size += len(x)
		}
	}
	b.Logf("%d records in %d batches, %d bytes compressed", machines*each, bodies, size)
	for _, way := range []string{"publish", "verify"} {
		b.Run(way, func(b *testing.B) {
			for range b.N {
				s, err := store.Open(context.Background(), store.Options{Dir: b.TempDir(), Keep: time.Hour})
				if err != nil {
					b.Fatal(err)
				}
				book := records.NewBook(s)
				began := time.Now()
				var wg sync.WaitGroup
				var failed atomic.Int32
				for m := range machines {
					wg.Go(func() {
						for _, body := range all[m] {
							var err error
							if way == "verify" {
								_, err = book.Add(context.Background(), fmt.Sprintf("m%02d", m), body)
							} else {
								_, err = s.AddBatch(context.Background(), &store.Batch{Machine: fmt.Sprintf("m%02d", m), Ledger: "x", Body: body}, 0)
							}
							if err != nil {
								failed.Add(1)
								b.Error(err)
							}
						}
					})
				}
				wg.Wait()
				b.ReportMetric(machines*each/time.Since(began).Seconds(), "records/s")
				s.Close()
			}
		})
	}
}
