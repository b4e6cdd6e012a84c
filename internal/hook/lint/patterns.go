package lint

import (
	"fmt"
	"path"
	"regexp/syntax"
	"runtime"
	"strings"

	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// escapes lists the control characters that result from escapes in double quotes, although the escapes
// were probably meant for a pattern or a path.
var escapes = []struct {
	char       rune
	short, are string
}{
	{'\b', `\b`, "a backspace"}, {'\f', `\f`, "a form feed"}, {'\v', `\v`, "a vertical tab"}, {'\a', `\a`, "a bell"},
	{0x1b, `\e`, "an escape character"}, {0, `\0`, "a NUL"}, {'\t', `\t`, "a tab"}, {'\n', `\n`, "a line break"}, {'\r', `\r`, "a line break"},
}

// checkControls finds control characters in patterns, which result from escapes in double quotes.
func (p *pass) checkControls() {
	look := func(e *entry, n *yamldoc.Node, isPath bool) {
		for _, c := range escapes {
			if strings.ContainsRune(n.Text, c.char) && (isPath || c.char != '\t' && c.char != '\n' && c.char != '\r') {
				p.addEntryFinding(e, n, "use single quotes", "%s in double quotes means %s, so this never matches", c.short, c.are)
				return
			}
		}
	}
	for i := range p.tests {
		for _, n := range p.tests[i].textValues() {
			look(p.tests[i].entry, n, p.tests[i].testsPaths() || p.tests[i].testsPathArgument())
		}
	}
	for i := range p.entries {
		e := &p.entries[i]
		for _, n := range []*yamldoc.Node{e.matcher, e.node.Get("args_match"), e.node.Get("search")} {
			if n != nil && n.Kind == yamldoc.Text {
				look(e, n, n == e.matcher)
			}
		}
	}
}

// isRelative reports whether text, a path or a pattern for the operator op, can match only relative
// paths.
func isRelative(op, text string) bool {
	switch op {
	case "is", "in", "prefix":
		return !path.IsAbs(text) && !strings.HasPrefix(text, "~") && !hasDrive(text) && !strings.HasPrefix(text, "$") && !strings.HasPrefix(text, "%")
	case "glob":
		return !strings.HasPrefix(text, "*") && !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "?") && isRelative("is", text)
	case "regex":
		rest, anchored := strings.CutPrefix(text, "^")
		return anchored && rest != "" && (rest[0] >= 'a' && rest[0] <= 'z' || rest[0] >= 'A' && rest[0] <= 'Z') && !strings.ContainsAny(rest[:min(3, len(rest))], "|:[")
	}
	return false
}

// hasDrive reports whether text begins with a Windows drive letter.
func hasDrive(text string) bool {
	return len(text) > 2 && text[1] == ':' && (text[2] == '\\' || text[2] == '/')
}

func (p *pass) checkRelative() {
	for i := range p.tests {
		t := &p.tests[i]
		for _, n := range t.textValues() {
			switch {
			case t.field == "cwd" && isRelative(t.op, n.Text):
				p.addEntryFinding(t.entry, n, "write **/"+trimPattern(n.Text)+" as a glob, or under: with an absolute path", "cwd is always absolute, so %s: %q is never true", t.op, n.Text)
			case t.field == "cwd" && (t.op == "under" || t.op == "outside") && isRelative("is", n.Text):
				p.addEntryFinding(t.entry, n, "write an absolute path, or one that starts with ~/", "%s: %q is relative to the session's directory, which is cwd itself", t.op, n.Text)
			}
		}
	}
}

func trimPattern(text string) string { return strings.TrimLeft(text, "^./") }

func (p *pass) checkRelativeArgument() {
	for i := range p.tests {
		t := &p.tests[i]
		for _, n := range t.textValues() {
			if t.testsPathArgument() && isRelative(t.op, n.Text) {
				p.addEntryFinding(t.entry, n, fmt.Sprintf("write paths: {glob: '%s'}, which matches relative and absolute paths", strings.TrimPrefix(n.Text, "^")),
					"most agents send absolute paths in %s, but %s: %q does not match those", t.field, t.op, n.Text)
			}
		}
	}
}

// checkVariables finds variables and ~ in paths where nothing expands them.
func (p *pass) checkVariables() {
	for i := range p.tests {
		t := &p.tests[i]
		for _, n := range t.textValues() {
			if !t.testsPaths() && !t.testsPathArgument() {
				continue
			}
			for _, v := range []string{"$HOME", "${HOME}", "%USERPROFILE%"} {
				if rest, ok := strings.CutPrefix(n.Text, v); ok {
					p.addEntryFinding(t.entry, n, "write paths: {under: ~"+strings.TrimRight(rest, "*/")+"}", "no shell expands %s here, so this is never true", v)
				}
			}
			if strings.HasPrefix(n.Text, "~/") && t.field != "paths" && t.op != "under" && t.op != "outside" {
				p.addEntryFinding(t.entry, n, "write "+t.field+": {under: "+strings.TrimRight(n.Text, "*/")+"}", "only under: and outside: expand ~, so this is never true")
			}
		}
	}
}

