// Package rewrite lists the calls that change files and do not contain what they write, such as git checkout. What
// such a file contained before must not be taken for what it contains afterwards.
package rewrite

//go:generate go run ../argv/gen

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A Rule describes calls that change files in a directory.
type Rule struct {
	Program string
	Words   string // the first words of the call; alternatives for each are separated by |
	Needs   string // flags of which the call must have one, separated by |
	Skip    string // flags with which it changes no file, separated by |
	Into    string // the option that names the directory
	Names   bool   // operands that name existing files are all that it changes
	Commit  bool   // operands name the commits whose files it takes
	Diff    bool   // it changes the files that a patch among its operands names
	Creates bool   // it creates files in the directory, not only below new directories
}

// A Rewrite is a call that changes files according to a rule.
type Rewrite struct {
	*Rule
	program.Reading
	Operands []shell.Word // without those that the rule needs
}

// Find returns the rewrite that c is. It reports false if c changes no files in such a way.
func Find(c *shell.Call) (Rewrite, bool) {
	at, ok := slices.BinarySearchFunc(rules[:], c.Name, func(r Rule, name string) int { return strings.Compare(r.Program, name) })
	if !ok || c.Remote != "" {
		return Rewrite{}, false
	}
	r := Rewrite{Reading: program.ReadingOf(c)}
	for ; at < len(rules) && rules[at].Program == c.Name; at++ {
		r.Rule, r.Operands = &rules[at], r.Reading.Words
		if r.matches() {
			return r, !r.Commit || r.takesPrivateCommit() || r.Names && r.Dash >= 0
		}
	}
	return Rewrite{}, false
}

// matches reports whether the rule of r applies to the call. It removes the words that the rule needs from the
// operands.
func (r *Rewrite) matches() bool {
	for want := range strings.FieldsSeq(r.Rule.Words) {
		if len(r.Operands) == 0 || !program.MatchesOneOf(want, r.Operands[0].Text) {
			return false
		}
		r.Operands = r.Operands[1:]
	}
	return (r.Needs == "" || r.hasFlag(r.Needs)) && !r.hasFlag(r.Skip)
}

// hasFlag reports whether the call has one of flags, which are separated by |.
func (r *Rewrite) hasFlag(flags string) bool {
	for flag := range strings.SplitSeq(flags, "|") {
		if flag != "" && r.Has(flag) == program.Yes {
			return true
		}
	}
	return false
}

// takesPrivateCommit reports whether one of the operands may be a commit that only this repository has, not a branch
// that others see.
func (r *Rewrite) takesPrivateCommit() bool {
	return slices.ContainsFunc(r.Operands, func(o shell.Word) bool {
		return !strings.HasPrefix(o.Text, "origin/") && !strings.HasPrefix(o.Text, "upstream/") &&
			!facts.InList("main master trunk develop HEAD -", o.Text)
	})
}

// Dir returns the directory whose files change, or "" if it is the working directory.
func (r *Rewrite) Dir() (dir string) {
	for _, f := range r.Flags {
		if f.Early && f.Name == "C" || program.MatchesOneOf(r.Into, f.Raw) {
			dir = f.Value
		}
	}
	return dir
}

// PatchedFiles returns the names of the files that the patch text changes, each with its first element and without.
func PatchedFiles(text string) (out []string) {
	for line := range strings.Lines(text) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "+++ ")
		if name, _, _ = strings.Cut(name, "\t"); !ok || name == "" || name == "/dev/null" {
			continue
		}
		if out = append(out, name); strings.Contains(name, "/") {
			out = append(out, name[strings.IndexByte(name, '/')+1:])
		}
	}
	return out
}

// scriptEndings lists the endings of the names of scripts.
const scriptEndings = "sh bash zsh fish py js mjs cjs ts rb pl php ps1 lua R"

// IsScriptName reports whether path has a name as scripts have.
func IsScriptName(path string) bool {
	return facts.InList(scriptEndings, path[strings.LastIndexByte(path, '.')+1:])
}
