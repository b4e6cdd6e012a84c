package mockmodel

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Tool is a tool that a request offers to the model.
type Tool struct {
	Name      string
	Namespace string // the group of the tool, if the protocol has groups
	FreeForm  bool   // it takes text instead of an object
	Params    map[string]Param
	Required  []string
}

// A Param is an argument of a tool according to its schema.
type Param struct {
	Type string // "" = not in the schema
	Enum []any
}

// nativeNames returns the names that agents use for a canonical tool. The first one that an agent
// offers is used.
func nativeNames(canonical string) []string {
	switch canonical {
	case "shell":
		return []string{"Bash", "exec_command", "shell_command", "run_shell_command", "bash", "exec", "shell", "run_terminal_command", "Execute"}
	case "read":
		return []string{"Read", "read_file", "view", "read"}
	case "write":
		return []string{"Write", "write_file", "create", "write", "Create"}
	case "edit":
		return []string{"Edit", "replace", "edit", "search_replace"}
	case "patch":
		return []string{"apply_patch"}
	case "glob":
		return []string{"Glob", "glob"}
	case "search":
		return []string{"Grep", "grep_search", "grep"}
	case "fetch":
		return []string{"WebFetch", "web_fetch", "webfetch"}
	case "task":
		return []string{"Agent", "Task", "invoke_agent", "agent", "task", "spawn_subagent"}
	}
	if rest, ok := strings.CutPrefix(canonical, "mcp:"); ok {
		server, tool, _ := strings.Cut(rest, "/")
		return []string{
			"mcp__" + server + "__" + tool, "mcp_" + server + "_" + tool,
			server + "-" + tool, server + "_" + tool,
		}
	}
	return nil
}

// nativeArgs returns the names that agents use for a canonical argument.
func nativeArgs(canonical string) []string {
	switch canonical {
	case "command":
		return []string{"command", "cmd"}
	case "path":
		return []string{"file_path", "filePath", "absolute_path", "path", "target_file"}
	case "content":
		return []string{"content", "file_text"}
	case "old":
		return []string{"old_string", "oldString", "old_str"}
	case "new":
		return []string{"new_string", "newString", "new_str"}
	case "patch":
		return []string{"input", "patch", "patchText"}
	case "prompt":
		return []string{"prompt", "objective"}
	}
	return []string{canonical}
}

// A nativeCall is a call with the agent's own names of tools and arguments.
type nativeCall struct {
	id   string
	tool Tool
	args map[string]any
	text string // instead of args, for a free-form tool
	half bool   // only half of the arguments are sent
}

// argsJSON returns the arguments as JSON, or the first half of that if c.half is set.
func (c nativeCall) argsJSON() string {
	b, err := json.Marshal(c.args)
	if err != nil { // the script has a value that cannot be encoded as JSON
		return "{}"
	}
	if c.half {
		return firstHalf(string(b))
	}
	return string(b)
}

// toNative translates a call for an agent that offers these tools. It translates a write or an edit
// into a patch if the agent has only a tool for patches. It returns an error if no tool fits.
func toNative(c Call, offered []Tool) (nativeCall, error) {
	if c.Exact {
		i := slices.IndexFunc(offered, func(t Tool) bool { return t.Name == c.Tool })
		if i < 0 {
			return nativeCall{}, notOfferedError(c, offered)
		}
		return exactCall(c, offered[i]), nil
	}
	t, ok := findTool(c.Tool, offered)
	if patch, can := asPatch(c); !ok && can {
		if t, ok = findTool("patch", offered); ok {
			return translateCall(Patch(patch), t)
		}
	}
	if !ok {
		return nativeCall{}, notOfferedError(c, offered)
	}
	return translateCall(c, t)
}

// exactCall returns a call to t with unchanged arguments.
func exactCall(c Call, t Tool) nativeCall {
	p := nativeCall{tool: t, args: c.Args}
	if p.args == nil {
		p.args = map[string]any{}
	}
	if t.FreeForm {
		p.text, _ = c.Args["input"].(string)
	}
	return p
}

