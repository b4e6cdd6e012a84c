package hostfiles

import (
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// DescribeLoss describes what in text, the text of the file, keeps the host from calling checkrein for
// the events in gates. It returns "" if nothing does. A nil text stands for a missing file.
func (f *File) DescribeLoss(text []byte, gates []string) string {
	switch {
	case text == nil:
		return "the file is missing"
	case f.Form == hosts.Whole:
		return ""
	}
	w, err := f.readWiring(text)
	switch {
	case err != nil:
		return "the file cannot be read: " + err.Error()
	case len(w.entries) == 0:
		return "checkrein's entries are missing"
	case len(w.off) > 0:
		return w.off[0] + " turns hooks off"
	case len(w.invalid) > 0:
		return "because of " + w.invalid[0] + ", the agent ignores all hooks in the file"
	case f.Form != hosts.JSON || len(f.Plugins) > 0:
		return ""
	}
	for _, event := range gates {
		if !w.hasEntry(event) {
			return "checkrein's entry for " + event + " is missing"
		}
	}
	return ""
}

// ForeignHooks returns the events for which text, the text of the file, has hooks other than
// checkrein's. For a file that lists plugins, it returns a description of each plugin other than
// checkrein's.
func (f *File) ForeignHooks(text []byte) []string {
	if text == nil || f.Form == hosts.Whole || f.Form == hosts.Lines {
		return nil
	}
	doc, err := f.parse(text)
	if err != nil {
		return nil
	}
	var out []string
	if len(f.Plugins) > 0 {
		for _, e := range doc.Get("plugin").Elements() {
			if s, ok := pluginName(e); ok && !f.isOwnPlugin(s) {
				out = append(out, "the plugin "+s)
			}
		}
		return out
	}
	hooks := doc.Get("hooks")
	for i, event := range hooks.Keys {
		if f.hasForeignHook(hooks.Parts[i].Elements(), 0) {
			out = append(out, event)
		}
	}
	return out
}

// commandKeys lists the keys of a hook that name what it runs.
var commandKeys = [...]string{"command", "bash", "powershell", "url", "prompt"}

// hasForeignHook reports whether list has a hook other than checkrein's.
func (f *File) hasForeignHook(list []rawjson.Value, depth int) bool {
	if depth > maxEntryDepth {
		return false
	}
	for _, e := range list {
		if inner := e.Get("hooks"); inner.Kind == '[' {
			if f.hasForeignHook(inner.Parts, depth+1) {
				return true
			}
			continue
		}
		for _, key := range commandKeys {
			if s := e.Get(key).Text; s != "" {
				if _, ours := OwnProgram(s, f.Host); !ours {
					return true
				}
			}
		}
	}
	return false
}
