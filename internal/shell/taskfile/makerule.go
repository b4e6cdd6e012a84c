package taskfile

import (
	"slices"
	"strings"
)

// rule takes in a line that is a rule, or that only calls functions.
func (m *makefile) rule(it *item, flat string) {
	it.kind = ruleItem
	head, inline := cutOutside(flat, ';')
	targets, rest := cutOutside(head, ':')
	if targets == head {
		it.kind = otherItem
		for _, val := range m.ranBy(it, flat) {
			m.beyond = m.beyond || strings.TrimSpace(val) != ""
		}
		m.close()
		m.add(*it)
		return
	}
	grouped := strings.HasSuffix(targets, "&")
	if grouped {
		targets = targets[:len(targets)-1]
	}
	rest = strings.TrimPrefix(rest, ":")
	if a, ok := assignment(strings.TrimLeft(rest, " \t"), false); ok {
		m.targetVariable(it, targets, &a, inline != "")
		return
	}
	m.close()
	list := m.ranBy(it, targets)
	needs := m.ranBy(it, rest)
	for _, t := range list {
		for _, n := range needs {
			r := rule{maybe: len(m.ifs) > 0 || len(list)*len(needs) > 1, from: it.file}
			if strings.ContainsAny(t, `:=\();`) && len(list) > 0 {
				t = hole // a name with a colon in it, or the whole of a rule
			}
			r.targets = names(t)
			pattern, more := cutOutside(n, ':')
			if pattern != n {
				r.pattern, n = strings.TrimSpace(pattern), more
				if strings.ContainsAny(r.pattern, `: `) || !known(r.pattern) {
					r.pattern, n = "", hole
				}
			}
			if strings.ContainsAny(n, `:=\();$`) {
				n = hole
			}
			r.needs = names(strings.ReplaceAll(n, "|", " "))
			m.special(&r)
			m.rules = append(m.rules, r)
			it.rules = append(it.rules, len(m.rules)-1)
		}
	}
	m.open = it.rules
	m.add(*it)
}

// targetVariable takes in a variable of a target.
func (m *makefile) targetVariable(it *item, targets string, a *assigned, inline bool) {
	m.close()
	it.specific = true
	m.beyond = m.beyond || strings.Contains(a.name, "$") || inline && strings.Contains(a.value, "$")
	for _, t := range m.ranBy(it, targets) {
		if strings.ContainsAny(t, `:=\();`) {
			t = hole
		}
		m.rules = append(m.rules, rule{targets: names(t), maybe: true, from: it.file})
		it.rules = append(it.rules, len(m.rules)-1)
	}
	v := m.vars[a.name]
	if v == nil {
		v = &variable{defs: []definition{{}}}
		m.vars[a.name] = v
	}
	v.assigned = true
	v.exported = v.exported || a.export
	if a.name == ".RECIPEPREFIX" {
		m.beyond = true
	}
	defs := slices.Clone(v.defs)
	for _, d := range m.define(it, v, a) {
		if !slices.Contains(defs, d) {
			defs = append(defs, d)
		}
	}
	if len(defs) > maxValues {
		defs = []definition{{hole, true}}
	}
	if !v.fixed || a.override {
		v.defs = defs
	}
	m.add(*it)
}

// special takes in what rules with names of their own say.
func (m *makefile) special(r *rule) {
	for _, t := range r.targets {
		switch t {
		case ".SUFFIXES":
			m.suffixes = m.suffixes || len(r.needs) > 0
		case ".EXPORT_ALL_VARIABLES":
			m.export = true
		case ".ONESHELL":
			m.oneShell = true
		}
	}
}

// cutOutside cuts a text at the first such character that is not within $(…) and
// not behind a backslash.
func cutOutside(text string, at byte) (before, after string) {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == '$' && i+1 < len(text) && (text[i+1] == '(' || text[i+1] == '{'):
			i += 1 + closing(text[i+1:])
		case text[i] == at:
			return text[:i], text[i+1:]
		}
	}
	return text, ""
}

