package argv

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A ClearRule describes a command that deletes a directory. The directory is named by a variable, an
// option, a definition, a setting or an operand.
type ClearRule struct {
	Program string
	Needs   string // words that the call must have; alternatives are separated by |
	Vars    string // variables that name the directory
	Opts    string // options that name the directory
	Defs    string // definitions that name the directory, as in -DNAME=dir
	Set     string // a setting that names the directory and that an earlier call made
	Below   string // the subdirectory that is deleted; "" for the whole directory
	Word    bool   // the first operand after the needed words names the directory
	Outer   bool   // the command is meant to delete directories inside the project
}

// IsClearedDirVar reports whether the environment variable name holds a directory that some command
// deletes.
func IsClearedDirVar(name string) bool {
	if len(name) < 6 {
		return false
	}
	for i := range clearRules {
		if v := clearRules[i].Vars; len(v) >= len(name) && facts.InList(v, name) {
			return true
		}
	}
	return false
}

// Match reports whether args contain the words that the rule needs. After is the index after the last
// of them that is not a flag.
func (row *ClearRule) Match(args []shell.Word) (after int, ok bool) {
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
			after = max(after, at+1)
		}
	}
	return after, true
}

// DefinitionValue returns the value of the definition w, without quotes, if it defines one of names. A
// definition has the form NAME=value, after -D, -P, -p:, /p:, --config= or nothing. Otherwise it
// returns w itself and reports false.
func DefinitionValue(w shell.Word, names string) (shell.Word, bool) {
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

// IsOutputVar reports whether the environment variable name holds the output directory of a build, as
// far as its name shows.
func IsOutputVar(name string) bool {
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

// IsGeneratedDir reports whether a directory with the base name base has generated contents, as far as
// its name shows.
func IsGeneratedDir(base string) bool {
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

// ClearRulesOf returns the clear rules of the program with the given name.
func ClearRulesOf(name string) []ClearRule { return rowsNamed(clearRules[:], name) }
