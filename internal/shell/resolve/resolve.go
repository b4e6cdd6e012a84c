package resolve

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// What a walk may cost. Honest commands stay far below all of these.
const (
	maxSteps     = 150_000 // statements, words and parts of words that are looked at
	maxRoom      = 4 << 20 // bytes that expansions make
	maxRecursion = 5       // a function within itself
	maxDepth     = 16      // texts within texts, functions within functions
	maxHops      = 24      // different wrappers around one command
	maxSame      = 4000    // wrappers of which each is the same as the one before
	maxCalls     = 20_000
	maxRounds    = 1200 // runs of loop bodies
	maxLoop      = 400  // runs of one loop
	maxWords     = 4096
	maxVars      = 400 // variables; also functions, aliases, files
	maxProblem   = 64
)

// hole is [shell.Hole] as a string.
const hole = string(shell.Hole)

// Calls returns the programs that text will run in p, in the order in which they
// are met, with their words resolved as far as they are known. Problems are what
// could not be resolved, and what is known to be bad whatever program it uses.
//
// A command that only changes the shell's own state, such as cd or x=1, is no
// call. Redirections that belong to no program are those of a call named ":".
func Calls(text string, p shell.Place) (calls []*shell.Call, problems []shell.Effect) {
	w := newWalker(&p)
	w.text(text)
	w.finish(0)
	if w.parser != nil {
		parsers.Put(w.parser)
	}
	return w.calls, w.problems
}

// newWalker returns a walker at the beginning of a text.
func newWalker(p *shell.Place) *walker {
	w := &walker{}
	w.place, w.steps, w.room, w.rounds = p, maxSteps, maxRoom, maxRounds
	w.Env = environ{w}
	return w
}

// A walker walks the tree of a command, and of the texts within it. It is the topmost of
// the layers that a walk consists of; each uses only those below it:
//
//	findings   what is found so far, and what the walk may still cost
//	world      variables, functions and directories
//	fileTable  what the text did to files, and what is in those that were there before
//	outputs    streams, and what commands print into them or write
//
// //	walker     statements, builtins and nested texts
//
// What programs run in ways of their own is in types of their own: [wrappers], [options]
// and [projects].
type walker struct {
	outputs
	expand.Expander
	parser  *syntax.Parser
	opening []*argv.Opening // the rows that are being walked
	forks   int             // pipes and & around what is walked
	valued  int             // values that run around what is walked
	judging bool            // a file that a program loads is walked
}

// A frame is a function, or an alias, that is running.
type frame struct {
	name         string       // of an alias
	body         *syntax.Stmt // of a function
	args         []shell.Word
	forks, conds int
	locals       []expand.Variable // what the function's own variables hide; gone = nothing
}

// A sink gathers what is written to a pipe or a substitution.
type sink struct {
	text   []byte
	unsure bool // some of it is not known
	from   []*shell.Call
}

func (s *sink) add(text string, sure bool) {
	s.text = append(s.text, text...)
	if !sure {
		s.unsure = true
		if !strings.Contains(text, hole) {
			s.text = append(s.text, hole...)
		}
	}
}

// flow is what was gathered, ahead of what flowed into it.
func (s *sink) flow(up *shell.Flow) *shell.Flow {
	f := &shell.Flow{Sure: !s.unsure}
	f.Text = string(s.text)
	if s.unsure && strings.Trim(f.Text, hole+"\n") == "" {
		f.Text = ""
	}
	n := len(s.from)
	if up == nil && n == 1 {
		f.From = s.from[:1:1]
		return f
	}
	if up != nil {
		n += len(up.From)
	}
	f.From = make([]*shell.Call, 0, min(n, expand.MaxFrom))
	for i := len(s.from) - 1; i >= 0 && len(f.From) < expand.MaxFrom; i-- {
		f.From = append(f.From, s.from[i])
	}
	if up != nil {
		f.From = expand.AddFrom(f.From, up.From)
	}
	return f
}

// show is words as people read them, shortened.
func show(words []shell.Word) string {
	var b strings.Builder
	for i, wd := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(wd.Text)
		if b.Len() > 200 {
			break
		}
	}
	return brief(b.String())
}

func brief(s string) string {
	s = strings.ReplaceAll(s, hole, "…")
	if len(s) <= 200 {
		return s
	}
	cut := 200
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
