package expand

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
)

// An Env is the shell in which an [Expander] expands words.
type Env interface {
	// Step and Pay pay for one thing to look at and for n bytes. They report false when
	// nothing is left.
	Step() bool
	Pay(n int) bool
	// TooMuch notes that the command does more than is followed.
	TooMuch()

	// Variable returns what the command set a variable to, or nil. It is valid until the
	// next assignment.
	Variable(name string) *Variable
	Variables() []Variable
	Assign(name string, value shell.Word)
	Parameters() *Parameters
	// Home, Dir and OldDir are what ~, $PWD and $OLDPWD mean.
	Home() string
	Dir() string
	OldDir() string
	// Directory is the directory that a variable of the machine names; "" = none.
	Directory(name string) string

	// Choice is which of its values a variable with several has now.
	Choice() int
	// Output walks statements and returns what they print.
	Output(stmts []*syntax.Stmt) shell.Word
	// Process walks a process substitution and returns the path of its pipe, with whose
	// output flows through it. It reports false when there are too many.
	Process(p *syntax.ProcSubst) (path string, from []*shell.Call, ok bool)
	// ExpandAgain walks the commands in a text that the shell expands once more, such as
	// a prompt or a subscript.
	ExpandAgain(text string)
}

// An Expander expands words as a shell does: parameters, arithmetic, braces, patterns.
type Expander struct {
	Env   Env
	Alts  int           // the largest number of further values that was met
	Holes []*shell.Call // whose output are the holes in the text that is walked
	POSIX bool          // braces mean themselves, as in shells that have no more than POSIX
	sum   []*shell.Call // whose output is in the number that is worked out
}

// A Variable is what the command set a variable to.
type Variable struct {
	Name  string
	Word  shell.Word
	List  []shell.Word // of an array
	More  bool         // a word of list may be several, so that others are not where they seem to be
	Alts  []shell.Word // what else it may hold, when branches set it
	Array bool
	Gone  bool // unset in the text
	Ref   bool // holds the name of another variable

	Integer bool // declared to hold numbers, so that values are worked out
}

// AddAlt adds a value that the variable may have as well.
func (v *Variable) AddAlt(word shell.Word) {
	if word.Text == v.Word.Text {
		v.Word.From = AddFrom(v.Word.From, word.From)
		return
	}
	for i := range v.Alts {
		if a := &v.Alts[i]; a.Text == word.Text {
			a.From = AddFrom(a.From, word.From)
			return
		}
	}
	switch {
	case len(v.Alts) < MaxAlts:
		v.Alts = append(v.Alts, word)
	default: // the last one stands for all that follow
		last := &v.Alts[MaxAlts-1]
		last.Text, last.From = hole, AddFrom(AddCall(last.From[:len(last.From):len(last.From)], CutOff), word.From)
	}
}

// Parameters are what $0, $1 and on, $# and $_ mean.
type Parameters struct {
	Zero  string       // $0; "" = the shell
	Args  []shell.Word // $1 and on
	Given bool         // args are all that there are, so that a missing one is empty
	Last  *shell.Word  // $_: the last word of the command before; nil = it is not known
}

// Words expands words as a shell does before it runs them.
func (w *Expander) Words(dst []shell.Word, list []*syntax.Word) []shell.Word {
	for _, word := range list {
		if !w.Env.Step() {
			return dst
		}
		if len(word.Parts) == 1 {
			if lit, ok := word.Parts[0].(*syntax.Lit); ok && isPlain(lit.Value) {
				dst = append(dst, w.plainWord(lit.Value))
				continue
			}
		}
		dst = w.expand(dst, word)
	}
	return dst
}

func (w *Expander) expand(dst []shell.Word, word *syntax.Word) []shell.Word {
	f := fields{w: w, out: dst, sole: isSole(word.Parts)}
	switch n := openBraces(word); {
	case n == 0 || w.POSIX:
		f.parts(word.Parts)
		f.close()
	case n <= maxOpen:
		f.braces(word)
	default:
		f.unknown([]*shell.Call{CutOff})
		f.close()
	}
	return f.out
}

// Split returns the words that a value becomes when it is not quoted.
func (w *Expander) Split(v shell.Word) []shell.Word {
	f := fields{w: w}
	f.split(v)
	f.close()
	return f.out
}

