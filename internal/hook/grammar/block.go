package grammar

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// A Block collects the hooks of one file and the mistakes in it.
type Block struct {
	Rules    Rules
	File     string
	Hooks    []checkrein.Hook
	Warnings []error
	errs     []error
	lost     []error // those of errs for which no broken hook was added
	count    [checkrein.NumKinds]int

	Shadow bool   // hooks that set no mode are in shadow mode
	Until  string // the end of shadow mode for hooks that set none, as RFC 3339 in UTC
}

// Result returns the hooks and warnings, and all mistakes joined in line order. Hooks that call
// checkrein itself are left out.
func (b *Block) Result() (hookfile.File, error) {
	b.Hooks = slices.DeleteFunc(b.Hooks, b.callsCheckrein)
	slices.SortStableFunc(b.errs, func(x, y error) int { return errorLine(x) - errorLine(y) })
	return hookfile.File{Hooks: b.Hooks, Warnings: b.Warnings, Lost: errors.Join(b.lost...)}, errors.Join(b.errs...)
}

// callsCheckrein reports whether h is the entry with which a host calls checkrein. Such a hook must
// not run, because checkrein would call itself.
func (b *Block) callsCheckrein(h checkrein.Hook) bool {
	if h.Run != "command" || !bytes.Contains(h.With, []byte("hook")) {
		return false
	}
	line := rawjson.GetText(h.With, "command")
	if argv, ok := rawjson.Get(h.With, "argv"); ok && line == "" {
		rawjson.Elements(argv, func(_ int, v []byte) bool {
			word, _ := rawjson.Text(v)
			line += "'" + strings.ReplaceAll(word, "'", `'\''`) + "' "
			return true
		})
	}
	if !hostfiles.IsOwnCommand(line) {
		return false
	}
	if !b.Rules.Wired {
		b.Warn(h.From.Line, h.ID, "remove it", "this hook calls checkrein itself, as agents do, so it is ignored")
	}
	return true
}

// errorLine returns the line of a HookError, or 0 for other errors.
func errorLine(err error) int {
	if h, ok := err.(*checkrein.HookError); ok {
		return h.Origin.Line
	}
	return 0
}

// AddError adds a mistake at a line. The hook's label and the remedy may be "".
func (b *Block) AddError(line int, hook, remedy, format string, args ...any) {
	b.errs = append(b.errs, b.hookError(line, hook, remedy, fmt.Errorf(format, args...)))
}

// AddHookError adds a mistake in another file that this one refers to.
func (b *Block) AddHookError(err *checkrein.HookError) { b.errs = append(b.errs, err) }

// HasLost reports whether AddLost or AddLostYAML was called.
func (b *Block) HasLost() bool { return len(b.lost) > 0 }

// AddLost adds a mistake because of which a gate may be missing: unlike AddError, it is for entries
// that are not kept as broken hooks.
func (b *Block) AddLost(line int, remedy, format string, args ...any) {
	b.AddError(line, "", remedy, format, args...)
	b.lost = append(b.lost, b.errs[len(b.errs)-1])
}

func (b *Block) hookError(line int, hook, remedy string, err error) error {
	return &checkrein.HookError{Hook: hook, Origin: checkrein.Origin{File: b.File, Line: line}, Err: err, Remedy: remedy}
}

// yamlError returns e as an error of the file.
func (b *Block) yamlError(e *yamldoc.Error) error {
	return &checkrein.HookError{Origin: checkrein.Origin{File: b.File, Line: e.Line}, Column: e.Column, Err: errors.New(e.Msg), Remedy: e.Remedy}
}

// AddLostYAML adds a syntax error in the file's YAML, which makes the whole file unreadable.
func (b *Block) AddLostYAML(e *yamldoc.Error) {
	b.errs, b.lost = append(b.errs, b.yamlError(e)), append(b.lost, b.yamlError(e))
}

// Warn adds a warning about a probable mistake.
func (b *Block) Warn(line int, hook, remedy, format string, args ...any) {
	b.Warnings = append(b.Warnings, b.hookError(line, hook, remedy, fmt.Errorf(format, args...)))
}

