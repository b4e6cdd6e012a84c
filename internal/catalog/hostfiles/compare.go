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
	"github.com/checkrein/checkrein/internal/text/tomldoc"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// Change says what a new text of a file does to the wiring; "" = it leaves that as
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
// a tool runs.
func (f *File) Gated(text []byte) bool {
	w, err := f.read(text)
	return err == nil && f.Gate != "" && slices.ContainsFunc(w.entries, func(e string) bool { return strings.HasPrefix(e, ".hooks."+f.Gate+"[") })
}

// Off lists the switches that a text of the file turns.
func (f *File) Off(text []byte) []string {
	w, err := f.read(text)
	if err != nil {
		return nil
	}
	return w.off
}

// sets describes what a program of the host that sets or removes one setting does to the
// wiring; "" = nothing.
func (f *File) sets(key, value string, removes bool) string {
	doc, known := settingValue(value)
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
		o.Raw(k, doc)
		o.Close()
		doc = o
	}
	var is wired
	for _, s := range f.Switches {
		f.turned(&is, doc, s)
	}
	return f.compare(&wired{}, &is)
}

// settingValue returns the value of a setting on a command line as JSON. It reports false
// for one that is not known, or that is written in another way.
func settingValue(text string) (v []byte, known bool) {
	switch strings.ToLower(text) {
	case "on", "yes":
		text = "true"
	case "off", "no":
		text = "false"
	}
	if rawjson.Check([]byte(text)) == nil {
		return []byte(text), true
	}
	v, err := json.Marshal(text)
	return v, err == nil && !strings.ContainsAny(text, "{["+string(facts.Hole))
}

func (f *File) compare(was, is *wired) string {
	left := slices.Clone(is.entries)
	for _, e := range was.entries {
		i := slices.Index(left, e)
		if i < 0 {
			where, _, _ := strings.Cut(e, "\x00")
			return "removes or changes checkrein's entry at " + strings.TrimPrefix(where, ".")
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
			path := f.keptPath(i)
			return "changes " + path + ", which decides whose hooks the agent runs"
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
	entries []string // ours: where, what, and the group around it
	off     []string // switches that are turned
	kept    []string // the values that must stay, one for each such switch
	behind  []string // plugins after ours
	strange []string // what takes the file down
}

var errTwice = errors.New("a key appears twice")

// read reads a text; none is an empty one.
func (f *File) read(text []byte) (wired, error) {
	var w wired
	if f.Form == hosts.Lines {
		for line := range bytes.Lines(text) {
			line := strings.TrimSpace(string(line))
			if _, ok := Ours(line, f.Host); ok {
				w.entries = append(w.entries, "\x00"+line)
			}
		}
		return w, nil
	}
	doc, err := f.document(text)
	if err != nil {
		return w, err
	}
	if rawjson.Kind(doc) != '{' {
		return w, errors.New("the file is not a JSON object")
	}
	if len(rawjson.Dedup(doc)) != len(doc) {
		return w, errTwice
	}
	f.walk(&w, doc, "", "", 0)
	for _, s := range f.Switches {
		f.turned(&w, doc, s)
	}
	f.types(&w, doc)
	return w, nil
}

// document is a text as JSON.
func (f *File) document(text []byte) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return []byte("{}"), nil
	}
	switch f.Form {
	case hosts.TOML:
		doc, err := tomldoc.Scan(text)
		return doc.JSON(), err
	case hosts.YAML:
		root, _, err := yamldoc.Parse(text)
		if err != nil {
			return nil, err
		}
		if root.IsNull() {
			return []byte("{}"), nil
		}
		return root.JSON(), nil
	}
	doc := plain(text)
	return doc, rawjson.Check(doc)
}

// deepest is how deep in a file our entries lie at most.
const deepest = 16

// walk collects our entries. Group is what stands around the list that a value
// lies in, and says when its hooks are asked.
func (f *File) walk(w *wired, v []byte, path, group string, depth int) {
	if depth > deepest {
		return
	}
	switch rawjson.Kind(v) {
	case '{':
		f.object(w, v, path, group, depth)
	case '[':
		mine := false
		rawjson.Elements(v, func(i int, e []byte) bool {
			at := path + "[]"
			if f.Placed {
				at = path + "[" + strconv.Itoa(i) + "]"
			}
			if s, ok := pluginOf(e); ok {
				switch {
				case f.plugin(s):
					mine = true
					w.entries = append(w.entries, at+"\x00"+s)
				case mine && f.Last:
					w.behind = append(w.behind, s)
				}
			}
			f.walk(w, e, at, group, depth+1)
			return true
		})
	}
}

