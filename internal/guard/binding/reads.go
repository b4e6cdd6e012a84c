package binding

import (
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
)

// Limits for the bytes and the files that are read for one grant. Of further files, up to maxLooks,
// only the size and the modification time count.
const (
	maxRead     = 8 << 20
	maxReadings = 512
	maxLooks    = 8192
)

// fileDigests collects the files on which a call depends, with digests of their contents.
type fileDigests struct {
	list []string
	seen map[string]bool
	size int64
}

// digest returns a digest of all files, or "" if there are none.
func (r *fileDigests) digest() string {
	if len(r.list) == 0 {
		return ""
	}
	return digestList(r.list...)
}

// addSettings adds the settings files of a program.
func (r *fileDigests) addSettings(program string, p *shell.Place) {
	for i := range aims {
		if !slices.Contains(strings.Fields(aims[i].programs), program) {
			continue
		}
		for _, name := range strings.Fields(aims[i].variables) {
			for _, file := range filepath.SplitList(os.Getenv(name)) {
				r.addFile(study.AbsFromDir(file, p))
			}
		}
		for _, file := range strings.Fields(aims[i].files) {
			r.addPattern(study.AbsFromDir(file, p))
		}
	}
}

// addPattern adds the files that match the path file, in which elements may be *.
func (r *fileDigests) addPattern(file string) {
	dir, rest, more := strings.Cut(file, string(filepath.Separator)+"*")
	if !more {
		r.addFile(file)
		return
	}
	for _, entry := range r.readDir(dir) {
		r.addPattern(filepath.Join(dir, entry.Name()) + rest)
	}
}

// addNamed adds the files that words name, except those in beside. If wide is set, it also adds the
// settings files in directories that words name and in the directory where the call runs, because they
// determine what is meant.
func (r *fileDigests) addNamed(words, beside []string, wide bool, p *shell.Place) {
	dirs := []string{}
	for _, w := range words {
		file := study.AbsFromDir(w, p)
		info, err := os.Stat(file)
		switch {
		case err != nil || slices.Contains(beside, file):
		case info.Mode().IsRegular():
			if text := r.addFile(file); wide {
				r.addReferences(filepath.Dir(file), text)
			}
		case info.IsDir() && file != p.Dir:
			dirs = append(dirs, file)
		}
	}
	if !wide {
		return
	}
	for _, w := range words {
		r.addSettings(path.Base(w), p)
	}
	r.addDir(p.Dir, 1)
	for _, dir := range dirs {
		r.addDir(dir, dirLevels)
		for _, w := range words {
			r.addSettings(path.Base(w), &shell.Place{Dir: dir, Home: p.Home})
		}
	}
}

// dirLevels limits how many levels of a directory that a call names are searched.
const dirLevels = 4

// fileWords returns the parts of text that may be names of files: its words, quoted strings, and what
// follows a punctuation mark in a word, as in --file=x, -fx, @x and open("x").
func fileWords(text string) []string {
	var out []string
	add := func(w string) {
		if w != "" && len(w) < 1024 && len(out) < maxReadings && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	for _, w := range strings.Fields(text) {
		add(w)
		for _, part := range strings.FieldsFunc(w, func(r rune) bool { return strings.ContainsRune("=,:;@<>|&()[]{}'\"`$", r) }) {
			add(part)
			if len(part) > 2 && part[0] == '-' && part[1] != '-' {
				add(part[2:])
			}
		}
	}
	for _, quoted := range strings.FieldsFunc(text, func(r rune) bool { return r == '"' || r == '\'' }) {
		add(quoted)
	}
	return out
}

// addDir adds the settings files in dir and in its subdirectories, down to the given number of levels.
func (r *fileDigests) addDir(dir string, levels int) {
	if r.skipPath(dir + "/" + strconv.Itoa(levels)) {
		return
	}
	for _, entry := range r.readDir(dir) { // programs cannot read it either if this fails
		switch name := entry.Name(); {
		case !entry.IsDir() && isSettingsFile(name):
			r.addReferences(dir, r.addFile(filepath.Join(dir, name)))
		case entry.IsDir() && levels > 1 && name != ".git" && name != "node_modules":
			r.addDir(filepath.Join(dir, name), levels-1)
		}
	}
}

// readDir returns the sorted entries of dir. If there are more than maxLooks, it returns some of them
// and adds the modification time of the directory.
func (r *fileDigests) readDir(dir string) []fs.DirEntry {
	f, err := study.OpenNonblock(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	list, _ := f.ReadDir(maxLooks)
	if info, err := f.Stat(); err == nil && len(list) == maxLooks {
		r.list = append(r.list, dir, info.ModTime().UTC().String())
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list
}

// addReferences adds the files to which text, a settings file in dir, refers by relative paths, such
// as the base of an overlay or a module.
func (r *fileDigests) addReferences(dir, text string) {
	for _, w := range strings.FieldsFunc(text, func(c rune) bool { return c <= ' ' || strings.ContainsRune("\"'`,:=()[]{}<>", c) }) {
		if !strings.HasPrefix(w, "./") && !strings.HasPrefix(w, "../") || len(w) > 1024 {
			continue
		}
		file := filepath.Join(dir, w)
		if info, err := os.Stat(file); err == nil && info.IsDir() {
			r.addDir(file, 1)
		} else if err == nil {
			r.addFile(file)
		}
	}
}

// isSettingsFile reports whether programs read settings from files called name.
func isSettingsFile(name string) bool {
	return strings.HasPrefix(name, ".env") || strings.HasPrefix(name, "Dockerfile") || slices.Contains(settingsNames[:], name) || slices.Contains(settingsEndings[:], filepath.Ext(name))
}

var (
	settingsNames   = [...]string{".npmrc", ".yarnrc", ".pypirc", ".s3cfg", "Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", "Rakefile", "Procfile", "Vagrantfile", "hosts", "inventory"}
	settingsEndings = [...]string{".tf", ".tfvars", ".hcl", ".toml", ".yaml", ".yml", ".json", ".ini", ".cfg", ".conf", ".properties", ".gradle", ".gemspec"}
)

// addFile adds file if it exists: a digest of its contents or, if it is large, its size and
// modification time. It returns the contents if it has read them.
func (r *fileDigests) addFile(file string) string {
	if r.skipPath(file) {
		return ""
	}
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	said := ""
	what := strconv.FormatInt(info.Size(), 10) + " " + info.ModTime().UTC().String()
	if len(r.seen) <= maxReadings && info.Size() <= study.MaxSettings && r.size+info.Size() <= maxRead {
		if text, ok := readRegular(file, info.Size()); ok {
			r.size += info.Size()
			said, what = text, digestList(text)
		}
	}
	r.list = append(r.list, file, what)
	return said
}

// skipPath reports whether path was added before or there are too many paths. Otherwise it records
// path.
func (r *fileDigests) skipPath(path string) bool {
	if r.seen[path] || len(r.seen) >= maxLooks {
		return true
	}
	if r.seen == nil {
		r.seen = make(map[string]bool)
	}
	r.seen[path] = true
	return false
}

// readRegular returns the contents of the regular file, if it has at most size bytes. It does not
// block if a pipe has replaced the file.
func readRegular(file string, size int64) (string, bool) {
	f, err := study.OpenNonblock(file)
	if err != nil {
		return "", false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	text, err := io.ReadAll(io.LimitReader(f, size+1))
	return string(text), err == nil && int64(len(text)) <= size
}
