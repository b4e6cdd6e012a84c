package expand

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
)

// An Env is the shell environment in which an [Expander] expands words.
type Env interface {
	// SpendStep and SpendBytes take one step or n bytes from a budget. They report false if it is
	// used up.
	SpendStep() bool
	SpendBytes(n int) bool
	// ReportLimit records that the command does more than is followed.
	ReportLimit()

	// Variable returns the variable that the command set, or nil. The result is valid until the
	// next assignment.
	Variable(name string) *Variable
	// Variables returns all variables that the command set.
	Variables() []Variable
	// Assign sets the variable name to value.
	Assign(name string, value shell.Word)
	// Parameters returns the positional and special parameters.
	Parameters() *Parameters
	// Home, Dir and OldDir return the values of ~, $PWD and $OLDPWD.
	Home() string
	Dir() string
	OldDir() string
	// EnvDir returns the directory that the environment variable name holds, or "" if it is unknown.
	EnvDir(name string) string

	// Choice returns which value variables with alternatives have now: 0 for Word, n for Alts[n-1].
	Choice() int
	// Output walks stmts and returns what they print.
	Output(stmts []*syntax.Stmt) shell.Word
	// Process walks a process substitution. It returns the path of its pipe, and the calls whose
	// output flows through the pipe. It reports false if there are too many substitutions.
	Process(p *syntax.ProcSubst) (path string, from []*shell.Call, ok bool)
	// WalkReexpanded walks the commands in text that the shell expands again, such as a prompt or a
	// subscript.
	WalkReexpanded(text string)
}

// An Expander expands words as a shell does, with parameters, command substitutions, arithmetic,
// braces and patterns.
type Expander struct {
	Env             Env
	Alts            int           // the largest number of alternatives of any variable expanded so far
	PlaceholderFrom []*shell.Call // the calls whose output placeholders in the source stand for
	POSIX           bool          // braces and $'…' are literal, as in shells without extensions to POSIX
	numberFrom      []*shell.Call // the calls whose output the arithmetic being evaluated depends on
}

// A Variable is a shell variable that the command set.
type Variable struct {
	Name  string
	Word  shell.Word
	List  []shell.Word // elements of an array
	More  bool         // an element of List may stand for several, so the indexes after it are unknown
	Alts  []shell.Word // other values that it may have, because branches set it
	Array bool
	Unset bool // the command unset it
	Ref   bool // its value is the name of another variable

	Integer bool // declared as an integer, so values are evaluated as arithmetic
}

// AddAlt adds word as a value that the variable may also have. Beyond MaxAlts, the last alternative
// becomes unknown.
func (v *Variable) AddAlt(word shell.Word) {
	if word.Text == v.Word.Text {
		v.Word.From = AddSources(v.Word.From, word.From)
		return
	}
	for i := range v.Alts {
		if a := &v.Alts[i]; a.Text == word.Text {
			a.From = AddSources(a.From, word.From)
			return
		}
	}
	switch {
	case len(v.Alts) < MaxAlts:
		v.Alts = append(v.Alts, word)
	default: // the last alternative covers all further values
		last := &v.Alts[MaxAlts-1]
		last.Text, last.From = placeholder, AddSources(AddSource(last.From[:len(last.From):len(last.From)], TruncatedSource), word.From)
	}
}

// Parameters holds the values of $0, $1 and up, $# and $_.
type Parameters struct {
	Zero      string       // $0; "" for the shell itself
	Args      []shell.Word // $1 and up
	ArgsKnown bool         // Args holds all arguments, so further ones are unset
	Last      *shell.Word  // $_, the last word of the previous command; nil if unknown
}

// ExpandWords appends the words that list expands to, as a shell expands the words of a command, to
// dst. It stops early if the budget is used up.
func (w *Expander) ExpandWords(dst []shell.Word, list []*syntax.Word) []shell.Word {
	for _, word := range list {
		if !w.Env.SpendStep() {
			return dst
		}
		if len(word.Parts) == 1 {
			if lit, ok := word.Parts[0].(*syntax.Lit); ok && isLiteral(lit.Value) {
				dst = append(dst, w.literalWord(lit.Value))
				continue
			}
		}
		dst = w.appendExpanded(dst, word)
	}
	return dst
}

// appendExpanded appends the words that word expands to, including its braces, to dst.
func (w *Expander) appendExpanded(dst []shell.Word, word *syntax.Word) []shell.Word {
	f := fieldBuilder{w: w, out: dst, singlePart: isSinglePart(word.Parts)}
	switch n := countBraces(word); {
	case n == 0 || w.POSIX:
		f.addParts(word.Parts)
		f.endWord()
	case n <= maxOpen:
		f.addBraces(word)
	default:
		f.addUnknown([]*shell.Call{TruncatedSource})
		f.endWord()
	}
	return f.out
}

// SplitFields returns the words into which the shell splits the unquoted value v.
func (w *Expander) SplitFields(v shell.Word) []shell.Word {
	f := fieldBuilder{w: w}
	f.addSplit(v)
	f.endWord()
	return f.out
}

