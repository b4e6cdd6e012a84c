package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/fact"
)

// clear reports whether a wrapper changes nothing of the command that it runs: neither
// where, as whom, on which machine nor how often. Of all that are not listed it is not
// known.
func (wr *wrapper) clear(path string, args, rest []shell.Word, f *flags) bool {
	if !ofSystem(path) || f.log != "" {
		return false
	}
	switch wr.name {
	case "timeout", "nice", "time":
		return true
	case "env":
		return len(args) == len(rest)
	}
	return false
}

// clearShell reports whether a shell runs the text of -c as this one would.
func clearShell(path string, options []shell.Word) bool {
	if !fact.TongueOf(programName(path)).Posix() {
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
