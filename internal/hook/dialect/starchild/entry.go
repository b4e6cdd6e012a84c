package starchild

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

const (
	defaultTimeout = 20 * time.Second
	maxTimeout     = 120 * time.Second
)

// An entry is a hook while it is read.
type entry struct {
	block    *grammar.Block
	row      *checkrein.Contract
	node     *yamldoc.Node
	hook     checkrein.Hook
	doubtful bool // what it says about its own faults cannot be read
}

func (e *entry) problem(line int, remedy, format string, args ...any) {
	err := fmt.Errorf(format, args...)
	e.block.AddError(line, e.hook.Label(), remedy, "%w", err)
	if e.hook.Broken != "" {
		return
	}
	if e.hook.Broken = err.Error(); remedy != "" {
		e.hook.Broken += " (" + remedy + ")"
	}
}

// unknown complains about a word that is none of known.
func (e *entry) unknown(line int, format, word string, known []string) {
	hint, remedy := suggest.Hint(word, known), ""
	if hint == "" {
		remedy = "must be one of " + strings.Join(known, ", ")
	}
	e.problem(line, remedy, format+"%s", word, hint)
}

// spoil settles the faults of a hook that cannot run. As everywhere in the
// dialect they are told and the action goes on, unless the hook asked for more;
// and when it may have asked for more, its event's row decides.
func (e *entry) spoil() {
	switch {
	case e.hook.Broken == "" || e.hook.OnFault == checkrein.FaultBlock:
	case e.doubtful:
		e.hook.OnFault = checkrein.FaultByRow
	default:
		e.hook.OnFault = checkrein.FaultWarn
	}
}

func (e *entry) member(key string, v *yamldoc.Node) {
	switch key {
	case "matcher":
		e.matcher(v)
	case "timeout":
		e.timeout(v)
	case "on_error":
		e.onError(v)
	}
}

// matcher reads the expression that must be found in the payload. One that is
// wrong is left out, so that the broken hook concerns every such event.
func (e *entry) matcher(v *yamldoc.Node) {
	_, err := match.CompileSearch(v.Text)
	switch {
	case err == nil:
		e.hook.Search = v.Text
	case looksAround(v.Text):
		e.problem(v.Line, "use a broader expression here and check the rest in the script", "matcher %q: look-around is not supported", v.Text)
	default:
		e.problem(v.Line, "use RE2 syntax: no back-references, and \\z for Python's \\Z", "matcher: %w", err)
	}
}

func looksAround(expr string) bool {
	for _, op := range [...]string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.Contains(expr, op) {
			return true
		}
	}
	return false
}

func (e *entry) timeout(v *yamldoc.Node) {
	f, err := strconv.ParseFloat(v.Text, 64)
	switch {
	case err != nil:
		e.problem(v.Line, "write seconds", "timeout %s is not a number", v.Text)
	case f > maxTimeout.Seconds():
		e.block.Warn(v.Line, e.hook.Label(), "write 120 or less", "timeout %s is cut to 120 seconds, the maximum", v.Written)
		e.hook.Timeout = maxTimeout
	default:
		if d := time.Duration(math.Round(f * float64(time.Second))); d > 0 {
			e.hook.Timeout = d
		}
	}
}

func (e *entry) onError(v *yamldoc.Node) {
	switch {
	case v.Text == "warn":
	case v.Text == "ignore":
		e.hook.OnFault = checkrein.FaultIgnore
	case v.Text != "block":
		e.doubtful = true
		e.unknown(v.Line, "on_error: %q is unknown", v.Text, []string{"warn", "ignore", "block"})
	case !e.row.Can(checkrein.CanDeny):
		e.problem(v.Line, "use warn or ignore", "on_error: block has no effect here: no hook can block %s", eventName(e.row.Kind))
	default:
		e.hook.OnFault = checkrein.FaultBlock
	}
}

// handler reads what the hook runs: a program unless its type is http.
func (e *entry) handler() {
	switch typ := e.text("type"); typ {
	case "", "command":
		e.stranger("url", "command", "add type: http, or remove it")
		e.stranger("allow_local", "command", "remove it")
		e.command()
	case "http":
		e.stranger("command", "http", "remove it, or type: http")
		e.http()
	default:
		e.unknown(e.node.Get("type").Line, "unknown hook type %q", typ, []string{"command", "http"})
	}
}

// stranger complains about a member that belongs to another type.
func (e *entry) stranger(key, typ, remedy string) {
	if v := e.node.Get(key); !v.IsNull() {
		e.problem(v.Line, remedy, "%s has no effect on hooks of type %s", key, typ)
	}
}

// text is a member that is a text; what else it is has been said already.
func (e *entry) text(key string) string {
	if v := e.node.Get(key); v != nil && v.Kind == yamldoc.Text {
		return v.Text
	}
	return ""
}

func (e *entry) command() {
	e.hook.Run = "command"
	v := e.node.Get("command")
	line := e.text("command")
	if strings.TrimSpace(line) == "" {
		if v.IsNull() || v.Kind == yamldoc.Text {
			e.problem(e.node.Line, "add command: /path/to/script", "the hook has no command")
		}
		return
	}
	argv, err := split(line)
	if err != nil {
		e.problem(v.Line, "close it, or put a backslash before it", "command: %w", err)
		return
	}
	if argv[0] == "" {
		e.problem(v.Line, "start with the path of a program", "command: the program is missing")
		return
	}
	if why := misplaced(argv); why != "" {
		e.problem(v.Line, "use an absolute path", "command: %w", grammar.PathError(why))
		return
	}
	e.hook.With = withArgv(argv)
}

func (e *entry) http() {
	e.hook.Run = "http"
	v := e.node.Get("url")
	url := e.text("url")
	switch scheme, rest, _ := strings.Cut(url, "://"); {
	case strings.TrimSpace(url) == "":
		if v.IsNull() || v.Kind == yamldoc.Text {
			e.problem(e.node.Line, "add url: https://…", "a hook of type http needs a url")
		}
	case rest == "" || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https"):
		e.problem(v.Line, "write https://…", "url %q is not an http or https URL", url)
	default:
		// Whether the address may be called is checked where it is called.
		// Starchild itself asks STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL.
		e.hook.With = append([]byte(`{"url":`), rawjson.Quote(url)...)
		if e.node.Get("allow_local").Boolean().Plain() == "true" {
			e.hook.With = append(e.hook.With, `,"allow_local":true`...)
		}
		e.hook.With = append(e.hook.With, '}')
	}
}

func withArgv(argv []string) []byte {
	b := []byte(`{"argv":[`)
	for i, a := range argv {
		if i > 0 {
			b = append(b, ',')
		}
		b = rawjson.AppendString(b, a)
	}
	return append(b, "]}"...)
}
