package selfprotect

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/files"
	"github.com/checkrein/checkrein/internal/shell/program"
	"github.com/checkrein/checkrein/internal/shell/rules"
)

// checkCalls returns the finding for what the effects of a command do not show: where a path that is
// unknown until the command runs comes from, what an unknown program does with its arguments, and what
// is below a directory that is copied. If read is set, only calls from files that the command runs
// count.
func (k *guard) checkCalls(text string, texts []study.Text, read bool) finding {
	var worst finding
	for _, w := range strings.Fields(text) {
		if slices.Contains(recorders[:], w) {
			worst.merge(k.checkMentions(text)) // a recorder is a wrapper and so is not among the calls
		}
	}
	for _, t := range texts {
		at := k.inDir(t.Dir)
		for _, c := range t.Calls {
			if c.Remote != "" || c.Name == "" || read && c.Source == nil {
				continue
			}
			worst.merge(at.inDir(c.Dir).checkCall(c, t.Calls, text))
			for _, dir := range c.Dirs {
				worst.merge(at.inDir(dir).checkCall(c, t.Calls, text))
			}
			if worst.isStrictest() {
				return worst
			}
		}
	}
	return worst
}

// inDir returns a copy of k for the directory to which a cd changes, or k itself if dir is unknown.
func (k *guard) inDir(dir string) *guard {
	if dir == "" || strings.ContainsRune(dir, shell.Placeholder) {
		return k
	}
	at := *k
	at.place.Dir = k.absPath(dir)
	at.real.Dir = study.RealPath(at.place.Dir, true)
	return &at
}

// checkCall returns the finding for c, one of the calls all of the command text.
func (k *guard) checkCall(c *shell.Call, all []*shell.Call, text string) finding {
	list, known := k.changeEffects(c)
	worst := k.checkComputedPaths(c, all, text, effectPaths(list), known)
	worst.merge(k.checkCopy(c, all))
	worst.merge(k.checkSettingsDirs(c, list))
	worst.merge(k.checkOutputNames(c, all))
	worst.merge(k.checkUnknownPlaces(c, list))
	worst.merge(k.backupFinding(c))
	worst.merge(k.notationFinding(c))
	worst.merge(k.envWriteFinding(c))
	worst.merge(k.editorFinding(c))
	worst.merge(k.checkGit(c))
	worst.merge(k.checkKeyCopy(c))
	worst.merge(k.checkKeyArgs(c))
	if !k.isUnderstood(c) {
		worst.merge(k.checkArgs(c))
		worst.merge(k.checkForwardedCommand(c))
	}
	return worst
}

// recorders lists wrappers that write a file themselves in addition to running a program.
var recorders = [...]string{"script", "flock", "dtach", "abduco"}

// changeEffects returns the effects of c that change files. It returns false for known if there may be
// others.
func (k *guard) changeEffects(c *shell.Call) (list []shell.Effect, known bool) {
	list, known = files.Effects(c, &k.place)
	list = append(list, files.RedirectEffects(c, &k.place)...)
	return slices.DeleteFunc(list, func(e shell.Effect) bool { return isReadEffect(&e) }), known
}

// effectPaths returns the paths of all effects of list.
func effectPaths(list []shell.Effect) (paths []string) {
	for i := range list {
		paths = append(paths, list[i].Paths...)
	}
	return paths
}

