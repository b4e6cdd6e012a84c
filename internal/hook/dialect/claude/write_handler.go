package claude

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

const keep = "keep the hook in checkrein.yaml and let Claude call checkrein"

// handler begins the entry of a hook with what it runs; false when Claude runs
// nothing like it.
func (w *writer) handler(h *checkrein.Hook) (object, bool) {
	switch h.Run {
	case "command":
		return w.command(h)
	case "http":
		return w.http(h)
	case "model":
		return w.prompt(h)
	}
	w.lose(h, "type", "Claude has no hooks of type "+h.Run, keep)
	return nil, false
}

// strangers reports settings that an entry has no key for.
func (w *writer) strangers(h *checkrein.Hook, known ...string) {
	rawjson.Each(h.With, func(key string, _ []byte) bool {
		if !slices.Contains(known, key) {
			w.lose(h, key, "Claude has no such setting", "")
		}
		return true
	})
}

func (w *writer) command(h *checkrein.Hook) (object, bool) {
	var entry object
	entry.text("type", "command")
	w.strangers(h, "command", "argv")
	text, _ := textAt(h.With, "command")
	list, _ := rawjson.Get(h.With, "argv")
	argv := textsOf(list)
	if text == "" && len(argv) == 0 {
		w.lose(h, "hook", "the hook has no command", "")
		return nil, false
	}
	switch {
	case text != "":
		entry.text("command", text)
	case len(argv) == 5 && slices.Equal(argv, powershell(argv[4])):
		entry.text("command", argv[4])
		entry.text("shell", "powershell")
	default:
		entry.text("command", argv[0])
		entry.set("args", texts(argv[1:]))
	}
	return entry, true
}

func (w *writer) http(h *checkrein.Hook) (object, bool) {
	if h.On == checkrein.SessionStart || h.Event == "Setup" {
		w.lose(h, "type", "Claude does not run http hooks on "+called(h), "a command that posts the event")
		return nil, false
	}
	var entry, headers object
	entry.text("type", "http")
	w.strangers(h, "url", "headers", "allowed_env", "allow_local")
	url, _ := textAt(h.With, "url")
	entry.text("url", url)
	all, _ := rawjson.Get(h.With, "headers")
	rawjson.Each(all, func(name string, val []byte) bool {
		value, _ := rawjson.Text(val)
		theirs := respell(value, envForm, "${", "}")
		if respell(theirs, anyForm, "${env.", "}") != value {
			w.lose(h, "headers", "Claude expands every $NAME in "+name+" as a variable", "")
		}
		headers.text(name, theirs)
		return true
	})
	if len(headers) > 0 {
		entry.set("headers", headers.end())
	}
	if list, ok := rawjson.Get(h.With, "allowed_env"); ok {
		entry.set("allowedEnvVars", texts(textsOf(list)))
	}
	if local, _ := rawjson.Get(h.With, "allow_local"); string(local) == "true" {
		entry.set("allow_local", local)
		if h.Dialect != dialect {
			w.lose(h, "allow_local", "only checkrein reads this key: Claude has no such setting", "")
		}
	}
	return entry, true
}

func (w *writer) prompt(h *checkrein.Hook) (object, bool) {
	t, _ := textAt(h.With, "prompt")
	prompt, ok := untemplate(t)
	if !ok {
		w.lose(h, "type", "Claude can insert only the whole event into a prompt", "write {{ . | toJSON }}")
		return nil, false
	}
	w.strangers(h, "prompt", "model", "schema")
	if !strings.Contains(prompt, marker) {
		w.lose(h, "prompt", "Claude appends the event to a prompt that does not say where it goes", "write {{ . | toJSON }}")
		prompt += "\n\n" + marker
	}
	var entry object
	entry.text("type", "prompt")
	entry.text("prompt", prompt)
	if model, _ := textAt(h.With, "model"); model != "" {
		name, theirs := strings.CutPrefix(model, provider)
		if theirs && !strings.Contains(name, "/") {
			entry.text("model", name)
		} else {
			w.lose(h, "model", "Claude uses only its own models", "")
		}
	}
	if schema, _ := textAt(h.With, "schema"); (schema == decisions) != (h.On == checkrein.PreToolUse) {
		w.lose(h, "schema", "Claude reads a decision from every reply", "")
	}
	return entry, true
}
