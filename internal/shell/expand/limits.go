package expand

import "github.com/checkrein/checkrein/internal/shell"

// Limits of an expansion. Honest commands stay far below all of these.
const (
	MaxOutput = 256 << 10 // bytes of an evaluated text
	MaxAlts   = 16        // further values of one variable
	MaxFrom   = 32        // source calls of a word or a flow

	maxWords   = 4096    // words that seq prints
	maxFields  = 150_000 // words that one word expands to
	maxDepth   = 16      // variables that name variables
	maxNesting = 300     // nesting of a condition
)

// placeholder is [shell.Placeholder] as a string.
const placeholder = string(shell.Placeholder)
