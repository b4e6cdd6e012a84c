package taskfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// A makeCall is what the words of a call of make say.
type makeCall struct {
	goals  []string
	files  []string // -f
	evals  []string
	unsure []string
	help   bool
}

// readMake reads what a call of make runs.
func readMake(r *reading) bool {
	m := makefile{look: r.look, dir: r.dir, env: r.call.Env, vars: map[string]*variable{"MAKEFILE_LIST": {defs: []definition{{"", true}}}}}
	c := m.words(r.call.Args)
	if c.help {
		return true
	}
	r.dir = m.dir
	for _, why := range c.unsure {
		r.unsure(why)
	}
	m.vars["MAKECMDGOALS"] = &variable{defs: []definition{{strings.Join(c.goals, " "), true}}}
	m.readAll(r, &c)
	p := makePart{makefile: &m, call: &c}
	p.run(r)
	for _, why := range m.unsure {
		r.unsure(why)
	}
	return true
}

// words reads the words of a call.
func (m *makefile) words(args []shell.Word) makeCall {
	var c makeCall
	for i := 0; i < len(args); i++ {
		a := args[i].Text
		next := func() string {
			if i+1 < len(args) {
				i++
				return args[i].Text
			}
			return ""
		}
		if a == "" {
			continue
		}
		if !args[i].Known() && a[0] != '-' && !strings.Contains(a, "=") || args[i].Glob {
			c.goals = append(c.goals, hole)
			c.unsure = append(c.unsure, "make: which targets it is told to make")
			continue
		}
		switch {
		case a == "--":
		case strings.HasPrefix(a, "--"):
			m.long(&c, a[2:], next)
		case a[0] == '-' && len(a) > 1:
			m.short(&c, a[1:], next)
		default:
			if name, op, val, ok := definitionOf(a); ok {
				m.given(name, op, val)
				continue
			}
			c.goals = append(c.goals, names(a)...)
		}
	}
	return c
}

// given takes in a variable of the call, which no file changes.
func (m *makefile) given(name, op, val string) {
	v := &variable{fixed: true, exported: true, defs: []definition{{val, false}}}
	if op == "!=" {
		m.texts = append(m.texts, val)
		v.defs[0] = definition{hole, true}
	}
	m.vars[name] = v
}

func (m *makefile) long(c *makeCall, opt string, next func() string) {
	name, val, has := strings.Cut(opt, "=")
	get := func() string {
		if has {
			return val
		}
		return next()
	}
	switch fullOption(name) {
	case "file", "makefile":
		c.files = append(c.files, get())
	case "directory":
		m.enter(c, get())
	case "include-dir":
		m.from = append(m.from, get())
	case "eval":
		c.evals = append(c.evals, get())
	case "old-file", "assume-old", "what-if", "new-file", "assume-new":
		get()
	case "help", "version":
		c.help = true
	}
}

// fullOption is the long option that a beginning stands for.
func fullOption(name string) string {
	const options = "file makefile directory include-dir eval old-file assume-old what-if new-file assume-new help version"
	if inWords(options, name) {
		return name
	}
	for one := range strings.FieldsSeq(options) {
		if name != "" && strings.HasPrefix(one, name) {
			return one
		}
	}
	return name
}

func (m *makefile) short(c *makeCall, letters string, next func() string) {
	for i := 0; i < len(letters); i++ {
		rest := letters[i+1:]
		get := func() string {
			if rest != "" {
				return rest
			}
			return next()
		}
		switch letters[i] {
		case 'f':
			c.files = append(c.files, get())
			return
		case 'C':
			m.enter(c, get())
			return
		case 'I':
			m.from = append(m.from, get())
			return
		case 'E':
			c.evals = append(c.evals, get())
			return
		case 'o', 'W':
			get()
			return
		case 'j', 'l', 'O', 'd':
			if rest != "" {
				return
			}
		case 'h', 'v':
			c.help = true
		}
	}
}

func (m *makefile) enter(c *makeCall, dir string) {
	if !known(dir) {
		c.unsure = append(c.unsure, "make: which directory it runs in")
		return
	}
	m.dir = join(m.dir, dir)
}

// readAll reads the files that make reads.
func (m *makefile) readAll(r *reading, c *makeCall) {
	m.ahead = true
	for i := range m.env {
		if m.env[i].Name == "MAKEFILES" {
			m.includes(m.env[i].Value.Text)
		}
	}
	if v := m.vars["MAKEFILES"]; v != nil {
		m.includes(m.one("$(MAKEFILES)", nil))
	}
	m.ahead = false
	for _, text := range c.evals {
		m.files = append(m.files, makeText{})
		m.read(len(m.files)-1, text)
	}
	for _, name := range c.files {
		switch {
		case name == "-" || strings.HasPrefix(name, "/dev/"):
			if text, ok := r.input(); ok && name == "-" {
				m.files = append(m.files, makeText{})
				m.read(len(m.files)-1, text)
				continue
			}
			m.unsure = append(m.unsure, "make reads a makefile that flows into it")
			m.beyond = true
		case !known(name):
			m.unsure = append(m.unsure, "make: which makefile it reads")
			m.beyond = true
		default:
			m.readFile(name, false)
		}
	}
	if len(c.files) > 0 {
		return
	}
	for name := range strings.FieldsSeq(r.row.files) {
		if m.readFile(name, false) {
			return
		}
	}
}

