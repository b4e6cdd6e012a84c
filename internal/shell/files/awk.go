package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// awk runs a small program over text. It may write files and run others.
func (j *job) awk() {
	var o program.Walk
	o.Start(j.c)
	var programs []string
	var operands []shell.Word
	var place, fromFile bool
	for o.Next() {
		switch o.Name {
		case "":
			operands = append(operands, o.Arg)
		case "e", "source":
			programs = append(programs, o.Arg.Text)
		case "f", "file", "E", "exec":
			fromFile = true
		case "i", "include":
			if o.Arg.Text == "inplace" {
				place = true
			} else {
				fromFile = true
			}
		case "l", "load":
			fromFile = true
		}
	}
	if len(programs) == 0 && !fromFile && len(operands) > 0 {
		programs, operands = []string{operands[0].Text}, operands[1:]
	}
	for _, p := range programs {
		r := awkReader{s: p, j: j}
		r.read()
	}
	if fromFile {
		j.note(little, "run", shell.Run, "awk-script", "runs an awk script that checkrein did not read")
	}
	if place {
		j.inPlace(operands, false)
	}
	if j.out == nil {
		j.safely(shell.TextRead, "awk", "prints selected parts of its input")
	}
}

// An awkReader walks an awk program.
type awkReader struct {
	s     string
	i     int
	j     *job
	last  byte // the last character that is no blank
	depth int  // of parentheses
	print bool // in a print statement
}

func (r *awkReader) read() {
	for r.i < len(r.s) {
		c := r.s[r.i]
		switch {
		case c == '"':
			r.literal()
		case c == '/' && r.regexHere():
			r.regex()
		case c == '#':
			if end := strings.IndexByte(r.s[r.i:], '\n'); end >= 0 {
				r.i += end
			} else {
				r.i = len(r.s)
			}
			continue
		case letter(c) || c == '_':
			r.name()
			continue
		default:
			r.sign(c)
		}
		if c != ' ' && c != '\t' {
			r.last = c
		}
		r.i++
	}
}

// literal moves to the closing quote of a string and returns its text.
func (r *awkReader) literal() string {
	start := r.i + 1
	for r.i++; r.i < len(r.s) && r.s[r.i] != '"'; r.i++ {
		if r.s[r.i] == '\\' {
			r.i++
		}
	}
	return r.s[min(start, len(r.s)):min(r.i, len(r.s))]
}

// regexHere reports whether a / begins a regular expression: it does where no
// value stands before it.
func (r *awkReader) regexHere() bool {
	switch r.last {
	case 0, '(', ',', '!', '~', '{', '}', ';', '&', '|', '\n', '=', '?', ':':
		return true
	}
	return false
}

func (r *awkReader) regex() {
	set := false
	for r.i++; r.i < len(r.s); r.i++ {
		switch c := r.s[r.i]; {
		case c == '\\':
			r.i++
		case c == '[':
			set = set || closes(r.s[r.i+1:])
		case c == ']':
			set = false
		case c == '/' && !set || c == '\n':
			return
		}
	}
}

func (r *awkReader) name() {
	start := r.i
	for r.i < len(r.s) && (letter(r.s[r.i]) || r.s[r.i] == '_' || r.s[r.i] >= '0' && r.s[r.i] <= '9') {
		r.i++
	}
	r.last = 'x'
	switch r.s[start:r.i] {
	case "print", "printf":
		r.print, r.depth = true, 0
	}
}

// sign sees to operators.
func (r *awkReader) sign(c byte) {
	switch c {
	case '(':
		r.depth++
	case ')':
		r.depth--
	case ';', '{', '}', '\n':
		r.print, r.depth = false, 0
	case '|':
		if r.at(1) == '|' {
			r.i++
			return
		}
		r.pipe()
	case '>':
		if r.print && r.depth == 0 {
			r.output()
		}
	}
}

func (r *awkReader) at(n int) byte {
	if r.i+n < len(r.s) {
		return r.s[r.i+n]
	}
	return 0
}

func (r *awkReader) blanks() {
	for r.at(1) == ' ' || r.at(1) == '\t' {
		r.i++
	}
}

// pipe reads what follows a single |. What it runs is judged by those who know
// code.
func (r *awkReader) pipe() {
	r.blanks()
	if r.at(1) == '"' {
		r.i++
		r.literal()
	}
}

// output reads the file that a print goes to.
func (r *awkReader) output() {
	add := r.at(1) == '>'
	if add {
		r.i++
	}
	r.blanks()
	if r.at(1) != '"' {
		r.j.mark(&writes, r.computed(), unsure)
		return
	}
	r.i++
	name := r.literal()
	if name == "" {
		return
	}
	s := r.j.base.locate(name)
	switch {
	case s.zone == inSink:
	case add:
		r.j.appended(s)
	default:
		r.j.written(s)
	}
}

// computed returns the place that an expression names, as far as its strings and the home
// directory in it say.
func (r *awkReader) computed() spot {
	var name strings.Builder
	rest := r.s[min(r.i+1, len(r.s)):]
	rest = rest[:strings.IndexAny(rest+"}", ";}\n")]
	for rest = strings.Trim(rest, " \t()"); rest != ""; rest = strings.TrimLeft(rest, " \t()") {
		text, ok := strings.CutPrefix(rest, `ENVIRON["HOME"]`)
		switch {
		case ok:
			name.WriteString(r.j.base.home)
			rest = text
		case rest[0] == '"':
			in := awkReader{s: rest}
			name.WriteString(in.literal())
			rest = rest[min(in.i+1, len(rest)):]
		default:
			name.WriteString(holeText)
			rest = rest[min(max(strings.IndexAny(rest+" ", " \t\""), 1), len(rest)):]
		}
	}
	if !strings.Contains(name.String(), "/") {
		return spot{}
	}
	return spot{path: name.String()}
}
