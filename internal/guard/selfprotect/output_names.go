package selfprotect

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// checkOutputNames returns the finding for files that c writes under names that follow from a
// directory, a prefix, a package or an archive. If the names can be computed, they are checked like
// other written paths. Otherwise the finding asks if the directory has files of checkrein.
func (k *guard) checkOutputNames(c *shell.Call, all []*shell.Call) finding {
	for _, p := range program.Parts(c) {
		if p.Role == shell.Dir && p.Opt != "" {
			k = k.inDir(p.Word.Text)
		}
	}
	put, ok := program.FindOutputDir(c, k.lookupOutputDir)
	if !ok {
		return finding{}
	}
	dir := withUnknownDir(c, shell.Word{Text: put.Dir}).Text
	unknown := strings.ContainsRune(dir, shell.Placeholder)
	if put.Names == "none" || put.MayBeFile && !strings.HasSuffix(dir, "/") && !unknown && !isDir(k.absPath(dir)) {
		return finding{}
	}
	names, known := k.outputNames(&put, all)
	if !known {
		return k.unnamedFinding(put.Dir, put.Names == "**" || put.Names == "base")
	}
	var worst finding
	for _, name := range names {
		switch {
		case filepath.IsAbs(name):
		case unknown:
			worst.merge(k.unknownPlaceFinding(shell.Word{}, shell.Word{Text: path.Join(dir, name)}))
			continue
		default:
			name = filepath.Join(k.absPath(dir), name)
		}
		worst.merge(k.writeFinding(name))
	}
	return worst
}

// lookupOutputDir returns the directory that source stands for, or "" if there is none: source is
// $VARIABLE, @FILE:KEY or =PROGRAM; see [program.Puts].
func (k *guard) lookupOutputDir(source string) string {
	name := source[1:]
	switch source[0] {
	case '$':
		first, _, _ := strings.Cut(k.getenv(name), string(filepath.ListSeparator)) // GOPATH is a list
		return first
	case '@':
		file, key, _ := strings.Cut(name, ":")
		text, _ := study.ReadScript(k.absPath(file))
		for line := range strings.Lines(text) {
			if have, v, ok := strings.Cut(line, "="); ok && strings.TrimSpace(have) == key {
				return strings.Trim(strings.TrimSpace(strings.ReplaceAll(v, "${HOME}", k.place.Home)), `"'`)
			}
		}
	case '=':
		for _, dir := range filepath.SplitList(k.getenv("PATH")) {
			if filepath.IsAbs(dir) && exists(filepath.Join(dir, name)) {
				return filepath.Dir(study.RealPath(filepath.Join(dir, name), true))
			}
		}
	}
	return ""
}

// outputNames returns the names of the files that a call writes into a directory. It returns false if
// they are unknown until the call runs.
func (k *guard) outputNames(put *program.OutputDir, all []*shell.Call) (names []string, known bool) {
	words := put.Words
	switch put.Names {
	case "?", "**":
		return nil, false
	case "go":
		return k.goProgramNames(put, all)
	case "package":
		return nil, !put.Chosen && !slices.ContainsFunc(words, func(w shell.Word) bool { return isPackageSource(w.Text) }) &&
			!slices.ContainsFunc(put.Flags, func(f program.Flag) bool { return isPackageSource(f.Value) })
	case "url":
		if v := put.Value("--url"); v != "" {
			words = append(words[:len(words):len(words)], shell.Word{Text: v})
		}
	case "base":
		words = words[:max(len(words)-1, 0)]
	case "stem", "flat":
		for _, w := range words {
			ending := put.Value("-S|--suffix")
			if ending == "" {
				ending = path.Ext(w.Text)
			}
			name := strings.TrimSuffix(w.Text, ending)
			switch {
			case put.Names == "flat":
				name = path.Base(name)
			case put.Chosen:
				name = strings.TrimLeft(name, "/")
			}
			names = append(names, name)
		}
		return names, !slices.ContainsFunc(names, func(name string) bool { return put.Names == "flat" && isPattern(name) })
	case "target":
		for _, w := range words {
			if !strings.Contains(w.Text, "=") {
				names = append(names, w.Text)
			}
		}
		return names, true
	default: // put.Names lists the options whose values are the names
		names = put.Values(put.Names)
		return names, len(names) > 0 && !slices.ContainsFunc(names, isPattern)
	}
	for _, w := range words {
		name := program.URLFileName(w.Text)
		if w.Glob || isPattern(name) || put.Names == "base" && (name == "." || name == "") {
			return nil, false
		}
		names = append(names, name)
	}
	return names, true
}