func (m *makefile) includes(list string) {
	m.include(strings.ReplaceAll(list, "$", "$$"))
}

// inEnv reports whether a variable is one of the environment: make hands it on
// with the value that a file gives it.
func (m *makefile) inEnv(name string) bool {
	if inWords(environment, name) || slices.ContainsFunc(m.env, func(v shell.Variable) bool { return v.Name == name }) {
		return true
	}
	_, ok := os.LookupEnv(name)
	return ok
}

// environment are variables that mostly are in the environment and that change
// what programs run: they count whether they are there now or not.
const environment = "PATH HOME USER LOGNAME LANG LC_ALL TERM TMPDIR EDITOR VISUAL PAGER IFS ENV BASH_ENV PS4 CDPATH LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH PYTHONPATH PYTHONSTARTUP PYTHONHOME VIRTUAL_ENV NODE_OPTIONS NODE_PATH RUBYOPT RUBYLIB PERL5OPT PERL5LIB GOFLAGS GOPATH GOROOT GOTOOLCHAIN CARGO_HOME RUSTC_WRAPPER RUSTFLAGS JAVA_TOOL_OPTIONS JAVA_HOME GIT_SSH GIT_SSH_COMMAND GIT_EDITOR GIT_PAGER GIT_DIR GIT_CONFIG_GLOBAL GIT_CONFIG_COUNT GIT_EXEC_PATH SSH_ASKPASS GIT_ASKPASS XDG_CONFIG_HOME CI DEBUG"

// A makePart finds the part of what was read that runs.
type makePart struct {
	*makefile
	call   *makeCall
	needed []bool // of rules
	kept   []bool // of items
	names  map[string]bool
	queue  []string // names that were not followed
	all    bool     // every variable counts
}

func (p *makePart) run(r *reading) {
	goals := p.call.goals
	if len(goals) == 0 {
		goals = p.defaults()
	}
	list := p.wants(append(slices.Clone(goals), names(strings.Join(p.remade, " "))...))
	p.needed = make([]bool, len(p.rules))
	for _, in := range list {
		p.needed[in.rule] = true
	}
	if p.wide || p.beyond {
		for i := range p.needed {
			p.needed[i] = true
		}
		list = nil
		for i := range p.rules {
			list = append(list, instance{i, hole, hole})
		}
	}
	p.sources(r, list)
	p.recipes(r, list)
	if p.evals {
		r.unsure("make: which rules the text of eval makes")
	}
	if p.beyond { // also by a recipe
		for _, f := range p.files {
			if f.path != "" {
				r.whole(f.path)
			}
		}
		return
	}
	p.keep()
	p.render(r)
}

// defaults are the goals of a call that names none.
func (p *makePart) defaults() []string {
	if v := p.vars[".DEFAULT_GOAL"]; v != nil {
		var out []string
		for _, d := range v.defs {
			vals := []string{d.text}
			if !d.done {
				vals = p.expand(d.text, nil)
			}
			for _, val := range vals {
				out = append(out, names(val)...)
			}
		}
		if !slices.Contains(v.defs, definition{}) && len(out) > 0 {
			return out
		}
		return append(out, p.first()...)
	}
	return p.first()
}

// first is the first target, and those of conditionals before it.
func (p *makePart) first() []string {
	var out []string
	for i := range p.items {
		it := &p.items[i]
		if it.kind != ruleItem || it.ahead || it.specific {
			continue
		}
		for _, n := range it.rules {
			r := &p.rules[n]
			for _, t := range r.targets {
				if t == "" || t[0] == '.' && !strings.Contains(t, "/") || strings.Contains(t, "%") {
					continue
				}
				out = append(out, t)
				if !r.maybe && !strings.Contains(t, star) {
					return out
				}
				break
			}
		}
	}
	return out
}

