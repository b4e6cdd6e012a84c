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

// kindTranscript is the kind of path for hosts' transcripts, which show calls that no hook has seen.
const kindTranscript = "transcript"

// transcriptFinding is the finding for a change of a transcript.
var transcriptFinding = finding{decision: checkrein.Deny, rule: "self/transcript", final: true, mark: FinalTranscript, what: "a transcript of an agent's calls",
	advice: "it shows what agents did, so agents may read it but not change it; to use it with another program, copy it first" + userMayDoIt}

// transcriptRoots returns the directories with transcripts, as written and with symlinks resolved.
func (k *guard) transcriptRoots() []transcript.Root {
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

// isTranscript reports whether abs, which may be a pattern, is the path of a transcript. The file need
// not exist.
func (k *guard) isTranscript(abs string) bool {
	if hasGlob(abs) || strings.ContainsRune(abs, shell.Placeholder) {
		return k.matchesTranscript(abs, nil)
	}
	if !transcript.MayBeTranscript(filepath.Base(abs)) { // a cheap check that excludes most paths
		return false
	}
	abs = filepath.Clean(abs)
	for _, r := range k.transcriptRoots() {
		if below, ok := r.RelPath(abs); ok && r.IsTranscript(below) {
			return true
		}
	}
	return false
}

// isTranscriptParent reports whether abs is a directory below a transcript root that may contain
// transcripts. Replacing it would hide them.
func (k *guard) isTranscriptParent(abs string) bool {
	for _, r := range k.transcriptRoots() {
		if below, ok := r.RelPath(abs); ok && below != "" && r.IsTranscriptDir(below) {
			return true
		}
	}
	return false
}

// anyTranscript calls fn for each transcript at or below top until fn returns true, and reports
// whether it did. It also returns true if there are too many transcripts to check.
func (k *guard) anyTranscript(top string, fn func(path string) bool) bool {
	for _, r := range k.transcriptRoots() {
		_, in := r.RelPath(top)
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

// matchesTranscript reports whether the pattern abs, or the search s for it, finds a transcript or,
// unless the search skips directories, a directory with transcripts.
func (k *guard) matchesTranscript(abs string, s *search) bool {
	abs = filepath.Clean(abs)
	fixed, pattern := splitPattern(abs, s != nil)
	if pattern == "" {
		return false
	}
	pattern = strings.ReplaceAll(pattern, string(shell.Placeholder), "*")
	tops := []string{fixed}
	if real := study.RealPath(fixed, true); real != fixed {
		tops = append(tops, real)
	}
	return slices.ContainsFunc(tops, func(top string) bool {
		return k.anyTranscript(top, func(path string) bool {
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

// checkTranscriptsBelow returns the finding for removing, moving or overwriting everything below abs
// if below returns true for a transcript there; real is abs with symlinks resolved.
func (k *guard) checkTranscriptsBelow(abs, real string, below func(string) bool) finding {
	for _, top := range [...]string{abs, real} {
		if fixed, pattern := splitPattern(top, false); pattern != "" {
			top = fixed
		}
		if k.anyTranscript(top, below) {
			return transcriptFinding
		}
		if abs == real {
			break
		}
	}
	return finding{}
}

// checkTranscriptDir returns the finding for a tool that removes the directory path, if it contains
// transcripts.
func (k *guard) checkTranscriptDir(path string) finding {
	abs := filepath.Clean(k.absPath(path))
	if !filepath.IsAbs(abs) || !k.isTranscriptParent(abs) && !k.isTranscriptParent(study.RealPath(abs, false)) {
		return finding{}
	}
	if k.anyTranscript(study.RealPath(abs, false), func(string) bool { return true }) {
		return transcriptFinding
	}
	return finding{}
}

// anyTranscriptFile reports whether same returns true for a transcript in any of the roots.
func (k *guard) anyTranscriptFile(same func(string) bool) bool {
	return slices.ContainsFunc(k.transcriptRoots(), func(r transcript.Root) bool {
		found := false
		r.Walk(r.Path, maxOwnFiles, func(path string) bool {
			found = same(path)
			return !found
		})
		return found
	})
}

// checkHidden returns the finding for e if it leaves transcripts unchanged but makes them unreachable,
// by a symlink in place of their directory or by other permissions of it.
func (k *guard) checkHidden(e *shell.Effect, path string) finding {
	abs := filepath.Clean(k.absPath(path))
	real := study.RealPath(abs, false)
	switch {
	case e.Kind == "chmod" || e.Kind == "chown":
		if (k.isTranscriptParent(abs) || k.isTranscriptParent(real)) && k.anyTranscript(abs, func(string) bool { return true }) {
			return transcriptFinding
		}
	case e.Kind == "write" || e.Kind == "overwrite" || e.Kind == "link":
		words := strings.Fields(e.Words)
		if len(words) > 0 && (words[0] == "ln" || words[0] == "gln" || words[0] == "mount") && (k.isTranscriptParent(abs) || k.isTranscriptParent(real)) {
			return transcriptFinding
		}
	}
	return finding{}
}
