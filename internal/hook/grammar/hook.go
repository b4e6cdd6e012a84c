package grammar

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// An entry is a hook that is being read.
type entry struct {
	block *Block
	row   *checkrein.Contract
	node  *yamldoc.Node
	typ   string
	hook  checkrein.Hook
}

// readHook reads one entry. If it has mistakes, they are added and it is kept as a broken hook.
func (b *Block) readHook(row *checkrein.Contract, native string, n *yamldoc.Node, g group) {
	before := len(b.errs)
	e := entry{block: b, row: row, node: n, hook: b.newHook(row, native, n.Line)}
	e.hook.Match, e.hook.Preempt, e.hook.Broken = g.match, g.preempt, g.broken
	if name := n.Get("name"); name != nil && name.Kind == yamldoc.Text && name.Text != "" {
		e.hook.Name, e.hook.ID = name.Text, name.Text
	}
	e.typ = e.hookType()
	e.hook.Run = e.typ
	for _, p := range n.Pairs {
		e.readOption(p)
	}
	e.finishHook()
	if len(b.errs) > before && e.hook.Broken == "" {
		e.hook.Broken = messageWithoutOrigin(b.errs[before])
	}
	if e.hook.Broken != "" {
		e.resetFaults()
	}
	b.Hooks = append(b.Hooks, e.hook)
}

// resetFaults resets the settings of a broken hook that could keep its fault from blocking: they are
// as doubtful as the rest of the entry.
func (e *entry) resetFaults() {
	e.hook.Async, e.hook.Shadow, e.hook.ShadowUntil = false, e.block.Shadow, e.block.Until
	if e.hook.OnFault != checkrein.FaultBlock {
		e.hook.OnFault = checkrein.FaultByRow
	}
}

// messageWithoutOrigin returns the message of err without its file and line, which the hook has
// itself.
func messageWithoutOrigin(err error) string {
	h, ok := err.(*checkrein.HookError)
	switch {
	case !ok:
		return err.Error()
	case h.Remedy != "":
		return h.Err.Error() + " (" + h.Remedy + ")"
	}
	return h.Err.Error()
}

func (e *entry) addError(line int, remedy, format string, args ...any) {
	e.block.AddError(line, e.hook.Label(), remedy, format, args...)
}

// hookType returns the value of "type". If that is missing in one of checkrein's own files, it infers
// the type from another key. It adds a mistake and returns "" if the type is unknown.
func (e *entry) hookType() string {
	t := e.node.Get("type")
	types := e.block.Rules.allowedTypes()
	if t != nil && t.Kind == yamldoc.Text {
		if !slices.Contains(types, t.Text) {
			e.addError(t.Line, "", "unknown hook type %q%s", t.Text, hintOrList(t.Text, types))
			return ""
		}
		return t.Text
	}
	if e.block.Rules.Extra && t == nil {
		for _, row := range impliedTypes {
			if e.node.Get(row.key) != nil {
				return row.typ
			}
		}
	}
	if e.misspellsType() {
		return "" // the error for that key is enough
	}
	if !e.block.Rules.Extra {
		e.addError(e.node.Line, "add type: with one of "+strings.Join(types, ", "), "the hook has no type")
		return ""
	}
	e.addError(e.node.Line, "add command: for a program, or decision: for a rule", "the hook does not say what it does")
	return ""
}

// misspellsType reports whether one of the entry's unknown keys resembles "type" or a key that implies
// a type.
func (e *entry) misspellsType() bool {
	return e.block.Rules.Extra && slices.ContainsFunc(e.node.Pairs, func(p yamldoc.Pair) bool {
		if lookupOption(p.Key) != nil {
			return false
		}
		key := suggest.Closest(p.Key, e.knownKeys())
		return key == "type" || slices.ContainsFunc(impliedTypes[:], func(row struct{ key, typ string }) bool { return row.key == key })
	})
}

func lookupOption(key string) *Option {
	for i := range options {
		if options[i].Key == key {
			return &options[i]
		}
	}
	return nil
}

