package resolve

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
)

// maxEvaluations bounds values that name values, where a number is wanted.
const maxEvaluations = 16

// again expands a text a second time, as the shell does with prompts and with
// the subscripts that a value holds.
func (w *walker) again(text string) shell.Word {
	if !strings.ContainsAny(text, "$`\\") {
		return shell.Word{Text: text}
	}
	if w.depth >= maxDepth || !w.pay(len(text)) || len(text) > smallText && measure(text) < len(text) {
		w.tooMuch()
		return shell.Word{Text: hole}
	}
	w.steps -= 50 // reading costs more than looking
	if w.parser == nil {
		w.parser = parsers.Get().(*syntax.Parser)
	}
	doc, err := w.parser.Document(strings.NewReader(text))
	if err != nil || doc == nil {
		w.opaque(brief(text), "cannot be read, because the shell expands it twice")
		w.untold(brief(text), "cannot be read, because the shell expands it twice")
		return shell.Word{Text: hole}
	}
	w.depth++
	f := fields{w: w, whole: true, open: true}
	for _, p := range doc.Parts {
		f.part(p, true)
	}
	w.depth--
	return f.word()
}

// evaluated walks what runs when a text is worked out as a number: it may have an
// array's subscript, or name a variable that has one, and a subscript may hold
// commands. (( x )) with x='a[$(rm y)]' runs rm.
func (w *walker) evaluated(text string, depth int) {
	if depth > maxEvaluations || !w.step() {
		w.tooMuch()
		return
	}
	for i := 0; i < len(text); {
		if !startsName(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && (startsName(text[i]) || text[i] >= '0' && text[i] <= '9') {
			i++
		}
		name := text[start:i]
		if i < len(text) && text[i] == '[' {
			end := subscriptEnd(text, i)
			w.subscript(text[i+1:end], depth)
			i = end
		}
		if v := w.st.find(name); v != nil && v.word.Text != text && strings.ContainsAny(v.word.Text, "[$`_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			w.evaluated(v.word.Text, depth+1)
		}
	}
}

func startsName(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// subscriptEnd is where the bracket at i ends.
func subscriptEnd(text string, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// subscript walks what stands between the brackets of an array.
func (w *walker) subscript(text string, depth int) {
	if strings.ContainsAny(text, "$`") {
		text = w.again(text).Text
	}
	if strings.ContainsAny(text, "[_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		w.evaluated(text, depth+1)
	}
}

// subscripted walks what runs when a text names a variable: read 'a[$(x)]'.
func (w *walker) subscripted(text string) {
	if i := strings.IndexByte(text, '['); i > 0 && syntax.ValidName(text[:i]) {
		w.subscript(text[i+1:subscriptEnd(text, i)], 0)
	}
}

// integer walks the value of a variable that holds numbers only.
func (w *walker) integer(name string) {
	if v := w.st.find(name); v != nil && v.integer {
		w.evaluated(v.word.Text, 0)
	}
}

// hooked walks a variable whose value the shell runs or expands by itself.
func (w *walker) hooked(name string) {
	if runsProgram(name) || isToolchain(name) || findFlagged(name) != nil || clearsBy(name) {
		w.tools = true
		return
	}
	if name == "" || name[0] != 'P' && name[0] != 'R' {
		return
	}
	v := w.st.find(name)
	if v == nil {
		return
	}
	switch name {
	case "PS0", "PS1", "PS2", "PS4", "PROMPT", "RPROMPT", "RPS1":
		w.prompt(v.word.Text)
	case "PROMPT_COMMAND":
		list := v.list
		if !v.array {
			list = []shell.Word{v.word}
		}
		for _, word := range list {
			// What was in it before is the user's own.
			w.text(strings.ReplaceAll(word.Text, hole, ":"))
		}
	}
}

// prompt is a text with what a prompt means in it.
func (w *walker) prompt(text string) shell.Word {
	if !strings.ContainsAny(text, "$`") {
		return shell.Word{Text: text}
	}
	from := len(w.calls)
	// \$ is a sign of prompts, and \[ and \] stand around colours.
	word := w.again(strings.ReplaceAll(text, `\$`, "#"))
	from = min(from, len(w.calls))
	rest := slices.DeleteFunc(w.calls[from:], func(c *shell.Call) bool { return c.Name == "__git_ps1" })
	w.calls = w.calls[:from+len(rest)]
	return word
}

// runsByItself reports whether a shell calls a function of this name without
// being told to.
func runsByItself(name string) bool {
	switch name {
	case "command_not_found_handle", "command_not_found_handler", "precmd", "preexec", "chpwd", "zshexit", "periodic":
		return true
	}
	return false
}

// completes walks compgen and complete, which run commands to find words.
func (w *walker) completes(c *command, name string) {
	w.emit(c)
	args := c.words[1:]
	for i := 0; i+1 < len(args); i++ {
		next := args[i+1]
		switch args[i].Text {
		case "-C":
			// The program that completes is most often named without more.
			if name == "compgen" || strings.ContainsAny(next.Text, " \t\n;|&$`<>") {
				w.handed(c, next)
			}
		case "-W":
			w.again(next.Text)
		case "-F":
			if f := w.st.function(next.Text); f != nil {
				inner := *c
				inner.words, inner.redir = args[i+1:i+2], nil
				w.call(f, &inner)
			}
		default:
			continue
		}
		i++
	}
}

// binds handles bind, which ties commands to keys that are not read.
func (w *walker) binds(c *command) {
	w.emit(c)
	if slices.ContainsFunc(c.words, func(a shell.Word) bool {
		_, text, _ := strings.Cut(a.Text, `":`)
		return a.Text == "-x" || strings.HasPrefix(strings.TrimSpace(text), `"`) // a macro types its text
	}) {
		w.opaque(show(c.words), "ties a command to a key")
	}
}

// refill handles fc, which hands earlier commands to an editor.
func (w *walker) refill(c *command) {
	w.emit(c)
	if !slices.ContainsFunc(c.words[1:], func(a shell.Word) bool { return strings.HasPrefix(a.Text, "-") && strings.Contains(a.Text, "l") }) {
		w.opaque(show(c.words), "runs earlier commands again")
	}
}

// exported walks a variable that a shell takes for a function: BASH_FUNC_x%%, or
// a value that begins as one, behind which old shells went on reading.
func (w *walker) exported(name, val string) {
	if !strings.HasPrefix(val, "() {") {
		return
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "BASH_FUNC_"), "%%")
	if strings.ContainsAny(name, " \t\n;|&$`<>(){}") {
		return
	}
	w.text(name + " " + val)
}

// timeProgram walks time with flags that only the program of that name has.
func (w *walker) timeProgram(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 2 || len(call.Assigns) > 0 || !strings.HasPrefix(call.Args[0].Lit(), "-") {
		return false
	}
	cmd := w.newCommand()
	cmd.words = w.words([]shell.Word{{Text: "time"}}, call.Args)
	if len(s.Redirs) > 0 {
		w.redirects(&cmd, s.Redirs)
	}
	w.run(cmd)
	return true
}
