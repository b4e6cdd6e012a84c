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
	var more func([]byte) []byte
	if w := foreign(&ev); w != nil {
		host, local := ev.Tool, *ev.Tool
		var err error
		if local.Input, err = w.rename(host); err != nil {
			return nil, err
		}
		local.Name = w.name
		ev.Tool = &local
		more = func(b []byte) []byte {
			native := envelope.Text([]byte{'{'}, "tool_name", host.Name)
			if host.Input != nil {
				native = envelope.Raw(native, "tool_input", host.Input)
			}
			return envelope.Raw(b, "native", append(native, '}'))
		}
	}
	body := envelope.Append(nil, &ev, more)
	return body, rawjson.CheckObject(body) // what a caller put together may be anything
}

// foreign returns the word for a tool that the host calls something else, nil
// for any other.
func foreign(ev *checkrein.Event) *word {
	if ev.Tool == nil {
		return nil
	}
	if w := wordFor(ev.Tool.Canonical); w != nil && w.name != ev.Tool.Name {
		return w
	}
	return nil
}

// rename gives the arguments docker-agent's names. Two that would get the same
// one are an error: which of them the host obeys is not known here, and a hook
// would see but one of them.
func (w *word) rename(t *checkrein.Tool) (json.RawMessage, error) {
	if t.Input == nil {
		return nil, nil
	}
	out := []byte{'{'}
	var err error
	rawjson.Each(t.Input, func(key string, val []byte) bool {
		name := w.arg(key)
		other, twice := rawjson.Get(append(out[:len(out):len(out)], '}'), name)
		switch {
		case rawjson.Kind(val) == 'n' && t.ArgKey(key) != key: // there is one that says something
		case !twice:
			out = envelope.Raw(out, name, val)
		case !rawjson.Equal(other, val):
			err = fmt.Errorf("the call has %s under two names, one of them %q", name, key)
		}
		return err == nil
	})
	return append(out, '}'), err
}

// localize maps a patch in docker-agent's names to the keys that the host's
// call has.
func localize(ev checkrein.Event, patch json.RawMessage) (json.RawMessage, error) {
	if foreign(&ev) == nil {
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
