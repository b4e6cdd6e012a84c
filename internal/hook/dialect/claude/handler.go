package claude

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// settings puts together what belongs to the handler.
func (x *entry) settings() {
	x.hook.Run = x.typ
	var with object
	switch x.typ {
	case "command":
		x.command(&with)
	case "http":
		x.http(&with)
	case "prompt":
		x.hook.Run = "model"
		x.prompt(&with)
	}
	x.hook.With = with.end()
}

// need returns a text that the type cannot do without.
func (x *entry) need(key string) string {
	n := x.node.Get(key)
	if n.IsNull() || n.Kind == yamldoc.Text && strings.TrimSpace(n.Text) == "" {
		x.problem(x.node.Line, "", "a hook of type %s needs %s", x.typ, key)
		return ""
	}
	return n.Text
}

// command reads shell text, or a program with args, which no shell sees. What
// Claude fills into args, ${CLAUDE_PROJECT_DIR}, stays as written: the project
// is known only when the hook runs.
func (x *entry) command(with *object) {
	text := x.need("command")
	args, shell := x.node.Get("args"), x.node.Get("shell").Plain()
	switch shell {
	case "", "bash", "powershell":
	default:
		x.problem(x.node.Get("shell").Line, "use bash or powershell", "shell %q is unknown", shell)
	}
	switch {
	case !args.IsNull():
		argv := append([]string{text}, x.texts("args", args)...)
		with.set("argv", texts(argv))
	case shell == "powershell":
		with.set("argv", texts(powershell(text)))
	default: // Claude's bash is the system's sh
		with.text("command", text)
	}
}

func powershell(text string) []string {
	return []string{"pwsh", "-NoProfile", "-NonInteractive", "-Command", text}
}

func (x *entry) texts(key string, n *yamldoc.Node) []string {
	var out []string
	for _, item := range n.Items {
		if item.Kind != yamldoc.Text {
			x.problem(item.Line, "quote it", "%s holds %s", key, item.Kind)
		}
		out = append(out, item.Text)
	}
	return out
}

func (x *entry) http(with *object) {
	with.text("url", x.need("url"))
	if h := x.node.Get("headers"); h != nil && len(h.Pairs) > 0 {
		var headers object
		for _, p := range h.Pairs {
			if p.Value.Kind != yamldoc.Text {
				x.problem(p.Line, "quote it", "headers.%s is %s, not a string", p.Key, p.Value.Kind)
			}
			headers.text(p.Key, respell(p.Value.Text, anyForm, "${env.", "}"))
		}
		with.set("headers", headers.end())
	}
	if n := x.node.Get("allowedEnvVars"); n != nil && len(n.Items) > 0 {
		with.set("allowed_env", texts(x.texts("allowedEnvVars", n)))
	}
	if n := x.node.Get("allow_local"); n != nil && n.Kind == yamldoc.Bool && n.Text == "true" {
		with.set("allow_local", []byte("true"))
	}
	if x.row.Kind == checkrein.SessionStart || x.native == "Setup" {
		x.warn(x.node.Line, "", "Claude itself does not run http hooks on %s; checkrein does", x.name)
	}
}

// provider is whose models Claude's names are.
const provider = "anthropic/"

func (x *entry) prompt(with *object) {
	if m := x.node.Get("model"); m != nil && m.Text != "" {
		name := m.Text
		if !strings.Contains(name, "/") {
			name = provider + name
		}
		with.text("model", name)
	}
	with.text("prompt", template(x.need("prompt")))
	if x.row.Kind == checkrein.PreToolUse {
		with.text("schema", decisions)
	} else if x.row.Can(checkrein.CanDeny) {
		x.warn(x.node.Line, "to make a decision, use a command", "on %s the reply to a prompt goes to the model and decides nothing", x.name)
	}
}

const (
	decisions = "pre_tool_use_decision"
	marker    = "$ARGUMENTS"
	whole     = "{{ . | toJSON }}" // what the marker is in a template
)

// template makes a template of a prompt. Without the marker, Claude puts the
// event behind the text.
func template(prompt string) string {
	parts := strings.Split(prompt, marker)
	if len(parts) == 1 {
		return literal(prompt) + "\n\n" + whole
	}
	for i, p := range parts {
		parts[i] = literal(p)
	}
	return strings.Join(parts, whole)
}

// literal spells a text so that no template sees an action in it, also not
// together with one that follows.
func literal(s string) string {
	s = strings.ReplaceAll(s, "{{", `{{"{{"}}`)
	if rest, ok := strings.CutSuffix(s, "{"); ok {
		s = rest + `{{"{"}}`
	}
	return s
}

// untemplate is the prompt that a template stands for; false when it has other
// actions than the whole event, or text that a prompt would take for one.
func untemplate(t string) (string, bool) {
	var out strings.Builder
	for {
		text, rest, found := strings.Cut(t, "{{")
		out.WriteString(text)
		if strings.Contains(text, marker) {
			return "", false
		}
		if !found {
			return out.String(), true
		}
		action, after, closed := strings.Cut(rest, "}}")
		switch action = strings.TrimSpace(action); {
		case !closed:
			return "", false
		case action == `"{{"` || action == `"{"`:
			out.WriteString(strings.Trim(action, `"`))
		case action == "toJSON ." || action == ". | toJSON" || action == ".|toJSON":
			out.WriteString(marker)
		default:
			return "", false
		}
		t = after
	}
}

// A form describes which spellings of a variable count.
type form uint8

const (
	anyForm form = iota // $V, ${V} and ${env.V}
	envForm             // ${env.V}
)

// respell writes the variables of s between open and end.
func respell(s string, f form, open, end string) string {
	var out strings.Builder
	for s != "" {
		if name, n := variable(s, f); n > 0 {
			out.WriteString(open + name + end)
			s = s[n:]
			continue
		}
		out.WriteByte(s[0])
		s = s[1:]
	}
	return out.String()
}

// variable reads the variable that s begins with, and the length of its
// spelling, 0 when s begins with none.
func variable(s string, f form) (name string, n int) {
	if len(s) < 2 || s[0] != '$' {
		return "", 0
	}
	if s[1] != '{' {
		name = s[1 : 1+nameLen(s[1:])]
		if f == envForm || name == "" {
			return "", 0
		}
		return name, 1 + len(name)
	}
	inner, _, closed := strings.Cut(s[2:], "}")
	name, prefixed := strings.CutPrefix(inner, "env.")
	if !closed || !prefixed && f == envForm || name == "" || nameLen(name) != len(name) {
		return "", 0
	}
	return name, len(inner) + 3
}

// nameLen returns how many bytes at the start of s name a variable.
func nameLen(s string) int {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	return len(s)
}
