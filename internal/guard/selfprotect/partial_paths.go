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

// stateNames lists names of files that only checkrein uses.
var stateNames = [...]string{"grants.json", "pause.json", "trust.json", "blocks.lock", "checkrein.yaml"}

// checkPartialPath returns the finding for a change of a path that is not fully known. It may be one
// of checkrein's own if its known part leads there, or if only checkrein uses its file name.
func (k *guard) checkPartialPath(e *shell.Effect, path string) finding {
	if e.Kind == "delete" || isReadEffect(e) {
		return finding{} // checkRemoval handles deletions
	}
	abs := filepath.ToSlash(filepath.Clean(k.absPath(path)))
	hole := strings.ContainsRune(path, shell.Placeholder)
	// find -execdir runs the command in the directory of each match.
	found := strings.HasPrefix(e.Words, "find ") && strings.Contains(e.Words, " -execdir ")
	// The pattern of a search stands for the directories of its matches.
	sought := slices.ContainsFunc(strings.Split(filepath.Dir(abs), "/"), func(part string) bool { return slices.Contains(stateNames[:], part) })
	if (hole || found || sought || strings.Contains(path, "{}")) && slices.Contains(stateNames[:], filepath.Base(abs)) {
		return searchFinding
	}
	if hole || !hasGlob(abs) {
		return finding{}
	}
	if dir, ok := k.findOwn(func(dir string) bool { return patternInDir(abs, filepath.ToSlash(dir)) && exists(dir) }); ok {
		return k.ownFinding(dir).forTree(abs, dir)
	}
	return finding{}
}

// patternInDir reports whether pattern matches dir or something below it.
func patternInDir(pattern, dir string) bool {
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

// keyFiles lists the secret keys in the state directory: for the ledger and its grants, for
// certificates, for hooks' child processes, and for the local server.
var keyFiles = [...]string{"ledger/key", "machine.key", "inside.key", "serve-token"}

// mayBeKey reports whether file may be the path of a key. Symlinks to keys need no check, because
// creating them is denied.
func mayBeKey(file string) bool {
	base := filepath.Base(file)
	return hasGlob(file) || slices.ContainsFunc(keyFiles[:], func(key string) bool { return path.Base(key) == base })
}

// checkKeyRead returns the finding for reading path if it may be a key. The key of the ledger makes it
// possible to create grants, the others to forge what they sign.
func (k *guard) checkKeyRead(path string) finding {
	if !mayBeKey(path) {
		return finding{}
	}
	abs := study.RealPath(filepath.Clean(k.absPath(path)), true)
	var w finding
	check := func(dir string) bool {
		for _, name := range keyFiles {
			key := filepath.Join(dir, filepath.FromSlash(name))
			if abs == key || hasGlob(abs) && patternInDir(filepath.ToSlash(abs), filepath.ToSlash(key)) && exists(key) {
				w = keyFinding
			}
		}
		return w.final
	}
	if !slices.ContainsFunc(k.own, check) {
		files.EachOwnPath(&k.real, check)
	}
	return w
}

// metadataPrograms lists programs that do not print the contents of the files in their arguments.
var metadataPrograms = [...]string{"ls", "stat", "test", "[", "[[", "du", "echo", "printf", "find", "realpath", "readlink", "dirname", "basename", "checkrein", "git"}

// checkKeyArgs returns the finding for arguments and redirections of c that name a key, including keys
// named inside code.
func (k *guard) checkKeyArgs(c *shell.Call) finding {
	var worst finding
	for i := range c.Redir {
		worst.merge(k.checkKeyRead(c.Redir[i].Target.Text))
	}
	if slices.Contains(metadataPrograms[:], c.Name) {
		return worst
	}
	for i := range c.Args {
		worst.merge(k.checkKeyRead(strings.TrimPrefix(c.Args[i].Text, "@")))
		if t := c.Args[i].Text; (strings.Contains(t, "key") || strings.Contains(t, "serve-token")) && strings.ContainsAny(t, "('\"=") {
			for _, word := range strings.FieldsFunc(t, func(r rune) bool { return strings.ContainsRune(" \t\n=,;|&<>()@'\"`", r) }) {
				if strings.Contains(word, "/") {
					worst.merge(k.checkKeyRead(word))
				}
			}
		}
	}
	return worst
}

// checkKeyCopy returns the finding for c if it copies or packs a directory with a key.
func (k *guard) checkKeyCopy(c *shell.Call) finding {
	if !slices.Contains(treeCopiers[:], c.Name) {
		return finding{}
	}
	for i := range c.Args {
		t := c.Args[i].Text
		if t == "" || t[0] == '-' || !c.Args[i].IsKnown() {
			continue
		}
		for _, key := range [...]string{"/ledger/key", "/key"} { // all keys are in the ledger's directory or above it
			if w := k.checkKeyRead(strings.TrimRight(t, "/") + key); w.final && exists(k.absPath(t)) {
				return w
			}
		}
	}
	return finding{}
}

// treeCopiers lists programs that copy, move or pack whole directories.
var treeCopiers = [...]string{"cp", "gcp", "tar", "gtar", "bsdtar", "zip", "7z", "rsync", "scp", "cpio", "pax", "mv", "gmv"}

// keyFinding is the finding for access to one of checkrein's secret keys.
var keyFinding = finding{decision: checkrein.Deny, rule: "self/key", final: true, what: "a secret key of checkrein",
	advice: "anyone who has it can forge the user's decisions or proofs"}
