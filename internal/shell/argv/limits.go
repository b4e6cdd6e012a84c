package argv

import "github.com/checkrein/checkrein/internal/shell"

// Limits for one call. Honest calls stay far below them.
const (
	maxNested = 16   // nesting of calls whose output is traced back
	maxStarts = 400  // start points of find
	maxList   = 4096 // words of one text
)

// placeholder is [shell.Placeholder] as a string.
const placeholder = string(shell.Placeholder)