// recipes adds the texts that run.
func (p *makePart) recipes(r *reading, list []instance) {
	owned := make([][]int, len(p.rules)) // items by rule
	for i := range p.items {
		if it := &p.items[i]; it.kind == recipeItem || it.kind == ruleItem {
			for _, n := range it.rules {
				owned[n] = append(owned[n], i)
			}
		}
	}
	var lines []string
	for _, in := range list {
		s := p.automatic(in)
		var block []string
		for _, i := range owned[in.rule] {
			text := strings.TrimPrefix(p.items[i].text, "\t")
			if p.items[i].kind == ruleItem {
				if p.items[i].specific {
					continue
				}
				if _, text = cutOutside(p.items[i].text, ';'); text == "" {
					continue
				}
			}
			text = strings.ReplaceAll(text, "\\\n\t", "\\\n")
			for _, val := range p.expand(text, s) {
				val = strings.ReplaceAll(val, star, hole)
				if p.oneShell && len(block) > 0 {
					block[0] += "\n" + bare(val)
				} else {
					block = append(block, bare(val))
				}
			}
		}
		lines = append(lines, block...)
	}
	env := p.exported()
	add := func(text string) { r.text(Text{Text: text, Dir: p.dir, Env: env}) }
	for _, text := range p.texts {
		add(strings.ReplaceAll(text, star, hole))
	}
	sh, flags := p.one("$(SHELL)", nil), p.one("$(.SHELLFLAGS)", nil)
	plain := facts.TongueOf(lastName(sh)).Posix() && strings.Trim(flags, "-abcdefghijklmnopqrstuvwxyz ") == ""
	if v := p.vars["SHELL"]; v != nil && plain && !strings.HasPrefix(sh, "/") {
		add(sh + " -c :")
	}
	// What $(shell) printed is not known, so it is asked for where it stands: what becomes
	// a command that way counts as such.
	if printed := "$(" + strings.ReplaceAll(strings.Join(p.texts, "\n"), star, hole) + "\n)"; plain && len(p.texts) > 0 {
		for _, line := range lines {
			if strings.Contains(line, hole) {
				add(strings.ReplaceAll(line, hole, printed))
			}
		}
	}
	for _, line := range lines {
		switch {
		case strings.TrimSpace(line) == "":
		case plain:
			add(line)
		default:
			add(sh + " " + flags + " " + quote(line))
		}
	}
}

// bare is a line of a recipe as the shell gets it.
func bare(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.TrimLeft(line, "@-+ \t"))
	}
	return b.String()
}

// automatic are the variables that a rule has for one target.
func (p *makePart) automatic(in instance) *scope {
	r := &p.rules[in.rule]
	want := in.want
	if want == hole || strings.Contains(want, star) {
		want = hole
		if len(r.targets) == 1 && !strings.Contains(r.targets[0], "%") {
			want = r.targets[0]
		}
	}
	var needs []string
	for _, n := range r.needs {
		needs = append(needs, r.need(n, in.want, in.stem))
	}
	all, first := strings.Join(needs, " "), ""
	if len(needs) > 0 {
		first = needs[0]
	} else if p.elsewhere(in) {
		all, first = hole, hole
	}
	return &scope{names: []string{"@", "<", "^", "+", "*"}, vals: []string{want, first, all, all, in.stem}}
}

// elsewhere reports whether another rule gives a target of a rule more to need.
func (p *makePart) elsewhere(in instance) bool {
	for i := range p.rules {
		if i != in.rule && len(p.rules[i].needs) > 0 && slices.Contains(p.rules[i].targets, in.want) {
			return true
		}
	}
	return false
}

