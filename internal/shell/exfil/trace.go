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

// A taint describes the data in a word, a pipe or a file: how sensitive it is and where it comes from.
// The zero taint stands for no data.
type taint struct {
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
	personal     bool               // from a directory of the user's own writings, as ~/Documents
	typed        *shell.TypedSecret // the secret if it was typed in the command, or nil
}

// worseTaint returns a or b, whichever is worse to send. If they are equally bad, it returns a.
func worseTaint(a, b taint) taint {
	if b.level > a.level || b.level == a.level && b.level < secret && (b.valuable && !a.valuable || b.personal && !a.personal || b.identifying && !a.identifying) {
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
	// tainted are the files that an earlier call of the same command filled with a secret, as in
	// base64 .env > /tmp/x.
	tainted []taintedFile
	// ignoresSession is set if files that earlier calls of the session filled do not matter, because
	// the command sends nothing.
	ignoresSession bool
	// unknownWord is the data that words of unknown content hold because an earlier call reads a
	// secret line by line, as in while read l; do …; done < .env. It is the zero taint otherwise.
	unknownWord taint
	// unhandled is how many of the two functions with rules for programs, transportEffect and
	// serviceEffect, have none for the current program.
	unhandled int
	// visited are the calls visited since the outermost call of callsTaint. Without it, variables that
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

// wordTaint returns the worst taint that substitutions put into w. It returns the zero taint if the
// text of w is known.
func (t *tracer) wordTaint(w *shell.Word) taint {
	if len(w.From) == 0 {
		if w.IsKnown() {
			return taint{}
		}
		return worseTaint(taint{level: unclear, what: "an unknown value"}, t.unknownWord)
	}
	return t.callsTaint(w.From)
}

// callsTaint returns the worst taint in the outputs of the calls in from.
func (t *tracer) callsTaint(from []*shell.Call) taint {
	if len(from) == 0 {
		return taint{}
	}
	if t.depth >= maxDepth {
		return taint{level: unclear, what: "the output of a deeply nested chain of commands"}
	}
	if t.depth == 0 {
		t.numVisited = 0
	}
	t.depth++
	var all taint
	for i, c := range from {
		if c == nil || i > 0 && isPipedInto(c, from[i-1]) || t.markVisited(c) {
			continue
		}
		if !t.spendStep() {
			all = worseTaint(all, taint{level: unclear, what: "the output of a long chain of commands"})
			break
		}
		all = worseTaint(all, t.outputTaint(c))
		if all.level == secret {
			break
		}
	}
	t.depth--
	return all
}

// isPipedInto reports whether c is piped into next, so that the output of next includes the data of c.
func isPipedInto(c, next *shell.Call) bool {
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

// inputTaint returns the worst taint on the standard input of c.
func (t *tracer) inputTaint(c *shell.Call) taint {
	var all taint
	for i := range c.Redir {
		r := &c.Redir[i]
		switch r.Op {
		case "<", "<>":
			// `< /dev/stdin` changes nothing.
			if (r.Fd == "" || r.Fd == "0") && !isStdin(trimPath(r.Target.Text)) {
				all = worseTaint(all, t.fileWordTaint(c, &r.Target))
			}
		case "<<", "<<-", "<<<":
			all = worseTaint(all, t.wordTaint(&r.Target))
		}
	}
	if c.In != nil {
		all = worseTaint(all, t.pipeTaint(c.In))
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

// pipeTaint returns the worst taint in the pipe f.
func (t *tracer) pipeTaint(f *shell.Flow) taint {
	if len(f.From) == 0 {
		if f.Complete {
			return taint{}
		}
		return taint{level: unclear, what: "piped input"}
	}
	return t.callsTaint(f.From)
}

// fileWordTaint returns the taint of the file that w names. If substitutions are part of w, their
// output counts too.
func (t *tracer) fileWordTaint(c *shell.Call, w *shell.Word) taint {
	l := t.fileTaint(c, w.Text)
	if len(w.From) > 0 {
		l = worseTaint(l, worseTaint(t.callsTaint(w.From), searchHitsTaint(w.From)))
	}
	return l
}

// searchHitsTaint returns a secret if a call in from searches for secrets, for files with the names of
// secrets or for files that git ignores, because then the files that it finds contain them. It returns
// the zero taint otherwise.
func searchHitsTaint(from []*shell.Call) taint {
	left := 16
	return searchedTaint(from, &left)
}

// searchedTaint is searchHitsTaint for at most left calls, with those that pass on the names.
func searchedTaint(from []*shell.Call, left *int) taint {
	for _, c := range from {
		if *left--; c == nil || *left < 0 {
			break
		}
		if program.SendsOf(c.Name) == program.SendsGit && listsIgnoredFiles(c) {
			return taint{level: secret, from: fromPath, what: "files that git ignores"}
		}
		content := program.Is(c.Name, program.IsGrep)
		if content || program.Is(c.Name, program.IsFinder) {
			for j := range c.Args {
				a := c.Args[j].Text
				if j < maxWords && (content && (searchesSecrets(c.Name, a) || c.In != nil && namesEnv(a)) || !content && facts.IsSecretFile(a)) {
					return taint{level: secret, from: fromPath, what: "files like " + a, path: a}
				}
			}
		}
		if c.In != nil {
			if l := searchedTaint(c.In.From, left); l.level == secret {
				return l
			}
		}
	}
	return taint{}
}

// namesEnv reports whether pattern selects .env from a list of file names.
func namesEnv(pattern string) bool {
	return facts.IsSecretFile("." + strings.TrimLeft(strings.ReplaceAll(pattern, `\`, ""), "^."))
}

// listsIgnoredFiles reports whether c, a call of git, lists files that git ignores.
func listsIgnoredFiles(c *shell.Call) bool {
	switch sub, _ := gitSubcommand(c); sub {
	case "ls-files":
		return hasShortOption(c, 'i') || hasArg(c, "--ignored")
	case "status":
		return hasArg(c, "--ignored")
	case "clean":
		return hasShortOption(c, 'X') || hasShortOption(c, 'x')
	}
	return false
}

// namedOnInputTaint returns the worst taint of the files that c packs and whose names its input or a
// list has, as with tar -T - or cpio -o.
func namedOnInputTaint(c *shell.Call) taint {
	if c.In != nil {
		switch program.FilesOf(c.Name) {
		case program.FilesTar, program.FilesZip, program.FilesCpio:
			return searchHitsTaint(c.In.From)
		}
	}
	return taint{}
}

// fileTaint returns the taint of the file path, which c reads. It returns the zero taint for a file
// that is empty or public.
func (t *tracer) fileTaint(c *shell.Call, path string) taint {
	path = trimPath(path)
	if path == "" || path == "/dev/null" || facts.IsEndlessDevice(path) {
		return taint{}
	}
	if isStdin(path) {
		return t.inputTaint(c)
	}
	if s := t.sessionTaint(c, path); s.level == secret {
		return s
	}
	if s := t.findTainted(c, path); s != nil {
		return taint{level: secret, from: fromPath, what: path, path: path, partial: s.partial}
	}
	if facts.IsSecretFile(path) || t.isInSecretDir(c, path) || t.isWideDir(path) {
		return taint{level: secret, from: fromPath, what: path, path: path}
	}
	if l, ok := t.writtenFileTaint(c, path); ok {
		return l
	}
	l := taint{level: file, from: fromPath, what: path, path: path, valuable: isDataExport(path) || t.isOutsideProject(c, path), wholeProject: t.isWholeProject(path)}
	l.personal = l.valuable && t.isPersonal(c, path)
	switch {
	case strings.ContainsRune(path, shell.Placeholder) && strings.Trim(path, string(shell.Placeholder)) == "":
		l.what, l.path = "an unknown file", ""
	case isPublicFile(path):
		return taint{}
	case strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "/sys/") || strings.HasPrefix(path, "/etc/"):
		l.level = about
	default:
		l.shareable = isShareableFile(path)
	}
	return l
}

// writtenFileTaint returns the taint of the data that an earlier part of the same command wrote to the
// file path. It reports false if that is unknown.
func (t *tracer) writtenFileTaint(c *shell.Call, path string) (taint, bool) {
	for i := range c.Files {
		f := &c.Files[i]
		if f.Path != path && strings.TrimPrefix(f.Path, "./") != strings.TrimPrefix(path, "./") {
			continue
		}
		l := t.callsTaint(f.From)
		switch {
		case l.level == secret:
			l.what, l.path = path+" with "+l.what, path
		case f.Created && f.Complete && l.level <= unclear:
			return taint{}, true // the content was typed in the command
		case !f.Created || len(f.From) == 0 || l.level == unclear:
			return taint{}, false
		}
		return l, true
	}
	return taint{}, false
}
