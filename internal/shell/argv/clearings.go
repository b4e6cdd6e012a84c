package argv

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A Clearing is a command that deletes a directory which a variable, an option, a
// setting or a word of it names.
type Clearing struct {
	Program string
	Needs   string // words that must be there; alternatives are separated by |
	Vars    string // variables that name the directory
	Opts    string // options that name it
	Defs    string // definitions that name it: NAME=dir behind any option letters
	Set     string // a setting that an earlier call made
	Below   string // what is deleted in a directory that a variable names, when it is not the whole
	Word    bool   // the first word behind those that are needed names it
	Outer   bool   // within the project that is what it is for
}

// ClearsBy reports whether a variable names a directory that some command deletes.
func ClearsBy(name string) bool {
	if len(name) < 6 {
		return false
	}
	for i := range clearings {
		if v := clearings[i].Vars; len(v) >= len(name) && facts.InList(v, name) {
			return true
		}
	}
	return false
}

// Fits reports whether a call has the words that a row needs, and where those that
// are no flags end.
func (row *Clearing) Fits(args []shell.Word) (behind int, ok bool) {
	for need := range strings.FieldsSeq(row.Needs) {
		at := -1
		for i := range args {
			for one := range strings.SplitSeq(need, "|") {
				if args[i].Text == one {
					at = i
				}
			}
			if at >= 0 {
				break
			}
		}
		if at < 0 {
			return 0, false
		}
		if need[0] != '-' {
			behind = max(behind, at+1)
		}
	}
	return behind, true
}

// Defined is the value of NAME=value, behind -D, -P, -p:, /p: or nothing, and with
// the quotes of a configuration in TOML off.
func Defined(w shell.Word, names string) (shell.Word, bool) {
	name, val, ok := strings.Cut(w.Text, "=")
	if !ok {
		return w, false
	}
	for _, prefix := range [...]string{"-p:", "/p:", "-D", "-P", "--config="} {
		if rest, is := strings.CutPrefix(name, prefix); is {
			name = rest
			break
		}
	}
	if !facts.InList(names, strings.TrimSpace(name)) {
		return w, false
	}
	w.Text = strings.Trim(strings.TrimSpace(val), `"'`)
	return w, true
}

// IsOutput reports whether a variable by its name says where a build puts things.
func IsOutput(name string) bool {
	name = strings.ToUpper(strings.TrimRight(name, ":?+"))
	if name == "O" || name == "DESTDIR" {
		return true
	}
	for _, prefix := range [...]string{"BUILD", "OUT", "DIST", "OBJ", "BIN", "TARGET", "TMP", "CACHE", "GEN", "ARTIFACT"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// IsMade reports whether a directory is by its name one that is made again.
func IsMade(base string) bool {
	switch base {
	case "out", "dist", "browsers", ".tox", ".nox", "_site", "public", "site":
		return true
	}
	for _, part := range [...]string{"cache", "target", "build", "tmp", "temp"} {
		if strings.Contains(base, part) {
			return true
		}
	}
	return strings.HasSuffix(base, "env")
}

// ClearingsOf returns the clearings of a program.
func ClearingsOf(name string) []Clearing { return rowsOf(clearings[:], name) }
