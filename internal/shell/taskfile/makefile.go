package taskfile

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// Limits of what is read of one Makefile with its includes.
const (
	maxRules   = 500
	maxValues  = 8 // that one text may have
	maxExpand  = 64 << 10
	maxNesting = 16
)

const hole = string(shell.Hole)

// A Makefile is what is read of the text of one, and of those that it includes. The zero
// Makefile is empty; Set comes before Read.
//
// A variable has every value that the text gives it, whatever conditionals say. $(shell x)
// becomes $(x), as the shell of a recipe would have it; other functions yield
// [shell.Hole].
type Makefile struct {
	// Open returns the text of a file that is included by its plain name; nil reads none.
	Open func(name string) (text string, ok bool)

	Runs      []string // commands that run while the text is read, also in a dry run
	Unsure    []string // what cannot be told, for people
	Truncated bool     // there is more than was read

	vars     map[string]*makeVar
	rules    []makeRule
	remade   []string // files that make would make first: what it reads
	unruled  []string // names that are needed and that no rule makes
	exports  []string // variables that recipes get
	open     bool     // lines with a tab belong to the last rule
	oneShell bool
	nesting  int
	size     int // of all that was expanded
}

// A makeVar is a variable with the values that it may have, unexpanded.
type makeVar struct {
	values []string
	fixed  bool // the call sets it, so no line of a file does
	busy   bool // it is being expanded
}

// A makeRule is one rule.
type makeRule struct {
	targets, needs []string
	pattern        string // of a static pattern rule: the one that its targets fit
	lines          []string
}

// A MakeCommand is a line of a recipe.
type MakeCommand struct {
	Text   string
	Always bool // it runs in a dry run too
}

// Set gives a variable a value of the call's. One that is fixed is changed by no file.
func (m *Makefile) Set(name, value string, fixed bool) {
	v := m.variable(name)
	v.values, v.fixed = []string{value}, fixed
	m.exports = append(m.exports, name)
}

// variable returns the variable of a name.
func (m *Makefile) variable(name string) *makeVar {
	if m.vars == nil {
		m.vars = map[string]*makeVar{}
	}
	if m.vars[name] == nil {
		m.vars[name] = &makeVar{}
	}
	return m.vars[name]
}

// Read takes in the text of a Makefile.
func (m *Makefile) Read(text string) {
	if m.nesting++; m.nesting > maxNesting {
		m.Truncated = true
		return
	}
	defer func() { m.nesting-- }()
	m.open = false
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 0; i < len(lines) && !m.Truncated; i++ {
		line := lines[i]
		recipe := m.open && strings.HasPrefix(line, "\t")
		for odd(line) && i+1 < len(lines) {
			i++
			if recipe {
				line += "\n" + strings.TrimPrefix(lines[i], "\t")
			} else {
				line = strings.TrimRight(line[:len(line)-1], " \t") + " " + strings.TrimLeft(lines[i], " \t")
			}
		}
		if recipe {
			last := &m.rules[len(m.rules)-1]
			last.lines = append(last.lines, line[1:])
			continue
		}
		line = strings.TrimSpace(uncomment(line))
		if head, ok := strings.CutPrefix(line, "define "); ok {
			from := i + 1
			for i++; i < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[i]), "endef"); i++ {
			}
			name, _ := cutWord(head)
			m.define(name, "=", strings.Join(lines[from:min(i, len(lines))], "\n"))
			continue
		}
		m.line(line)
		m.Truncated = m.Truncated || len(m.rules) > maxRules || len(m.vars) > maxRules || len(m.Runs) > maxRules
	}
	m.open = false
}

// odd reports whether a line goes on in the next one.
func odd(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

// uncomment cuts the comment off a line.
func uncomment(line string) string {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || line[i-1] != '\\') {
			return line[:i]
		}
	}
	return line
}

// line reads a line that is no part of a recipe.
func (m *Makefile) line(line string) {
	word, rest := cutWord(line)
	switch word {
	case "":
		return
	case "ifeq", "ifneq", "ifdef", "ifndef", "else", "endif":
		m.expand(rest, nil, 0) // all branches count
		return
	case "include", "-include", "sinclude":
		m.open = false
		m.include(rest)
		return
	case "vpath", "undefine", "unexport", "load", "-load":
		m.open = false
		if strings.HasSuffix(word, "load") {
			m.doubt("make loads " + plain(rest))
		}
		return
	case "override", "private", "export":
		name, _, _, defines := definition(rest)
		if word == "export" {
			m.exports = append(append(m.exports, name), strings.Fields(rest)...)
		}
		if defines {
			m.line(rest)
		}
		return
	}
	if name, op, value, ok := definition(line); ok {
		m.open = false
		m.define(name, op, value)
		return
	}
	m.rule(line)
}

