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

// An option is a key that an entry may have. Ignored ones change nothing here.
type option struct {
	key     string
	kind    yamldoc.Kind
	typ     string // the only type that has it; "" = all
	ignored string // why the key has no effect and a person should know
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
	{key: "allow_local", kind: yamldoc.Bool, typ: "http"}, // checkrein's own
	{key: "prompt", kind: yamldoc.Text, typ: "prompt"},
	{key: "model", kind: yamldoc.Text, typ: "prompt"},
	{key: "continueOnBlock", kind: yamldoc.Bool, typ: "prompt", ignored: "a denial's effect depends on the event"},
}

// types are the handlers that run here, and those that are only known.
var types = [...]string{"command", "http", "prompt", "agent", "mcp_tool"}

func runs(typ string) bool { return slices.Contains(types[:3], typ) }

func optionNamed(key, typ string) *option {
	for i := range options {
		if o := &options[i]; o.key == key && (o.typ == "" || o.typ == typ) {
			return o
		}
	}
	return nil
}

// An entry is a hook while it is read.
type entry struct {
	*event
	node *yamldoc.Node
	typ  string
	hook checkrein.Hook
}

// hook reads one entry. What is wrong with it is noted, and it is kept as a
// broken hook.
func (e *event) hook(n *yamldoc.Node, g group) {
	x := entry{event: e, node: n, hook: e.blank(n.Line)}
	x.hook.Match, x.hook.If, x.hook.Broken = g.match, g.cond, g.broken
	if g.match != "" {
		x.hook.MatchBy = checkrein.MatchWords
	}
	if t := n.Get("type"); t.IsNull() {
		x.problem(n.Line, "add one of "+strings.Join(types[:3], ", "), "the hook has no type")
	} else if x.typ = t.Plain(); t.Kind == yamldoc.Text && !runs(x.typ) {
		if !x.notRun(t) {
			return
		}
	}
	for _, p := range n.Pairs {
		x.option(p)
	}
	if runs(x.typ) {
		x.settings()
	}
	if x.row.Kind == checkrein.PostToolUse {
		x.hook.If = whenSucceeded(x.hook.If)
	}
	if x.hook.Broken != "" {
		x.hook.Async = false // what it says of itself is as doubtful as the rest
	}
	e.Hooks = append(e.Hooks, x.hook)
}

// problem notes a mistake, which makes the hook a broken one.
func (x *entry) problem(line int, remedy, format string, args ...any) {
	x.AddError(line, x.hook.ID, remedy, format, args...)
	if x.hook.Broken != "" {
		return
	}
	if x.hook.Broken = fmt.Errorf(format, args...).Error(); remedy != "" {
		x.hook.Broken += " (" + remedy + ")"
	}
}

func (x *entry) warn(line int, remedy, format string, args ...any) {
	x.Warn(line, x.hook.ID, remedy, format, args...)
}

// notRun adds a warning about a type that checkrein does not run and reports whether the
// hook is kept: where it may be a gate, the gate stays closed.
func (x *entry) notRun(t *yamldoc.Node) bool {
	what, remedy := fmt.Sprintf("checkrein does not run hooks of type %s", t.Text), "use a command or a prompt instead"
	switch t.Text {
	case "agent":
	case "mcp_tool":
		remedy = "call the tool from a command instead"
	default:
		what = fmt.Sprintf("unknown hook type %q%s Claude would ignore the whole file", t.Text, orColon(suggest.Hint(t.Text, types[:])))
		remedy = "use one of " + strings.Join(types[:3], ", ")
	}
	if !x.row.Closed {
		x.warn(t.Line, remedy, "%s", what)
		return false
	}
	x.problem(t.Line, remedy, "%s", what)
	return true
}

// option checks one member of the entry and reads it if it is the hook's own.
func (x *entry) option(p yamldoc.Pair) {
	o := optionNamed(p.Key, x.typ)
	switch {
	case o == nil && !runs(x.typ): // nobody knows what such a type has
	case o == nil:
		x.warn(p.Line, "", "unknown key %q%s the key has no effect", p.Key, orColon(suggest.Hint(p.Key, x.known())))
	case p.Value.IsNull():
	case p.Value.Kind != o.kind:
		x.problem(p.Value.Line, "", "%s is %s, not %s", p.Key, p.Value.Kind, o.kind)
	case o.ignored != "" && p.Value.Text == "true":
		x.warn(p.Line, "remove it", "%s has no effect: %s", p.Key, o.ignored)
	case p.Key == "timeout":
		x.timeout(p.Value)
	case p.Key == "async":
		// Claude waits for a hook that may wake it, at least without a terminal.
		x.hook.Async = p.Value.Text == "true" && x.node.Get("asyncRewake").Plain() != "true"
	case p.Key == "allow_local" && p.Value.Text == "true":
		x.warn(p.Line, "", "only checkrein reads allow_local: Claude ignores it")
	case p.Key == "if":
		x.rule(p.Value)
	}
}

func (x *entry) known() []string {
	var out []string
	for i := range options {
		if o := &options[i]; o.typ == "" || o.typ == x.typ {
			out = append(out, o.key)
		}
	}
	return out
}

// patience is how long Claude waits for a hook that does not say.
func patience(k checkrein.Kind) time.Duration {
	if k == checkrein.UserPromptSubmit {
		return 30 * time.Second
	}
	return 10 * time.Minute
}

const maxTimeout = 24 * time.Hour

func (x *entry) timeout(v *yamldoc.Node) {
	f, err := strconv.ParseFloat(v.Text, 64)
	d := time.Duration(math.Round(f * float64(time.Second)))
	switch {
	case f > maxTimeout.Seconds():
		x.problem(v.Line, "timeouts are in seconds", "timeout %s is longer than a day", v.Written)
	case err != nil || d <= 0:
		x.problem(v.Line, "leave it out for the default", "timeout %s must be a number of seconds greater than 0", v.Written)
	default:
		x.hook.Timeout = d
	}
}
