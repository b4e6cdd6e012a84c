package taskfile

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// Limits of what is read of one Makefile with its includes.
const (
	maxRules   = 500
	maxValues  = 8 // that one variable may have
	maxExpand  = 64 << 10
	maxNesting = 16
)

const hole = string(shell.Placeholder)

// A makeVar is a variable with the values that it may have, unexpanded.
type makeVar struct {
	values []string
	fixed  bool // the call sets it, so no line of a file does
	busy   bool // it is being expanded
}

// A makeRule is one rule.
type makeRule struct{ targets, needs, lines []string }

// set gives a variable a value of the call's. One that is fixed is changed by no file.
func (c *makeCall) set(name, value string, fixed bool) {
	c.vars[name] = &makeVar{values: []string{value}, fixed: fixed}
	c.exports = append(c.exports, name)
}

// read takes in the text of a Makefile.
func (c *makeCall) read(text string) {
	if c.nesting++; c.nesting > maxNesting {
		return
	}
	defer func() { c.nesting-- }()
	c.open = false
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 0; i < len(lines) && len(c.rules) <= maxRules; i++ {
		line := lines[i]
		recipe := c.open && strings.HasPrefix(line, "\t")
		for strings.HasSuffix(line, `\`) && i+1 < len(lines) {
			i++
			if recipe {
				line += "\n" + strings.TrimPrefix(lines[i], "\t")
			} else {
				line = strings.TrimRight(line[:len(line)-1], " \t") + " " + strings.TrimLeft(lines[i], " \t")
			}
		}
		if recipe {
			last := &c.rules[len(c.rules)-1]
			last.lines = append(last.lines, line[1:])
			continue
		}
		if at := strings.IndexByte(line, '#'); at >= 0 && (at == 0 || line[at-1] != '\\') {
			line = line[:at]
		}
		line = strings.TrimSpace(line)
		for strings.HasPrefix(line, "define ") && i+1 < len(lines) && strings.TrimSpace(lines[i]) != "endef" {
			i++
		}
		c.line(line)
	}
	c.open = false
}

// line reads a line that is no part of a recipe.
func (c *makeCall) line(line string) {
	word, rest := cutWord(line)
	switch word {
	case "", "vpath", "undefine", "unexport":
		return
	case "ifeq", "ifneq", "ifdef", "ifndef", "else", "endif":
		c.expand(rest, "", 0, 0) // all branches count
		return
	case "include", "-include", "sinclude":
		c.include(c.expand(rest, "", 0, 0))
		return
	case "load", "-load", "define":
		c.unsure("make: what " + plain(line) + " makes")
		return
	case "override", "private", "export":
		name, _, _, defines := definition(rest)
		if word == "export" {
			c.exports = append(append(c.exports, name), strings.Fields(rest)...)
		}
		if defines {
			c.line(rest)
		}
		return
	}
	c.open = false
	if name, op, value, ok := definition(line); ok {
		c.define(name, op, value)
		return
	}
	c.rule(line)
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
func (c *makeCall) define(name, op, value string) {
	if strings.Contains(name, "$") {
		c.unsure("make: which variables it sets")
	}
	if name == ".RECIPEPREFIX" {
		c.unsure("make: which lines of the file are recipes")
	}
	v := c.vars[name]
	if v == nil {
		v = &makeVar{}
		c.vars[name] = v
	}
	switch {
	case v.fixed || op == "?=" && len(v.values) > 0:
		return
	case op == "!=":
		value = "$(shell " + value + ")"
		c.expand(value, "", 0, 0)
	case op == ":=":
		c.expand(value, "", 0, 0) // what it runs is run now
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
	c.widest = max(c.widest, len(v.values))
}

// rule reads a rule, or a line that only calls functions.
func (c *makeCall) rule(line string) {
	head, inline := cutOutside(line, ';')
	targets, rest := cutOutside(head, ':')
	if targets == head {
		if strings.TrimSpace(c.expand(line, "", 0, 0)) != "" {
			c.unsure("make: which rules " + plain(line) + " makes")
		}
		return
	}
	rest = strings.TrimPrefix(rest, ":")
	if name, op, value, ok := definition(strings.TrimSpace(rest)); ok { // of the target alone
		c.define(name, strings.TrimPrefix(op, "?"), value)
		return
	}
	if _, needs := cutOutside(rest, ':'); needs != "" { // behind the pattern of a static pattern rule
		rest = needs
	}
	var r makeRule
	for pick := range c.widest {
		r.targets = append(r.targets, c.names(strings.TrimSuffix(targets, "&"), pick)...)
		r.needs = append(r.needs, c.names(strings.ReplaceAll(rest, "|", " "), pick)...)
	}
	if inline != "" {
		r.lines = append(r.lines, inline)
	}
	c.oneShell = c.oneShell || slices.Contains(r.targets, ".ONESHELL")
	c.rules = append(c.rules, r)
	c.open = true
}

// names returns the names in a list of targets.
func (c *makeCall) names(list string, pick int) []string {
	var out []string
	for name := range strings.FieldsSeq(c.expand(list, "", pick, 0)) {
		if name = strings.TrimPrefix(name, "./"); !known(name) || strings.ContainsAny(name, "$`") || name == "" {
			name = hole
		}
		out = append(out, name)
	}
	return out
}

