package trust

import (
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/workplace"
)

const (
	maxDepth = 16   // of commands inside commands
	maxBases = 32   // directories that one command may change to
	maxPath  = 4096 // bytes of a path
)

var errTooDeep = errors.New("its command is nested too deeply to see which files it runs")

// A walker follows shell text and notes the words that may name files. It does
// no I/O, and takes time linear in the text for every level of nesting.
type walker struct {
	root, home string
	bases      []string // directories that relative words may start in, the last one most likely
	lost       bool     // the command went to a directory that only the shell knows
	mentions   []mention
	calls      []Call
	noted      map[string]bool // words that are mentioned already, from the bases as they are
	scripts    int             // interpreters so far
	problem    error
	depth      int
	line       line
}

// A mention is a word that may name a file.
type mention struct {
	paths  []string // where it may be, at least one
	must   bool     // it is run, so its absence matters
	script script
}

// A script says that a word may be what an interpreter runs: a file, whose
// arguments follow, or a directory, of which nobody can tell what runs.
type script struct {
	of      int  // the interpreter, counted from 1; 0 = none
	preload bool // an option's value: the script is yet to come
	last    bool // whatever it is, arguments follow
}

// A line is what is known of the commands that belong together.
type line struct {
	cmd     command
	shell   bool   // on this line of text a shell runs
	runner  bool   // in this pipeline a runner runs
	said    []word // what the pipeline prints, for a runner in it to run
	cases   int    // open case commands
	pattern bool   // a pattern of a case is next
	soft    bool   // this may be no shell text after all, so nothing must exist
}

// A command is what is known of the command that is being read.
type command struct {
	begun   bool  // something stands before its name, so that is no keyword
	started bool  // its name is known, so arguments follow
	target  token // a redirection wants the next word
	wrapper bool  // it runs the command that its arguments spell
	runner  bool  // it runs files, or text
	says    bool  // it prints its arguments
	enters  bool  // its -C names a directory to change to
	script  int   // it is an interpreter that has not got its script yet
	preload bool  // the last word was an option, whose value is a file but not the script
	last    bool  // the next argument is the last that may be the script
	shell   bool  // it is a shell
	option  bool  // the last word was an option, so this one may be its value
	text    bool  // the next argument is shell text
	cd      bool  // the next argument is a directory to change to
	in      bool  // a case command, before its "in"
	call    int   // which of the calls it is, counted from 1; 0 = none
}

// text walks shell text. What is soft was perhaps never meant as such.
func (w *walker) text(s string, soft bool) {
	saved := w.line.soft
	w.line.soft = soft || saved
	w.run(&lexer{text: s, walker: w}, false)
	w.line.soft = saved
}

// argv walks a command without a shell. Variables are looked at nevertheless,
// in case the one who runs it replaces them.
func (w *walker) argv(argv []string) {
	for i, arg := range argv {
		w.line.soft = true // what looks like a command inside a word is most likely none
		l := lexer{text: `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`").Replace(arg) + `"`, walker: w}
		x := l.word()
		if strings.HasPrefix(arg, "~/") && w.home != "" {
			x = word{text: w.home + arg[1:], quoted: true}
		}
		w.line.soft = false
		if i == 0 {
			w.program(x)
		} else {
			w.word(x)
		}
	}
	w.endPipeline()
}

// run walks the commands that l reads, to the end or, if they are nested, to
// the bracket that closes them.
func (w *walker) run(l *lexer, nested bool) {
	if w.depth == maxDepth {
		w.problem = errTooDeep
		l.i = len(l.text)
		return
	}
	saved := w.line
	w.line = line{soft: saved.soft}
	w.depth++
	for brackets := 0; brackets >= 0; {
		switch t := l.next(); t {
		case tokEnd:
			brackets = -1
		case tokWord:
			w.word(l.last)
		case tokOpen:
			brackets += w.open(l)
		case tokClose:
			brackets += w.close(brackets, nested)
		case tokPipe:
			w.endCommand()
		case tokBreak, tokCase:
			w.endPipeline()
			w.line.pattern = w.line.pattern || t == tokCase && w.line.cases > 0
			if t == tokBreak && l.text[l.i-1] == '\n' {
				w.line.shell = false
			}
		default:
			w.line.cmd.target = t
		}
	}
	w.endPipeline()
	w.depth--
	w.line = saved
}

// open handles an opening bracket and returns how many it opened.
func (w *walker) open(l *lexer) int {
	switch {
	case w.line.pattern:
		return 0
	case l.peek(0) == '(' || l.i > 1 && l.text[l.i-2] == '=':
		// Arithmetic, or the elements of an array. Its own lexer reads it, so
		// that a shift in it does not pass for a heredoc.
		end := closing(l.text, l.i-1, false)
		w.text(l.text[l.i:end], true)
		l.i = min(end+1, len(l.text))
		return 0
	}
	w.endCommand()
	return 1
}

// close handles a closing bracket and returns by how much that changes the
// number of open ones: to less than none at the end of a nested command.
func (w *walker) close(brackets int, nested bool) int {
	switch {
	case w.line.pattern:
		w.line.pattern = false
	case brackets > 0 || nested:
		w.endCommand()
		return -1
	}
	w.endCommand()
	return 0
}

func (w *walker) endCommand() { w.line.cmd = command{} }

func (w *walker) endPipeline() {
	w.endCommand()
	said, runner := w.line.said, w.line.runner
	w.line.said, w.line.runner = nil, false
	if runner {
		for _, x := range said {
			w.perhapsText(x)
		}
	}
}

// heredoc handles the text of a heredoc: a shell's input, or a string in which
// commands may be expanded.
func (w *walker) heredoc(body string, quoted bool) {
	switch {
	case w.line.shell:
		w.text(body, false)
	case w.line.runner:
		w.text(body, true) // in whatever language
	case !quoted:
		l := lexer{text: body, walker: w}
		for l.i < len(l.text) {
			var x word
			switch l.text[l.i] {
			case '\\':
				l.i = min(l.i+2, len(l.text))
			case '$':
				l.dollar(&x, 0, true)
			case '`':
				l.backquote(&x, 0)
			default:
				l.i++
			}
			l.buf = l.buf[:0]
		}
	}
}

