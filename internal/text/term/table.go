package term

import (
	"bytes"
	"strings"
)

// A Column is a column of a table. If the table is wider than the screen, columns with a greater Give
// are narrowed first; one with Give 0 is never narrowed.
type Column struct {
	Title string
	Least int // the least width to which it is narrowed
	Give  int
	Right bool // aligned to the right, as for numbers
}

// A Table arranges rows of cells in columns.
type Table struct {
	Columns []Column
	rows    [][][]Span
	widths  []int // of the columns when the table was last printed
	kept    []int // the widths of earlier rows; nil = there are none
	below   map[int][]noteLine
}

// A noteLine is a line below a row.
type noteLine struct {
	in    int // columns of indentation, relative to the table
	spans []Span
}

// AddRow adds a row. Missing cells are empty.
func (t *Table) AddRow(cells ...[]Span) { t.rows = append(t.rows, cells) }

// AddBelow adds a line of text below the last row.
func (t *Table) AddBelow(spans ...Span) { t.AddIndented(4, spans...) }

// AddIndented is AddBelow with another indentation. A line that is added before the first row stands
// above all rows; with an indentation of 0 it is a heading.
func (t *Table) AddIndented(in int, spans ...Span) {
	if t.below == nil {
		t.below = map[int][]noteLine{}
	}
	i := len(t.rows) - 1
	t.below[i] = append(t.below[i], noteLine{in, spans})
}

// ClearRows removes the rows of a table that was printed. Rows that are added next continue below
// them, in columns that do not become narrower.
func (t *Table) ClearRows() { t.rows, t.below, t.kept = nil, nil, t.widths }

// RowCount returns the number of rows.
func (t *Table) RowCount() int { return len(t.rows) }

// gap is the number of spaces between columns.
const gap = 2

// Table prints t, indented by indent columns.
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
		s.writeRow(&b, indent, t, widths, head)
	}
	s.write(b.Bytes())
	s.printNotes(indent, t.below[-1])
	for i, cells := range t.rows {
		b.Reset()
		s.writeRow(&b, indent, t, widths, cells)
		s.write(b.Bytes())
		s.printNotes(indent, t.below[i])
	}
}

// printNotes prints the lines below a row.
func (s *Screen) printNotes(indent int, lines []noteLine) {
	for _, line := range lines {
		hang := 2
		if first := line.spans[:min(1, len(line.spans))]; len(first) > 0 && first[0].Whole && first[0].Style == Faint {
			hang = spansWidth(first) // aligned with the text after the label
		}
		s.Text(indent+line.in, indent+line.in+hang, line.spans...)
	}
}

// fitColumns returns the widths of the columns of t, narrowed to fit the screen.
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
				out[i] = max(out[i], spansWidth(cells[i]))
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
			break // no column may be narrowed, so the terminal wraps the line
		}
		out[giver]--
		total--
	}
	return out
}

// writeRow writes a row of t to b.
func (s *Screen) writeRow(b *bytes.Buffer, indent int, t *Table, widths []int, cells [][]Span) {
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
		pad := strings.Repeat(" ", max(0, widths[i]-spansWidth(cell)))
		if t.Columns[i].Right {
			line.WriteString(pad)
			s.writeSpans(&line, cell)
			continue
		}
		s.writeSpans(&line, cell)
		if i < len(t.Columns)-1 {
			line.WriteString(pad)
		}
	}
	b.Write(bytes.TrimRight(line.Bytes(), " "))
	b.WriteByte('\n')
}