// ExpandWord returns the expansion of word without splitting it, as a shell does for the value of an
// assignment or the target of a redirection. It returns an empty word for nil.
func (w *Expander) ExpandWord(word *syntax.Word) shell.Word {
	if word == nil {
		return shell.Word{}
	}
	if len(word.Parts) == 1 {
		if lit, ok := word.Parts[0].(*syntax.Lit); ok && isLiteral(lit.Value) {
			return w.literalWord(lit.Value)
		}
	}
	if !w.Env.SpendStep() {
		return shell.Word{Text: placeholder}
	}
	f := fieldBuilder{w: w, noSplit: true, started: true, singlePart: isSinglePart(word.Parts)}
	f.addParts(word.Parts)
	return f.currentWord()
}

// isSinglePart reports whether parts is a single part, or a single part in double quotes.
func isSinglePart(parts []syntax.WordPart) bool {
	if len(parts) != 1 {
		return false
	}
	if q, ok := parts[0].(*syntax.DblQuoted); ok {
		return len(q.Parts) == 1
	}
	return true
}

// literalWord returns text as a word. If it contains a placeholder, the word gets the sources of
// placeholders.
func (w *Expander) literalWord(text string) shell.Word {
	word := shell.Word{Text: text}
	if len(w.PlaceholderFrom) > 0 && strings.Contains(text, placeholder) {
		word.From = w.PlaceholderFrom
	}
	return word
}

// isLiteral reports whether expansion leaves the unquoted literal s unchanged.
func isLiteral(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case '\\', '*', '?', '[', '~', '{':
			return false
		}
	}
	return true
}

// wordCost is the number of bytes that a word costs in addition to its text.
const wordCost = 64

// A fieldBuilder builds the words that a word of the syntax tree expands to.
type fieldBuilder struct {
	w          *Expander
	out        []shell.Word
	buf        []byte
	from       []*shell.Call
	started    bool // there is a current word, which may be empty
	glob       bool // the current word has unquoted pattern characters
	quoted     bool // a part of the current word is quoted
	noSplit    bool // unquoted values are not split
	singlePart bool // the word in the syntax tree has a single part
}

// currentWord returns the word that is being built.
func (f *fieldBuilder) currentWord() shell.Word {
	return shell.Word{Text: string(f.buf), Glob: f.glob, Quoted: f.quoted, From: f.from}
}

// endWord appends the current word to f.out, if there is one, and begins the next.
func (f *fieldBuilder) endWord() {
	if !f.started {
		return
	}
	if len(f.out) < maxFields {
		f.out = append(f.out, f.currentWord())
	}
	f.buf = f.buf[:0]
	f.started, f.glob, f.quoted, f.from = false, false, false, nil
}

// addParts adds all parts of a word. A tilde counts only at the beginning.
func (f *fieldBuilder) addParts(list []syntax.WordPart) {
	for i, p := range list {
		if i > 0 && !f.w.Env.SpendStep() {
			f.addUnknown(nil)
			return
		}
		if lit, ok := p.(*syntax.Lit); ok && i == 0 {
			f.addUnquoted(f.addTilde(lit.Value, len(list) == 1))
			continue
		}
		f.addPart(p, false)
	}
}

// addPlaceholderSources adds the sources of placeholders to the current word if text contains one.
func (f *fieldBuilder) addPlaceholderSources(text string) {
	if len(f.w.PlaceholderFrom) > 0 && strings.Contains(text, placeholder) {
		f.from = AddSources(f.from, f.w.PlaceholderFrom)
	}
}

// addPart adds the expansion of p. Quoted is true within double quotes.
func (f *fieldBuilder) addPart(p syntax.WordPart, quoted bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		if quoted {
			f.addPlaceholderSources(p.Value)
			f.buf = appendUnescaped(f.buf, p.Value, "$`\"\\\n")
		} else {
			f.addUnquoted(p.Value)
		}
	case *syntax.SglQuoted:
		f.started, f.quoted = true, true
		f.addPlaceholderSources(p.Value)
		if p.Dollar && f.w.POSIX {
			f.buf = append(append(f.buf, '$'), p.Value...)
		} else if p.Dollar {
			f.buf = AppendANSIQuoted(f.buf, p.Value)
		} else {
			f.buf = append(f.buf, p.Value...)
		}
	case *syntax.DblQuoted:
		f.addDoubleQuoted(p)
	case *syntax.ParamExp:
		f.addParam(p, quoted)
	case *syntax.CmdSubst:
		f.addOutput(p, quoted)
	case *syntax.ArithmExp:
		if n, from, ok := f.w.EvalNumber(p.X); ok {
			f.started = true
			f.buf = appendInt(f.buf, n)
		} else {
			f.addUnknown(from)
		}
	case *syntax.ProcSubst:
		f.addProcess(p)
	case *syntax.ExtGlob:
		f.started, f.glob = true, true
		f.buf = append(f.buf, p.Op.String()...)
		f.buf = append(f.buf, p.Pattern.Value...)
		f.buf = append(f.buf, ')')
	case *syntax.BraceExp:
		f.addUnknown(nil) // has more alternatives than are expanded
	}
}

