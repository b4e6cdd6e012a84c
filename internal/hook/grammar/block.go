package grammar

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// A Block collects the hooks of one file and what is wrong with them.
type Block struct {
	Rules    Rules
	File     string
	Hooks    []checkrein.Hook
	Warnings []error
	errs     []error
	lost     []error // those of errs that stand for no hook
	count    [checkrein.NumKinds]int

	Shadow bool // hooks without a mode of their own are in shadow mode
}

// Result returns the hooks, and everything that was wrong, joined in the order
// of the lines.
func (b *Block) Result() (hookfile.File, error) {
	b.Hooks = slices.DeleteFunc(b.Hooks, b.isOwn)
	slices.SortStableFunc(b.errs, func(x, y error) int { return lineOf(x) - lineOf(y) })
	return hookfile.File{Hooks: b.Hooks, Warnings: b.Warnings, Lost: errors.Join(b.lost...)}, errors.Join(b.errs...)
}

// isOwn reports whether a hook is an entry by which a host calls checkrein: whoever
// reads the file for checkrein does not call it once more.
func (b *Block) isOwn(h checkrein.Hook) bool {
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
	if !hostfiles.Own(line) {
		return false
	}
	if !b.Rules.Wired {
		b.Warn(h.From.Line, h.ID, "remove it", "this hook calls checkrein itself, as agents do, so it is ignored")
	}
	return true
}

func lineOf(err error) int {
	if h, ok := err.(*checkrein.HookError); ok {
		return h.Origin.Line
	}
	return 0
}

// Problem notes a mistake at a line.
func (b *Block) Problem(line int, hook, remedy, format string, args ...any) {
	b.errs = append(b.errs, b.at(line, hook, remedy, fmt.Errorf(format, args...)))
}

// Report notes a mistake in another file that belongs to this one.
func (b *Block) Report(err *checkrein.HookError) { b.errs = append(b.errs, err) }

// IsLost reports whether something was lost.
func (b *Block) IsLost() bool { return len(b.lost) > 0 }

// Lose notes a mistake that may have cost a gate.
func (b *Block) Lose(line int, remedy, format string, args ...any) {
	b.Problem(line, "", remedy, format, args...)
	b.lost = append(b.lost, b.errs[len(b.errs)-1])
}

func (b *Block) at(line int, hook, remedy string, err error) error {
	return &checkrein.HookError{Hook: hook, Origin: checkrein.Origin{File: b.File, Line: line}, Err: err, Remedy: remedy}
}

// in is a problem of the file's text.
func (b *Block) in(e *yamldoc.Error) error {
	return &checkrein.HookError{Origin: checkrein.Origin{File: b.File, Line: e.Line}, Column: e.Column, Err: errors.New(e.Msg), Remedy: e.Remedy}
}

// LoseText notes a mistake of the file's text, which costs all of it.
func (b *Block) LoseText(e *yamldoc.Error) {
	b.errs, b.lost = append(b.errs, b.in(e)), append(b.lost, b.in(e))
}

// Warn notes something that works and is probably not meant.
func (b *Block) Warn(line int, hook, remedy, format string, args ...any) {
	b.Warnings = append(b.Warnings, b.at(line, hook, remedy, fmt.Errorf(format, args...)))
}

// Keys complains about members of n that known does not list.
func (b *Block) Keys(n *yamldoc.Node, where string, known ...string) {
	for _, p := range n.Pairs {
		if !slices.Contains(known, p.Key) {
			b.Lose(p.Line, "", "unknown key %q in %s%s", p.Key, where, hintOr(p.Key, known))
		}
	}
}

// KnownKeys reports keys that are not known, and leaves the rest of the file as it
// is.
func (b *Block) KnownKeys(n *yamldoc.Node, where string, known ...string) {
	for _, p := range n.Pairs {
		if !slices.Contains(known, p.Key) {
			b.Problem(p.Line, "", "", "unknown key %q in %s%s", p.Key, where, hintOr(p.Key, known))
		}
	}
}

func hintOr(word string, known []string) string {
	if h := suggest.Hint(word, known); h != "" {
		return h
	}
	return ": must be one of " + strings.Join(known, ", ")
}

