package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A recipe is one rule of a Makefile or a justfile.
type recipe struct {
	targets string // separated by spaces
	needs   string
	lines   []string
}

// A makefile is what is read from the text of one.
type makefile struct {
	recipes []recipe
	vars    []shell.Variable
	loose   []string // lines outside of recipes that run something: $(shell x)
	just    bool
	size    int  // of all that was expanded
	over    bool // there is more than was taken in
}

// maxRecipes bounds the rules of a file.
const maxRecipes = 500

// recipes walks what make runs for the targets that it is told to make.
func (w *walker) recipes(call *shell.Call, c *command) {
	if call.Name != "just" {
		w.makeTexts(call, c)
	}
	if w.runner(call, c) {
		return
	}
	f := w.customText(call, c, "-f --file --makefile --justfile")
	if f == nil || !w.enterFile(f.path, c) {
		return
	}
	w.make(call, c, f.text)
	w.leaveFile()
}

// make walks the recipes in a text. A dry run reads it too, for which it runs
// $(shell x), and does not hold back lines with a plus or with $(MAKE).
func (w *walker) make(call *shell.Call, c *command, text string) {
	m := makefile{just: call.Name == "just"}
	wanted, dry := m.words(call.Args)
	if w.pay(len(text) * 2) {
		m.read(text)
	}
	inner := *c
	inner.redir, inner.hidden, inner.hops = nil, nil, c.hops+1
	for _, line := range m.loose {
		w.shellCalls(&inner, &m, line)
	}
	if sh, flags := m.lookup("SHELL"), m.lookup(".SHELLFLAGS"); !m.just && !dry && (sh != nil || flags != nil) {
		w.makeShell(&inner, m.word(sh), m.word(flags))
	}
	for i, needed := range m.needed(wanted) {
		if needed && !(dry && m.just) {
			w.recipe(&inner, &m, &m.recipes[i], dry)
		}
	}
	if m.over {
		w.tooMuch()
	}
}

// word is the value of a variable as a word.
func (m *makefile) word(v *shell.Variable) shell.Word {
	if v == nil {
		return shell.Word{}
	}
	return shell.Word{Text: m.expand(v.Value.Text, &recipe{}, 0)}
}

// words reads the words of a call: the targets, and variables that it sets.
func (m *makefile) words(args []shell.Word) (wanted []string, dry bool) {
	for i := 0; i < len(args); i++ {
		a := args[i].Text
		name, val, set := strings.Cut(a, "=")
		switch {
		case a == "":
		case a == "-C" || a == "-f" || a == "-E" || a == "-j" && i+1 < len(args) && isNumber(args[i+1].Text) || a == "-I" || a == "-o" || a == "-W" || a == "--justfile" || a == "--file" || a == "--eval":
			i++
		case strings.HasPrefix(a, "--"):
			dry = dry || a == "--dry-run" || a == "--just-print" || a == "--recon" || a == "--question" || a == "--touch" || a == "--list" || a == "--summary" || a == "--help" || a == "--version"
		case a[0] == '-':
			dry = dry || !strings.HasPrefix(a, "-j") && !strings.HasPrefix(a, "-f") && strings.ContainsAny(a, "nqtvl")
		case set && !m.just:
			m.vars = append(m.vars, shell.Variable{Name: strings.TrimRight(name, ":?+"), Value: shell.Word{Text: val}})
		default:
			wanted = append(wanted, a)
		}
	}
	return wanted, dry
}

