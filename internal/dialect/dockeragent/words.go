package dockeragent

import (
	"encoding/json"
	"fmt"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/envelope"
	"github.com/checkrein/checkrein/internal/rawjson"
)

// A word is docker-agent's name for a tool, and for its arguments where they
// differ from checkrein's.
type word struct {
	canonical, name string
	args            [][2]string // canonical, docker-agent's
}

var words = [...]word{
	{"shell", "shell", [][2]string{{"command", "cmd"}}},
	{"read", "read_file", nil},
	{"write", "write_file", nil},
	{"edit", "edit_file", nil},
	{"list", "list_directory", nil},
	{"search", "search_files_content", nil},
	{"fetch", "fetch", nil},
}

func wordFor(canonical string) *word {
	for i := range words {
		if words[i].canonical == canonical {
			return &words[i]
		}
	}
	return nil
}

func toolName(canonical string) string {
	if w := wordFor(canonical); w != nil {
		return w.name
	}
	return ""
}

// arg is docker-agent's name for an argument that some host calls name.
func (w *word) arg(name string) string {
	canonical := checkrein.CanonicalArg(name)
	for _, a := range w.args {
		if a[0] == canonical {
			return a[1]
		}
	}
	return canonical
}

// encode writes the event with docker-agent's names for the tool and its
// arguments, and the host's under "native" where they differ.
func encode(ev checkrein.Event) ([]byte, error) {
	if ev.Tool == nil {
		return envelope.Append(nil, &ev, nil), nil
	}
	w := wordFor(ev.Tool.Canonical)
	if w == nil || w.name == ev.Tool.Name {
		return envelope.Append(nil, &ev, nil), nil
	}
	host := *ev.Tool
	local := host
	local.Name = w.name
	local.Input = w.rename(host.Input)
	ev.Tool = &local
	return envelope.Append(nil, &ev, func(b []byte) []byte {
		native := envelope.Text([]byte{'{'}, "tool_name", host.Name)
		if host.Input != nil {
			native = envelope.Raw(native, "tool_input", host.Input)
		}
		return envelope.Raw(b, "native", append(native, '}'))
	}), nil
}

func (w *word) rename(input json.RawMessage) json.RawMessage {
	if input == nil {
		return nil
	}
	out := []byte{'{'}
	rawjson.Each(input, func(key string, val []byte) bool {
		out = envelope.Raw(out, w.arg(key), val)
		return true
	})
	return append(out, '}')
}

// localize maps a patch in docker-agent's names to the keys that the host's
// call has.
func localize(ev checkrein.Event, patch json.RawMessage) (json.RawMessage, error) {
	if ev.Tool == nil {
		return patch, nil
	}
	w := wordFor(ev.Tool.Canonical)
	if w == nil || w.name == ev.Tool.Name {
		return patch, nil
	}
	out := []byte{'{'}
	var err error
	rawjson.Each(patch, func(key string, val []byte) bool {
		hostKey := ev.Tool.ArgKey(key)
		if _, twice := rawjson.Get(append(out[:len(out):len(out)], '}'), hostKey); twice {
			err = fmt.Errorf("the rewrite sets the host's %q twice", hostKey)
		}
		out = envelope.Raw(out, hostKey, val)
		return true
	})
	return append(out, '}'), err
}
