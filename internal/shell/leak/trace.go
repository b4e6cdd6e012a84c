package leak

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
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
}

// more returns the load that matters more.
func more(a, b load) load {
	if b.level > a.level {
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
		return more(load{level: unclear, what: "a value that is not known"}, t.hole)
	}
	return t.calls(w.From)
}

// calls returns the worst of what some calls print.
func (t *tracer) calls(from []*shell.Call) load {
	if len(from) == 0 {
		return load{}
	}
	if t.depth >= maxDepth {
		return load{level: unclear, what: "a deep chain of commands"}
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
			all = more(all, load{level: unclear, what: "a long chain of commands"})
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
			if (r.Fd == "" || r.Fd == "0") && !standardInput(pathIn(r.Target.Text)) {
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
		return load{level: unclear, what: "what is piped in"}
	}
	return t.calls(f.From)
}

// fileWord returns the content of the file that a word names. A word that is a
// process substitution carries what the process prints.
func (t *tracer) fileWord(c *shell.Call, w *shell.Word) load {
	l := t.file(c, w.Text)
	if len(w.From) > 0 {
		l = more(l, t.calls(w.From))
	}
	return l
}

// file returns the content of the file that a path names.
func (t *tracer) file(c *shell.Call, path string) load {
	path = pathIn(path)
	switch path {
	case "", "/dev/null", "/dev/zero", "/dev/urandom", "/dev/random":
		return load{}
	}
	if standardInput(path) {
		return t.input(c)
	}
	for _, s := range t.spoilt {
		if s == path {
			return load{level: secret, from: fromPath, what: path, path: path}
		}
	}
	if SecretFile(path) || t.secretHere(c, path) || t.wholesale(path) {
		return load{level: secret, from: fromPath, what: path, path: path}
	}
	l := load{level: file, from: fromPath, what: path, path: path}
	switch {
	case strings.ContainsRune(path, shell.Hole) && strings.Trim(path, string(shell.Hole)) == "":
		l.what, l.path = "a file that is not known", ""
	case public(path):
		return load{}
	case strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "/sys/") || strings.HasPrefix(path, "/etc/"):
		l.level = about
	default:
		l.soft = artefact(path)
	}
	return l
}

// pathIn takes off what programs write around a path.
func pathIn(text string) string {
	text = strings.TrimPrefix(text, "fileb://")
	text = strings.TrimPrefix(text, "file://")
	return strings.Trim(text, `"'`)
}

func standardInput(path string) bool {
	switch path {
	case "-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
		return true
	}
	return false
}

// secretHere reports whether a relative path lies in a directory of secrets
// because of where the call runs.
func (t *tracer) secretHere(c *shell.Call, path string) bool {
	if path[0] == '/' || path[0] == '~' || strings.HasSuffix(path, ".pub") {
		return false
	}
	dir := c.Dir
	if dir == "" && t.place != nil {
		dir = t.place.Dir
	}
	if dir == "" || len(dir) > maxPath || strings.HasPrefix(path, "..") {
		return false
	}
	dir = strings.ToLower(dir)
	return secretDir(strings.TrimRight(dir, "/")) || (dir == "/etc" || dir == "/etc/") && secretPlace("/etc", strings.TrimPrefix(path, "./")) ||
		c.Dir != "" && (path == "." || path == "./" || path == "*") && t.wholesale(c.Dir)
}

// wholesale reports whether a path is so wide that secrets are surely in it: a
// home, the root, all of /etc.
func (t *tracer) wholesale(path string) bool {
	if i := len(path) - 2; i > 0 && (path[i:] == "/*" || path[i:] == "/.") {
		path = path[:i+1]
	}
	if len(path) > 1 {
		path = strings.TrimRight(path, "/")
	}
	switch path {
	case "~", "/", "", "/root", "/home", "/Users", "/etc", "/var", "/run", "$HOME", "/proc", "/*":
		return true
	}
	if t.place != nil && t.place.Home != "" && path == t.place.Home {
		return t.place.Root != path
	}
	for _, top := range [...]string{"/home/", "/Users/"} {
		if rest, ok := strings.CutPrefix(path, top); ok && strings.IndexByte(rest, '/') < 0 {
			return true
		}
	}
	return false
}

// public reports whether a file is made to be shown to others.
func public(path string) bool {
	base := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
	switch base {
	case "version", "version.txt", ".version", ".nvmrc", ".node-version", ".python-version", ".ruby-version", ".tool-versions", ".go-version", "go.mod",
		"license", "license.txt", "license.md":
		return true
	}
	return strings.HasSuffix(base, ".pub")
}

// artefact reports whether a path is what a build makes or the body of a
// request, which are made to be sent.
func artefact(path string) bool {
	base := path[strings.LastIndexByte(path, '/')+1:]
	stem := base
	if i := strings.IndexByte(stem, '.'); i > 0 {
		stem = stem[:i]
	}
	switch strings.ToLower(stem) {
	case "payload", "body", "request", "req", "query", "mutation", "message", "event", "fixture", "mock", "coverage", "lcov", "junit":
		return true
	}
	switch strings.ToLower(base[strings.LastIndexByte(base, '.')+1:]) {
	case "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "mp4", "webm", "whl", "crate", "gem", "apk", "ipa", "deb":
		return true
	}
	for rest := strings.TrimPrefix(path, "./"); rest != ""; {
		part, tail, _ := strings.Cut(rest, "/")
		switch part {
		case "dist", "build", "out", "public", "target", "_site", ".next", "coverage", "release", "releases", "site", "htmlcov", "storybook-static", "artifacts", "fixtures", "testdata":
			return true
		}
		if tail == rest {
			break
		}
		rest = tail
	}
	return false
}
