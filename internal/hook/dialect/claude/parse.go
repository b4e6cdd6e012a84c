package claude

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

const remedyStray = `move them to "hooks" at the top level of the file`

// parse reads the hooks in src. It does not check other settings.
func parse(src hookfile.Source) (hookfile.File, error) {
	b := grammar.Block{File: src.File, Rules: grammar.Rules{Dialect: dialect, Wired: true}}
	root, ok := parseJSON(&b, src.Data)
	if !ok {
		return b.Result()
	}
	off := false
	if n := root.Get("disableAllHooks"); !n.IsNull() {
		if off = n.Text == "true"; n.Kind != yamldoc.Bool {
			b.AddError(n.Line, "", "write true or false", "disableAllHooks is %s, not a boolean", n.Kind)
			off = false
		}
	}
	hooks := root.Get("hooks")
	readEvents(&b, hooks)
	b.AddStray(root, remedyStray, hooks)
	file, err := b.Result()
	file.Settings.Off = off
	return file, err
}

// parseJSON parses src, which must be JSON. Other YAML is rejected, because Claude would not read it.
// It returns false if it has added a lost mistake to b.
func parseJSON(b *grammar.Block, src []byte) (*yamldoc.Node, bool) {
	var bad *rawjson.SyntaxError
	if len(bytes.TrimSpace(src)) > 0 && errors.As(rawjson.CheckObject(src), &bad) {
		b.AddLostYAML(explainJSONError(src, bad))
		return nil, false
	}
	return b.ParseYAML(src)
}

// explainJSONError returns an error that names the likely mistake where src stops being valid JSON.
func explainJSONError(src []byte, bad *rawjson.SyntaxError) *yamldoc.Error {
	before := bytes.TrimRight(src[:bad.Offset], " \t\r\n")
	rest := bytes.TrimLeft(src[bad.Offset:], " \t\r\n")
	at := bad.Offset
	e := &yamldoc.Error{Msg: "this is not valid JSON, so Claude ignores the whole file", Remedy: "look for a missing comma, quote or bracket on this line or the one before"}
	switch {
	case len(before) > 0 && before[len(before)-1] == ',' && len(rest) > 0 && (rest[0] == '}' || rest[0] == ']'):
		at = len(before) - 1
		e.Msg, e.Remedy = "JSON does not allow a comma before a closing bracket, so Claude ignores the whole file", "remove the comma"
	case len(before) == 0:
		e.Msg, e.Remedy = "the file is not a JSON object, so Claude ignores all of it", "start the file with { and end it with }"
	case len(rest) == 0:
		e.Msg, e.Remedy = "the file ends before its brackets are closed, so Claude ignores all of it", "add the missing brackets at the end"
	case bytes.HasPrefix(rest, []byte("//")) || bytes.HasPrefix(rest, []byte("/*")) || rest[0] == '#':
		e.Msg, e.Remedy = "JSON does not allow comments, so Claude ignores the whole file", "remove the comment"
	case rest[0] == '\'':
		e.Msg, e.Remedy = "JSON allows only double quotes, so Claude ignores the whole file", `write " instead of '`
	case rest[0] == '"' && bytes.Contains(src[len(before):bad.Offset], []byte("\n")):
		at = len(before)
		e.Msg, e.Remedy = "a comma is missing at the end of this line, so Claude ignores the whole file", "add the comma"
	}
	e.Line = 1 + bytes.Count(src[:at], []byte("\n"))
	e.Column = 1 + utf8.RuneCount(src[bytes.LastIndexByte(src[:at], '\n')+1:at])
	return e
}

// readEvents reads the hooks mapping n into b.
func readEvents(b *grammar.Block, n *yamldoc.Node) {
	if n.IsNull() {
		return
	}
	if n.Kind != yamldoc.Map {
		b.AddLost(n.Line, `write "hooks": {"PreToolUse": […]}`, "hooks is %s, not a mapping", n.Kind)
		return
	}
	for _, p := range n.Pairs {
		row, native, ok := lookupEvent(p.Key)
		if !ok {
			addUnknownEvent(b, p)
			continue
		}
		e := event{Block: b, row: row, native: native, name: p.Key}
		e.readGroups(p.Value)
	}
}

