package taskfile

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// Limits on the work for one Makefile and the files that it includes.
const (
	maxRules   = 500      // rules
	maxValues  = 8        // values of one variable
	maxExpand  = 64 << 10 // length of a variable's value in bytes
	maxNesting = 16       // nesting depth of included files, and of variables in values
)

// placeholder is [shell.Placeholder] as a string.
const placeholder = string(shell.Placeholder)

// A makeVar is a variable of make, with the unexpanded values that it may have.
type makeVar struct {
	values []string
	fixed  bool // the command line sets the variable, so files cannot
	busy   bool // the variable is being expanded
}

// A makeRule is a rule of a Makefile: its targets, its prerequisites and the lines of its recipe.
type makeRule struct{ targets, needs, lines []string }

// setFromCall sets the variable name to value, because the environment or command line of the call
// does. If fixed is set, files cannot change it.
func (c *makeCall) setFromCall(name, value string, fixed bool) {
	c.vars[name] = &makeVar{values: []string{value}, fixed: fixed}
	c.exports = append(c.exports, name)
}

// readMakefileText reads the rules and variables in text, the contents of a Makefile.
func (c *makeCall) readMakefileText(text string) {
	if c.nesting++; c.nesting > maxNesting {
		return
	}
	defer func() { c.nesting-- }()
	c.inRule = false
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 0; i < len(lines) && len(c.rules) <= maxRules; i++ {
		line := lines[i]
		recipe := c.inRule && strings.HasPrefix(line, "\t")
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
		c.readLine(line)
	}
	c.inRule = false
}

// readLine reads a line that is not part of a recipe.
func (c *makeCall) readLine(line string) {
	word, rest := cutWord(line)
	switch word {
	case "", "vpath", "undefine", "unexport":
		return
	case "ifeq", "ifneq", "ifdef", "ifndef", "else", "endif":
		c.expand(rest, "", 0, 0) // all branches count
		return
	case "include", "-include", "sinclude":
		c.readIncludes(c.expand(rest, "", 0, 0))
		return
	case "load", "-load", "define":
		c.addUnsure("make: the result of " + displayText(line))
		return
	case "override", "private", "export":
		name, _, _, defines := parseDefinition(rest)
		if word == "export" {
			c.exports = append(append(c.exports, name), strings.Fields(rest)...)
		}
		if defines {
			c.readLine(rest)
		}
		return
	}
	c.inRule = false
	if name, op, value, ok := parseDefinition(line); ok {
		c.addVariableValue(name, op, value)
		return
	}
	c.readRule(line)
}

