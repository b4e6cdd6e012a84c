package resolve

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// Limits of a walk. Honest commands stay far below all of them.
const (
	maxSteps     = 150_000 // statements, words and parts of words that are walked
	maxRoom      = 4 << 20 // bytes that expansions produce
	maxRecursion = 5       // nested calls of the same function
	maxDepth     = 16      // nesting of code in code, and of function calls
	maxHops      = 24      // different wrappers around one command
	maxSame      = 4000    // consecutive wrappers of the same name
	maxCalls     = 20_000
	maxRounds    = 1200 // iterations of all loops
	maxLoop      = 400  // iterations of one loop
	maxWords     = 4096
	maxVars      = 400 // variables; also functions, aliases, files
	maxProblem   = 64
)

// placeholder is [shell.Placeholder] as a string.
const placeholder = string(shell.Placeholder)

// Calls returns the programs that text runs at p, in the order of the text, with their words resolved
// as far as possible. The problems are the parts that it could not resolve, and effects that are
// harmful whichever program has them.
//
// A command that only changes the state of the shell, such as cd or x=1, is not a call. Redirections
// without a program become a call named ":".
func Calls(text string, p shell.Place) (calls []*shell.Call, problems []shell.Effect) {
	w := newWalker(&p)
	w.walkText(text)
	w.walkExitActions(0)
	if w.parser != nil {
		parsers.Put(w.parser)
	}
	if p.Written != nil {
		w.reportWritten(p.Written)
	}
	return w.calls, w.problems
}

// newWalker returns a walker with a full budget for a command that runs at p.
func newWalker(p *shell.Place) *walker {
	w := &walker{}
	w.place, w.steps, w.room, w.rounds = p, maxSteps, maxRoom, maxRounds
	w.Env = environ{w}
	return w
}

// A walker walks the syntax tree of a command and of the code nested in it. It is the topmost layer of
// a walk; each layer uses only those below it:
//
//	findings    what the walk has found, and its remaining budget
//	shellModel  variables, functions and directories
//	fileTable   what the text did to files, and the contents of files that existed before
//	outputs     streams, and what commands print into them or write to files
//	walker      statements, builtins and nested code
//
// [wrappers], [options] and [projects] walk the commands that specific programs run.
type walker struct {
	outputs
	expand.Expander
	parser       *syntax.Parser
	activeRules  []*argv.NestedRule // rules whose nested commands are being walked
	forks        int                // pipelines and background jobs around the current statement
	valueDepth   int                // how many values of variables or options, run as commands, enclose it
	inLoadedFile bool               // the walk is inside a file that a program loads
}

// A frame is a function, alias or file that is being walked.
type frame struct {
	name         string       // of an alias or a file
	body         *syntax.Stmt // of a function
	args         []shell.Word
	forks, conds int
	locals       []expand.Variable // variables hidden by the function's local ones; Gone marks those that did not exist
}

// An outputBuffer collects what is written to a pipe or a command substitution.
type outputBuffer struct {
	text       []byte
	incomplete bool // some of the text is unknown
	from       []*shell.Call
}

// appendText appends text. If sure is false, text may not be the whole output, so a placeholder
// follows unless text has one.
func (s *outputBuffer) appendText(text string, sure bool) {
	s.text = append(s.text, text...)
	if !sure {
		s.incomplete = true
		if !strings.Contains(text, placeholder) {
			s.text = append(s.text, placeholder...)
		}
	}
}

// toFlow returns the collected text as a flow. Its sources are the calls that wrote the text and the
// sources of up, the flow that these calls read. up may be nil.
func (s *outputBuffer) toFlow(up *shell.Flow) *shell.Flow {
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
		f.From = expand.AddSources(f.From, up.From)
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
