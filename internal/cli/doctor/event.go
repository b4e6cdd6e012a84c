package doctor

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/fields"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// harmlessText is the text in the payloads of harmless events. No hook should refuse it.
const harmlessText = "checkrein doctor"

// NewEvent returns a harmless event of the kind that h is for, with a tool that h matches. The session
// works in dir and began in root.
func NewEvent(h *checkrein.Hook, dir, root string) checkrein.Event {
	row := checkrein.ContractOf(h.On)
	ev := checkrein.Event{Kind: h.On, Native: h.Event,
		Session: checkrein.Session{ID: "checkrein-doctor", Dir: dir, Root: root, Agent: "doctor"}}
	if row.Subject == checkrein.SubjectTool {
		ev.Tool = harmlessTool(h, dir)
	}
	if row.Text != "" {
		ev.Text = harmlessText
	}
	if row.Subject == checkrein.SubjectMessages {
		ev.Messages = json.RawMessage(`[{"role":"user","content":"` + harmlessText + `"}]`)
	}
	for _, name := range row.Fields {
		if name != "messages" {
			ev.Details = append(ev.Details, checkrein.Detail{Name: name, Value: sampleValue(h.On, name, dir)})
		}
	}
	return ev
}

// A harmlessCall is the input of a tool call that does no harm, with the tool's canonical name.
type harmlessCall struct{ canonical, input string }

// harmlessCalls lists the harmless calls, in the order in which tools are tried. %s stands for a file in
// the scratch directory.
var harmlessCalls = []harmlessCall{
	{"shell", `{"command":"echo checkrein doctor"}`},
	{"write", `{"path":%s,"content":"checkrein doctor\n"}`},
	{"edit", `{"path":%s,"old_string":"checkrein","new_string":"checkrein doctor"}`},
	{"read", `{"path":%s}`},
	{"list", `{"path":%s}`},
	{"glob", `{"pattern":"*.txt"}`},
	{"search", `{"pattern":"checkrein"}`},
	{"fetch", `{"url":"https://example.com/"}`},
	{"websearch", `{"query":"checkrein doctor"}`},
	{"patch", `{"patch":"*** Begin Patch\n*** End Patch"}`},
	{"task", `{"prompt":"checkrein doctor"}`},
	{"todo", `{"todos":[]}`},
}

// harmlessTool returns a harmless call of a tool that the matcher of h accepts.
func harmlessTool(h *checkrein.Hook, dir string) *checkrein.Tool {
	name, canonical := AcceptedTool(h)
	t := &checkrein.Tool{Name: name, Canonical: canonical, CallID: "checkrein-doctor", Input: json.RawMessage("{}")}
	for _, c := range harmlessCalls {
		if c.canonical == canonical {
			file := rawjson.Quote(filepath.Join(dir, "doctor.txt"))
			t.Input = json.RawMessage(strings.ReplaceAll(c.input, "%s", string(file)))
		}
	}
	switch h.On {
	case checkrein.PostToolUse, checkrein.ToolResponseTransform:
		t.Output = json.RawMessage(`"` + harmlessText + `\n"`)
	case checkrein.PostToolUseFailure:
		t.Output, t.Failed = json.RawMessage(`"`+harmlessText+`: failed"`), true
	}
	return t
}

// AcceptedTool returns the first of the wanted tools that the matcher of h accepts, by checkrein's
// name for it if possible or else by a host's. Without wanted tools, it tries all that have a harmless
// call. If the matcher accepts none of them, it returns the first.
func AcceptedTool(h *checkrein.Hook, wanted ...string) (name, canonical string) {
	all := len(wanted) == 0
	if all {
		for _, c := range harmlessCalls {
			wanted = append(wanted, c.canonical)
		}
	}
	m, err := match.CompileTool(h.Match, h.MatchWords)
	if err != nil || m.MatchesAll() {
		return wanted[0], wanted[0]
	}
	for _, want := range wanted {
		if m.Match(&checkrein.Tool{Name: want}, dialect.ToolName(h.Dialect, want)) {
			return want, want
		}
	}
	tools.EachName(func(native, is string) {
		if name == "" && (all || slices.Contains(wanted, is)) && m.Match(&checkrein.Tool{Name: native}, "") {
			name, canonical = native, is
		}
	})
	if name == "" {
		return wanted[0], wanted[0]
	}
	return name, canonical
}

// samples lists the values of fields for which the type alone does not determine a valid value.
var samples = []struct {
	on    checkrein.Kind // Other = on any event
	field string
	value string
}{
	// Hooks must not refuse these two; see the check overflow-veto.
	{checkrein.PreCompact, "source", `"overflow"`},
	{checkrein.BeforeCompaction, "compaction_reason", `"overflow"`},
	{checkrein.SessionStart, "source", `"startup"`},
	{checkrein.AfterCompaction, "source", `"manual"`},
	{checkrein.AfterCompaction, "compaction_reason", `"manual"`},
	{checkrein.TurnEnd, "reason", `"normal"`},
	{checkrein.SessionEnd, "reason", `"other"`},
	{checkrein.OnError, "notification_level", `"error"`},
	{checkrein.Other, "notification_level", `"warning"`},
	{checkrein.Other, "approval_decision", `"allow"`},
	{checkrein.Other, "approval_source", `"user_approved"`},
	{checkrein.Other, "agent_switch_kind", `"handoff"`},
	{checkrein.Other, "iteration", "1"},
	{checkrein.Other, "model_id", `"checkrein/doctor"`},
	{checkrein.Other, "tool_names", `["shell"]`},
	{checkrein.Other, "usage", `{"input_tokens":1,"output_tokens":1}`},
	{checkrein.Other, "tokens", `{"input":1,"output":1}`},
	{checkrein.Other, "steering_messages", `["checkrein doctor"]`},
}

// sampleValue returns a valid JSON value of a field for an event of the kind on. Fields for
// directories get dir.
func sampleValue(on checkrein.Kind, field, dir string) json.RawMessage {
	for _, s := range samples {
		if s.field == field && (s.on == on || s.on == checkrein.Other) {
			return json.RawMessage(s.value)
		}
	}
	switch field {
	case "worktree_path", "worktree_source_dir":
		return rawjson.Quote(dir)
	}
	f, known := fields.Find(field)
	if !known {
		return json.RawMessage(`"` + harmlessText + `"`)
	}
	switch f.Type {
	case fields.NumberValue:
		return json.RawMessage("0")
	case fields.BoolValue:
		return json.RawMessage("false")
	case fields.ObjectValue:
		return json.RawMessage("{}")
	case fields.ListValue:
		return json.RawMessage("[]")
	}
	return json.RawMessage(`"` + harmlessText + `"`)
}
