package hookmd

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

func (r *reader) readName() {
	n := r.requiredText("name", "add name: "+filepath.Base(r.folder))
	if n == nil {
		return
	}
	if n.Text != "" {
		r.hook.Name = n.Text
	}
	switch size := utf8.RuneCountInString(n.Text); {
	case strings.TrimSpace(n.Text) == "":
		r.addError(n.Line, "use 1 to 64 characters", "the name is empty or blank")
	case size > maxName:
		r.addError(n.Line, "use 1 to 64 characters", "the name has %d characters", size)
	case strings.ContainsFunc(n.Text, unicode.IsControl):
		r.addError(n.Line, "use only printable characters", "the name %q contains invisible characters", n.Text)
	}
}

// checkDescription checks the description. It is for people who read the folder, and even the format's
// own examples omit it, so it is not kept, and a mistake in it is only a warning.
func (r *reader) checkDescription() {
	n := r.root.Get("description")
	warn := func(line int, remedy, format string, args ...any) {
		r.block.Warn(line, r.hook.Label(), remedy, format, args...)
	}
	size := utf8.RuneCountInString(strings.TrimSpace(n.ScalarText()))
	switch {
	case n.IsNull():
		warn(r.root.Line, "describe in one sentence what the hook does", "the hook has no description")
	case n.Kind != yamldoc.Text:
		warn(n.Line, "quote it", "description is %s, not a string", n.Kind)
	case size == 0 || size > maxDescription:
		warn(n.Line, "use 1 to 1024 characters; put the rest into the body", "the description has %d characters", size)
	}
}

// readTrigger sets the hook's event. If the event is missing or unknown, the hook is lost.
func (r *reader) readTrigger() {
	n := r.root.Get("trigger")
	current, first := allTriggers()
	list := "use one of " + strings.Join(current, ", ") + ", or their older names"
	switch {
	case n.IsNull():
		r.addLost(r.root.Line, list, "the hook has no trigger")
		return
	case n.Kind != yamldoc.Text:
		r.addLost(n.Line, list, "trigger is %s, not a string", n.Kind)
		return
	case n.Text == unfiredTrigger:
		// This event has no gates, so the hook need not stay closed.
		r.row, r.hook.On, r.hook.Event = checkrein.ContractOf(checkrein.Other), checkrein.Other, unfiredTrigger
		r.addError(n.Line, "use pre-agent-turn-stop, which can keep the agent working, or post-agent-turn", "no agent fires the trigger %q", unfiredTrigger)
		return
	}
	kind, ok := triggerKind(n.Text)
	if !ok {
		r.addUnknownTrigger(n, list, append(current, first...))
		return
	}
	r.row, r.hook.On = checkrein.ContractOf(kind), kind
	if kind == checkrein.PostToolUse {
		r.hook.If = []byte(successCond)
	}
}

func (r *reader) addUnknownTrigger(n *yamldoc.Node, list string, known []string) {
	if kind, ok := hookfile.KindOf(n.Text); ok {
		if _, here := triggerNames(kind); here != "" {
			r.addLost(n.Line, "", "unknown trigger %q: in this format, it is called %s", n.Text, here)
			return
		}
	}
	r.addLost(n.Line, list, "unknown trigger %q%s", n.Text, suggest.Hint(n.Text, known))
}

// readMatcher reads the tools and arguments to which the hook applies. Invalid parts are left out, so
// that a broken gate denies everything that the other parts match.
func (r *reader) readMatcher() {
	n := r.member(r.root, "matcher", yamldoc.Map, "write matcher: {tool: …, pattern: …}")
	if n == nil {
		return
	}
	if r.row != nil && r.row.Subject != checkrein.SubjectTool {
		r.addError(n.Line, "remove it and check the event in the script", "matcher has no effect on %s, because it is not a tool event", r.root.Get("trigger").Text)
		return
	}
	for _, p := range n.Pairs { // an unknown key is always an error here, because it may narrow the hook
		if p.Key != "tool" && p.Key != "pattern" {
			r.addError(p.Line, "", "unknown key %q in matcher%s", p.Key, hintOrList(p.Key, "tool", "pattern"))
		}
	}
	r.readToolMatcher(n)
	if pattern := r.member(n, "pattern", yamldoc.Text, "quote it"); pattern != nil {
		if _, err := match.CompileSearch(pattern.Text); err != nil {
			r.addError(pattern.Line, syntaxRemedy, "matcher.pattern: %w", err)
			return
		}
		r.hook.Args = pattern.Text
	}
}

func hintOrList(key string, known ...string) string {
	if hint := suggest.Hint(key, known); hint != "" {
		return hint
	}
	return ": must be one of " + strings.Join(known, ", ")
}

const syntaxRemedy = "use Go's regular expression syntax, and check the rest in the script"

func (r *reader) readToolMatcher(matcher *yamldoc.Node) {
	n := r.member(matcher, "tool", yamldoc.Text, "quote it")
	if n == nil {
		return
	}
	t, err := match.CompileTool(n.Text, false)
	if err != nil {
		r.addError(n.Line, syntaxRemedy, "matcher.tool: %w", err)
		return
	}
	if doubt := t.CheckTypo(n.Text, nil); doubt != nil {
		r.block.Warn(n.Line, r.hook.Label(), "check the spelling; names are case-sensitive", "matcher.tool %w", doubt)
	}
	r.hook.Match = n.Text
}

// readNumber returns the whole number key, which must be between least and most. It returns absent if
// the key is missing or invalid.
func (r *reader) readNumber(key string, absent, least, most int) int {
	remedy := "write a whole number"
	if key == "timeout" {
		remedy = "the unit is milliseconds: write 5000 for 5 s"
	}
	n := r.member(r.root, key, yamldoc.Number, remedy)
	if n == nil {
		return absent
	}
	v, err := strconv.Atoi(n.Text)
	if err != nil || v < least || v > most {
		r.addError(n.Line, remedy, "%s %s must be a whole number from %d to %d", key, n.Written, least, most)
		return absent
	}
	return v
}

func (r *reader) readAsync() {
	n := r.member(r.root, "async", yamldoc.Bool, "write true or false")
	r.hook.Async = n != nil && n.Text == "true"
}

// readOnError reads on_error. It is an extension by checkrein: in the format itself, the agent
// continues after every fault.
func (r *reader) readOnError() {
	n := r.member(r.root, "on_error", yamldoc.Text, "write warn, ignore or block")
	if n == nil {
		return
	}
	policies := []string{"warn", "ignore", "block"}
	i := slices.Index(policies, n.Text)
	switch {
	case i < 0:
		r.addError(n.Line, "write warn, ignore or block", "on_error: %q is unknown%s", n.Text, suggest.Hint(n.Text, policies))
	case n.Text == "block" && r.hook.Async:
		r.hook.OnFault = checkrein.FaultBlock // the safer one of two contradictory settings
		r.addError(n.Line, "remove async, or use warn or ignore", "on_error: block has no effect here: an asynchronous hook cannot block")
	case n.Text == "block" && r.row != nil && !r.row.Can(checkrein.CanDeny):
		r.addError(n.Line, "use warn or ignore", "on_error: block has no effect here: no hook can block %s", r.root.Get("trigger").Text)
	default:
		r.hook.OnFault = checkrein.FaultWarn + checkrein.FaultPolicy(i)
	}
}
