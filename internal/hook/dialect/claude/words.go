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

// claudeTools are the names of Claude's own tools.
var claudeTools = [...]string{
	"Agent", "AskUserQuestion", "Bash", "BashOutput", "Edit", "EnterPlanMode", "ExitPlanMode", "Glob", "Grep", "KillShell", "LS",
	"ListMcpResourcesTool", "MultiEdit", "NotebookEdit", "NotebookRead", "Read", "ReadMcpResourceTool", "Skill", "SlashCommand",
	"StructuredOutput", "Task", "TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TodoWrite",
	"ToolSearch", "WebFetch", "WebSearch", "Write",
}

// vocabulary is Claude's. Arguments with checkrein's own name are listed as
// well: see respelt.
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

// toolName is Claude's name for a tool. A patch has none, and is heard where
// edits are: its files change as well.
func toolName(canonical string) string {
	if name := mcpName(canonical); name != "" {
		return name
	}
	if canonical == "patch" {
		return "Edit"
	}
	return vocabulary.ToolName(canonical)
}

// mcpName spells mcp:server/tool as Claude does; "" for anything else.
func mcpName(canonical string) string {
	rest, ok := strings.CutPrefix(canonical, "mcp:")
	if !ok {
		return ""
	}
	return "mcp__" + strings.Replace(rest, "/", "__", 1)
}

// translate returns the event with its tool in Claude's words, and the tool as
// the host has it, nil when that is the same.
func translate(ev checkrein.Event) (checkrein.Event, *checkrein.Tool, error) {
	host := ev.Tool
	if host == nil {
		return ev, nil, nil
	}
	if name := mcpName(host.Canonical); name != "" {
		if name == host.Name {
			return ev, nil, nil
		}
		local := *host // the arguments are the server's
		local.Name = name
		ev.Tool = &local
		return ev, host, nil
	}
	if ours, ok := foreign(ev); ok {
		ev, _, err := vocabulary.Translate(ours)
		return ev, host, err
	}
	return ev, nil, nil
}

// foreign reports whether the tool's words are another system's, and returns
// the event so that the vocabulary takes them for such. Claude's own tools are
// left alone, unless a host means something else by the name.
func foreign(ev checkrein.Event) (checkrein.Event, bool) {
	word := vocabulary.ToolName(ev.Tool.Canonical)
	switch {
	case word == "":
		return ev, false
	case ev.Tool.Name == word:
		nameless := *ev.Tool
		nameless.Name = ""
		ev.Tool = &nameless
		return ev, respelt(&nameless)
	}
	return ev, !slices.Contains(claudeTools[:], ev.Tool.Name)
}

// respelt reports whether a call has an argument under a name that Claude does
// not use for it.
func respelt(t *checkrein.Tool) bool {
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

// localize maps a rewrite in Claude's words to the host's.
func localize(ev checkrein.Event, patch json.RawMessage) (json.RawMessage, error) {
	if ev.Tool == nil || mcpName(ev.Tool.Canonical) != "" {
		return patch, nil
	}
	if ours, ok := foreign(ev); ok {
		return vocabulary.Localize(ours, patch)
	}
	return patch, nil
}

// encode writes the event as Claude would, with the host's tool under "native"
// where its words differ.
func encode(ev checkrein.Event) ([]byte, error) {
	ev, host, err := translate(ev)
	if err != nil {
		return nil, err
	}
	p := encoder{kind: ev.Kind}
	p.raw("session_id", rawjson.Quote(ev.Session.ID))
	p.raw("cwd", rawjson.Quote(ev.Session.Dir))
	p.raw("hook_event_name", rawjson.Quote(eventName(&ev)))
	p.text("agent_id", ev.Session.Agent)
	if ev.Tool != nil {
		p.tool(&ev)
	}
	if native := toolnames.Native(&ev, eventName(&ev), host); native != nil {
		p.raw("native", native)
	}
	if row := checkrein.ContractOf(ev.Kind); row.Text != "" {
		p.text(p.word(row.Text), ev.Text)
	}
	if ev.Messages != nil {
		p.raw("messages", ev.Messages)
	}
	for _, d := range ev.Details {
		p.raw(p.word(d.Name), d.Value)
	}
	body := p.out.end()
	return payload.Finish(body)
}

// eventName is Claude's name for the event, else the host's or checkrein's.
func eventName(ev *checkrein.Event) string {
	if ev.Kind == checkrein.Other && ev.Native != "" {
		return ev.Native
	}
	if name := nameOf(ev.Kind); name != "" {
		return name
	}
	return ev.Kind.String()
}

// An encoder writes a payload. What was said first counts: an event may keep
// a thing under several names.
type encoder struct {
	kind checkrein.Kind
	out  object
	said []string
}

func (p *encoder) raw(name string, val []byte) {
	if !slices.Contains(p.said, name) {
		p.said = append(p.said, name)
		p.out.set(name, val)
	}
}

func (p *encoder) text(name, val string) {
	if val != "" {
		p.raw(name, rawjson.Quote(val))
	}
}

func (p *encoder) tool(ev *checkrein.Event) {
	t := ev.Tool
	p.text("tool_name", t.Name)
	if t.Input != nil {
		p.raw("tool_input", t.Input)
	}
	if t.Output != nil {
		p.raw("tool_response", t.Output)
	}
	p.text("tool_use_id", t.CallID)
	p.text("tool_category", t.Category)
	if t.Failed {
		p.raw("tool_error", []byte("true"))
	}
	// Other hosts put into the output what Claude calls the error.
	if ev.Kind == checkrein.PostToolUseFailure && ev.Detail("error") == nil {
		if s, ok := rawjson.Text(t.Output); ok {
			p.text("error", s)
		}
	}
}

// word is Claude's name for a field.
func (p *encoder) word(field string) string {
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
