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

// writeFolders returns a folder for each hook, with the current names of events, and what it could not
// express. Hooks that come from such folders keep their description, metadata, body and script.
func writeFolders(hooks []checkrein.Hook) ([]hookfile.Document, []hookfile.Loss) {
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

// A writer collects folders and losses.
type writer struct {
	docs      []hookfile.Document
	losses    []hookfile.Loss
	used      map[string]bool         // names of folders
	syncHooks [checkrein.NumKinds]int // number of synchronous hooks, by event
}

func (w *writer) addLoss(h *checkrein.Hook, what, why, instead string) {
	w.losses = append(w.losses, hookfile.Loss{Hook: h.Label(), What: what, Why: why, Instead: instead})
}

// writeHook writes the folder of h and records what the format cannot express. It writes nothing if
// the format cannot express h at all.
func (w *writer) writeHook(h *checkrein.Hook) {
	_, trigger := triggerNames(h.On)
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

// frontMatter returns the front matter for h, including its --- lines.
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
	if ms := w.timeoutMillis(h); ms != defaultTimeout {
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

// formatName returns a valid name as YAML. It is quoted if YAML might not read it as a string.
func formatName(name string) string {
	if c := name[0]; c < 'a' || c > 'z' || len(name) < 6 { // it may be a YAML keyword such as null, true or yes
		return quote(name)
	}
	return name
}

// quote returns s as a JSON string, which is also valid YAML.
func quote(s string) string { return string(rawjson.Quote(s)) }

// timeoutMillis returns the timeout of h in milliseconds, within the format's range. It records a loss
// if that changes the timeout.
func (w *writer) timeoutMillis(h *checkrein.Hook) int64 {
	limit := h.Limit()
	ms := int64((limit + time.Millisecond - 1) / time.Millisecond)
	fit := min(max(ms, minTimeout), maxTimeout)
	if time.Duration(fit)*time.Millisecond != limit {
		w.addLoss(h, "timeout", fmt.Sprintf("%s is not a whole number of milliseconds from %d to %d: changed to %d", limit, minTimeout, maxTimeout, fit), "")
	}
	return fit
}

// faultPolicy returns the policy to write as on_error, and records what it cannot express. In the
// format itself the agent always continues.
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
	if policy != checkrein.FaultWarn && hookFolder(h) == "" {
		w.addLoss(h, "on_error", "in this format, the agent continues after an error; only checkrein reads on_error: "+policy.String(), "")
	}
	return policy
}

// folderName returns an unused name for the folder of h, and records a loss if it differs from the
// hook's name.
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

// toValidName returns a valid name that resembles label.
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

// isValidName reports whether the format's own validator accepts s as a name. It is stricter than the
// specification.
func isValidName(s string) bool {
	return s != "" && len(s) <= maxName && !strings.ContainsFunc(s, func(c rune) bool {
		return c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z')
	})
}

// truncateText returns the first n characters of s, trimmed and as valid UTF-8.
func truncateText(s string, n int) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:n]))
}

// A prose holds the parts of a HOOK.md that are for people.
type prose struct {
	description, metadata string
	body                  []byte
}

// readProse returns the prose of the HOOK.md from which h comes. It is empty if h comes from another
// file or the HOOK.md cannot be read.
func readProse(h *checkrein.Hook) prose {
	folder := hookFolder(h)
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
	out := prose{description: truncateText(root.Get("description").ScalarText(), maxDescription), body: data[body:]}
	if m := root.Get("metadata"); !m.IsNull() {
		out.metadata = string(m.JSON())
	}
	return out
}

// hookFolder returns the folder from which h comes, or "" if it does not come from one.
func hookFolder(h *checkrein.Hook) string {
	return rawjson.GetText(h.With, "hook_folder")
}
