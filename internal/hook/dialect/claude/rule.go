package claude

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// An entry's `if` is a permission rule: a tool, and in parentheses what its
// call must look like. It saves runs of a hook and protects nothing: Claude
// itself misses what is run inside bash -c. So where a rule cannot be said in
// conditions it is widened, never narrowed: the hook runs more often than under
// Claude.

// never is a condition that does not hold: every event has a name.
const never = `{"event":{"exists":false}}`

func (x *entry) rule(n *yamldoc.Node) {
	switch {
	case x.native == "PermissionDenied":
		x.warn(n.Line, "check the payload in the hook", "\"if\" does not work on %s: the hook runs every time", x.name)
		return
	case x.row.Subject != checkrein.SubjectTool:
		x.warn(n.Line, "remove if", "%s is not a tool event: a hook with \"if\" never runs on it", x.name)
		x.hook.If = json.RawMessage(never)
		return
	}
	cond, whole, err := ruleCond(n.Text)
	if err != nil {
		x.problem(n.Line, `write a rule such as "Bash(git push *)"`, "if: %q: %w", n.Text, err)
		return
	}
	if _, err := match.CompileCond(cond, x.row); err != nil {
		name, _, _ := splitRule(n.Text)
		cond, _, _ = ruleCond(name)
		whole = false
	}
	if !whole {
		x.warn(n.Line, "check the payload in the hook", "if: only the tool name in %q is checked, so the hook runs on all calls of that tool", n.Text)
	}
	x.hook.If = cond
}

// ruleCond is the condition that stands for a rule; whole is false when it
// holds for every call of the tool, whatever else the rule asks.
func ruleCond(rule string) (cond json.RawMessage, whole bool, err error) {
	name, spec, err := splitRule(rule)
	if err != nil {
		return nil, false, err
	}
	var out object
	canonical := ""
	switch {
	case strings.HasPrefix(name, "mcp__"):
		if canonical = tools.Canonical(name); canonical == "" || strings.Contains(name, "*") {
			out.set("tool", test("glob", rawjson.Quote(serverGlob(name))))
		} else {
			out.set("tool", test("is", rawjson.Quote(canonical)))
		}
	case tools.Canonical(name) == "edit" && slices.Contains(claudeTools[:], name): // Claude's rules about edits are about all tools that change files
		canonical = "edit"
		out.set("tool", test("in", texts([]string{"edit", "write", "patch"})))
	case slices.Contains(claudeTools[:], name) && tools.Canonical(name) != "":
		canonical = tools.Canonical(name)
		out.set("tool", test("is", rawjson.Quote(canonical)))
	default: // a tool that no other host has
		out.set("tool_name", test("is", rawjson.Quote(name)))
	}
	if spec == "" || spec == "*" {
		return out.end(), true, nil
	}
	switch canonical {
	case "shell":
		out.set("command", test("glob", texts(commandGlobs(spec))))
	case "edit": // files that cannot be found out may be any
		var known, unknown object
		known.set("paths", test("glob", texts(pathGlobs(spec))))
		unknown.set("paths", test("exists", []byte("false")))
		out.set("any", list([][]byte{known.end(), unknown.end()}))
	case "read", "write", "list", "glob", "search":
		out.set("paths", test("glob", texts(pathGlobs(spec))))
	default:
		return out.end(), false, nil
	}
	return out.end(), true, nil
}

func test(operator string, want []byte) []byte {
	var o object
	o.set(operator, want)
	return o.end()
}

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
	case !isWord(strings.ReplaceAll(name, "*", "")) || strings.Contains(name, "*") && !strings.HasPrefix(name, "mcp__"):
		return "", "", errors.New("the rule must begin with one tool name")
	}
	return name, strings.TrimSpace(spec), nil
}

// serverGlob matches the tools that a rule about servers means: mcp__server
// alone is all of its tools.
func serverGlob(name string) string {
	server, tool, ok := strings.Cut(strings.TrimPrefix(name, "mcp__"), "__")
	switch {
	case !ok && strings.HasSuffix(server, "*"):
		return "mcp:" + server
	case !ok || tool == "":
		return "mcp:" + server + "/*"
	}
	return "mcp:" + server + "/" + tool
}

// apart is what may stand around a command within a line.
const apart = "[ \t\n;&|(){}!=$`'\"]"

// commandGlobs match a line that has a command in it which looks like spec. The
// first of them is spec itself, in which only * has a meaning. Claude takes
// lines apart; here anything that may stand around a command will do.
func commandGlobs(spec string) []string {
	if prefix, ok := strings.CutSuffix(spec, ":*"); ok { // as rules were written once
		spec = prefix + " *"
	}
	g := escapeGlob(spec)
	if base, ok := strings.CutSuffix(g, " *"); ok && base != "" { // the command alone is meant as well
		return []string{g, base, "*" + apart + base, base + apart + "*", "*" + apart + base + apart + "*"}
	}
	if strings.HasSuffix(g, "*") {
		return []string{g, "*" + apart + g}
	}
	return []string{g, "*" + apart + g, g + apart + "*", "*" + apart + g + apart + "*"}
}

// escapeGlob spells a rule's pattern as a glob. In both \* is a star.
func escapeGlob(spec string) string {
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

// pathGlobs match the files that spec means. Like .gitignore it means the
// directory's content as well. Where it is anchored, the working directory, the
// project or home, is not known here: it is taken to be anywhere.
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

// ruleOf is the rule that a condition stands for. It guesses one and sees
// whether it comes to the same.
func ruleOf(cond json.RawMessage) (string, bool) {
	name := ""
	if t, ok := rawjson.Get(cond, "tool"); ok {
		if is, ok := textAt(t, "is"); ok {
			name = toolName(is)
		} else if g, ok := textAt(t, "glob"); ok {
			name = mcpName(g)
		} else {
			name = "Edit"
		}
	} else if t, ok := rawjson.Get(cond, "tool_name"); ok {
		name, _ = textAt(t, "is")
	}
	for _, spec := range [...]string{"", specOf(cond, "command"), specOf(cond, "paths")} {
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

// specOf is what stands in a rule's parentheses for the globs of a field.
func specOf(cond json.RawMessage, field string) string {
	if any, ok := rawjson.Get(cond, "any"); ok { // of edits
		rawjson.Elements(any, func(_ int, v []byte) bool { cond = v; return false })
	}
	v, _ := rawjson.Lookup(cond, field, "glob")
	list := textsOf(v)
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
