package taskfile

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

const (
	hole      = string(shell.Hole) // any text
	star      = "\x01"             // any text without spaces
	maxValues = 16                 // that one text may have
	maxLength = 16 << 10           // of one value
	maxSpent  = 8 << 20            // bytes of all that is expanded
	maxSteps  = 20_000             // of all that is expanded
	maxNested = 40
)

// A scope is what names mean besides the variables of the file.
type scope struct {
	up    *scope
	names []string
	vals  []string
}

func (s *scope) get(name string) (string, bool) {
	for ; s != nil; s = s.up {
		if at := slices.Index(s.names, name); at >= 0 {
			return s.vals[at], true
		}
	}
	return "", false
}

// expand returns the values that a text may have. A value is a text in which
// what is not known is a hole.
func (m *makefile) expand(text string, s *scope) []string {
	if !strings.Contains(text, "$") {
		return []string{text}
	}
	m.steps++
	m.nested++
	defer func() { m.nested-- }()
	if m.nested > maxNested || m.steps > maxSteps || m.spent > maxSpent {
		m.beyond = true
		return []string{hole}
	}
	out := []string{""}
	for {
		before, rest, ok := strings.Cut(text, "$")
		out = cross(out, []string{before})
		for _, one := range out {
			m.spent += len(one)
		}
		if m.spent > maxSpent {
			m.beyond = true
			return []string{hole}
		}
		if !ok || rest == "" {
			return out
		}
		switch rest[0] {
		case '$':
			out, text = cross(out, []string{"$"}), rest[1:]
		case '(', '{':
			end := closing(rest)
			out, text = cross(out, m.reference(rest[1:end], s)), rest[min(end+1, len(rest)):]
		default:
			out, text = cross(out, m.value(rest[:1], s)), rest[1:]
		}
	}
}

// one is the value of a text, a hole when there are several.
func (m *makefile) one(text string, s *scope) string {
	if vals := m.expand(text, s); len(vals) == 1 {
		return vals[0]
	}
	return hole
}

// cross appends each of some values to each of others.
func cross(a, b []string) []string {
	if len(b) == 1 && b[0] == "" {
		return a
	}
	if len(a)*len(b) > maxValues {
		return []string{hole}
	}
	out := make([]string, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			if len(x)+len(y) > maxLength {
				return []string{hole}
			}
			if !slices.Contains(out, x+y) {
				out = append(out, x+y)
			}
		}
	}
	return out
}

// closing is where the bracket closes that a text begins with.
func closing(text string) int {
	open, shut, level := text[0], byte(')'), 0
	if open == '{' {
		shut = '}'
	}
	for i := range len(text) {
		switch text[i] {
		case open:
			level++
		case shut:
			if level--; level == 0 {
				return i
			}
		}
	}
	return len(text)
}

// split cuts a text at commas outside of brackets, into n at most.
func split(text string, n int) []string {
	var out []string
	level, from := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{':
			level++
		case ')', '}':
			level--
		case ',':
			if level == 0 && (n < 0 || len(out) < n-1) {
				out, from = append(out, text[from:i]), i+1
			}
		}
	}
	return append(out, text[from:])
}

// reference returns what $(text) may become.
func (m *makefile) reference(text string, s *scope) []string {
	if name, rest, ok := function(text); ok {
		return m.call(name, rest, s)
	}
	name, subst, ok := strings.Cut(text, ":")
	if from, to, is := strings.Cut(subst, "="); ok && is && !strings.Contains(name, "$") {
		if !strings.Contains(from, "%") {
			from, to = "%"+from, "%"+to
		}
		return m.apply([][]string{m.expand(from, s), m.expand(to, s), m.value(name, s)}, patsubst)
	}
	var out []string
	for _, name := range m.expand(text, s) {
		if !known(name) {
			return []string{hole}
		}
		out = union(out, m.value(name, s))
	}
	return out
}

