package lex

// How far from its anchor a rule looks. What a rule finds depends on nothing
// else, so a stream need not hold more than this.
const (
	LookBack  = 1024
	Window    = 2048
	LongReach = 16 << 10 // of rules that are long
	KeyReach  = 64 << 10 // of blocks of keys
	MaxValue  = 256      // bytes of a value that are read

	// RepeatReach is how far from a password that was found it is looked for once
	// more, where nothing names it.
	RepeatReach = 1024

	// EscapeReach is how far around a character that is spelt out a part goes, and
	// how far apart two are in one part at most.
	EscapeReach = 512

	// Reach is how far before and behind its anchor a rule looks, those aside
	// which say that they are pending.
	Reach = 4096 + 256
	Hold  = 2 * Reach
)
