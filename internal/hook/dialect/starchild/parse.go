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

// parse reads a file and the master switch beside it. Entries whose event is
// not known are lost: nobody can say whether they were gates.
func parse(src hookfile.Source) (hookfile.File, error) {
	p := parser{block: grammar.Block{File: src.File, Rules: grammar.Rules{Dialect: name}}}
	off := p.switchedOff(src.Beside)
	if root, ok := p.block.ParseYAML(src.Data); ok {
		p.block.RequireKeys(root, "the file", "hooks", "enabled", "shell_hooks")
		p.idleSwitch(root.Get("enabled"), "enabled")
		p.idleSwitch(root.Get("shell_hooks").Get("enabled"), "shell_hooks.enabled")
		p.loseMisplaced(root.Get("shell_hooks"))
		p.list(root.Get("hooks"))
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

// switchedOff reads the master switch. Hooks are on unless it clearly says
// otherwise: a file that cannot be read must not take the guards away.
func (p *parser) switchedOff(agent []byte) bool {
	if len(agent) == 0 {
		return false
	}
	root, _, err := yamldoc.Parse(agent)
	var bad *yamldoc.Error
	switch {
	case errors.As(err, &bad):
		p.block.Warnings = append(p.block.Warnings, p.doubt(bad.Line, "%s", bad.Text()))
		return false
	case err != nil:
		p.block.Warnings = append(p.block.Warnings, p.doubt(1, "%w", err))
		return false
	}
	settings := root.Get("shell_hooks")
	on := settings.Get("enabled").Boolean()
	switch {
	case settings.IsNull():
	case settings.Kind != yamldoc.Map:
		p.block.AddHookError(p.doubt(settings.Line, "shell_hooks is %s, not a mapping", settings.Kind))
	case on != nil && on.Kind != yamldoc.Bool:
		p.block.AddHookError(p.doubt(on.Line, "shell_hooks.enabled is %s, not a boolean", on.Kind))
	}
	p.reportBeside(settings)
	return on != nil && on.Kind == yamldoc.Bool && on.Text == "false"
}

// reportBeside reports hooks below the master switch's mapping, where none are read.
func (p *parser) reportBeside(settings *yamldoc.Node) {
	if settings.IsNull() {
		return
	}
	for _, m := range settings.Pairs {
		key := strings.ToLower(m.Key)
		_, event := checkrein.KindOf(key)
		if (event || key == "hooks" || key == "hook") && len(m.Value.Items)+len(m.Value.Pairs) > 0 {
			p.block.AddHookError(&checkrein.HookError{
				Origin: checkrein.Origin{File: filepath.Join(filepath.Dir(p.block.File), switchFile), Line: m.Line},
				Err:    grammar.MisplacedError(m.Key),
				Remedy: "move them to hooks: in " + fileName,
			})
		}
	}
}

// doubt is the error about a master switch that cannot be read.
func (p *parser) doubt(line int, format string, args ...any) *checkrein.HookError {
	return &checkrein.HookError{
		Origin: checkrein.Origin{File: filepath.Join(filepath.Dir(p.block.File), switchFile), Line: line},
		Err:    fmt.Errorf("the master switch cannot be read, so hooks are on: "+format, args...),
		Remedy: "write shell_hooks: {enabled: true} or {enabled: false}",
	}
}

// idleSwitch warns of a switch that stands where nobody reads it.
func (p *parser) idleSwitch(n *yamldoc.Node, key string) {
	if n.Boolean().Plain() == "false" {
		p.block.Warn(n.Line, "", "set shell_hooks.enabled in "+switchFile, "%s has no effect in this file", key)
	}
}

// loseMisplaced notes hooks in shell_hooks, which is the master switch's place and holds none.
func (p *parser) loseMisplaced(n *yamldoc.Node) {
	if n.IsNull() || n.Kind == yamldoc.Map && len(n.Pairs) == 0 {
		return
	}
	if n.Kind != yamldoc.Map || slices.ContainsFunc(n.Pairs, func(p yamldoc.Pair) bool { return p.Key != "enabled" }) {
		p.block.AddMisplaced(n.Line, "shell_hooks", "move them to hooks: at the top level of the file")
	}
}

func (p *parser) list(n *yamldoc.Node) {
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
		if row := p.event(item); row != nil {
			p.entry(row, item)
		}
	}
}

// event finds the event of an entry. Starchild never fires an event that it
// does not know and says nothing of it; here the whole file is in doubt.
func (p *parser) event(item *yamldoc.Node) *checkrein.Contract {
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
		if row := &checkrein.Contracts()[i]; eventName(row.Kind) == n.Text {
			return row
		}
	}
	if kind, elsewhere := checkrein.KindOf(n.Text); elsewhere {
		if own := eventName(kind); own != "" {
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

// entry reads one hook. What is wrong with it is noted, and it is kept broken.
func (p *parser) entry(row *checkrein.Contract, n *yamldoc.Node) {
	p.count[row.Kind]++
	e := entry{block: &p.block, row: row, node: n, hook: checkrein.Hook{
		ID: fmt.Sprintf("%s#%d", eventName(row.Kind), p.count[row.Kind]), On: row.Kind,
		Timeout: defaultTimeout, Priority: hookfile.DefaultPriority, Rewrites: true, OnFault: checkrein.FaultWarn,
		Dialect: name, From: checkrein.Origin{File: p.block.File, Line: n.Line},
	}}
	if label := n.Get("name"); label != nil && label.Kind == yamldoc.Text && label.Text != "" {
		e.hook.Name, e.hook.ID = label.Text, label.Text
	}
	e.members()
	e.handler()
	e.spoil()
	p.block.Hooks = append(p.block.Hooks, e.hook)
}

// keys lists the members of an entry. The document has all but the last three.
var keys = []string{"event", "matcher", "command", "timeout", "type", "url", "name", "on_error", "allow_local"}

// members reads what is the hook's own, whatever it runs.
func (e *entry) members() {
	for _, p := range e.node.Pairs {
		want := yamldoc.Text
		switch p.Key {
		case "timeout":
			want = yamldoc.Number
		case "allow_local":
			want = yamldoc.Bool
		}
		switch {
		case !slices.Contains(keys, p.Key):
			// What might have been on_error says something about faults.
			e.doubtful = e.doubtful || suggest.Closest(p.Key, keys) == "on_error"
			e.unknown(p.Line, "unknown key %q", p.Key, keys)
		case p.Value.IsNull() && want != yamldoc.Bool:
		case p.Value.Kind != want && (want != yamldoc.Bool || p.Value.Boolean().Kind != want):
			e.doubtful = e.doubtful || p.Key == "on_error"
			e.problem(p.Value.Line, wrongKind(p.Key), "%s is %s, not %s", p.Key, p.Value.Kind, want)
		default:
			e.member(p.Key, p.Value)
		}
	}
}

func wrongKind(key string) string {
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
