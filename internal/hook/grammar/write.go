package grammar

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Writer writes hooks as a hooks block, which a [Block] can read. It records a loss for everything
// that its rules cannot express.
type Writer struct {
	Rules Rules
	// Has reports whether the dialect has an event; nil means all.
	Has func(checkrein.Kind) bool
	// ToolName returns the dialect's name for the tool canonical, or "". nil means that the dialect
	// accepts the names of every host.
	ToolName func(canonical string) string
	Indent   string // precedes each line of the block
	Losses   []hookfile.Loss
	out      strings.Builder
}

// WriteHooks returns the block that follows the line "hooks:". Hooks of the same event keep their
// order.
func (w *Writer) WriteHooks(hooks []checkrein.Hook) string {
	w.out.Reset()
	var events []string
	byEvent := map[string][]*checkrein.Hook{}
	for i := range hooks {
		h := &hooks[i]
		if !w.canWrite(h) {
			continue
		}
		name := h.On.String()
		if h.On == checkrein.Other {
			name = "native:" + h.Event
		}
		if byEvent[name] == nil {
			events = append(events, name)
		}
		byEvent[name] = append(byEvent[name], h)
	}
	for _, name := range events {
		w.writeLine(w.Indent, quoteKey(name)+":")
		for _, h := range byEvent[name] {
			w.writeHook(h)
		}
	}
	return w.out.String()
}

func (w *Writer) writeLine(indent, text string) { w.out.WriteString(indent + text + "\n") }

// addLoss records that the property what of h was not written, why, and what to do instead, which may
// be "".
func (w *Writer) addLoss(h *checkrein.Hook, what, why, instead string) {
	w.Losses = append(w.Losses, hookfile.Loss{Hook: h.Label(), What: what, Why: why, Instead: instead})
}

// canWrite reports whether a hook can be written at all; if not, it records the loss.
func (w *Writer) canWrite(h *checkrein.Hook) bool {
	switch {
	case h.Broken != "":
		w.addLoss(h, "hook", "the hook is not valid: "+h.Broken, "fix it first")
	case h.On == checkrein.Other && (!w.Rules.Extra || h.Event == ""):
		w.addLoss(h, "event", "the format has no event "+h.Event, "")
	case w.Has != nil && !w.Has(h.On):
		w.addLoss(h, "event", "the format has no event "+h.On.String(), "")
	case !slices.Contains(w.Rules.allowedTypes(), h.Run):
		w.addLoss(h, "type", "the format has no hooks of type "+h.Run, "use a command that calls checkrein eval -c FILE")
	default:
		return true
	}
	return false
}

// writeHook writes h, inside a matcher group if the format needs one.
func (w *Writer) writeHook(h *checkrein.Hook) {
	row := checkrein.ContractOf(h.On)
	grouped := isToolEvent(row) && (!w.Rules.Extra || h.Preempt)
	indent := w.Indent + "  "
	if !grouped {
		w.writeEntry(h, indent, !w.Rules.Extra)
		return
	}
	w.writeLine(indent, "- matcher: "+quote(matcherOrStar(w.convertMatcher(h))))
	if h.Preempt {
		w.writeLine(indent+"  ", "preempt_yolo: true")
	}
	w.writeLine(indent+"  ", "hooks:")
	w.writeEntry(h, indent+"    ", true)
}

// convertMatcher returns the matcher of h as a regular expression for whole names. It adds the
// dialect's names for tools that the matcher accepts under other names.
func (w *Writer) convertMatcher(h *checkrein.Hook) string {
	expr := h.Match
	accepts, err := match.CompileTool(h.Match, h.MatchWords)
	if err != nil || accepts.MatchesAll() || w.Rules.Extra {
		return expr
	}
	if h.MatchWords {
		if expr = strings.Join(strings.FieldsFunc(h.Match, func(r rune) bool { return r == '|' || r == ',' || r == ' ' }), "|"); !isPlainNames(expr) {
			expr = ".*(?:" + h.Match + ").*"
		}
	}
	return w.addToolNames(h, expr, &accepts)
}

func isPlainNames(expr string) bool {
	return !strings.ContainsAny(expr, `\.+*?()[]{}^$`)
}

// addToolNames returns expr with the dialect's names for the tools that accepts matches but expr does
// not. It records the addition as a loss.
func (w *Writer) addToolNames(h *checkrein.Hook, expr string, accepts *match.Tool) string {
	if w.ToolName == nil {
		return expr
	}
	written, err := match.CompileTool(expr, false)
	if err != nil {
		return expr
	}
	var added []string
	tools.EachName(func(native, canonical string) {
		name := w.ToolName(canonical)
		there := &checkrein.Tool{Name: name}
		if name != "" && accepts.Match(&checkrein.Tool{Name: native}, "") && !written.Match(there, "") && !slices.Contains(added, name) {
			added = append(added, name)
		}
	})
	if len(added) == 0 {
		return expr
	}
	w.addLoss(h, "matcher", "the tools are called "+strings.Join(added, ", ")+" in the target format, so those names were added", "")
	return expr + "|" + strings.Join(added, "|")
}

// matcherOrStar returns match, or "*" if it is empty.
func matcherOrStar(match string) string {
	if match == "" {
		return "*"
	}
	return match
}

