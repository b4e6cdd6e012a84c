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

// A search describes how a command finds the files that it changes: by name, at any depth below a
// directory.
type search struct {
	depth  int    // the maximum depth; 0 means unlimited
	files  bool   // it does not find directories
	hidden bool   // it finds names that begin with a dot
	words  string // the words of the search command
}

// finders lists programs that search for names at any depth.
var finders = [...]string{"find", "gfind", "bfs", "fd", "fdfind"}

// findSearchCommand returns the deepest search among the effects in r, or nil if there is none.
func findSearchCommand(r *shell.Report) *search {
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
				s.depth, _ = strconv.Atoi(next) // a value that is not a number means no limit
			case "-delete":
				s.files = true // -delete removes empty directories only
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

// hasExclusions reports whether the search excludes files. It does not matter which ones.
func (s *search) hasExclusions() bool {
	return slices.ContainsFunc(strings.Fields(s.words), func(w string) bool { return w == "!" || w == "-not" || w == "-prune" || w == "-E" || w == "--exclude" })
}

// checkPattern returns the finding for changing everything that the pattern path, or the search s for
// it, may find. The search may be nil.
func (k *guard) checkPattern(path string, s *search) finding {
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
		return slices.ContainsFunc(tops, func(top string) bool { return study.InDir(dir, top) && patternFindsOwn(top, pattern, dir, s) })
	}); ok {
		return k.ownFinding(dir).forTree(abs, dir)
	}
	if k.matchesTranscript(abs, s) {
		return transcriptFinding
	}
	if s == nil || !s.hidden || s.hasExclusions() {
		return finding{}
	}
	return k.findWired(func(p string, f *hostfiles.File) bool {
		return slices.ContainsFunc(tops, func(top string) bool { return study.InDir(p, top) && matchesBelow(top, pattern, p, s) }) && exists(p) && mayBeWired(f, p)
	})
}

// splitPattern splits abs before its first element with a wildcard or placeholder. If searched is set,
// the last element counts as a pattern anyway. Both results are "" if there is no pattern.
func splitPattern(abs string, searched bool) (fixed, pattern string) {
	if abs == "/" {
		return "", ""
	}
	i := strings.IndexAny(abs, "*?[{"+string(shell.Placeholder))
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

// maxOwnFiles limits how many protected files are matched against a pattern. If there are more, the
// pattern counts as matching.
const maxOwnFiles = 2000

// patternFindsOwn reports whether pattern, below top, matches own, which is one of checkrein's paths,
// or something below it. Unless the search skips directories, parent directories of own count as well.
func patternFindsOwn(top, pattern, own string, s *search) bool {
	if !exists(own) {
		return false
	}
	if s == nil || !s.files {
		for dir := own; dir != top && study.InDir(dir, top); dir = filepath.Dir(dir) {
			if matchesBelow(top, pattern, dir, s) {
				return true
			}
		}
	}
	if s == nil && !strings.Contains(pattern, "**") { // all paths below own begin with own
		want := strings.Split(pattern, "/")
		n := min(len(want), 1+strings.Count(relPath(top, own), "/"))
		if fits := matchesBelow(top, strings.Join(want[:n], "/"), own, nil); !fits || n == len(want) {
			return fits
		}
	}
	seen, found := 0, false
	_ = filepath.WalkDir(own, func(path string, d fs.DirEntry, err error) error { // unreadable entries are skipped
		seen++
		found = found || seen > maxOwnFiles || err == nil && !(d.IsDir() && s != nil && s.files) && matchesBelow(top, pattern, path, s)
		if found {
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// relPath returns path relative to top, which contains it.
func relPath(top, path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, top), string(filepath.Separator))
}

// matchesBelow reports whether pattern, below top, or the search s for it may find path. A * matches
// names that begin with a dot, because a shell may be configured that way.
func matchesBelow(top, pattern, path string, s *search) bool {
	rel := relPath(top, path)
	have, want := strings.Split(rel, "/"), strings.Split(pattern, "/")
	switch {
	case s != nil && s.depth > 0 && len(have) > s.depth:
		return false
	case s != nil && len(want) == 1:
		return files.MatchGlob(pattern, have[len(have)-1])
	case s != nil || strings.Contains(pattern, "**"):
		return files.MatchGlob(strings.ReplaceAll(pattern, "**/", "*"), rel)
	case len(want) > len(have):
		return false
	}
	for i := range want {
		if !files.MatchGlob(want[i], have[i]) {
			return false
		}
	}
	return true
}

// checkCleaned returns the finding for removing untracked files below dir, as git clean does.
func (k *guard) checkCleaned(dir string) finding {
	if k.place.Root != "" && study.InDir(filepath.Clean(k.absPath(dir)), k.place.Root) {
		return k.checkPattern(strings.TrimSuffix(k.absPath(dir), "/")+"/*", nil) // Git can restore the settings of hosts in a project
	}
	return k.checkTree(dir)
}

// checkRemovedWords returns the finding for e, an effect without known paths, if it removes or
// replaces what its words name.
func (k *guard) checkRemovedWords(e *shell.Effect) finding {
	var w finding
	if e.Kind != "delete" && e.Kind != "move" && e.Kind != "overwrite" {
		return w
	}
	for _, word := range strings.Fields(e.Words) {
		if _, value, ok := strings.Cut(word, "="); ok {
			word = value
		}
		if filepath.IsAbs(word) || word == "~" || strings.HasPrefix(word, "~/") {
			w.merge(k.checkTree(word))
		}
	}
	return w
}
