package claude

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

const keepRemedy = "keep the hook in checkrein.yaml and let Claude call checkrein"

// newEntry returns an entry with the type and settings of the handler of h. It returns false if Claude
// has no such handler.
func (w *writer) newEntry(h *checkrein.Hook) (object, bool) {
	switch h.Run {
	case "command":
		return w.commandEntry(h)
	case "http":
		return w.httpEntry(h)
	case "model":
		return w.promptEntry(h)
	}
	w.addLoss(h, "type", "Claude has no hooks of type "+h.Run, keepRemedy)
	return nil, false
}

// addUnknownSettings records a loss for each setting of the handler of h that is not in known.
func (w *writer) addUnknownSettings(h *checkrein.Hook, known ...string) {
	rawjson.Each(h.With, func(key string, _ []byte) bool {
		if !slices.Contains(known, key) {
			w.addLoss(h, key, "Claude has no such setting", "")
		}
		return true
	})
}

// commandEntry returns the entry of a command hook. It returns false if the hook has no command.
func (w *writer) commandEntry(h *checkrein.Hook) (object, bool) {
	var entry object
	entry.setText("type", "command")
	w.addUnknownSettings(h, "command", "argv")
	text, _ := getText(h.With, "command")
	list, _ := rawjson.Get(h.With, "argv")
	argv := decodeTexts(list)
	if text == "" && len(argv) == 0 {
		w.addLoss(h, "hook", "the hook has no command", "")
		return nil, false
	}
	switch {
	case text != "":
		entry.setText("command", text)
	case len(argv) == 5 && slices.Equal(argv, powershellArgv(argv[4])):
		entry.setText("command", argv[4])
		entry.setText("shell", "powershell")
	default:
		entry.setText("command", argv[0])
		entry.set("args", encodeTexts(argv[1:]))
	}
	return entry, true
}

// httpEntry returns the entry of an HTTP hook. It returns false if Claude does not run such hooks on
// the event.
func (w *writer) httpEntry(h *checkrein.Hook) (object, bool) {
	if h.On == checkrein.SessionStart || h.Event == "Setup" {
		w.addLoss(h, "type", "Claude does not run http hooks on "+eventLabel(h), "a command that posts the event")
		return nil, false
	}
	var entry, headers object
	entry.setText("type", "http")
	w.addUnknownSettings(h, "url", "headers", "allowed_env", "allow_local")
	url, _ := getText(h.With, "url")
	entry.setText("url", url)
	all, _ := rawjson.Get(h.With, "headers")
	rawjson.Each(all, func(name string, val []byte) bool {
		value, _ := rawjson.Text(val)
		theirs := rewriteVariables(value, envForm, "${", "}")
		if rewriteVariables(theirs, anyForm, "${env.", "}") != value {
			w.addLoss(h, "headers", "Claude expands every $NAME in "+name+" as a variable", "")
		}
		headers.setText(name, theirs)
		return true
	})
	if len(headers) > 0 {
		entry.set("headers", headers.end())
	}
	if list, ok := rawjson.Get(h.With, "allowed_env"); ok {
		entry.set("allowedEnvVars", encodeTexts(decodeTexts(list)))
	}
	if local, _ := rawjson.Get(h.With, "allow_local"); string(local) == "true" {
		entry.set("allow_local", local)
		if h.Dialect != dialect {
			w.addLoss(h, "allow_local", "only checkrein reads this key: Claude has no such setting", "")
		}
	}
	return entry, true
}

// promptEntry returns the entry of a model hook. It returns false if Claude cannot express its prompt.
func (w *writer) promptEntry(h *checkrein.Hook) (object, bool) {
	t, _ := getText(h.With, "prompt")
	prompt, ok := templatePrompt(t)
	if !ok {
		w.addLoss(h, "type", "Claude can insert only the whole event into a prompt", "write {{ . | toJSON }}")
		return nil, false
	}
	w.addUnknownSettings(h, "prompt", "model", "schema")
	if !strings.Contains(prompt, argumentsMarker) {
		w.addLoss(h, "prompt", "Claude appends the event to a prompt that does not say where it goes", "write {{ . | toJSON }}")
		prompt += "\n\n" + argumentsMarker
	}
	var entry object
	entry.setText("type", "prompt")
	entry.setText("prompt", prompt)
	if model, _ := getText(h.With, "model"); model != "" {
		name, theirs := strings.CutPrefix(model, provider)
		if theirs && !strings.Contains(name, "/") {
			entry.setText("model", name)
		} else {
			w.addLoss(h, "model", "Claude uses only its own models", "")
		}
	}
	if schema, _ := getText(h.With, "schema"); (schema == decisionSchema) != (h.On == checkrein.PreToolUse) {
		w.addLoss(h, "schema", "Claude reads a decision from every reply", "")
	}
	return entry, true
}
