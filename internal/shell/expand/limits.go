package expand

import "github.com/checkrein/checkrein/internal/shell"

// What an expansion may become. Honest commands stay far below all of these.
const (
	MaxOutput = 256 << 10 // bytes of a text that is worked out
	MaxAlts   = 16        // values that one variable may have, by branch
	MaxFrom   = 32        // calls that a word or a flow remembers

	maxWords   = 4096    // words that seq prints
	maxFields  = 150_000 // words that one word becomes
	maxDepth   = 16      // variables that name variables
	maxNesting = 300     // parts of a condition within parts
)

// hole is [shell.Hole] as a string.
const hole = string(shell.Placeholder)
