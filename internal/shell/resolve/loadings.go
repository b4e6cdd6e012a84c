package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// A loading is an option by which a program runs code from a file that is none of
// its operands.
type loading struct {
	name string
	keys string // "-r+" also as -rVALUE
	pre  string // what the value begins with, in any case; it is cut off
	how  loads
	as   string // the words before a known file that make a command of it; "=" = it is read anyway, "" = it is not
}

// loads is what the value of an option names.
type loads uint8

const (
	aFile    loads = iota // a file that is loaded
	aPath                 // directories in which code is looked for
	aProgram              // a command that is run
	aSource               // a command of the program's own that reads a file
)

// loaderOf returns the name under which a program that loads as others do has its rows.
func loaderOf(name string) string {
	if of := aliasOf(loaders[:], name); of != name {
		return of
	}
	switch facts.TongueOf(name) {
	case facts.Node:
		return "node"
	case facts.Ruby:
		return "ruby"
	case facts.Groovy, facts.JShell:
		return "java"
	}
	if strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl") || name == "ld.so" {
		return "ld-linux"
	}
	return aliasOf(families[:], name)
}

func loadingsOf(name string) []loading { return rowsOf(loadings[:], loaderOf(name)) }
