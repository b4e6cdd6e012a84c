package taskfile

import (
	"slices"
	"strings"
)

// makeOwn are variables that make has by itself.
var makeOwn = [...]struct{ name, value string }{
	{"MAKE", "make"}, {"RM", "rm -f"}, {"CC", "cc"}, {"CXX", "g++"}, {"CPP", "cc -E"}, {"AR", "ar"}, {"AS", "as"}, {"LD", "ld"},
	{"HOME", "$HOME"}, {"CURDIR", "."}, {"PWD", "."}, {"SHELL", "/bin/sh"}, {"MAKEFLAGS", ""},
}

// expand returns a text with the values of its variables, once for each that it may have.
// t is the target that it is the recipe of; nil = none.
func (m *Makefile) expand(text string, t *making, depth int) []string {
	out := []string{""}
	for {
		before, rest, ok := strings.Cut(text, "$")
		out = cross(out, []string{before})
		if !ok || rest == "" {
			return out
		}
		if m.size += len(out[0]) + 1; m.size > 16*maxExpand {
			m.Truncated = true
			return []string{hole}
		}
		var vals []string
		switch rest[0] {
		case '$':
			vals, text = []string{"$"}, rest[1:]
		case '(', '{':
			end := closing(rest)
			vals, text = m.value(rest[1:end], t, depth+1), rest[min(end+1, len(rest)):]
		default:
			vals, text = m.value(rest[:1], t, depth+1), rest[1:]
		}
		out = cross(out, vals)
	}
}

// cross returns every text with every end. Where these are too many, the end is unknown.
func cross(texts, ends []string) []string {
	if len(texts)*len(ends) > maxValues || len(texts[0])+len(ends[0]) > maxExpand {
		ends = []string{hole}
	}
	var out []string
	for _, text := range texts {
		for _, end := range ends {
			out = append(out, text+end)
		}
	}
	return out
}

// closing returns where the bracket closes that a text begins with.
func closing(text string) int {
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

// value returns the values of $(name).
func (m *Makefile) value(name string, t *making, depth int) []string {
	if val, ok := t.automatic(name); ok {
		return []string{val}
	}
	if depth > maxNesting {
		m.Truncated = true
		return []string{hole}
	}
	if fn, args := cutWord(name); args != "" {
		return m.function(fn, args, t, depth)
	}
	v := m.vars[name]
	if v == nil || len(v.values) == 0 {
		for _, own := range makeOwn {
			if own.name == name {
				return []string{own.value}
			}
		}
		return []string{hole}
	}
	if v.busy { // PATH := bin:$(PATH)
		return []string{hole}
	}
	v.busy = true
	var out []string
	for _, val := range v.values {
		out = append(out, m.expand(val, t, depth)...)
	}
	if v.busy = false; len(out) > maxValues {
		return []string{hole}
	}
	return out
}

// function returns what a function yields. What it runs is noted.
func (m *Makefile) function(fn, args string, t *making, depth int) []string {
	vals := m.expand(args, t, depth)
	var out []string
	for _, val := range vals {
		switch fn {
		case "shell":
			m.run(val)
			out = append(out, "$("+val+")")
		case "eval":
			if known(val) {
				m.Read(val)
			} else {
				m.doubt("make: which rules the text of eval makes")
			}
			out = append(out, "")
		case "info", "warning", "error":
			out = append(out, "")
		case "file":
			name, _, _ := strings.Cut(val, ",")
			if op := strings.TrimSpace(name); strings.HasPrefix(op, ">") {
				m.run("printf x " + op)
			}
			out = append(out, "")
		default:
			return []string{hole}
		}
	}
	return out
}

func (m *Makefile) run(text string) {
	if !slices.Contains(m.Runs, text) {
		m.Runs = append(m.Runs, text)
	}
}

// automatic returns the value of a variable that make sets for each target.
func (t *making) automatic(name string) (string, bool) {
	if len(name) == 2 && (name[1] == 'D' || name[1] == 'F') {
		name = name[:1]
		if _, ok := t.automatic(name); ok {
			return hole, true
		}
		return "", false
	}
	if len(name) != 1 || !strings.Contains("@<^+?*%|", name) {
		return "", false
	}
	if t == nil {
		return hole, true
	}
	needs := t.needs()
	switch name {
	case "@":
		if t.want == hole && len(t.rule.targets) == 1 && !strings.Contains(t.rule.targets[0], "%") {
			return t.rule.targets[0], true
		}
		return t.want, true
	case "<":
		if len(needs) > 0 {
			return needs[0], true
		}
		return hole, true
	case "*":
		return t.stem, true
	}
	return strings.Join(needs, " "), true
}

// cutWord cuts a text behind its first word.
func cutWord(text string) (word, rest string) {
	text = strings.TrimLeft(text, " \t")
	if at := strings.IndexAny(text, " \t"); at >= 0 {
		return text[:at], strings.TrimSpace(text[at:])
	}
	return text, ""
}

// cutOutside cuts a text at the first such character that is neither within $(…) nor
// behind a backslash.
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
