package desk

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/record"
	"github.com/checkrein/checkrein/internal/trust"
	"github.com/checkrein/checkrein/internal/workplace"
)

// A row is a record as a line of a table.
type row [9]string

// header names the columns; the last takes what room is left.
func header() row {
	return row{"ID", "TIME", "HOST", "SESSION", "EVENT", "TOOL", "DECISION", "HOOKS", "REASON"}
}

// widest is how wide each column may become; the last has no limit of its own.
func widest() [9]int { return [9]int{12, 19, 14, 8, 24, 20, 8, 24, 0} }

// rowOf is a record's row. Everything in it stays on its line.
func rowOf(r *record.Record, zone *time.Location) row {
	tool := ""
	if r.Tool != nil {
		tool = r.Tool.Name
	}
	event, reason := r.Event, r.Reason
	if event == "" {
		event = "(" + r.Kind + ")" // a record about the ledger itself
	}
	if reason == "" {
		reason = r.Fault
	}
	if r.Event == "" && reason == "" {
		reason = r.Why
	}
	if r.Shadow {
		reason = "shadow: " + reason // what would have been decided
	}
	if r.Foreign {
		reason = strings.TrimSuffix("foreign: "+reason, ": ") // not of the session's host
	}
	return row{strconv.FormatUint(r.Seq, 10), r.Time.In(zone).Format(time.DateTime), r.Host, shortSession(r.Session),
		event, tool, r.Decision, strings.Join(deciders(r), ","), oneLine(reason)}
}

// shortSession is enough of a session's id to tell it, and to ask for it.
func shortSession(id string) string {
	if r := []rune(id); len(r) > 8 {
		return string(r[:8])
	}
	return id
}

// deciders are the hooks that asked for what was decided; when nothing was,
// those that asked for anything else.
func deciders(r *record.Record) []string {
	if m := mergeOf(r); len(m.Hooks) > 0 {
		return m.Hooks
	}
	var out []string
	for i := range r.Plan {
		if len(r.Plan[i].Effects) > 0 {
			out = append(out, r.Plan[i].Hook)
		}
	}
	return out
}

// A table lays rows out in a width. Its columns never become narrower, so that
// rows that come later stand below the earlier ones.
type table struct {
	width  int
	widths [9]int
}

// newTable makes a table as wide as the person's terminal says it is.
func newTable(env *console.Env) *table {
	t := &table{width: 120}
	columns, _ := workplace.Lookup(env.Environ, "COLUMNS")
	if n, err := strconv.Atoi(columns); err == nil && n > 0 {
		t.width = n
	}
	return t
}

// fit widens the columns for the rows, and cuts what is too wide.
func (t *table) fit(rows []row) {
	limits := widest()
	for i := range rows {
		for c := range rows[i] {
			cell := trust.VisibleLine(rows[i][c])
			if cell == "" {
				cell = "-"
			}
			if limits[c] > 0 {
				cell = cut(cell, limits[c])
				t.widths[c] = max(t.widths[c], utf8.RuneCountInString(cell))
			}
			rows[i][c] = cell
		}
	}
}

// minReason is how much of a reason is shown however narrow the terminal is.
const minReason = 16

// line lays out one row that fit has seen.
func (t *table) line(r row) string {
	var b strings.Builder
	used := 0
	last := len(r) - 1
	for c, cell := range r[:last] {
		pad := t.widths[c] - utf8.RuneCountInString(cell) + 2
		b.WriteString(cell + strings.Repeat(" ", pad))
		used += t.widths[c] + 2
	}
	b.WriteString(cut(r[last], max(minReason, t.width-used)))
	return b.String()
}
