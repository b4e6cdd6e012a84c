package code

import "github.com/checkrein/checkrein/internal/shell"

// An Invocation describes what an interpreter runs, according to its arguments.
type Invocation struct {
	File        string   // the script, or ""
	Module      string   // the module to run, or ""
	Preloads    []string // files and modules that are loaded before the code
	Code        string   // the code in the arguments, or ""
	ReadsStdin  bool     // the code comes from standard input
	RunsNothing bool     // the interpreter only shows its version or checks code
	// the arguments of the code
	Rest []shell.Word
}

// ParseInvocation returns what the interpreter that c calls runs. It reports false if c does not call
// an interpreter.
func ParseInvocation(c *shell.Call) (Invocation, bool) {
	p := interpreterByName(trimVersion(c.Name))
	if p == nil {
		return Invocation{}, false
	}
	g := p.parseArgs(c)
	u := Invocation{Preloads: g.loads, Module: g.name, Code: g.before, RunsNothing: g.version || g.checks, Rest: g.rest}
	switch {
	case g.module:
	case g.script:
		u.File = g.file
	case g.found:
		u.Code += g.code
	case !u.RunsNothing:
		u.ReadsStdin = true
	}
	return u, true
}
