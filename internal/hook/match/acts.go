package match

// Acts are what a tool call would do, for conditions that ask about it. Who can
// tell is the engine's option; a call of which nobody can tell has none.
type Acts struct {
	Label string // of the whole: safe, unknown, destructive or exfiltration
	// Effects are the label, the verb and the category of each effect:
	// destructive, delete, fs-delete.
	Effects []string
	Radius  string   // of the worst: low, medium, high or unknown
	Paths   []string // that the call touches
	// Gap is what is missing that matters most: program, option, unread, opaque or limit;
	// "" = nothing is.
	Gap string
}