// checkUnknownPlaces returns the finding for files that c changes in directories that are not fully
// known. Effects in list that only create files do not count.
func (k *guard) checkUnknownPlaces(c *shell.Call, list []shell.Effect) finding {
	var worst finding
	created := func(e shell.Effect) bool { return strings.HasPrefix(e.Rule, "create-") }
	for _, path := range effectPaths(slices.DeleteFunc(list, created)) {
		worst.merge(k.unknownPlaceFinding(shell.Word{}, withUnknownDir(c, shell.Word{Text: path})))
	}
	for _, p := range program.Parts(c) {
		switch p.Role {
		case shell.Writes, shell.Replaces, shell.Appends, shell.Edits, shell.Deletes:
			worst.merge(k.unknownPlaceFinding(shell.Word{}, withUnknownDir(c, p.Word)))
		}
	}
	for i := range c.Redir {
		if strings.Contains(c.Redir[i].Op, ">") {
			worst.merge(k.unknownPlaceFinding(shell.Word{}, withUnknownDir(c, c.Redir[i].Target)))
		}
	}
	return worst
}

// withUnknownDir returns the path w of the call c, with a placeholder in front if its directory is
// unknown: because the call runs in an unknown directory, or w is the path of a program that is looked
// up.
func withUnknownDir(c *shell.Call, w shell.Word) shell.Word {
	switch {
	case filepath.IsAbs(w.Text) || strings.HasPrefix(w.Text, "~"):
	case strings.ContainsRune(c.Dir, shell.Placeholder):
		w.Text = c.Dir + "/" + w.Text
	case looksUpProgram(w.From, 0):
		w.Text = string(shell.Placeholder) + "/" + w.Text
	}
	return w
}

// looksUpProgram reports whether the output of one of the calls from, or of calls that feed them, is
// the path of a program. Only the name in such a path is known.
func looksUpProgram(from []*shell.Call, depth int) bool {
	return depth < maxSources && slices.ContainsFunc(from, func(f *shell.Call) bool {
		return slices.Contains(lookupPrograms[:], f.Name) || f.In != nil && looksUpProgram(f.In.From, depth+1)
	})
}

// unknownPlaceFinding returns the finding for writing the file target if its path is not fully known.
// If the directory is unknown, a file with the name of one of checkrein's programs may replace that
// program; if only the name is unknown, it may do so in the program's directory. source is the source
// of a copy, whose name is kept if target is a directory.
func (k *guard) unknownPlaceFinding(source, target shell.Word) finding {
	dir, name := path.Split(target.Text)
	switch {
	case target.IsKnown(), strings.Contains(target.Text, ":"),
		slices.ContainsFunc(target.From, func(c *shell.Call) bool { return c.Name == "mktemp" }):
		return finding{}
	case !strings.ContainsRune(dir, shell.Placeholder) && dir != "":
		if k.mayBeOwn(name) {
			return k.unnamedFinding(dir, isOwnName(source.Text))
		}
		return finding{}
	}
	if path.Ext(name) == "" || strings.Trim(name, ".") == "" || strings.ContainsRune(name, shell.Placeholder) {
		if !isOwnName(name) {
			name = program.URLFileName(source.Text)
		}
	}
	if !isOwnName(name) || hasGlob(name) {
		return finding{}
	}
	return k.askFinding("protect/unnamed", name, "one of checkrein's programs has this name, and the folder that this command "+
		"writes it to is unknown until it runs; write the folder out")
}

// mayBeOwn reports whether a name with placeholders may be that of one of checkrein's files.
func (k *guard) mayBeOwn(name string) bool {
	pattern := strings.ReplaceAll(name, string(shell.Placeholder), "*")
	return slices.ContainsFunc(k.own, func(p string) bool {
		ok, err := path.Match(pattern, filepath.Base(p))
		return ok || err != nil
	})
}

