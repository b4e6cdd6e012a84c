package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A level is how much it matters that something leaves the machine.
type level uint8

const (
	clean   level = iota // typed in the command, public, or nothing
	unclear              // the output of a program that nobody knows
	about                // facts about the machine and its user
	file                 // a file, a dump, source code
	secret
)

// An origin is where a load comes from. It matters because a token in a header
// is what the token is for, and a key file there is not.
type origin uint8

const (
	fromText     origin = iota
	fromPath            // a file's content
	fromOutput          // what a program prints
	fromVariable        // an environment variable
	fromManager         // a token or password that a program hands out on request
	fromTyped           // a value that is written in the command itself
)

// A load is what a word, a pipe or a file carries.
type load struct {
	level  level
	from   origin
	what   string // the path, the program or the variable
	path   string // set when what is a path
	home   string // a vendor whose hosts may have it; "" = none
	picked bool   // only one field or line of it
	soft   bool   // made to be sent: build output, the body of a request
	coded  bool   // encoded on the way, as people do to hide it
	rich   bool   // worth more than one file of the project: a dump, a database, what lies outside
	who    bool   // says which machine or user it is
	whole  bool   // all of the project
	typed  *shell.Typed
}

// more returns the load that matters more.
func more(a, b load) load {
	if b.level > a.level || b.level == a.level && b.level < secret && (b.rich && !a.rich || b.who && !a.who) {
		b.coded = b.coded || a.coded && a.level >= file
		return b
	}
	return a
}

// budget is how many calls and words of calls may be visited behind one call.
// Real commands need a dozen; what a hostile one does is unclear then.
const budget = 1024

// maxDepth bounds the nesting of substitutions and pipes that is followed.
const maxDepth = 64

// A tracer follows data back to where it comes from.
type tracer struct {
	place  *shell.Place
	budget int
	depth  int
	// spoilt are files that an earlier call of the same command filled with a
	// secret: base64 .env > /tmp/x.
	spoilt []string
	// hole is what is in words that are not known, since an earlier call reads a
	// secret line by line: while read l; do …; done < .env.
	hole load
	// missed counts the lists of programs that do not know the one at hand.
	missed int
	// seen are the calls that the question at hand has visited, so that variables
	// that are used over and over do not make the walk grow without end.
	seen  [48]*shell.Call
	nseen int
}

// visited reports whether a call was visited before, and notes it.
func (t *tracer) visited(c *shell.Call) bool {
	for _, s := range t.seen[:t.nseen] {
		if s == c {
			return true
		}
	}
	if t.nseen < len(t.seen) {
		t.seen[t.nseen] = c
		t.nseen++
	}
	return false
}

// spend reports whether there is budget left for one step.
func (t *tracer) spend() bool {
	t.budget--
	return t.budget > 0
}

// word returns what is in a word by substitution.
func (t *tracer) word(w *shell.Word) load {
	if len(w.From) == 0 {
		if w.Known() {
			return load{}
		}
		return more(load{level: unclear, what: "an unknown value"}, t.hole)
	}
	return t.calls(w.From)
}

// calls returns the worst of what some calls print.
func (t *tracer) calls(from []*shell.Call) load {
	if len(from) == 0 {
		return load{}
	}
	if t.depth >= maxDepth {
		return load{level: unclear, what: "the output of a deeply nested chain of commands"}
	}
	if t.depth == 0 {
		t.nseen = 0
	}
	t.depth++
	var all load
	for i, c := range from {
		if c == nil || i > 0 && feeds(c, from[i-1]) || t.visited(c) {
			continue
		}
		if !t.spend() {
			all = more(all, load{level: unclear, what: "the output of a long chain of commands"})
			break
		}
		all = more(all, t.output(c))
		if all.level == secret {
			break
		}
	}
	t.depth--
	return all
}

// feeds reports whether c is piped into next, which then answers for it.
func feeds(c, next *shell.Call) bool {
	if next == nil || next.In == nil {
		return false
	}
	for i, f := range next.In.From {
		if f == c {
			return true
		}
		if i > 8 {
			return false
		}
	}
	return false
}

