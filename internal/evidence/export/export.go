// Package export writes the ledger's records in formats that other programs read: JSONL, CSV, and OTLP
// over HTTP.
//
// It only converts lines from the ledger's reader. The caller chooses the records and counts them.
package export

import (
	"bufio"
	"io"
)

// A Sink writes records, one by one and in order. It is not safe for concurrent use.
type Sink interface {
	// Write writes one line of the ledger, of any kind and without its newline,
	// and does not retain it. A line that is not a record may be refused, and the
	// sink continues; any other error is returned again by later calls.
	Write(line []byte) error

	// Close writes pending records and ends the file; it does not close the
	// underlying writer. After an error it writes nothing more, so that a broken
	// export does not look complete, and returns that error.
	Close() error
}

// A Format is a format in which records can be written.
type Format struct {
	Name  string
	About string
	New   func(io.Writer) Sink // nil if records are sent to an endpoint, see [OTLP]
}

// Formats returns all formats, the simplest first.
func Formats() []Format {
	return []Format{
		{"jsonl", "the lines unchanged, so that they still verify", JSONL},
		{"csv", "one row per record, for spreadsheets", CSV},
		{"cef", "Common Event Format, one event per line", lines(AppendCEF)},
		{"ocsf", "Open Cybersecurity Schema Framework, one event per line", lines(AppendOCSF)},
		{"otlp", "log records for an OpenTelemetry collector, over HTTP", nil},
	}
}

// JSONL returns a sink that writes the lines unchanged, so that their hashes stay valid.
func JSONL(w io.Writer) Sink {
	return &jsonlSink{bufio.NewWriterSize(w, 1<<16)}
}

type jsonlSink struct{ w *bufio.Writer } // the writer remembers its first error

func (s *jsonlSink) Write(line []byte) error {
	s.w.Write(line)
	return s.w.WriteByte('\n')
}

func (s *jsonlSink) Close() error { return s.w.Flush() }
