package claude

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/dialect/toolnames"
	"github.com/checkrein/checkrein/internal/hook/payload"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// claudeTools lists the names of Claude's own tools.
var claudeTools = [...]string{
	"Agent", "AskUserQuestion", "Bash", "BashOutput", "Edit", "EnterPlanMode", "ExitPlanMode", "Glob", "Grep", "KillShell", "LS",
	"ListMcpResourcesTool", "MultiEdit", "NotebookEdit", "NotebookRead", "Read", "ReadMcpResourceTool", "Skill", "SlashCommand",
	"StructuredOutput", "Task", "TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TodoWrite",
	"ToolSearch", "WebFetch", "WebSearch", "Write",
}

// vocabulary lists Claude's names. It includes arguments with the same name as in checkrein, for
// hasForeignArg.
var vocabulary = toolnames.Table{
	{Canonical: "shell", Name: "Bash", Args: [][2]string{{"command", "command"}}},
	{Canonical: "read", Name: "Read", Args: [][2]string{{"path", "file_path"}}},
	{Canonical: "write", Name: "Write", Args: [][2]string{{"path", "file_path"}, {"content", "content"}}},
	{Canonical: "edit", Name: "Edit", Args: [][2]string{{"path", "file_path"}, {"old_string", "old_string"}, {"new_string", "new_string"}}},
	{Canonical: "glob", Name: "Glob", Args: [][2]string{{"pattern", "pattern"}, {"path", "path"}}},
	{Canonical: "search", Name: "Grep", Args: [][2]string{{"pattern", "pattern"}, {"path", "path"}}},
	{Canonical: "list", Name: "LS", Args: [][2]string{{"path", "path"}}},
	{Canonical: "fetch", Name: "WebFetch", Args: [][2]string{{"url", "url"}}},
	{Canonical: "websearch", Name: "WebSearch", Args: [][2]string{{"pattern", "query"}}},
	{Canonical: "task", Name: "Task"},
	{Canonical: "todo", Name: "TodoWrite"},
}

// toolName returns Claude's name for the tool canonical, or "" if it has none. A patch counts as Edit,
// because it changes files as well.
func toolName(canonical string) string {
	if name := mcpName(canonical); name != "" {
		return name
	}
	if canonical == "patch" {
		return "Edit"
	}
	return vocabulary.ToolName(canonical)
}

// mcpName returns Claude's name for a canonical name of the form mcp:server/tool, or "" for other
// names.
func mcpName(canonical string) string {
	rest, ok := strings.CutPrefix(canonical, "mcp:")
	if !ok {
		return ""
	}
	return "mcp__" + strings.Replace(rest, "/", "__", 1)
}

// translateEvent returns ev with the tool call in Claude's names, and the host's own tool call, or nil
// if that is the same.
func translateEvent(ev checkrein.Event) (checkrein.Event, *checkrein.Tool, error) {
	host := ev.Tool
	if host == nil {
		return ev, nil, nil
	}
	if name := mcpName(host.Canonical); name != "" {
		if name == host.Name {
			return ev, nil, nil
		}
		local := *host // only the name differs, since the MCP server defines the arguments
		local.Name = name
		ev.Tool = &local
		return ev, host, nil
	}
	if ours, ok := foreignEvent(ev); ok {
		ev, _, err := vocabulary.Translate(ours)
		return ev, host, err
	}
	return ev, nil, nil
}

// foreignEvent reports whether the tool call of ev uses another system's names, and returns ev in a
// form that vocabulary translates. Claude's own tools are not foreign, unless the host uses the name
// of one for another tool.
func foreignEvent(ev checkrein.Event) (checkrein.Event, bool) {
	word := vocabulary.ToolName(ev.Tool.Canonical)
	switch {
	case word == "":
		return ev, false
	case ev.Tool.Name == word:
		nameless := *ev.Tool
		nameless.Name = ""
		ev.Tool = &nameless
		return ev, hasForeignArg(&nameless)
	}
	return ev, !slices.Contains(claudeTools[:], ev.Tool.Name)
}

