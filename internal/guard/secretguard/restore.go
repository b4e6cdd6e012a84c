package secretguard

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// judgeMarkers is about markers in what a tool is given. In a change of the file
// that has the secrets they are put back, where the host keeps that from the model;
// anywhere else they would end up where a secret was meant.
func judgeMarkers(call *Call) checkrein.Verdict {
	t := call.Event.Tool
	switch {
	case stays(t):
		return checkrein.Verdict{}
	case !changesFile(t):
		return misplaced(call)
	}
	r := restorer{call: call, tool: t}
	err := r.run()
	switch {
	case err != nil:
		return RefuseMarkers(err.Error())
	case len(r.values) == 0:
		return checkrein.Verdict{}
	case call.Env.Restores == nil || !call.Env.Restores(&call.Event):
		return RefuseMarkers("checkrein cannot turn markers back into secrets in files that this agent writes")
	}
	return checkrein.Verdict{Notice: []string{"secrets that were hidden from the model are kept in " + strings.Join(r.paths, ", ")}}
}

// RefuseMarkers denies a call with the way that works.
func RefuseMarkers(why string) checkrein.Verdict {
	v := builtin.Sign(checkrein.Verdict{Decision: checkrein.Deny,
		Reason: "Nothing was changed: " + why + ". A marker [REDACTED:…] hides a secret that is in the file. Edit only the other lines, and leave lines with a marker out of the text that you replace; use cp and mv to copy or move files that contain secrets."},
		"secrets/marker", why)
	v.Metadata["instead"] = "edit only lines without a marker; use cp and mv to copy or move files that contain secrets"
	return v
}

func changesFile(t *checkrein.Tool) bool {
	return t.Canonical == "write" || t.Canonical == "edit" || t.Canonical == "patch"
}

// misplaced is about markers that no file tool was given: those with an id are
// refused, bare ones where they would take the place of a secret in a file.
func misplaced(call *Call) checkrein.Verdict {
	t := call.Event.Tool
	found := false
	argTexts(t.Input, "", func(key, text string) { found = found || len(countIDs(text)) > 0 && !isProse(key) })
	if found && !call.onlySays() {
		return RefuseMarkers(t.Name + " would get a marker instead of a secret")
	}
	place := study.PlaceOf(&call.Event, study.GroundOf(&call.Call))
	for _, p := range study.Parts(t, tools.Command|tools.Argv|tools.Content) {
		var paths []string
		alike := placeholder.Likenesses(p.Text)
		place.Typed = place.Typed[:0]
		for _, m := range alike {
			place.Typed = append(place.Typed, shell.Typed{Value: m, Rule: "marker"})
		}
		switch {
		case len(alike) == 0:
		case p.Role == tools.Content:
			paths = []string{p.Path}
		default:
			_, paths = classify.Typed(p.Text, place)
		}
		for _, path := range paths {
			if text, ok := readBounded(call.absPath(path)); ok && len(findSecrets(text, call.Env.markKey())) > 0 {
				return RefuseMarkers(path + " contains secrets, and markers would replace them")
			}
		}
	}
	return checkrein.Verdict{}
}

// isProse reports whether an argument says something about a call and ends up in no
// file.
func isProse(key string) bool {
	switch key {
	case "description", "instruction", "instructions", "explanation", "reason", "title", "summary":
		return true
	}
	return false
}

// Restored returns the arguments of a call with the secrets in place of the markers,
// and those secrets; nil when there is nothing to put back. The call was judged
// already; an error says why it must not run all the same. Home is the home directory.
func Restored(ev *checkrein.Event, home string, env Env) (input json.RawMessage, values []string, err error) {
	if ev.Tool == nil || !placeholder.In(ev.Tool.Input) {
		return nil, nil, nil
	}
	t := *ev.Tool
	t.Canonical = study.Canonical(&t)
	if !changesFile(&t) {
		return nil, nil, nil
	}
	call := Call{Call: builtin.Call{Event: *ev, Dir: ev.Session.Dir, Machine: builtin.Machine{Home: home}}, Env: env}
	call.Event.Tool = &t
	r := restorer{call: &call, tool: &t}
	if err := r.run(); err != nil || len(r.values) == 0 {
		return nil, nil, err
	}
	return r.input, r.values, nil
}

// A restorer puts the secrets of a file in place of the markers in a call that
// changes it.
type restorer struct {
	call   *Call
	tool   *checkrein.Tool
	paths  []string          // whose secrets are put back
	values []string          // that are
	by     map[string]string // markers and what they stand for
	input  json.RawMessage

	content []tools.Part // what ends up in files
}

func (r *restorer) run() error {
	var err error
	r.content = study.Parts(r.tool, tools.Content)
	argTexts(r.tool.Input, "", func(key, text string) {
		if len(countIDs(text)) > 0 && !isProse(key) && !r.rewrites(key) {
			err = errors.New("the argument " + key + " contains a marker, but no secret can be restored there")
		}
	})
	switch {
	case err != nil:
		return err
	case r.tool.Canonical == "patch":
		return r.patch()
	}
	return r.file()
}

// rewrites reports whether an argument may have its secrets back.
func (r *restorer) rewrites(key string) bool {
	as := tools.TextOf(key)
	if r.tool.Canonical == "patch" {
		return as == tools.PatchText || as == tools.MaybePatch
	}
	return as == tools.OldText && r.tool.Canonical != "write" || as != tools.PatchText && r.puts(key)
}

// puts reports whether what an argument says ends up in a file.
func (r *restorer) puts(key string) bool {
	return tools.TextOf(key) == tools.NewText || slices.ContainsFunc(r.content, func(p tools.Part) bool { return p.Key == key })
}

