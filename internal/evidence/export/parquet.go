package export

import (
	"io"
)

// What is held in memory: a row group is written when it has this many rows, or
// came from this many bytes of lines.
const (
	groupRows  = 1 << 16
	groupBytes = 16 << 20
)

// Parquet writes typed columns, named as those of CSV, and the plan as a list
// of groups. Memory is bounded, whatever the number of records.
func Parquet(w io.Writer) Sink { return newParquet(w, groupRows, groupBytes) }

func newParquet(w io.Writer, maxRows, maxBytes int) *parquetSink {
	return &parquetSink{maxRows: maxRows, maxBytes: maxBytes, file: newColumnFile[row](w)}
}

type parquetSink struct {
	maxRows, maxBytes int // of a row group

	file   *columnFile[row]
	size   int   // bytes of lines of the row group
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
	flat := flatten(r)
	s.file.add(&flat)
	s.size += len(line)
	if s.file.rows >= s.maxRows || s.size >= s.maxBytes {
		s.size = 0
		s.failed = s.file.flush()
	}
	return s.failed
}

// Close writes the footer, without which the file is none.
func (s *parquetSink) Close() error {
	if s.failed == nil {
		s.failed = s.file.close()
	}
	return s.failed
}
