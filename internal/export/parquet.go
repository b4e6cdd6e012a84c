package export

import (
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/checkrein/checkrein/internal/build"
)

// What is held in memory: a row group is written when it has this many rows, or
// came from this many bytes of lines, and rows are handed over in batches.
const (
	groupRows  = 1 << 16
	groupBytes = 16 << 20
	batchRows  = 256
	batchBytes = 1 << 20
)

// Parquet writes typed columns, named as those of CSV, and the plan as a list
// of groups. Memory is bounded, whatever the number of records.
//
// Pages have no statistics in their headers, which would repeat whole texts
// uncompressed; the column index has them, cut short.
func Parquet(w io.Writer) Sink { return newParquet(w, groupRows, groupBytes) }

func newParquet(w io.Writer, maxRows, maxBytes int) *parquetSink {
	return &parquetSink{
		maxRows: maxRows, maxBytes: maxBytes,
		w: parquet.NewGenericWriter[row](w,
			parquet.Compression(&parquet.Zstd),
			parquet.DataPageStatistics(false),
			parquet.CreatedBy("checkrein", build.Version, "")),
		batch: make([]row, 0, batchRows),
	}
}

type parquetSink struct {
	maxRows, maxBytes int // of a row group

	w      *parquet.GenericWriter[row]
	batch  []row
	inside int   // bytes of lines in the batch
	rows   int   // of the row group, written
	size   int   // bytes of lines of the row group, written
	failed error // the file is broken from here on
}

func (s *parquetSink) Write(line []byte) error {
	if s.failed != nil {
		return s.failed
	}
	r, err := decode(line)
	if err != nil {
		return err
	}
	s.batch = append(s.batch, flatten(r))
	s.inside += len(line)
	if len(s.batch) == batchRows || s.inside >= min(batchBytes, s.maxBytes) {
		s.failed = s.hand()
	}
	return s.failed
}

// Close writes the footer, without which the file is none.
func (s *parquetSink) Close() error {
	if s.failed == nil {
		s.failed = s.hand()
	}
	if s.failed == nil {
		s.failed = s.w.Close()
	}
	return s.failed
}

// hand gives the batch to the writer, and ends the row group if it is full.
func (s *parquetSink) hand() error {
	if _, err := s.w.Write(s.batch); err != nil {
		return err
	}
	s.rows += len(s.batch)
	s.size += s.inside
	clear(s.batch) // lets go of the texts
	s.batch, s.inside = s.batch[:0], 0
	if s.rows < s.maxRows && s.size < s.maxBytes {
		return nil
	}
	s.rows, s.size = 0, 0
	return s.w.Flush()
}