// inserts reports whether an argument comes in addition to what is there.
func inserts(key string) bool {
	key = strings.ToLower(key)
	return strings.HasPrefix(key, "insert") || strings.HasPrefix(key, "append")
}

// file is about a call that writes or edits one file. Where nothing says what is
// taken out, any of it may be.
func (r *restorer) file() error {
	var was, is strings.Builder
	whole, old := r.tool.Canonical == "write", false
	argTexts(r.tool.Input, "", func(key, text string) {
		switch {
		case tools.TextOf(key) == tools.OldText:
			was.WriteString(text + "\n")
			old = true
		case tools.TextOf(key) == tools.PatchText:
			whole = true
		case r.puts(key):
			is.WriteString(text + "\n")
			old = old || inserts(key)
		}
	})
	for i := range r.content {
		if tools.TextOf(r.content[i].Key) == tools.PatchText {
			is.WriteString(r.content[i].Text + "\n")
		}
	}
	whole = whole || !old
	if len(countIDs(was.String()))+len(countIDs(is.String()))+len(placeholder.Likenesses(is.String())) == 0 {
		return nil
	}
	paths := slices.Compact(r.tool.Paths())
	switch {
	case len(paths) == 1:
	case len(placeholder.Find(was.String()))+len(placeholder.Find(is.String())) == 0:
		return nil
	default:
		return errors.New("the call does not name exactly one file")
	}
	text, _ := readBounded(r.call.absPath(paths[0]))
	c := change{path: paths[0], now: text, was: was.String(), is: is.String(), whole: whole}
	if c.whole {
		c.was = text
	}
	if err := r.change(&c); err != nil || len(r.by) == 0 {
		return err
	}
	r.paths = paths
	return r.rewrite(func(text string) string { return r.plain(text) })
}

// A change is what a call does to one file.
type change struct {
	path    string
	now     string // what is in the file
	was, is string // what is taken out and what comes in its place
	whole   bool   // all of the file is written anew
}

// change finds what the markers of a change stand for.
func (r *restorer) change(c *change) error {
	secrets := findSecrets(c.now, r.call.Env.markKey())
	old, is := countIDs(c.was), countIDs(c.is)
	if c.whole { // what is there is taken out, with its secrets and not as markers
		clear(old)
		for id := range is {
			if k := secrets[id]; k != nil {
				old[id] = k.count
			}
		}
	}
	for _, id := range sortedIDs(old, is) {
		if err := r.mark(c, id, secrets[id], old[id], is[id]); err != nil {
			return err
		}
	}
	was, now := r.plain(c.was), r.plain(c.is)
	for _, k := range secrets {
		if strings.Count(now, k.value) < strings.Count(was, k.value) && addsMarkers(was, now) {
			return errors.New(c.path + " contains a secret that [REDACTED], or something like it, would overwrite")
		}
	}
	return nil
}

// mark finds what one marker stands for, of which there are so many in what is
// taken out and in what comes instead.
func (r *restorer) mark(c *change, id string, k *fileSecret, old, is int) error {
	m := "[REDACTED:" + id + "]"
	switch n := strings.Count(c.now, m); {
	case k == nil && n > 0 && is <= n:
		return nil // the text itself has it, not a secret
	case k == nil && is > 0 && r.call.tells(c.path):
		return nil // text about markers
	case k == nil:
		return errors.New(c.path + " contains no secret that matches " + m)
	case k.twice:
		return errors.New(c.path + " contains more than one secret that matches " + m)
	case old > k.count || is > old:
		return errors.New(m + " is written more often than its secret appears in " + c.path)
	}
	if r.by == nil {
		r.by = map[string]string{}
	}
	switch value, known := r.by[m]; {
	case !known:
		r.by[m] = k.value
		r.values = append(r.values, k.value)
	case value != k.value:
		return errors.New(m + " marks a different secret in another file")
	}
	return nil
}

// plain returns a text with secrets in place of their markers.
func (r *restorer) plain(text string) string {
	for m, value := range r.by {
		text = strings.ReplaceAll(text, m, value)
	}
	return text
}

// rewrite makes the arguments in which texts of files are as fn makes them.
func (r *restorer) rewrite(fn func(string) string) error {
	patch := rawjson.Object{'{'}
	rawjson.Each(r.tool.Input, func(key string, val []byte) bool {
		if out, changed := r.member(val, key, fn); changed {
			patch.Raw(key, out)
		}
		return true
	})
	patch.Close()
	var err error
	r.input, err = rawjson.Patch(r.tool.Input, patch)
	return err
}

func (r *restorer) member(val []byte, key string, fn func(string) string) (out []byte, changed bool) {
	switch rawjson.Kind(val) {
	case '"':
		text, ok := rawjson.Text(val)
		if !ok || !r.rewrites(key) {
			return val, false
		}
		now := fn(text)
		return rawjson.Quote(now), now != text
	case '{':
		o := rawjson.Object{'{'}
		rawjson.Each(val, func(k string, v []byte) bool {
			v, c := r.member(v, k, fn)
			changed = changed || c
			o.Raw(k, v)
			return true
		})
		o.Close()
		return o, changed
	case '[':
		out = []byte{'['}
		rawjson.Elements(val, func(i int, v []byte) bool {
			if i > 0 {
				out = append(out, ',')
			}
			v, c := r.member(v, key, fn)
			changed = changed || c
			out = append(out, v...)
			return true
		})
		return append(out, ']'), changed
	}
	return val, false
}