// checkBraces finds globs with braces, which have no special meaning in globs.
func (p *pass) checkBraces() {
	for i := range p.tests {
		t := &p.tests[i]
		if t.op != "glob" {
			continue
		}
		for _, n := range t.textValues() {
			open := strings.IndexByte(n.Text, '{')
			if open < 0 || !strings.Contains(n.Text[open:], ",") || !strings.Contains(n.Text[open:], "}") {
				continue
			}
			end := open + strings.IndexByte(n.Text[open:], '}')
			var list []string
			for _, w := range strings.Split(n.Text[open+1:end], ",") {
				list = append(list, "'"+n.Text[:open]+w+n.Text[end+1:]+"'")
			}
			p.addEntryFinding(t.entry, n, "write a list: glob: ["+strings.Join(list, ", ")+"]", "globs do not support braces, so %q never matches", n.Text)
		}
	}
}

// checkPatternInText finds globs and regular expressions with operators that compare literally.
func (p *pass) checkPatternInText() {
	for i := range p.tests {
		t := &p.tests[i]
		switch t.op {
		case "is", "in", "prefix", "suffix", "contains", "under", "outside":
		default:
			continue
		}
		for _, n := range t.textValues() {
			switch {
			case strings.Contains(n.Text, ".*") || strings.Contains(n.Text, `\b`) && t.op == "contains" || strings.Contains(n.Text, `\s`) && !t.testsPaths() || strings.Contains(n.Text, `\d`) && !t.testsPaths() || strings.HasPrefix(n.Text, "^"):
				p.addEntryFinding(t.entry, n, "write regex: instead of "+t.op+":", "%s: compares literally, but %q is a regular expression", t.op, n.Text)
			case strings.Contains(n.Text, "*") && t.op == "under" || strings.Contains(n.Text, "*") && t.op == "outside":
				p.addEntryFinding(t.entry, n, "write "+t.op+": "+strings.TrimRight(n.Text, "*/"), "%s: takes a directory, in which * has no special meaning", t.op)
			case strings.Contains(n.Text, "*") && (t.testsPaths() || t.testsPathArgument()):
				p.addEntryFinding(t.entry, n, "write glob: instead of "+t.op+":", "%s: compares literally, but %q is a glob", t.op, n.Text)
			}
		}
	}
}

// checkMatcherGlob finds matchers with a star that was probably meant as a wildcard. In a regular
// expression, Bash* is Bas followed by any number of h.
func (p *pass) checkMatcherGlob() {
	for i := range p.entries {
		e := &p.entries[i]
		if e.matcher == nil || e.matcher.Kind != yamldoc.Text || e.node.Get("match_words").ScalarText() == "true" {
			continue
		}
		text := e.matcher.Text
		if _, err := syntax.Parse(text, syntax.Perl); err != nil {
			continue // the loader reports it
		}
		for at := 1; at < len(text); at++ {
			if text[at] == '*' && (isAlphanumeric(text[at-1]) || text[at-1] == '_' || text[at-1] == '-') {
				p.addEntryFinding(e, e.matcher, "write '"+strings.ReplaceAll(strings.ReplaceAll(text, ".*", "*"), "*", ".*")+"'",
					"a matcher is a regular expression, so * repeats the %q before it", text[at-1:at])
				break
			}
		}
	}
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

func (p *pass) checkBackslashes() {
	for i := range p.tests {
		t := &p.tests[i]
		if !t.testsPaths() || t.op == "regex" || (t.op == "under" || t.op == "outside") && runtime.GOOS == "windows" {
			continue
		}
		for _, n := range t.textValues() {
			if at := strings.IndexByte(n.Text, '\\'); at >= 0 && (hasDrive(n.Text) || at+1 < len(n.Text) && strings.IndexByte("*?[]\\", n.Text[at+1]) < 0) {
				p.addEntryFinding(t.entry, n, "write '"+strings.ReplaceAll(n.Text, `\`, "/")+"'", "conditions use / in paths, even on Windows, so this is never true")
			}
		}
	}
}

func (p *pass) checkGlobDirectory() {
	for i := range p.tests {
		t := &p.tests[i]
		for _, n := range t.textValues() {
			if t.op == "glob" && t.testsPaths() && strings.HasSuffix(n.Text, "/") {
				p.addEntryFinding(t.entry, n, "write '"+n.Text+"**'", "%q matches only the directory itself if it is written with a slash, not the files in it", n.Text)
			}
		}
	}
}

func (p *pass) checkWholeGlob() {
	for i := range p.tests {
		t := &p.tests[i]
		for _, n := range t.textValues() {
			if t.op == "glob" && !t.testsPaths() && !t.testsPathArgument() && !strings.ContainsAny(n.Text, "*?[") {
				p.addEntryFinding(t.entry, n, "use contains: for part of the value, or is: for the whole value", "a glob must match the whole value, so this matches only %q", n.Text)
			}
		}
	}
}

// checkSlashes finds regular expressions written as /expression/flags, as in other languages.
func (p *pass) checkSlashes() {
	for i := range p.tests {
		t := &p.tests[i]
		for _, n := range t.textValues() {
			if t.op != "regex" || t.testsPaths() || t.testsPathArgument() || len(n.Text) < 3 || n.Text[0] != '/' {
				continue
			}
			end := strings.LastIndexByte(n.Text, '/')
			flags := n.Text[end+1:]
			if end < 2 || strings.Trim(flags, "gimsu") != "" || strings.Contains(n.Text[1:end], "/") {
				continue
			}
			meant := n.Text[1:end]
			if strings.Contains(flags, "i") {
				meant = "(?i)" + meant
			}
			p.addEntryFinding(t.entry, n, "write '"+meant+"'", "the slashes count as part of the pattern here")
		}
	}
}