// names are the names in a list as make compares them.
func names(list string) []string {
	out := strings.Fields(list)
	for i, name := range out {
		switch {
		case !known(name) || strings.HasPrefix(name, "~"):
			name = hole
		case strings.ContainsAny(name, "*?["):
			name = strings.NewReplacer("*", star, "?", star, "[", star, "]", star).Replace(name)
			if at := strings.IndexByte(name, star[0]); at >= 0 { // from the first to the last
				name = name[:at] + star + name[strings.LastIndexByte(name, star[0])+1:]
			}
		}
		for strings.HasPrefix(name, "./") && len(name) > 2 {
			name = strings.TrimLeft(name[2:], "/")
		}
		out[i] = name
	}
	return out
}

// An instance is a target that a rule makes.
type instance struct {
	rule       int
	want, stem string
}

// maxWants bounds the targets that one call may lead to.
const maxWants = 2000

// wants finds the rules that make the targets, with all that these need.
func (m *makefile) wants(goals []string) []instance {
	w := wanting{seen: map[string]bool{}}
	for i := range m.rules {
		if slices.ContainsFunc(m.rules[i].targets, m.always) {
			w.out = append(w.out, instance{i, star, star})
			w.always = append(w.always, i)
		}
	}
	for _, goal := range goals {
		w.want(goal, false)
	}
	for n := 0; n < len(w.queue) && !m.wide; n++ {
		want := w.queue[n]
		m.wide = want.name == hole || len(w.queue) > maxWants
		for i := range m.rules {
			r := &m.rules[i]
			part, ok := m.fits(r, want.name)
			if !ok {
				continue
			}
			w.out = append(w.out, instance{i, want.name, part})
			for _, need := range r.needs {
				w.want(r.need(need, want.name, part), false)
			}
		}
		if want.chained {
			continue
		}
		// make's own rules lead from a name to others with a suffix, for which
		// the file may have rules.
		for _, i := range w.always {
			for _, need := range m.rules[i].needs {
				w.want(strings.Replace(need, "%", want.name, 1), strings.Contains(need, "%"))
			}
		}
	}
	m.wanted = w.seen
	return w.out
}

// A wanting is the search for what a call makes.
type wanting struct {
	queue  []wanted
	seen   map[string]bool // by name: whether it was only chained
	out    []instance
	always []int
}

type wanted struct {
	name    string
	chained bool // a name that make's own rules led to
}

func (w *wanting) want(name string, chained bool) {
	if old, ok := w.seen[name]; !ok || old && !chained {
		w.seen[name] = chained
		w.queue = append(w.queue, wanted{name, chained})
	}
}

// fits reports whether a rule may make a target, and what % is then.
func (m *makefile) fits(r *rule, want string) (string, bool) {
	for _, t := range r.targets {
		if t == hole {
			return star, true
		}
		if r.pattern != "" {
			if part, ok := matches(t, want); ok && part == "" || m.vpath && lastName(t) == lastName(want) {
				part, _ := stem(r.pattern, t)
				return part, true
			}
			continue
		}
		if part, ok := matches(t, want); ok {
			return part, true
		}
		if m.vpath && lastName(t) == lastName(want) {
			return "", true
		}
	}
	return "", false
}

// always reports whether a rule may count for any target: one of suffixes, the
// last resort, and patterns that make's own rules lead to.
func (m *makefile) always(t string) bool {
	if t == ".DEFAULT" || t == "%" {
		return true
	}
	if head, tail, ok := strings.Cut(t, "%"); ok && head == "" {
		return inWords(suffixes, tail) && (!inWords(lastSuffixes, tail) || m.makesOf(tail))
	}
	if !strings.HasPrefix(t, ".") || strings.Contains(t, "/") || inWords(specialTargets, t) {
		return false
	}
	for part := range strings.SplitSeq(t[1:], ".") { // .c.o
		if !m.suffixes && !inWords(suffixes, "."+part) {
			return false
		}
	}
	return true
}

// makesOf reports whether a rule of suffixes makes something of files that end so.
func (m *makefile) makesOf(suffix string) bool {
	return slices.ContainsFunc(m.rules, func(r rule) bool {
		return slices.ContainsFunc(r.targets, func(t string) bool { return t == suffix || strings.HasPrefix(t, suffix+".") })
	})
}

