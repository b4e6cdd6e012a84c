package transcript

// What the tests look at beside the package's own words.
const (
	MaxHead  = maxHead
	MaxName  = maxName
	MaxSkips = maxSkips
)

var (
	ColumnNames = columnNames
	Outcomes    = outcomes
	Short       = truncate
)