// hasForeignArg reports whether t has an argument under a name that Claude does not use for it.
func hasForeignArg(t *checkrein.Tool) bool {
	for _, w := range vocabulary {
		if w.Canonical != t.Canonical {
			continue
		}
		for _, a := range w.Args {
			if t.ArgKey(a[1]) != a[1] {
				return true
			}
		}
	}
	return false
}

// localize translates the rewrite patch from Claude's names to the host's.
func localize(ev checkrein.Event, patch json.RawMessage) (json.RawMessage, error) {
	if ev.Tool == nil || mcpName(ev.Tool.Canonical) != "" {
		return patch, nil
	}
	if ours, ok := foreignEvent(ev); ok {
		return vocabulary.Localize(ours, patch)
	}
	return patch, nil
}

// encode returns Claude's payload for ev. If the host's names for the tool differ, the payload
// contains them in "native".
func encode(ev checkrein.Event) ([]byte, error) {
	ev, host, err := translateEvent(ev)
	if err != nil {
		return nil, err
	}
	p := encoder{kind: ev.Kind}
	p.put("session_id", rawjson.Quote(ev.Session.ID))
	p.put("cwd", rawjson.Quote(ev.Session.Dir))
	p.put("hook_event_name", rawjson.Quote(eventName(&ev)))
	p.putText("agent_id", ev.Session.Agent)
	if ev.Tool != nil {
		p.putTool(&ev)
	}
	if native := toolnames.NativeNames(&ev, eventName(&ev), host); native != nil {
		p.put("native", native)
	}
	if row := checkrein.ContractOf(ev.Kind); row.Text != "" {
		p.putText(p.fieldName(row.Text), ev.Text)
	}
	if ev.Messages != nil {
		p.put("messages", ev.Messages)
	}
	for _, d := range ev.Details {
		p.put(p.fieldName(d.Name), d.Value)
	}
	body := p.out.end()
	return payload.MakePortable(body)
}

// eventName returns Claude's name for ev, or the host's or checkrein's name if Claude has none.
func eventName(ev *checkrein.Event) string {
	if ev.Kind == checkrein.Other && ev.Native != "" {
		return ev.Native
	}
	if name := claudeEventName(ev.Kind); name != "" {
		return name
	}
	return ev.Kind.String()
}

// An encoder writes a payload. If a name is put twice, the first value counts, because several fields
// may have the same name in Claude.
type encoder struct {
	kind    checkrein.Kind
	out     object
	written []string
}

func (p *encoder) put(name string, val []byte) {
	if !slices.Contains(p.written, name) {
		p.written = append(p.written, name)
		p.out.set(name, val)
	}
}

func (p *encoder) putText(name, val string) {
	if val != "" {
		p.put(name, rawjson.Quote(val))
	}
}

func (p *encoder) putTool(ev *checkrein.Event) {
	t := ev.Tool
	p.putText("tool_name", t.Name)
	if t.Input != nil {
		p.put("tool_input", t.Input)
	}
	if t.Output != nil {
		p.put("tool_response", t.Output)
	}
	p.putText("tool_use_id", t.CallID)
	p.putText("tool_category", t.Category)
	if t.Failed {
		p.put("tool_error", []byte("true"))
	}
	// Other hosts report in the output what Claude reports in "error".
	if ev.Kind == checkrein.PostToolUseFailure && ev.Detail("error") == nil {
		if s, ok := rawjson.Text(t.Output); ok {
			p.putText("error", s)
		}
	}
}

// fieldName returns Claude's name for checkrein's field.
func (p *encoder) fieldName(field string) string {
	switch p.kind {
	case checkrein.Stop, checkrein.SubagentStop, checkrein.SubagentStart:
		switch field {
		case "stop_response":
			return "last_assistant_message"
		case "subagent_type":
			return "agent_type"
		}
	case checkrein.PreCompact, checkrein.AfterCompaction:
		switch field {
		case "source":
			return "trigger"
		case "summary":
			return "compact_summary"
		}
	case checkrein.Notification:
		if field == "notification_message" {
			return "message"
		}
	}
	return field
}