// matches reports whether a target of a rule, which may be a pattern, may be the
// one that is wanted, which may be known in part only.
func matches(t, want string) (string, bool) {
	if head, tail, ok := strings.Cut(want, star); ok {
		if i := strings.LastIndex(tail, star); i >= 0 {
			tail = tail[i+len(star):]
		}
		from, to, isPattern := strings.Cut(strings.ReplaceAll(t, star, "%"), "%")
		if !isPattern {
			return "", strings.HasPrefix(t, head) && strings.HasSuffix(t, tail)
		}
		if i := strings.LastIndex(to, "%"); i >= 0 {
			to = to[i+1:]
		}
		return star, (strings.HasPrefix(from, head) || strings.HasPrefix(head, from) || !strings.Contains(t, "/")) && (strings.HasSuffix(to, tail) || strings.HasSuffix(tail, to))
	}
	if t == want {
		return "", true
	}
	if strings.Contains(t, star) {
		_, ok := matches(want, t) // the same question from the other side
		return "", ok
	}
	if !strings.Contains(t, "%") {
		return "", false
	}
	if part, ok := stem(t, want); ok {
		return part, true
	}
	if !strings.Contains(t, "/") {
		if part, ok := stem(t, lastName(want)); ok {
			return part, true
		}
	}
	return "", false
}

// need is a prerequisite of a rule for one target.
func (r *rule) need(need, want, part string) string {
	if !strings.Contains(need, "%") || part == "" && r.pattern == "" {
		return need
	}
	got := strings.Replace(need, "%", part, 1)
	dir := want[:len(want)-len(lastName(want))]
	if r.pattern == "" && dir != "" && len(r.targets) > 0 && !strings.Contains(part, "/") && !strings.Contains(want, star) && !strings.HasPrefix(got, "/") {
		if _, whole := stem(r.targets[0], want); !whole {
			got = dir + got
		}
	}
	if got == star {
		return hole
	}
	return got
}

func lastName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

func inWords(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}

const suffixes = ".out .a .ln .o .c .cc .C .cpp .p .f .F .m .r .y .l .ym .yl .s .S .mod .sym .def .h .info .dvi .tex .texinfo .texi .txinfo .w .ch .web .sh .elc .el"

// lastSuffixes are those of files of which no rule of make's own makes another.
const lastSuffixes = ".out .a .ln .sym .h .info .dvi .yl .elc .el"

const specialTargets = ".PHONY .SUFFIXES .DEFAULT .PRECIOUS .INTERMEDIATE .NOTINTERMEDIATE .SECONDARY .SECONDEXPANSION .DELETE_ON_ERROR .IGNORE .LOW_RESOLUTION_TIME .SILENT .EXPORT_ALL_VARIABLES .NOTPARALLEL .ONESHELL .POSIX .WAIT"

// specialNames are variables that change how make runs, or come from it.
const specialNames = "SHELL .SHELLFLAGS MAKEFLAGS MFLAGS GNUMAKEFLAGS MAKE MAKE_COMMAND MAKEFILES MAKEOVERRIDES MAKELEVEL .DEFAULT_GOAL .RECIPEPREFIX VPATH GPATH .INCLUDE_DIRS .LIBPATTERNS .FEATURES .VARIABLES .LOADED SUFFIXES OUTPUT_OPTION COMSPEC MAKESHELL"

// builtinNames are the variables of make's own rules.
const builtinNames = "AR ARFLAGS AS ASFLAGS CC CFLAGS CO COFLAGS COMPILE.C COMPILE.F COMPILE.S COMPILE.c COMPILE.cc COMPILE.cpp COMPILE.def COMPILE.f COMPILE.m COMPILE.mod COMPILE.p COMPILE.r COMPILE.s CPP CPPFLAGS CTANGLE CWEAVE CXX CXXFLAGS DEFFLAGS F77 F77FLAGS FC FFLAGS GET GFLAGS LD LDFLAGS LDLIBS LOADLIBES LEX LEX.l LEX.m LFLAGS LINK.C LINK.F LINK.S LINK.c LINK.cc LINK.cpp LINK.f LINK.m LINK.o LINK.p LINK.r LINK.s LINT LINT.c LINTFLAGS M2C M2FLAGS MAKEINFO MODFLAGS OBJC OBJCFLAGS PC PFLAGS PREPROCESS.F PREPROCESS.S PREPROCESS.r RFLAGS RM TANGLE TARGET_ARCH TARGET_MACH TEX TEXI2DVI WEAVE YACC YACC.m YACC.y YFLAGS"
