// Package canary implements the canary command, which sends everyday and harmful calls to every hook of
// this machine, each in a scratch home behind walls, and reports what the hooks make of them.
package canary

import (
	_ "embed"
	"strings"
)

// A call is one call of the battery.
type call struct {
	id       string // its tool and argument, as written
	harmful  bool
	tool     string // shell, read or write
	argument string
}

//go:embed battery.txt
var batteryText string

// battery returns the calls of the battery.
func battery() []call {
	var out []call
	for line := range strings.Lines(batteryText) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 3 {
			continue
		}
		out = append(out, call{f[1] + " " + f[2], f[0] == "harmful", f[1], f[2]})
	}
	return out
}

// in returns the argument of c in a scratch home.
func (c *call) in(p place) string {
	return strings.NewReplacer("{home}", p.home, "{project}", p.project).Replace(c.argument)
}
