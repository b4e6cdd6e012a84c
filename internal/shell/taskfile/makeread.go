package taskfile

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

const (
	maxMakeText  = 1 << 20
	maxMakeFiles = 50
	maxItems     = 5_000
)

// A makefile is what make reads for one call: all files of it, in the order in
// which they are read, as make reads them.
type makefile struct {
	look  Looker
	dir   string
	env   []shell.Variable // of the call
	from  []string         // -I
	files []makeText
	items []item
	rules []rule
	vars  map[string]*variable
	later bool // recipes may set variables: $(eval x := y)

	open     []int // the rules that a recipe line belongs to: one, or one of them
	none     bool  // it may belong to none of them
	ifs      []branch
	groups   int
	texts    []string // that run while the files are read
	unsure   []string
	ran      int // functions that did something
	spent    int // bytes of what was expanded
	steps    int
	nested   int
	depth    int             // of include
	beyond   bool            // it cannot be told which rules run: all of all files counts
	wide     bool            // every rule may run
	wanted   map[string]bool // names that are made, or needed
	suffixes bool            // the files name suffixes of their own
	oneShell bool
	evals    bool     // … because text becomes rules while it is read
	vpath    bool     // prerequisites are looked for in other directories
	export   bool     // every variable is handed on
	ahead    bool     // what is read does not give the default goal
	remade   []string // files that make would make anew before it goes on
}

// A makeText is one file that make reads.
type makeText struct {
	path string // "" = a text of the call
	name string // as it was named
}

// An item is one line of a file, or one block.
type item struct {
	kind     itemKind
	file     int
	text     string // as it counts
	name     string // the variable
	rules    []int  // that a line of a rule makes; of a recipe line, whose it is
	groups   []int  // the conditionals that it lies in
	group    int    // the conditional that it is a line of
	ran      bool   // reading it does something
	specific bool   // it is a variable of a target
	ahead    bool   // it is read before the files of the call
}

type itemKind uint8

const (
	otherItem itemKind = iota // counts always
	assignItem
	ruleItem
	recipeItem
	condItem
)

// A rule is one rule, or a variable of a target.
type rule struct {
	targets []string // a hole = any
	needs   []string
	pattern string // of a static pattern rule
	maybe   bool   // it lies in a conditional
	from    int    // the file
}

// A variable is what a name may mean.
type variable struct {
	defs     []definition
	fixed    bool // by the call
	exported bool
	assigned bool // by a file
	active   bool // it is being expanded
}

type definition struct {
	text string
	done bool // it was expanded when it was read
}

// A branch is a conditional that is open.
type branch struct {
	group        int
	before, ends []int
	none, anyEnd bool
	hasElse      bool
}

// read reads one file as make does.
func (m *makefile) read(file int, text string) {
	text = strings.TrimPrefix(text, "\ufeff")
	if len(text) > maxMakeText || strings.ContainsAny(text, "\x00\x01") || strings.Contains(text, hole) {
		m.beyond = true
		return
	}
	m.later = m.later || strings.Contains(text, "(eval ") || strings.Contains(text, "{eval ")
	m.open, m.none = nil, false
	floor := len(m.ifs)
	lines := logical(text)
	for i := 0; i < len(lines) && len(m.items) < maxItems; i++ {
		i = m.line(file, lines, i)
	}
	if len(m.items) >= maxItems || len(m.ifs) != floor {
		m.beyond = true // make would refuse it
		m.ifs = m.ifs[:min(floor, len(m.ifs))]
	}
	m.open, m.none = nil, false
}

// logical cuts a text into its lines, those that a backslash joins as one.
func logical(text string) []string {
	var out []string
	from := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '\n' {
			continue
		}
		end := i
		if end > from && text[end-1] == '\r' {
			end--
		}
		if slashes(text[from:end])%2 == 1 {
			continue
		}
		out, from = append(out, strings.ReplaceAll(text[from:end], "\r\n", "\n")), i+1
	}
	if from < len(text) {
		out = append(out, strings.ReplaceAll(text[from:], "\r\n", "\n"))
	}
	return out
}

