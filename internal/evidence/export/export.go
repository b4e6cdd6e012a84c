// Package export writes the ledger's records in forms that other programs read:
// JSONL, CSV, and OTLP over HTTP.
//
// It stands beside the pipe: lines come in as the ledger's reader gave them,
// and nothing goes back. Whoever calls it chooses the records and counts them.
package export

import (
	"bufio"
	"io"
)

// A Sink takes records, one by one and in order; it is not for concurrent use.
type Sink interface {
	// Write takes one line of the ledger, of any kind and without its newline,
	// and does not keep it. A line that is not a record may be refused, and the
	// sink goes on; any other error is returned again from then on.
	Write(line []byte) error

	// Close writes out what waits and ends the file; it does not close the
	// writer below. After an error it writes nothing more, so that a broken
	// export does not look complete, and returns that error.
	Close() error
}

// A Format is a form that records can be written in.
type Format struct {
	Name  string
	About string
	New   func(io.Writer) Sink // nil where records go to an endpoint, see [OTLP]
}

// Formats lists all of them, the simplest first.
func Formats() []Format {
	return []Format{
		{"jsonl", "the lines unchanged, so that they still verify", JSONL},
		{"csv", "one row per record, for spreadsheets", CSV},
		{"otlp", "log records for an OpenTelemetry collector, over HTTP", nil},
	}
}

// JSONL writes the lines unchanged, so that their hashes still hold.
func JSONL(w io.Writer) Sink {
	return &jsonl{bufio.NewWriterSize(w, 1<<16)}
}

type jsonl struct{ w *bufio.Writer } // which remembers its first error

func (s *jsonl) Write(line []byte) error {
	s.w.Write(line)
	return s.w.WriteByte('\n')
}

func (s *jsonl) Close() error { return s.w.Flush() }