// read reads the rules.
func (m *makefile) read(text string) {
	var now *recipe
	text = strings.ReplaceAll(text, "\\\n", " ")
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n\r")
		if line == "" {
			continue
		}
		if len(m.recipes) >= maxRecipes || len(m.vars) >= maxRecipes || len(m.loose) >= maxRecipes {
			m.over = true
			return
		}
		if line[0] == '\t' || m.just && line[0] == ' ' {
			if now != nil {
				now.lines = append(now.lines, strings.TrimSpace(line))
			}
			continue
		}
		if line[0] == '#' || line[0] == '@' {
			continue
		}
		if strings.Contains(line, "shell ") || strings.Contains(line, "file ") {
			m.loose = append(m.loose, line)
		}
		if name, cmd, ok := strings.Cut(line, "!="); ok && !m.just && !strings.ContainsAny(name, ":$('\"") {
			m.loose = append(m.loose, "$(shell "+cmd+")")
		}
		if m.variable(line) {
			continue
		}
		head, rest, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		if m.just {
			head, _, _ = strings.Cut(head, " ") // parameters follow
			head = strings.TrimPrefix(head, "@")
		}
		needs, inline, has := strings.Cut(strings.TrimPrefix(rest, ":"), ";")
		m.recipes = append(m.recipes, recipe{targets: head, needs: strings.TrimSpace(needs)})
		now = &m.recipes[len(m.recipes)-1]
		if has {
			now.lines = append(now.lines, strings.TrimSpace(inline))
		}
	}
}

// variable reads NAME = value.
func (m *makefile) variable(line string) bool {
	name, val, ok := strings.Cut(line, "=")
	name = strings.TrimRight(name, " \t")
	name = strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(name, "::"), ":"), " \t?+!")
	name = strings.TrimPrefix(strings.TrimPrefix(name, "export "), "override ")
	if !ok || name == "" || strings.ContainsAny(name, " \t:$(") {
		return false
	}
	if strings.HasPrefix(val, "=") || m.lookup(name) != nil {
		return strings.TrimSpace(name) != ""
	}
	val = strings.TrimSpace(val)
	if m.just {
		val = strings.Trim(val, `"'`)
	}
	m.vars = append(m.vars, shell.Variable{Name: name, Value: shell.Word{Text: val}})
	return true
}

func (m *makefile) lookup(name string) *shell.Variable {
	for i := range m.vars {
		if m.vars[i].Name == name {
			return &m.vars[i]
		}
	}
	return nil
}

// needed marks the rules that are run: for the targets that are wanted and all
// that these need. Without a target it is the first; when one is not found, all.
func (m *makefile) needed(wanted []string) []bool {
	marks := make([]bool, len(m.recipes))
	if len(wanted) == 0 {
		for i := range m.recipes {
			if t := m.recipes[i].targets; t != "" && t[0] != '.' && !strings.Contains(t, "%") {
				wanted = append(wanted, strings.Fields(t)...)
				break
			}
		}
	}
	m.over = m.over || len(wanted) > maxRecipes
	for n := 0; n < len(wanted); n++ {
		if n >= 4*maxRecipes {
			m.over = true
			break
		}
		found := false
		for i := range m.recipes {
			r := &m.recipes[i]
			if !fitsTarget(r.targets, wanted[n]) {
				continue
			}
			found = true
			if !marks[i] {
				marks[i] = true
				wanted = append(wanted, strings.Fields(r.needs)...)
			}
		}
		if !found && strings.Contains(wanted[n], "$") {
			for i := range marks {
				marks[i] = true
			}
		}
	}
	for _, mark := range marks {
		if mark {
			return marks
		}
	}
	for i := range marks {
		marks[i] = true
	}
	return marks
}

// fitsTarget reports whether one of a rule's targets is the one that is wanted.
func fitsTarget(targets, want string) bool {
	for _, t := range strings.Fields(targets) {
		if t == want || strings.Contains(t, "$") {
			return true
		}
		if head, tail, ok := strings.Cut(t, "%"); ok && strings.HasPrefix(want, head) && strings.HasSuffix(want, tail) {
			return true
		}
	}
	return false
}

