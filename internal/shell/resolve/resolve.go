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
	maxSteps     = 150_000 // statements, words and parts of words that are walked
	maxRoom      = 4 << 20 // bytes that expansions make
	maxRecursion = 5       // a function within itself
	maxDepth     = 16      // texts within texts, functions within functions
	maxHops      = 24      // different wrappers around one command
	maxSame      = 4000    // consecutive wrappers of the same name
	maxCalls     = 20_000
	maxRounds    = 1200 // runs of loop bodies
	maxLoop      = 400  // runs of one loop
	maxWords     = 4096
	maxVars      = 400 // variables; also functions, aliases, files
	maxProblem   = 64
)

// placeholder is [shell.Hole] as a string.
const placeholder = string(shell.Placeholder)

// Calls returns the programs that text will run in p, in the order of the text, with their words
// resolved as far as possible. Problems are what it could not resolve, and what is harmful whichever
// program does it.
//
// A command that only changes the shell's own state, such as cd or x=1, is no call. Redirections
// without a program become a call named ":".
func Calls(text string, p shell.Place) (calls []*shell.Call, problems []shell.Effect) {
	w := newWalker(&p)
	w.walkText(text)
	w.walkEndings(0)
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

// A walker walks the syntax tree of a command and of the texts nested in it. It is the topmost of the
// layers of a walk; each uses only those below it:
//
//	findings    what the walk has found, and its remaining budget
//	shellModel  variables, functions and directories
//	fileTable   what the text did to files, and the contents of files that existed before
//	outputs     streams, and what commands print into them or write to files
//	walker      statements, builtins and nested texts
//
// The commands that programs run in ways of their own are the work of [wrappers], [options] and
// [projects].
type walker struct {
	outputs
	expand.Expander
	parser       *syntax.Parser
	opening      []*argv.NestedRule // the rows that are being walked
	forks        int                // pipelines and background jobs around the current statement
	valueDepth   int                // values of variables and options around it that are run as commands
	inLoadedFile bool               // the walk is in a file that a program loads
}

// A frame is a running function, alias or file.
type frame struct {
	name         string       // of an alias or a file
	body         *syntax.Stmt // of a function
	args         []shell.Word
	forks, conds int
	locals       []expand.Variable // variables that the function's local ones hide; those marked Gone did not exist
}

// An outputBuffer collects what is written to a pipe or a command substitution.
type outputBuffer struct {
	text       []byte
	incomplete bool // some of the text is unknown
	from       []*shell.Call
}

// add appends text, and a placeholder if it is not sure that text is all of it.
func (s *outputBuffer) add(text string, sure bool) {
	s.text = append(s.text, text...)
	if !sure {
		s.incomplete = true
		if !strings.Contains(text, placeholder) {
			s.text = append(s.text, placeholder...)
		}
	}
}

// flow returns the collected text as a flow. Its sources are the calls that wrote it and those of up,
// the flow that they read.
func (s *outputBuffer) flow(up *shell.Flow) *shell.Flow {
	f := &shell.Flow{Complete: !s.incomplete}
	f.Text = string(s.text)
	if s.incomplete && strings.Trim(f.Text, placeholder+"\n") == "" {
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

// displayWords returns the words joined by spaces, truncated for display.
func displayWords(words []shell.Word) string {
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
	return displayText(b.String())
}

// displayText truncates s for display and shows placeholders as ellipses.
func displayText(s string) string {
	s = strings.ReplaceAll(s, placeholder, "…")
	if len(s) <= 200 {
		return s
	}
	cut := 200
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
