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

// checkTreeCopy returns the finding for c if it copies or moves a directory tree over a protected
// path, unless everything in the tree is known to be harmless there.
func (k *guard) checkTreeCopy(c *shell.Call, all []*shell.Call, source, target shell.Word) finding {
	var worst finding
	if target.Text == "" || !target.IsKnown() || !copiesDirs(c) || isSCPRemote(c, target.Text) {
		return worst
	}
	for _, to := range k.copyDestinations(c, source.Text, target.Text) {
		if w := k.checkUnknownFiles(to); w.decision != checkrein.NoOpinion && !k.isHarmlessSource(c, all, source, to) {
			worst.merge(w)
		}
	}
	return worst
}

// copiesDirs reports whether c copies or moves directories with their contents.
func copiesDirs(c *shell.Call) bool {
	row := findCopier(c)
	return row != nil && (row.dirs == "always" || row.dirs != "" && hasOption(c, row.dirs))
}

// isSCPRemote reports whether c is scp and text is a path on another machine.
func isSCPRemote(c *shell.Call, text string) bool {
	host, _, ok := strings.Cut(text, ":")
	return c.Name == "scp" && ok && !strings.Contains(host, "/")
}

// copyDestinations returns the directories to which the contents of source may be copied if c copies
// it to target.
func (k *guard) copyDestinations(c *shell.Call, source, target string) []string {
	to := filepath.Clean(k.absPath(target))
	name := strings.TrimRight(source, "/")
	if isSCPRemote(c, name) {
		_, name, _ = strings.Cut(name, ":")
	}
	whole := name
	name = name[strings.LastIndexByte(name, '/')+1:]
	unknown := name != "" && strings.Trim(name, string(shell.Placeholder)) == ""
	name = strings.ReplaceAll(name, string(shell.Placeholder), "*")
	in := filepath.Join(to, name)
	switch {
	case unknown && (c.Name == "mv" || c.Name == "gmv" || k.place.Root != "" && study.InDir(to, k.place.Root)):
		return nil // mv does not replace a directory unless it is empty, and Git can restore a project
	case unknown:
		return []string{to}
	case name == "" || name == "." || name == ".." || c.Name != "scp" && hasOption(c, "-T --no-target-directory"):
		return []string{to}
	case hasOption(c, "--parents"):
		if strings.ContainsRune(whole, shell.Placeholder) {
			return []string{to} // the first element of the copied path is unknown
		}
		return []string{filepath.Join(to, whole)}
	case c.Name == "ditto" || c.Name == "cp" && runtime.GOOS == "darwin" && strings.HasSuffix(source, "/"):
		return []string{to, in} // the contents may be copied without the directory itself
	}
	if info, err := os.Stat(to); err == nil && info.IsDir() {
		return []string{in}
	}
	return []string{to, in} // depends on whether the target exists when the call runs
}

// checkUnknownFiles returns the finding for writing unknown files into the directory to, which need
// not exist. They may replace checkrein's files, or be read as such once they exist.
func (k *guard) checkUnknownFiles(to string) finding {
	w := k.checkTree(to)
	if w.isStrictest() {
		return w
	}
	if isSettingsDir(to) {
		w.merge(k.settingsDirFinding(to))
	}
	real := study.RealPath(to, true)
	reads := func(p string) bool {
		switch filepath.Base(filepath.Dir(p)) {
		case "bin", "share", ".cache", "Caches":
			return false // programs do not read files there unless they installed them
		}
		return study.InDir(p, real) || study.InDir(p, to) || files.DirContains(to, p, &k.place)
	}
	if p, ok := k.findOwn(func(p string) bool { return !slices.Contains(k.programs, p) && reads(p) }); ok {
		return k.ownFinding(p).forTree(to, p)
	}
	for _, r := range k.transcriptRoots() {
		for _, at := range [...]string{to, real} {
			if below, ok := r.RelPath(at); ok && below != "" && r.IsTranscriptDir(below) || study.InDir(r.Path, at) && exists(r.Path) {
				w.merge(transcriptFinding)
			}
		}
	}
	return w
}

// isHarmlessSource reports whether source exists, no other call of the command may change it, and none
// of its files would be protected in the directory to.
func (k *guard) isHarmlessSource(c *shell.Call, all []*shell.Call, source shell.Word, to string) bool {
	if !source.IsKnown() || source.Glob || len(source.From) > 0 || isSCPRemote(c, source.Text) {
		return false
	}
	from := k.absPath(source.Text)
	info, err := os.Stat(from)
	if err != nil {
		return false
	}
	if k.othersMayWrite(all, c) {
		return false
	}
	if !info.IsDir() {
		return true // checkCopiedFile checks a single file
	}
	w, whole := k.checkCopiedTree(from, to)
	return whole && w.decision == checkrein.NoOpinion
}

// othersMayWrite reports whether one of the calls all, other than but, may change files, so that a
// directory may have other contents when but runs.
func (k *guard) othersMayWrite(all []*shell.Call, but *shell.Call) bool {
	return slices.ContainsFunc(all, func(c *shell.Call) bool {
		return c != but && c.Remote == "" && !k.reads[c] && c.Name != "cd" && c.Name != "mkdir" && c.Name != "echo"
	})
}
