package resolve

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
)

// An expander expands words as a shell does: parameters, arithmetic, braces, patterns.
type expander struct {
	outputs
	parser *syntax.Parser
	alts   int           // the largest number of further values that was met
	holes  []*shell.Call // whose output are the holes in the text that is walked
	sum    []*shell.Call // whose output is in the number that is worked out
	// captured walks statements and returns what they print.
	captured func(stmts []*syntax.Stmt) shell.Word
}

// words expands words as a shell does before it runs them.
func (w *expander) words(dst []shell.Word, list []*syntax.Word) []shell.Word {
	for _, word := range list {
		if !w.step() {
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

func (w *expander) expand(dst []shell.Word, word *syntax.Word) []shell.Word {
	f := fields{w: w, out: dst, sole: isSole(word.Parts)}
	switch n := openBraces(word); {
	case n == 0 || w.posix:
		f.parts(word.Parts)
		f.close()
	case n <= maxOpen:
		f.braces(word)
	default:
		f.unknown([]*shell.Call{cutOff})
		f.close()
	}
	return f.out
}

// one expands a word that stays one: a value, a file to redirect to.
func (w *expander) one(word *syntax.Word) shell.Word {
	if word == nil {
		return shell.Word{}
	}
	if len(word.Parts) == 1 {
		if lit, ok := word.Parts[0].(*syntax.Lit); ok && isPlain(lit.Value) {
			return w.plainWord(lit.Value)
		}
	}
	if !w.step() {
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
func (w *expander) plainWord(text string) shell.Word {
	word := shell.Word{Text: text}
	if len(w.holes) > 0 && strings.Contains(text, hole) {
		word.From = w.holes
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
	w      *expander
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
	if len(f.out) < maxSteps {
		f.out = append(f.out, f.word())
	}
	f.buf = f.buf[:0]
	f.open, f.glob, f.quoted, f.from = false, false, false, nil
}

func (f *fields) parts(list []syntax.WordPart) {
	for i, p := range list {
		if i > 0 && !f.w.step() {
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
	if len(f.w.holes) > 0 && strings.Contains(text, hole) {
		f.from = addFrom(f.from, f.w.holes)
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
		if p.Dollar && f.w.posix {
			f.buf = append(append(f.buf, '$'), p.Value...)
		} else if p.Dollar {
			f.buf = ansiC(f.buf, p.Value)
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
		if n, from, ok := f.w.number(p.X); ok {
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
	if q.Dollar && f.w.posix {
		f.buf = append(f.buf, '$')
	}
	for _, p := range q.Parts {
		if !f.w.step() {
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
	if f.w.posix && user != "~" {
		return s
	}
	switch user {
	case "~":
		dir = f.w.home()
	case "~+":
		dir = f.w.cwd()
	case "~-":
		dir = f.w.oldDir()
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
	f.from = addFrom(f.from, from)
}

// value adds what a variable or a substitution holds.
func (f *fields) value(v shell.Word, quoted bool) {
	if !f.w.pay(len(v.Text)) {
		f.unknown(v.From)
		return
	}
	if quoted || f.whole {
		f.open = true
		f.glob = f.glob || v.Glob
		f.buf = append(f.buf, v.Text...)
		f.from = addFrom(f.from, v.From)
		return
	}
	f.split(v)
}

// split adds a value that is not quoted: it becomes as many words as it has.
func (f *fields) split(v shell.Word) {
	ifs, last := f.w.ifs(), strings.LastIndexByte(v.Text, ']')
	noted := len(v.From) == 0
	for i := 0; i < len(v.Text); i++ {
		c := v.Text[i]
		if strings.IndexByte(ifs, c) >= 0 {
			if c != ' ' && c != '\t' && c != '\n' {
				f.open = true
			}
			if f.open && f.w.pay(wordCost) {
				f.close()
				noted = len(v.From) == 0
			}
			continue
		}
		f.open = true
		if !noted {
			f.from, noted = addFrom(f.from, v.From), true
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
	word := f.w.captured(c.Stmts)
	if word.Text == "" {
		f.from = addFrom(f.from, word.From)
		return
	}
	f.value(word, quoted)
}

// process walks a process substitution and adds the name of its pipe.
func (f *fields) process(p *syntax.ProcSubst) {
	w := f.w
	f.open = true
	t, ok := w.pipe(p.Stmts)
	if !ok {
		f.unknown(w.captured(p.Stmts).From)
		return
	}
	f.buf = append(append(f.buf, "/dev/fd/"...), byte('0'+t.fd/10), byte('0'+t.fd%10))
	if p.Op == syntax.CmdOut {
		w.later = append(w.later, t)
		return
	}
	word := w.captured(p.Stmts)
	flow := &shell.Flow{From: word.From, Sure: word.Known(), Text: word.Text}
	if flow.Text == hole {
		flow.Text = ""
	}
	if flow.Sure && flow.Text != "" {
		flow.Text += "\n"
	}
	w.pipes[63-t.fd] = flow
	f.from = addFrom(f.from, word.From)
}

func (w *expander) worth(name string, a *syntax.Assign) shell.Word {
	word := w.one(a.Value)
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
	if !w.pay(len(was.Text)) {
		return shell.Word{Text: hole}
	}
	return shell.Word{Text: was.Text + word.Text, From: addFrom(was.From, word.From)}
}
