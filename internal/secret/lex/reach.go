package lex

// Limits, in bytes, of how far from its anchor a rule reads. Its findings depend on nothing
// beyond, so a stream need not hold back more.
const (
	LookBack  = 1024
	Window    = 2048
	LongReach = 16 << 10 // for long secrets
	KeyReach  = 64 << 10 // for key blocks
	MaxValue  = 256      // maximum bytes of a value that are read

	// RepeatReach is the maximum distance between a password and its repetitions without a
	// name.
	RepeatReach = 1024

	// EscapeReach is how far a decoded part extends around an escaped character, and the
	// maximum distance of two such characters in one part.
	EscapeReach = 512

	// Reach is how far before and after its anchor a rule reads, except for rules that mark
	// text as pending.
	Reach = 4096 + 256
	Hold  = 2 * Reach
)
