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

// What is read for one grant: so many bytes of so many files. Of further files, up to
// maxLooks, their size and the time of their change count.
const (
	maxRead     = 8 << 20
	maxReadings = 512
	maxLooks    = 8192
)

// readings are the files that a call goes by, in digests of what they hold.
type readings struct {
	list []string
	seen map[string]bool
	size int64
}

func (r *readings) sum() string {
	if len(r.list) == 0 {
		return ""
	}
	return sumOf(r.list...)
}

// settings adds those of a program.
func (r *readings) settings(program string, p *shell.Place) {
	for i := range aims {
		if !slices.Contains(strings.Fields(aims[i].programs), program) {
			continue
		}
		for _, name := range strings.Fields(aims[i].variables) {
			for _, file := range filepath.SplitList(os.Getenv(name)) {
				r.file(study.AbsFromDir(file, p))
			}
		}
		for _, file := range strings.Fields(aims[i].files) {
			r.each(study.AbsFromDir(file, p))
		}
	}
}

// each adds the files that a path names, in which a part may be *.
func (r *readings) each(file string) {
	dir, rest, more := strings.Cut(file, string(filepath.Separator)+"*")
	if !more {
		r.file(file)
		return
	}
	for _, entry := range r.entries(dir) { // without any there are no such settings
		r.each(filepath.Join(dir, entry.Name()) + rest)
	}
}

// named adds the files that words name, beside some. Wide takes the directories that
// they name too, and the one where the call runs: its settings say what is meant.
func (r *readings) named(words, beside []string, wide bool, p *shell.Place) {
	dirs := []string{}
	for _, w := range words {
		file := study.AbsFromDir(w, p)
		info, err := os.Stat(file)
		switch {
		case err != nil || slices.Contains(beside, file):
		case info.Mode().IsRegular():
			if text := r.file(file); wide {
				r.referred(filepath.Dir(file), text)
			}
		case info.IsDir() && file != p.Dir:
			dirs = append(dirs, file)
		}
	}
	if !wide {
		return
	}
	for _, w := range words {
		r.settings(path.Base(w), p)
	}
	r.folder(p.Dir, 1)
	for _, dir := range dirs {
		r.folder(dir, dirLevels)
		for _, w := range words {
			r.settings(path.Base(w), &shell.Place{Dir: dir, Home: p.Home})
		}
	}
}

// dirLevels is how deep a directory is looked at that a call names.
const dirLevels = 4

// wordsIn are what may be names of files in a text: its words, what is quoted in it, and
// what lies behind a mark in a word, as in --file=x, -fx, @x and open("x").
func wordsIn(text string) []string {
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

// folder adds the files in a directory by which programs go, of some levels of it.
func (r *readings) folder(dir string, levels int) {
	if r.saw(dir + "/" + strconv.Itoa(levels)) {
		return
	}
	for _, entry := range r.entries(dir) { // one that cannot be read tells the program nothing either
		switch name := entry.Name(); {
		case !entry.IsDir() && isSettings(name):
			r.referred(dir, r.file(filepath.Join(dir, name)))
		case entry.IsDir() && levels > 1 && name != ".git" && name != "node_modules":
			r.folder(filepath.Join(dir, name), levels-1)
		}
	}
}

// entries are what a directory holds, sorted. Of one that holds very much it is the
// first of it, and when the directory was changed counts too.
func (r *readings) entries(dir string) []fs.DirEntry {
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

// referred adds what settings in a directory refer to by a path from there, such as the
// base of an overlay or a module.
func (r *readings) referred(dir, text string) {
	for _, w := range strings.FieldsFunc(text, func(c rune) bool { return c <= ' ' || strings.ContainsRune("\"'`,:=()[]{}<>", c) }) {
		if !strings.HasPrefix(w, "./") && !strings.HasPrefix(w, "../") || len(w) > 1024 {
			continue
		}
		file := filepath.Join(dir, w)
		if info, err := os.Stat(file); err == nil && info.IsDir() {
			r.folder(file, 1)
		} else if err == nil {
			r.file(file)
		}
	}
}

// isSettings reports whether programs go by files of a name.
func isSettings(name string) bool {
	return strings.HasPrefix(name, ".env") || strings.HasPrefix(name, "Dockerfile") || slices.Contains(settingsNames[:], name) || slices.Contains(settingsEndings[:], filepath.Ext(name))
}

var (
	settingsNames   = [...]string{".npmrc", ".yarnrc", ".pypirc", ".s3cfg", "Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", "Rakefile", "Procfile", "Vagrantfile", "hosts", "inventory"}
	settingsEndings = [...]string{".tf", ".tfvars", ".hcl", ".toml", ".yaml", ".yml", ".json", ".ini", ".cfg", ".conf", ".properties", ".gradle", ".gemspec"}
)

// file adds one file, if it is there: what it holds or, of a big one, its size and when
// it was changed. It returns the text as far as it was read now.
func (r *readings) file(file string) string {
	if r.saw(file) {
		return ""
	}
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	said := ""
	what := strconv.FormatInt(info.Size(), 10) + " " + info.ModTime().UTC().String()
	if len(r.seen) <= maxReadings && info.Size() <= study.MaxSettings && r.size+info.Size() <= maxRead {
		if text, ok := readNow(file, info.Size()); ok {
			r.size += info.Size()
			said, what = text, sumOf(text)
		}
	}
	r.list = append(r.list, file, what)
	return said
}

// saw reports whether a path needs no look: it had one, or there were too many.
func (r *readings) saw(path string) bool {
	if r.seen[path] || len(r.seen) >= maxLooks {
		return true
	}
	if r.seen == nil {
		r.seen = make(map[string]bool)
	}
	r.seen[path] = true
	return false
}

// readNow is what a file of a size holds. Another that takes its place, such as a pipe,
// does not hold it up.
func readNow(file string, size int64) (string, bool) {
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