// input returns what a call reads on its standard input.
func (t *tracer) input(c *shell.Call) load {
	var all load
	for i := range c.Redir {
		r := &c.Redir[i]
		switch r.Op {
		case "<", "<>":
			// `< /dev/stdin` is what is there already.
			if (r.Fd == "" || r.Fd == "0") && !isStdin(trimPath(r.Target.Text)) {
				all = more(all, t.fileWord(c, &r.Target))
			}
		case "<<", "<<-", "<<<":
			all = more(all, t.word(&r.Target))
		}
	}
	if c.In != nil {
		all = more(all, t.flow(c.In))
	}
	return all
}

// fed reports whether something is on a call's standard input.
func fed(c *shell.Call) bool {
	if c.In != nil {
		return true
	}
	for i := range c.Redir {
		if strings.HasPrefix(c.Redir[i].Op, "<") && c.Redir[i].Op != "<&" {
			return true
		}
	}
	return false
}

func (t *tracer) flow(f *shell.Flow) load {
	if len(f.From) == 0 {
		if f.Sure {
			return load{}
		}
		return load{level: unclear, what: "piped input"}
	}
	return t.calls(f.From)
}

// fileWord returns the content of the file that a word names. A word that is a
// process substitution carries what the process prints.
func (t *tracer) fileWord(c *shell.Call, w *shell.Word) load {
	l := t.file(c, w.Text)
	if len(w.From) > 0 {
		l = more(l, more(t.calls(w.From), hunted(w.From)))
	}
	return l
}

// hunted is about words that are the names of files which a search found: when it
// looks for keys, its finds are keys.
func hunted(from []*shell.Call) load {
	for i, c := range from {
		if c == nil || i > 8 {
			break
		}
		content := program.Is(c.Name, program.IsGrep)
		if !content && !program.Is(c.Name, program.IsFinder) {
			continue
		}
		for j := range c.Args {
			if a := c.Args[j].Text; j < maxWords && (content && hunts(c.Name, a) || !content && facts.SecretFile(a)) {
				return load{level: secret, from: fromPath, what: "files like " + a, path: a}
			}
		}
	}
	return load{}
}

// file returns the content of the file that a path names.
func (t *tracer) file(c *shell.Call, path string) load {
	path = trimPath(path)
	if path == "" || path == "/dev/null" || facts.Endless(path) {
		return load{}
	}
	if isStdin(path) {
		return t.input(c)
	}
	if len(t.spoilt) > 0 && t.isSpoilt(c, path) || facts.SecretFile(path) || t.isInSecretDir(c, path) || t.isTopDir(path) {
		return load{level: secret, from: fromPath, what: path, path: path}
	}
	if l, ok := t.written(c, path); ok {
		return l
	}
	l := load{level: file, from: fromPath, what: path, path: path, rich: isRecords(path) || t.isOutsideProject(c, path), whole: t.isWholeProject(path)}
	switch {
	case strings.ContainsRune(path, shell.Hole) && strings.Trim(path, string(shell.Hole)) == "":
		l.what, l.path = "an unknown file", ""
	case isPublicFile(path):
		return load{}
	case strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "/sys/") || strings.HasPrefix(path, "/etc/"):
		l.level = about
	default:
		l.soft = isArtefact(path)
	}
	return l
}

// written returns what an earlier part of the same text put into a file. ok is
// false when that says nothing about it.
func (t *tracer) written(c *shell.Call, path string) (load, bool) {
	for i := range c.Files {
		f := &c.Files[i]
		if f.Path != path && strings.TrimPrefix(f.Path, "./") != strings.TrimPrefix(path, "./") {
			continue
		}
		l := t.calls(f.From)
		switch {
		case l.level == secret:
			l.what, l.path = path+" with "+l.what, path
		case f.Made && f.Sure && l.level <= unclear:
			return load{}, true // typed in the command
		case !f.Made || len(f.From) == 0 || l.level == unclear:
			return load{}, false
		}
		return l, true
	}
	return load{}, false
}