func slashes(text string) int { return len(text) - len(strings.TrimRight(text, `\`)) }

// line reads the line at i and returns the last one that it took.
func (m *makefile) line(file int, lines []string, i int) int {
	raw := lines[i]
	if strings.HasPrefix(raw, "\t") && (len(m.open) > 0 || m.none) {
		m.beyond = m.beyond || m.none
		m.add(item{kind: recipeItem, file: file, text: raw, rules: m.open})
		return i
	}
	flat, doubt := uncomment(flatten(raw))
	m.beyond = m.beyond || doubt
	if strings.TrimSpace(flat) == "" {
		return i
	}
	shown := flat
	if strings.Contains(raw, "\n") {
		shown = raw
	}
	flat = strings.TrimLeft(flat, " \t")
	it := item{file: file, text: shown}
	if a, ok := assignment(flat, true); ok {
		if a.define {
			end := endOfDefine(lines, i)
			a.value = strings.Join(lines[min(i+1, end):end], "\n")
			it.text = strings.Join(lines[i:min(end+1, len(lines))], "\n")
			i = end
		}
		m.close()
		m.assign(&it, &a)
		return i
	}
	word, rest := token(flat)
	if strings.HasPrefix(rest, ":") {
		word = ""
	}
	switch word {
	case "ifdef", "ifndef", "ifeq", "ifneq", "else", "endif":
		m.cond(&it, word, rest)
		return i
	case "export", "unexport":
		m.close()
		m.exports(&it, word == "export", rest)
		return i
	case "include", "-include", "sinclude":
		m.close()
		m.add(it)
		m.include(rest)
		return i
	case "vpath":
		m.close()
		m.vpath = true
		m.ranBy(&it, rest)
		m.add(it)
		return i
	case "load", "-load":
		m.close()
		m.beyond = true
		m.unsure = append(m.unsure, "make loads a library that the Makefile names")
		m.add(it)
		return i
	case "endef", "define", "undefine":
		m.beyond = true
		m.add(it)
		return i
	}
	m.rule(&it, flat)
	return i
}

// flatten joins the lines of one logical line.
func flatten(raw string) string {
	if !strings.Contains(raw, "\n") {
		return raw
	}
	var b strings.Builder
	for n, line := range strings.Split(raw, "\n") {
		if n > 0 {
			line = " " + strings.TrimLeft(line, " \t")
		}
		if slashes(line)%2 == 1 {
			line = strings.TrimRight(line[:len(line)-1], " \t")
		}
		b.WriteString(line)
	}
	return b.String()
}

// uncomment takes the comment off a line. It reports doubt where versions of make
// do not agree on what is one.
func uncomment(line string) (string, bool) {
	at := strings.IndexByte(line, '#')
	if at < 0 {
		return line, false
	}
	level := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '(', '{':
			level += b2i(level > 0 || i > 0 && line[i-1] == '$')
		case ')', '}':
			level -= b2i(level > 0)
		case '#':
			before := slashes(line[:i])
			if before%2 == 1 {
				continue
			}
			return line[:i], level > 0 || before > 0
		}
	}
	return line, false
}

// token cuts the first word off.
func token(text string) (word, rest string) {
	at := strings.IndexAny(text, " \t")
	if at < 0 {
		return text, ""
	}
	return text[:at], strings.TrimLeft(text[at:], " \t")
}

// endOfDefine is the line that ends the block that begins at a line.
func endOfDefine(lines []string, at int) int {
	level := 1
	for at++; at < len(lines); at++ {
		if strings.HasPrefix(lines[at], "\t") {
			continue
		}
		text, _ := uncomment(strings.TrimLeft(lines[at], " \t"))
		switch word, _ := token(text); word {
		case "define":
			level++
		case "endef":
			if level--; level == 0 {
				return at
			}
		}
	}
	return len(lines)
}

// An assigned is an assignment as it is written.
type assigned struct {
	name, op, value string
	export, define  bool
	override, undef bool
}

// assignment reads NAME = value, with the words that may stand before it.
func assignment(line string, blocks bool) (assigned, bool) {
	var a assigned
	for {
		if name, op, value, ok := definitionOf(line); ok {
			a.name, a.op, a.value = name, op, value
			return a, true
		}
		word, rest := token(line)
		switch {
		case word == "export":
			a.export = true
		case word == "override":
			a.override = true
		case word == "private":
		case blocks && word == "define":
			a.define = true
			if name, op, _, ok := definitionOf(rest); ok {
				a.name, a.op = name, op
			} else {
				a.name, a.op = strings.TrimSpace(rest), "="
			}
			return a, a.name != ""
		case blocks && word == "undefine":
			a.undef, a.name = true, strings.TrimSpace(rest)
			return a, a.name != ""
		default:
			return a, false
		}
		if line = rest; line == "" {
			return a, false
		}
	}
}

// definitionOf reads NAME = value in the way of make.
func definitionOf(p string) (name, op, value string, ok bool) {
	p = strings.TrimLeft(p, " \t")
	end := -1
	for i := 0; i < len(p); {
		c := p[i]
		if c == '$' && i+1 < len(p) && (p[i+1] == '(' || p[i+1] == '{') {
			i += 1 + closing(p[i+1:]) + 1
			continue
		}
		if c == ' ' || c == '\t' {
			end = i
			for i < len(p) && (p[i] == ' ' || p[i] == '\t') {
				i++
			}
			if i >= len(p) {
				return "", "", "", false
			}
			c = p[i]
		}
		for _, sign := range [...]string{":::=", "::=", ":=", "+=", "?=", "!=", "="} {
			if strings.HasPrefix(p[i:], sign) {
				if end < 0 {
					end = i
				}
				return p[:end], sign, strings.TrimLeft(p[i+len(sign):], " \t"), end > 0
			}
		}
		if c == ':' || c == '#' || end >= 0 {
			return "", "", "", false
		}
		i++
	}
	return "", "", "", false
}

// add adds an item.
func (m *makefile) add(it item) {
	for i := range m.ifs {
		it.groups = append(it.groups, m.ifs[i].group)
	}
	it.ahead = m.ahead
	m.items = append(m.items, it)
}

// close ends the rule that is open.
func (m *makefile) close() { m.open, m.none = nil, false }

// ranBy notes whether reading a text does something.
func (m *makefile) ranBy(it *item, text string) []string {
	before := m.ran
	vals := m.expand(text, nil)
	it.ran = it.ran || m.ran > before
	return vals
}

// assign takes in an assignment.
func (m *makefile) assign(it *item, a *assigned) {
	it.kind, it.name = assignItem, a.name
	if strings.Contains(a.name, "$") {
		vals := m.ranBy(it, a.name)
		if len(vals) != 1 || !known(vals[0]) {
			m.beyond = true
			m.add(*it)
			return
		}
		it.kind, a.name = otherItem, vals[0]
	}
	v := m.vars[a.name]
	if v == nil {
		v = &variable{}
		m.vars[a.name] = v
	}
	v.assigned = true
	v.exported = v.exported || a.export
	if a.export {
		it.kind = otherItem
	}
	if a.name == ".RECIPEPREFIX" {
		m.beyond = true
	}
	m.vpath = m.vpath || a.name == "VPATH"
	if (a.name == "MAKEFLAGS" || a.name == "GNUMAKEFLAGS") && strings.Contains(a.value, "=") {
		m.unsure = append(m.unsure, "make: what "+a.name+" of the Makefile sets")
	}
	defs := m.define(it, v, a)
	m.add(*it)
	if v.fixed && !a.override {
		return
	}
	if len(m.ifs) > 0 {
		if len(v.defs) == 0 {
			v.defs = []definition{{}}
		}
		for _, d := range v.defs {
			if !slices.Contains(defs, d) {
				defs = append(defs, d)
			}
		}
	}
	if len(defs) > maxValues {
		defs = []definition{{hole, true}}
	}
	v.defs = defs
}

// define returns what a variable may mean by an assignment.
func (m *makefile) define(it *item, v *variable, a *assigned) []definition {
	switch {
	case a.undef:
		return []definition{{}}
	case a.op == "?=":
		if len(v.defs) > 0 {
			return slices.Clone(v.defs)
		}
		for i := range m.env {
			if m.env[i].Name == a.name {
				return []definition{{m.env[i].Value.Text, true}}
			}
		}
		out := []definition{{a.value, false}}
		if val, ok := builtinValue(a.name); ok {
			out = append(out, definition{val, true})
		}
		return out
	case a.op == "!=":
		m.ran++
		it.ran = true
		m.texts = append(m.texts, m.expand(a.value, nil)...)
		return []definition{{hole, true}}
	case a.op == "+=" && len(v.defs) > 0:
		now := m.ranBy(it, a.value)
		var out []definition
		for _, d := range v.defs {
			if !d.done {
				out = append(out, definition{strings.TrimPrefix(d.text+" "+a.value, " "), false})
				continue
			}
			for _, val := range now {
				out = append(out, definition{strings.TrimPrefix(d.text+" "+val, " "), true})
			}
		}
		return out
	case a.op == "=" || a.op == "+=" || a.op == ":::=":
		if a.op == ":::=" {
			m.ranBy(it, a.value)
		}
		return []definition{{a.value, false}}
	}
	var out []definition
	for _, val := range m.ranBy(it, a.value) {
		out = append(out, definition{val, true})
	}
	return out
}

// cond takes in a line of a conditional. Both ways count: which one make takes
// depends on more than the files.
func (m *makefile) cond(it *item, word, rest string) {
	it.kind = condItem
	at := len(m.ifs) - 1
	if word[0] == 'i' {
		m.groups++
		it.group = m.groups
		m.ranBy(it, rest)
		m.add(*it)
		m.ifs = append(m.ifs, branch{group: m.groups, before: m.open, none: m.none || len(m.open) == 0, anyEnd: false})
		return
	}
	if at < 0 {
		m.beyond = true
		return
	}
	b := &m.ifs[at]
	it.group = b.group
	m.ranBy(it, rest)
	b.ends = unionInts(b.ends, m.open)
	b.anyEnd = b.anyEnd || m.none || len(m.open) == 0
	if word == "else" {
		b.hasElse = b.hasElse || rest == ""
		m.open, m.none = b.before, b.none && len(b.before) > 0
		m.add(*it)
		return
	}
	m.open = b.ends
	none := b.anyEnd
	if !b.hasElse {
		m.open = unionInts(m.open, b.before)
		none = none || b.none
	}
	m.none = none && len(m.open) > 0
	m.ifs = m.ifs[:at]
	m.add(*it)
}

func unionInts(a, b []int) []int {
	a = slices.Clip(a)
	for _, one := range b {
		if !slices.Contains(a, one) {
			a = append(a, one)
		}
	}
	return a
}

// exports takes in export and unexport.
func (m *makefile) exports(it *item, on bool, rest string) {
	vals := m.ranBy(it, rest)
	m.add(*it)
	if !on {
		return
	}
	if rest == "" || len(vals) != 1 || !known(vals[0]) {
		m.export = true
		return
	}
	for name := range strings.FieldsSeq(vals[0]) {
		v := m.vars[name]
		if v == nil {
			v = &variable{}
			m.vars[name] = v
			v.defs = []definition{{hole, true}}
		}
		v.exported = true
	}
}

// include reads the files that a line of a file names.
func (m *makefile) include(names string) {
	for _, list := range m.expand(names, nil) {
		for name := range strings.FieldsSeq(list) {
			if !known(name) || strings.Contains(name, star) || strings.HasPrefix(name, "~") {
				m.unsure = append(m.unsure, "make includes files whose names are unknown")
				m.beyond = true
				continue
			}
			files := []string{name}
			if strings.ContainsAny(name, "*?[") {
				list, ok := m.glob(name)
				if !ok {
					m.unsure = append(m.unsure, "make includes files whose names are unknown: "+name)
					m.beyond = true
				}
				files = list
			}
			for _, f := range files {
				m.readFile(f, true)
			}
		}
	}
}

// readFile reads a file that make reads, by its name. It reports whether the file
// is there.
func (m *makefile) readFile(name string, included bool) bool {
	if m.depth > 20 || len(m.files) >= maxMakeFiles {
		m.beyond = true
		m.unsure = append(m.unsure, "make includes too many files")
		return true
	}
	path := join(m.dir, name)
	text, err := m.look.File(path)
	if included && !strings.HasPrefix(name, "/") {
		for _, dir := range append(slices.Clone(m.from), "/usr/local/include", "/usr/include") {
			if !missing(err) {
				break
			}
			text, err = m.look.File(join(join(m.dir, dir), name))
			path = join(join(m.dir, dir), name)
		}
	}
	m.goalFile(name)
	if missing(err) {
		return false
	}
	m.files = append(m.files, makeText{path, name})
	if err != nil {
		m.beyond = true
		m.unsure = append(m.unsure, "make reads "+name+", which is too large to look into")
		return true
	}
	list := m.vars["MAKEFILE_LIST"]
	list.defs = []definition{{m.one("$(MAKEFILE_LIST)", nil) + " " + name, true}}
	m.depth++
	open, none := m.open, m.none
	m.read(len(m.files)-1, string(text))
	m.open, m.none = open, none
	m.depth--
	return true
}

// goalFile notes a file that make makes anew before it goes on, when a rule is for it.
func (m *makefile) goalFile(name string) { m.remade = append(m.remade, name) }