// addDoubleQuoted adds the parts between double quotes.
func (f *fieldBuilder) addDoubleQuoted(q *syntax.DblQuoted) {
	if len(q.Parts) == 1 {
		// Without arguments, "$@" expands to no word.
		if pe, ok := q.Parts[0].(*syntax.ParamExp); ok && !f.noSplit && isAllArgs(pe) {
			f.addParam(pe, true)
			if f.started {
				f.quoted = true
			}
			return
		}
	}
	f.started, f.quoted = true, true
	if q.Dollar && f.w.POSIX {
		f.buf = append(f.buf, '$')
	}
	for _, p := range q.Parts {
		if !f.w.Env.SpendStep() {
			f.addUnknown(nil)
			return
		}
		f.addPart(p, true)
		f.quoted = true
	}
}

// addUnquoted adds the unquoted text s, without backslashes that escape characters.
func (f *fieldBuilder) addUnquoted(s string) {
	f.started = true
	f.addPlaceholderSources(s)
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

// addTilde adds the directory that ~, ~+ or ~- at the beginning of s stands for, and returns the rest
// of s. All is true if s is the whole word.
func (f *fieldBuilder) addTilde(s string, isWholeWord bool) string {
	if s == "" || s[0] != '~' {
		return s
	}
	user, rest, slash := strings.Cut(s, "/")
	if !slash && !isWholeWord {
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
	f.started = true
	f.buf = append(f.buf, dir...)
	if !slash {
		return ""
	}
	return "/" + rest
}

// addUnknown adds a placeholder, whose value may come from the output of the calls in from.
func (f *fieldBuilder) addUnknown(from []*shell.Call) {
	f.started = true
	f.buf = append(f.buf, placeholder...)
	f.from = AddSources(f.from, from)
}

// addValue adds v, the value of a variable or a substitution. It is split unless it is quoted.
func (f *fieldBuilder) addValue(v shell.Word, quoted bool) {
	if !f.w.Env.SpendBytes(len(v.Text)) {
		f.addUnknown(v.From)
		return
	}
	if quoted || f.noSplit {
		f.started = true
		f.glob = f.glob || v.Glob
		f.buf = append(f.buf, v.Text...)
		f.from = AddSources(f.from, v.From)
		return
	}
	f.addSplit(v)
}

// addSplit adds v, an unquoted value, and splits it into words.
func (f *fieldBuilder) addSplit(v shell.Word) {
	ifs, last := f.w.IFS(), strings.LastIndexByte(v.Text, ']')
	noted := len(v.From) == 0
	for i := 0; i < len(v.Text); i++ {
		c := v.Text[i]
		if strings.IndexByte(ifs, c) >= 0 {
			if c != ' ' && c != '\t' && c != '\n' {
				f.started = true
			}
			if f.started && f.w.Env.SpendBytes(wordCost) {
				f.endWord()
				noted = len(v.From) == 0
			}
			continue
		}
		f.started = true
		if !noted {
			f.from, noted = AddSources(f.from, v.From), true
		}
		f.glob = f.glob || v.Glob || c == '*' || c == '?' || c == '[' && i < last
		f.buf = append(f.buf, c)
	}
}

// addOutput adds the output of the command substitution c.
func (f *fieldBuilder) addOutput(c *syntax.CmdSubst, quoted bool) {
	if len(c.Stmts) == 0 {
		return
	}
	word := f.w.Env.Output(c.Stmts)
	if word.Text == "" {
		f.from = AddSources(f.from, word.From)
		return
	}
	f.addValue(word, quoted)
}

// addProcess adds the path of the pipe of the process substitution p.
func (f *fieldBuilder) addProcess(p *syntax.ProcSubst) {
	path, from, ok := f.w.Env.Process(p)
	if !ok {
		f.addUnknown(from)
		return
	}
	f.started = true
	f.buf = append(f.buf, path...)
	f.from = AddSources(f.from, from)
}

// AssignedValue returns the value that the assignment a gives to the variable name. For name+=value,
// it begins with the old value.
func (w *Expander) AssignedValue(name string, a *syntax.Assign) shell.Word {
	word := w.ExpandWord(a.Value)
	word.Glob, word.Quoted = false, false
	if !a.Append {
		return word
	}
	var old value
	w.lookupParam(name, &old)
	if old.is == foreign {
		return shell.Word{Text: placeholder + word.Text, From: word.From}
	}
	was := old.joinWords()
	if !w.Env.SpendBytes(len(was.Text)) {
		return shell.Word{Text: placeholder}
	}
	return shell.Word{Text: was.Text + word.Text, From: AddSources(was.From, word.From)}
}

// IFS returns the characters that separate words: the value of the variable IFS, or white space if
// that is unset or not known.
func (w *Expander) IFS() string {
	if v := w.Env.Variable("IFS"); v != nil && !v.Unset && v.Word.IsKnown() {
		return v.Word.Text
	}
	return " \t\n"
}