func (f *File) object(w *wired, v []byte, path, group string, depth int) {
	inList := strings.HasSuffix(path, "]")
	rawjson.Each(v, func(key string, m []byte) bool {
		if s, ok := rawjson.Text(m); ok {
			if _, ours := Ours(s, f.Host); ours {
				w.entries = append(w.entries, path+"\x00"+sorted(v)+"\x00"+group)
				return true
			}
		}
		around := ""
		if inList && rawjson.Kind(m) == '[' {
			around = sorted(lacking(v, key))
		}
		f.walk(w, m, path+"."+key, around, depth+1)
		return true
	})
}

// pluginOf is the name in an element of a list of plugins: a text, or a list that
// begins with one.
func pluginOf(e []byte) (string, bool) {
	if s, ok := rawjson.Text(e); ok {
		return s, true
	}
	name, found := "", false
	if rawjson.Kind(e) == '[' {
		rawjson.Elements(e, func(_ int, v []byte) bool {
			name, found = rawjson.Text(v)
			return false
		})
	}
	return name, found
}

func (f *File) plugin(name string) bool {
	name = strings.ReplaceAll(name, `\`, "/")
	return slices.ContainsFunc(f.Plugins, func(end string) bool { return strings.HasSuffix(name, end) })
}

// lacking is an object without one of its members.
func lacking(obj []byte, key string) []byte {
	o := rawjson.Object{'{'}
	rawjson.Each(obj, func(k string, v []byte) bool {
		if k != key {
			o.Raw(k, v)
		}
		return true
	})
	o.Close()
	return o
}

// sorted is a value in one spelling.
func sorted(v []byte) string {
	var x any
	if json.Unmarshal(v, &x) != nil {
		return string(v)
	}
	out, err := json.Marshal(x)
	if err != nil {
		return string(v)
	}
	return string(out)
}

// turned looks at a switch.
func (f *File) turned(w *wired, doc []byte, s hosts.Switch) {
	if s.Off == hosts.Changed {
		v, _ := rawjson.Lookup(doc, strings.Split(s.Path, ".")...)
		text := ""
		if v != nil {
			text = sorted(v)
		}
		w.kept = append(w.kept, text)
		return
	}
	each(doc, strings.Split(s.Path, "."), "", func(path string, v []byte) {
		if s.Off == hosts.Steers && steered(path, v) || isOff(s.Off, v) {
			w.off = append(w.off, path)
		}
	})
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

// each calls fn with the values that a path with * in it leads to.
func each(v []byte, keys []string, path string, fn func(path string, v []byte)) {
	if len(keys) == 0 {
		fn(strings.TrimPrefix(path, "."), v)
		return
	}
	if rawjson.Kind(v) != '{' {
		return
	}
	rawjson.Each(v, func(key string, m []byte) bool {
		if keys[0] == "*" || matches(key, keys[0]) {
			each(m, keys[1:], path+"."+key, fn)
		}
		return true
	})
}

func isOff(t hosts.Test, v []byte) bool {
	text, isText := rawjson.Text(v)
	if !isText {
		text = string(bytes.TrimSpace(v))
	}
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
		return rawjson.Kind(v) == '[' && text != "[]" && !strings.Contains(text, `"checkrein"`)
	case hosts.Refuses:
		return text == "untrusted" || text == "DO_NOT_TRUST"
	}
	return false
}

// types looks for hooks of types that the host does not know, and for hooks that
// stand elsewhere than in lists.
func (f *File) types(w *wired, doc []byte) {
	hooks, ok := rawjson.Get(doc, "hooks")
	if !ok || len(f.Types) == 0 {
		return
	}
	if rawjson.Kind(hooks) != '{' {
		w.strange = append(w.strange, "a hooks value that is not an object")
		return
	}
	rawjson.Each(hooks, func(event string, list []byte) bool {
		if rawjson.Kind(list) != '[' {
			w.strange = append(w.strange, "a hooks."+event+" value that is not a list")
			return true
		}
		rawjson.Elements(list, func(_ int, group []byte) bool {
			inner, _ := rawjson.Get(group, "hooks")
			if rawjson.Kind(inner) != '[' {
				w.strange = append(w.strange, "a group in hooks."+event+" without a list of hooks")
			}
			rawjson.Elements(inner, func(_ int, hook []byte) bool {
				if t := rawjson.GetText(hook, "type"); !slices.Contains(f.Types, t) {
					w.strange = append(w.strange, "a hook of the unknown type "+strconv.Quote(t)+" on "+event)
				}
				return true
			})
			return true
		})
		return true
	})
}
