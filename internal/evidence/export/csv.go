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

// CSV returns a sink that writes one row per record below a header. Lists are joined with `|`, which
// is escaped as `\|` within an element, and `\` as `\\`.
//
// Cells contain text by agents and models, and people open the file in a spreadsheet. Therefore a cell
// that looks like a formula gets a leading apostrophe.
func CSV(w io.Writer) Sink {
	return &csvSink{w: csv.NewWriter(w), cells: make([]string, len(columns))}
}

type csvSink struct {
	w      *csv.Writer // remembers its first error
	cells  []string
	headed bool
}

func (s *csvSink) Write(line []byte) error {
	if err := s.w.Error(); err != nil {
		return err
	}
	r, err := decodeRecord(line)
	if err != nil {
		return err
	}
	if err := s.writeHeader(); err != nil {
		return err
	}
	for i := range columns {
		s.cells[i] = columns[i].cell(r)
	}
	return s.w.Write(s.cells)
}

// Close writes the rows that are left. It writes the header even if there are no records.
func (s *csvSink) Close() error {
	if s.w.Error() == nil {
		if err := s.writeHeader(); err != nil {
			return err
		}
		s.w.Flush()
	}
	return s.w.Error()
}

// writeHeader writes the header, unless it was written before.
func (s *csvSink) writeHeader() error {
	if s.headed {
		return nil
	}
	s.headed = true
	for i := range columns {
		s.cells[i] = columns[i].name
	}
	return s.w.Write(s.cells)
}

// columns lists the columns of a row, in order. For kinds of records other than event, only the first
// three and the hash are not empty.
var columns = []struct {
	name string
	cell func(*record.Record) string
}{
	{"seq", func(r *record.Record) string { return strconv.FormatUint(r.Seq, 10) }},
	{"time", func(r *record.Record) string { return r.Time.UTC().Format(time.RFC3339Nano) }},
	{"kind", func(r *record.Record) string { return textCell(r.Kind) }},
	{"host", func(r *record.Record) string { return textCell(r.Host) }},
	{"session", func(r *record.Record) string { return textCell(r.Session) }},
	{"session_key", func(r *record.Record) string { return textCell(r.Key) }},
	{"agent", func(r *record.Record) string { return textCell(r.Agent) }},
	{"event", func(r *record.Record) string { return textCell(r.Event) }},
	{"native", func(r *record.Record) string { return textCell(r.Native) }},
	{"tool", func(r *record.Record) string { return textCell(orZero(r.Tool).Name) }},
	{"canonical_tool", func(r *record.Record) string { return textCell(orZero(r.Tool).Canonical) }},
	{"call_id", func(r *record.Record) string { return textCell(orZero(r.Tool).CallID) }},
	{"decision", func(r *record.Record) string { return textCell(r.Decision) }},
	{"reason", func(r *record.Record) string { return textCell(r.Reason) }},
	{"effects", func(r *record.Record) string { return listCell(r.Effects) }},
	{"hooks", func(r *record.Record) string { return listCell(hookNames(r)) }},
	{"faults", func(r *record.Record) string { return listCell(faultTexts(r)) }},
	{"dropped", func(r *record.Record) string { return listCell(droppedTexts(r)) }},
	{"redo_attempt", func(r *record.Record) string { return numberCell(r.Redo != nil, orZero(r.Redo).Attempt) }},
	{"canceled", func(r *record.Record) string { return eventCell(r, strconv.FormatBool(r.Canceled)) }},
	{"policy", func(r *record.Record) string { return textCell(r.Policy) }},
	{"program", func(r *record.Record) string { return textCell(r.Program) }},
	{"dir", func(r *record.Record) string { return textCell(r.Dir) }},
	{"ms", func(r *record.Record) string { return eventCell(r, strconv.FormatFloat(r.MS, 'f', -1, 64)) }},
	{"input", func(r *record.Record) string { return textCell(partText(orZero(r.Subject).Input)) }},
	{"output", func(r *record.Record) string { return textCell(partText(orZero(r.Subject).Output)) }},
	{"text", func(r *record.Record) string { return textCell(partText(orZero(r.Subject).Text)) }},
	{"reply_exit", func(r *record.Record) string { return numberCell(r.Reply != nil, orZero(r.Reply).Exit) }},
	{"reply_stdout", func(r *record.Record) string { return textCell(partText(orZero(r.Reply).Stdout)) }},
	{"hash", func(r *record.Record) string { return textCell(r.Hash) }},
}

// textCell returns s as a cell that spreadsheets do not evaluate.
func textCell(s string) string {
	for _, c := range []string{"=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"} { // some locales accept the wide forms
		if strings.HasPrefix(s, c) && !isPlainNumber(s) {
			return "'" + s
		}
	}
	return s
}

// isPlainNumber reports whether s, which must not be empty, is a decimal number.
func isPlainNumber(s string) bool {
	s = strings.TrimLeft(s[:1], "+-") + s[1:]
	before, after, _ := strings.Cut(s, ".")
	digits := before + after
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

// listCell returns all as one cell; see [CSV].
func listCell(all []string) string {
	var b strings.Builder
	for i, s := range all {
		if i > 0 {
			b.WriteByte('|')
		}
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), `|`, `\|`))
	}
	return textCell(b.String())
}

// numberCell returns n as a cell, or "" if known is false.
func numberCell(known bool, n int) string {
	if !known {
		return ""
	}
	return strconv.Itoa(n)
}

// eventCell returns cell if r is about an event, and otherwise "".
func eventCell(r *record.Record, cell string) string {
	if r.Kind != ledger.KindEvent {
		return ""
	}
	return cell
}

// orZero returns p, or a pointer to a zero value if p is nil.
func orZero[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}
