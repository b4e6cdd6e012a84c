package lex

// Limits of how far from its anchor a rule looks. Its findings depend on nothing else, so
// a stream need not hold back more.
const (
	LookBack  = 1024
	Window    = 2048
	LongReach = 16 << 10 // for long secrets
	KeyReach  = 64 << 10 // for key blocks
	MaxValue  = 256      // bytes of a value that are read

	// RepeatReach is how far from a password the same password is searched for without a
	// name.
	RepeatReach = 1024

	// EscapeReach is how far a part extends around an escaped character, and the maximum
	// distance of two of them in one part.
	EscapeReach = 512

	// Reach is how far before and after its anchor a rule looks, except for rules that
	// report that they are pending.
	Reach = 4096 + 256
	Hold  = 2 * Reach
)
