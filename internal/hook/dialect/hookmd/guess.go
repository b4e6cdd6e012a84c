package hookmd

import (
	"bytes"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// guessLines limits how many lines of a file are scanned. The declaration is at the top, and if the
// front matter is never closed, the body follows it.
const guessLines = 100

// A guess holds what a person would recognise in a file whose declaration is invalid.
type guess struct {
	triggers, tools, patterns []string
	unsure                    bool // the pattern may be truncated, or there are several
	async, block              bool
}

// guessMissing sets what could not be read from the YAML of a broken file, by scanning its lines. The
// hook stays broken: the guess only determines which calls it denies.
func (r *reader) guessMissing(data []byte) {
	g := scanLines(data)
	h := &r.hook
	if r.row == nil {
		r.guessTrigger(g.triggers)
	}
	if r.root.Get("async") == nil && g.async {
		h.Async = true
	}
	if r.root.Get("on_error") == nil && g.block {
		h.OnFault = checkrein.FaultBlock
	}
	if r.row != nil && r.row.Subject != checkrein.SubjectTool {
		h.Match, h.Args = "", ""
		return
	}
	if h.Match != "" || h.Args != "" {
		return
	}
	if tools := strings.Join(g.tools, "|"); tools != "" {
		if _, err := match.CompileTool(tools, false); err == nil {
			h.Match = tools
		}
	}
	// Without this check, a wrong pattern would let calls of the tools pass.
	if len(g.patterns) == 0 || h.Match != "" && g.unsure {
		return
	}
	pattern := strings.Join(g.patterns, "|")
	if _, err := match.CompileSearch(pattern); err == nil {
		h.Args = pattern
	}
}

// guessTrigger sets the hook's event from the triggers that were found. If one of them is unknown or
// pre_tool_use, the hook counts as a gate.
func (r *reader) guessTrigger(triggers []string) {
	for _, text := range triggers {
		row, event := checkrein.ContractOf(checkrein.Other), text
		if text != unfiredTrigger {
			kind, ok := triggerKind(text)
			if !ok {
				r.row, r.hook.On, r.hook.Event = nil, checkrein.PreToolUse, ""
				return
			}
			row, event = checkrein.ContractOf(kind), ""
		}
		if r.row == nil || row.Kind == checkrein.PreToolUse {
			r.row, r.hook.On, r.hook.Event = row, row.Kind, event
		}
	}
}

// scanLines finds keys and values line by line, ignoring indentation and case. If data does not begin
// with a --- line, they count only if there is a trigger, because prose may contain "tool:".
func scanLines(data []byte) guess {
	var g guess
	data = bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\ufeff")), " \t\r\n")
	first, _, _ := bytes.Cut(data, []byte("\n"))
	fenced := isFence(first)
	var owner, list string // the keys to which indented lines and list items belong
	at, n := 0, 0          // indentation of owner, number of lines so far
	for line := range bytes.Lines(data) {
		text := strings.TrimSpace(string(line))
		n++
		if n > guessLines || n > 1 && text == "---" && (fenced || len(g.triggers)+len(g.tools) > 0) {
			break
		}
		if text == "" || text[0] == '#' || text == "---" {
			continue
		}
		indent := len(line) - len(bytes.TrimLeft(line, " \t"))
		if owner != "" && indent > at && owner != "matcher" {
			continue // part of a block scalar or of metadata
		}
		item, isItem := strings.CutPrefix(text, "- ")
		key, value, ok := strings.Cut(item, ":")
		key = strings.ToLower(strings.Trim(key, " \t\"'"))
		if isItem && list != "" && !(ok && (key == "tool" || key == "pattern")) {
			g.addMember(list, item)
			continue
		}
		if !ok || isItem && owner != "matcher" {
			continue
		}
		value = strings.TrimSpace(value)
		if strings.HasPrefix(value, "#") {
			value = ""
		}
		if list = ""; value == "" && (key == "tool" || key == "matcher") {
			list = key
		}
		if owner != "matcher" || indent <= at {
			owner, at = "", indent
			if key == "matcher" || value == "" || value[0] == '|' || value[0] == '>' {
				owner = key
			}
			if owner == "tool" || owner == "trigger" {
				owner = ""
			}
		}
		g.addMember(key, value)
	}
	if !fenced && len(g.triggers) == 0 {
		return guess{}
	}
	return g
}

// addMember adds the value written for key, if key is one that matters for the guess.
func (g *guess) addMember(key, written string) {
	switch key {
	case "trigger", "tool", "pattern", "matcher", "async", "on_error":
	default:
		return
	}
	// Most single values are valid YAML, with its quotes, escapes and comments.
	if root, _, err := yamldoc.Parse([]byte("v: " + written + "\n")); err == nil {
		g.addNode(key, root.Get("v"))
		return
	}
	text, _, _ := strings.Cut(written, " #")
	if key == "pattern" {
		g.unsure = true
		g.addText(key, strings.Trim(text, " \t\"'"))
		return
	}
	for _, one := range strings.Split(strings.Trim(text, " \t[]{}"), ",") {
		one = strings.Trim(one, " \t[]{}\"'")
		if name, value, ok := strings.Cut(one, ":"); ok && key == "matcher" {
			g.addMember(strings.ToLower(strings.Trim(name, " \t\"'")), strings.TrimSpace(value))
			continue
		}
		g.addText(key, one)
	}
}

func (g *guess) addNode(key string, n *yamldoc.Node) {
	if n == nil {
		return
	}
	switch n.Kind {
	case yamldoc.List:
		for _, one := range n.Items {
			g.addNode(key, one)
		}
	case yamldoc.Map:
		for _, p := range n.Pairs {
			if below := strings.ToLower(p.Key); key == "matcher" && (below == "tool" || below == "pattern") {
				g.addNode(below, p.Value)
			}
		}
	default:
		g.addText(key, n.Text)
	}
}

func (g *guess) addText(key, text string) {
	into := &g.tools
	switch key {
	case "trigger":
		into, text = &g.triggers, strings.ToLower(text)
	case "pattern":
		into = &g.patterns
	case "async":
		g.async = g.async || (&yamldoc.Node{Kind: yamldoc.Text, Text: text}).AsYAML11Bool().Text == "true"
		return
	case "on_error":
		g.block = g.block || text == "block"
		return
	}
	if text == "" || slices.Contains(*into, text) {
		return
	}
	*into = append(*into, text)
	g.unsure = g.unsure || key == "pattern" && len(*into) > 1
}
