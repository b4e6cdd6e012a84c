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

// DescribeChange describes how a change of the file's text from before to after affects whether the
// host calls checkrein. It returns "" if it does not. A nil text stands for a missing file.
func (f *File) DescribeChange(before, after []byte) string {
	switch {
	case before == nil && after == nil, before != nil && after != nil && bytes.Equal(before, after):
		return ""
	case f.Form == hosts.Whole:
		return "changes a file that only checkrein or the agent's own dialog may write"
	}
	was, err := f.readWiring(before)
	if err != nil {
		was = wiring{} // the host cannot read the old text either
	}
	is, err := f.readWiring(after)
	if err != nil {
		return "leaves the file in a form that checkrein cannot read (" + err.Error() + ")"
	}
	return f.describeDifference(&was, &is)
}

// HasEntries reports whether text, the text of the file, has entries of checkrein.
func (f *File) HasEntries(text []byte) bool {
	if f.Form == hosts.Whole {
		return text != nil
	}
	w, err := f.readWiring(text)
	return err == nil && len(w.entries) > 0
}

// GateState reports whether text, the text of the file, has an entry of checkrein for the event before
// a tool runs. It also returns the settings that turn hooks off.
func (f *File) GateState(text []byte) (gated bool, off []string) {
	w, err := f.readWiring(text)
	if err != nil {
		return false, nil
	}
	return f.Gate != "" && w.hasEntry(f.Gate), w.off
}

// OffSwitches returns the settings in text, the text of the file, that turn hooks off.
func (f *File) OffSwitches(text []byte) []string {
	_, off := f.GateState(text)
	return off
}

// describeSetting describes how a command that sets key to value, or removes it, affects checkrein's
// hooks. It returns "" if it does not.
func (f *File) describeSetting(key, value string, removes bool) string {
	v, known := settingValue(value)
	if removes || !known {
		for _, s := range f.Switches {
			if (s.Off == hosts.Changed || !removes) && keysOverlap(key, s.Path) {
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
	var is wiring
	is.addSwitches(f, v)
	return f.describeDifference(&wiring{}, &is)
}

// settingValue parses the value of a setting on a command line. It reports false if the value is
// unknown or in another format.
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
	return v, err == nil && !strings.ContainsAny(text, "{["+string(facts.Placeholder))
}

// describeDifference describes the first difference between was and is that affects checkrein's hooks.
// It returns "" if there is none.
func (f *File) describeDifference(was, is *wiring) string {
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
			return "changes " + f.constantSetting(i) + ", which decides whose hooks the agent runs"
		}
	}
	for _, s := range is.behind {
		if !slices.Contains(was.behind, s) && len(was.entries) > 0 {
			return "loads the plugin " + s + " after checkrein's, so it can change what checkrein has already checked: put it before checkrein's"
		}
	}
	for _, s := range is.invalid {
		if !slices.Contains(was.invalid, s) && len(was.entries) > 0 {
			return "has " + s + ", which makes the agent ignore all hooks in the file"
		}
	}
	return ""
}

// A wiring holds the parts of a file that affect checkrein's hooks.
type wiring struct {
	entries []entry  // checkrein's entries
	off     []string // switches that turn hooks off
	kept    []string // the values of the settings that must not change, in the order of File.Switches
	behind  []string // plugins that are loaded after checkrein's
	invalid []string // content that makes the host ignore the file
}

// An entry is a hook command of checkrein in a file: its position, and the hook with the keys around
// it.
type entry struct{ where, what string }

// hasEntry reports whether w has an entry for event.
func (w *wiring) hasEntry(event string) bool {
	return slices.ContainsFunc(w.entries, func(e entry) bool { return strings.HasPrefix(e.where, ".hooks."+event+"[") })
}

// readWiring returns the wiring in text, the text of the file. nil counts as empty.
func (f *File) readWiring(text []byte) (wiring, error) {
	var w wiring
	if f.Form == hosts.Lines {
		for line := range bytes.Lines(text) {
			line := strings.TrimSpace(string(line))
			if _, ok := OwnProgram(line, f.Host); ok {
				w.entries = append(w.entries, entry{what: line})
			}
		}
		return w, nil
	}
	doc, err := f.parse(text)
	switch {
	case err != nil:
		return w, err
	case doc.Kind != '{':
		return w, errors.New("the file is not a JSON object")
	case doc.HasDuplicateKeys:
		return w, errors.New("a key appears twice")
	}
	w.addEntries(f, doc, "", "", 0)
	w.addSwitches(f, doc)
	w.addInvalid(f, doc)
	return w, nil
}