// Read reads a hooks block: a mapping from event names to entries.
func (b *Block) Read(n *yamldoc.Node) {
	if n.IsNull() {
		return
	}
	if n.Kind != yamldoc.Map {
		b.Lose(n.Line, "put the hooks under an event: hooks: {pre_tool_use: […]}", "hooks is %s, not a mapping from events to hooks", n.Kind)
		return
	}
	for _, p := range n.Pairs {
		row, native, ok := eventNamed(p.Key)
		if !ok {
			b.unknownEvent(p)
			continue
		}
		b.warnOfRow(p, native)
		b.event(row, native, p.Value)
	}
}

// LoseStray notes hooks below n that the dialect does not read there, such as a hooks block
// at another depth or in capitals: whoever wrote them believes that they run. What one
// of the read nodes has too, as with an alias, is not lost.
func (b *Block) LoseStray(n *yamldoc.Node, remedy string, read ...*yamldoc.Node) {
	if n == nil || slices.Contains(read, n) {
		return
	}
	for _, item := range n.Items {
		b.LoseStray(item, remedy, read...)
	}
	for _, p := range n.Pairs {
		switch {
		case slices.Contains(read, p.Value):
		case !namesHooks(p):
			b.LoseStray(p.Value, remedy, read...)
		case !slices.ContainsFunc(read, func(r *yamldoc.Node) bool { return bytes.Equal(r.JSON(), p.Value.JSON()) }):
			b.LoseMisplaced(p.Line, p.Key, remedy)
		}
	}
}

// LoseMisplaced notes hooks below a key where the dialect reads none.
func (b *Block) LoseMisplaced(line int, key, remedy string) {
	b.Lose(line, remedy, "%w", MisplacedError(key))
}

// MisplacedError returns the error about hooks below a key where none are read.
func MisplacedError(key string) error {
	return fmt.Errorf("the hooks below %q are in a place where none are read, so they would never run", key)
}

// namesHooks reports whether a member is a block of hooks or the hooks of an event.
func namesHooks(p yamldoc.Pair) bool {
	if strings.EqualFold(p.Key, "hooks") || strings.EqualFold(p.Key, "hook") {
		return slices.ContainsFunc(p.Value.Pairs, func(p yamldoc.Pair) bool { return isEvent(p.Key) }) ||
			slices.ContainsFunc(p.Value.Items, func(item *yamldoc.Node) bool { return item.Get("event") != nil })
	}
	return isEvent(p.Key) && slices.ContainsFunc(p.Value.Items, func(item *yamldoc.Node) bool {
		return item.Get("hooks") != nil || item.Get("command") != nil || item.Get("type") != nil
	})
}

func isEvent(name string) bool {
	_, exact := checkrein.KindOf(name)
	_, lower := checkrein.KindOf(strings.ToLower(name))
	return exact || lower
}

// eventNamed finds an event of a block. native:NAME is a host's event without
// a row.
func eventNamed(name string) (row *checkrein.Contract, native string, ok bool) {
	if n, is := strings.CutPrefix(name, "native:"); is && n != "" {
		return checkrein.ContractOf(checkrein.Other), n, true
	}
	kind, known := checkrein.KindOf(name)
	row = checkrein.ContractOf(kind)
	return row, "", known && row.Name == name
}

// warnOfRow reports a host's event that has a row: it fires under that name.
func (b *Block) warnOfRow(p yamldoc.Pair, native string) {
	if kind, known := checkrein.KindOf(native); known {
		b.Warn(p.Line, "", "write "+kind.String(), "%s never fires, because %s has its own event name here", p.Key, native)
	}
}