// exported are the variables that recipes get.
func (p *makePart) exported() []shell.Variable {
	var out []shell.Variable
	for name, v := range p.vars {
		if v.assigned && (v.exported || p.export || p.inEnv(name)) && !inWords(specialNames, name) {
			out = append(out, shell.Variable{Name: name, Value: shell.Word{Text: strings.ReplaceAll(p.one("$("+name+")", nil), star, hole)}})
		}
	}
	slices.SortFunc(out, func(a, b shell.Variable) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// keep marks the items that count: first those that run, then the variables that
// these name, and so on.
func (p *makePart) keep() {
	p.kept, p.names = make([]bool, len(p.items)), map[string]bool{}
	byName := map[string][]int{}
	for i := range p.items {
		if it := &p.items[i]; it.kind == assignItem {
			byName[it.name] = append(byName[it.name], i)
		}
	}
	p.all = p.export
	p.need(specialNames)
	p.need(builtinNames)
	for name, v := range p.vars {
		if v.exported || p.inEnv(name) {
			p.name(name)
		}
	}
	for i := range p.items {
		it := &p.items[i]
		keep := it.ran || it.kind == otherItem
		for _, n := range it.rules {
			keep = keep || p.needed[n] || slices.ContainsFunc(p.rules[n].targets, func(t string) bool { return inWords(specialTargets, t) })
		}
		if keep {
			p.take(i)
		}
		if keep && it.kind == recipeItem && len(it.rules) > 1 {
			p.owners(it.rules)
		}
	}
	for n := 0; n < len(p.queue); n++ {
		for _, i := range byName[p.queue[n]] {
			p.take(i)
		}
	}
	for i := range p.items {
		if p.all && p.items[i].kind == assignItem {
			p.take(i)
		}
	}
}

// owners keeps the lines of the rules that a recipe line may belong to: whose it is
// decides what runs.
func (p *makePart) owners(rules []int) {
	for i := range p.items {
		if it := &p.items[i]; it.kind == ruleItem && slices.ContainsFunc(it.rules, func(n int) bool { return slices.Contains(rules, n) }) {
			p.take(i)
		}
	}
}

func (p *makePart) need(list string) {
	for name := range strings.FieldsSeq(list) {
		p.name(name)
	}
}

func (p *makePart) name(name string) {
	if !p.names[name] {
		p.names[name] = true
		p.queue = append(p.queue, name)
	}
}

// take keeps an item, with the conditionals that it lies in.
func (p *makePart) take(i int) {
	if p.kept[i] {
		return
	}
	p.kept[i] = true
	it := &p.items[i]
	p.references(it.text)
	groups := it.groups
	if it.group > 0 {
		groups = append(slices.Clip(groups), it.group)
	}
	for n := 0; n < len(p.items) && len(groups) > 0; n++ {
		if g := p.items[n].group; g > 0 && !p.kept[n] && slices.Contains(groups, g) {
			p.kept[n] = true
			p.references(p.items[n].text)
		}
	}
}

// references notes the variables that a text names.
func (p *makePart) references(text string) {
	if word, rest := token(strings.TrimLeft(text, " \t")); word == "ifdef" || word == "ifndef" || word == "else" || word == "export" || word == "undefine" {
		for name := range strings.FieldsSeq(rest) {
			p.name(name)
		}
	}
	for {
		_, rest, ok := strings.Cut(text, "$")
		if !ok || rest == "" {
			return
		}
		text = rest[1:]
		switch rest[0] {
		case '$':
			// A variable of the shell may be one that is handed on.
			end := strings.IndexFunc(strings.TrimLeft(text, "{("), func(r rune) bool {
				return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
			})
			if end > 0 {
				p.name(strings.TrimLeft(text, "{(")[:end])
			}
		case '(', '{':
			p.reference(rest[1:closing(rest)])
		default:
			p.name(rest[:1])
		}
	}
}

// reference notes the variables that $(text) names. What is within it is read by
// references, which goes on behind the bracket.
func (p *makePart) reference(text string) {
	if name, rest, ok := function(text); ok {
		switch name {
		case "call", "value", "origin", "flavor":
			first, _, _ := strings.Cut(rest, ",")
			if first = strings.TrimSpace(first); strings.Contains(first, "$") {
				p.all = true
			}
			p.name(first)
		}
		return
	}
	name, _, _ := strings.Cut(text, ":")
	if strings.Contains(name, "$") {
		p.all = true
		return
	}
	p.name(name)
}

// render adds a part for each file of which something counts.
func (p *makePart) render(r *reading) {
	name := "default target"
	switch len(p.call.goals) {
	case 0:
	case 1:
		name = "target " + p.call.goals[0]
	default:
		name = "targets " + strings.Join(p.call.goals, " ")
	}
	for n, f := range p.files {
		if f.path == "" || slices.ContainsFunc(p.files[:n], func(o makeText) bool { return o.path == f.path }) {
			continue
		}
		var b bytes.Buffer
		for i := range p.items {
			it := &p.items[i]
			if !p.kept[i] || p.files[it.file].path != f.path {
				continue
			}
			if text := p.shown(it); text != "" {
				b.WriteString(text)
				b.WriteByte('\n')
			}
		}
		if b.Len() > 0 {
			r.part(f.path, name, b.Bytes())
		}
	}
}

// made reports whether a name may be made, or needed.
func (p *makePart) made(name string) bool {
	if _, ok := p.wanted[name]; ok || strings.ContainsAny(name, "%"+star+hole) {
		return true
	}
	for want := range p.wanted {
		if _, ok := matches(name, want); ok {
			return true
		}
	}
	return false
}

// shown is an item as it counts: of a list of targets, those that are made.
func (p *makePart) shown(it *item) string {
	if it.kind != ruleItem || it.ran || len(it.rules) != 1 {
		return it.text
	}
	r := &p.rules[it.rules[0]]
	if len(r.targets) != 1 || len(r.needs) == 0 || p.wide || strings.Contains(it.text, "$") ||
		!inWords(".PHONY .SILENT .IGNORE .PRECIOUS .INTERMEDIATE .NOTINTERMEDIATE .SECONDARY .NOTPARALLEL", r.targets[0]) {
		return it.text
	}
	var names []string
	for _, n := range r.needs {
		if p.made(n) {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return r.targets[0] + ": " + strings.Join(names, " ")
}
