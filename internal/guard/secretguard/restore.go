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

// judgeMarkers judges the markers in a tool's arguments. In a change of the file that contains the
// secrets, they will be restored if the host keeps that from the model. Anywhere else the call is
// denied, because a marker would be used where a secret was meant.
func judgeMarkers(call *Call) checkrein.Verdict {
	t := call.Event.Tool
	switch {
	case staysLocal(t):
		return checkrein.Verdict{}
	case !isFileTool(t):
		return judgeMisplaced(call)
	}
	r := restorer{call: call, tool: t}
	err := r.restoreSecrets()
	switch {
	case err != nil:
		return DenyMarkers(err.Error())
	case len(r.values) == 0:
		return checkrein.Verdict{}
	case call.Env.Restores == nil || !call.Env.Restores(&call.Event):
		return DenyMarkers("checkrein cannot turn markers back into secrets in files that this agent writes")
	}
	return checkrein.Verdict{Notice: []string{"secrets that were hidden from the model are kept in " + strings.Join(r.paths, ", ")}}
}

// DenyMarkers returns a denial because of markers in a call, with the reason why and advice on what
// works.
func DenyMarkers(why string) checkrein.Verdict {
	v := builtin.SetRule(checkrein.Verdict{Decision: checkrein.Deny,
		Reason: "Nothing was changed: " + why + ". A marker [REDACTED:…] hides a secret that is in the file. Edit only the other lines, and leave lines with a marker out of the text that you replace; use cp and mv to copy or move files that contain secrets."},
		"secrets/marker", why)
	v.Metadata["instead"] = "edit only lines without a marker; use cp and mv to copy or move files that contain secrets"
	return v
}

// isFileTool reports whether a tool writes, edits or patches files.
func isFileTool(t *checkrein.Tool) bool {
	return t.Canonical == "write" || t.Canonical == "edit" || t.Canonical == "patch"
}

// judgeMisplaced judges the markers in the arguments of a tool that is not a file tool. It denies
// markers with an id, and bare ones if they would replace a secret in a file.
func judgeMisplaced(call *Call) checkrein.Verdict {
	t := call.Event.Tool
	found := false
	eachText(t.Input, "", func(key, text string) { found = found || len(countIDs(text)) > 0 && !isProseKey(key) })
	if found && !call.onlyMentionsMarkers() {
		return DenyMarkers(t.Name + " would get a marker instead of a secret")
	}
	place := study.CallPlace(&call.Event, study.NewCallEnv(&call.Call))
	for _, p := range study.Parts(t, tools.Command|tools.Argv|tools.Content) {
		var paths []string
		alike := placeholder.FindLookalikes(p.Text)
		place.TypedSecrets = place.TypedSecrets[:0]
		for _, m := range alike {
			place.TypedSecrets = append(place.TypedSecrets, shell.TypedSecret{Value: m, Rule: "marker"})
		}
		switch {
		case len(alike) == 0:
		case p.Role == tools.Content:
			paths = []string{p.Path}
		default:
			_, paths = classify.CommandWithSecrets(p.Text, place)
		}
		for _, path := range paths {
			if text, ok := readBounded(call.absPath(path)); ok && len(findSecrets(text, call.Env.markKey())) > 0 {
				return DenyMarkers(path + " contains secrets, and markers would replace them")
			}
		}
	}
	return checkrein.Verdict{}
}

// isProseKey reports whether the argument key describes the call and is not written to a file.
func isProseKey(key string) bool {
	switch key {
	case "description", "instruction", "instructions", "explanation", "reason", "title", "summary":
		return true
	}
	return false
}