// Word expands a word that stays one: a value, a file to redirect to.
func (w *Expander) Word(word *syntax.Word) shell.Word {
	if word == nil {
		return shell.Word{}
	}
	if len(word.Parts) == 1 {
		if lit, ok := word.Parts[0].(*syntax.Lit); ok && isPlain(lit.Value) {
			return w.plainWord(lit.Value)
		}
	}
	if !w.Env.Step() {
		return shell.Word{Text: hole}
	}
	f := fields{w: w, whole: true, open: true, sole: isSole(word.Parts)}
	f.parts(word.Parts)
	return f.word()
}

// isSole reports whether a word is one part, quoted or not.
func isSole(parts []syntax.WordPart) bool {
	if len(parts) != 1 {
		return false
	}
	if q, ok := parts[0].(*syntax.DblQuoted); ok {
		return len(q.Parts) == 1
	}
	return true
}

// plainWord is a literal that means itself. A hole in it is what others print.
func (w *Expander) plainWord(text string) shell.Word {
	word := shell.Word{Text: text}
	if len(w.Holes) > 0 && strings.Contains(text, hole) {
		word.From = w.Holes
	}
	return word
}

// isPlain reports whether a literal means itself.
func isPlain(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case '\\', '*', '?', '[', '~', '{':
			return false
		}
	}
	return true
}

// wordCost is what a word costs beside its text, in bytes.
const wordCost = 64

// fields builds words out of the parts of a word of the tree.
type fields struct {
	w      *Expander
	out    []shell.Word
	buf    []byte
	from   []*shell.Call
	open   bool // there is a word at hand, even if it is empty
	glob   bool
	quoted bool
	whole  bool // never split
	sole   bool // the word has one part
}

func (f *fields) word() shell.Word {
	return shell.Word{Text: string(f.buf), Glob: f.glob, Quoted: f.quoted, From: f.from}
}

// close ends the word at hand.
func (f *fields) close() {
	if !f.open {
		return
	}
	if len(f.out) < maxFields {
		f.out = append(f.out, f.word())
	}
	f.buf = f.buf[:0]
	f.open, f.glob, f.quoted, f.from = false, false, false, nil
}

func (f *fields) parts(list []syntax.WordPart) {
	for i, p := range list {
		if i > 0 && !f.w.Env.Step() {
			f.unknown(nil)
			return
		}
		if lit, ok := p.(*syntax.Lit); ok && i == 0 {
			f.literal(f.tilde(lit.Value, len(list) == 1))
			continue
		}
		f.part(p, false)
	}
}

// holes notes whose output is in a text that was itself put together.
func (f *fields) holes(text string) {
	if len(f.w.Holes) > 0 && strings.Contains(text, hole) {
		f.from = AddFrom(f.from, f.w.Holes)
	}
}

func (f *fields) part(p syntax.WordPart, quoted bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		if quoted {
			f.holes(p.Value)
			f.buf = unescape(f.buf, p.Value, "$`\"\\\n")
		} else {
			f.literal(p.Value)
		}
	case *syntax.SglQuoted:
		f.open, f.quoted = true, true
		f.holes(p.Value)
		if p.Dollar && f.w.POSIX {
			f.buf = append(append(f.buf, '$'), p.Value...)
		} else if p.Dollar {
			f.buf = ANSI(f.buf, p.Value)
		} else {
			f.buf = append(f.buf, p.Value...)
		}
	case *syntax.DblQuoted:
		f.doubleQuoted(p)
	case *syntax.ParamExp:
		f.param(p, quoted)
	case *syntax.CmdSubst:
		f.substitute(p, quoted)
	case *syntax.ArithmExp:
		if n, from, ok := f.w.Number(p.X); ok {
			f.open = true
			f.buf = appendInt(f.buf, n)
		} else {
			f.unknown(from)
		}
	case *syntax.ProcSubst:
		f.process(p)
	case *syntax.ExtGlob:
		f.open, f.glob = true, true
		f.buf = append(f.buf, p.Op.String()...)
		f.buf = append(f.buf, p.Pattern.Value...)
		f.buf = append(f.buf, ')')
	case *syntax.BraceExp:
		f.unknown(nil) // more alternatives than are followed
	}
}

func (f *fields) doubleQuoted(q *syntax.DblQuoted) {
	if len(q.Parts) == 1 {
		// "$@" with nothing in it is no word at all.
		if pe, ok := q.Parts[0].(*syntax.ParamExp); ok && !f.whole && isAt(pe) {
			f.param(pe, true)
			if f.open {
				f.quoted = true
			}
			return
		}
	}
	f.open, f.quoted = true, true
	if q.Dollar && f.w.POSIX {
		f.buf = append(f.buf, '$')
	}
	for _, p := range q.Parts {
		if !f.w.Env.Step() {
			f.unknown(nil)
			return
		}
		f.part(p, true)
		f.quoted = true
	}
}