// definition splits NAME op value; op is one of = := ?= += !=.
func definition(line string) (name, op, value string, ok bool) {
	at := strings.IndexByte(line, '=')
	if at <= 0 {
		return "", "", "", false
	}
	name, value = line[:at], strings.TrimLeft(line[at+1:], " \t")
	op = "="
	if last := name[len(name)-1]; strings.IndexByte(":?+!", last) >= 0 {
		op, name = string(last)+"=", strings.TrimRight(name[:len(name)-1], ":")
	}
	name = strings.TrimSpace(name)
	bare := name
	if strings.HasPrefix(name, "$") {
		bare = strings.Trim(name, "$(){}")
	}
	return name, op, value, bare != "" && !strings.ContainsAny(bare, " \t:$()#")
}

// define gives a variable one more value.
func (m *Makefile) define(name, op, value string) {
	if names := m.expand(name, nil, 0); len(names) == 1 && known(names[0]) {
		name = names[0]
	} else {
		m.doubt("make: which variables it sets")
	}
	if name == ".RECIPEPREFIX" {
		m.doubt("make: which lines of the file are recipes")
	}
	v := m.variable(name)
	switch {
	case v.fixed || op == "?=" && len(v.values) > 0:
		return
	case op == "!=":
		value = "$(shell " + value + ")"
		m.expand(value, nil, 0)
	case op == ":=":
		m.expand(value, nil, 0) // what it runs is run now
	case op == "+=" && len(v.values) > 0:
		for i := range v.values {
			v.values[i] += " " + value
		}
		return
	}
	if !slices.Contains(v.values, value) && len(value) <= maxExpand {
		v.values = append(v.values, value)
	}
	if len(v.values) > maxValues {
		v.values = []string{hole}
	}
}

// include reads the files that a line names. One that is not there may come about by a rule.
func (m *Makefile) include(list string) {
	for _, names := range m.expand(list, nil, 0) {
		if !known(names) || strings.ContainsAny(names, "*?[$`") || m.Open == nil {
			m.doubt("make includes files whose names are unknown")
			continue
		}
		for name := range strings.FieldsSeq(names) {
			m.remade = append(m.remade, name)
			if text, ok := m.Open(name); ok {
				m.Read(text)
			}
		}
	}
}

// rule reads a rule, or a line that only calls functions.
func (m *Makefile) rule(line string) {
	m.open = false
	head, inline := cutOutside(line, ';')
	targets, rest := cutOutside(head, ':')
	if targets == head {
		for _, text := range m.expand(line, nil, 0) {
			if strings.TrimSpace(text) != "" {
				m.doubt("make: which rules " + plain(line) + " makes")
			}
		}
		return
	}
	rest = strings.TrimPrefix(rest, ":")
	if name, op, value, ok := definition(strings.TrimSpace(rest)); ok { // of the target alone
		m.define(name, strings.TrimPrefix(op, "?"), value)
		return
	}
	r := makeRule{targets: m.names(strings.TrimSuffix(targets, "&"))}
	if pattern, needs := cutOutside(rest, ':'); pattern != rest {
		r.pattern, rest = strings.TrimSpace(pattern), needs
	}
	r.needs = m.names(strings.ReplaceAll(rest, "|", " "))
	if inline != "" {
		r.lines = append(r.lines, inline)
	}
	for i, t := range r.targets {
		switch from, to, ok := strings.Cut(strings.TrimPrefix(t, "."), "."); {
		case t == ".ONESHELL":
			m.oneShell = true
		case ok && t[0] == '.' && !strings.ContainsAny(t, "/%") && len(r.needs) == 0: // .c.o
			r.targets[i], r.needs = "%."+to, []string{"%." + from}
		}
	}
	m.rules = append(m.rules, r)
	m.open = true
}

