package selfprotect

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/files"
	"github.com/checkrein/checkrein/internal/shell/program"
	"github.com/checkrein/checkrein/internal/shell/rules"
)

// calls judges a command by its calls, for what effects do not say: where a path
// that is not known beforehand comes from, what an unknown program does
// with what it is given, and what lies below a directory that is copied.
func (k *guard) calls(text string, texts []study.Text, read bool) finding {
	var worst finding
	for _, w := range strings.Fields(text) {
		if slices.Contains(recorders[:], w) {
			worst.add(k.checkMentions(text)) // they are wrappers, and leave no call
		}
	}
	for _, t := range texts {
		at := k.from(t.Dir)
		for _, c := range t.Calls {
			if c.Remote != "" || c.Name == "" || read && c.Source == nil {
				continue
			}
			worst.add(at.from(c.Dir).call(c, t.Calls, text))
			for _, dir := range c.Dirs {
				worst.add(at.from(dir).call(c, t.Calls, text))
			}
			if worst.isStrictest() {
				return worst
			}
		}
	}
	return worst
}

// from is the guard in the directory that a cd leads to.
func (k *guard) from(dir string) *guard {
	if dir == "" || strings.ContainsRune(dir, shell.Hole) {
		return k
	}
	at := *k
	at.place.Dir = k.absPath(dir)
	at.real.Dir = study.RealPath(at.place.Dir, true)
	return &at
}

// call judges one call of a command.
func (k *guard) call(c *shell.Call, all []*shell.Call, text string) finding {
	list, known := k.changes(c)
	worst := k.computed(c, all, text, pathsOf(list), known)
	worst.add(k.copied(c, all))
	worst.add(k.putNames(c, all))
	worst.add(k.putSomewhere(c, list))
	worst.add(k.backupFinding(c))
	worst.add(k.notationFinding(c))
	worst.add(k.setFinding(c))
	worst.add(k.commandFinding(c))
	worst.add(k.versioned(c))
	worst.add(k.keyCarried(c))
	worst.add(k.keyGiven(c))
	if !k.readsOnly(c) {
		worst.add(k.given(c))
		worst.add(k.passedOn(c))
	}
	return worst
}

// recorders are the programs that write a file of their own beside the program that
// they run.
var recorders = [...]string{"script", "flock", "dtach", "abduco"}

// changes returns the effects of a call on files that it changes, and whether those are all.
func (k *guard) changes(c *shell.Call) (list []shell.Effect, known bool) {
	list, known = files.Effects(c, &k.place)
	list = append(list, files.Redirects(c, &k.place)...)
	return slices.DeleteFunc(list, func(e shell.Effect) bool { return isReadEffect(&e) }), known
}

// pathsOf returns the paths of effects.
func pathsOf(list []shell.Effect) (paths []string) {
	for i := range list {
		paths = append(paths, list[i].Paths...)
	}
	return paths
}

// computed judges changes at places that come from the output of other programs.
func (k *guard) computed(c *shell.Call, all []*shell.Call, text string, changed []string, known bool) finding {
	for i := range c.Redir {
		r := &c.Redir[i]
		if !strings.Contains(r.Op, ">") {
			continue
		}
		if (len(r.Target.From) > 0 || !r.Target.Known()) && k.namedIn(r.Target.From, c, all) {
			return searchFinding
		}
		if w := k.guessed(r.Target.Text); w.decision != checkrein.NoOpinion {
			return w
		}
	}
	guess := !known && !k.readsOnly(c)
	for i := range c.Args {
		w := &c.Args[i]
		if len(changed) > 0 {
			if name, ok := strings.CutPrefix(w.Text, "="); ok && ownName(name) {
				return searchFinding // where zsh finds it
			}
			if w := k.guessed(w.Text); w.decision != checkrein.NoOpinion {
				return w
			}
		}
		if len(w.From) == 0 && w.Known() {
			continue
		}
		if (guess || slices.ContainsFunc(changed, func(p string) bool { return p == w.Text || strings.HasSuffix(p, "/"+strings.TrimPrefix(w.Text, "./")) })) && k.namedIn(w.From, c, all) {
			return searchFinding
		}
	}
	// cd "$(dirname "$(which checkrein)")" leaves no trace in the calls.
	moved := strings.ContainsRune(c.Dir, shell.Hole) || c.Dir != "" && strings.Contains(text, "cd ") && strings.ContainsAny(text, "$`")
	if moved && len(changed) > 0 && k.namedIn(nil, c, all) {
		return searchFinding
	}
	return finding{}
}

// guessed judges a path whose beginning is not known, as if that were the home
// directory, or where a host keeps its transcripts.
func (k *guard) guessed(path string) finding {
	rest, ok := strings.CutPrefix(path, string(shell.Hole)+"/")
	ok = ok && !isAnywhere(rest)
	for _, fd := range [...]string{"/dev/fd/", "/proc/self/fd/"} {
		if tail, is := strings.CutPrefix(path, fd); is {
			_, rest, ok = strings.Cut(tail, "/")
		}
	}
	if !ok || rest == "" || strings.ContainsRune(rest, shell.Hole) {
		return finding{}
	}
	w := k.denied(filepath.Join(k.place.Home, rest))
	for _, r := range k.keeps() {
		if r.Holds(filepath.ToSlash(filepath.Clean(rest))) {
			w.add(transcriptFinding)
		}
	}
	return w
}