// RestoreInput returns the arguments of a call with secrets in place of markers, and those secrets, or
// nil if there is nothing to restore. The guard has already judged the call; an error is a reason why
// it must not run after all. The home directory is home.
func RestoreInput(ev *checkrein.Event, home string, env Env) (input json.RawMessage, values []string, err error) {
	if ev.Tool == nil || !placeholder.MayHaveMarker(ev.Tool.Input) {
		return nil, nil, nil
	}
	t := *ev.Tool
	t.Canonical = study.CanonicalName(&t)
	if !isFileTool(&t) {
		return nil, nil, nil
	}
	call := Call{Call: builtin.Call{Event: *ev, Dir: ev.Session.Dir, Machine: builtin.Machine{Home: home}}, Env: env}
	call.Event.Tool = &t
	r := restorer{call: &call, tool: &t}
	if err := r.restoreSecrets(); err != nil || len(r.values) == 0 {
		return nil, nil, err
	}
	return r.input, r.values, nil
}

// A restorer restores the secrets of files in place of the markers in a call that changes those files.
type restorer struct {
	call   *Call
	tool   *checkrein.Tool
	paths  []string          // files whose secrets are restored
	values []string          // the restored secrets
	by     map[string]string // markers and their secrets
	input  json.RawMessage   // the arguments with secrets restored

	content []tools.Part // arguments that are written to files
}

// restoreSecrets sets r.input and r.values, or returns why the secrets cannot be restored.
func (r *restorer) restoreSecrets() error {
	var err error
	r.content = study.Parts(r.tool, tools.Content)
	eachText(r.tool.Input, "", func(key, text string) {
		if len(countIDs(text)) > 0 && !isProseKey(key) && !r.mayRestore(key) {
			err = errors.New("the argument " + key + " contains a marker, but no secret can be restored there")
		}
	})
	switch {
	case err != nil:
		return err
	case r.tool.Canonical == "patch":
		return r.restorePatch()
	}
	return r.restoreFileCallInput()
}

// mayRestore reports whether secrets may be restored in the argument key.
func (r *restorer) mayRestore(key string) bool {
	as := tools.TextOf(key)
	if r.tool.Canonical == "patch" {
		return as == tools.PatchText || as == tools.MaybePatch
	}
	return as == tools.OldText && r.tool.Canonical != "write" || as != tools.PatchText && r.isContent(key)
}

// isContent reports whether the argument key is written to a file.
func (r *restorer) isContent(key string) bool {
	return tools.TextOf(key) == tools.NewText || slices.ContainsFunc(r.content, func(p tools.Part) bool { return p.Key == key })
}

// isInsertKey reports whether the argument key is added to a file without replacing anything.
func isInsertKey(key string) bool {
	key = strings.ToLower(key)
	return strings.HasPrefix(key, "insert") || strings.HasPrefix(key, "append")
}

// restoreFileCallInput restores secrets in a call that writes or edits one file. If no argument holds
// the old text, the call may replace any part of the file.
func (r *restorer) restoreFileCallInput() error {
	var was, is strings.Builder
	whole, old := r.tool.Canonical == "write", false
	eachText(r.tool.Input, "", func(key, text string) {
		switch {
		case tools.TextOf(key) == tools.OldText:
			was.WriteString(text + "\n")
			old = true
		case tools.TextOf(key) == tools.PatchText:
			whole = true
		case r.isContent(key):
			is.WriteString(text + "\n")
			old = old || isInsertKey(key)
		}
	})
	for i := range r.content {
		if tools.TextOf(r.content[i].Key) == tools.PatchText {
			is.WriteString(r.content[i].Text + "\n")
		}
	}
	whole = whole || !old
	if len(countIDs(was.String()))+len(countIDs(is.String()))+len(placeholder.FindLookalikes(is.String())) == 0 {
		return nil
	}
	paths := slices.Compact(r.tool.Paths())
	switch {
	case len(paths) == 1:
	case len(placeholder.FindMarkers(was.String()))+len(placeholder.FindMarkers(is.String())) == 0:
		return nil
	default:
		return errors.New("the call does not name exactly one file")
	}
	text, _ := readBounded(r.call.absPath(paths[0]))
	c := fileChange{path: paths[0], now: text, was: was.String(), is: is.String(), whole: whole}
	if c.whole {
		c.was = text
	}
	if err := r.resolveMarkers(&c); err != nil || len(r.by) == 0 {
		return err
	}
	r.paths = paths
	return r.rewriteInput(func(text string) string { return r.restoreText(text) })
}

