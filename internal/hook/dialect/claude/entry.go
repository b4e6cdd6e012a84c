package claude

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// An option is a key that a hook entry may have.
type option struct {
	key     string
	kind    yamldoc.Kind
	typ     string // the only hook type with the key; "" means all
	ignored string // why the key has no effect, if that is worth a warning
}

var options = [...]option{
	{key: "type", kind: yamldoc.Text},
	{key: "if", kind: yamldoc.Text},
	{key: "timeout", kind: yamldoc.Number},
	{key: "statusMessage", kind: yamldoc.Text},
	{key: "once", kind: yamldoc.Bool, ignored: "the hook runs every time, as it does in Claude's settings files"},
	{key: "command", kind: yamldoc.Text, typ: "command"},
	{key: "args", kind: yamldoc.List, typ: "command"},
	{key: "shell", kind: yamldoc.Text, typ: "command"},
	{key: "async", kind: yamldoc.Bool, typ: "command"},
	{key: "asyncRewake", kind: yamldoc.Bool, typ: "command", ignored: "checkrein waits for the hook, so that its answer counts"},
	{key: "url", kind: yamldoc.Text, typ: "http"},
	{key: "headers", kind: yamldoc.Map, typ: "http"},
	{key: "allowedEnvVars", kind: yamldoc.List, typ: "http"},
	{key: "allow_local", kind: yamldoc.Bool, typ: "http"}, // a key of checkrein, not of Claude
	{key: "prompt", kind: yamldoc.Text, typ: "prompt"},
	{key: "model", kind: yamldoc.Text, typ: "prompt"},
	{key: "continueOnBlock", kind: yamldoc.Bool, typ: "prompt", ignored: "a denial's effect depends on the event"},
}

// types lists the hook types: first those that checkrein runs, then those that it only recognises.
var types = [...]string{"command", "http", "prompt", "agent", "mcp_tool"}

// isSupported reports whether checkrein runs hooks of type typ.
func isSupported(typ string) bool { return slices.Contains(types[:3], typ) }

func lookupOption(key, typ string) *option {
	for i := range options {
		if o := &options[i]; o.key == key && (o.typ == "" || o.typ == typ) {
			return o
		}
	}
	return nil
}

// An entry is a hook that is being read.
type entry struct {
	*event
	node *yamldoc.Node
	typ  string
	hook checkrein.Hook
}

// readHook reads one entry. If it has mistakes, they are added and it is kept as a broken hook.
func (e *event) readHook(n *yamldoc.Node, g group) {
	x := entry{event: e, node: n, hook: e.newHook(n.Line)}
	x.hook.Match, x.hook.If, x.hook.Broken = g.match, g.cond, g.broken
	if g.match != "" {
		x.hook.MatchWords = true
	}
	if t := n.Get("type"); t.IsNull() {
		x.addError(n.Line, "add one of "+strings.Join(types[:3], ", "), "the hook has no type")
	} else if x.typ = t.ScalarText(); t.Kind == yamldoc.Text && !isSupported(x.typ) {
		if !x.addUnsupported(t) {
			return
		}
	}
	for _, p := range n.Pairs {
		x.readOption(p)
	}
	if isSupported(x.typ) {
		x.setHandler()
	}
	if x.row.Kind == checkrein.PostToolUse {
		x.hook.If = addSuccessCond(x.hook.If)
	}
	if x.hook.Broken != "" {
		x.hook.Async = false // its settings are as doubtful as the rest of the entry
	}
	e.Hooks = append(e.Hooks, x.hook)
}

// addError adds a mistake and marks the hook as broken.
func (x *entry) addError(line int, remedy, format string, args ...any) {
	x.AddError(line, x.hook.ID, remedy, format, args...)
	if x.hook.Broken != "" {
		return
	}
	if x.hook.Broken = fmt.Errorf(format, args...).Error(); remedy != "" {
		x.hook.Broken += " (" + remedy + ")"
	}
}

func (x *entry) addWarning(line int, remedy, format string, args ...any) {
	x.Warn(line, x.hook.ID, remedy, format, args...)
}

// addUnsupported adds a mistake or a warning about the type t, which checkrein does not run. It
// reports whether the hook is kept as a broken one, which it is if it may be a gate.
func (x *entry) addUnsupported(t *yamldoc.Node) bool {
	what, remedy := fmt.Sprintf("checkrein does not run hooks of type %s", t.Text), "use a command or a prompt instead"
	switch t.Text {
	case "agent":
	case "mcp_tool":
		remedy = "call the tool from a command instead"
	default:
		what = fmt.Sprintf("unknown hook type %q%s Claude would ignore the whole file", t.Text, hintOrColon(suggest.Hint(t.Text, types[:])))
		remedy = "use one of " + strings.Join(types[:3], ", ")
	}
	if !x.row.Closed {
		x.addWarning(t.Line, remedy, "%s", what)
		return false
	}
	x.addError(t.Line, remedy, "%s", what)
	return true
}

// readOption checks one key of the entry, and sets it if it is a property of the hook itself.
func (x *entry) readOption(p yamldoc.Pair) {
	o := lookupOption(p.Key, x.typ)
	switch {
	case o == nil && !isSupported(x.typ): // the keys of an unsupported type are unknown
	case o == nil:
		x.addWarning(p.Line, "", "unknown key %q%s the key has no effect", p.Key, hintOrColon(suggest.Hint(p.Key, x.knownKeys())))
	case p.Value.IsNull():
	case p.Value.Kind != o.kind:
		x.addError(p.Value.Line, "", "%s is %s, not %s", p.Key, p.Value.Kind, o.kind)
	case o.ignored != "" && p.Value.Text == "true":
		x.addWarning(p.Line, "remove it", "%s has no effect: %s", p.Key, o.ignored)
	case p.Key == "timeout":
		x.readTimeout(p.Value)
	case p.Key == "async":
		// Claude waits for a hook with asyncRewake, at least without a terminal.
		x.hook.Async = p.Value.Text == "true" && x.node.Get("asyncRewake").ScalarText() != "true"
	case p.Key == "allow_local" && p.Value.Text == "true":
		x.addWarning(p.Line, "", "only checkrein reads allow_local: Claude ignores it")
	case p.Key == "if":
		x.readRule(p.Value)
	}
}

// knownKeys returns the keys that the entry may have.
func (x *entry) knownKeys() []string {
	var out []string
	for i := range options {
		if o := &options[i]; o.typ == "" || o.typ == x.typ {
			out = append(out, o.key)
		}
	}
	return out
}

// defaultTimeout returns how long Claude waits for a hook that sets no timeout.
func defaultTimeout(k checkrein.Kind) time.Duration {
	if k == checkrein.UserPromptSubmit {
		return 30 * time.Second
	}
	return 10 * time.Minute
}

const maxTimeout = 24 * time.Hour

func (x *entry) readTimeout(v *yamldoc.Node) {
	f, err := strconv.ParseFloat(v.Text, 64)
	d := time.Duration(math.Round(f * float64(time.Second)))
	switch {
	case f > maxTimeout.Seconds():
		x.addError(v.Line, "timeouts are in seconds", "timeout %s is longer than a day", v.Written)
	case err != nil || d <= 0:
		x.addError(v.Line, "leave it out for the default", "timeout %s must be a number of seconds greater than 0", v.Written)
	default:
		x.hook.Timeout = d
	}
}
