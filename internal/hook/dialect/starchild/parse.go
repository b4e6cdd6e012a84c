package starchild

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// parse reads a file and the master switch in the file next to it. Entries with an unknown event are
// lost, because they may have been gates.
func parse(src hookfile.Source) (hookfile.File, error) {
	p := parser{block: grammar.Block{File: src.File, Rules: grammar.Rules{Dialect: name}}}
	off := p.isSwitchedOff(src.Beside)
	if root, ok := p.block.ParseYAML(src.Data); ok {
		p.block.AddUnknownKeysLost(root, "the file", "hooks", "enabled", "shell_hooks")
		p.warnIdleSwitch(root.Get("enabled"), "enabled")
		p.warnIdleSwitch(root.Get("shell_hooks").Get("enabled"), "shell_hooks.enabled")
		p.addMisplaced(root.Get("shell_hooks"))
		p.readHooks(root.Get("hooks"))
	}
	file, err := p.block.Result()
	file.Settings.Off = off
	return file, err
}

// A parser reads one file.
type parser struct {
	block grammar.Block
	count [checkrein.NumKinds]int
}

// isSwitchedOff reports whether the master switch in agent, the content of agent.yaml, is off. Hooks
// are on unless it is clearly off: an unreadable file must not disable guards.
func (p *parser) isSwitchedOff(agent []byte) bool {
	if len(agent) == 0 {
		return false
	}
	root, _, err := yamldoc.Parse(agent)
	var bad *yamldoc.Error
	switch {
	case errors.As(err, &bad):
		p.block.Warnings = append(p.block.Warnings, p.switchError(bad.Line, "%s", bad.Text()))
		return false
	case err != nil:
		p.block.Warnings = append(p.block.Warnings, p.switchError(1, "%w", err))
		return false
	}
	settings := root.Get("shell_hooks")
	on := settings.Get("enabled").AsYAML11Bool()
	switch {
	case settings.IsNull():
	case settings.Kind != yamldoc.Map:
		p.block.AddHookError(p.switchError(settings.Line, "shell_hooks is %s, not a mapping", settings.Kind))
	case on != nil && on.Kind != yamldoc.Bool:
		p.block.AddHookError(p.switchError(on.Line, "shell_hooks.enabled is %s, not a boolean", on.Kind))
	}
	p.addMisplacedBeside(settings)
	return on != nil && on.Kind == yamldoc.Bool && on.Text == "false"
}

// addMisplacedBeside adds mistakes for hooks in settings, the mapping with the master switch, where
// they have no effect.
func (p *parser) addMisplacedBeside(settings *yamldoc.Node) {
	if settings.IsNull() {
		return
	}
	for _, m := range settings.Pairs {
		key := strings.ToLower(m.Key)
		_, event := hookfile.KindOf(key)
		if (event || key == "hooks" || key == "hook") && len(m.Value.Items)+len(m.Value.Pairs) > 0 {
			p.block.AddHookError(&checkrein.HookError{
				Origin: checkrein.Origin{File: filepath.Join(filepath.Dir(p.block.File), switchFile), Line: m.Line},
				Err:    grammar.MisplacedError(m.Key),
				Remedy: "move them to hooks: in " + fileName,
			})
		}
	}
}

// switchError returns the error for a master switch that cannot be read.
func (p *parser) switchError(line int, format string, args ...any) *checkrein.HookError {
	return &checkrein.HookError{
		Origin: checkrein.Origin{File: filepath.Join(filepath.Dir(p.block.File), switchFile), Line: line},
		Err:    fmt.Errorf("the master switch cannot be read, so hooks are on: "+format, args...),
		Remedy: "write shell_hooks: {enabled: true} or {enabled: false}",
	}
}

// warnIdleSwitch warns if n, the value of key, switches hooks off in a file where that has no effect.
func (p *parser) warnIdleSwitch(n *yamldoc.Node, key string) {
	if n.AsYAML11Bool().ScalarText() == "false" {
		p.block.Warn(n.Line, "", "set shell_hooks.enabled in "+switchFile, "%s has no effect in this file", key)
	}
}

// addMisplaced adds a lost mistake for hooks in n, the value of shell_hooks, which may only have the
// master switch.
func (p *parser) addMisplaced(n *yamldoc.Node) {
	if n.IsNull() || n.Kind == yamldoc.Map && len(n.Pairs) == 0 {
		return
	}
	if n.Kind != yamldoc.Map || slices.ContainsFunc(n.Pairs, func(p yamldoc.Pair) bool { return p.Key != "enabled" }) {
		p.block.AddMisplaced(n.Line, "shell_hooks", "move them to hooks: at the top level of the file")
	}
}

