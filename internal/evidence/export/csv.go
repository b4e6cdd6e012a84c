package export

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"time"
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
	flat := flatten(r)
	for i := range columns {
		s.cells[i] = columns[i].cell(&flat)
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

// columns are the cells of a row, in order.
var columns = []struct {
	name string
	cell func(*row) string
}{
	{"seq", func(r *row) string { return strconv.FormatInt(r.Seq, 10) }},
	{"time", func(r *row) string { return r.Time.Format(time.RFC3339Nano) }},
	{"kind", func(r *row) string { return text(r.Kind) }},
	{"host", func(r *row) string { return text(r.Host) }},
	{"session", func(r *row) string { return text(r.Session) }},
	{"session_key", func(r *row) string { return text(r.SessionKey) }},
	{"agent", func(r *row) string { return text(r.Agent) }},
	{"event", func(r *row) string { return text(r.Event) }},
	{"native", func(r *row) string { return text(r.Native) }},
	{"tool", func(r *row) string { return text(r.Tool) }},
	{"canonical_tool", func(r *row) string { return text(r.CanonicalTool) }},
	{"call_id", func(r *row) string { return text(r.CallID) }},
	{"decision", func(r *row) string { return text(r.Decision) }},
	{"reason", func(r *row) string { return text(r.Reason) }},
	{"effects", func(r *row) string { return list(r.Effects) }},
	{"hooks", func(r *row) string { return list(r.Hooks) }},
	{"faults", func(r *row) string { return list(r.Faults) }},
	{"dropped", func(r *row) string { return list(r.Dropped) }},
	{"redo_attempt", func(r *row) string { return whole(r.RedoAttempt) }},
	{"canceled", func(r *row) string { return yes(r.Canceled) }},
	{"policy", func(r *row) string { return text(r.Policy) }},
	{"program", func(r *row) string { return text(r.Program) }},
	{"dir", func(r *row) string { return text(r.Dir) }},
	{"ms", func(r *row) string { return number(r.MS) }},
	{"input", func(r *row) string { return text(r.Input) }},
	{"output", func(r *row) string { return text(r.Output) }},
	{"text", func(r *row) string { return text(r.Text) }},
	{"reply_exit", func(r *row) string { return whole(r.ReplyExit) }},
	{"reply_stdout", func(r *row) string { return text(r.ReplyStdout) }},
	{"hash", func(r *row) string { return text(r.Hash) }},
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

func whole(n *int32) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(int(*n))
}

func number(f *float64) string {
	if f == nil {
		return ""
	}
	return strconv.FormatFloat(*f, 'f', -1, 64)
}

func yes(b *bool) string {
	if b == nil {
		return ""
	}
	return strconv.FormatBool(*b)
}
