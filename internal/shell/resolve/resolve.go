package resolve

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
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
	maxAlts      = 16  // values that one variable may have, by branch
	maxFrom      = 32  // calls that a word or a flow remembers
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
	w := walker{place: &p, steps: maxSteps, room: maxRoom, rounds: maxRounds}
	w.text(text)
	w.finish(0)
	if w.parser != nil {
		parsers.Put(w.parser)
	}
	return w.calls, w.problems
}

// A walker walks the tree of a command, and of the texts within it.
type walker struct {
	opening  []*opening // the rows that are being walked
	place    *shell.Place
	parser   *syntax.Parser
	calls    []*shell.Call
	problems []shell.Effect
	dashed   []string // files that the text made whose names begin with a dash

	steps, room, rounds int
	spent               bool // a budget ran out, and that was said
	depth               int

	st    state
	in    *shell.Flow // standard input of what is walked; nil = the terminal's
	inPos int         // how much of in's text read has taken
	sink  *sink       // gathers standard output; nil = nobody listens
	piped bool        // standard output goes to another call

	capture int // command substitutions around what is walked
	choice  int // which of its values a variable with several has now
	alts    int // the largest number of further values that was met

	frames []frame          // functions that are running
	forks  int              // pipes and & around what is walked
	conds  int              // conditions around what is walked
	pipes  []*shell.Flow    // of process substitutions: /dev/fd/63 and down
	kept   int              // of them, how many last longer than their command
	later  []tap            // >(…), which run when there is something to read
	opens  []shell.Redirect // that exec did, for all that follows

	lax     int      // conditions around what is walked, in which set -e does nothing
	loops   int      // loops around it
	left    []world  // where loops and functions were left from within
	endings []ending // of the shells that are walked

	settings  []setting // of programs, that a later call may run
	tools     bool      // a variable names a program that others start, or what they clear
	valued    int       // values that run around what is walked
	exports   []string  // variables that all later calls have
	exportAll bool      // so are all that are set
	judging   bool      // a file that a program loads is walked
	loose     bool      // variables whose names are not known are handed on
	bent      bool      // a variable makes programs run other code
	trace     *Trace    // all that starts is noted there; nil = it is not

	top  func(dir string) (string, bool) // see [Setting]
	real func(dir, path string) string

	posix bool // see [Setting.Plain]

	compiled string // a source of the text that was made into a program and cannot be read
	carries  bool   // a variable has in it what others print, and where it goes

	holes []*shell.Call // whose output are the holes in the text that is walked
	sum   []*shell.Call // whose output is in the number that is worked out

	fetched []fetched // directories with what came from elsewhere

	files   []file // that the text wrote
	links   int    // how many of them are links
	writes  int
	lookups int    // of files that were there before
	said    origin // of what is walked
	temps   int    // files and directories of mktemp
}

// A frame is a function, or an alias, that is running.
type frame struct {
	name         string       // of an alias
	body         *syntax.Stmt // of a function
	args         []shell.Word
	forks, conds int
	locals       []variable // what the function's own variables hide; gone = nothing
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
	f.From = make([]*shell.Call, 0, min(n, maxFrom))
	for i := len(s.from) - 1; i >= 0 && len(f.From) < maxFrom; i-- {
		f.From = append(f.From, s.from[i])
	}
	if up != nil {
		f.From = addFrom(f.From, up.From)
	}
	return f
}

// addFrom adds calls that are not there yet. A list may belong to a variable, so
// that nothing is ever written behind its end.
func addFrom(to, from []*shell.Call) []*shell.Call {
	if len(to) == 0 {
		return from[:len(from):len(from)]
	}
	to = to[:len(to):len(to)]
	for _, c := range from {
		to = addCall(to, c)
	}
	return to
}

// addCall adds one call. When there are too many they become one that prints what
// they print, so that none is lost.
func addCall(to []*shell.Call, c *shell.Call) []*shell.Call {
	if slices.Contains(to, c) {
		return to
	}
	if len(to) >= maxFrom {
		to = []*shell.Call{{Name: "cat", Path: "cat", In: &shell.Flow{From: to}}}
	}
	return append(to, c)
}

// step pays for one thing to look at. It reports false when nothing is left.
func (w *walker) step() bool {
	if w.steps--; w.steps < 0 {
		w.tooMuch()
		return false
	}
	return true
}

// pay pays for n bytes.
func (w *walker) pay(n int) bool {
	if w.room -= n; w.room < 0 {
		w.tooMuch()
		w.steps = 0
		return false
	}
	return true
}

func (w *walker) tooMuch() {
	if !w.spent {
		w.spent = true
		w.untold("", "does more than checkrein can follow")
		w.report(shell.Exceeds("", "does more than checkrein can follow"))
	}
}

// opaque notes a text that is evaluated and cannot be read.
func (w *walker) opaque(words, reason string) { w.report(shell.Evaluates(words, reason)) }

// unknown notes an unknown program.
func (w *walker) unknown(words, reason string) {
	w.report(shell.Effect{Label: shell.Unknown, Kind: "run", Category: shell.Run, Radius: shell.RadiusUnknown, Words: words, Reason: reason})
}

// report notes a problem. Where there are too many the mildest goes.
func (w *walker) report(e shell.Effect) {
	if e.Source == nil {
		e.Source = w.said.at
	}
	least := 0
	for i := range w.problems {
		p := &w.problems[i]
		if p.Category == e.Category && p.Words == e.Words && p.Reason == e.Reason {
			return
		}
		if milder(p, &w.problems[least]) {
			least = i
		}
	}
	if len(w.problems) < maxProblem {
		w.problems = append(w.problems, e)
		return
	}
	if p := &w.problems[least]; milder(p, &e) {
		e, *p = *p, e
	}
	if e.Label != shell.Unknown || e.Gap() >= shell.GapOpaque || e.Row().Policy > shell.Pass {
		w.tooMuch() // somebody would have been asked about the one that goes
	}
}

// milder reports whether one problem matters less than another.
func milder(a, b *shell.Effect) bool {
	if a.Label == b.Label && a.Gap() != b.Gap() {
		return a.Gap() < b.Gap()
	}
	return shell.Worse(b.Label, b.Radius, a.Label, a.Radius)
}

// cutOff is whose output a value is that a limit cut: it is not known, and whoever
// runs it exceeds the limit. shaped is that of a value that the text itself makes in
// a way that is not followed.
var (
	cutOff = &shell.Call{Name: ":", Path: ":"}
	shaped = &shell.Call{Name: ":", Path: ":"}
	// parent is what prints the value of $PPID.
	parent = &shell.Call{Name: "ps", Path: "ps", Args: []shell.Word{{Text: "-o"}, {Text: "ppid="}, {Text: "-p"}, {Text: hole}}}
)

// cut is a value that a limit cut.
func cut() shell.Word { return shell.Word{Text: hole, From: []*shell.Call{cutOff}} }

// bomb notes a command that starts itself without end.
func (w *walker) bomb(words string) {
	w.report(shell.Effect{
		Label: shell.Destructive, Kind: "fork", Category: shell.ProcBomb,
		Radius: shell.RadiusHigh, Words: words, Reason: "starts processes endlessly until the machine hangs",
	})
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
