package hookmd

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// write writes each hook as a folder of its own, with the current names of events. Hooks from such
// folders keep what only their files have: the description, the metadata, the body and the script.
func write(hooks []checkrein.Hook) ([]hookfile.Document, []hookfile.Loss) {
	w := writer{used: map[string]bool{}}
	for i := range hooks {
		if h := &hooks[i]; !h.Async && h.Run == "command" && h.Broken == "" {
			w.syncHooks[h.On]++
		}
	}
	for i := range hooks {
		w.writeHook(&hooks[i])
	}
	return w.docs, w.losses
}

// A writer collects folders and what could not be written.
type writer struct {
	docs      []hookfile.Document
	losses    []hookfile.Loss
	used      map[string]bool         // names of folders
	syncHooks [checkrein.NumKinds]int // number of synchronous hooks of an event
}

func (w *writer) addLoss(h *checkrein.Hook, what, why, instead string) {
	w.losses = append(w.losses, hookfile.Loss{Hook: h.Label(), What: what, Why: why, Instead: instead})
}

func (w *writer) writeHook(h *checkrein.Hook) {
	_, trigger := triggersOf(h.On)
	switch {
	case h.Broken != "":
		w.addLoss(h, "hook", "the hook is not valid: "+h.Broken, "fix it first")
		return
	case trigger == "" && h.On == checkrein.Other:
		w.addLoss(h, "event", "the format has no event "+h.Event, "")
		return
	case trigger == "":
		w.addLoss(h, "event", "the format has no event "+h.On.String(), "")
		return
	case h.Run != "command":
		w.addLoss(h, "type", "the format has no hooks of type "+h.Run, "a script that calls checkrein eval -c FILE")
		return
	}
	script, ok := w.newScript(h)
	if !ok {
		return
	}
	name := w.folderName(h)
	text := readProse(h)
	if text.description == "" {
		text.description = truncateText(h.Label()+", a hook on "+trigger, maxDescription)
		text.body = []byte("\n# " + name + "\n\nWritten by checkrein. On " + trigger + " it runs the file in scripts/, with the event as JSON on stdin.\n")
	}
	w.addLosses(h)
	front := w.frontMatter(h, name, trigger, &text)
	if len(front) > MaxFrontMatter {
		w.addLoss(h, "hook", "the front matter would be longer than 64 KiB", "")
		return
	}
	w.docs = append(w.docs, hookfile.Document{Name: name + "/" + hookFile, Data: append([]byte(front), text.body...)})
	if script.Name != "" {
		script.Name = name + "/scripts/" + script.Name
		w.docs = append(w.docs, script)
	}
}

// frontMatter returns the front matter, between its --- lines.
func (w *writer) frontMatter(h *checkrein.Hook, name, trigger string, text *prose) string {
	var b strings.Builder
	put := func(key, value string) { b.WriteString(key + ": " + value + "\n") }
	b.WriteString("---\n")
	put("name", formatName(name))
	put("description", quote(text.description))
	put("trigger", trigger)
	tool, pattern := w.convertMatcher(h)
	if tool != "" || pattern != "" {
		b.WriteString("matcher:\n")
	}
	if tool != "" {
		put("  tool", quote(tool))
	}
	if pattern != "" {
		put("  pattern", quote(pattern))
	}
	if ms := w.fitTimeout(h); ms != defaultTimeout {
		put("timeout", strconv.FormatInt(ms, 10))
	}
	if h.Async {
		put("async", "true")
	}
	if h.Priority != hookfile.DefaultPriority {
		put("priority", strconv.Itoa(h.Priority))
	}
	if p := w.faultPolicy(h); p != checkrein.FaultWarn {
		put("on_error", p.String())
	}
	if text.metadata != "" {
		put("metadata", text.metadata)
	}
	b.WriteString("---\n")
	return b.String()
}

// formatName returns a valid name as YAML: quoted if YAML might read it as something other than a
// text.
func formatName(name string) string {
	if c := name[0]; c < 'a' || c > 'z' || len(name) < 6 { // null, true, yes, …
		return quote(name)
	}
	return name
}

