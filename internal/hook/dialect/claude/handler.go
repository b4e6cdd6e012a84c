package claude

import (
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// setHandler sets the hook's handler type and settings.
func (x *entry) setHandler() {
	x.hook.Run = x.typ
	var with object
	switch x.typ {
	case "command":
		x.readCommand(&with)
	case "http":
		x.readHTTP(&with)
	case "prompt":
		x.hook.Run = "model"
		x.readPrompt(&with)
	}
	x.hook.With = with.end()
}

// requiredText returns the value of key. If it is missing or blank, it adds a mistake and returns "".
func (x *entry) requiredText(key string) string {
	n := x.node.Get(key)
	if n.IsNull() || n.Kind == yamldoc.Text && strings.TrimSpace(n.Text) == "" {
		x.addError(x.node.Line, "", "a hook of type %s needs %s", x.typ, key)
		return ""
	}
	return n.Text
}

// readCommand reads a shell command, or a program with args that runs without a shell, into with.
// Claude replaces ${CLAUDE_PROJECT_DIR} in args; it is kept as written here, because the project is
// known only when the hook runs.
func (x *entry) readCommand(with *object) {
	text := x.requiredText("command")
	args, shell := x.node.Get("args"), x.node.Get("shell").ScalarText()
	switch shell {
	case "", "bash", "powershell":
	default:
		x.addError(x.node.Get("shell").Line, "use bash or powershell", "shell %q is unknown", shell)
	}
	switch {
	case !args.IsNull():
		argv := append([]string{text}, x.textItems("args", args)...)
		with.set("argv", encodeTexts(argv))
	case shell == "powershell":
		with.set("argv", encodeTexts(powershellArgv(text)))
	default: // commands for Claude's default shell run with sh
		with.setText("command", text)
	}
}

func powershellArgv(text string) []string {
	return []string{"pwsh", "-NoProfile", "-NonInteractive", "-Command", text}
}

func (x *entry) textItems(key string, n *yamldoc.Node) []string {
	var out []string
	for _, item := range n.Items {
		if item.Kind != yamldoc.Text {
			x.addError(item.Line, "quote it", "%s holds %s", key, item.Kind)
		}
		out = append(out, item.Text)
	}
	return out
}

// readHTTP reads the URL and the headers of an HTTP hook into with.
func (x *entry) readHTTP(with *object) {
	with.setText("url", x.requiredText("url"))
	if h := x.node.Get("headers"); h != nil && len(h.Pairs) > 0 {
		var headers object
		for _, p := range h.Pairs {
			if p.Value.Kind != yamldoc.Text {
				x.addError(p.Line, "quote it", "headers.%s is %s, not a string", p.Key, p.Value.Kind)
			}
			headers.setText(p.Key, rewriteVariables(p.Value.Text, anyForm, "${env.", "}"))
		}
		with.set("headers", headers.end())
	}
	if n := x.node.Get("allowedEnvVars"); n != nil && len(n.Items) > 0 {
		with.set("allowed_env", encodeTexts(x.textItems("allowedEnvVars", n)))
	}
	if n := x.node.Get("allow_local"); n != nil && n.Kind == yamldoc.Bool && n.Text == "true" {
		with.set("allow_local", []byte("true"))
	}
	if x.row.Kind == checkrein.SessionStart || x.native == "Setup" {
		x.addWarning(x.node.Line, "", "Claude itself does not run http hooks on %s; checkrein does", x.name)
	}
}

// provider is the prefix for Claude's model names, which have no provider.
const provider = "anthropic/"

// readPrompt reads the model and the prompt of a prompt hook into with.
func (x *entry) readPrompt(with *object) {
	if m := x.node.Get("model"); m != nil && m.Text != "" {
		name := m.Text
		if !strings.Contains(name, "/") {
			name = provider + name
		}
		with.setText("model", name)
	}
	with.setText("prompt", promptTemplate(x.requiredText("prompt")))
	if x.row.Kind == checkrein.PreToolUse {
		with.setText("schema", decisionSchema)
	} else if x.row.Can(checkrein.CanDeny) {
		x.addWarning(x.node.Line, "to make a decision, use a command", "on %s the reply to a prompt goes to the model and decides nothing", x.name)
	}
}

const (
	decisionSchema  = "pre_tool_use_decision"
	argumentsMarker = "$ARGUMENTS"
	wholeEvent      = "{{ . | toJSON }}" // the template action for argumentsMarker
)

// promptTemplate returns the template for prompt. If the prompt does not contain argumentsMarker, the
// event is appended, as Claude does.
func promptTemplate(prompt string) string {
	parts := strings.Split(prompt, argumentsMarker)
	if len(parts) == 1 {
		return escapeTemplate(prompt) + "\n\n" + wholeEvent
	}
	for i, p := range parts {
		parts[i] = escapeTemplate(p)
	}
	return strings.Join(parts, wholeEvent)
}

// escapeTemplate escapes s so that it contains no template action, and does not form one with the text
// that follows it.
func escapeTemplate(s string) string {
	s = strings.ReplaceAll(s, "{{", `{{"{{"}}`)
	if rest, ok := strings.CutSuffix(s, "{"); ok {
		s = rest + `{{"{"}}`
	}
	return s
}

// templatePrompt returns the prompt for which promptTemplate returns t. It returns false if there is
// none, because t has other actions than wholeEvent or contains argumentsMarker as text.
func templatePrompt(t string) (string, bool) {
	var out strings.Builder
	for {
		text, rest, found := strings.Cut(t, "{{")
		out.WriteString(text)
		if strings.Contains(text, argumentsMarker) {
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
			out.WriteString(argumentsMarker)
		default:
			return "", false
		}
		t = after
	}
}

// A variableForm selects which spellings of a variable are replaced.
type variableForm uint8

const (
	anyForm variableForm = iota // $V, ${V} and ${env.V}
	envForm                     // ${env.V}
)

// rewriteVariables returns s with each variable spelt as open, its name, and end.
func rewriteVariables(s string, f variableForm, open, end string) string {
	var out strings.Builder
	for s != "" {
		if name, n := parseVariable(s, f); n > 0 {
			out.WriteString(open + name + end)
			s = s[n:]
			continue
		}
		out.WriteByte(s[0])
		s = s[1:]
	}
	return out.String()
}

// parseVariable returns the name of the variable with which s begins, and the length of its spelling.
// The length is 0 if s does not begin with a variable.
func parseVariable(s string, f variableForm) (name string, n int) {
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

// nameLen returns the length of the variable name with which s begins, or 0.
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
