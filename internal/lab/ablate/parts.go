package main

// A part is a set of functions and tables with a name of its own.
type part struct {
	name, about string
	off         []string // see [parseOff]
}

// parts are the parts that can be switched off by name. A part that is deleted goes from
// here too.
var parts = []part{
	{"filters", "the output of programs that change what they read: base64, tr, sed, awk, jq and their like", []string{
		"internal/shell/resolve/printed_output.go:filtered",
	}},
	{"printers", "the output of interpreters whose code only prints", []string{
		"internal/shell/resolve/printed_code.go:literal",
	}},
}

// switchOffs returns what names, of parts or of files, switch off.
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
