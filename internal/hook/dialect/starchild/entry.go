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

// An entry is a hook that is being read.
type entry struct {
	block    *grammar.Block
	row      *checkrein.Contract
	node     *yamldoc.Node
	hook     checkrein.Hook
	doubtful bool // on_error cannot be read
}

func (e *entry) addError(line int, remedy, format string, args ...any) {
	err := fmt.Errorf(format, args...)
	e.block.AddError(line, e.hook.Label(), remedy, "%w", err)
	if e.hook.Broken != "" {
		return
	}
	if e.hook.Broken = err.Error(); remedy != "" {
		e.hook.Broken += " (" + remedy + ")"
	}
}

// addUnknown adds a mistake for word, which is not in known. The format must have a verb for word.
func (e *entry) addUnknown(line int, format, word string, known []string) {
	hint, remedy := suggest.Hint(word, known), ""
	if hint == "" {
		remedy = "must be one of " + strings.Join(known, ", ")
	}
	e.addError(line, remedy, format+"%s", word, hint)
}

// setFaultPolicy sets how a fault of a broken hook is handled. As everywhere in this dialect, it is
// reported and the action continues, unless the hook has on_error: block. If on_error cannot be read,
// the event's contract decides.
func (e *entry) setFaultPolicy() {
	switch {
	case e.hook.Broken == "" || e.hook.OnFault == checkrein.FaultBlock:
	case e.doubtful:
		e.hook.OnFault = checkrein.FaultByRow
	default:
		e.hook.OnFault = checkrein.FaultWarn
	}
}

func (e *entry) readMember(key string, v *yamldoc.Node) {
	switch key {
	case "matcher":
		e.readMatcher(v)
	case "timeout":
		e.readTimeout(v)
	case "on_error":
		e.readOnError(v)
	}
}

// readMatcher reads the regular expression that must match a part of the payload. An invalid one is
// left out, so that the broken hook applies to every event of its kind.
func (e *entry) readMatcher(v *yamldoc.Node) {
	_, err := match.CompileSearch(v.Text)
	switch {
	case err == nil:
		e.hook.Search = v.Text
	case hasLookAround(v.Text):
		e.addError(v.Line, "use a broader expression here and check the rest in the script", "matcher %q: look-around is not supported", v.Text)
	default:
		e.addError(v.Line, "use RE2 syntax: no back-references, and \\z for Python's \\Z", "matcher: %w", err)
	}
}

func hasLookAround(expr string) bool {
	for _, op := range [...]string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.Contains(expr, op) {
			return true
		}
	}
	return false
}

func (e *entry) readTimeout(v *yamldoc.Node) {
	f, err := strconv.ParseFloat(v.Text, 64)
	switch {
	case err != nil:
		e.addError(v.Line, "write seconds", "timeout %s is not a number", v.Text)
	case f > maxTimeout.Seconds():
		e.block.Warn(v.Line, e.hook.Label(), "write 120 or less", "timeout %s is cut to 120 seconds, the maximum", v.Written)
		e.hook.Timeout = maxTimeout
	default:
		if d := time.Duration(math.Round(f * float64(time.Second))); d > 0 {
			e.hook.Timeout = d
		}
	}
}

func (e *entry) readOnError(v *yamldoc.Node) {
	switch {
	case v.Text == "warn":
	case v.Text == "ignore":
		e.hook.OnFault = checkrein.FaultIgnore
	case v.Text != "block":
		e.doubtful = true
		e.addUnknown(v.Line, "on_error: %q is unknown", v.Text, []string{"warn", "ignore", "block"})
	case !e.row.Can(checkrein.CanDeny):
		e.addError(v.Line, "use warn or ignore", "on_error: block has no effect here: no hook can block %s", ownEventName(e.row.Kind))
	default:
		e.hook.OnFault = checkrein.FaultBlock
	}
}

// readHandler reads the hook's handler, which is a program unless its type is http.
func (e *entry) readHandler() {
	switch typ := e.textMember("type"); typ {
	case "", "command":
		e.rejectMember("url", "command", "add type: http, or remove it")
		e.rejectMember("allow_local", "command", "remove it")
		e.readCommand()
	case "http":
		e.rejectMember("command", "http", "remove it, or type: http")
		e.readHTTP()
	default:
		e.addUnknown(e.node.Get("type").Line, "unknown hook type %q", typ, []string{"command", "http"})
	}
}

// rejectMember adds a mistake if the entry has key, which has no effect on hooks of type typ.
func (e *entry) rejectMember(key, typ, remedy string) {
	if v := e.node.Get(key); !v.IsNull() {
		e.addError(v.Line, remedy, "%s has no effect on hooks of type %s", key, typ)
	}
}

// textMember returns the string key, or "" if it is absent or not a string. The latter has already
// been reported.
func (e *entry) textMember(key string) string {
	if v := e.node.Get(key); v != nil && v.Kind == yamldoc.Text {
		return v.Text
	}
	return ""
}

func (e *entry) readCommand() {
	e.hook.Run = "command"
	v := e.node.Get("command")
	line := e.textMember("command")
	if strings.TrimSpace(line) == "" {
		if v.IsNull() || v.Kind == yamldoc.Text {
			e.addError(e.node.Line, "add command: /path/to/script", "the hook has no command")
		}
		return
	}
	argv, err := splitCommand(line)
	if err != nil {
		e.addError(v.Line, "close it, or put a backslash before it", "command: %w", err)
		return
	}
	if argv[0] == "" {
		e.addError(v.Line, "start with the path of a program", "command: the program is missing")
		return
	}
	if why := missingFileReason(argv); why != "" {
		e.addError(v.Line, "use an absolute path", "command: %w", grammar.PathError(why))
		return
	}
	e.hook.With = argvSettings(argv)
}

func (e *entry) readHTTP() {
	e.hook.Run = "http"
	v := e.node.Get("url")
	url := e.textMember("url")
	switch scheme, rest, _ := strings.Cut(url, "://"); {
	case strings.TrimSpace(url) == "":
		if v.IsNull() || v.Kind == yamldoc.Text {
			e.addError(e.node.Line, "add url: https://…", "a hook of type http needs a url")
		}
	case rest == "" || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https"):
		e.addError(v.Line, "write https://…", "url %q is not an http or https URL", url)
	default:
		// The handler checks whether the address may be called.
		// Starchild itself reads STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL.
		e.hook.With = append([]byte(`{"url":`), rawjson.Quote(url)...)
		if e.node.Get("allow_local").AsYAML11Bool().ScalarText() == "true" {
			e.hook.With = append(e.hook.With, `,"allow_local":true`...)
		}
		e.hook.With = append(e.hook.With, '}')
	}
}

func argvSettings(argv []string) []byte {
	b := []byte(`{"argv":[`)
	for i, a := range argv {
		if i > 0 {
			b = append(b, ',')
		}
		b = rawjson.AppendString(b, a)
	}
	return append(b, "]}"...)
}
