package code

import "github.com/checkrein/checkrein/internal/shell"

// An Invocation describes what an interpreter runs, by its arguments.
type Invocation struct {
	File   string   // the script, or ""
	Module string   // the module to run, or ""
	Loads  []string // files and modules that are loaded first
	Code   string   // the code in the arguments, or ""
	Input  bool     // standard input is the code
	Idle   bool     // nothing runs: it shows its version or only checks code
	Rest   []shell.Word
}

// ParseInvocation returns how c runs code. It reports false if c is not a call of an interpreter.
func ParseInvocation(c *shell.Call) (Invocation, bool) {
	p := interpreterByName(trimVersion(c.Name))
	if p == nil {
		return Invocation{}, false
	}
	g := p.parseArgs(c)
	u := Invocation{Loads: g.loads, Module: g.name, Code: g.before, Idle: g.version || g.checks, Rest: g.rest}
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