func (b *Block) unknownEvent(p yamldoc.Pair) {
	if kind, known := checkrein.KindOf(p.Key); known {
		b.Lose(p.Line, "", "%w %q: here it is called %s", ErrUnknownEvent, p.Key, kind)
		b.meant(kind.String(), p.Value)
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
	b.errs = append(b.errs, b.at(p.Line, "", remedy, &UnknownEvent{p.Key, hint}))
	b.lost = append(b.lost, b.errs[len(b.errs)-1])
	b.meant(suggest.Closest(p.Key, names), p.Value)
}

// meant notes what is wrong with the hooks of an event whose name is wrong, as if it
// had the name that was meant: a person hears of all mistakes at once. The hooks
// themselves are lost.
func (b *Block) meant(name string, n *yamldoc.Node) {
	row, native, ok := eventNamed(name)
	if !ok {
		return
	}
	hooks, count := len(b.Hooks), b.count
	b.event(row, native, n)
	b.Hooks, b.count = b.Hooks[:hooks], count
}

// An UnknownEvent is the name of an event that no row has.
type UnknownEvent struct{ Name, hint string }

func (e *UnknownEvent) Error() string { return fmt.Sprintf("%v %q%s", ErrUnknownEvent, e.Name, e.hint) }

// Unwrap returns ErrUnknownEvent.
func (e *UnknownEvent) Unwrap() error { return ErrUnknownEvent }

// The mistakes in hook files that callers tell from others.
var (
	ErrUnknownEvent  = errors.New("unknown event")
	ErrNotExecutable = errors.New("is not executable")
	ErrNoScript      = errors.New("has no script")
)

// A PathError is why a file that a hook names is not looked for where its author meant.
type PathError string

func (e PathError) Error() string { return string(e) }

// event reads the entries of one event: a list, or one mapping instead.
func (b *Block) event(row *checkrein.Contract, native string, n *yamldoc.Node) {
	items := []*yamldoc.Node{n}
	switch {
	case n.IsNull():
		return
	case n.Kind == yamldoc.List:
		items = n.Items
	case n.Kind != yamldoc.Map:
		b.Problem(n.Line, "", example(row), "%s is %s, not a list of hooks", row.Name, n.Kind)
		b.broken(row, native, n.Line, fmt.Sprintf("%s is %s", row.Name, n.Kind))
		return
	}
	for _, item := range items {
		switch {
		case item.Kind != yamldoc.Map:
			b.Problem(item.Line, "", "write - {name: …, command: …}", "an entry under %s is %s, not a mapping", row.Name, item.Kind)
			b.broken(row, native, item.Line, fmt.Sprintf("the entry is %s", item.Kind))
		case item.Get("hooks") != nil:
			b.group(row, native, item)
		default:
			b.hook(row, native, item, group{})
		}
	}
}

func example(row *checkrein.Contract) string {
	return "write " + row.Name + ": [{name: …, command: …}]"
}

// A group is what a matcher group gives its hooks.
type group struct {
	match   string
	preempt bool
	broken  string
}

func (b *Block) group(row *checkrein.Contract, native string, n *yamldoc.Node) {
	before := len(b.errs)
	for _, p := range n.Pairs {
		if known := []string{"matcher", "preempt_yolo", "hooks"}; !slices.Contains(known, p.Key) {
			b.Problem(p.Line, "", "", "unknown key %q in a matcher group%s", p.Key, hintOr(p.Key, known))
		}
	}
	var g group
	if m := n.Get("matcher"); !m.IsNull() {
		g.match = b.matcher(row, m, "")
	}
	if p := n.Get("preempt_yolo"); p != nil {
		if !b.Rules.Extra {
			p = p.Boolean()
		}
		switch {
		case row.Kind != checkrein.PreToolUse:
			b.Problem(p.Line, "", "remove it", "preempt_yolo has no effect on %s", row.Name)
		case p.Kind != yamldoc.Bool:
			b.Problem(p.Line, "", "write true or false", "preempt_yolo is %s, not a boolean", p.Kind)
		default:
			g.preempt = p.Text == "true"
		}
	}
	if len(b.errs) > before {
		g.broken = plainError(b.errs[before])
	}
	hooks := n.Get("hooks")
	items := hooks.Items
	if hooks.Kind == yamldoc.Map {
		items = []*yamldoc.Node{hooks}
	}
	if len(items) == 0 {
		b.broken(row, native, n.Line, "a matcher group has no hooks")
		b.Problem(n.Line, "", "add a hook or remove the group", "a matcher group under %s has no hooks", row.Name)
	}
	for _, item := range items {
		if item.Kind != yamldoc.Map {
			b.Problem(item.Line, "", "write - {name: …, command: …}", "a hook under %s is %s, not a mapping", row.Name, item.Kind)
			b.broken(row, native, item.Line, fmt.Sprintf("the entry is %s", item.Kind))
			continue
		}
		b.hook(row, native, item, g)
	}
}

// matcher checks a matcher and returns it; one that is wrong is returned as
// "", so that a broken gate is closed for every tool.
func (b *Block) matcher(row *checkrein.Contract, m *yamldoc.Node, hook string) string {
	if m.Kind != yamldoc.Text {
		remedy := "put it in quotes"
		if m.Kind == yamldoc.List {
			remedy = "write one string with | between the names: 'shell|write'"
		}
		b.Problem(m.Line, hook, remedy, "matcher is %s, not a string", m.Kind)
		return ""
	}
	if !toolEvent(row) {
		b.Problem(m.Line, hook, "use `if:` with the event's fields", "matcher has no effect on %s, because it is not a tool event", row.Name)
		return ""
	}
	t, err := match.CompileTool(m.Text, checkrein.MatchWhole)
	if err != nil {
		b.Problem(m.Line, hook, "", "matcher: %w", err)
		return ""
	}
	if doubt := t.CheckTypo(m.Text, nil); doubt != nil {
		b.Warn(m.Line, hook, otherwise(m.Text), "matcher %w", doubt)
	}
	return m.Text
}

// otherwise returns what to write for a matcher that matches nothing.
func otherwise(text string) string {
	name, rest, rule := strings.Cut(text, "(")
	switch {
	case rule && strings.HasSuffix(rest, ")") && !strings.ContainsAny(name, "|^.*"):
		return "this is a Claude permission rule: write matcher: " + name + " and if: {command: {prefix: " + strings.TrimRight(rest, ":*)") + "}}"
	case strings.Contains(text, ","):
		return "write | between names: '" + strings.ReplaceAll(strings.ReplaceAll(text, " ", ""), ",", "|") + "'"
	}
	return "check the spelling; names are case-sensitive"
}

// broken adds a hook that stands for an entry that could not be read: its
// event faults, so a gate stays closed.
func (b *Block) broken(row *checkrein.Contract, native string, line int, why string) {
	h := b.blank(row, native, line)
	h.Broken = why
	b.Hooks = append(b.Hooks, h)
}

// blank returns a hook with its place and its defaults.
func (b *Block) blank(row *checkrein.Contract, native string, line int) checkrein.Hook {
	b.count[row.Kind]++
	h := checkrein.Hook{
		ID: fmt.Sprintf("%s#%d", row.Name, b.count[row.Kind]),
		On: row.Kind, Event: native, Priority: hookfile.DefaultPriority, Rewrites: true, Shadow: b.Shadow,
		Dialect: b.Rules.Dialect, From: checkrein.Origin{File: b.File, Line: line},
	}
	if b.Rules.GateFaultsBlock && row.Kind == checkrein.PreToolUse {
		h.OnFault = checkrein.FaultBlock
	}
	return h
}

// Builtin adds a hook that a shorthand stands for.
func (b *Block) Builtin(kind checkrein.Kind, line int, name string, args ...string) *checkrein.Hook {
	h := b.blank(checkrein.ContractOf(kind), "", line)
	h.Run, h.Name = "builtin", name
	h.With = builtinWith(name, args)
	b.Hooks = append(b.Hooks, h)
	return &b.Hooks[len(b.Hooks)-1]
}

// Open parses a file's text and returns its top level, which must be a
// mapping; an empty file is an empty one. When it returns false, all is lost.
func (b *Block) Open(src []byte) (*yamldoc.Node, bool) {
	root, warnings, err := yamldoc.Parse(src)
	for _, w := range warnings {
		b.Warnings = append(b.Warnings, b.in(w))
	}
	var bad *yamldoc.Error
	switch {
	case errors.As(err, &bad):
		b.LoseText(bad)
		return nil, false
	case err != nil:
		b.Lose(1, "", "%w", err)
		return nil, false
	case root.Kind == yamldoc.Null:
		return &yamldoc.Node{Kind: yamldoc.Map, Line: 1}, true
	case root.Kind != yamldoc.Map:
		b.Lose(root.Line, b.Rules.Begin, "the file is %s, not a mapping", root.Kind)
		return nil, false
	}
	return root, true
}
