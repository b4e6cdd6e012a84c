package selfprotect

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	transcript "github.com/checkrein/checkrein/internal/catalog/transcripts"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
)

// kindTranscript is the kind of what hosts write down of an agent's calls: by it people
// find out what no hook has seen.
const kindTranscript = "transcript"

var transcriptFinding = finding{decision: checkrein.Deny, rule: "self/transcript", final: true, mark: FinalTranscript, what: "a transcript of an agent's calls",
	advice: "it shows what agents did, so agents may read it but not change it; to use it with another program, copy it first" + userMayDoIt}

// keeps are the folders in which transcripts lie, as they are named and without links.
func (k *guard) keeps() []transcript.Root {
	if k.roots == nil {
		list := transcript.Roots(k.place.Home, k.getenv)
		for _, r := range list[:len(list):len(list)] {
			if real := study.RealPath(r.Path, true); real != r.Path {
				list = append(list, transcript.Root{Place: r.Place, Path: real})
			}
		}
		k.roots = &list
	}
	return *k.roots
}

// isTranscript reports whether a path, which may be a pattern, is that of a transcript.
// One that does not exist yet is one too.
func (k *guard) isTranscript(abs string) bool {
	if hasGlob(abs) || strings.ContainsRune(abs, shell.Hole) {
		return k.transcriptSwept(abs, nil)
	}
	if !transcript.Called(filepath.Base(abs)) { // most are not, which costs nothing
		return false
	}
	abs = filepath.Clean(abs)
	for _, r := range k.keeps() {
		if below, ok := r.Below(abs); ok && r.Holds(below) {
			return true
		}
	}
	return false
}

// onTheWay reports whether a path is a folder through which transcripts are found. What
// takes its place leads elsewhere.
func (k *guard) onTheWay(abs string) bool {
	for _, r := range k.keeps() {
		if below, ok := r.Below(abs); ok && below != "" && r.Leads(below) {
			return true
		}
	}
	return false
}

// transcriptsAt calls fn with the transcripts that lie at or below a folder, until fn
// returns true, and reports whether it did. Where there are too many to look at, it did.
func (k *guard) transcriptsAt(top string, fn func(path string) bool) bool {
	for _, r := range k.keeps() {
		_, in := r.Below(top)
		if !in && !study.InDir(r.Path, top) {
			continue
		}
		found := false
		whole := r.Walk(top, maxOwnFiles, func(path string) bool {
			found = fn(path)
			return !found
		})
		if found || !whole {
			return true
		}
	}
	return false
}

// transcriptSwept reports whether a pattern, or a search, finds a transcript or, unless
// folders stay, one that transcripts lie in.
func (k *guard) transcriptSwept(abs string, s *search) bool {
	abs = filepath.Clean(abs)
	fixed, pattern := splitPattern(abs, s != nil)
	if pattern == "" {
		return false
	}
	pattern = strings.ReplaceAll(pattern, string(shell.Hole), "*")
	tops := []string{fixed}
	if real := study.RealPath(fixed, true); real != fixed {
		tops = append(tops, real)
	}
	return slices.ContainsFunc(tops, func(top string) bool {
		return k.transcriptsAt(top, func(path string) bool {
			if matchesBelow(top, pattern, path, s) {
				return true
			}
			for dir := filepath.Dir(path); (s == nil || !s.files) && dir != top && study.InDir(dir, top); dir = filepath.Dir(dir) {
				if matchesBelow(top, pattern, dir, s) {
					return true
				}
			}
			return false
		})
	})
}

// transcriptsBelow judges taking away, moving or overwriting all below a path.
func (k *guard) transcriptsBelow(abs, real string, below func(string) bool) finding {
	for _, top := range [...]string{abs, real} {
		if fixed, pattern := splitPattern(top, false); pattern != "" {
			top = fixed
		}
		if k.transcriptsAt(top, below) {
			return transcriptFinding
		}
		if abs == real {
			break
		}
	}
	return finding{}
}

// holdsTranscripts judges a directory that is taken away by a tool.
func (k *guard) holdsTranscripts(path string) finding {
	abs := filepath.Clean(k.absPath(path))
	if !filepath.IsAbs(abs) || !k.onTheWay(abs) && !k.onTheWay(study.RealPath(abs, false)) {
		return finding{}
	}
	if k.transcriptsAt(study.RealPath(abs, false), func(string) bool { return true }) {
		return transcriptFinding
	}
	return finding{}
}

// otherName reports whether a file is a transcript by another name.
func (k *guard) otherName(same func(string) bool) bool {
	return slices.ContainsFunc(k.keeps(), func(r transcript.Root) bool {
		found := false
		r.Walk(r.Path, maxOwnFiles, func(path string) bool {
			found = same(path)
			return !found
		})
		return found
	})
}

// hidesTranscripts judges an effect that leaves transcripts as they are, and makes that
// nobody finds or reads them: a link in place of their folder, or other rights of it.
func (k *guard) hidesTranscripts(e *shell.Effect, path string) finding {
	abs := filepath.Clean(k.absPath(path))
	real := study.RealPath(abs, false)
	switch {
	case e.Kind == "chmod" || e.Kind == "chown":
		if (k.onTheWay(abs) || k.onTheWay(real)) && k.transcriptsAt(abs, func(string) bool { return true }) {
			return transcriptFinding
		}
	case e.Kind == "write" || e.Kind == "overwrite" || e.Kind == "link":
		words := strings.Fields(e.Words)
		if len(words) > 0 && (words[0] == "ln" || words[0] == "gln" || words[0] == "mount") && (k.onTheWay(abs) || k.onTheWay(real)) {
			return transcriptFinding
		}
	}
	return finding{}
}