// names returns the names in a list of targets.
func (m *Makefile) names(list string) []string {
	var out []string
	for _, names := range m.expand(list, nil, 0) {
		for name := range strings.FieldsSeq(names) {
			for strings.HasPrefix(name, "./") && len(name) > 2 {
				name = name[2:]
			}
			if !known(name) || strings.ContainsAny(name, "$`") {
				name = hole
			}
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

func (m *Makefile) doubt(why string) {
	if !slices.Contains(m.Unsure, why) && len(m.Unsure) < maxNesting {
		m.Unsure = append(m.Unsure, why)
	}
}

// A making is a target that is made by a rule.
type making struct {
	rule       *makeRule
	want, stem string
}

// Commands returns the lines that run for the goals and for all that these need, for the
// first target when there is no goal.
func (m *Makefile) Commands(goals []string) []MakeCommand {
	if len(goals) == 0 {
		goals = m.first()
	}
	queue := append(slices.Clone(goals), m.remade...)
	var out []MakeCommand
	for n := 0; n < len(queue); n++ {
		if n > 4*maxRules {
			m.Truncated = true
			break
		}
		want, found := queue[n], false
		for i := range m.rules {
			stem, fits := m.rules[i].fit(want)
			if !fits && !(want == hole && n < len(goals)) {
				continue
			}
			found = true
			to := making{&m.rules[i], want, stem}
			out = append(out, m.recipe(to)...)
			for _, need := range to.needs() {
				if !slices.Contains(queue, need) {
					queue = append(queue, need)
				}
			}
		}
		switch {
		case want == hole:
			m.doubt("make: which targets it makes")
		case !found && len(m.unruled) < maxNesting:
			m.unruled = append(m.unruled, want)
		}
	}
	return out
}

// first returns the goals of a call without any.
func (m *Makefile) first() []string {
	if v := m.vars[".DEFAULT_GOAL"]; v != nil {
		return m.names("$(.DEFAULT_GOAL)")
	}
	for i := range m.rules {
		for _, t := range m.rules[i].targets {
			if (t[0] != '.' || strings.Contains(t, "/")) && !strings.Contains(t, "%") {
				return []string{t}
			}
		}
	}
	return nil
}

// fit reports whether a rule makes a target, and what % stands for.
func (r *makeRule) fit(want string) (stem string, fits bool) {
	for _, t := range r.targets {
		head, tail, pattern := strings.Cut(t, "%")
		switch {
		case want == hole && pattern:
			return hole, true
		case t == want && want != hole:
			if head, tail, ok := strings.Cut(r.pattern, "%"); ok {
				stem = strings.TrimSuffix(strings.TrimPrefix(want, head), tail)
			}
			return stem, true
		case pattern && len(want) > len(head)+len(tail) && strings.HasPrefix(want, head) && strings.HasSuffix(want, tail):
			return want[len(head) : len(want)-len(tail)], true
		}
	}
	return "", false
}

// needs returns what the target needs.
func (t making) needs() []string {
	out := slices.Clone(t.rule.needs)
	for i := range out {
		out[i] = strings.Replace(out[i], "%", t.stem, 1)
	}
	return out
}

// recipe returns the lines that make a target.
func (m *Makefile) recipe(t making) []MakeCommand {
	var out []MakeCommand
	for _, line := range t.rule.lines {
		submake := strings.Contains(line, "$(MAKE)") || strings.Contains(line, "${MAKE}")
		for _, text := range m.expand(line, &t, 0) {
			for i, one := range strings.Split(text, "\n") { // a variable may have several
				bare := strings.TrimLeft(one, "@-+ \t")
				if last := len(out) - 1; m.oneShell && last >= 0 || i > 0 && strings.HasSuffix(out[last].Text, "\\") {
					out[last].Text += "\n" + bare
					continue
				}
				out = append(out, MakeCommand{bare, submake || strings.Contains(one[:len(one)-len(bare)], "+")})
			}
		}
	}
	return out
}

// Shell returns the shell of recipes and its options, "" = its own.
func (m *Makefile) Shell() (program, flags string) {
	one := func(name string) string {
		if m.vars[name] == nil {
			return ""
		}
		return m.expand("$("+name+")", nil, 0)[0]
	}
	return one("SHELL"), one(".SHELLFLAGS")
}

// exported returns the variables that recipes get.
func (m *Makefile) exported() []shell.Variable {
	var out []shell.Variable
	names := append(m.exports, "PATH")
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if v := m.vars[name]; v != nil && len(v.values) > 0 && strings.Trim(name, letters) == "" {
			out = append(out, shell.Variable{Name: name, Value: shell.Word{Text: m.expand("$("+name+")", nil, 0)[0]}})
		}
	}
	return out
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789"
