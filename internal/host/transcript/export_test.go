package transcript

// Unexported names of the package that its tests use.
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
