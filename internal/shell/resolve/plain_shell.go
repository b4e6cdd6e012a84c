package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// clearShell reports whether a shell runs the text of -c as this one would.
func clearShell(path string, options []shell.Word) bool {
	if !facts.TongueOf(programName(path)).Posix() {
		return false
	}
	for _, o := range options {
		if len(o.Text) < 2 || o.Text[0] != '-' || strings.Trim(o.Text[1:], "celuxv") != "" {
			return false
		}
	}
	return ofSystem(path)
}

// ofSystem reports whether a program is named without a directory or lies in one of the
// system's.
func ofSystem(path string) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	switch path[:len(path)-len(name)] {
	case "", "/bin/", "/usr/bin/":
		return !strings.Contains(name, `\`)
	}
	return false
}
