package seal

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// BenchmarkVerify reads 64 MiB of records of 1 KB in segments of 16 MiB.
func BenchmarkVerify(b *testing.B) {
	dir, book := b.TempDir(), newBook("one")
	members := `"event":"e","pad":"` + strings.Repeat("x", 700) + `"`
	for len(book.files) < 3 || len(book.text) < 16<<20 {
		if len(book.text) > 16<<20 {
			book.rotate()
		}
		book.add(ledger.KindEvent, members)
	}
	var size int64
	for name, data := range book.all() {
		size += int64(len(data))
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		r, err := Verify(context.Background(), dir, VerifyOptions{})
		if err != nil || !r.IsClean() {
			b.Fatal(r, err)
		}
	}
	b.ReportMetric(float64(size)/float64(book.head.Seq), "B/record")
}
