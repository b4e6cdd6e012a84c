package export

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
)

// CSV writes one row a record under a header. Lists are joined with `|`, which
// is `\|` within an element, as `\` is `\\`.
//
// Cells come from what agents and models wrote, and people open the file in a
// spreadsheet: a cell that one would take for a formula gets a leading
// apostrophe.
func CSV(w io.Writer) Sink {
	return &csvSink{w: csv.NewWriter(w), cells: make([]string, len(columns))}
}

type csvSink struct {
	w      *csv.Writer // which remembers its first error
	cells  []string
	headed bool
}

func (s *csvSink) Write(line []byte) error {
	if err := s.w.Error(); err != nil {
		return err
	}
	r, err := decode(line)
	if err != nil {
		return err
	}
	if err := s.head(); err != nil {
		return err
	}
	for i := range columns {
		s.cells[i] = columns[i].cell(r)
	}
	return s.w.Write(s.cells)
}

// Close writes the header if there were no records: an empty export has one.
func (s *csvSink) Close() error {
	if s.w.Error() == nil {
		if err := s.head(); err != nil {
			return err
		}
		s.w.Flush()
	}
	return s.w.Error()
}

func (s *csvSink) head() error {
	if s.headed {
		return nil
	}
	s.headed = true
	for i := range columns {
		s.cells[i] = columns[i].name
	}
	return s.w.Write(s.cells)
}

// columns are the cells of a record, in order. Of kinds other than event all are empty
// but the first three and the hash.
var columns = []struct {
	name string
	cell func(*record.Record) string
}{
	{"seq", func(r *record.Record) string { return strconv.FormatUint(r.Seq, 10) }},
	{"time", func(r *record.Record) string { return r.Time.UTC().Format(time.RFC3339Nano) }},
	{"kind", func(r *record.Record) string { return text(r.Kind) }},
	{"host", func(r *record.Record) string { return text(r.Host) }},
	{"session", func(r *record.Record) string { return text(r.Session) }},
	{"session_key", func(r *record.Record) string { return text(r.Key) }},
	{"agent", func(r *record.Record) string { return text(r.Agent) }},
	{"event", func(r *record.Record) string { return text(r.Event) }},
	{"native", func(r *record.Record) string { return text(r.Native) }},
	{"tool", func(r *record.Record) string { return text(orZero(r.Tool).Name) }},
	{"canonical_tool", func(r *record.Record) string { return text(orZero(r.Tool).Canonical) }},
	{"call_id", func(r *record.Record) string { return text(orZero(r.Tool).CallID) }},
	{"decision", func(r *record.Record) string { return text(r.Decision) }},
	{"reason", func(r *record.Record) string { return text(r.Reason) }},
	{"effects", func(r *record.Record) string { return list(r.Effects) }},
	{"hooks", func(r *record.Record) string { return list(hooks(r)) }},
	{"faults", func(r *record.Record) string { return list(faults(r)) }},
	{"dropped", func(r *record.Record) string { return list(dropped(r)) }},
	{"redo_attempt", func(r *record.Record) string { return number(r.Redo != nil, orZero(r.Redo).Attempt) }},
	{"canceled", func(r *record.Record) string { return ofEvent(r, strconv.FormatBool(r.Canceled)) }},
	{"policy", func(r *record.Record) string { return text(r.Policy) }},
	{"program", func(r *record.Record) string { return text(r.Program) }},
	{"dir", func(r *record.Record) string { return text(r.Dir) }},
	{"ms", func(r *record.Record) string { return ofEvent(r, strconv.FormatFloat(r.MS, 'f', -1, 64)) }},
	{"input", func(r *record.Record) string { return text(partText(orZero(r.Subject).Input)) }},
	{"output", func(r *record.Record) string { return text(partText(orZero(r.Subject).Output)) }},
	{"text", func(r *record.Record) string { return text(partText(orZero(r.Subject).Text)) }},
	{"reply_exit", func(r *record.Record) string { return number(r.Reply != nil, orZero(r.Reply).Exit) }},
	{"reply_stdout", func(r *record.Record) string { return text(partText(orZero(r.Reply).Stdout)) }},
	{"hash", func(r *record.Record) string { return text(r.Hash) }},
}

// text returns s as a cell that no spreadsheet computes.
func text(s string) string {
	for _, c := range []string{"=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"} { // the wide ones count in some locales
		if strings.HasPrefix(s, c) && !plainNumber(s) {
			return "'" + s
		}
	}
	return s
}

// plainNumber reports whether s, which is not empty, is a decimal number and
// nothing else.
func plainNumber(s string) bool {
	s = strings.TrimLeft(s[:1], "+-") + s[1:]
	before, after, _ := strings.Cut(s, ".")
	digits := before + after
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

func list(all []string) string {
	var b strings.Builder
	for i, s := range all {
		if i > 0 {
			b.WriteByte('|')
		}
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), `|`, `\|`))
	}
	return text(b.String())
}

// number returns n as a cell that is empty unless it is there.
func number(there bool, n int) string {
	if !there {
		return ""
	}
	return strconv.Itoa(n)
}

// ofEvent returns a cell that only records of events have.
func ofEvent(r *record.Record, cell string) string {
	if r.Kind != ledger.KindEvent {
		return ""
	}
	return cell
}

func orZero[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}