// maxEntryDepth limits how deeply checkrein's entries may be nested in a file.
const maxEntryDepth = 16

// addEntries adds checkrein's entries in v. path is the position of v, and group is the content around
// the list that contains v, which determines when its hooks are called.
func (w *wiring) addEntries(f *File, v rawjson.Value, path, group string, depth int) {
	if depth > maxEntryDepth {
		return
	}
	mine := false
	for i, e := range v.Elements() {
		at := path + "[]"
		if f.Placed {
			at = path + "[" + strconv.Itoa(i) + "]"
		}
		if s, ok := pluginName(e); ok {
			switch {
			case f.isOwnPlugin(s):
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
		if _, ours := OwnProgram(m.Text, f.Host); ours {
			w.entries = append(w.entries, entry{path, normalizedJSON(v, "") + "\x00" + group})
			continue
		}
		around := ""
		if m.Kind == '[' && strings.HasSuffix(path, "]") {
			around = normalizedJSON(v, key)
		}
		w.addEntries(f, m, path+"."+key, around, depth+1)
	}
}

// pluginName returns the name in an element of a list of plugins. The element is a string, or a list
// that begins with one.
func pluginName(e rawjson.Value) (string, bool) {
	if list := e.Elements(); len(list) > 0 {
		e = list[0]
	}
	return e.Text, e.Kind == '"'
}

// isOwnPlugin reports whether name is a name of checkrein's plugin.
func (f *File) isOwnPlugin(name string) bool {
	name = strings.ReplaceAll(name, `\`, "/")
	return slices.ContainsFunc(f.Plugins, func(end string) bool { return strings.HasSuffix(name, end) })
}

// normalizedJSON returns v as canonical JSON. If v is an object, it leaves out the key without.
func normalizedJSON(v rawjson.Value, without string) string {
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

// addSwitches adds the values in doc of the settings in f.Switches.
func (w *wiring) addSwitches(f *File, doc rawjson.Value) {
	for _, s := range f.Switches {
		keys := strings.Split(s.Path, ".")
		if s.Off != hosts.Changed {
			w.addOffSwitches(s.Off, doc, keys, "")
			continue
		}
		v, text := doc, ""
		for _, key := range keys {
			v = v.Get(key)
		}
		if v.Kind != 0 {
			text = normalizedJSON(v, "")
		}
		w.kept = append(w.kept, text)
	}
}

// addOffSwitches adds the settings at keys in v that turn hooks off. A * in keys stands for any key,
// and path is the path of v.
func (w *wiring) addOffSwitches(test hosts.Test, v rawjson.Value, keys []string, path string) {
	if len(keys) == 0 {
		path = strings.TrimPrefix(path, ".")
		if test == hosts.Steers && isHijackMember(path, v) || meetsTest(test, v) {
			w.off = append(w.off, path)
		}
		return
	}
	for i, key := range v.Keys {
		if keys[0] == "*" || keys[0] == key {
			w.addOffSwitches(test, v.Parts[i], keys[1:], path+"."+key)
		}
	}
}

// constantSetting returns the path of the n-th setting in f.Switches that must not change.
func (f *File) constantSetting(n int) string {
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

// meetsTest reports whether v, the value of a setting, meets the condition t.
func meetsTest(t hosts.Test, v rawjson.Value) bool {
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

// addInvalid adds hooks of a type that the host does not support, and hooks that are not in lists.
func (w *wiring) addInvalid(f *File, doc rawjson.Value) {
	hooks := doc.Get("hooks")
	if hooks.Kind == 0 || len(f.Types) == 0 {
		return
	}
	if hooks.Kind != '{' {
		w.invalid = append(w.invalid, "a hooks value that is not an object")
	}
	for i, event := range hooks.Keys {
		list := hooks.Parts[i]
		if list.Kind != '[' {
			w.invalid = append(w.invalid, "a hooks."+event+" value that is not a list")
		}
		for _, group := range list.Elements() {
			inner := group.Get("hooks")
			if inner.Kind != '[' {
				w.invalid = append(w.invalid, "a group in hooks."+event+" without a list of hooks")
			}
			for _, hook := range inner.Elements() {
				if t := hook.Get("type").Text; !slices.Contains(f.Types, t) {
					w.invalid = append(w.invalid, "a hook of the unknown type "+strconv.Quote(t)+" on "+event)
				}
			}
		}
	}
}