// readOption reads one key of the entry.
func (e *entry) readOption(p yamldoc.Pair) {
	o := lookupOption(p.Key)
	if o == nil || o.Native && !e.block.Rules.Extra {
		e.addUnknownKey(p)
		return
	}
	isFlag := slices.Contains(o.Kind, yamldoc.Bool)
	if p.Value.IsNull() && p.Key != "sandbox" && !isFlag { // an empty sandbox must not count as no sandbox
		return
	}
	if !e.block.Rules.Extra && isFlag {
		p.Value = p.Value.AsYAML11Bool()
	}
	if !slices.Contains(o.Kind, p.Value.Kind) {
		remedy := o.Example
		if p.Key == "if" && p.Value.Kind == yamldoc.List {
			remedy = "write if: {all: […]}, or use any: if one match is enough"
		}
		e.addError(p.Value.Line, remedy, "%s is %s, not %s", p.Key, p.Value.Kind, kindNames(o.Kind))
		return
	}
	if e.typ == "model" && (p.Key == "env" || p.Key == "working_dir") { // docker-agent's schema permits these
		e.block.Warn(p.Line, e.hook.Label(), "remove it", "%s has no effect on a hook of type model, because such a hook does not start a program", p.Key)
		return
	}
	if o.Types != nil && e.typ != "" && !slices.Contains(o.Types, e.typ) {
		e.addError(p.Line, "remove it", "%s has no effect on hooks of type %s", p.Key, e.typ)
		return
	}
	if o.Words != nil && p.Key != "type" && !slices.Contains(o.Words, p.Value.Text) {
		e.addError(p.Value.Line, "", "%s: %q is unknown%s", p.Key, p.Value.Text, hintOrList(p.Value.Text, o.Words))
		return
	}
	e.setProperty(p.Key, p.Value)
}

func (e *entry) addUnknownKey(p yamldoc.Pair) {
	switch hint := suggest.Hint(p.Key, e.knownKeys()); {
	case hint != "":
		e.addError(p.Line, "", "unknown key %q%s", p.Key, hint)
	case lookupOption(p.Key) != nil:
		e.addError(p.Line, "move the hook to a checkrein.yaml", "key %q is allowed only in checkrein's own files", p.Key)
	default:
		e.addError(p.Line, "for the list of keys, run checkrein docs configuration", "unknown key %q", p.Key)
	}
}

// knownKeys returns the keys that the entry may have.
func (e *entry) knownKeys() []string {
	var out []string
	for i := range options {
		if o := &options[i]; (e.block.Rules.Extra || !o.Native) && (o.Types == nil || e.typ == "" || slices.Contains(o.Types, e.typ)) {
			out = append(out, o.Key)
		}
	}
	return out
}

// setProperty sets the property of the hook itself that key stands for.
func (e *entry) setProperty(key string, v *yamldoc.Node) {
	h := &e.hook
	switch key {
	case "timeout":
		h.Timeout = e.readTimeout(v)
	case "on_error":
		e.setOnError(v)
	case "strict_output":
		h.Strict = v.Text == "true"
	case "matcher":
		if h.Match != "" {
			e.addError(v.Line, "keep only one", "the hook's group already has a matcher")
			return
		}
		h.Match = e.block.readMatcher(e.row, v, h.Label())
	case "if":
		h.If = v.JSON()
		if _, err := match.CompileCond(h.If, e.row); err != nil {
			e.addError(v.Line, "", "%w", err)
		}
	case "priority":
		n, err := strconv.Atoi(v.Text)
		if err != nil || n < 0 || n > hookfile.MaxPriority {
			e.addError(v.Line, fmt.Sprintf("write a whole number from 0 to %d", hookfile.MaxPriority), "priority %s is out of range", v.Text)
			return
		}
		h.Priority = n
	case "match_words":
		if v.Text == "true" {
			h.MatchWords = true
		}
	case "args_match":
		h.Args = e.readSearch(v)
	case "search":
		h.Search = e.readSearch(v)
	case "chain":
		h.Chain = v.Text
	case "dialect":
		h.Dialect, h.Exact = v.Text, IsExact(v.Text)
	case "async":
		h.Async = v.Text == "true"
	case "gate":
		h.Gate = v.Text == "true"
	case "rewrites":
		h.Rewrites = v.Text == "true"
	case "mode":
		h.Shadow = v.Text == Shadow
	case "until":
		if h.ShadowUntil = ParseEnd(v.ScalarText()); h.ShadowUntil == "" {
			e.addError(v.Line, "write when shadow mode ends: until: 2031-12-24, or a time such as 2031-12-24T18:00:00Z", "until is not a valid date or time: %q", v.ScalarText())
		}
	}
}