// addUnknownEvent adds a lost mistake if the event p.Key is a typo or another system's name, or a
// warning if it may be an event of a newer Claude.
func addUnknownEvent(b *grammar.Block, p yamldoc.Pair) {
	const never = "%w %q%s Claude ignores it, and its hooks never run"
	switch hint, certain := suggestEvent(p.Key); {
	case strings.EqualFold(p.Key, "hooks"):
		b.AddMisplaced(p.Line, p.Key, remedyStray)
	case certain:
		b.AddLost(p.Line, "", never, grammar.ErrUnknownEvent, p.Key, hintOrColon(hint))
	default:
		b.Warn(p.Line, "", "", never, grammar.ErrUnknownEvent, p.Key, hintOrColon(hint))
	}
}

// hintOrColon returns hint, which ends a sentence, or ":" if it is empty.
func hintOrColon(hint string) string {
	if hint == "" {
		return ":"
	}
	return hint
}

// An event reads the entries of one event in the hooks mapping.
type event struct {
	*grammar.Block
	row    *checkrein.Contract
	native string // Claude's name if checkrein has no contract for the event
	name   string // Claude's name
	count  int    // number of hooks so far
}

// newHook returns a hook with default settings and the ID and origin of an entry at line.
func (e *event) newHook(line int) checkrein.Hook {
	e.count++
	called := e.native
	if called == "" {
		called = e.row.Name
	}
	return checkrein.Hook{
		ID: fmt.Sprintf("%s#%d", called, e.count), On: e.row.Kind, Event: e.native,
		Timeout: defaultTimeout(e.row.Kind), Priority: hookfile.DefaultPriority, Rewrites: true,
		Dialect: dialect, From: checkrein.Origin{File: e.File, Line: line},
	}
}

// addBroken adds a mistake, and a broken hook in place of the entry that could not be read.
func (e *event) addBroken(line int, remedy, format string, args ...any) {
	e.AddError(line, "", remedy, format, args...)
	h := e.newHook(line)
	h.Broken = fmt.Sprintf(format, args...)
	e.Hooks = append(e.Hooks, h)
}

// groupRemedy is the remedy for malformed entries of an event.
const groupRemedy = `write [{"matcher": "…", "hooks": [{"type": "command", "command": "…"}]}]`

// readGroups reads the list of matcher groups n.
func (e *event) readGroups(n *yamldoc.Node) {
	if n.IsNull() {
		return
	}
	if n.Kind != yamldoc.List {
		e.addBroken(n.Line, groupRemedy, "%s is %s, not a list", e.name, n.Kind)
		return
	}
	for _, item := range n.Items {
		switch hooks := item.Get("hooks"); {
		case item.Kind != yamldoc.Map:
			e.addBroken(item.Line, groupRemedy, "an entry of %s is %s, not a mapping", e.name, item.Kind)
		case hooks.IsNull():
			e.addBroken(item.Line, groupRemedy, "an entry of %s has no hooks list", e.name)
		case hooks.Kind != yamldoc.List:
			e.addBroken(hooks.Line, groupRemedy, "hooks is %s, not a list", hooks.Kind)
		default:
			e.readGroup(item, hooks.Items)
		}
	}
}

// A group holds what a matcher sets for the hooks below it.
type group struct {
	match  string
	cond   []byte
	broken string
}

// readGroup reads the matcher group n with its hooks.
func (e *event) readGroup(n *yamldoc.Node, hooks []*yamldoc.Node) {
	for _, p := range n.Pairs {
		if known := []string{"matcher", "hooks", "description"}; !slices.Contains(known, p.Key) {
			e.Warn(p.Line, "", "", "unknown key %q next to hooks%s Claude ignores it", p.Key, hintOrColon(suggest.Hint(p.Key, known)))
		}
	}
	g := e.readMatcher(n.Get("matcher"))
	if len(hooks) == 0 {
		e.Warn(n.Line, "", "add a hook or remove the entry", "an entry of %s has an empty list of hooks", e.name)
	}
	for _, item := range hooks {
		if item.Kind != yamldoc.Map {
			e.addBroken(item.Line, `write {"type": "command", "command": "…"}`, "a hook of %s is %s, not a mapping", e.name, item.Kind)
			continue
		}
		e.readHook(item, g)
	}
}