// AddUnknownKeysLost adds a lost mistake for each key of n that is not in known. The text where names
// the mapping in the message.
func (b *Block) AddUnknownKeysLost(n *yamldoc.Node, where string, known ...string) {
	for _, p := range n.Pairs {
		if !slices.Contains(known, p.Key) {
			b.AddLost(p.Line, "", "unknown key %q in %s%s", p.Key, where, hintOrList(p.Key, known))
		}
	}
}

// AddUnknownKeys adds a mistake for each key of n that is not in known. No hook becomes broken by it.
// The text where names the mapping in the message.
func (b *Block) AddUnknownKeys(n *yamldoc.Node, where string, known ...string) {
	for _, p := range n.Pairs {
		if !slices.Contains(known, p.Key) {
			b.AddError(p.Line, "", "", "unknown key %q in %s%s", p.Key, where, hintOrList(p.Key, known))
		}
	}
}

// hintOrList returns a suggestion for the unknown word if it resembles one of known, otherwise the
// list of known words.
func hintOrList(word string, known []string) string {
	if h := suggest.Hint(word, known); h != "" {
		return h
	}
	return ": must be one of " + strings.Join(known, ", ")
}

// ReadHooks reads a hooks block, which maps event names to entries. A null node has no hooks.
func (b *Block) ReadHooks(n *yamldoc.Node) {
	if n.IsNull() {
		return
	}
	if n.Kind != yamldoc.Map {
		b.AddLost(n.Line, "put the hooks under an event: hooks: {pre_tool_use: […]}", "hooks is %s, not a mapping from events to hooks", n.Kind)
		return
	}
	for _, p := range n.Pairs {
		row, native, ok := lookupEvent(p.Key)
		if !ok {
			b.addUnknownEvent(p)
			continue
		}
		b.warnNative(p, native)
		b.readEvent(row, native, p.Value)
	}
}

// AddStray adds a lost mistake for hooks below n in a place where the dialect reads none, such as a
// hooks block at another depth or in capitals, because their author expects them to run. Content that
// is equal to one of the read nodes, as with a YAML alias, is not lost.
func (b *Block) AddStray(n *yamldoc.Node, remedy string, read ...*yamldoc.Node) {
	if n == nil || slices.Contains(read, n) {
		return
	}
	for _, item := range n.Items {
		b.AddStray(item, remedy, read...)
	}
	for _, p := range n.Pairs {
		switch {
		case slices.Contains(read, p.Value):
		case !holdsHooks(p):
			b.AddStray(p.Value, remedy, read...)
		case !slices.ContainsFunc(read, func(r *yamldoc.Node) bool { return bytes.Equal(r.JSON(), p.Value.JSON()) }):
			b.AddMisplaced(p.Line, p.Key, remedy)
		}
	}
}

// AddMisplaced adds a lost mistake for hooks below a key where the dialect reads none.
func (b *Block) AddMisplaced(line int, key, remedy string) {
	b.AddLost(line, remedy, "%w", MisplacedError(key))
}

// MisplacedError returns the error for hooks below a key where none are read.
func MisplacedError(key string) error {
	return fmt.Errorf("the hooks below %q are in a place where none are read, so they would never run", key)
}

// holdsHooks reports whether p is a block of hooks, or an event with its hooks.
func holdsHooks(p yamldoc.Pair) bool {
	if strings.EqualFold(p.Key, "hooks") || strings.EqualFold(p.Key, "hook") {
		return slices.ContainsFunc(p.Value.Pairs, func(p yamldoc.Pair) bool { return isEventName(p.Key) }) ||
			slices.ContainsFunc(p.Value.Items, func(item *yamldoc.Node) bool { return item.Get("event") != nil })
	}
	return isEventName(p.Key) && slices.ContainsFunc(p.Value.Items, func(item *yamldoc.Node) bool {
		return item.Get("hooks") != nil || item.Get("command") != nil || item.Get("type") != nil
	})
}

// isEventName reports whether name is the name of an event, ignoring case.
func isEventName(name string) bool {
	_, exact := hookfile.KindOf(name)
	_, lower := hookfile.KindOf(strings.ToLower(name))
	return exact || lower
}

