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

// A copier is a program that puts what it is given into a directory, or in place of a file.
type copier struct {
	name    string
	target  string // where it puts a single operand
	folders string // the options with which it takes folders with what is in them; "always" = without one
}

var copiers = [...]copier{
	{name: "cp", folders: "-r -R -a --recursive --archive --parents"}, {name: "gcp", folders: "-r -R -a --recursive --archive --parents"},
	{name: "mv", folders: "always"}, {name: "gmv", folders: "always"}, {name: "ditto", folders: "always"}, {name: "scp", folders: "-r"},
	{name: "install"}, {name: "ginstall"}, {name: "ln", target: "./"}, {name: "gln", target: "./"}, {name: "rsync"},
}

// copierOf returns the row of the program that a call runs; nil = it is no copier.
func copierOf(c *shell.Call) *copier {
	for i := range copiers {
		if copiers[i].name == c.Name {
			return &copiers[i]
		}
	}
	return nil
}

// copied judges where each file that is copied, moved or linked comes to lie, with
// what is in it, and copies of our programs under another name.
func (k *guard) copied(c *shell.Call, all []*shell.Call) finding {
	row := copierOf(c)
	if row == nil {
		if k.streamed(c) {
			return ownCopy
		}
		return finding{}
	}
	sources, target := operands(c, row)
	if target.Text != "" || len(target.From) > 0 {
		target = unknownFolder(c, target)
	}
	var worst finding
	for _, s := range sources {
		if k.ownProgram(s.Text) || slices.ContainsFunc(s.From, func(f *shell.Call) bool { return k.names(f, 0) && slices.Contains(lookups[:], f.Name) }) {
			return ownCopy
		}
		worst.add(k.poured(c, all, s, target))
		if target.Text == "" {
			continue
		}
		list := k.sourcesOf(s)
		if !target.Known() {
			if dir := strings.TrimSuffix(s.Text, "."); strings.HasSuffix(dir, "/") {
				list = k.sourcesOf(shell.Word{Text: dir + "*", Glob: true})
			}
			for _, source := range list {
				worst.add(k.unknownPlaceFinding(shell.Word{Text: source}, target))
			}
			continue
		}
		if name := filepath.Base(s.Text); strings.ContainsRune(name, shell.Hole) || remote(c, s.Text) && hasGlob(name) {
			if strings.HasSuffix(target.Text, "/") || isDir(k.absPath(target.Text)) {
				worst.add(k.unnamedFinding(target.Text, false))
			}
			continue
		}
		if !s.Known() {
			continue
		}
		for _, source := range list {
			if remote(c, source) {
				_, source, _ = strings.Cut(source, ":")
			}
			into := target.Text
			if hasOption(c, "--parents") {
				into = filepath.Join(k.absPath(into), filepath.Dir(source)) + "/"
			}
			worst.add(k.lands(source, into, c.Name))
		}
	}
	return worst
}

// sourcesOf returns the files that a source of a copy stands for.
func (k *guard) sourcesOf(s shell.Word) []string {
	if s.Glob {
		if found, err := filepath.Glob(k.absPath(s.Text)); err == nil && len(found) > 0 {
			return found[:min(len(found), shell.MaxPaths)]
		}
	}
	return []string{s.Text}
}

var ownCopy = finding{decision: checkrein.Deny, rule: "self/programs", final: true, what: "a copy or link of checkrein's programs",
	advice: "checkrein would not recognize its own commands under another name; run it as checkrein"}

// ownProgram reports whether a path is one of our programs.
func (k *guard) ownProgram(path string) bool {
	if !ownName(path) && !hasGlob(path) {
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

// streamed reports whether one of our programs is read into a file or a pipe.
func (k *guard) streamed(c *shell.Call) bool {
	out := func(r shell.Redirect) bool {
		return strings.Contains(r.Op, ">") && r.Target.Text != os.DevNull && !strings.HasSuffix(r.Op, "&")
	}
	if c.Name != "dd" && !slices.ContainsFunc(c.Redir, out) {
		return false
	}
	return slices.ContainsFunc(c.Args, func(w shell.Word) bool {
		return k.ownProgram(strings.TrimPrefix(w.Text, "if=")) || slices.ContainsFunc(w.From, func(f *shell.Call) bool { return slices.Contains(lookups[:], f.Name) && k.names(f, 0) })
	}) || slices.ContainsFunc(c.Redir, func(r shell.Redirect) bool { return r.Op == "<" && k.ownProgram(r.Target.Text) })
}

// operands are what a copier takes and where it puts it.
func operands(c *shell.Call, row *copier) (sources []shell.Word, target shell.Word) {
	r := program.Put{Reading: program.Of(c)}
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

// hasOption reports whether a call has one of the options between blanks.
func hasOption(c *shell.Call, options string) bool {
	r := program.Of(c)
	for option := range strings.FieldsSeq(options) {
		if r.Has(option) == program.Yes {
			return true
		}
	}
	return false
}

// maxLanded bounds the files below a directory that are looked at.
const maxLanded = 2000

// lands judges what a source becomes at its target.
func (k *guard) lands(source, target, program string) finding {
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
			return worst // the effect says it
		}
		return k.landed(from, to)
	}
	if program == "ln" { // in place of a link, too
		to = k.absPath(target)
	}
	w, _ := k.below(from, to)
	return w
}

// below judges what lies below a directory where it comes to lie in another, and reports
// whether that is all of it.
func (k *guard) below(from, to string) (worst finding, whole bool) {
	n := 0
	whole = true
	top := study.RealPath(from, true)
	_ = filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		if n++; err != nil || n > maxLanded {
			whole = false
			return filepath.SkipAll
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			whole = whole && p != top
			return filepath.SkipDir
		}
		if !d.IsDir() && k.ownProgram(p) {
			worst.add(ownCopy)
		}
		if rest, err := filepath.Rel(top, p); err == nil && !d.IsDir() {
			at := filepath.Join(to, rest)
			worst.add(k.landed(p, at))
			// What a link leads to may be another file by then, or a folder.
			whole = whole && (d.Type()&fs.ModeSymlink == 0 || k.over(at).decision == checkrein.NoOpinion)
		}
		return nil
	})
	return worst, whole
}

// landed judges one file that gets the contents of another.
func (k *guard) landed(from, to string) finding {
	w := k.checkChange(to, pathChange{follow: true, results: func() ([][]byte, bool) {
		text, ok := study.ReadBounded(from)
		return [][]byte{text}, ok && text != nil
	}})
	if w.decision != checkrein.Deny {
		return finding{}
	}
	return w
}