// envWriteFinding returns the finding for files that c writes because of an environment variable that
// is set for it.
func (k *guard) envWriteFinding(c *shell.Call) finding {
	var worst finding
	for i := range c.Env {
		for _, path := range program.FilesWrittenByVar(c.Env[i].Name, c.Env[i].Value.Text) {
			if path != "" && !strings.ContainsRune(path, shell.Placeholder) {
				worst.merge(k.writeFinding(k.absPath(path)))
			}
		}
	}
	return worst
}

// editorFinding returns the finding for files named in editor or sqlite3 commands in the arguments of
// c, and for directories to which these commands may change or into which they may unpack.
func (k *guard) editorFinding(c *shell.Call) finding {
	var worst finding
	at := k // the guard for the last directory that was named
	for i := range c.Args {
		t := c.Args[i].Text
		if !(c.Name == "sqlite3" && strings.HasPrefix(t, ".") || slices.Contains(editors[:], c.Name) && strings.Contains(t, " ")) {
			continue
		}
		for word := range strings.FieldsFuncSeq(strings.ReplaceAll(t, "$HOME", k.place.Home), func(r rune) bool { return strings.ContainsRune(" \t\n|'\"+:=", r) }) {
			worst.merge(at.deniedFinding(word))
			if !isDir(at.absPath(word)) {
				continue
			}
			at = at.inDir(word)
			if c.Name == "sqlite3" && strings.HasPrefix(t, ".ar") {
				worst.merge(at.unnamedFinding("", true))
			}
		}
	}
	return worst
}

// backupFinding returns the finding for backups that c writes under other names in a directory with
// files of checkrein.
func (k *guard) backupFinding(c *shell.Call) finding {
	var worst finding
	suffix := callEnv(c, "SIMPLE_BACKUP_SUFFIX")
	for _, p := range program.Parts(c) {
		if p.Role == shell.Plain && p.Lang == "backup" {
			suffix = p.Word.Text
		}
	}
	if suffix == "" {
		return worst
	}
	for _, w := range append(program.ReadingOf(c).Words, shell.Word{Text: suffix}) {
		dir := filepath.Clean(k.absPath(w.Text))
		if !isDir(dir) {
			dir = filepath.Dir(dir)
		}
		like := func(name string) bool { return strings.HasSuffix(name, suffix) || strings.Contains(suffix, "*") }
		if k.dirFinding(dir, like).decision != checkrein.NoOpinion {
			worst.merge(k.unnamedFinding(dir, false))
		}
	}
	return worst
}

// notationFinding returns the finding for files that c names in a notation of its program: x#1 for the
// parts of {a,b} in a URL, %output{x} in a format, or x as a prefix of names.
func (k *guard) notationFinding(c *shell.Call) finding {
	var worst finding
	for _, p := range program.Parts(c) {
		fixed, _, _ := strings.Cut(p.Word.Text, "#")
		switch p.Lang {
		case "numbered":
			if fixed == p.Word.Text {
				continue
			}
		case "format":
			_, after, _ := strings.Cut(p.Word.Text, "%output{")
			name, _, _ := strings.Cut(after, "}")
			worst.merge(k.writeFinding(k.absPath(strings.TrimPrefix(name, ">>"))))
			continue
		case "prefix":
		default:
			continue
		}
		dir, name := path.Split(fixed)
		abs := filepath.Clean(k.absPath(cmp.Or(dir, ".")))
		if !strings.ContainsRune(fixed, shell.Placeholder) && k.dirFinding(abs, func(own string) bool { return strings.HasPrefix(own, name) }).decision != checkrein.NoOpinion {
			worst.merge(k.unnamedFinding(dir, false))
		}
	}
	return worst
}

// isPattern reports whether a name has wildcards or placeholders.
func isPattern(name string) bool {
	return strings.ContainsAny(name, "*?[]{}") || strings.ContainsRune(name, shell.Placeholder)
}

// isPackageSource reports whether word is a path, a URL or an archive of a package rather than its
// name in a registry.
func isPackageSource(word string) bool {
	if word == "" || word[0] == '@' && strings.Count(word, "/") < 2 && !strings.Contains(word, ":") { // @scope/name
		return false
	}
	switch path.Ext(word) {
	case ".whl", ".gz", ".tgz", ".zip", ".gem", ".nupkg", ".ts", ".js":
		return true
	}
	return word == "." || word == ".." || strings.ContainsAny(word, "/~") || strings.ContainsRune(word, shell.Placeholder) || strings.Contains(word, "@git")
}

