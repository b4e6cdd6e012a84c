package hostfiles

import (
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Lost returns what in a text of the file keeps the host from calling checkrein for
// events that it was installed for; "" = nothing that shows here. A nil text is no
// file.
func (f *File) Lost(text []byte, gates []string) string {
	switch {
	case text == nil:
		return "the file is missing"
	case f.Form == hosts.Whole:
		return ""
	}
	w, err := f.read(text)
	switch {
	case err != nil:
		return "the file cannot be read: " + err.Error()
	case len(w.entries) == 0:
		return "checkrein's entries are missing"
	case len(w.off) > 0:
		return w.off[0] + " turns hooks off"
	case len(w.strange) > 0:
		return "because of " + w.strange[0] + ", the agent ignores all hooks in the file"
	case f.Form != hosts.JSON || len(f.Plugins) > 0:
		return ""
	}
	for _, event := range gates {
		if !w.has(event) {
			return "checkrein's entry for " + event + " is missing"
		}
	}
	return ""
}

// Foreign lists what of other people's hooks a text of the file brings: the events
// that have some, and plugins.
func (f *File) Foreign(text []byte) []string {
	if text == nil || f.Form == hosts.Whole || f.Form == hosts.Lines {
		return nil
	}
	doc, err := f.document(text)
	if err != nil {
		return nil
	}
	var out []string
	if len(f.Plugins) > 0 {
		for _, e := range doc.Get("plugin").Elements() {
			if s, ok := pluginOf(e); ok && !f.plugin(s) {
				out = append(out, "the plugin "+s)
			}
		}
		return out
	}
	hooks := doc.Get("hooks")
	for i, event := range hooks.Keys {
		if f.foreign(hooks.Parts[i].Elements(), 0) {
			out = append(out, event)
		}
	}
	return out
}

// commands are the keys of a hook that say what it runs.
var commands = [...]string{"command", "bash", "powershell", "url", "prompt"}

// foreign reports whether a list has a hook that is not ours.
func (f *File) foreign(list []rawjson.Value, depth int) bool {
	if depth > deepest {
		return false
	}
	for _, e := range list {
		if inner := e.Get("hooks"); inner.Kind == '[' {
			if f.foreign(inner.Parts, depth+1) {
				return true
			}
			continue
		}
		for _, key := range commands {
			if s := e.Get(key).Text; s != "" {
				if _, ours := Ours(s, f.Host); !ours {
					return true
				}
			}
		}
	}
	return false
}
