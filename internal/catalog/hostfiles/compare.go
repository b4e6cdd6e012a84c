package hostfiles

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Change returns what a new text of a file does to the wiring; "" = it leaves that as
// it is. A nil text is no file.
func (f *File) Change(before, after []byte) string {
	switch {
	case before == nil && after == nil, before != nil && after != nil && bytes.Equal(before, after):
		return ""
	case f.Form == hosts.Whole:
		return "changes a file that only checkrein or the agent's own dialog may write"
	}
	was, err := f.read(before)
	if err != nil {
		was = wired{} // a host makes nothing of it either
	}
	is, err := f.read(after)
	if err != nil {
		return "leaves the file in a form that checkrein cannot read (" + err.Error() + ")"
	}
	return f.compare(&was, &is)
}

// Wired reports whether a text of the file has entries of ours.
func (f *File) Wired(text []byte) bool {
	if f.Form == hosts.Whole {
		return text != nil
	}
	w, err := f.read(text)
	return err == nil && len(w.entries) > 0
}

// Gated reports whether a text of the file has an entry of ours on the event before
// a tool runs, and lists the switches that it turns.
func (f *File) Gated(text []byte) (gated bool, off []string) {
	w, err := f.read(text)
	if err != nil {
		return false, nil
	}
	return f.Gate != "" && w.has(f.Gate), w.off
}

// Off lists the switches that a text of the file turns.
func (f *File) Off(text []byte) []string {
	_, off := f.Gated(text)
	return off
}

// sets describes what a program of the host that sets or removes one setting does to the
// wiring; "" = nothing.
func (f *File) sets(key, value string, removes bool) string {
	v, known := settingValue(value)
	if removes || !known {
		for _, s := range f.Switches {
			if (s.Off == hosts.Changed || !removes) && leadsTo(key, s.Path) {
				return "changes " + s.Path + ", which may turn hooks off"
			}
		}
		return ""
	}
	keys := strings.Split(key, ".")
	slices.Reverse(keys)
	for _, k := range keys {
		o := rawjson.Object{'{'}
		o.Raw(k, v.JSON)
		o.Close()
		v = rawjson.Value{Kind: '{', JSON: o, Keys: []string{k}, Parts: []rawjson.Value{v}}
	}
	var is wired
	is.addSwitches(f, v)
	return f.compare(&wired{}, &is)
}

// settingValue returns the value of a setting on a command line. It reports false for one
// that is not known, or that is written in another way.
func settingValue(text string) (v rawjson.Value, known bool) {
	switch strings.ToLower(text) {
	case "on", "yes":
		text = "true"
	case "off", "no":
		text = "false"
	}
	if v, err := rawjson.ParseValue([]byte(text)); err == nil {
		return v, true
	}
	v, err := rawjson.ParseValue(rawjson.AppendString(nil, text))
	return v, err == nil && !strings.ContainsAny(text, "{["+string(facts.Hole))
}

func (f *File) compare(was, is *wired) string {
	left := slices.Clone(is.entries)
	for _, e := range was.entries {
		i := slices.Index(left, e)
		if i < 0 {
			return "removes or changes checkrein's entry at " + strings.TrimPrefix(e.where, ".")
		}
		left = slices.Delete(left, i, i+1)
	}
	for _, s := range is.off {
		if !slices.Contains(was.off, s) {
			return "sets " + s + ", which turns hooks off"
		}
	}
	for i, s := range is.kept {
		if i < len(was.kept) && was.kept[i] != s || i >= len(was.kept) && s != "" {
			return "changes " + f.keptPath(i) + ", which decides whose hooks the agent runs"
		}
	}
	for _, s := range is.behind {
		if !slices.Contains(was.behind, s) && len(was.entries) > 0 {
			return "loads the plugin " + s + " after checkrein's, so it can change what checkrein has already checked: put it before checkrein's"
		}
	}
	for _, s := range is.strange {
		if !slices.Contains(was.strange, s) && len(was.entries) > 0 {
			return "has " + s + ", which makes the agent ignore all hooks in the file"
		}
	}
	return ""
}

// wired is what counts of a text.
type wired struct {
	entries []entry  // ours
	off     []string // switches that are turned
	kept    []string // the values that must stay, one for each such switch
	behind  []string // plugins after ours
	strange []string // what takes the file down
}

// An entry is a line of ours in a file: where it stands, and what it is with all that is
// around it.
type entry struct{ where, what string }

// has reports whether there is an entry for an event.
func (w *wired) has(event string) bool {
	return slices.ContainsFunc(w.entries, func(e entry) bool { return strings.HasPrefix(e.where, ".hooks."+event+"[") })
}

// read reads a text; none is an empty one.
func (f *File) read(text []byte) (wired, error) {
	var w wired
	if f.Form == hosts.Lines {
		for line := range bytes.Lines(text) {
			line := strings.TrimSpace(string(line))
			if _, ok := Ours(line, f.Host); ok {
				w.entries = append(w.entries, entry{what: line})
			}
		}
		return w, nil
	}
	doc, err := f.document(text)
	switch {
	case err != nil:
		return w, err
	case doc.Kind != '{':
		return w, errors.New("the file is not a JSON object")
	case doc.Twice:
		return w, errors.New("a key appears twice")
	}
	w.addEntries(f, doc, "", "", 0)
	w.addSwitches(f, doc)
	w.addStrange(f, doc)
	return w, nil
}

