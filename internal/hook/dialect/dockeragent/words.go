package dockeragent

import (
	"encoding/json"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/dialect/toolnames"
	"github.com/checkrein/checkrein/internal/hook/payload"
)

// vocabulary lists docker-agent's names for tools and arguments.
var vocabulary = toolnames.Table{
	{Canonical: "shell", Name: "shell", Args: [][2]string{{"command", "cmd"}}},
	{Canonical: "read", Name: "read_file"},
	{Canonical: "write", Name: "write_file"},
	{Canonical: "edit", Name: "edit_file"},
	{Canonical: "list", Name: "list_directory"},
	{Canonical: "search", Name: "search_files_content"},
	{Canonical: "fetch", Name: "fetch"},
}

// encode returns the payload for ev with docker-agent's names for the event, the tool and its
// arguments. The output is a string, because docker-agent's tools return strings and its hooks search
// them. If the host's names differ, they are in "native".
func encode(ev checkrein.Event) ([]byte, error) {
	ev, host, err := vocabulary.Translate(ev)
	if err != nil {
		return nil, err
	}
	ev, host = toolnames.TextOutput(ev, host)
	body := payload.Append(nil, &ev, func(b []byte) []byte {
		if native := toolnames.NativeNames(&ev, payload.EventName(&ev), host); native != nil {
			b = payload.AppendRaw(b, "native", native)
		}
		return b
	})
	return payload.MakePortable(body)
}

// These are functions, because method values would be created at program start.

func localize(ev checkrein.Event, patch json.RawMessage) (json.RawMessage, error) {
	return vocabulary.Localize(ev, patch)
}

func toolName(canonical string) string { return vocabulary.ToolName(canonical) }
