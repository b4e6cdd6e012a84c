package match

// Acts describe what a tool call would do, for conditions that test it. They are zero if that is
// unknown. The engine's options provide the function that finds them.
type Acts struct {
	Label string // of the whole call: safe, unknown, destructive or exfiltration
	// Effects are the label, the verb and the category of each effect, such as destructive,
	// delete and fs-delete.
	Effects []string
	Radius  string   // the impact of the worst effect: low, medium, high or unknown
	Paths   []string // the paths that its effects are on
	// Named returns the paths that it names besides. It is called only if a condition tests paths, and
	// may be nil.
	Named func() []string
	// Gap is the most important reason why the effects are not fully known: program, option,
	// unread, opaque or limit. It is "" if they are.
	Gap string
}
