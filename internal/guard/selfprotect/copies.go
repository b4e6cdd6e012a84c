package selfprotect

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A copier is a program that copies, moves or links its operands to a directory or a file.
type copier struct {
	name   string
	target string // the default target if there is a single operand
	dirs   string // options with which it copies directories with their contents; "always" if it needs none
}

var copiers = [...]copier{
	{name: "cp", dirs: "-r -R -a --recursive --archive --parents"}, {name: "gcp", dirs: "-r -R -a --recursive --archive --parents"},
	{name: "mv", dirs: "always"}, {name: "gmv", dirs: "always"}, {name: "ditto", dirs: "always"}, {name: "scp", dirs: "-r"},
	{name: "install"}, {name: "ginstall"}, {name: "ln", target: "./"}, {name: "gln", target: "./"}, {name: "rsync"},
}

// findCopier returns the copier that c runs, or nil if its program is not one.
func findCopier(c *shell.Call) *copier {
	for i := range copiers {
		if copiers[i].name == c.Name {
			return &copiers[i]
		}
	}
	return nil
}

// checkCopy returns the finding for the files that c copies, moves or links, by their destinations and
// contents, and for copies of checkrein's programs under other names.
func (k *guard) checkCopy(c *shell.Call, all []*shell.Call) finding {
	row := findCopier(c)
	if row == nil {
		if k.copiesOwnProgram(c) {
			return ownCopyFinding
		}
		return finding{}
	}
	sources, target := copyOperands(c, row)
	if target.Text != "" || len(target.From) > 0 {
		target = withUnknownDir(c, target)
	}
	var worst finding
	for _, s := range sources {
		if k.isOwnProgram(s.Text) || slices.ContainsFunc(s.From, func(f *shell.Call) bool { return k.searchesOwn(f, 0) && slices.Contains(lookupPrograms[:], f.Name) }) {
			return ownCopyFinding
		}
		worst.merge(k.checkTreeCopy(c, all, s, target))
		if target.Text == "" {
			continue
		}
		list := k.expandSource(s)
		if !target.IsKnown() {
			if dir := strings.TrimSuffix(s.Text, "."); strings.HasSuffix(dir, "/") {
				list = k.expandSource(shell.Word{Text: dir + "*", Glob: true})
			}
			for _, source := range list {
				worst.merge(k.unknownPlaceFinding(shell.Word{Text: source}, target))
			}
			continue
		}
		if name := filepath.Base(s.Text); strings.ContainsRune(name, shell.Placeholder) || isSCPRemote(c, s.Text) && hasGlob(name) {
			if strings.HasSuffix(target.Text, "/") || isDir(k.absPath(target.Text)) {
				worst.merge(k.unnamedFinding(target.Text, false))
			}
			continue
		}
		if !s.IsKnown() {
			continue
		}
		for _, source := range list {
			if isSCPRemote(c, source) {
				_, source, _ = strings.Cut(source, ":")
			}
			into := target.Text
			if hasOption(c, "--parents") {
				into = filepath.Join(k.absPath(into), filepath.Dir(source)) + "/"
			}
			worst.merge(k.checkCopySource(source, into, c.Name))
		}
	}
	return worst
}

// expandSource returns the files that match s, a source of a copy, or its text if it is not a pattern
// or matches none.
func (k *guard) expandSource(s shell.Word) []string {
	if s.Glob {
		if found, err := filepath.Glob(k.absPath(s.Text)); err == nil && len(found) > 0 {
			return found[:min(len(found), shell.MaxPaths)]
		}
	}
	return []string{s.Text}
}

// ownCopyFinding is the finding for a copy or link of checkrein's programs.
var ownCopyFinding = finding{decision: checkrein.Deny, rule: "self/programs", final: true, what: "a copy or link of checkrein's programs",
	advice: "checkrein would not recognize its own commands under another name; run it as checkrein"}

// isOwnProgram reports whether path is one of checkrein's programs, or a pattern that matches one.
func (k *guard) isOwnProgram(path string) bool {
	if !isOwnName(path) && !hasGlob(path) {
		return false
	}
	abs := study.RealPath(k.absPath(path), true)
	return slices.ContainsFunc(k.own, func(p string) bool {
		if !hasGlob(abs) {
			return p == abs
		}
		ok, err := filepath.Match(abs, p)
		return ok && err == nil && exists(p)
	})
}

