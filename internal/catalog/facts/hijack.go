package facts

import "strings"

// Means is how a variable makes a program run code that is not its own.
type Means uint8

// The means.
const (
	NoMeans    Means = iota
	ByFile           // it names files that are loaded
	BySearch         // it names directories in which code is looked for
	ByOptions        // it holds options of a program, which may load files
	BySettings       // it names a directory of settings that run commands
)

// A Hijack is a variable that makes programs run code that is not their own.
type Hijack struct {
	Name  string
	Means Means
	Of    string // the program whose options it holds
	As    string // the words before a known file that make a command of it; "=" = it is read anyway, "" = it is not
	Only  string // the programs that it concerns, separated by spaces; "" = all
	Any   bool   // it bends whatever is called, so that no program is what it seems
}

// HijackOf is the row of a variable that makes programs run other code; nil = it is
// no such variable.
func HijackOf(name string) *Hijack {
	switch {
	case len(name) < 3:
		return nil
	case name[0] == 'D' && strings.HasPrefix(name, "DYLD_"):
		return &dyld
	case (name[0]|0x20) == 'n' && len(name) > len("npm_config_") && strings.EqualFold(name[:len("npm_config_")], "npm_config_"):
		name = strings.ToLower(name) // npm takes them in any case
	case strings.HasPrefix(name, "LUA_") && strings.Contains(name, "_5_"):
		name = name[:strings.Index(name, "_5_")]
	}
	return Lookup(hijacks[:], name, func(r *Hijack) string { return r.Name })
}

// dyld stands for all variables of the loader of macOS.
var dyld = Hijack{Name: "DYLD_", Means: ByFile, Any: true}

// Bends reports whether a variable makes any program another one.
func Bends(name string) bool {
	h := HijackOf(name)
	return h != nil && h.Any
}

// Concerns reports whether a variable counts for a program.
func (h *Hijack) Concerns(program string) bool {
	return h.Only == "" || strings.Contains(" "+h.Only+" ", " "+program+" ")
}
