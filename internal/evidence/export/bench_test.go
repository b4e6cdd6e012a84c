package export

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// BenchmarkExport measures the cost of a record. With -benchtime=100000x, it measures an export of a
// hundred thousand.
func BenchmarkExport(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
	}))
	defer server.Close()
	for _, f := range Formats() {
		b.Run(f.Name, func(b *testing.B) {
			var s Sink
			if f.New != nil {
				s = f.New(io.Discard)
			} else {
				var err error
				if s, err = OTLP(b.Context(), OTLPOptions{Endpoint: server.URL}); err != nil {
					b.Fatal(err)
				}
			}
			var lines [100][]byte
			for i := range lines {
				members := strings.ReplaceAll(denied, `"c1"`, strconv.Quote("call-"+strconv.Itoa(i)))
				lines[i] = line(uint64(i), ledger.KindEvent, members)
			}
			b.SetBytes(int64(len(lines[50])))
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				if err := s.Write(lines[n%len(lines)]); err != nil {
					b.Fatal(err)
				}
				n++
			}
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
