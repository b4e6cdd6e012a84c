package code

import "github.com/checkrein/checkrein/internal/shell"

// A Use is what an interpreter runs by its arguments.
type Use struct {
	File   string   // the script; "" = none
	Module string   // that runs by its name; "" = none
	Loads  []string // files and modules that are loaded first
	Code   string   // that stands in the arguments
	Input  bool     // it runs its standard input
	Idle   bool     // it runs nothing: it says its version, or checks
	Rest   []shell.Word
}

// UseOf reads the arguments of an interpreter. It reports false when the call is none.
func UseOf(c *shell.Call) (Use, bool) {
	p := interpreterOf(trimVersion(c.Name))
	if p == nil {
		return Use{}, false
	}
	g := p.split(c)
	u := Use{Loads: g.loads, Module: g.name, Code: g.before, Idle: g.version || g.checks, Rest: g.rest}
	switch {
	case g.module:
	case g.script:
		u.File = g.file
	case g.found:
		u.Code += g.code
	case !u.Idle:
		u.Input = true
	}
	return u, true
}
