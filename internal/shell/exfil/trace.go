package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A level is how sensitive data is.
type level uint8

const (
	clean   level = iota // no data, public data, or text typed in the command
	unclear              // data whose source is unknown, such as the output of an unknown program
	about                // facts about the machine and its user
	file                 // a file, a dump or source code
	secret
)

// An origin is where data comes from. It matters because a token in a header is used as intended, but
// a key file in a header is not.
type origin uint8

const (
	fromText     origin = iota
	fromPath            // a file's content
	fromOutput          // the output of a program
	fromVariable        // an environment variable
	fromManager         // a token or password that a credential manager prints on request
	fromTyped           // a value written in the command itself
)

// A load is the data in a word, a pipe or a file: how sensitive it is and where it comes from. The
// zero load is no data.
type load struct {
	level        level
	from         origin
	what         string             // the path, the program or the variable, for messages
	path         string             // the path of the source, or "" if it is not a file
	vendor       string             // the vendor whose hosts may receive the data, or ""
	partial      bool               // only a field or a line of the source
	shareable    bool               // meant to be sent: build output, the body of a request
	encoded      bool               // encoded on the way, which may hide the data
	valuable     bool               // worth more than one file of the project: a dump, a database, a file from outside the project
	identifying  bool               // identifies the machine or the user
	wholeProject bool               // the whole project
	typed        *shell.TypedSecret // the secret if it was typed in the command, or nil
}

// worseLoad returns a or b, whichever is worse to send. If they are equally bad, it returns a.
func worseLoad(a, b load) load {
	if b.level > a.level || b.level == a.level && b.level < secret && (b.valuable && !a.valuable || b.identifying && !a.identifying) {
		b.encoded = b.encoded || a.encoded && a.level >= file
		return b
	}
	return a
}

// maxSteps is the number of calls and words that may be visited for one call. Real commands need a
// dozen; data beyond it counts as unclear.
const maxSteps = 1024

// maxDepth is how deep nested substitutions and pipes are followed.
const maxDepth = 64

// A tracer follows data back to its source.
type tracer struct {
	place     *shell.Place
	stepsLeft int
	depth     int
	// tainted are the absolute paths of files that an earlier call of the same command filled with a
	// secret, as in base64 .env > /tmp/x.
	tainted []string
	// unknownWord is the data that words of unknown content hold because an earlier call reads a
	// secret line by line, as in while read l; do …; done < .env. It is the zero load otherwise.
	unknownWord load
	// unhandled is how many of the two functions with rules for programs, transportEffect and
	// serviceEffect, have none for the current program.
	unhandled int
	// visited are the calls visited since the outermost call of callsLoad. Without it, variables that
	// are used repeatedly would make the search exponential.
	visited    [48]*shell.Call
	numVisited int
}

// markVisited marks c as visited and reports whether it already was.
func (t *tracer) markVisited(c *shell.Call) bool {
	for _, s := range t.visited[:t.numVisited] {
		if s == c {
			return true
		}
	}
	if t.numVisited < len(t.visited) {
		t.visited[t.numVisited] = c
		t.numVisited++
	}
	return false
}

// spendStep takes one of the steps that are left and reports whether more are left.
func (t *tracer) spendStep() bool {
	t.stepsLeft--
	return t.stepsLeft > 0
}

// wordLoad returns the worst data that substitutions put into w. It returns the zero load if the text
// of w is known.
func (t *tracer) wordLoad(w *shell.Word) load {
	if len(w.From) == 0 {
		if w.IsKnown() {
			return load{}
		}
		return worseLoad(load{level: unclear, what: "an unknown value"}, t.unknownWord)
	}
	return t.callsLoad(w.From)
}

// callsLoad returns the worst data in the outputs of the calls in from.
func (t *tracer) callsLoad(from []*shell.Call) load {
	if len(from) == 0 {
		return load{}
	}
	if t.depth >= maxDepth {
		return load{level: unclear, what: "the output of a deeply nested chain of commands"}
	}
	if t.depth == 0 {
		t.numVisited = 0
	}
	t.depth++
	var all load
	for i, c := range from {
		if c == nil || i > 0 && feeds(c, from[i-1]) || t.markVisited(c) {
			continue
		}
		if !t.spendStep() {
			all = worseLoad(all, load{level: unclear, what: "the output of a long chain of commands"})
			break
		}
		all = worseLoad(all, t.outputLoad(c))
		if all.level == secret {
			break
		}
	}
	t.depth--
	return all
}

