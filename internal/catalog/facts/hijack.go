package facts

import "strings"

// Means describes how a hijack variable makes a program run other code.
type Means uint8

// The means.
const (
	NoMeans    Means = iota
	ByFile           // the variable names files that are loaded
	BySearch         // it names directories that are searched for code
	ByOptions        // it contains options of a program, which may load files
	BySettings       // it names a directory of settings that run commands
)

// A Hijack describes a hijack variable, which makes programs run other code.
type Hijack struct {
	Name  string
	Means Means
	Of    string // the program whose options it contains
	As    string // the words that make a command of a named file; "=" if the file is run as it is, "" if none do
	Only  string // the programs to which it applies, separated by spaces; "" = all
	Any   bool   // it hijacks every program
}

// FindHijack returns the row of a hijack variable, or nil if name is not one.
func FindHijack(name string) *Hijack {
	switch {
	case len(name) < 3:
		return nil
	case name[0] == 'D' && strings.HasPrefix(name, "DYLD_"):
		return &dyld
	case (name[0]|0x20) == 'n' && len(name) > len("npm_config_") && strings.EqualFold(name[:len("npm_config_")], "npm_config_"):
		name = strings.ToLower(name) // npm ignores case
	case strings.HasPrefix(name, "LUA_") && strings.Contains(name, "_5_"):
		name = name[:strings.Index(name, "_5_")]
	}
	return Lookup(hijacks[:], name, func(r *Hijack) string { return r.Name })
}

// dyld stands for all variables of the macOS loader.
var dyld = Hijack{Name: "DYLD_", Means: ByFile, Any: true}

// HijacksEveryProgram reports whether the variable name hijacks every program.
func HijacksEveryProgram(name string) bool {
	h := FindHijack(name)
	return h != nil && h.Any
}

// AppliesTo reports whether the variable hijacks program.
func (h *Hijack) AppliesTo(program string) bool {
	return h.Only == "" || strings.Contains(" "+h.Only+" ", " "+program+" ")
}