// writeEntry writes h as a list item. If grouped is set, it leaves out the matcher, which the group
// has.
func (w *Writer) writeEntry(h *checkrein.Hook, indent string, grouped bool) {
	e := itemWriter{indent: indent, out: &w.out}
	if h.Name != "" {
		e.put("name", quote(h.Name))
	}
	e.put("type", h.Run)
	w.writeSettings(h, &e)
	if h.Timeout != 0 {
		e.put("timeout", formatSeconds(h.Timeout))
	}
	if implied := w.Rules.GateFaultsBlock && h.On == checkrein.PreToolUse; h.OnFault != checkrein.FaultByRow && !implied {
		e.put("on_error", h.OnFault.String())
	} else if implied && h.OnFault != checkrein.FaultBlock {
		w.addLoss(h, "on_error", "in the target format, a failing pre_tool_use hook always blocks", "")
	}
	if h.Strict {
		e.put("strict_output", "true")
	}
	if !grouped && h.Match != "" {
		e.put("matcher", quote(h.Match))
	}
	for _, x := range extraKeys(h) {
		if !w.Rules.Extra && x.key == "match_words" {
			continue // convertMatcher has replaced it
		}
		if w.Rules.Extra {
			e.put(x.key, x.value)
		} else {
			w.addLoss(h, x.key, "the format has no "+x.key, x.instead)
		}
	}
	if h.Dialect != w.Rules.Dialect && (h.Run == "command" || h.Run == "http") {
		if w.Rules.Extra {
			e.put("dialect", h.Dialect)
		} else {
			w.addLoss(h, "dialect", "the hook gets "+w.Rules.Dialect+"'s payload instead of "+h.Dialect+"'s", "make the command accept both")
		}
	}
}

// writeSettings writes the settings of the hook's handler to e.
func (w *Writer) writeSettings(h *checkrein.Hook, e *itemWriter) {
	rawjson.Each(h.With, func(name string, val []byte) bool {
		switch {
		case h.Run == "builtin" && name == "name":
			e.put("command", formatText(val, e.indent))
		case name == "argv" && w.Rules.Extra:
			e.put("command", string(rawjson.Compact(nil, val)))
		case name == "argv":
			e.put("command", quote(quoteArgv(val)))
		case !w.Rules.Extra && isNativeOnly(name):
			w.addLoss(h, name, "the format has no "+name, "")
		case name == "command" || name == "prompt":
			e.put(name, formatText(val, e.indent))
		default:
			e.put(name, string(rawjson.Compact(nil, val)))
		}
		return true
	})
}

// isNativeOnly reports whether the key for setting is allowed only in checkrein's own files.
func isNativeOnly(setting string) bool {
	return slices.ContainsFunc(options[:], func(o Option) bool { return o.With == setting && o.Native })
}

// quoteArgv returns argv, a JSON array of a program and its arguments, as a shell command.
func quoteArgv(argv []byte) string {
	var words []string
	rawjson.Elements(argv, func(_ int, e []byte) bool {
		s, _ := rawjson.Text(e)
		words = append(words, "'"+strings.ReplaceAll(s, "'", `'\''`)+"'")
		return true
	})
	return strings.Join(words, " ")
}

// An extraKey is a key with its value that only checkrein's own files may have, and what to do instead
// in other formats.
type extraKey struct{ key, value, instead string }

// extraKeys returns the keys of h that only checkrein's own files may have.
func extraKeys(h *checkrein.Hook) []extraKey {
	var out []extraKey
	add := func(on bool, key, value, instead string) {
		if on {
			out = append(out, extraKey{key, value, instead})
		}
	}
	add(h.MatchWords && h.Match != "", "match_words", "true", "anchor the expression yourself")
	add(h.Args != "", "args_match", quote(h.Args), "check tool_input in the command")
	add(h.Search != "", "search", quote(h.Search), "check the payload in the command")
	add(h.If != nil, "if", string(rawjson.Compact(nil, h.If)), "check this in the command")
	add(h.Priority != hookfile.DefaultPriority, "priority", strconv.Itoa(h.Priority), "order the hooks in the file")
	add(h.Chain != "", "chain", quote(h.Chain), "")
	add(h.Async, "async", "true", "start the work in the background from the command")
	add(h.Gate, "gate", "true", "")
	add(h.Shadow, "mode", Shadow, "")
	add(h.ShadowUntil != "", "until", quote(h.ShadowUntil), "")
	add(!h.Rewrites && h.Run != "rule", "rewrites", "false", "")
	return out
}

// An itemWriter writes the keys of one list item.
type itemWriter struct {
	indent string
	out    *strings.Builder
	began  bool
}

func (f *itemWriter) put(key, value string) {
	lead := "- "
	if f.began {
		lead = "  "
	}
	f.began = true
	fmt.Fprintf(f.out, "%s%s%s: %s\n", f.indent, lead, key, value)
}

func formatSeconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64)
}

// quote returns s as a JSON string, which is also valid YAML.
func quote(s string) string { return string(rawjson.Quote(s)) }

func quoteKey(s string) string {
	if strings.ContainsAny(s, ": ") {
		return quote(s)
	}
	return s
}

// formatText formats the JSON string val for YAML: as a block if it has several lines and a block
// preserves them, otherwise in quotes.
func formatText(val []byte, indent string) string {
	s, ok := rawjson.Text(val)
	if !ok || !strings.Contains(s, "\n") || !fitsBlock(s) {
		return string(rawjson.Compact(nil, val))
	}
	var b strings.Builder
	b.WriteString("|")
	if !strings.HasSuffix(s, "\n") {
		b.WriteString("-")
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		b.WriteString("\n")
		if line != "" {
			b.WriteString(indent + "    " + line)
		}
	}
	return b.String()
}

// fitsBlock reports whether a YAML block scalar preserves s.
func fitsBlock(s string) bool {
	if strings.HasPrefix(s, " ") || strings.HasPrefix(s, "\n") || strings.HasSuffix(s, "\n\n") {
		return false
	}
	for _, r := range s {
		if r < ' ' && r != '\n' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 || r == 0xfeff {
			return false
		}
	}
	for line := range strings.SplitSeq(s, "\n") {
		if strings.TrimRight(line, " ") != line {
			return false
		}
	}
	return true
}
