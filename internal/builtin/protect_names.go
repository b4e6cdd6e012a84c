package builtin

import (
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wiring"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/files"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// putNames returns the finding for files that a call writes under names that follow
// from a folder, a prefix, a package or an archive. Names that can be computed are
// judged like any path that is written. Where they cannot, the person is asked if the
// folder holds something of checkrein.
func (k *keeper) putNames(c *shell.Call, all []*shell.Call) ward {
	if dir, ok := files.Unpacks(c); ok {
		return k.unnamed(dir.Text, true)
	}
	put, ok := program.Puts(c, k.putValue)
	if !ok {
		return k.putInto(c)
	}
	if put.Names == "none" || put.Dashed && !strings.HasSuffix(put.Dir, "/") && !isDir(k.absolute(put.Dir)) {
		return ward{}
	}
	names, known := k.namesOf(&put, all)
	if !known {
		return k.unnamed(put.Dir, put.Names == "**" || put.Names == "base")
	}
	var worst ward
	for _, name := range names {
		if !filepath.IsAbs(name) {
			name = filepath.Join(k.absolute(put.Dir), name)
		}
		worst.add(k.written(name))
	}
	return worst
}

// putInto returns the finding for folders that a call without a row for it writes into.
func (k *keeper) putInto(c *shell.Call) ward {
	var worst ward
	for _, p := range program.Parts(c) {
		if p.Role == shell.Into && p.Word.Text != "" {
			worst.add(k.unnamed(p.Word.Text, false))
		}
	}
	return worst
}

// putValue looks up where programs put files; see [program.Puts].
func (k *keeper) putValue(source string) string {
	name := source[1:]
	switch source[0] {
	case '$':
		first, _, _ := strings.Cut(k.getenv(name), string(filepath.ListSeparator)) // GOPATH is a list
		return first
	case '@':
		file, key, _ := strings.Cut(name, ":")
		text, _ := readScript(k.absolute(file))
		for line := range strings.Lines(text) {
			if have, v, ok := strings.Cut(line, "="); ok && strings.TrimSpace(have) == key {
				return strings.Trim(strings.TrimSpace(strings.ReplaceAll(v, "${HOME}", k.place.Home)), `"'`)
			}
		}
	case '=':
		for _, dir := range filepath.SplitList(k.getenv("PATH")) {
			if filepath.IsAbs(dir) && exists(filepath.Join(dir, name)) {
				return filepath.Dir(realPath(filepath.Join(dir, name), true))
			}
		}
	}
	return ""
}

// namesOf computes the names of the files that a call puts into a folder. It reports
// false where they are not known before the call runs.
func (k *keeper) namesOf(put *program.Put, all []*shell.Call) (names []string, known bool) {
	words := put.Words
	switch put.Names {
	case "?", "**":
		return nil, false
	case "go":
		return k.goNames(put, all)
	case "package":
		return nil, !put.Chosen && !slices.ContainsFunc(words, func(w shell.Word) bool { return isSource(w.Text) }) &&
			!slices.ContainsFunc(put.Flags, func(f program.Flag) bool { return isSource(f.Value) })
	case "url":
		if v := put.Value("--url"); v != "" {
			words = append(words[:len(words):len(words)], shell.Word{Text: v})
		}
	case "base":
		words = words[:max(len(words)-1, 0)]
	case "stem":
		for _, w := range words {
			names = append(names, strings.TrimSuffix(w.Text, path.Ext(w.Text)))
		}
		return names, true
	default: // the options whose value it is
		v := put.Value(put.Names)
		return []string{v}, v != "" && !isPattern(v)
	}
	for _, w := range words {
		name := nameOfURL(w.Text)
		if w.Glob || isPattern(name) || put.Names == "base" && (name == "." || name == "") {
			return nil, false
		}
		names = append(names, name)
	}
	return names, true
}

// isPattern reports whether a name is not known in full.
func isPattern(name string) bool {
	return strings.ContainsAny(name, "*?[]{}") || strings.ContainsRune(name, shell.Hole)
}

// nameOfURL returns the last part of the path of an address, or of a path on another
// machine.
func nameOfURL(text string) string {
	text, _, _ = strings.Cut(text, "#")
	if i := strings.IndexByte(text, '?'); i > 0 {
		text = text[:i]
	}
	name := text[strings.LastIndexAny(text, "/:")+1:]
	if plain, err := url.PathUnescape(name); err == nil {
		return plain
	}
	return name
}

// isSource reports whether a word names a package by a path, an address or an archive
// instead of the name that a registry has for it.
func isSource(word string) bool {
	if word == "" || word[0] == '@' && strings.Count(word, "/") < 2 && !strings.Contains(word, ":") { // @scope/name
		return false
	}
	switch path.Ext(word) {
	case ".whl", ".gz", ".tgz", ".zip", ".gem", ".nupkg", ".ts", ".js":
		return true
	}
	return word == "." || word == ".." || strings.ContainsAny(word, "/~") || strings.ContainsRune(word, shell.Hole) || strings.Contains(word, "@git")
}

// maxPackages bounds the folders of a project that are looked at for Go packages.
const maxPackages = 4000

// goNames returns the names of the programs that Go builds of packages: each is called
// like the last part of its path that is no major version.
func (k *keeper) goNames(put *program.Put, all []*shell.Call) (names []string, known bool) {
	base := k
	if dir := put.Value("-C"); dir != "" {
		base = k.from(dir)
	}
	words := put.Words[1:]
	if len(words) == 0 {
		words = []shell.Word{{Text: "."}}
	}
	for _, w := range words {
		text, _, _ := strings.Cut(w.Text, "@")
		local := text == "." || text == ".." || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") || filepath.IsAbs(text)
		switch {
		case isPattern(text):
			return nil, false
		case strings.HasSuffix(text, ".go"):
			return []string{strings.TrimSuffix(path.Base(text), ".go")}, true
		case !local && strings.Contains(text, "..."):
			return nil, false
		case !local:
			names = append(names, lastOfImport(text))
			continue
		}
		dir, deep := strings.CutSuffix(filepath.Clean(base.absolute(text)), "...")
		dir = filepath.Clean(dir)
		if slices.ContainsFunc(all, func(c *shell.Call) bool { return c != put.Call && k.mayWrite(c, realPath(dir, true)) }) {
			return nil, false
		}
		if !deep {
			names = append(names, nameOfPackage(dir))
			continue
		}
		if put.Sub != nil && put.Sub.Name == "go build" && put.Value("-o") == "" {
			continue // of several packages it writes nothing
		}
		below, all := packagesBelow(dir)
		if !all {
			return nil, false
		}
		names = append(names, below...)
	}
	return names, true
}

// packagesBelow returns the names that programs of the folders below dir would have, and
// whether those are all.
func packagesBelow(dir string) (names []string, all bool) {
	n := 0
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case p != dir && (strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_") || d.Name() == "testdata" || d.Name() == "node_modules"):
			return filepath.SkipDir
		}
		if n++; n > maxPackages {
			return fs.ErrInvalid
		}
		names = append(names, nameOfPackage(p))
		return nil
	})
	return names, err == nil
}