// literal adds text that is not quoted.
func (f *fields) literal(s string) {
	f.open = true
	f.holes(s)
	last := strings.LastIndexByte(s, ']')
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch c {
		case '\\':
			f.quoted = true
			if i++; i < len(s) {
				f.buf = append(f.buf, s[i])
			}
			continue
		case '*', '?':
			f.glob = true
		case '[':
			f.glob = f.glob || i < last
		}
		f.buf = append(f.buf, c)
	}
}

// tilde replaces ~ at the beginning of a word, when nothing of it is quoted.
func (f *fields) tilde(s string, all bool) string {
	if s == "" || s[0] != '~' {
		return s
	}
	user, rest, slash := strings.Cut(s, "/")
	if !slash && !all {
		return s
	}
	var dir string
	if f.w.POSIX && user != "~" {
		return s
	}
	switch user {
	case "~":
		dir = f.w.Env.Home()
	case "~+":
		dir = f.w.Env.Dir()
	case "~-":
		dir = f.w.Env.OldDir()
	default:
		return s
	}
	f.open = true
	f.buf = append(f.buf, dir...)
	if !slash {
		return ""
	}
	return "/" + rest
}

// unknown adds a part that cannot be known.
func (f *fields) unknown(from []*shell.Call) {
	f.open = true
	f.buf = append(f.buf, hole...)
	f.from = AddFrom(f.from, from)
}

// value adds what a variable or a substitution holds.
func (f *fields) value(v shell.Word, quoted bool) {
	if !f.w.Env.Pay(len(v.Text)) {
		f.unknown(v.From)
		return
	}
	if quoted || f.whole {
		f.open = true
		f.glob = f.glob || v.Glob
		f.buf = append(f.buf, v.Text...)
		f.from = AddFrom(f.from, v.From)
		return
	}
	f.split(v)
}

// split adds a value that is not quoted: it becomes as many words as it has.
func (f *fields) split(v shell.Word) {
	ifs, last := f.w.IFS(), strings.LastIndexByte(v.Text, ']')
	noted := len(v.From) == 0
	for i := 0; i < len(v.Text); i++ {
		c := v.Text[i]
		if strings.IndexByte(ifs, c) >= 0 {
			if c != ' ' && c != '\t' && c != '\n' {
				f.open = true
			}
			if f.open && f.w.Env.Pay(wordCost) {
				f.close()
				noted = len(v.From) == 0
			}
			continue
		}
		f.open = true
		if !noted {
			f.from, noted = AddFrom(f.from, v.From), true
		}
		f.glob = f.glob || v.Glob || c == '*' || c == '?' || c == '[' && i < last
		f.buf = append(f.buf, c)
	}
}

// substitute adds the output of a command.
func (f *fields) substitute(c *syntax.CmdSubst, quoted bool) {
	if len(c.Stmts) == 0 {
		return
	}
	word := f.w.Env.Output(c.Stmts)
	if word.Text == "" {
		f.from = AddFrom(f.from, word.From)
		return
	}
	f.value(word, quoted)
}

// process adds the name of the pipe of a process substitution.
func (f *fields) process(p *syntax.ProcSubst) {
	path, from, ok := f.w.Env.Process(p)
	if !ok {
		f.unknown(from)
		return
	}
	f.open = true
	f.buf = append(f.buf, path...)
	f.from = AddFrom(f.from, from)
}

// Assigned returns the value that an assignment gives to a variable.
func (w *Expander) Assigned(name string, a *syntax.Assign) shell.Word {
	word := w.Word(a.Value)
	word.Glob, word.Quoted = false, false
	if !a.Append {
		return word
	}
	var old value
	w.lookup(name, &old)
	if old.is == foreign {
		return shell.Word{Text: hole + word.Text, From: word.From}
	}
	was := old.text()
	if !w.Env.Pay(len(was.Text)) {
		return shell.Word{Text: hole}
	}
	return shell.Word{Text: was.Text + word.Text, From: AddFrom(was.From, word.From)}
}

// IFS returns the characters that words are split at.
func (w *Expander) IFS() string {
	if v := w.Env.Variable("IFS"); v != nil && !v.Gone && v.Word.IsKnown() {
		return v.Word.Text
	}
	return " \t\n"
}
