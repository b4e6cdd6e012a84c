package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// sed edits a stream, or files in place.
func (j *job) sed() {
	var o program.Walk
	o.Start(j.c)
	var scripts, operands []shell.Word
	var place, fromFile, quiet bool
	for o.Next() {
		switch o.Name {
		case "":
			operands = append(operands, o.Arg)
		case "e", "expression":
			scripts = append(scripts, o.Arg)
		case "n", "quiet", "silent":
			quiet = true
		case "f", "file":
			fromFile = true
		case "i", "I", "in-place":
			place = true
		}
	}
	if place && len(operands) > 0 {
		// BSD's -i has its suffix in a word of its own.
		t := operands[0].Text
		if t == "" && (len(operands) > 2 || len(scripts) > 0) || strings.HasPrefix(t, ".") && len(operands) > 2 {
			operands = operands[1:]
		}
	}
	if len(scripts) == 0 && !fromFile && len(operands) > 0 {
		scripts, operands = operands[:1], operands[1:]
	}
	wipes := quiet && !fromFile
	for _, w := range scripts {
		j.sedScript(w.Text)
		wipes = wipes && (!strings.ContainsAny(w.Text, "pPlwi=") || keepsChanged(w.Text)) || deletesAll(w.Text)
	}
	if fromFile {
		j.note(little, "run", shell.Run, "sed-script", "runs a sed script that checkrein did not read")
	}
	if !place {
		if j.out == nil {
			j.safely(shell.TextRead, "sed", "prints changed text")
		}
		return
	}
	j.inPlace(operands, wipes)
}

// inPlace marks files that are changed where they are.
func (j *job) inPlace(operands []shell.Word, wipes bool) {
	changed := j.edited
	if wipes {
		changed = j.emptied
	}
	for _, w := range operands {
		if w.Text == "" {
			continue
		}
		if spots := listed(w, j); spots != nil {
			for _, s := range spots {
				changed(s)
			}
			continue
		}
		changed(j.spot(w))
	}
	if len(operands) == 0 && j.c.In != nil {
		for _, s := range listedBy(j.c.In.From, j) {
			changed(s)
		}
	}
	if j.out == nil {
		j.note(little, "modify", shell.FSModify, "edit-nothing", "changes files in place without naming them")
	}
}

// keepsChanged reports whether a sed script that prints nothing by itself prints only
// the lines that it changed: s/a/b/p.
func keepsChanged(script string) bool {
	r := sedReader{s: strings.TrimRight(script, "; ")}
	if r.address(); r.i >= len(r.s) || r.s[r.i] != 's' {
		return false
	}
	r.i++
	return r.parts(2) && strings.Contains(r.s[r.i:], "p") && strings.Trim(r.s[r.i:], "gpiIm0123456789}") == ""
}

// deletesAll reports whether a sed script deletes every line, or all but one, or
// what stands in every line.
func deletesAll(script string) bool {
	script = strings.Trim(strings.TrimSpace(script), ";")
	if len(script) > maxWipe {
		return false
	}
	script = strings.ReplaceAll(script, " ", "")
	if where, ok := strings.CutSuffix(script, "d"); ok {
		switch where {
		case "", "1,$", "0,$", "/.*/", "//", "/^/", "/$/", "/./", "/^.*$/", "/.\\?/", "1!", "$!", "/^$/!", "1,$!{};1,$":
			return true
		}
	}
	switch script {
	case "1,$c", "D", "1,$D", "{d}", "Q", "1Q":
		return true
	}
	if len(script) < 4 || script[0] != 's' || script[1] != '/' && script[1] != '|' && script[1] != '#' {
		return false
	}
	parts := strings.SplitN(script[2:], script[1:2], 3)
	if len(parts) != 3 || parts[1] != "" {
		return false
	}
	switch parts[0] {
	case ".*", "^.*", ".*$", "^.*$", ".\\+", "..*", ".+":
		return true
	case ".":
		return strings.Contains(parts[2], "g")
	}
	return false
}

// maxWipe is how long a sed script that deletes everything may be: those that do
// more are longer.
const maxWipe = 24

// A sedReader walks a sed script.
type sedReader struct {
	s string
	i int
}

// sedScript looks for the commands that write files or run programs.
func (j *job) sedScript(script string) {
	r := sedReader{s: script}
	for r.address(); r.i < len(r.s); r.address() {
		cmd := r.s[r.i]
		r.i++
		switch cmd {
		case 's':
			j.sedFlags(&r)
		case 'y':
			r.parts(2)
		case 'w', 'W':
			j.sedWrites(r.line())
		case 'e':
			j.runs("sed-exec", "runs a program from within sed")
			r.line()
		case 'a', 'i', 'c':
			r.text()
		case 'r', 'R', ':', '#':
			r.line()
		case 'b', 't', 'T':
			r.label()
		}
	}
}

