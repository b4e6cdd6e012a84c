package main

// A part is a named set of functions and tables.
type part struct {
	name, about string
	off         []string // see [parseOff]
}

// parts lists the parts that can be switched off by name. When a part is deleted from the source,
// delete it here too.
var parts = []part{
	{"openings", "options, variables and files that make a program run, write or read something", []string{
		"internal/shell/argv/tables.go:nestedRules",
	}},
	{"loadings", "code that variables and options make programs load", []string{
		"internal/shell/resolve/hijack.go:options.reportHijacks",
	}},
}

// switchOffs returns what to switch off for names, which are names of parts or specifications for
// parseOff.
func switchOffs(names []string) []switchOff {
	var out []switchOff
	for _, name := range names {
		specs := []string{name}
		for _, p := range parts {
			if p.name == name {
				specs = p.off
			}
		}
		for _, s := range specs {
			out = append(out, parseOff(s))
		}
	}
	return out
}