// nameOfPackage returns the name of the program that Go makes of the package in a folder.
func nameOfPackage(dir string) string {
	if text, ok := readScript(filepath.Join(dir, "go.mod")); ok {
		for line := range strings.Lines(text) {
			if module, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
				return lastOfImport(strings.Trim(strings.TrimSpace(module), `"`))
			}
		}
	}
	return lastOfImport(filepath.ToSlash(dir))
}

// lastOfImport returns the last part of an import path that is no major version.
func lastOfImport(text string) string {
	text = strings.TrimRight(text, "/")
	last := path.Base(text)
	if len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" && strings.Contains(text, "/") {
		return path.Base(path.Dir(text))
	}
	return last
}

// written returns the finding for a file that gets unknown contents, if it is denied.
func (k *keeper) written(path string) ward {
	if w := k.touched(path, touch{follow: true}); w.decision == checkrein.Deny {
		return w
	}
	return ward{}
}

// unnamed returns the finding for files of unknown names that come to lie in a folder or,
// if deep, anywhere below it. A folder that is not known is not judged.
func (k *keeper) unnamed(dir string, deep bool) ward {
	if dir == "" {
		dir = "."
	}
	if strings.ContainsRune(dir, shell.Hole) || strings.Contains(dir, "://") || isRemotePath(dir) {
		return ward{}
	}
	abs := filepath.Clean(k.absolute(dir))
	w := k.written(filepath.Join(abs, "unnamed"))
	switch {
	case w.decision != checkrein.NoOpinion:
	case deep:
		w = k.over(abs)
	default:
		w = k.holdsDirectly(abs)
	}
	if w.decision == checkrein.NoOpinion {
		return w
	}
	return k.asked("protect/unnamed", abs, "checkrein has files there, and this command puts files there whose names are unknown until it runs; "+
		"use another folder, or name the file; to keep checkrein's programs apart, the user can run checkrein install --system in a terminal outside the agent")
}

// isRemotePath reports whether a word is a path on another machine: host:path, s3://x.
func isRemotePath(text string) bool {
	i := strings.IndexAny(text, ":/")
	return i > 1 && text[i] == ':'
}

// holdsDirectly returns the finding for a folder in which a file of checkrein, or one
// that makes a host call it, lies.
func (k *keeper) holdsDirectly(dir string) ward {
	real := realPath(dir, true)
	in := func(p string) bool { return (filepath.Dir(p) == real || filepath.Dir(p) == dir) && exists(p) }
	for _, p := range k.own {
		if in(p) {
			return k.ownWard(p)
		}
	}
	var w ward
	if files.Own(&k.place, func(p string) bool {
		if in(p) {
			w = k.ownWard(p)
		}
		return w.final
	}) {
		return w
	}
	wiring.Each(k.place.Home, k.getenv, []string{k.place.Root, k.place.Dir}, func(p string, f *wiring.File) bool {
		if in(p) && mayBeWired(f, p) {
			w = wiringWard(p, "")
		}
		return w.decision != checkrein.NoOpinion
	})
	return w
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