// lookupEvent returns the contract of the event name. For native:NAME, a host's event without a
// contract, it returns that of Other and NAME. It returns false if there is no such event.
func lookupEvent(name string) (row *checkrein.Contract, native string, ok bool) {
	if n, is := strings.CutPrefix(name, "native:"); is && n != "" {
		return checkrein.ContractOf(checkrein.Other), n, true
	}
	kind, known := hookfile.KindOf(name)
	row = checkrein.ContractOf(kind)
	return row, "", known && row.Name == name
}

// warnNative warns if native, the name after "native:" in p.Key, is an event with a contract: it fires
// under its own name only.
func (b *Block) warnNative(p yamldoc.Pair, native string) {
	if kind, known := hookfile.KindOf(native); known {
		b.Warn(p.Line, "", "write "+kind.String(), "%s never fires, because %s has its own event name here", p.Key, native)
	}
}

// addUnknownEvent adds a lost mistake for the unknown event p.Key, with a suggestion if there is one.
func (b *Block) addUnknownEvent(p yamldoc.Pair) {
	if kind, known := hookfile.KindOf(p.Key); known {
		b.AddLost(p.Line, "", "%w %q: here it is called %s", ErrUnknownEvent, p.Key, kind)
		b.checkEntries(kind.String(), p.Value)
		return
	}
	names := make([]string, 0, checkrein.NumKinds)
	for _, c := range checkrein.Contracts()[1:] {
		names = append(names, c.Name)
	}
	remedy := "to list the events, run checkrein docs events; native:" + p.Key + " observes an agent's own event"
	hint := suggest.Hint(p.Key, names)
	if hint != "" {
		remedy = ""
	}
	b.errs = append(b.errs, b.hookError(p.Line, "", remedy, &UnknownEventError{p.Key, hint}))
	b.lost = append(b.lost, b.errs[len(b.errs)-1])
	b.checkEntries(suggest.Closest(p.Key, names), p.Value)
}

// checkEntries adds the mistakes in n, the hooks of an event with a misspelt name, as if the event
// were name, so that the user sees all mistakes at once. The hooks are discarded.
func (b *Block) checkEntries(name string, n *yamldoc.Node) {
	row, native, ok := lookupEvent(name)
	if !ok {
		return
	}
	hooks, count := len(b.Hooks), b.count
	b.readEvent(row, native, n)
	b.Hooks, b.count = b.Hooks[:hooks], count
}

// An UnknownEventError reports an event name that checkrein does not have.
type UnknownEventError struct{ Name, hint string }

func (e *UnknownEventError) Error() string {
	return fmt.Sprintf("%v %q%s", ErrUnknownEvent, e.Name, e.hint)
}

// Unwrap returns ErrUnknownEvent.
func (e *UnknownEventError) Unwrap() error { return ErrUnknownEvent }

// Mistakes in hook files that callers check for with errors.Is.
var (
	ErrUnknownEvent  = errors.New("unknown event")
	ErrNotExecutable = errors.New("is not executable")
	ErrNoScript      = errors.New("has no script")
)

// A PathError explains why a file that a hook names does not exist where its author expects it.
type PathError string

func (e PathError) Error() string { return string(e) }

// readEvent reads the entries of one event: a list, or a single mapping.
func (b *Block) readEvent(row *checkrein.Contract, native string, n *yamldoc.Node) {
	items := []*yamldoc.Node{n}
	switch {
	case n.IsNull():
		return
	case n.Kind == yamldoc.List:
		items = n.Items
	case n.Kind != yamldoc.Map:
		b.AddError(n.Line, "", exampleRemedy(row), "%s is %s, not a list of hooks", row.Name, n.Kind)
		b.addBroken(row, native, n.Line, fmt.Sprintf("%s is %s", row.Name, n.Kind))
		return
	}
	for _, item := range items {
		switch {
		case item.Kind != yamldoc.Map:
			b.AddError(item.Line, "", "write - {name: …, command: …}", "an entry under %s is %s, not a mapping", row.Name, item.Kind)
			b.addBroken(row, native, item.Line, fmt.Sprintf("the entry is %s", item.Kind))
		case item.Get("hooks") != nil:
			b.readGroup(row, native, item)
		default:
			b.readHook(row, native, item, group{})
		}
	}
}

