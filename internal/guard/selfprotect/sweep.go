package selfprotect

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/files"
)

// A search is how a command finds what it changes: by names, at any depth below a
// directory.
type search struct {
	depth  int    // how far down, 0 = as far as there is something
	files  bool   // directories stay
	hidden bool   // names with a dot before them count too
	words  string // what says so
}

// finders are the programs that look for names at any depth.
var finders = [...]string{"find", "gfind", "bfs", "fd", "fdfind"}

// searchOf is the search that a command begins with; nil = there is none.
func searchOf(r *shell.Report) *search {
	var out *search
	for i := range r.Effects {
		words := strings.Fields(r.Effects[i].Words)
		if len(words) == 0 || !slices.Contains(finders[:], words[0]) {
			continue
		}
		s := search{words: r.Effects[i].Words, hidden: !strings.HasPrefix(words[0], "fd") || slices.ContainsFunc(words, func(w string) bool { return w == "-H" || w == "-u" || w == "--hidden" || w == "--unrestricted" })}
		for k, w := range words[1:] {
			next := words[min(k+2, len(words)-1)]
			switch w {
			case "-maxdepth", "--max-depth", "-d":
				s.depth, _ = strconv.Atoi(next) // what is no number limits nothing
			case "-delete":
				s.files = true // directories go only when nothing is left in them
			case "-type":
				s.files = s.files || next == "f"
			}
		}
		if out == nil || s.depth == 0 || out.depth != 0 && s.depth > out.depth {
			out = &s
		}
	}
	return out
}

// spares reports whether a search leaves something out: what, is not looked at.
func (s *search) spares() bool {
	return slices.ContainsFunc(strings.Fields(s.words), func(w string) bool { return w == "!" || w == "-not" || w == "-prune" || w == "-E" || w == "--exclude" })
}

// swept judges a change of all that a pattern, or a search for a name, may find.
func (k *guard) swept(path string, s *search) finding {
	abs := filepath.Clean(k.absPath(path))
	fixed, pattern := splitPattern(abs, s != nil)
	if pattern == "" {
		return finding{}
	}
	tops := []string{fixed}
	if real := study.RealPath(fixed, true); real != fixed {
		tops = append(tops, real)
	}
	if dir, ok := k.findOwn(func(dir string) bool {
		return slices.ContainsFunc(tops, func(top string) bool { return study.InDir(dir, top) && reached(top, pattern, dir, s) })
	}); ok {
		return k.ownFinding(dir).forTree(abs, dir)
	}
	if k.transcriptSwept(abs, s) {
		return transcriptFinding
	}
	if s == nil || !s.hidden || s.spares() {
		return finding{}
	}
	return k.findWired(func(p string, f *hostfiles.File) bool {
		return slices.ContainsFunc(tops, func(top string) bool { return study.InDir(p, top) && fitsBelow(top, pattern, p, s) }) && exists(p) && mayBeWired(f, p)
	})
}

// splitPattern is a path up to its first part that is a pattern, and the rest; of a
// search the last part is one anyway.
func splitPattern(abs string, searched bool) (fixed, pattern string) {
	if abs == "/" {
		return "", ""
	}
	i := strings.IndexAny(abs, "*?[{"+string(shell.Hole))
	if i < 0 && !searched {
		return "", ""
	}
	if i < 0 {
		i = len(abs)
	}
	i = strings.LastIndexByte(abs[:i], filepath.Separator)
	if i < 0 {
		return "", ""
	}
	return max(abs[:i], string(filepath.Separator)), abs[i+1:]
}

// maxOurs bounds how many of our files are held against a pattern; where there are
// more, it fits.
const maxOurs = 2000

// reached reports whether a pattern below a directory fits something of ours: a place of
// it, what is in there or, unless directories stay, what it lies in.
func reached(top, pattern, own string, s *search) bool {
	if !exists(own) {
		return false
	}
	if s == nil || !s.files {
		for dir := own; dir != top && study.InDir(dir, top); dir = filepath.Dir(dir) {
			if fitsBelow(top, pattern, dir, s) {
				return true
			}
		}
	}
	if s == nil && !strings.Contains(pattern, "**") { // what lies in it begins as its own path does
		want := strings.Split(pattern, "/")
		n := min(len(want), 1+strings.Count(relBelow(top, own), "/"))
		if fits := fitsBelow(top, strings.Join(want[:n], "/"), own, nil); !fits || n == len(want) {
			return fits
		}
	}
	seen, found := 0, false
	_ = filepath.WalkDir(own, func(path string, d fs.DirEntry, err error) error { // what cannot be read cannot be told apart
		seen++
		found = found || seen > maxOurs || err == nil && !(d.IsDir() && s != nil && s.files) && fitsBelow(top, pattern, path, s)
		if found {
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// relBelow returns the part of a path behind a folder that it lies in.
func relBelow(top, path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, top), string(filepath.Separator))
}

// fitsBelow reports whether a pattern below a directory, or a search there, may find a
// path. A shell may be told that * fits names with a dot before them.
func fitsBelow(top, pattern, path string, s *search) bool {
	rel := relBelow(top, path)
	have, want := strings.Split(rel, "/"), strings.Split(pattern, "/")
	switch {
	case s != nil && s.depth > 0 && len(have) > s.depth:
		return false
	case s != nil && len(want) == 1:
		return files.Fits(pattern, have[len(have)-1])
	case s != nil || strings.Contains(pattern, "**"):
		return files.Fits(strings.ReplaceAll(pattern, "**/", "*"), rel)
	case len(want) > len(have):
		return false
	}
	for i := range want {
		if !files.Fits(want[i], have[i]) {
			return false
		}
	}
	return true
}

// emptied judges a directory out of which everything may go that its own files do not
// name, such as by git clean.
func (k *guard) emptied(dir string) finding {
	if k.place.Root != "" && study.InDir(filepath.Clean(k.absPath(dir)), k.place.Root) {
		return k.swept(strings.TrimSuffix(k.absPath(dir), "/")+"/*", nil) // the wiring of a project is git's to keep
	}
	return k.checkTree(dir)
}

// goneBy judges an effect that takes away or replaces what its words name, and of which
// no path is known.
func (k *guard) goneBy(e *shell.Effect) finding {
	var w finding
	if e.Kind != "delete" && e.Kind != "move" && e.Kind != "overwrite" {
		return w
	}
	for _, word := range strings.Fields(e.Words) {
		if _, value, ok := strings.Cut(word, "="); ok {
			word = value
		}
		if filepath.IsAbs(word) || word == "~" || strings.HasPrefix(word, "~/") {
			w.add(k.checkTree(word))
		}
	}
	return w
}