// readSearch returns the regular expression v, and adds a mistake if it is invalid.
func (e *entry) readSearch(v *yamldoc.Node) string {
	if _, err := match.CompileSearch(v.Text); err != nil {
		e.addError(v.Line, "", "%w", err)
	}
	return v.Text
}

// maxTimeout is longer than any hook should take, and short enough to detect a timeout that was
// written in milliseconds.
const maxTimeout = 24 * time.Hour

// readTimeout returns the timeout v. If it is invalid, readTimeout adds a mistake.
func (e *entry) readTimeout(v *yamldoc.Node) time.Duration {
	d, ok := v.Duration()
	switch {
	case v.Kind == yamldoc.Text && !e.block.Rules.Extra:
		e.addError(v.Line, "write seconds, without quotes or a unit", "timeout is a string, not a number")
		return 0
	case !ok && strings.HasPrefix(v.Text, "-"):
		e.addError(v.Line, "write seconds, or leave it out for the default", "timeout %s is negative", v.Text)
		return 0
	case !ok:
		e.addError(v.Line, "write seconds, or a duration such as 30s or 1m30s", "timeout: %s is not a valid duration", v.Display())
		return 0
	case d > maxTimeout:
		e.addError(v.Line, "timeouts are in seconds: for one minute, write 60 or 1m", "timeout %s is longer than a day", v.Text)
		return 0
	}
	return d
}

func (e *entry) setOnError(v *yamldoc.Node) {
	policy := checkrein.FaultWarn
	for policy.String() != v.Text { // readOption has checked that it is one of them
		policy++
	}
	if policy == checkrein.FaultBlock && !e.row.Can(checkrein.CanDeny) {
		e.addError(v.Line, "use warn or ignore", "on_error: block has no effect here: no hook can block %s", e.row.Name)
		return
	}
	if e.hook.OnFault != checkrein.FaultBlock { // unless the dialect has already set it
		e.hook.OnFault = policy
	}
}

// finishHook checks what depends on several keys, and sets the handler's settings.
func (e *entry) finishHook() {
	if e.typ == "" {
		return
	}
	for _, key := range requiredKeys(e.typ) {
		if v := e.node.Get(key); v.IsNull() || v.Kind == yamldoc.Text && strings.TrimSpace(v.Text) == "" || v.Kind == yamldoc.List && len(v.Items) == 0 {
			e.addError(e.node.Line, "add "+key+":", "a hook of type %s needs %s", e.typ, key)
		}
	}
	if e.typ == "rule" && !e.hasAny("decision", "patch", "context", "notice") {
		e.block.Warn(e.node.Line, e.hook.Label(), "add decision, patch, context or notice", "the rule does nothing")
	}
	if v := e.node.Get("command"); e.typ == "builtin" && v != nil && v.Kind == yamldoc.List {
		e.addError(v.Line, "write the arguments as args", "the builtin's name is a list, not a string")
	}
	if until := e.node.Get("until"); until != nil && !e.hook.Shadow {
		e.block.Warn(until.Line, e.hook.Label(), "add mode: shadow, or remove it", "until has no effect without mode: shadow")
	}
	if !e.hook.Shadow {
		e.hook.ShadowUntil = ""
	}
	if e.hook.Async && (e.hook.Gate || e.typ == "rule" || e.typ == "model" && e.hasAny("schema")) {
		e.addError(e.node.Line, "remove async", "an asynchronous hook cannot make decisions")
	}
	e.hook.With = e.handlerSettings()
}