// parseDefinition splits a line of the form NAME op value, where op is one of = := ?= += !=. It
// reports false if line has another form.
func parseDefinition(line string) (name, op, value string, ok bool) {
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

// addVariableValue adds value to the values that the variable name may have, as the operator op does.
func (c *makeCall) addVariableValue(name, op, value string) {
	if strings.Contains(name, "$") {
		c.addUnsure("make: which variables it sets")
	}
	if name == ".RECIPEPREFIX" {
		c.addUnsure("make: which lines of the file are recipes")
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
		c.expand(value, "", 0, 0) // runs commands in the value now
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
		v.values = []string{placeholder}
	}
	c.maxValueCount = max(c.maxValueCount, len(v.values))
}

// readRule reads the first line of a rule, a variable for a single target, or a line that only calls
// functions.
func (c *makeCall) readRule(line string) {
	head, inline := cutOutsideVars(line, ';')
	targets, rest := cutOutsideVars(head, ':')
	if targets == head {
		if strings.TrimSpace(c.expand(line, "", 0, 0)) != "" {
			c.addUnsure("make: which rules " + displayText(line) + " creates")
		}
		return
	}
	rest = strings.TrimPrefix(rest, ":")
	if name, op, value, ok := parseDefinition(strings.TrimSpace(rest)); ok { // a variable for this target only
		c.addVariableValue(name, strings.TrimPrefix(op, "?"), value)
		return
	}
	if _, needs := cutOutsideVars(rest, ':'); needs != "" { // after the target pattern of a static pattern rule
		rest = needs
	}
	var r makeRule
	for pick := range c.maxValueCount {
		r.targets = append(r.targets, c.targetNames(strings.TrimSuffix(targets, "&"), pick)...)
		r.needs = append(r.needs, c.targetNames(strings.ReplaceAll(rest, "|", " "), pick)...)
	}
	if inline != "" {
		r.lines = append(r.lines, inline)
	}
	c.oneShell = c.oneShell || slices.Contains(r.targets, ".ONESHELL")
	c.rules = append(c.rules, r)
	c.inRule = true
}

// targetNames returns the targets in list, whose variables have their value number pick. A target
// whose name is not known is a placeholder.
func (c *makeCall) targetNames(list string, pick int) []string {
	var out []string
	for name := range strings.FieldsSeq(c.expand(list, "", pick, 0)) {
		if name = strings.TrimPrefix(name, "./"); !isKnown(name) || strings.ContainsAny(name, "$`") || name == "" {
			name = placeholder
		}
		out = append(out, name)
	}
	return out
}

// goalCommands returns the recipe lines that run for the goals and their prerequisites. Without goals,
// the first target counts.
func (c *makeCall) goalCommands() []string {
	queue := slices.Clone(c.goals)
	if len(queue) == 0 {
		queue = c.defaultGoals()
	}
	var out []string
	for n := 0; n < len(queue) && n <= 4*maxRules; n++ {
		if queue[n] == placeholder {
			c.addUnsure("make: which targets it builds")
		}
		ruled := false
		for i := range c.rules {
			stem, fits := c.rules[i].matchTarget(queue[n])
			if !fits && (queue[n] != placeholder || n >= len(c.goals)) {
				continue
			}
			ruled = true
			out = append(out, c.recipeLines(&c.rules[i], queue[n])...)
			for _, need := range c.rules[i].needs {
				if need = strings.Replace(need, "%", stem, 1); !slices.Contains(queue, need) {
					queue = append(queue, need)
				}
			}
		}
		if !ruled {
			c.addImplicitScript(queue[n])
		}
	}
	return out
}

// addImplicitScript adds the script name.sh if it exists, because make has an implicit rule that
// builds name from it.
func (c *makeCall) addImplicitScript(name string) {
	if isKnown(name) && c.addFileIfExists(c.resolvePath(name)+".sh") {
		c.addUnsure("make may create " + name + " from " + name + ".sh")
	}
}

// defaultGoals returns the goals of a call that names none, or nil if there is no target.
func (c *makeCall) defaultGoals() []string {
	if c.vars[".DEFAULT_GOAL"] != nil {
		return c.targetNames("$(.DEFAULT_GOAL)", 0)
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

// matchTarget reports whether the rule builds the target want. Stem is the text that % in the rule
// stands for.
func (r *makeRule) matchTarget(want string) (stem string, fits bool) {
	for _, t := range r.targets {
		head, tail, pattern := strings.Cut(t, "%")
		switch {
		case t == want && want != placeholder:
			return placeholder, true
		case pattern && len(want) > len(head)+len(tail) && strings.HasPrefix(want, head) && strings.HasSuffix(want, tail):
			return want[len(head) : len(want)-len(tail)], true
		}
	}
	return "", false
}

// recipeLines returns the expanded lines of r that build the target want, for each value that their
// variables may have.
func (c *makeCall) recipeLines(r *makeRule, want string) []string {
	var out []string
	for pick := range c.maxValueCount {
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

// predefinedValue returns the value of the variable name if make predefines it. It reports false
// otherwise.
func predefinedValue(name string) (value string, ok bool) {
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

// expand returns text with its variables and functions replaced by their values. Of several values, it
// uses number pick. Want is the target whose recipe contains text, or "".
func (c *makeCall) expand(text, want string, pick, depth int) string {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "$")
		out.WriteString(before)
		if c.size += len(before) + 1; c.size > 16*maxExpand || depth > maxNesting {
			return placeholder
		}
		if !ok || rest == "" {
			return out.String()
		}
		switch rest[0] {
		case '$':
			out.WriteByte('$')
			text = rest[1:]
		case '(', '{':
			end := closingBracket(rest)
			out.WriteString(c.variableValue(rest[1:end], want, pick, depth+1))
			text = rest[min(end+1, len(rest)):]
		default:
			out.WriteString(c.variableValue(rest[:1], want, pick, depth+1))
			text = rest[1:]
		}
	}
}

// variableValue returns the value of $(name), which may be a function call. It returns a placeholder
// if the value is not known.
func (c *makeCall) variableValue(name, want string, pick, depth int) string {
	if fn, args := cutWord(name); args != "" {
		return c.functionValue(fn, args, want, pick, depth)
	}
	if name == "@" && want != "" {
		return want
	}
	v := c.vars[name]
	if v == nil || len(v.values) == 0 {
		if own, ok := predefinedValue(name); ok {
			return own
		}
		return placeholder
	}
	if v.busy { // as in PATH := bin:$(PATH)
		return placeholder
	}
	v.busy = true
	defer func() { v.busy = false }()
	return c.expand(v.values[min(pick, len(v.values)-1)], want, pick, depth)
}

// functionValue returns the result of the function fn, and records commands that it runs. It returns a
// placeholder if the result is not known.
func (c *makeCall) functionValue(fn, args, want string, pick, depth int) string {
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
		c.addUnsure("make: the effect of " + fn + " while the file is read")
		return ""
	}
	return placeholder
}

// closingBracket returns the index of the bracket that closes the one that text begins with, or
// len(text) if there is none.
func closingBracket(text string) int {
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

// cutWord returns the first word of text, and the rest without spaces around it.
func cutWord(text string) (word, rest string) {
	text = strings.TrimLeft(text, " \t")
	if at := strings.IndexAny(text, " \t"); at >= 0 {
		return text[:at], strings.TrimSpace(text[at:])
	}
	return text, ""
}

// cutOutsideVars cuts text at the first byte at that is neither inside $(…) nor escaped by a
// backslash. Without such a byte, before is all of text.
func cutOutsideVars(text string, at byte) (before, after string) {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == '$' && i+1 < len(text) && (text[i+1] == '(' || text[i+1] == '{'):
			i += 1 + closingBracket(text[i+1:])
		case text[i] == at:
			return text[:i], text[i+1:]
		}
	}
	return text, ""
}
