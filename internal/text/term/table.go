package term

import (
	"bytes"
	"strings"
)

// A Column of a table. Those with a greater Give lose room first when the table is
// wider than the screen; with Give 0 a column is never cut.
type Column struct {
	Title string
	Least int // columns that it keeps in any case
	Give  int
	Right bool // aligned at the right, as numbers are
}

// A Table lays out rows of cells in columns.
type Table struct {
	Columns []Column
	rows    [][][]Span
	widths  []int // as it was printed
	kept    []int // widths of the rows before these; nil = these are the first
	below   map[int][]noteLine
}

// A noteLine is a line under a row.
type noteLine struct {
	in    int // columns of indentation, from the table
	spans []Span
}

// Row adds a row; missing cells are empty.
func (t *Table) Row(cells ...[]Span) { t.rows = append(t.rows, cells) }

// AddBelow adds a line of running text under the last row.
func (t *Table) AddBelow(spans ...Span) { t.AddIndented(4, spans...) }

// AddIndented is AddBelow with another indentation. Before the first row the line is above all rows:
// with 0 columns it is the heading of the rows that follow.
func (t *Table) AddIndented(in int, spans ...Span) {
	if t.below == nil {
		t.below = map[int][]noteLine{}
	}
	i := len(t.rows) - 1
	t.below[i] = append(t.below[i], noteLine{in, spans})
}

// Next removes the rows of a table that was printed: those that come next continue below them, in
// columns that never become narrower.
func (t *Table) Next() { t.rows, t.below, t.kept = nil, nil, t.widths }

// Rows returns the number of rows.
func (t *Table) Rows() int { return len(t.rows) }

// gap is the room between columns.
const gap = 2

// Table prints t, indented.
func (s *Screen) Table(indent int, t *Table) {
	titled := t.kept == nil
	widths := s.fitColumns(indent, t)
	t.widths = widths
	var b bytes.Buffer
	head := make([][]Span, len(t.Columns))
	named := false
	for i, c := range t.Columns {
		head[i] = []Span{T(Faint, c.Title)}
		named = named || c.Title != ""
	}
	if titled && named {
		s.row(&b, indent, t, widths, head)
	}
	s.write(b.Bytes())
	s.printNotes(indent, t.below[-1])
	for i, cells := range t.rows {
		b.Reset()
		s.row(&b, indent, t, widths, cells)
		s.write(b.Bytes())
		s.printNotes(indent, t.below[i])
	}
}

func (s *Screen) printNotes(indent int, lines []noteLine) {
	for _, line := range lines {
		hang := 2
		if first := line.spans[:min(1, len(line.spans))]; len(first) > 0 && first[0].Whole && first[0].Style == Faint {
			hang = columnsOf(first) // below the end of the label
		}
		s.Text(indent+line.in, indent+line.in+hang, line.spans...)
	}
}

// fitColumns returns the widths of the columns, fitted to the screen.
func (s *Screen) fitColumns(indent int, t *Table) []int {
	out := make([]int, len(t.Columns))
	total := indent
	for i, c := range t.Columns {
		out[i] = Columns(c.Title)
		if i < len(t.kept) {
			out[i] = t.kept[i]
		}
		for _, cells := range t.rows {
			if i < len(cells) {
				out[i] = max(out[i], columnsOf(cells[i]))
			}
		}
		total += out[i]
		if i > 0 {
			total += gap
		}
	}
	if s.width == 0 {
		return out
	}
	for total > s.width {
		giver := -1
		for i, c := range t.Columns {
			if c.Give == 0 || out[i] <= max(c.Least, 1) {
				continue
			}
			if giver < 0 || c.Give > t.Columns[giver].Give || c.Give == t.Columns[giver].Give && out[i] > out[giver] {
				giver = i
			}
		}
		if giver < 0 {
			break // nothing may give: the terminal breaks the line
		}
		out[giver]--
		total--
	}
	return out
}

func (s *Screen) row(b *bytes.Buffer, indent int, t *Table, widths []int, cells [][]Span) {
	var line bytes.Buffer
	line.WriteString(strings.Repeat(" ", indent))
	for i := range t.Columns {
		var cell []Span
		if i < len(cells) {
			cell = Truncate(cells[i], widths[i])
		}
		if i > 0 {
			line.WriteString(strings.Repeat(" ", gap))
		}
		pad := strings.Repeat(" ", max(0, widths[i]-columnsOf(cell)))
		if t.Columns[i].Right {
			line.WriteString(pad)
			s.paint(&line, cell)
			continue
		}
		s.paint(&line, cell)
		if i < len(t.Columns)-1 {
			line.WriteString(pad)
		}
	}
	b.Write(bytes.TrimRight(line.Bytes(), " "))
	b.WriteByte('\n')
}
