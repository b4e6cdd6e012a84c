package argv

import "github.com/checkrein/checkrein/internal/shell"

// What is read of one call. Honest calls stay far below.
const (
	maxNested = 16   // calls within calls that are asked for where their output comes from
	maxStarts = 400  // start points of find
	maxList   = 4096 // words of one text
)

// hole is [shell.Hole] as a string.
const hole = string(shell.Placeholder)