// deepest is how deep in a file our entries lie at most.
const deepest = 16

// addEntries collects our entries. Group is what stands around the list that a value
// lies in, and says when its hooks are asked.
func (w *wired) addEntries(f *File, v rawjson.Value, path, group string, depth int) {
	if depth > deepest {
		return
	}
	mine := false
	for i, e := range v.Elements() {
		at := path + "[]"
		if f.Placed {
			at = path + "[" + strconv.Itoa(i) + "]"
		}
		if s, ok := pluginOf(e); ok {
			switch {
			case f.plugin(s):
				mine = true
				w.entries = append(w.entries, entry{at, s})
			case mine && f.Last:
				w.behind = append(w.behind, s)
			}
		}
		w.addEntries(f, e, at, group, depth+1)
	}
	for i, key := range v.Keys {
		m := v.Parts[i]
		if _, ours := Ours(m.Text, f.Host); ours {
			w.entries = append(w.entries, entry{path, sorted(v, "") + "\x00" + group})
			continue
		}
		around := ""
		if m.Kind == '[' && strings.HasSuffix(path, "]") {
			around = sorted(v, key)
		}
		w.addEntries(f, m, path+"."+key, around, depth+1)
	}
}

// pluginOf is the name in an element of a list of plugins: a text, or a list that
// begins with one.
func pluginOf(e rawjson.Value) (string, bool) {
	if list := e.Elements(); len(list) > 0 {
		e = list[0]
	}
	return e.Text, e.Kind == '"'
}

func (f *File) plugin(name string) bool {
	name = strings.ReplaceAll(name, `\`, "/")
	return slices.ContainsFunc(f.Plugins, func(end string) bool { return strings.HasSuffix(name, end) })
}

// sorted is a value in one spelling, an object without one of its keys.
func sorted(v rawjson.Value, without string) string {
	var x any
	if json.Unmarshal(v.JSON, &x) != nil {
		return string(v.JSON)
	}
	if object, ok := x.(map[string]any); ok && without != "" {
		delete(object, without)
	}
	out, err := json.Marshal(x)
	if err != nil {
		return string(v.JSON)
	}
	return string(out)
}

// addSwitches looks at the switches.
func (w *wired) addSwitches(f *File, doc rawjson.Value) {
	for _, s := range f.Switches {
		keys := strings.Split(s.Path, ".")
		if s.Off != hosts.Changed {
			w.addOff(s.Off, doc, keys, "")
			continue
		}
		v, text := doc, ""
		for _, key := range keys {
			v = v.Get(key)
		}
		if v.Kind != 0 {
			text = sorted(v, "")
		}
		w.kept = append(w.kept, text)
	}
}

// addOff collects the switches that are turned, of those that keys with * in them lead to.
func (w *wired) addOff(test hosts.Test, v rawjson.Value, keys []string, path string) {
	if len(keys) == 0 {
		path = strings.TrimPrefix(path, ".")
		if test == hosts.Steers && steered(path, v) || isOff(test, v) {
			w.off = append(w.off, path)
		}
		return
	}
	for i, key := range v.Keys {
		if keys[0] == "*" || keys[0] == key {
			w.addOff(test, v.Parts[i], keys[1:], path+"."+key)
		}
	}
}

// keptPath is the name of the n-th setting that must stay.
func (f *File) keptPath(n int) string {
	for _, s := range f.Switches {
		if s.Off != hosts.Changed {
			continue
		}
		if n == 0 {
			return s.Path
		}
		n--
	}
	return ""
}

func isOff(t hosts.Test, v rawjson.Value) bool {
	text := v.String()
	switch t {
	case hosts.True:
		return text == "true"
	case hosts.False:
		return text == "false"
	case hosts.Set:
		return text != "" && text != "false" && text != "null" && text != "[]" && text != "{}"
	case hosts.Lists:
		return strings.Contains(strings.ToLower(text), "checkrein")
	case hosts.Omits:
		return v.Kind == '[' && text != "[]" && !strings.Contains(text, `"checkrein"`)
	case hosts.Refuses:
		return text == "untrusted" || text == "DO_NOT_TRUST"
	}
	return false
}

// addStrange looks for hooks of types that the host does not know, and for hooks that
// stand elsewhere than in lists.
func (w *wired) addStrange(f *File, doc rawjson.Value) {
	hooks := doc.Get("hooks")
	if hooks.Kind == 0 || len(f.Types) == 0 {
		return
	}
	if hooks.Kind != '{' {
		w.strange = append(w.strange, "a hooks value that is not an object")
	}
	for i, event := range hooks.Keys {
		list := hooks.Parts[i]
		if list.Kind != '[' {
			w.strange = append(w.strange, "a hooks."+event+" value that is not a list")
		}
		for _, group := range list.Elements() {
			inner := group.Get("hooks")
			if inner.Kind != '[' {
				w.strange = append(w.strange, "a group in hooks."+event+" without a list of hooks")
			}
			for _, hook := range inner.Elements() {
				if t := hook.Get("type").Text; !slices.Contains(f.Types, t) {
					w.strange = append(w.strange, "a hook of the unknown type "+strconv.Quote(t)+" on "+event)
				}
			}
		}
	}
}