// hasAny reports whether the entry has one of keys with a value.
func (e *entry) hasAny(keys ...string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return !e.node.Get(k).IsNull() })
}

// handlerSettings returns the entry's settings for the handler as a JSON object. Empty lists and
// mappings mean the same as absent ones and are left out.
func (e *entry) handlerSettings() json.RawMessage {
	b := []byte{'{'}
	add := func(name string, val []byte) { b = rawjson.AppendMember(b, name, val) }
	for i := range options {
		o := &options[i]
		v := e.node.Get(o.Key)
		if o.With == "" || v.IsNull() || o.Types != nil && !slices.Contains(o.Types, e.typ) {
			continue
		}
		if v.Kind == yamldoc.List && len(v.Items) == 0 || v.Kind == yamldoc.Map && len(v.Pairs) == 0 && o.Key != "sandbox" {
			continue
		}
		switch {
		case o.Key == "sandbox":
			add(o.With, e.readSandbox(v))
		case o.Key == "command" && e.typ == "builtin":
			add("name", v.JSON())
		case o.Key == "command" && v.Kind == yamldoc.List:
			add("argv", e.textList(o.Key, v))
		case o.Key == "args" || o.Key == "allowed_env" || o.Key == "files":
			add(o.With, e.textList(o.Key, v))
		case o.Key == "env" || o.Key == "headers":
			add(o.With, e.textMap(o.Key, v))
		default:
			add(o.With, v.JSON())
		}
	}
	return append(b, '}')
}

// textList returns the items of v as a JSON array of strings. Numbers and booleans become strings as
// written. Other items are mistakes.
func (e *entry) textList(key string, v *yamldoc.Node) []byte {
	b := []byte{'['}
	for i, item := range v.Items {
		if item.Kind == yamldoc.List || item.Kind == yamldoc.Map || item.Kind == yamldoc.Null {
			e.addError(item.Line, "put it in quotes", "%s holds %s", key, item.Kind)
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = rawjson.AppendString(b, writtenText(item))
	}
	return append(b, ']')
}

// writtenText returns the text of a scalar as the user wrote it: 1.10 may be a version and must not
// become 1.1.
func writtenText(n *yamldoc.Node) string {
	if n.Kind == yamldoc.Number || n.Kind == yamldoc.Bool {
		return n.Written
	}
	return n.Text
}

// textMap returns the members of v as a JSON object of strings, like textList. The keys are sorted,
// because their order has no meaning.
func (e *entry) textMap(key string, v *yamldoc.Node) []byte {
	b := []byte{'{'}
	pairs := slices.Clone(v.Pairs)
	slices.SortFunc(pairs, func(a, b yamldoc.Pair) int { return strings.Compare(a.Key, b.Key) })
	for _, p := range pairs {
		if p.Value.Kind == yamldoc.List || p.Value.Kind == yamldoc.Map {
			e.addError(p.Line, "put it in quotes", "%s.%s is %s", key, p.Key, p.Value.Kind)
		}
		b = rawjson.AppendString(rawjson.AppendKey(b, p.Key), writtenText(p.Value))
	}
	return append(b, '}')
}

// builtinSettings returns the settings of a hook that runs the builtin name with args, as JSON.
func builtinSettings(name string, args []string) json.RawMessage {
	b := append([]byte(`{"name":`), rawjson.Quote(name)...)
	if len(args) > 0 {
		b = append(b, `,"args":[`...)
		for i, a := range args {
			if i > 0 {
				b = append(b, ',')
			}
			b = rawjson.AppendString(b, a)
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

func kindNames(kinds []yamldoc.Kind) string {
	out := make([]string, len(kinds))
	for i, k := range kinds {
		out[i] = fmt.Sprint(k)
	}
	return strings.Join(out, " or ")
}
