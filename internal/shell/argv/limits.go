package argv

import "github.com/checkrein/checkrein/internal/shell"

// Limits on the work for one call. Ordinary calls stay far below them.
const (
	maxNested = 16   // nesting depth of calls whose output is traced back
	maxStarts = 400  // starting points of find
	maxList   = 4096 // words of a call or of a split text
)

// placeholder is [shell.Placeholder] as a string.
const placeholder = string(shell.Placeholder)
