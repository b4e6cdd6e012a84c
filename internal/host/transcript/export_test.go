package transcript

import "io"

// What the tests look at beside the package's own words.
const (
	MaxHead  = maxHead
	MaxName  = maxName
	MaxSkips = maxSkips
)

var (
	ColumnNames = columnNames
	Outcomes    = outcomes
	Short       = short
)

// ReadAs reads a file as one value, or line by line.
func (f *Form) ReadAs(r io.Reader, whole bool, o Options, fn func(*Call) error) (Report, error) {
	d := newReader(f, o, fn)
	d.whole = whole
	return d.read(r, 0)
}