// commands returns the lines that run for the goals and for all that these need, for the
// first target when there is no goal.
func (c *makeCall) commands() []string {
	queue := slices.Clone(c.goals)
	if len(queue) == 0 {
		queue = c.first()
	}
	var out []string
	for n := 0; n < len(queue) && n <= 4*maxRules; n++ {
		if queue[n] == hole {
			c.unsure("make: which targets it makes")
		}
		ruled := false
		for i := range c.rules {
			stem, fits := c.rules[i].fit(queue[n])
			if !fits && (queue[n] != hole || n >= len(c.goals)) {
				continue
			}
			ruled = true
			out = append(out, c.recipe(&c.rules[i], queue[n])...)
			for _, need := range c.rules[i].needs {
				if need = strings.Replace(need, "%", stem, 1); !slices.Contains(queue, need) {
					queue = append(queue, need)
				}
			}
		}
		if !ruled {
			c.implicit(queue[n])
		}
	}
	return out
}

// implicit adds the script from which make makes a file by a rule of its own.
func (c *makeCall) implicit(name string) {
	if known(name) && c.wholeIf(c.at(name)+".sh") {
		c.unsure("make may make " + name + " from " + name + ".sh")
	}
}

// first returns the goals of a call without any.
func (c *makeCall) first() []string {
	if c.vars[".DEFAULT_GOAL"] != nil {
		return c.names("$(.DEFAULT_GOAL)", 0)
	}
	for i := range c.rules {
		for _, t := range c.rules[i].targets {
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
		case t == want && want != hole:
			return hole, true
		case pattern && len(want) > len(head)+len(tail) && strings.HasPrefix(want, head) && strings.HasSuffix(want, tail):
			return want[len(head) : len(want)-len(tail)], true
		}
	}
	return "", false
}

// recipe returns the lines that make a target.
func (c *makeCall) recipe(r *makeRule, want string) []string {
	var out []string
	for pick := range c.widest {
		var lines []string
		for _, line := range r.lines {
			line = c.expand(line, want, pick, 0)
			lines = append(lines, strings.TrimLeft(line, "@-+ \t"))
		}
		if c.oneShell {
			lines = []string{strings.Join(lines, "\n")}
		}
		for _, line := range lines {
			if !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
	}
	return out
}

// makeOwn returns the value of a variable that make has by itself.
func makeOwn(name string) (value string, ok bool) {
	switch name {
	case "MAKE":
		return "make", true
	case "RM":
		return "rm -f", true
	case "CC":
		return "cc", true
	case "CXX":
		return "g++", true
	case "CPP":
		return "cc -E", true
	case "AR", "AS", "LD":
		return strings.ToLower(name), true
	case "HOME":
		return "$HOME", true
	case "CURDIR", "PWD":
		return ".", true
	case "SHELL":
		return "/bin/sh", true
	case ".SHELLFLAGS":
		return "-c", true
	case "MAKEFLAGS":
		return "", true
	}
	return "", false
}

// expand returns a text with the values of its variables: of several, the one of number
// pick. want is the target that it is the recipe of; "" = none.
func (c *makeCall) expand(text, want string, pick, depth int) string {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "$")
		out.WriteString(before)
		if c.size += len(before) + 1; c.size > 16*maxExpand || depth > maxNesting {
			return hole
		}
		if !ok || rest == "" {
			return out.String()
		}
		switch rest[0] {
		case '$':
			out.WriteByte('$')
			text = rest[1:]
		case '(', '{':
			end := closing(rest)
			out.WriteString(c.value(rest[1:end], want, pick, depth+1))
			text = rest[min(end+1, len(rest)):]
		default:
			out.WriteString(c.value(rest[:1], want, pick, depth+1))
			text = rest[1:]
		}
	}
}

// value returns the value of $(name).
func (c *makeCall) value(name, want string, pick, depth int) string {
	if fn, args := cutWord(name); args != "" {
		return c.function(fn, args, want, pick, depth)
	}
	if name == "@" && want != "" {
		return want
	}
	v := c.vars[name]
	if v == nil || len(v.values) == 0 {
		if own, ok := makeOwn(name); ok {
			return own
		}
		return hole
	}
	if v.busy { // PATH := bin:$(PATH)
		return hole
	}
	v.busy = true
	defer func() { v.busy = false }()
	return c.expand(v.values[min(pick, len(v.values)-1)], want, pick, depth)
}

// function returns what a function yields. What it runs is noted.
func (c *makeCall) function(fn, args, want string, pick, depth int) string {
	val := c.expand(args, want, pick, depth)
	switch fn {
	case "shell":
		if !slices.Contains(c.runs, val) && len(c.runs) < maxRules {
			c.runs = append(c.runs, val)
		}
		return "$(" + val + ")"
	case "info", "warning", "error":
		return ""
	case "eval", "file", "guile", "load":
		c.unsure("make: what " + fn + " does while the file is read")
		return ""
	}
	return hole
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