func (p *parser) readHooks(n *yamldoc.Node) {
	if n.IsNull() {
		return
	}
	if n.Kind != yamldoc.List {
		p.block.AddLost(n.Line, "write hooks: [{event: pre_tool_call, command: /path/to/script}]", "hooks is %s, not a list", n.Kind)
		return
	}
	for _, item := range n.Items {
		if item.Kind != yamldoc.Map {
			p.block.AddLost(item.Line, "write {event: …, command: …}", "an entry of hooks is %s, not a mapping", item.Kind)
			continue
		}
		if row := p.readEvent(item); row != nil {
			p.readEntry(row, item)
		}
	}
}

// readEvent returns the contract of the entry's event. If the event is unknown, it adds a lost mistake
// and returns nil. Starchild silently ignores such entries.
func (p *parser) readEvent(item *yamldoc.Node) *checkrein.Contract {
	n := item.Get("event")
	known := "must be one of " + strings.Join(eventNames(), ", ")
	switch {
	case n.IsNull() || n.Text == "":
		p.block.AddLost(item.Line, known, "the hook has no event")
		return nil
	case n.Kind != yamldoc.Text:
		p.block.AddLost(n.Line, known, "event is %s, not a string", n.Kind)
		return nil
	}
	for i := range checkrein.Contracts() {
		if row := &checkrein.Contracts()[i]; ownEventName(row.Kind) == n.Text {
			return row
		}
	}
	if kind, elsewhere := hookfile.KindOf(n.Text); elsewhere {
		if own := ownEventName(kind); own != "" {
			p.block.AddLost(n.Line, "write event: "+own, "%w %q: in this format, it is called %s", grammar.ErrUnknownEvent, n.Text, own)
		} else {
			p.block.AddLost(n.Line, known, "%w %q: starchild has no similar event", grammar.ErrUnknownEvent, n.Text)
		}
		return nil
	}
	hint := suggest.Hint(n.Text, eventNames())
	if hint != "" {
		known = ""
	}
	p.block.AddLost(n.Line, known, "%w %q%s", grammar.ErrUnknownEvent, n.Text, hint)
	return nil
}

// readEntry reads one hook. If it has mistakes, they are added and the hook is kept as a broken one.
func (p *parser) readEntry(row *checkrein.Contract, n *yamldoc.Node) {
	p.count[row.Kind]++
	e := entry{block: &p.block, row: row, node: n, hook: checkrein.Hook{
		ID: fmt.Sprintf("%s#%d", ownEventName(row.Kind), p.count[row.Kind]), On: row.Kind,
		Timeout: defaultTimeout, Priority: hookfile.DefaultPriority, Rewrites: true, OnFault: checkrein.FaultWarn,
		Dialect: name, From: checkrein.Origin{File: p.block.File, Line: n.Line},
	}}
	if label := n.Get("name"); label != nil && label.Kind == yamldoc.Text && label.Text != "" {
		e.hook.Name, e.hook.ID = label.Text, label.Text
	}
	e.readMembers()
	e.readHandler()
	e.setFaultPolicy()
	p.block.Hooks = append(p.block.Hooks, e.hook)
}

// entryKeys lists the keys of an entry. The last three are checkrein's own.
var entryKeys = []string{"event", "matcher", "command", "timeout", "type", "url", "name", "on_error", "allow_local"}

// readMembers reads the keys that do not depend on the hook's type.
func (e *entry) readMembers() {
	for _, p := range e.node.Pairs {
		want := yamldoc.Text
		switch p.Key {
		case "timeout":
			want = yamldoc.Number
		case "allow_local":
			want = yamldoc.Bool
		}
		switch {
		case !slices.Contains(entryKeys, p.Key):
			// A misspelt on_error leaves the policy for faults in doubt.
			e.doubtful = e.doubtful || suggest.Closest(p.Key, entryKeys) == "on_error"
			e.addUnknown(p.Line, "unknown key %q", p.Key, entryKeys)
		case p.Value.IsNull() && want != yamldoc.Bool:
		case p.Value.Kind != want && (want != yamldoc.Bool || p.Value.AsYAML11Bool().Kind != want):
			e.doubtful = e.doubtful || p.Key == "on_error"
			e.addError(p.Value.Line, kindRemedy(p.Key), "%s is %s, not %s", p.Key, p.Value.Kind, want)
		default:
			e.readMember(p.Key, p.Value)
		}
	}
}

func kindRemedy(key string) string {
	switch key {
	case "timeout":
		return "write seconds"
	case "allow_local":
		return "write true or false"
	case "command":
		return "write one line, with shell quoting"
	}
	return "quote it"
}
