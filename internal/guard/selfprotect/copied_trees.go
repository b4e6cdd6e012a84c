package selfprotect

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/files"
)

// poured judges a folder that is copied or moved as a whole to where something of ours
// lies. Unless all that is in it is known, it may put anything there.
func (k *guard) poured(c *shell.Call, all []*shell.Call, source, target shell.Word) finding {
	var worst finding
	if target.Text == "" || !target.Known() || !takesFolders(c) || remote(c, target.Text) {
		return worst
	}
	for _, to := range k.ends(c, source.Text, target.Text) {
		if w := k.over(to); w.decision != checkrein.NoOpinion && !k.sure(c, all, source, to) {
			worst.add(w)
		}
	}
	return worst
}

// takesFolders reports whether a copier takes folders with what is in them.
func takesFolders(c *shell.Call) bool {
	row := copierOf(c)
	return row != nil && (row.folders == "always" || row.folders != "" && hasOption(c, row.folders))
}

// remote reports whether scp takes a word for a path on another machine.
func remote(c *shell.Call, text string) bool {
	host, _, ok := strings.Cut(text, ":")
	return c.Name == "scp" && ok && !strings.Contains(host, "/")
}

// ends are the folders that a source may become at its target.
func (k *guard) ends(c *shell.Call, source, target string) []string {
	to := filepath.Clean(k.absPath(target))
	name := strings.TrimRight(source, "/")
	if remote(c, name) {
		_, name, _ = strings.Cut(name, ":")
	}
	whole := name
	name = name[strings.LastIndexByte(name, '/')+1:]
	unknown := name != "" && strings.Trim(name, string(shell.Hole)) == ""
	name = strings.ReplaceAll(name, string(shell.Hole), "*")
	in := filepath.Join(to, name)
	switch {
	case unknown && (c.Name == "mv" || c.Name == "gmv" || k.place.Root != "" && study.InDir(to, k.place.Root)):
		return nil // mv replaces no folder with something in it, and git keeps a project
	case unknown:
		return []string{to}
	case name == "" || name == "." || name == ".." || c.Name != "scp" && hasOption(c, "-T --no-target-directory"):
		return []string{to}
	case hasOption(c, "--parents"):
		if strings.ContainsRune(whole, shell.Hole) {
			return []string{to} // the name of any folder may come first
		}
		return []string{filepath.Join(to, whole)}
	case c.Name == "ditto" || c.Name == "cp" && runtime.GOOS == "darwin" && strings.HasSuffix(source, "/"):
		return []string{to, in} // what is in the folder, without its name
	}
	if info, err := os.Stat(to); err == nil && info.IsDir() {
		return []string{in}
	}
	return []string{to, in} // which one says what lies there by then
}

// over judges putting unknown files into a folder, which need not be there: what is in
// it of ours, or would count as soon as it is there.
func (k *guard) over(to string) finding {
	w := k.checkTree(to)
	if w.isStrictest() {
		return w
	}
	real := study.RealPath(to, true)
	reads := func(p string) bool {
		switch filepath.Base(filepath.Dir(p)) {
		case "bin", "share", ".cache", "Caches":
			return false // no program reads what was never put there
		}
		return study.InDir(p, real) || study.InDir(p, to) || files.Holds(to, p, &k.place)
	}
	if p, ok := k.findOwn(func(p string) bool { return !slices.Contains(k.programs, p) && reads(p) }); ok {
		return k.ownFinding(p).forTree(to, p)
	}
	for _, r := range k.keeps() {
		for _, at := range [...]string{to, real} {
			if below, ok := r.Below(at); ok && below != "" && r.Leads(below) || study.InDir(r.Path, at) && exists(r.Path) {
				w.add(transcriptFinding)
			}
		}
	}
	return w
}

// sure reports whether all is known of what a source puts into a folder: it is there,
// nothing in the same command writes it, and what lies in it can be looked at.
func (k *guard) sure(c *shell.Call, all []*shell.Call, source shell.Word, to string) bool {
	if !source.Known() || source.Glob || len(source.From) > 0 || remote(c, source.Text) {
		return false
	}
	from := k.absPath(source.Text)
	info, err := os.Stat(from)
	if err != nil {
		return false
	}
	if k.mayChange(all, c) {
		return false
	}
	if !info.IsDir() {
		return true // where it lands is judged by what is in it
	}
	w, whole := k.below(from, to)
	return whole && w.decision == checkrein.NoOpinion
}

// mayChange reports whether one of the other calls of a command may change files, so that
// what lies in a folder now need not lie there when the call runs.
func (k *guard) mayChange(all []*shell.Call, but *shell.Call) bool {
	return slices.ContainsFunc(all, func(c *shell.Call) bool {
		return c != but && c.Remote == "" && !k.reads[c] && c.Name != "cd" && c.Name != "mkdir" && c.Name != "echo"
	})
}