// mention notes that a word, or what it sets a name or an option to, may name a
// file.
func (w *walker) mention(x word, s script) {
	if x.dynamic {
		return
	}
	if x.lead == leadNone && s.of == 0 {
		if w.noted[x.text] {
			return
		}
		if w.noted == nil {
			w.noted = make(map[string]bool)
		}
		w.noted[x.text] = true
	}
	w.add(w.resolve(x.lead, x.text[x.rest:]), false, s)
	if x.lead != leadNone {
		return // of which all but the directory was just looked at
	}
	if n := strings.IndexByte(x.text, '='); n >= 0 {
		w.add(w.resolve(leadNone, x.text[n+1:]), false, s)
	}
	switch {
	case len(x.text) > 2 && x.text[0] == '-' && x.text[1] != '-':
		w.add(w.resolve(leadNone, x.text[2:]), false, s)
	case len(x.text) > 1 && x.text[0] == '@':
		w.add(w.resolve(leadNone, x.text[1:]), false, s)
	}
}

func (w *walker) add(paths []string, must bool, s script) {
	if len(paths) > 0 {
		w.mentions = append(w.mentions, mention{paths, must && !w.line.soft, s})
	}
}

// resolve returns where a path may lead to, nothing if it cannot be one.
func (w *walker) resolve(dir lead, path string) []string {
	if len(path) > maxPath || strings.IndexByte(path, 0) >= 0 ||
		dir == leadNone && (path == "" || path[0] == '-') ||
		dir != leadNone && path != "" && !hasSlash(path[:1]) {
		return nil
	}
	switch {
	case dir == leadProject:
		return []string{filepath.Join(w.root, path)}
	case dir == leadTop:
		return []string{filepath.Join(workplace.Top(w.root), path)}
	case dir == leadHome && w.home == "":
		return nil
	case dir == leadHome:
		return []string{filepath.Join(w.home, path)}
	case dir == leadNone && (filepath.IsAbs(path) || strings.HasPrefix(path, "/")):
		return []string{filepath.Clean(path)}
	}
	paths := make([]string, len(w.bases))
	for i, base := range w.bases {
		paths[i] = filepath.Join(base, path)
	}
	return paths
}

// hasSlash reports whether s is a path rather than a bare name.
func hasSlash(s string) bool {
	return strings.IndexByte(s, '/') >= 0 || runtime.GOOS == "windows" && strings.IndexByte(s, '\\') >= 0
}

// workingDir is the directory that a hook's working_dir, which holds no
// variable, names.
func (w *walker) workingDir(dir string) string {
	rest, tilde := strings.CutPrefix(dir, "~")
	switch {
	case tilde && (rest == "" || hasSlash(rest[:1])):
		if w.home == "" {
			return w.root
		}
		return filepath.Join(w.home, rest)
	case strings.TrimSpace(dir) == "":
		return w.root
	case filepath.IsAbs(dir):
		return filepath.Clean(dir)
	}
	return filepath.Join(w.root, dir)
}

// chdir notes a change of directory. The old ones stay possible: the change may
// be in a subshell, or fail.
func (w *walker) chdir(x word) {
	var paths []string
	if !x.dynamic && x.at == 0 && len(w.bases) < maxBases {
		paths = w.resolve(x.lead, x.text[x.rest:])
	}
	w.lost = w.lost || len(paths) == 0
	for _, path := range paths {
		switch {
		case slices.Contains(w.bases, path):
		case len(w.bases) == maxBases:
			w.lost = true
		default:
			w.bases = append(w.bases, path)
			clear(w.noted)
		}
	}
}