// findTool returns the offered tool for a canonical name.
func findTool(canonical string, offered []Tool) (Tool, bool) {
	for _, name := range nativeNames(canonical) {
		for _, t := range offered {
			if t.Name == name || t.Namespace+"__"+t.Name == name {
				return t, true
			}
		}
	}
	return Tool{}, false
}

func notOfferedError(c Call, offered []Tool) error {
	names := make([]string, len(offered))
	for i, t := range offered {
		names[i] = t.Name
	}
	return fmt.Errorf("the agent offers no tool for %q, only %s", c.Tool, strings.Join(names, ", "))
}

// translateCall returns a call to t with the arguments of c under the names that t has for them.
func translateCall(c Call, t Tool) (nativeCall, error) {
	if t.FreeForm {
		text, _ := c.Args["patch"].(string)
		return nativeCall{tool: t, text: text}, nil
	}
	args := map[string]any{}
	c = asEditList(c, t)
	for _, key := range slices.Sorted(maps.Keys(c.Args)) {
		name, ok := pickParam(nativeArgs(key), t)
		if !ok {
			return nativeCall{}, fmt.Errorf("the tool %q has no parameter for %q", t.Name, key)
		}
		args[name] = c.Args[key]
		if command, ok := c.Args[key].(string); ok && key == "command" && t.Params[name].Type == "array" {
			args[name] = []string{"bash", "-lc", command}
		}
	}
	for _, name := range t.Required {
		if _, ok := args[name]; !ok {
			args[name] = fillerValue(t.Params[name])
		}
	}
	return nativeCall{tool: t, args: args}, nil
}

// asEditList returns an edit as a list of one edit if t takes such a list, and otherwise c.
func asEditList(c Call, t Tool) Call {
	if _, ok := t.Params["edits"]; !ok || c.Tool != "edit" {
		return c
	}
	one := map[string]any{"oldText": c.Args["old"], "newText": c.Args["new"]}
	c.Args = map[string]any{"path": c.Args["path"], "edits": []any{one}}
	return c
}

// pickParam returns the first of names that is a parameter of t. A tool without parameters in its
// schema accepts every name.
func pickParam(names []string, t Tool) (string, bool) {
	if len(t.Params) == 0 {
		return names[0], true
	}
	for _, n := range names {
		if _, ok := t.Params[n]; ok {
			return n, true
		}
	}
	return "", false
}

// fillerValue returns a value for an argument that the schema requires but the script does not set.
func fillerValue(p Param) any {
	if len(p.Enum) > 0 {
		return p.Enum[0]
	}
	switch strings.ToLower(p.Type) {
	case "boolean":
		return false
	case "number", "integer":
		return 0
	case "array":
		return []any{}
	case "object":
		return map[string]any{}
	}
	return "scripted"
}

// asPatch returns the patch that does the same as a write or an edit. It reports false for other
// calls.
func asPatch(c Call) (string, bool) {
	arg := func(key string) string { s, _ := c.Args[key].(string); return s }
	lines := func(mark, text string) string {
		return mark + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+mark) + "\n"
	}
	var body string
	switch c.Tool {
	case "write":
		body = "*** Add File: " + arg("path") + "\n" + lines("+", arg("content"))
	case "edit":
		body = "*** Update File: " + arg("path") + "\n@@\n" + lines("-", arg("old")) + lines("+", arg("new"))
	default:
		return "", false
	}
	return "*** Begin Patch\n" + body + "*** End Patch\n", true
}

// readSchema sets the parameters of t from a JSON schema. It ignores parts of an unexpected form.
func (t *Tool) readSchema(raw json.RawMessage) {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if json.Unmarshal(raw, &s) != nil {
		return
	}
	t.Required = s.Required
	t.Params = make(map[string]Param, len(s.Properties))
	for name, raw := range s.Properties {
		var p struct {
			Type any   `json:"type"`
			Enum []any `json:"enum"`
		}
		_ = json.Unmarshal(raw, &p)
		typ, _ := p.Type.(string)
		t.Params[name] = Param{Type: typ, Enum: p.Enum}
	}
}