// goProgramNames returns the names of the programs that the go command builds from packages: the last
// element of each import path that is not a major version. It returns false if they are unknown.
func (k *guard) goProgramNames(put *program.OutputDir, all []*shell.Call) (names []string, known bool) {
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
			names = append(names, importBase(text))
			continue
		}
		dir, deep := strings.CutSuffix(filepath.Clean(k.absPath(text)), "...")
		dir = filepath.Clean(dir)
		if k.othersMayWrite(all, put.Call) {
			return nil, false
		}
		if !deep {
			names = append(names, goProgramName(dir))
			continue
		}
		if put.Sub != nil && put.Sub.Name == "go build" && put.Value("-o") == "" {
			continue // go build writes nothing for several packages
		}
		below, all := programNamesBelow(dir)
		if !all {
			return nil, false
		}
		names = append(names, below...)
	}
	return names, true
}

// maxPackages limits how many directories of a project are searched for Go packages.
const maxPackages = 4000

// programNamesBelow returns the names that programs built from the directories below dir would have.
// It returns false if there are too many.
func programNamesBelow(dir string) (names []string, complete bool) {
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case p != dir && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules"):
			return filepath.SkipDir
		}
		if names = append(names, goProgramName(p)); len(names) > maxPackages {
			return fs.ErrInvalid
		}
		return nil
	})
	return names, err == nil
}

// goProgramName returns the name of the program that the go command builds from the package in dir.
func goProgramName(dir string) string {
	if text, ok := study.ReadScript(filepath.Join(dir, "go.mod")); ok {
		for line := range strings.Lines(text) {
			if module, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
				return importBase(strings.Trim(strings.TrimSpace(module), `"`))
			}
		}
	}
	return importBase(filepath.ToSlash(dir))
}

// importBase returns the last element of an import path that is not a major version.
func importBase(text string) string {
	text = strings.TrimRight(text, "/")
	last := path.Base(text)
	if len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" && strings.Contains(text, "/") {
		return path.Base(path.Dir(text))
	}
	return last
}

// writeFinding returns the finding for writing unknown contents to path, if that is denied.
func (k *guard) writeFinding(path string) finding {
	if w := k.checkChange(path, pathChange{follow: true}); w.decision == checkrein.Deny {
		return w
	}
	return finding{}
}

// unnamedFinding returns the finding for writing files with unknown names to dir or, if recursive
// is set, anywhere below it. It has no decision if dir itself is unknown.
func (k *guard) unnamedFinding(dir string, recursive bool) finding {
	if dir == "" {
		dir = "."
	}
	if strings.ContainsRune(dir, shell.Placeholder) || strings.Contains(dir, "://") || isRemotePath(dir) {
		return finding{}
	}
	abs := filepath.Clean(k.absPath(dir))
	w := k.writeFinding(filepath.Join(abs, "unnamed"))
	switch {
	case w.decision != checkrein.NoOpinion:
	case isSettingsDir(abs):
		return k.settingsDirFinding(abs)
	case recursive:
		w = k.checkUnknownFiles(abs)
	default:
		w = k.dirFinding(abs, func(string) bool { return true })
	}
	if w.decision == checkrein.NoOpinion {
		return w
	}
	return k.askFinding("protect/unnamed", abs, "checkrein has files there, and this command puts files there whose names are unknown until it runs; "+
		"use another folder, or name the file; to keep checkrein's programs apart, the user can run checkrein install --system in a terminal outside the agent")
}

// isRemotePath reports whether text is a path on another machine, such as host:path or s3://x.
func isRemotePath(text string) bool {
	i := strings.IndexAny(text, ":/")
	return i > 1 && text[i] == ':'
}

// dirFinding returns the finding for dir if it contains one of checkrein's files, or a settings file
// that makes a host call it, with a name for which fits returns true.
func (k *guard) dirFinding(dir string, fits func(name string) bool) finding {
	real := study.RealPath(dir, true)
	in := func(p string) bool {
		return (filepath.Dir(p) == real || filepath.Dir(p) == dir) && fits(filepath.Base(p)) && exists(p)
	}
	if p, ok := k.findOwn(in); ok {
		return k.ownFinding(p)
	}
	return k.findWired(func(p string, f *hostfiles.File) bool { return in(p) && mayBeWired(f, p) })
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