// checkComputedPaths returns the finding for changes of paths that come from the output of other
// programs.
func (k *guard) checkComputedPaths(c *shell.Call, all []*shell.Call, text string, changed []string, known bool) finding {
	for i := range c.Redir {
		r := &c.Redir[i]
		if !strings.Contains(r.Op, ">") {
			continue
		}
		if (len(r.Target.From) > 0 || !r.Target.IsKnown()) && k.comesFromOwnSearch(r.Target.From, c, all) {
			return searchFinding
		}
		if w := k.checkUnknownBase(r.Target.Text); w.decision != checkrein.NoOpinion {
			return w
		}
	}
	guess := !known && !k.isUnderstood(c)
	for i := range c.Args {
		w := &c.Args[i]
		if len(changed) > 0 {
			if name, ok := strings.CutPrefix(w.Text, "="); ok && isOwnName(name) {
				return searchFinding // zsh replaces =NAME with the program's path
			}
			if w := k.checkUnknownBase(w.Text); w.decision != checkrein.NoOpinion {
				return w
			}
		}
		if len(w.From) == 0 && w.IsKnown() {
			continue
		}
		if (guess || slices.ContainsFunc(changed, func(p string) bool { return p == w.Text || strings.HasSuffix(p, "/"+strings.TrimPrefix(w.Text, "./")) })) && k.comesFromOwnSearch(w.From, c, all) {
			return searchFinding
		}
	}
	// The calls do not show where cd "$(dirname "$(which checkrein)")" gets its path from.
	moved := strings.ContainsRune(c.Dir, shell.Placeholder) || c.Dir != "" && strings.Contains(text, "cd ") && strings.ContainsAny(text, "$`")
	if moved && len(changed) > 0 && k.comesFromOwnSearch(nil, c, all) {
		return searchFinding
	}
	return finding{}
}

// checkUnknownBase returns the finding for a path whose beginning is unknown. The beginning may be the
// home directory or a directory with transcripts.
func (k *guard) checkUnknownBase(path string) finding {
	rest, ok := strings.CutPrefix(path, string(shell.Placeholder)+"/")
	ok = ok && !isUnknownPath(rest)
	for _, fd := range [...]string{"/dev/fd/", "/proc/self/fd/"} {
		if tail, is := strings.CutPrefix(path, fd); is {
			_, rest, ok = strings.Cut(tail, "/")
		}
	}
	if !ok || rest == "" || strings.ContainsRune(rest, shell.Placeholder) {
		return finding{}
	}
	w := k.deniedFinding(filepath.Join(k.place.Home, rest))
	for _, r := range k.transcriptRoots() {
		if r.IsTranscript(filepath.ToSlash(filepath.Clean(rest))) {
			w.merge(transcriptFinding)
		}
	}
	return w
}

// searchFinding is the finding for a command that searches for checkrein's files and changes what it
// finds.
var searchFinding = finding{decision: checkrein.Deny, rule: "self/found", final: true, what: "anything this command finds that belongs to checkrein (programs, settings or wiring) or is a transcript of an agent's calls",
	advice: "name the files you mean; only the user may change checkrein's wiring or a transcript, in a terminal outside the agent"}