// A fileChange describes what a call does to one file.
type fileChange struct {
	path    string
	now     string // the contents of the file
	was, is string // the old text and the new text
	whole   bool   // the whole file is replaced
}

// resolveMarkers finds the secrets for which the markers in c stand.
func (r *restorer) resolveMarkers(c *fileChange) error {
	secrets := findSecrets(c.now, r.call.Env.markKey())
	old, is := countIDs(c.was), countIDs(c.is)
	if c.whole { // the old text is the whole file, which has secrets where the new text has markers
		clear(old)
		for id := range is {
			if k := secrets[id]; k != nil {
				old[id] = k.count
			}
		}
	}
	for _, id := range sortedIDs(old, is) {
		if err := r.resolveMarker(c, id, secrets[id], old[id], is[id]); err != nil {
			return err
		}
	}
	was, now := r.restoreText(c.was), r.restoreText(c.is)
	for _, k := range secrets {
		if strings.Count(now, k.value) < strings.Count(was, k.value) && addsMarkers(was, now) {
			return errors.New(c.path + " contains a secret that [REDACTED], or something like it, would overwrite")
		}
	}
	return nil
}

// resolveMarker records that the marker with id stands for the secret k, or returns why it cannot be
// restored. The old text contains it oldCount times, and the new one newCount times.
func (r *restorer) resolveMarker(c *fileChange, id string, k *fileSecret, oldCount, newCount int) error {
	m := "[REDACTED:" + id + "]"
	switch n := strings.Count(c.now, m); {
	case k == nil && n > 0 && newCount <= n:
		return nil // the file itself contains the marker
	case k == nil && newCount > 0 && r.call.isPlainDocument(c.path):
		return nil // a document about markers
	case k == nil:
		return errors.New(c.path + " contains no secret that matches " + m)
	case k.twice:
		return errors.New(c.path + " contains more than one secret that matches " + m)
	case oldCount > k.count || newCount > oldCount:
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

// restoreText returns a text with secrets in place of their markers.
func (r *restorer) restoreText(text string) string {
	for m, value := range r.by {
		text = strings.ReplaceAll(text, m, value)
	}
	return text
}

// rewriteInput sets r.input to the arguments with fn applied to those in which secrets may be
// restored.
func (r *restorer) rewriteInput(fn func(string) string) error {
	patch := rawjson.Object{'{'}
	rawjson.Each(r.tool.Input, func(key string, val []byte) bool {
		if out, changed := r.rewriteValue(val, key, fn); changed {
			patch.Raw(key, out)
		}
		return true
	})
	patch.Close()
	var err error
	r.input, err = rawjson.Patch(r.tool.Input, patch)
	return err
}

// rewriteValue returns val, the value of the member key, with fn applied to strings in which secrets
// may be restored, and whether that changed it.
func (r *restorer) rewriteValue(val []byte, key string, fn func(string) string) (out []byte, changed bool) {
	switch rawjson.Kind(val) {
	case '"':
		text, ok := rawjson.Text(val)
		if !ok || !r.mayRestore(key) {
			return val, false
		}
		now := fn(text)
		return rawjson.Quote(now), now != text
	case '{':
		o := rawjson.Object{'{'}
		rawjson.Each(val, func(k string, v []byte) bool {
			v, c := r.rewriteValue(v, k, fn)
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
			v, c := r.rewriteValue(v, key, fn)
			changed = changed || c
			out = append(out, v...)
			return true
		})
		return append(out, ']'), changed
	}
	return val, false
}