// quote returns a text in double quotes, which YAML reads as JSON does.
func quote(s string) string { return string(rawjson.Quote(s)) }

// fitTimeout returns the time limit in milliseconds, within the format's range.
func (w *writer) fitTimeout(h *checkrein.Hook) int64 {
	limit := h.Limit()
	ms := int64((limit + time.Millisecond - 1) / time.Millisecond)
	fit := min(max(ms, minTimeout), maxTimeout)
	if time.Duration(fit)*time.Millisecond != limit {
		w.addLoss(h, "timeout", fmt.Sprintf("%s is not a whole number of milliseconds from %d to %d: changed to %d", limit, minTimeout, maxTimeout, fit), "")
	}
	return fit
}

// faultPolicy returns the policy to write. The format itself always continues.
func (w *writer) faultPolicy(h *checkrein.Hook) checkrein.FaultPolicy {
	row, policy := checkrein.ContractOf(h.On), h.OnFault
	switch {
	case policy == checkrein.FaultByRow && row.Closed && !h.Async:
		policy = checkrein.FaultBlock
	case policy == checkrein.FaultByRow:
		policy = checkrein.FaultWarn
	case policy == checkrein.FaultBlock && (h.Async || !row.Can(checkrein.CanDeny)):
		w.addLoss(h, "on_error", "block has no effect on a hook that cannot block", "")
		return checkrein.FaultWarn
	}
	if policy != checkrein.FaultWarn && folderOf(h) == "" {
		w.addLoss(h, "on_error", "in this format, the agent continues after an error; only checkrein reads on_error: "+policy.String(), "")
	}
	return policy
}

// folderName returns an unused name for the hook's folder.
func (w *writer) folderName(h *checkrein.Hook) string {
	want := toValidName(h.Label())
	name := want
	for n := 2; w.used[name]; n++ {
		suffix := "-" + strconv.Itoa(n)
		name = want[:min(len(want), maxName-len(suffix))] + suffix
	}
	w.used[name] = true
	if h.Name != "" && name != h.Name {
		w.addLoss(h, "name", fmt.Sprintf("names must be unique, with 1 to %d lowercase letters, digits and hyphens: renamed to %s", maxName, name), "")
	}
	return name
}

// toValidName returns a valid name for a label.
func toValidName(label string) string {
	if isValidName(label) {
		return label
	}
	var b strings.Builder
	for _, c := range strings.ToLower(label) {
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() == maxName {
			break
		}
	}
	if s := strings.TrimRight(b.String(), "-"); s != "" {
		return s
	}
	return "hook"
}

// isValidName reports whether s is a name by the rule of the format's own validator, which is stricter
// than its document.
func isValidName(s string) bool {
	return s != "" && len(s) <= maxName && !strings.ContainsFunc(s, func(c rune) bool {
		return c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z')
	})
}

// truncateText returns at most the first n characters of s as valid text.
func truncateText(s string, n int) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:n]))
}

// A prose is the part of a HOOK.md that is for people.
type prose struct {
	description, metadata string
	body                  []byte
}

// readProse returns the prose of the HOOK.md that a hook comes from; nothing for other hooks, or if it
// cannot be read.
func readProse(h *checkrein.Hook) prose {
	folder := folderOf(h)
	if folder == "" {
		return prose{}
	}
	data, err := state.ReadRegular(filepath.Join(folder, hookFile), yamldoc.MaxSize)
	if err != nil {
		return prose{}
	}
	front, body, bad := frontMatter(data)
	if bad != nil {
		return prose{}
	}
	root, _, err := yamldoc.Parse(front)
	if err != nil {
		return prose{}
	}
	out := prose{description: truncateText(root.Get("description").Plain(), maxDescription), body: data[body:]}
	if m := root.Get("metadata"); !m.IsNull() {
		out.metadata = string(m.JSON())
	}
	return out
}

// folderOf returns the folder that a hook comes from; "" for others.
func folderOf(h *checkrein.Hook) string {
	return rawjson.GetText(h.With, "hook_folder")
}