// feeds reports whether c is piped into next, so that the output of next includes the data of c.
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

// inputLoad returns the worst data on the standard input of c.
func (t *tracer) inputLoad(c *shell.Call) load {
	var all load
	for i := range c.Redir {
		r := &c.Redir[i]
		switch r.Op {
		case "<", "<>":
			// `< /dev/stdin` changes nothing.
			if (r.Fd == "" || r.Fd == "0") && !isStdin(trimPath(r.Target.Text)) {
				all = worseLoad(all, t.fileWordLoad(c, &r.Target))
			}
		case "<<", "<<-", "<<<":
			all = worseLoad(all, t.wordLoad(&r.Target))
		}
	}
	if c.In != nil {
		all = worseLoad(all, t.pipeLoad(c.In))
	}
	return all
}

// hasInput reports whether c has a pipe, a file or text as its standard input.
func hasInput(c *shell.Call) bool {
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

// pipeLoad returns the worst data in the pipe f.
func (t *tracer) pipeLoad(f *shell.Flow) load {
	if len(f.From) == 0 {
		if f.Complete {
			return load{}
		}
		return load{level: unclear, what: "piped input"}
	}
	return t.callsLoad(f.From)
}

// fileWordLoad returns the content of the file that w names. If substitutions are part of w, their
// output counts too.
func (t *tracer) fileWordLoad(c *shell.Call, w *shell.Word) load {
	l := t.fileLoad(c, w.Text)
	if len(w.From) > 0 {
		l = worseLoad(l, worseLoad(t.callsLoad(w.From), searchHitsLoad(w.From)))
	}
	return l
}

// searchHitsLoad returns a secret if a call in from searches for secrets or for files with the names
// of secrets, because then the files that it finds contain them. It returns the zero load otherwise.
func searchHitsLoad(from []*shell.Call) load {
	for i, c := range from {
		if c == nil || i > 8 {
			break
		}
		content := program.Is(c.Name, program.IsGrep)
		if !content && !program.Is(c.Name, program.IsFinder) {
			continue
		}
		for j := range c.Args {
			if a := c.Args[j].Text; j < maxWords && (content && searchesSecrets(c.Name, a) || !content && facts.IsSecretFile(a)) {
				return load{level: secret, from: fromPath, what: "files like " + a, path: a}
			}
		}
	}
	return load{}
}

// fileLoad returns the content of the file path, which c reads. It returns the zero load for a file
// that is empty or public.
func (t *tracer) fileLoad(c *shell.Call, path string) load {
	path = trimPath(path)
	if path == "" || path == "/dev/null" || facts.IsEndlessDevice(path) {
		return load{}
	}
	if isStdin(path) {
		return t.inputLoad(c)
	}
	if len(t.tainted) > 0 && t.isTainted(c, path) || facts.IsSecretFile(path) || t.isInSecretDir(c, path) || t.isWideDir(path) {
		return load{level: secret, from: fromPath, what: path, path: path}
	}
	if l, ok := t.writtenFileLoad(c, path); ok {
		return l
	}
	l := load{level: file, from: fromPath, what: path, path: path, valuable: isRecordsFile(path) || t.isOutsideProject(c, path), wholeProject: t.isWholeProject(path)}
	switch {
	case strings.ContainsRune(path, shell.Placeholder) && strings.Trim(path, string(shell.Placeholder)) == "":
		l.what, l.path = "an unknown file", ""
	case isPublicFile(path):
		return load{}
	case strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "/sys/") || strings.HasPrefix(path, "/etc/"):
		l.level = about
	default:
		l.shareable = isShareableFile(path)
	}
	return l
}

// writtenFileLoad returns the data that an earlier part of the same command wrote to the file path. It
// reports false if that is unknown.
func (t *tracer) writtenFileLoad(c *shell.Call, path string) (load, bool) {
	for i := range c.Files {
		f := &c.Files[i]
		if f.Path != path && strings.TrimPrefix(f.Path, "./") != strings.TrimPrefix(path, "./") {
			continue
		}
		l := t.callsLoad(f.From)
		switch {
		case l.level == secret:
			l.what, l.path = path+" with "+l.what, path
		case f.Created && f.Complete && l.level <= unclear:
			return load{}, true // the content was typed in the command
		case !f.Created || len(f.From) == 0 || l.level == unclear:
			return load{}, false
		}
		return l, true
	}
	return load{}, false
}
