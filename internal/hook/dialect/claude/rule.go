package claude

import (
	"errors"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// An entry's `if` is a permission rule: a tool, and in parentheses a pattern for
// its call. It saves runs of a hook and protects nothing: Claude itself misses
// commands inside bash -c. So a rule that conditions cannot express is widened,
// never narrowed: the hook runs more often than with Claude.

// neverCond is a condition that never holds, because every event has a name.
const neverCond = `{"event":{"exists":false}}`

// readRule sets the hook's condition from the entry's permission rule n, the value of "if".
func (x *entry) readRule(n *yamldoc.Node) {
	switch {
	case x.native == "PermissionDenied":
		x.addWarning(n.Line, "check the payload in the hook", "\"if\" does not work on %s: the hook runs every time", x.name)
		return
	case x.row.Subject != checkrein.SubjectTool:
		x.addWarning(n.Line, "remove if", "%s is not a tool event: a hook with \"if\" never runs on it", x.name)
		x.hook.If = checkrein.Condition(neverCond)
		return
	}
	cond, whole, err := ruleCond(n.Text)
	if err != nil {
		x.addError(n.Line, `write a rule such as "Bash(git push *)"`, "if: %q: %w", n.Text, err)
		return
	}
	if _, err := match.CompileCond(cond, x.row); err != nil {
		name, _, _ := splitRule(n.Text)
		cond, _, _ = ruleCond(name)
		whole = false
	}
	if !whole {
		x.addWarning(n.Line, "check the payload in the hook", "if: only the tool name in %q is checked, so the hook runs on all calls of that tool", n.Text)
	}
	x.hook.If = cond
}

// ruleCond returns the condition for a permission rule. If exact is false, the condition tests only
// the tool and not the rule's pattern.
func ruleCond(rule string) (cond []byte, exact bool, err error) {
	name, spec, err := splitRule(rule)
	if err != nil {
		return nil, false, err
	}
	var out object
	canonical := ""
	switch {
	case strings.HasPrefix(name, "mcp__"):
		if canonical = tools.CanonicalTool(name); canonical == "" || strings.Contains(name, "*") {
			out.set("tool", newTest("glob", rawjson.Quote(mcpToolGlob(name))))
		} else {
			out.set("tool", newTest("is", rawjson.Quote(canonical)))
		}
	case tools.CanonicalTool(name) == "edit" && slices.Contains(claudeTools[:], name): // Claude's rules for edits apply to all tools that change files
		canonical = "edit"
		out.set("tool", newTest("in", encodeTexts([]string{"edit", "write", "patch"})))
	case slices.Contains(claudeTools[:], name) && tools.CanonicalTool(name) != "":
		canonical = tools.CanonicalTool(name)
		out.set("tool", newTest("is", rawjson.Quote(canonical)))
	default: // one of Claude's tools without a canonical name
		out.set("tool_name", newTest("is", rawjson.Quote(name)))
	}
	if spec == "" || spec == "*" {
		return out.end(), true, nil
	}
	switch canonical {
	case "shell":
		out.set("command", newTest("glob", encodeTexts(commandGlobs(spec))))
	case "edit": // a call without known paths may change any file
		var known, unknown object
		known.set("paths", newTest("glob", encodeTexts(pathGlobs(spec))))
		unknown.set("paths", newTest("exists", []byte("false")))
		out.set("any", encodeList([][]byte{known.end(), unknown.end()}))
	case "read", "write", "list", "glob", "search":
		out.set("paths", newTest("glob", encodeTexts(pathGlobs(spec))))
	default:
		return out.end(), false, nil
	}
	return out.end(), true, nil
}

func newTest(operator string, want []byte) []byte {
	var o object
	o.set(operator, want)
	return o.end()
}

// splitRule splits a rule into the tool's name and the pattern in parentheses.
func splitRule(rule string) (name, spec string, err error) {
	rule = strings.TrimSpace(rule)
	name, spec, parens := strings.Cut(rule, "(")
	if parens {
		if spec, parens = strings.CutSuffix(spec, ")"); !parens {
			return "", "", errors.New("( is never closed")
		}
	}
	if open, shut := strings.LastIndexByte(spec, '('), strings.IndexByte(spec, ')'); shut >= 0 && shut < open {
		return "", "", errors.New("only one rule is allowed: write a separate hook for each rule")
	}
	switch {
	case name == "":
		return "", "", errors.New("the tool name is missing")
	case !isPlainName(strings.ReplaceAll(name, "*", "")) || strings.Contains(name, "*") && !strings.HasPrefix(name, "mcp__"):
		return "", "", errors.New("the rule must begin with one tool name")
	}
	return name, strings.TrimSpace(spec), nil
}

// mcpToolGlob returns a glob for the canonical names of the MCP tools that name, from a rule, stands
// for. mcp__server stands for all tools of the server.
func mcpToolGlob(name string) string {
	server, tool, ok := strings.Cut(strings.TrimPrefix(name, "mcp__"), "__")
	switch {
	case !ok && strings.HasSuffix(server, "*"):
		return "mcp:" + server
	case !ok || tool == "":
		return "mcp:" + server + "/*"
	}
	return "mcp:" + server + "/" + tool
}

// separators is a character class of what may precede or follow a command within a command line.
const separators = "[ \t\n;&|(){}!=$`'\"]"

// commandGlobs returns globs for command lines that contain a command matching spec. The first glob is
// spec itself, in which only * is special. Claude parses command lines; here a command may have any
// separators around it.
func commandGlobs(spec string) []string {
	if prefix, ok := strings.CutSuffix(spec, ":*"); ok { // the older form of a prefix rule
		spec = prefix + " *"
	}
	g := globFromSpecifier(spec)
	if base, ok := strings.CutSuffix(g, " *"); ok && base != "" { // such a rule also matches the command without arguments
		return []string{g, base, "*" + separators + base, base + separators + "*", "*" + separators + base + separators + "*"}
	}
	if strings.HasSuffix(g, "*") {
		return []string{g, "*" + separators + g}
	}
	return []string{g, "*" + separators + g, g + separators + "*", "*" + separators + g + separators + "*"}
}

// globFromSpecifier converts the pattern of a rule to a glob. In both, \* is a literal star.
func globFromSpecifier(spec string) string {
	var out strings.Builder
	for i := 0; i < len(spec); i++ {
		c := spec[i]
		switch {
		case c == '\\' && i+1 < len(spec) && (spec[i+1] == '*' || spec[i+1] == '\\'):
			i++
			out.WriteByte('\\')
			c = spec[i]
		case c == '\\' || c == '?' || c == '[':
			out.WriteByte('\\')
		}
		out.WriteByte(c)
	}
	return out.String()
}

// pathGlobs returns globs for the files that spec stands for. As in .gitignore, a directory includes
// its contents. It is unknown here whether spec is relative to the working directory, the project or
// the home directory, so the globs match at any depth.
func pathGlobs(spec string) []string {
	var out []string
	if abs, ok := strings.CutPrefix(spec, "//"); ok {
		out = append(out, "/"+abs)
	} else {
		rel, home := strings.CutPrefix(spec, "~/")
		if home {
			out = append(out, spec)
		} else {
			rel = strings.TrimLeft(strings.TrimPrefix(spec, "./"), "/")
			out = append(out, rel)
		}
		if !strings.HasPrefix(rel, "**/") {
			out = append(out, "**/"+rel)
		}
	}
	for _, g := range out {
		if g = strings.TrimSuffix(g, "/"); !strings.HasSuffix(g, "**") {
			out = append(out, g+"/**")
		}
	}
	return out
}

// condRule returns the rule for which ruleCond returns cond, or false if there is none. It tries
// likely rules.
func condRule(cond []byte) (string, bool) {
	name := ""
	if t, ok := rawjson.Get(cond, "tool"); ok {
		if is, ok := getText(t, "is"); ok {
			name = toolName(is)
		} else if g, ok := getText(t, "glob"); ok {
			name = mcpName(g)
		} else {
			name = "Edit"
		}
	} else if t, ok := rawjson.Get(cond, "tool_name"); ok {
		name, _ = getText(t, "is")
	}
	for _, spec := range [...]string{"", ruleSpec(cond, "command"), ruleSpec(cond, "paths")} {
		rule := name
		if spec != "" {
			rule += "(" + spec + ")"
		}
		if got, whole, err := ruleCond(rule); err == nil && whole && rawjson.Equal(got, cond) {
			return rule, true
		}
	}
	return "", false
}

// ruleSpec returns the text for a rule's parentheses, from the globs that cond has for field. It
// returns "" if there are none.
func ruleSpec(cond []byte, field string) string {
	if any, ok := rawjson.Get(cond, "any"); ok { // ruleCond returns this form for rules about edits
		rawjson.Elements(any, func(_ int, v []byte) bool { cond = v; return false })
	}
	v, _ := rawjson.Lookup(cond, field, "glob")
	list := decodeTexts(v)
	switch {
	case len(list) == 0:
		return ""
	case field == "paths" && strings.HasPrefix(list[0], "/"):
		return "/" + list[0]
	case field == "paths":
		return list[0]
	}
	return strings.NewReplacer(`\\`, `\\`, `\*`, `\*`, `\?`, "?", `\[`, "[").Replace(list[0])
}