// recipe walks the lines of a rule, each of which a shell of its own runs.
func (w *walker) recipe(c *command, m *makefile, r *recipe, dry bool) {
	one := m.just && len(r.lines) > 0 && strings.HasPrefix(r.lines[0], "#!")
	var all strings.Builder
	for _, line := range r.lines {
		if !w.step() || !w.pay(len(line)) {
			return
		}
		if !m.just {
			w.shellCalls(c, m, line)
		}
		bare := strings.TrimLeft(line, "@-+ ")
		if dry && !strings.Contains(line[:len(line)-len(bare)], "+") && !strings.Contains(line, "$(MAKE)") && !strings.Contains(line, "${MAKE}") {
			continue
		}
		text := m.expand(bare, r, 0)
		if one {
			all.WriteString(text + "\n")
			continue
		}
		w.nested(shell.Word{Text: text}, nil, c)
	}
	if one {
		w.nested(shell.Word{Text: all.String()}, nil, c)
	}
}

// expand puts the values of variables into a line; what is not known is a hole.
func (m *makefile) expand(line string, r *recipe, depth int) string {
	open, shut := "$", ")"
	if m.just {
		open, shut = "{{", "}}"
	}
	if !strings.Contains(line, open) {
		return line
	}
	var b strings.Builder
	for {
		if b.Len() > maxOutput {
			m.over = true
			break
		}
		before, rest, ok := strings.Cut(line, open)
		b.WriteString(before)
		if !ok || rest == "" {
			break
		}
		name := ""
		switch {
		case m.just:
			name, line, _ = strings.Cut(rest, shut)
		case rest[0] == '$':
			b.WriteByte('$')
			line = rest[1:]
			continue
		case rest[0] == '(' || rest[0] == '{':
			end := makeParen(rest)
			name, line = rest[1:end], rest[min(end+1, len(rest)):]
		default:
			name, line = rest[:1], rest[1:]
		}
		b.WriteString(m.value(strings.TrimSpace(name), r, depth))
	}
	return b.String()
}

// makeParen is where the bracket closes that a text begins with.
func makeParen(text string) int {
	shut := byte(')')
	if text[0] == '{' {
		shut = '}'
	}
	level := 0
	for i := range len(text) {
		switch text[i] {
		case text[0]:
			level++
		case shut:
			if level--; level == 0 {
				return i
			}
		}
	}
	return len(text)
}

func (m *makefile) value(name string, r *recipe, depth int) string {
	switch name {
	case "@":
		first, _, _ := strings.Cut(r.targets, " ")
		return first
	case "<":
		first, _, _ := strings.Cut(r.needs, " ")
		return first
	case "^", "+", "?":
		return r.needs
	case "RM":
		return "rm -f"
	case "MAKE":
		return "make"
	case "HOME":
		return "~"
	case "PWD", "CURDIR":
		return "."
	}
	v := m.lookup(name)
	if v == nil {
		return hole
	}
	if depth > 8 || m.size > maxOutput {
		m.over = true
		return hole
	}
	m.size += len(v.Value.Text) + wordCost
	return m.expand(v.Value.Text, r, depth+1)
}

// shellCalls walks the commands of $(shell …), which run when the line is read, and
// what $(file >name,…) writes.
func (w *walker) shellCalls(c *command, m *makefile, line string) {
	for {
		_, rest, ok := strings.Cut(line, "$")
		if !ok {
			return
		}
		line = rest
		if len(rest) < 7 || rest[0] != '(' && rest[0] != '{' {
			continue
		}
		runs := strings.HasPrefix(rest[1:], "shell ")
		if !runs && !strings.HasPrefix(rest[1:], "file ") {
			continue
		}
		if !w.step() {
			return
		}
		text := rest[len("(file "):makeParen(rest)]
		if runs {
			text = rest[len("(shell "):max(makeParen(rest), len("(shell "))]
			w.nested(shell.Word{Text: m.expand(text, &recipe{}, 0)}, nil, c)
			continue
		}
		text = strings.TrimSpace(text)
		if name, _, _ := strings.Cut(strings.TrimLeft(text, "> "), ","); text != "" && text[0] == '>' && name != "" {
			op := " > "
			if strings.HasPrefix(text, ">>") {
				op = " >> "
			}
			w.nested(shell.Word{Text: "printf x" + op + quote(m.expand(strings.TrimSpace(name), &recipe{}, 0))}, nil, c)
		}
	}
}