// exampleRemedy returns a remedy that shows how to write the hooks of an event.
func exampleRemedy(row *checkrein.Contract) string {
	return "write " + row.Name + ": [{name: …, command: …}]"
}

// A group holds the settings that a matcher group applies to its hooks.
type group struct {
	match   string
	preempt bool
	broken  string
}

// readGroup reads a matcher group and its hooks.
func (b *Block) readGroup(row *checkrein.Contract, native string, n *yamldoc.Node) {
	before := len(b.errs)
	for _, p := range n.Pairs {
		if known := []string{"matcher", "preempt_yolo", "hooks"}; !slices.Contains(known, p.Key) {
			b.AddError(p.Line, "", "", "unknown key %q in a matcher group%s", p.Key, hintOrList(p.Key, known))
		}
	}
	var g group
	if m := n.Get("matcher"); !m.IsNull() {
		g.match = b.readMatcher(row, m, "")
	}
	if p := n.Get("preempt_yolo"); p != nil {
		if !b.Rules.Extra {
			p = p.AsYAML11Bool()
		}
		switch {
		case row.Kind != checkrein.PreToolUse:
			b.AddError(p.Line, "", "remove it", "preempt_yolo has no effect on %s", row.Name)
		case p.Kind != yamldoc.Bool:
			b.AddError(p.Line, "", "write true or false", "preempt_yolo is %s, not a boolean", p.Kind)
		default:
			g.preempt = p.Text == "true"
		}
	}
	if len(b.errs) > before {
		g.broken = messageWithoutOrigin(b.errs[before])
	}
	hooks := n.Get("hooks")
	items := hooks.Items
	if hooks.Kind == yamldoc.Map {
		items = []*yamldoc.Node{hooks}
	}
	if len(items) == 0 {
		b.addBroken(row, native, n.Line, "a matcher group has no hooks")
		b.AddError(n.Line, "", "add a hook or remove the group", "a matcher group under %s has no hooks", row.Name)
	}
	for _, item := range items {
		if item.Kind != yamldoc.Map {
			b.AddError(item.Line, "", "write - {name: …, command: …}", "a hook under %s is %s, not a mapping", row.Name, item.Kind)
			b.addBroken(row, native, item.Line, fmt.Sprintf("the entry is %s", item.Kind))
			continue
		}
		b.readHook(row, native, item, g)
	}
}

// readMatcher checks the matcher m and returns it. For an invalid matcher it adds a mistake and
// returns "", so that a broken gate applies to every tool.
func (b *Block) readMatcher(row *checkrein.Contract, m *yamldoc.Node, hook string) string {
	if m.Kind != yamldoc.Text {
		remedy := "put it in quotes"
		if m.Kind == yamldoc.List {
			remedy = "write one string with | between the names: 'shell|write'"
		}
		b.AddError(m.Line, hook, remedy, "matcher is %s, not a string", m.Kind)
		return ""
	}
	if !isToolEvent(row) {
		b.AddError(m.Line, hook, "use `if:` with the event's fields", "matcher has no effect on %s, because it is not a tool event", row.Name)
		return ""
	}
	t, err := match.CompileTool(m.Text, false)
	if err != nil {
		b.AddError(m.Line, hook, "", "matcher: %w", err)
		return ""
	}
	if doubt := t.CheckTypo(m.Text, nil); doubt != nil {
		b.Warn(m.Line, hook, matcherRemedy(m.Text), "matcher %w", doubt)
	}
	return m.Text
}

// matcherRemedy returns what to write instead of the matcher text, which matches nothing.
func matcherRemedy(text string) string {
	name, rest, rule := strings.Cut(text, "(")
	switch {
	case rule && strings.HasSuffix(rest, ")") && !strings.ContainsAny(name, "|^.*"):
		return "this is a Claude permission rule: write matcher: " + name + " and if: {command: {prefix: " + strings.TrimRight(rest, ":*)") + "}}"
	case strings.Contains(text, ","):
		return "write | between names: '" + strings.ReplaceAll(strings.ReplaceAll(text, " ", ""), ",", "|") + "'"
	}
	return "check the spelling; names are case-sensitive"
}

