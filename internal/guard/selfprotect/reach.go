package selfprotect

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/files"
)

// stateNames are the names that only what checkrein keeps has.
var stateNames = [...]string{"grants.json", "pause.json", "trust.json", "blocks.lock", "checkrein.yaml"}

// reach judges a change at a path that is not known in full: it may be ours where
// the part that is known leads there, or where only we have a file of that name.
func (k *guard) reach(e *shell.Effect, path string) finding {
	if e.Kind == "delete" || isReadEffect(e) {
		return finding{} // what lies there is looked for elsewhere
	}
	abs := filepath.ToSlash(filepath.Clean(k.absPath(path)))
	hole := strings.ContainsRune(path, shell.Hole)
	// find runs it where it finds something, and xargs with what it is given.
	found := strings.HasPrefix(e.Words, "find ") && strings.Contains(e.Words, " -execdir ")
	// What a search would find stands for where it lies.
	sought := slices.ContainsFunc(strings.Split(filepath.Dir(abs), "/"), func(part string) bool { return slices.Contains(stateNames[:], part) })
	if (hole || found || sought || strings.Contains(path, "{}")) && slices.Contains(stateNames[:], filepath.Base(abs)) {
		return searchFinding
	}
	if hole || !hasGlob(abs) {
		return finding{}
	}
	if dir, ok := k.findOwn(func(dir string) bool { return patternWithin(abs, filepath.ToSlash(dir)) && exists(dir) }); ok {
		return k.ownFinding(dir).forTree(abs, dir)
	}
	return finding{}
}

// patternWithin reports whether a pattern fits a directory or something below it.
func patternWithin(pattern, dir string) bool {
	for dir != "" {
		if pattern == "" {
			return false
		}
		var part, want string
		part, pattern, _ = strings.Cut(pattern, "/")
		want, dir, _ = strings.Cut(dir, "/")
		if ok, err := filepath.Match(part, want); err != nil || !ok || part != want && strings.HasPrefix(want, ".") && !strings.HasPrefix(part, ".") {
			return false
		}
	}
	return true
}

// keys are the secrets in the state directory: of the ledger and its grants, of
// certificates, of hooks' child processes, of the local server.
var keys = [...]string{"ledger/key", "machine.key", "inside.key", "serve-token"}

// mayBeKey reports whether a path can be that of a key. Links to it are not made.
func mayBeKey(file string) bool {
	base := filepath.Base(file)
	return hasGlob(file) || slices.ContainsFunc(keys[:], func(key string) bool { return path.Base(key) == base })
}

// keyRead judges what a call reads: who has the key of the ledger can make grants, who
// has another can forge what it vouches for.
func (k *guard) keyRead(path string) finding {
	if !mayBeKey(path) {
		return finding{}
	}
	abs := study.RealPath(filepath.Clean(k.absPath(path)), true)
	var w finding
	check := func(dir string) bool {
		for _, name := range keys {
			key := filepath.Join(dir, filepath.FromSlash(name))
			if abs == key || hasGlob(abs) && patternWithin(filepath.ToSlash(abs), filepath.ToSlash(key)) && exists(key) {
				w = keyFinding
			}
		}
		return w.final
	}
	if !slices.ContainsFunc(k.own, check) {
		files.Own(&k.real, check)
	}
	return w
}

// listers are the programs that tell about a file and do not show what is in it.
var listers = [...]string{"ls", "stat", "test", "[", "[[", "du", "echo", "printf", "find", "realpath", "readlink", "dirname", "basename", "checkrein", "git"}

// keyGiven judges the words of a call that name the key, alone or in code.
func (k *guard) keyGiven(c *shell.Call) finding {
	var worst finding
	for i := range c.Redir {
		worst.add(k.keyRead(c.Redir[i].Target.Text))
	}
	if slices.Contains(listers[:], c.Name) {
		return worst
	}
	for i := range c.Args {
		worst.add(k.keyRead(strings.TrimPrefix(c.Args[i].Text, "@")))
		if t := c.Args[i].Text; (strings.Contains(t, "key") || strings.Contains(t, "serve-token")) && strings.ContainsAny(t, "('\"=") {
			for _, word := range strings.FieldsFunc(t, func(r rune) bool { return strings.ContainsRune(" \t\n=,;|&<>()@'\"`", r) }) {
				if strings.Contains(word, "/") {
					worst.add(k.keyRead(word))
				}
			}
		}
	}
	return worst
}

// keyCarried judges a directory that is copied or packed with all that is in it.
func (k *guard) keyCarried(c *shell.Call) finding {
	if !slices.Contains(carriers[:], c.Name) {
		return finding{}
	}
	for i := range c.Args {
		t := c.Args[i].Text
		if t == "" || t[0] == '-' || !c.Args[i].Known() {
			continue
		}
		for _, key := range [...]string{"/ledger/key", "/key"} { // every key lies with the ledger's, or above it
			if w := k.keyRead(strings.TrimRight(t, "/") + key); w.final && exists(k.absPath(t)) {
				return w
			}
		}
	}
	return finding{}
}

// carriers are the programs that take a directory along as a whole.
var carriers = [...]string{"cp", "gcp", "tar", "gtar", "bsdtar", "zip", "7z", "rsync", "scp", "cpio", "pax", "mv", "gmv"}

var keyFinding = finding{decision: checkrein.Deny, rule: "self/key", final: true, what: "a secret key of checkrein",
	advice: "anyone who has it can forge the user's decisions or proofs"}