func union(a, b []string) []string {
	for _, one := range b {
		if !slices.Contains(a, one) {
			a = append(a, one)
		}
	}
	if len(a) > maxValues {
		return []string{hole}
	}
	return a
}

// function cuts the name of a function of make from the text of a reference.
func function(text string) (name, rest string, ok bool) {
	at := strings.IndexAny(text, " \t")
	if at <= 0 || strings.ContainsAny(text[:at], "$:=(){}#") {
		return "", "", false
	}
	name = text[:at]
	for f := range strings.FieldsSeq(functions) {
		if f == name {
			return name, strings.TrimLeft(text[at:], " \t"), true
		}
	}
	return "", "", false
}

const functions = "abspath addprefix addsuffix and basename call dir error eval file filter filter-out findstring firstword flavor foreach guile if info intcmp join lastword let notdir or origin patsubst realpath shell sort strip subst suffix value warning wildcard word wordlist words"

// call returns what a function of make may return.
func (m *makefile) call(name, rest string, s *scope) []string {
	switch name {
	case "shell":
		m.ran++
		cmds := m.expand(rest, s)
		m.texts = append(m.texts, cmds...)
		if len(cmds) == 1 && strings.TrimSpace(cmds[0]) == "pwd" {
			return []string{m.dir}
		}
		return []string{hole}
	case "eval", "guile":
		m.ran++
		m.expand(rest, s)
		m.beyond = true
		m.evals = true
		return []string{""}
	case "file", "error", "info", "warning":
		m.ran++
		m.expand(rest, s)
		if name == "file" {
			return []string{hole}
		}
		return []string{""}
	case "if":
		args := split(rest, 3)
		conds := m.expand(strings.TrimSpace(args[0]), s)
		var out []string
		if slices.ContainsFunc(conds, func(c string) bool { return c != "" }) && len(args) > 1 {
			out = m.expand(args[1], s)
		}
		if slices.ContainsFunc(conds, func(c string) bool { return c == "" || !known(c) }) && len(args) > 2 {
			out = union(out, m.expand(args[2], s))
		}
		return union(out, []string{""}[:b2i(len(out) == 0)])
	case "or", "and":
		out := []string{""}
		for _, a := range split(rest, -1) {
			out = union(out, m.expand(strings.TrimSpace(a), s))
		}
		return out
	case "foreach":
		return m.foreach(rest, s)
	case "call":
		args := split(rest, -1)
		inner := scope{up: s}
		for i, a := range args {
			inner.names = append(inner.names, string(rune('0'+min(i, 10))))
			inner.vals = append(inner.vals, strings.TrimLeft(m.one(a, s), " \t"[:2*b2i(i == 0)]))
		}
		fn := strings.TrimSpace(inner.vals[0])
		if !known(fn) {
			return []string{hole}
		}
		if name, _, ok := function(fn + " "); ok {
			return m.call(name, strings.Join(args[1:], ","), s)
		}
		inner.names[0] = ""
		return m.valueIn(fn, &inner)
	case "wildcard":
		return m.apply([][]string{m.expand(rest, s)}, func(a []string) string { return m.wildcard(a[0]) })
	case "value", "origin", "flavor", "guard", "let", "intcmp":
		m.expand(rest, s)
		return []string{hole}
	}
	f, n := pure(name)
	var args [][]string
	for _, a := range split(rest, n) {
		args = append(args, m.expand(a, s))
	}
	if len(args) < n {
		return []string{hole}
	}
	return m.apply(args, f)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (m *makefile) foreach(rest string, s *scope) []string {
	args := split(rest, 3)
	if len(args) < 3 {
		return []string{hole}
	}
	name := strings.TrimSpace(m.one(args[0], s))
	out := []string{""}
	for _, list := range m.expand(args[1], s) {
		all := []string{""}
		for i, word := range strings.Fields(list) {
			if i > 0 {
				all = cross(all, []string{" "})
			}
			all = cross(all, m.expand(args[2], &scope{up: s, names: []string{name}, vals: []string{word}}))
		}
		out = union(out, all)
	}
	if len(out) == 2 {
		return out[1:]
	}
	return out
}

// apply calls a function for all values of its arguments.
func (m *makefile) apply(args [][]string, f func([]string) string) []string {
	all := [][]string{nil}
	for _, vals := range args {
		if len(all)*len(vals) > maxValues {
			return []string{hole}
		}
		var next [][]string
		for _, a := range all {
			for _, v := range vals {
				next = append(next, append(slices.Clip(a), v))
			}
		}
		all = next
	}
	var out []string
	for _, a := range all {
		out = union(out, []string{f(a)})
	}
	return out
}

// pure is a function of make that only makes text of text, and the number of its
// arguments.
func pure(name string) (func([]string) string, int) {
	switch name {
	case "addprefix":
		return func(a []string) string { return affix(a[0], a[1], "") }, 2
	case "addsuffix":
		return func(a []string) string { return affix("", a[1], a[0]) }, 2
	case "patsubst":
		return patsubst, 3
	case "strip":
		return sureOf(func(a []string) string { return strings.Join(strings.Fields(a[0]), " ") }), 1
	case "subst":
		return sureOf(func(a []string) string {
			if a[0] == "" {
				return hole
			}
			return strings.ReplaceAll(a[2], a[0], a[1])
		}), 3
	case "filter", "filter-out":
		return sureOf(func(a []string) string {
			return eachWord(a[1], func(w string) string {
				fits := false
				for pat := range strings.FieldsSeq(a[0]) {
					_, is := stem(pat, w)
					fits = fits || is
				}
				if fits != (name == "filter") {
					return ""
				}
				return w
			})
		}), 2
	case "sort":
		return sureOf(func(a []string) string {
			list := strings.Fields(a[0])
			slices.Sort(list)
			return strings.Join(slices.Compact(list), " ")
		}), 1
	case "dir", "notdir", "basename", "suffix":
		return sureOf(func(a []string) string { return eachWord(a[0], func(w string) string { return piece(name, w) }) }), 1
	case "firstword", "lastword":
		return sureOf(func(a []string) string {
			list := strings.Fields(a[0])
			if len(list) == 0 {
				return ""
			}
			return list[(len(list)-1)*b2i(name == "lastword")]
		}), 1
	}
	return func([]string) string { return hole }, 1
}

// sureOf is a function of texts that are known.
func sureOf(f func([]string) string) func([]string) string {
	return func(a []string) string {
		for _, one := range a {
			if !known(one) || strings.Contains(one, star) {
				return hole
			}
		}
		return f(a)
	}
}

func eachWord(list string, f func(string) string) string {
	var out []string
	for w := range strings.FieldsSeq(list) {
		if w = f(w); w != "" {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

// affix puts a text before and behind each word. A word that is not known may be
// several, each of which gets it.
func affix(prefix, list, suffix string) string {
	if !known(prefix) || !known(suffix) {
		return hole
	}
	out := eachWord(list, func(w string) string {
		switch {
		case w == hole:
			return prefix + star + suffix
		case !known(w):
			return hole
		}
		return prefix + w + suffix
	})
	return out
}

func patsubst(a []string) string {
	return sureOf(func(a []string) string {
		from, to := strings.TrimSpace(a[0]), strings.TrimSpace(a[1])
		return eachWord(a[2], func(w string) string {
			part, ok := stem(from, w)
			switch {
			case !ok:
				return w
			case !strings.Contains(from, "%"):
				return to
			}
			return strings.Replace(to, "%", part, 1)
		})
	})(a)
}

// stem is what % means in a pattern that a word fits.
func stem(pattern, word string) (string, bool) {
	head, tail, ok := strings.Cut(pattern, "%")
	if !ok {
		return "", pattern == word
	}
	if len(word) < len(head)+len(tail) || !strings.HasPrefix(word, head) || !strings.HasSuffix(word, tail) {
		return "", false
	}
	return word[len(head) : len(word)-len(tail)], true
}

// piece is a part of a name.
func piece(which, name string) string {
	at := strings.LastIndexByte(name, '/') + 1
	dot := strings.LastIndexByte(name, '.')
	switch {
	case which == "dir" && at == 0:
		return "./"
	case which == "dir":
		return name[:at]
	case which == "notdir":
		return name[at:]
	case dot < at:
		return name[:len(name)*b2i(which == "basename")]
	case which == "suffix":
		return name[dot:]
	}
	return name[:dot]
}

// value returns what a variable may be.
func (m *makefile) value(name string, s *scope) []string {
	if val, ok := s.get(name); ok {
		return []string{val}
	}
	return m.valueIn(name, s)
}

func (m *makefile) valueIn(name string, s *scope) []string {
	if v := m.vars[name]; v != nil && len(v.defs) > 0 {
		if v.active {
			return []string{hole} // make refuses what names itself
		}
		v.active = true
		defer func() { v.active = false }()
		var out []string
		for _, d := range v.defs {
			if d.done {
				out = union(out, []string{d.text})
			} else {
				out = union(out, m.expand(d.text, s))
			}
		}
		return out
	}
	switch name {
	case "@", "<", "^", "+", "?", "*", "%", "|":
		return []string{hole}
	case "CURDIR", "PWD":
		return []string{m.dir}
	}
	for i := range m.env {
		if v := &m.env[i]; v.Name == name {
			return []string{v.Value.Text}
		}
	}
	if val, ok := builtinValue(name); ok {
		return m.expand(val, s)
	}
	if len(name) == 2 && strings.ContainsAny(name[:1], "@<^+?*%|") || m.inEnv(name) || inWords(specialNames, name) {
		return []string{hole}
	}
	if m.later {
		return []string{hole} // a recipe may set it
	}
	return []string{""}
}

// builtinValue is the value of a variable that make has by itself.
func builtinValue(name string) (string, bool) {
	switch name {
	case "MAKE", "MAKE_COMMAND":
		return "make", true
	case "SHELL":
		return "/bin/sh", true
	case ".SHELLFLAGS":
		return "-c", true
	case "RM":
		return "rm -f", true
	case "CC":
		return "cc", true
	case "CXX":
		return "g++", true
	case "AR":
		return "ar", true
	case "LD":
		return "ld", true
	case "MAKELEVEL":
		return "0", true
	}
	if inWords(builtinNames, name) {
		return hole, true
	}
	return "", false
}

// wildcard lists the files that patterns name.
func (m *makefile) wildcard(patterns string) string {
	if !known(patterns) || strings.Contains(patterns, star) {
		return hole
	}
	var out []string
	for pat := range strings.FieldsSeq(patterns) {
		list, ok := m.glob(pat)
		if !ok {
			return hole
		}
		out = append(out, list...)
	}
	return strings.Join(out, " ")
}

// glob lists the files that a pattern names, as it names them: only its last
// part may be one.
func (m *makefile) glob(pat string) ([]string, bool) {
	dir, base := filepath.Split(pat)
	if strings.ContainsAny(dir, `*?[\~`) || strings.ContainsAny(base, `\`) {
		return nil, false
	}
	if !strings.ContainsAny(base, "*?[") {
		if isThere(m.look, join(m.dir, pat)) {
			return []string{pat}, true
		}
		return nil, true
	}
	names, err := m.look.Names(join(m.dir, dir))
	if err != nil {
		return nil, missing(err)
	}
	var out []string
	for _, name := range names {
		if ok, err := filepath.Match(base, name); ok && (name[0] != '.' || base[0] == '.') {
			out = append(out, dir+name)
		} else if err != nil {
			return nil, false
		}
	}
	return out, true
}
