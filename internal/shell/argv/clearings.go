package argv

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A ClearRule describes a command that deletes a directory which a variable, an option, a setting or a
// word names.
type ClearRule struct {
	Program string
	Needs   string // words that must occur; alternatives are separated by |
	Vars    string // variables that name the directory
	Opts    string // options that name it
	Defs    string // definitions that name it: NAME=dir after any option letters
	Set     string // a setting that an earlier call made
	Below   string // the part of a variable's directory that is deleted, if not the whole
	Word    bool   // the first operand after the needed words names it
	Outer   bool   // inside the project this is its purpose
}

// IsClearedDirVar reports whether a variable names a directory that some command deletes.
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

// Match reports whether a call has the words that a rule needs. behind is the index after the last of
// them that is no flag.
func (row *ClearRule) Match(args []shell.Word) (behind int, ok bool) {
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

// DefinitionValue returns the value of NAME=value after -D, -P, -p:, /p: or nothing, without TOML
// quotes, if NAME is one of names.
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

// IsOutputVar reports whether the name of a variable shows that it is a build's output directory.
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

// IsGeneratedDir reports whether the name of a directory shows that its contents are generated.
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

// ClearRulesOf returns the clear rules of a program.
func ClearRulesOf(name string) []ClearRule { return rowsOf(clearRules[:], name) }
