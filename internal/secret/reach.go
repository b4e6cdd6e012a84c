package secret

// How far from its anchor a rule looks. What a rule finds depends on nothing
// else, so a stream need not hold more than this.
const (
	lookBack  = 1024
	window    = 2048
	longReach = 16 << 10 // of rules that are long
	keyReach  = 64 << 10 // of blocks of keys
	maxValue  = 256      // bytes of a value that are read

	// repeatReach is how far from a password that was found it is looked for once
	// more, where nothing names it.
	repeatReach = 1024

	// escapeReach is how far around a character that is spelt out a part goes, and
	// how far apart two are in one part at most.
	escapeReach = 512

	// reach is how far before and behind its anchor a rule looks, those aside
	// which say that they are pending.
	reach = 4096 + 256
	hold  = 2 * reach
)