// sedFlags reads the rest of an s command.
func (j *job) sedFlags(r *sedReader) {
	if !r.parts(2) {
		r.i = len(r.s)
		return
	}
	for r.i < len(r.s) {
		switch c := r.s[r.i]; {
		case c == 'w':
			r.i++
			j.sedWrites(r.line())
			return
		case c == 'e':
			j.runs("sed-exec", "makes sed run its input as a command")
		case !(c >= '0' && c <= '9' || c == 'g' || c == 'p' || c == 'i' || c == 'I' || c == 'm' || c == 'M'):
			return
		}
		r.i++
	}
}

func (j *job) sedWrites(name string) {
	if name = strings.TrimSpace(name); name != "" {
		if s := j.base.locate(name); s.zone != inSink {
			j.written(s)
		}
	}
}

// address skips blanks, separators and addresses.
func (r *sedReader) address() {
	for r.i < len(r.s) {
		switch c := r.s[r.i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == ';' || c == '{' || c == '}' || c == ',' || c == '!' || c == '$' || c == '~' || c == '+' || c >= '0' && c <= '9':
			r.i++
		case c == '/':
			r.parts(1)
			r.regexFlags()
		case c == '\\':
			r.i++
			r.parts(1)
			r.regexFlags()
		default:
			return
		}
	}
}

func (r *sedReader) regexFlags() {
	for r.i < len(r.s) && (r.s[r.i] == 'I' || r.s[r.i] == 'M') {
		r.i++
	}
}

// parts skips n parts that the character at hand delimits.
func (r *sedReader) parts(n int) bool {
	if r.i >= len(r.s) {
		return false
	}
	d := r.s[r.i]
	set := false
	for r.i++; r.i < len(r.s); r.i++ {
		switch c := r.s[r.i]; {
		case c == '\\':
			r.i++
		case c == d && !set:
			if n--; n == 0 {
				r.i++
				return true
			}
		case c == '[' && !set:
			set = closes(r.s[r.i+1:])
		case c == ']':
			set = false
		}
	}
	return false
}

// closes reports whether a bracket that opens here closes soon. How far it looks
// is bounded, so that many brackets cost no more than few.
func closes(rest string) bool {
	return strings.IndexByte(rest[:min(len(rest), 64)], ']') > 0
}

// line takes the rest of the line.
func (r *sedReader) line() string {
	rest := r.s[r.i:]
	if end := strings.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	r.i += len(rest)
	return rest
}

// text skips the text of a, i and c, which goes on behind a \ at the end of a
// line.
func (r *sedReader) text() {
	for {
		line := r.line()
		if !strings.HasSuffix(line, `\`) || r.i >= len(r.s) {
			return
		}
		r.i++
	}
}

func (r *sedReader) label() {
	for r.i < len(r.s) && r.s[r.i] != ';' && r.s[r.i] != '\n' && r.s[r.i] != '}' {
		r.i++
	}
}

// interpreterInPlace sees to perl -i and ruby -i. Their code is judged elsewhere,
// so that only what is bad is said here.
func (j *job) interpreterInPlace() {
	var o program.Walk
	o.Start(j.c)
	var operands []shell.Word
	place, code := false, false
	loops, prints := false, false
	for o.Next() {
		switch o.Name {
		case "i":
			place = true
		case "n":
			loops = true
		case "p":
			prints = true
		case "e", "E":
			code = true
			prints = prints || strings.Contains(o.Arg.Text, "print") || strings.Contains(o.Arg.Text, "say") || strings.Contains(o.Arg.Text, "put")
		case "":
			operands = append(operands, o.Arg)
		}
	}
	if !place {
		return
	}
	if !code && len(operands) > 0 {
		operands = operands[1:]
	}
	for _, w := range operands {
		if w.Text == "" {
			continue
		}
		s := j.spot(w)
		table, a := &editTo, &edits
		if loops && code && !prints {
			table, a = &emptyTo, &empties // nothing is printed into what takes the file's place
		}
		if a, v := j.outcome(table, a, s); v.label() == shell.Destructive {
			j.mark(a, s, v)
		}
	}
}

// patch changes files as a diff says.
func (j *job) patch() {
	var o program.Walk
	o.Start(j.c)
	var operands []shell.Word
	for o.Next() {
		switch o.Name {
		case "dry-run", "check", "C":
			j.out, j.keys = nil, nil
			j.safely(shell.FSRead, "patch-dry-run", "only checks whether a patch applies")
			return
		case "o", "output":
			j.written(j.spot(o.Arg))
		case "d", "directory":
			j.edited(j.spot(o.Arg))
		case "":
			operands = append(operands, o.Arg)
		}
	}
	if len(operands) > 0 && operands[0].Text != "" {
		j.edited(j.spot(operands[0]))
	}
	if j.out == nil {
		j.note(safe, "modify", shell.FSModify, "patch", "applies a patch to project files")
	}
}