// searchFinding is the finding for a command that changes files of checkrein which it searches for.
var searchFinding = finding{decision: checkrein.Deny, rule: "self/found", final: true, what: "anything this command finds that belongs to checkrein (programs, settings or wiring) or is a transcript of an agent's calls",
	advice: "name the files you mean; only the user may change checkrein's wiring or a transcript, in a terminal outside the agent"}

// namedIn reports whether the calls that a word comes from name something of ours.
// Where nobody knows them, all the other calls of the text count.
func (k *guard) namedIn(from []*shell.Call, c *shell.Call, all []*shell.Call) bool {
	if len(from) == 0 {
		for _, other := range all {
			if other != c && k.names(other, 0) {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(from, func(f *shell.Call) bool { return k.names(f, 0) })
}

// maxSources bounds how deep outputs of outputs are followed.
const maxSources = 6

// names reports whether a call looks for something of ours.
func (k *guard) names(c *shell.Call, depth int) bool {
	if depth > maxSources {
		return true
	}
	at := lookupKey{c, k.place.Dir, depth}
	is, ok := k.looked[at]
	if !ok {
		is = k.looksFor(c, depth)
		k.looked[at] = is
	}
	return is
}

func (k *guard) looksFor(c *shell.Call, depth int) bool {
	if c.In != nil && slices.ContainsFunc(c.In.From, func(f *shell.Call) bool { return k.names(f, depth+1) }) {
		return true
	}
	base := "" // the names that a search is for
	for i := range c.Args {
		w := &c.Args[i]
		if slices.ContainsFunc(w.From, func(f *shell.Call) bool { return k.names(f, depth+1) }) {
			return true
		}
		if i > 0 && slices.Contains(nameOptions[:], c.Args[i-1].Text) {
			base = strings.ToLower(w.Text)
		}
	}
	if slices.Contains(lookups[:], c.Name) {
		return slices.ContainsFunc(c.Args, func(w shell.Word) bool { return ownName(w.Text) })
	}
	if c.Name == "fd" && len(c.Args) > 0 {
		base = "*" + c.Args[0].Text + "*"
	}
	for i := range c.Args {
		if t := c.Args[i].Text; strings.ContainsAny(t, "/~.") && !strings.HasPrefix(t, "-") && k.leadsTo(t, base) {
			return true
		}
	}
	return false
}

// nameOptions are those of find that say what its results are called.
var nameOptions = [...]string{"-name", "-iname", "-path", "-ipath", "-wholename"}

// lookups are the programs that say where a program lies.
var lookups = [...]string{"which", "command", "type", "whereis", "where", "locate", "plocate", "mlocate", "hash", "pgrep", "pidof"}

func ownName(s string) bool {
	s = strings.TrimSuffix(filepath.Base(s), ".exe")
	return s == "checkrein" || s == "checkreind" || s == "checkrein-models" || strings.ContainsAny(s, "*?[") && fitsName(s, "checkrein")
}

// fitsName holds a pattern against a name; one that begins with a * is meant for others.
func fitsName(pattern, name string) bool {
	ok, err := filepath.Match(pattern, name)
	return ok && err == nil && len(pattern) > 2
}

// leadsTo reports whether a path, which may be a pattern, is something of ours or
// the directory that it lies in. A search for names counts also from further up.
func (k *guard) leadsTo(path, base string) bool {
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
			return ok && (fitsName(want, name) || want == name || fitsName(want, filepath.Base(dir)) || want == filepath.Base(dir))
		}
		if !pattern {
			return abs == p || abs == dir
		}
		same, _ := filepath.Match(abs, p)
		above, _ := filepath.Match(abs, dir)
		return same || above && !strings.HasSuffix(abs, "/*")
	}
	if slices.ContainsFunc(k.own, leads) || files.Own(&k.place, func(p string) bool { return leads(p) && exists(p) }) {
		return true
	}
	if base == "" && k.checkPath(path, &k.place, pathChange{}).what == ownFilesText {
		return true
	}
	return hostfiles.Each(k.place.Home, k.getenv, []string{k.place.Root}, func(p string, f *hostfiles.File) bool {
		return leads(p) && mayBeWired(f, p)
	})
}

// given judges the words of a program of which it is not known that it only reads
// what they name.
func (k *guard) given(c *shell.Call) finding {
	var worst finding
	if c.Name == "git" {
		return worst // its row has what it writes
	}
	parts := program.Parts(c)
	unpacks := strings.HasPrefix(c.Name, "python") && len(c.Args) > 2 && (c.Args[1].Text == "zipfile" || c.Args[1].Text == "tarfile")
	for i := range c.Args {
		t := c.Args[i].Text
		switch {
		case unpacks && i > 2 && k.hostDir(t):
			worst.add(hostDirFinding)
		case slices.Contains(editors[:], c.Name) && strings.Contains(t, " "):
			worst.add(k.checkMentions(t))
			continue
		case strings.ContainsAny(t, "\n\t") || len(t) > 4096:
			continue
		}
		if slices.ContainsFunc(parts, func(p shell.Part) bool { return p.At == i && p.Role == shell.Reads }) {
			continue
		}
		for _, path := range [...]string{t, optionValue(t)} {
			if path != "" && path[0] != '-' {
				worst.add(k.denied(path))
			}
		}
	}
	return worst
}

// denied judges a path that a tool or program may change: only what is denied, and
// is really there to lose, counts.
func (k *guard) denied(path string) finding {
	if !strings.Contains(path, "/") && !ownName(path) && !strings.Contains(path, ".") || isAnywhere(path) {
		return finding{}
	}
	abs := filepath.Clean(k.absPath(path))
	if f, _ := hostfiles.Find(abs, k.place.Home, k.getenv, k.place.Root, k.place.Dir); f != nil && !mayBeWired(f, abs) {
		return finding{}
	}
	if w := k.checkChange(path, pathChange{follow: true}); w.decision == checkrein.Deny {
		return w
	}
	return finding{}
}

// isAnywhere reports whether no name in a path is known.
func isAnywhere(path string) bool { return strings.Trim(path, "/*"+string(shell.Hole)) == "" }

// optionValue is the value that is written in one word with its option: --out=F,
// of=F, -oF.
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

var editors = [...]string{"vi", "vim", "nvim", "ex", "view", "ed", "emacs", "nano"}

// readsOnly reports whether a call is known not to change what its words name, or what it
// changes is known as its effects.
func (k *guard) readsOnly(c *shell.Call) bool {
	if k.reads[c] || ownName(c.Name) || facts.Shell(c.Name) || rules.Chooses(c.Name) {
		return true
	}
	for i := range hosts.Files {
		if hosts.Files[i].Host == c.Name {
			return true
		}
	}
	// python3 -m json.tool IN only shows it.
	if strings.HasPrefix(c.Name, "python") && len(c.Args) == 3 && c.Args[0].Text == "-m" {
		return c.Args[1].Text == "json.tool" || c.Args[1].Text == "tomllib" || c.Args[1].Text == "ast"
	}
	_, known := files.Effects(c, &k.place)
	return known
}

// writesInCode reports whether a text has calls of code that write, move or delete
// files.
func writesInCode(text string) bool {
	for _, verb := range [...]string{"copy", "write", "remove", "unlink", "rename", "replace(", "chmod", "symlink", "rmtree", "rmSync", "truncate"} {
		if i := strings.Index(text, verb); i > 0 && (text[i-1] == '.' || text[i-1] == '_') {
			return true
		}
	}
	return strings.Contains(text, "open(")
}

// literal finds the files that a command writes once, with a text that it spells
// out: cat > F <<'E', echo x > F. They are judged as what a tool writes.
func (k *guard) literal(p *tools.Part, texts []study.Text) map[string][]byte {
	if p.Role == tools.Code || !strings.Contains(p.Text, ">") || len(texts) == 0 {
		return nil
	}
	var out map[string][]byte
	times := map[string]int{}
	for _, c := range texts[0].Calls {
		file, text, known := "", "", len(c.Env) == 0 && c.Remote == "" && !strings.ContainsRune(c.Dir, shell.Hole)
		switch {
		case c.Name == "cat" && len(c.Args) == 0:
		case c.Name == "echo" && len(c.Args) > 0 && !strings.HasPrefix(c.Args[0].Text, "-"):
			for i, w := range c.Args {
				if known = known && w.Known() && !w.Glob && len(w.From) == 0 && !strings.Contains(w.Text, `\`); i > 0 {
					text += " "
				}
				text += w.Text
			}
			text += "\n"
		default:
			known = false
		}
		body := c.Name == "echo"
		for i := range c.Redir {
			r := &c.Redir[i]
			known = known && r.Target.Known() && len(r.Target.From) == 0
			switch {
			case r.Op == "<<" || r.Op == "<<-":
				known = known && !body && r.Op == "<<"
				text, body = r.Target.Text, true
			case strings.Contains(r.Op, ">"):
				known = known && file == "" && r.Op == ">" && r.Fd == ""
				file = r.Target.Text
			default:
				known = false
			}
		}
		if file == "" {
			continue
		}
		at := *k
		if c.Dir != "" {
			at.place.Dir = k.absPath(c.Dir)
		}
		abs := filepath.Clean(at.absPath(file))
		if times[abs]++; known && body {
			if out == nil {
				out = map[string][]byte{}
			}
			out[abs] = []byte(text)
		}
	}
	for path, n := range times {
		if n > 1 {
			delete(out, path)
		}
	}
	return out
}