// addBroken adds a broken hook in place of an entry that could not be read. It faults on its event, so
// that a gate stays closed.
func (b *Block) addBroken(row *checkrein.Contract, native string, line int, why string) {
	h := b.newHook(row, native, line)
	h.Broken = why
	b.Hooks = append(b.Hooks, h)
}

// newHook returns a hook with default settings and the ID and origin of an entry at line.
func (b *Block) newHook(row *checkrein.Contract, native string, line int) checkrein.Hook {
	b.count[row.Kind]++
	h := checkrein.Hook{
		ID: fmt.Sprintf("%s#%d", row.Name, b.count[row.Kind]),
		On: row.Kind, Event: native, Priority: hookfile.DefaultPriority, Rewrites: true, Shadow: b.Shadow, ShadowUntil: b.Until,
		Dialect: b.Rules.Dialect, Exact: IsExact(b.Rules.Dialect), From: checkrein.Origin{File: b.File, Line: line},
	}
	if b.Rules.GateFaultsBlock && row.Kind == checkrein.PreToolUse {
		h.OnFault = checkrein.FaultBlock
	}
	return h
}

// AddBuiltin adds a hook that runs the builtin name, for which the file has a shorthand, and returns a
// pointer to it.
func (b *Block) AddBuiltin(kind checkrein.Kind, line int, name string, args ...string) *checkrein.Hook {
	h := b.newHook(checkrein.ContractOf(kind), "", line)
	h.Run, h.Name = "builtin", name
	h.With = builtinSettings(name, args)
	b.Hooks = append(b.Hooks, h)
	return &b.Hooks[len(b.Hooks)-1]
}

// ReadMode returns the mode n, or "" if it is absent or wrong.
func (b *Block) ReadMode(n *yamldoc.Node) string {
	if n.IsNull() {
		return ""
	}
	if n.Kind != yamldoc.Text || !slices.Contains(Modes, n.Text) {
		b.AddError(n.Line, "", "use "+strings.Join(Modes, " or "), "mode: %q is unknown", n.ScalarText())
		return ""
	}
	return n.Text
}

// ReadUntil returns the end of shadow mode n as [ParseEnd] returns it, or "" if it is absent or wrong.
func (b *Block) ReadUntil(n *yamldoc.Node) string {
	if n.IsNull() {
		return ""
	}
	until := ParseEnd(n.ScalarText())
	if until == "" {
		b.AddError(n.Line, "", "write when shadow mode ends: until: 2031-12-24, or a time such as 2031-12-24T18:00:00Z", "until is not a valid date or time: %q", n.ScalarText())
	}
	return until
}

// ParseEnd returns the end of a period as RFC 3339 in UTC: text is a time, or a day that is included.
// It returns "" if text is neither.
func ParseEnd(text string) string {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t.UTC().Format(time.RFC3339)
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t.AddDate(0, 0, 1).Format(time.RFC3339)
	}
	return ""
}

// ParseYAML parses src and returns its top level, which must be a mapping; an empty file counts as an
// empty mapping. If src is invalid, it adds a lost mistake and returns false.
func (b *Block) ParseYAML(src []byte) (*yamldoc.Node, bool) {
	root, warnings, err := yamldoc.Parse(src)
	for _, w := range warnings {
		b.Warnings = append(b.Warnings, b.yamlError(w))
	}
	var bad *yamldoc.Error
	switch {
	case errors.As(err, &bad):
		b.AddLostYAML(bad)
		return nil, false
	case err != nil:
		b.AddLost(1, "", "%w", err)
		return nil, false
	case root.Kind == yamldoc.Null:
		return &yamldoc.Node{Kind: yamldoc.Map, Line: 1}, true
	case root.Kind != yamldoc.Map:
		b.AddLost(root.Line, b.Rules.Begin, "the file is %s, not a mapping", root.Kind)
		return nil, false
	}
	return root, true
}