// copiesOwnProgram reports whether c reads one of checkrein's programs and writes its output to a
// file.
func (k *guard) copiesOwnProgram(c *shell.Call) bool {
	out := func(r shell.Redirect) bool {
		return strings.Contains(r.Op, ">") && r.Target.Text != os.DevNull && !strings.HasSuffix(r.Op, "&")
	}
	if c.Name != "dd" && !slices.ContainsFunc(c.Redir, out) {
		return false
	}
	return slices.ContainsFunc(c.Args, func(w shell.Word) bool {
		return k.isOwnProgram(strings.TrimPrefix(w.Text, "if=")) || slices.ContainsFunc(w.From, func(f *shell.Call) bool { return slices.Contains(lookupPrograms[:], f.Name) && k.searchesOwn(f, 0) })
	}) || slices.ContainsFunc(c.Redir, func(r shell.Redirect) bool { return r.Op == "<" && k.isOwnProgram(r.Target.Text) })
}

// copyOperands returns the sources and the target of a call of the copier row.
func copyOperands(c *shell.Call, row *copier) (sources []shell.Word, target shell.Word) {
	r := program.OutputDir{Reading: program.ReadingOf(c)}
	sources = r.Words
	if dir := r.Value("-t|--target-directory"); dir != "" && c.Name != "rsync" && c.Name != "scp" {
		target.Text = dir
	} else if n := len(sources); n > 1 {
		target, sources = sources[n-1], sources[:n-1]
	}
	if target.Text == "" {
		target.Text = row.target
	}
	return sources, target
}

// hasOption reports whether c has one of options, which are separated by spaces.
func hasOption(c *shell.Call, options string) bool {
	r := program.ReadingOf(c)
	for option := range strings.FieldsSeq(options) {
		if r.Has(option) == program.Yes {
			return true
		}
	}
	return false
}

// maxCopiedFiles limits how many files of a copied directory are checked.
const maxCopiedFiles = 2000

// checkCopySource returns the finding for the files that program writes if it copies source to target.
func (k *guard) checkCopySource(source, target, program string) finding {
	var worst finding
	from := k.absPath(source)
	to := k.absPath(target)
	info, err := os.Stat(to)
	into := err == nil && info.IsDir()
	if (into || strings.HasSuffix(target, "/")) && !(program == "rsync" && strings.HasSuffix(source, "/")) && !strings.HasSuffix(source, "/.") {
		to = filepath.Join(to, filepath.Base(from))
	}
	dir, err := os.Stat(from)
	if err != nil || !dir.IsDir() {
		if !into && target[len(target)-1] != '/' {
			return worst // this file is checked as an effect of the call
		}
		return k.checkCopiedFile(from, to)
	}
	if program == "ln" { // a symlink may replace the target itself
		to = k.absPath(target)
	}
	w, _ := k.checkCopiedTree(from, to)
	return w
}

// checkCopiedTree returns the finding for copying the contents of the directory from to to. It returns
// false for complete if not all files were checked.
func (k *guard) checkCopiedTree(from, to string) (worst finding, complete bool) {
	n := 0
	complete = true
	top := study.RealPath(from, true)
	_ = filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		if n++; err != nil || n > maxCopiedFiles {
			complete = false
			return filepath.SkipAll
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			complete = complete && p != top
			return filepath.SkipDir
		}
		if !d.IsDir() && k.isOwnProgram(p) {
			worst.merge(ownCopyFinding)
		}
		if rest, err := filepath.Rel(top, p); err == nil && !d.IsDir() {
			at := filepath.Join(to, rest)
			worst.merge(k.checkCopiedFile(p, at))
			// A symlink may lead to another file, or to a directory, when the call runs.
			complete = complete && (d.Type()&fs.ModeSymlink == 0 || k.checkUnknownFiles(at).decision == checkrein.NoOpinion)
		}
		return nil
	})
	return worst, complete
}

// checkCopiedFile returns the finding for copying the file from to to, if that is denied.
func (k *guard) checkCopiedFile(from, to string) finding {
	w := k.checkChange(to, pathChange{follow: true, results: func() ([][]byte, bool) {
		text, ok := study.ReadBounded(from)
		return [][]byte{text}, ok && text != nil
	}})
	if w.decision != checkrein.Deny {
		return finding{}
	}
	return w
}
