package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// judgeSed judges sed, which edits a stream, or files in place.
func (j *job) judgeSed() {
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
		// The -i of BSD takes a suffix as a separate word.
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
		j.judgeSedScript(w.Text)
		wipes = wipes && (!strings.ContainsAny(w.Text, "pPlwi=") || sedPrintsOnlyChanged(w.Text)) || sedDeletesAll(w.Text)
	}
	if fromFile {
		j.addPathless(unknownLow, "run", shell.Run, "sed-script", "runs a sed script that checkrein did not read")
	}
	if !place {
		if j.out == nil {
			j.addSafe(shell.TextRead, "sed", "prints changed text")
		}
		return
	}
	j.addInPlaceEdits(operands, wipes)
}

// addInPlaceEdits adds the effects of editing the files operands in place. wipes means that nothing of
// their contents remains.
func (j *job) addInPlaceEdits(operands []shell.Word, wipes bool) {
	changed := j.addEdit
	if wipes {
		changed = j.addTruncate
	}
	for _, w := range operands {
		if w.Text == "" {
			continue
		}
		if spots := listedLocations(w, j); spots != nil {
			for _, s := range spots {
				changed(s)
			}
			continue
		}
		changed(j.locateWord(w))
	}
	if len(operands) == 0 && j.c.In != nil {
		for _, s := range printedLocations(j.c.In.From, j) {
			changed(s)
		}
	}
	if j.out == nil {
		j.addPathless(unknownLow, "modify", shell.FSModify, "edit-nothing", "changes files in place without naming them")
	}
}

// sedPrintsOnlyChanged reports whether script, run by sed -n, prints only the lines that it changed,
// as in s/a/b/p.
func sedPrintsOnlyChanged(script string) bool {
	r := sedReader{s: strings.TrimRight(script, "; ")}
	if r.skipAddress(); r.i >= len(r.s) || r.s[r.i] != 's' {
		return false
	}
	r.i++
	return r.skipParts(2) && strings.Contains(r.s[r.i:], "p") && strings.Trim(r.s[r.i:], "gpiIm0123456789}") == ""
}

// sedDeletesAll reports whether script, a sed script, deletes every line, all lines but one, or the
// text of every line.
func sedDeletesAll(script string) bool {
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

// maxWipe is the length of the longest script that sedDeletesAll checks; longer scripts do something
// else.
const maxWipe = 24

// A sedReader reads the sed script s from offset i on.
type sedReader struct {
	s string
	i int
}

// judgeSedScript adds the effects of the commands in script that write files or run programs.
func (j *job) judgeSedScript(script string) {
	r := sedReader{s: script}
	for r.skipAddress(); r.i < len(r.s); r.skipAddress() {
		cmd := r.s[r.i]
		r.i++
		switch cmd {
		case 's':
			j.judgeSedFlags(&r)
		case 'y':
			r.skipParts(2)
		case 'w', 'W':
			j.addSedWrite(r.readLine())
		case 'e':
			j.addRun("sed-exec", "runs a program from within sed")
			r.readLine()
		case 'a', 'i', 'c':
			r.skipText()
		case 'r', 'R', ':', '#':
			r.readLine()
		case 'b', 't', 'T':
			r.skipLabel()
		}
	}
}

// judgeSedFlags reads the rest of an s command and adds the effects of its flags w and e.
func (j *job) judgeSedFlags(r *sedReader) {
	if !r.skipParts(2) {
		r.i = len(r.s)
		return
	}
	for r.i < len(r.s) {
		switch c := r.s[r.i]; {
		case c == 'w':
			r.i++
			j.addSedWrite(r.readLine())
			return
		case c == 'e':
			j.addRun("sed-exec", "makes sed run its input as a command")
		case !(c >= '0' && c <= '9' || c == 'g' || c == 'p' || c == 'i' || c == 'I' || c == 'm' || c == 'M'):
			return
		}
		r.i++
	}
}

// addSedWrite adds the effect of the w command of sed, which writes to the file name.
func (j *job) addSedWrite(name string) {
	if name = strings.TrimSpace(name); name != "" {
		if s := j.base.locate(name); s.zone != inSink {
			j.addWrite(s)
		}
	}
}

// skipAddress skips blanks, separators and addresses.
func (r *sedReader) skipAddress() {
	for r.i < len(r.s) {
		switch c := r.s[r.i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == ';' || c == '{' || c == '}' || c == ',' || c == '!' || c == '$' || c == '~' || c == '+' || c >= '0' && c <= '9':
			r.i++
		case c == '/':
			r.skipParts(1)
			r.skipRegexFlags()
		case c == '\\':
			r.i++
			r.skipParts(1)
			r.skipRegexFlags()
		default:
			return
		}
	}
}

// skipRegexFlags skips the flags I and M after an address.
func (r *sedReader) skipRegexFlags() {
	for r.i < len(r.s) && (r.s[r.i] == 'I' || r.s[r.i] == 'M') {
		r.i++
	}
}

// skipParts skips n parts, each delimited by the current character. It reports false if the script
// ends first.
func (r *sedReader) skipParts(n int) bool {
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
			set = hasCloseBracket(r.s[r.i+1:])
		case c == ']':
			set = false
		}
	}
	return false
}

// hasCloseBracket reports whether a ] follows soon in rest, the text after a [. The distance is
// bounded, so that many brackets cost no more than few.
func hasCloseBracket(rest string) bool {
	return strings.IndexByte(rest[:min(len(rest), 64)], ']') > 0
}

// readLine returns the rest of the line, without its newline, and moves past it.
func (r *sedReader) readLine() string {
	rest := r.s[r.i:]
	if end := strings.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	r.i += len(rest)
	return rest
}

// skipText skips the text of the commands a, i and c, which continues after a \ at the end of a line.
func (r *sedReader) skipText() {
	for {
		line := r.readLine()
		if !strings.HasSuffix(line, `\`) || r.i >= len(r.s) {
			return
		}
		r.i++
	}
}

// skipLabel skips the label of the commands b, t and T.
func (r *sedReader) skipLabel() {
	for r.i < len(r.s) && r.s[r.i] != ';' && r.s[r.i] != '\n' && r.s[r.i] != '}' {
		r.i++
	}
}

// judgeInterpreterInPlace judges perl -i and ruby -i. It adds only destructive effects, since package
// code judges the code.
func (j *job) judgeInterpreterInPlace() {
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
		table, a := &editVerdicts, &edits
		if loops && code && !prints {
			table, a = &truncateVerdicts, &empties // nothing is printed into the new file
		}
		for _, s := range j.writeTargets(w) {
			if a, v := j.lookupVerdict(table, a, s); v.label() == shell.Destructive {
				j.addEffect(a, s, v)
			}
		}
	}
}

// judgePatch judges patch, which changes files according to a diff.
func (j *job) judgePatch() {
	var o program.Walk
	o.Start(j.c)
	var operands []shell.Word
	for o.Next() {
		switch o.Name {
		case "dry-run", "check", "C":
			j.out, j.keys = nil, nil
			j.addSafe(shell.FSRead, "patch-dry-run", "only checks whether a patch applies")
			return
		case "o", "output":
			j.addWrite(j.locateWord(o.Arg))
		case "d", "directory":
			j.addEdit(j.locateWord(o.Arg))
		case "":
			operands = append(operands, o.Arg)
		}
	}
	if len(operands) > 0 && operands[0].Text != "" {
		j.addEdit(j.locateWord(operands[0]))
	}
	if j.out == nil {
		j.addPathless(safe, "modify", shell.FSModify, "patch", "applies a patch to project files")
	}
}