// comesFromOwnSearch reports whether one of the calls from, whose output is a word of c, searches for
// checkrein's files or programs. If from is empty, all other calls of the command count.
func (k *guard) comesFromOwnSearch(from []*shell.Call, c *shell.Call, all []*shell.Call) bool {
	if len(from) == 0 {
		for _, other := range all {
			if other != c && k.searchesOwn(other, 0) {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(from, func(f *shell.Call) bool { return k.searchesOwn(f, 0) })
}

// maxSources limits how many levels of nested command substitutions, pipes and aliases are followed.
const maxSources = 6

// searchesOwn reports whether c searches for checkrein's files or programs, or gets its input from a
// call that does. It returns true beyond maxSources levels.
func (k *guard) searchesOwn(c *shell.Call, depth int) bool {
	if depth > maxSources {
		return true
	}
	at := lookupKey{c, k.place.Dir, depth}
	is, ok := k.looked[at]
	if !ok {
		is = k.findSearch(c, depth)
		k.looked[at] = is
	}
	return is
}

// findSearch computes the result of searchesOwn, which caches it.
func (k *guard) findSearch(c *shell.Call, depth int) bool {
	if c.In != nil && slices.ContainsFunc(c.In.From, func(f *shell.Call) bool { return k.searchesOwn(f, depth+1) }) {
		return true
	}
	base := "" // the pattern of names that the call searches for
	for i := range c.Args {
		w := &c.Args[i]
		if slices.ContainsFunc(w.From, func(f *shell.Call) bool { return k.searchesOwn(f, depth+1) }) {
			return true
		}
		if i > 0 && slices.Contains(findNameOptions[:], c.Args[i-1].Text) {
			base = strings.ToLower(w.Text)
		}
	}
	if slices.Contains(lookupPrograms[:], c.Name) {
		return slices.ContainsFunc(c.Args, func(w shell.Word) bool { return isOwnName(w.Text) })
	}
	if c.Name == "fd" && len(c.Args) > 0 {
		base = "*" + c.Args[0].Text + "*"
	}
	for i := range c.Args {
		if t := c.Args[i].Text; strings.ContainsAny(t, "/~.") && !strings.HasPrefix(t, "-") && k.leadsToOwn(t, base) {
			return true
		}
	}
	return false
}

// findNameOptions lists the options of find before a pattern for names or paths.
var findNameOptions = [...]string{"-name", "-iname", "-path", "-ipath", "-wholename"}

// lookupPrograms lists programs that print the path of a program or the ids of its processes.
var lookupPrograms = [...]string{"which", "command", "type", "whereis", "where", "locate", "plocate", "mlocate", "hash", "pgrep", "pidof"}

// isOwnName reports whether the last element of s is the name of one of checkrein's programs, or a
// pattern that matches it.
func isOwnName(s string) bool {
	s = strings.TrimSuffix(filepath.Base(s), ".exe")
	return s == "checkrein" || s == "checkreind" || s == "checkrein-shell" || s == "checkrein-models" || strings.ContainsAny(s, "*?[") && matchesName(s, "checkrein")
}

// matchesName reports whether a pattern of more than two characters matches name.
func matchesName(pattern, name string) bool {
	ok, err := filepath.Match(pattern, name)
	return ok && err == nil && len(pattern) > 2
}

// leadsToOwn reports whether path, which may be a pattern, is one of checkrein's own paths, a settings
// file that makes a host call checkrein, or the directory of one. If base is not "", it is a pattern
// that is searched for at any depth below path.
func (k *guard) leadsToOwn(path, base string) bool {
	abs := filepath.Clean(k.absPath(path))
	pattern := hasGlob(abs)
	leads := func(p string) bool {
		p = filepath.Clean(p)
		dir, name := filepath.Split(p)
		dir = filepath.Clean(dir)
		if base != "" {
			ok := study.InDir(p, abs) || abs == "/"
			want := base[strings.LastIndexByte(base, '/')+1:]
			if strings.ContainsRune(base, '/') {
				return ok && (want == name || strings.Trim(base, "*/") != "" && strings.Contains(p, strings.Trim(base, "*/")))
			}
			return ok && (matchesName(want, name) || want == name || matchesName(want, filepath.Base(dir)) || want == filepath.Base(dir))
		}
		if !pattern {
			return abs == p || abs == dir
		}
		same, _ := filepath.Match(abs, p)
		above, _ := filepath.Match(abs, dir)
		return same || above && !strings.HasSuffix(abs, "/*")
	}
	if slices.ContainsFunc(k.own, leads) || files.EachOwnPath(&k.place, func(p string) bool { return leads(p) && exists(p) }) {
		return true
	}
	if base == "" && k.checkPath(path, &k.place, pathChange{}).what == ownFilesText {
		return true
	}
	return hostfiles.EachPath(k.place.Home, k.getenv, []string{k.place.Root}, func(p string, f *hostfiles.File) bool {
		return leads(p) && mayBeWired(f, p)
	})
}

// checkArgs returns the finding for the paths in the arguments of c, a call of a program that may do
// more than read them.
func (k *guard) checkArgs(c *shell.Call) finding {
	var worst finding
	if c.Name == "git" {
		return worst // the table of programs lists the files that Git writes
	}
	parts := program.Parts(c)
	unpacks := strings.HasPrefix(c.Name, "python") && len(c.Args) > 2 && (c.Args[1].Text == "zipfile" || c.Args[1].Text == "tarfile")
	for i := range c.Args {
		t := c.Args[i].Text
		switch {
		case unpacks && i > 2 && k.isHostDir(t):
			worst.merge(hostDirFinding)
		case slices.Contains(editors[:], c.Name) && strings.Contains(t, " "):
			worst.merge(k.checkMentions(t))
			continue
		case strings.ContainsAny(t, "\n\t") || len(t) > 4096:
			continue
		}
		if slices.ContainsFunc(parts, func(p shell.Part) bool { return p.At == i && p.Role == shell.Reads }) {
			continue
		}
		for _, path := range [...]string{t, optionValue(t)} {
			if path != "" && path[0] != '-' {
				worst.merge(k.deniedFinding(path))
			}
		}
	}
	return worst
}

// deniedFinding returns the finding for path, which a tool or program may change, if such a change is
// denied. A settings file without entries of checkrein does not count.
func (k *guard) deniedFinding(path string) finding {
	if !strings.Contains(path, "/") && !isOwnName(path) && !strings.Contains(path, ".") || isUnknownPath(path) {
		return finding{}
	}
	abs := filepath.Clean(k.absPath(path))
	if f, _ := hostfiles.FindFile(abs, k.place.Home, k.getenv, k.place.Root, k.place.Dir); f != nil && !mayBeWired(f, abs) {
		return finding{}
	}
	if w := k.checkChange(path, pathChange{follow: true}); w.decision == checkrein.Deny {
		return w
	}
	return finding{}
}

// isUnknownPath reports whether a path consists of placeholders and wildcards only.
func isUnknownPath(path string) bool { return strings.Trim(path, "/*"+string(shell.Placeholder)) == "" }

// optionValue returns the value in a word that consists of an option and its value, such as --out=F,
// of=F or -oF, or "" if there is none.
func optionValue(t string) string {
	if _, v, ok := strings.Cut(t, "="); ok {
		return v
	}
	if len(t) > 2 && t[0] == '-' && t[1] != '-' {
		if i := strings.IndexAny(t, "/~"); i > 0 {
			return t[i:]
		}
	}
	return ""
}

// editors lists programs whose arguments may be editor commands.
var editors = [...]string{"vi", "vim", "nvim", "ex", "view", "ed", "emacs", "nano"}

// isUnderstood reports whether c changes no file that its arguments name, or all its changes are known
// as effects.
func (k *guard) isUnderstood(c *shell.Call) bool {
	if k.reads[c] || isOwnName(c.Name) || facts.IsShell(c.Name) || rules.IsProcessTool(c.Name) {
		return true
	}
	for i := range hosts.Files {
		if hosts.Files[i].Host == c.Name {
			return true
		}
	}
	// python3 -m json.tool IN only prints its input.
	if strings.HasPrefix(c.Name, "python") && len(c.Args) == 3 && c.Args[0].Text == "-m" {
		return c.Args[1].Text == "json.tool" || c.Args[1].Text == "tomllib" || c.Args[1].Text == "ast"
	}
	_, known := files.Effects(c, &k.place)
	return known
}

// codeChangesFiles reports whether the code text calls functions that write, move or delete files.
func codeChangesFiles(text string) bool {
	for _, verb := range [...]string{"copy", "write", "remove", "unlink", "rename", "replace(", "chmod", "symlink", "rmtree", "rmSync", "truncate"} {
		if i := strings.Index(text, verb); i > 0 && (text[i-1] == '.' || text[i-1] == '_') {
			return true
		}
	}
	return strings.Contains(text, "open(")
}
