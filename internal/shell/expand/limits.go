package expand

import "github.com/checkrein/checkrein/internal/shell"

// Limits on an expansion. Ordinary commands stay far below them.
const (
	MaxOutput = 256 << 10 // length of a computed text in bytes
	MaxAlts   = 16        // alternative values of a variable
	MaxFrom   = 32        // source calls of a word or a flow

	maxWords   = 4096    // numbers that seq prints
	maxFields  = 150_000 // words that the words of a command expand to
	maxDepth   = 16      // length of a chain of variables that name other variables
	maxNesting = 300     // nesting depth of a [[ ]] condition
)

// placeholder is [shell.Placeholder] as a string.
const placeholder = string(shell.Placeholder)
