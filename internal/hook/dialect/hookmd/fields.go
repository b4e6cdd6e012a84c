package hookmd

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

func (r *reader) name() {
	n := r.required("name", "add name: "+filepath.Base(r.folder))
	if n == nil {
		return
	}
	if n.Text != "" {
		r.hook.Name = n.Text
	}
	switch size := utf8.RuneCountInString(n.Text); {
	case size > maxName || strings.TrimSpace(n.Text) == "":
		r.problem(n.Line, "use 1 to 64 characters", "the name has %d characters", size)
	case strings.ContainsFunc(n.Text, unicode.IsControl):
		r.problem(n.Line, "use only printable characters", "the name %q contains invisible characters", n.Text)
	}
}

// description is looked at and not kept: it is for those who read the folder, and
// the format's own samples leave it out. So a bad one takes no guard away.
func (r *reader) description() {
	n := r.root.Get("description")
	warn := func(line int, remedy, format string, args ...any) {
		r.block.Warn(line, r.hook.Label(), remedy, format, args...)
	}
	size := utf8.RuneCountInString(strings.TrimSpace(n.Plain()))
	switch {
	case n.IsNull():
		warn(r.root.Line, "describe in one sentence what the hook does", "the hook has no description")
	case n.Kind != yamldoc.Text:
		warn(n.Line, "quote it", "description is %s, not a string", n.Kind)
	case size == 0 || size > maxDescription:
		warn(n.Line, "use 1 to 1024 characters; put the rest into the body", "the description has %d characters", size)
	}
}

// trigger finds the event. The file is lost where nobody can tell which it was.
func (r *reader) trigger() {
	n := r.root.Get("trigger")
	current, first := triggers()
	list := "use one of " + strings.Join(current, ", ") + ", or their older names"
	switch {
	case n.IsNull():
		r.lose(r.root.Line, list, "the hook has no trigger")
		return
	case n.Kind != yamldoc.Text:
		r.lose(n.Line, list, "trigger is %s, not a string", n.Kind)
		return
	case n.Text == unfired:
		// It could not have been a gate, so none needs to be closed.
		r.row, r.hook.On, r.hook.Event = checkrein.ContractOf(checkrein.Other), checkrein.Other, unfired
		r.problem(n.Line, "use pre-agent-turn-stop, which can keep the agent working, or post-agent-turn", "no agent fires the trigger %q", unfired)
		return
	}
	kind, ok := kindOf(n.Text)
	if !ok {
		r.unknownTrigger(n, list, append(current, first...))
		return
	}
	r.row, r.hook.On = checkrein.ContractOf(kind), kind
	if kind == checkrein.PostToolUse {
		r.hook.If = []byte(succeeded)
	}
}

func (r *reader) unknownTrigger(n *yamldoc.Node, list string, known []string) {
	if kind, ok := checkrein.KindOf(n.Text); ok {
		if _, here := triggersOf(kind); here != "" {
			r.lose(n.Line, "", "unknown trigger %q: in this format, it is called %s", n.Text, here)
			return
		}
	}
	r.lose(n.Line, list, "unknown trigger %q%s", n.Text, suggest.Hint(n.Text, known))
}

// matcher reads which tools and arguments the hook is about. What is wrong is
// left out, so that a broken gate is closed for what the rest covers.
func (r *reader) matcher() {
	n := r.member(r.root, "matcher", yamldoc.Map, "write matcher: {tool: …, pattern: …}")
	if n == nil {
		return
	}
	if r.row != nil && r.row.Subject != checkrein.SubjectTool {
		r.problem(n.Line, "remove it and check the event in the script", "matcher has no effect on %s, because it is not a tool event", r.root.Get("trigger").Text)
		return
	}
	for _, p := range n.Pairs { // what narrows the hook is never guessed
		if p.Key != "tool" && p.Key != "pattern" {
			r.problem(p.Line, "", "unknown key %q in matcher%s", p.Key, hintOr(p.Key, "tool", "pattern"))
		}
	}
	r.toolMatcher(n)
	if pattern := r.member(n, "pattern", yamldoc.Text, "quote it"); pattern != nil {
		if _, err := match.CompileSearch(pattern.Text); err != nil {
			r.problem(pattern.Line, syntaxRemedy, "matcher.pattern: %w", err)
			return
		}
		r.hook.Args = pattern.Text
	}
}

func hintOr(key string, known ...string) string {
	if hint := suggest.Hint(key, known); hint != "" {
		return hint
	}
	return ": must be one of " + strings.Join(known, ", ")
}

const syntaxRemedy = "use Go's regular expression syntax, and check the rest in the script"

func (r *reader) toolMatcher(matcher *yamldoc.Node) {
	n := r.member(matcher, "tool", yamldoc.Text, "quote it")
	if n == nil {
		return
	}
	t, err := match.CompileTool(n.Text, checkrein.MatchWhole)
	if err != nil {
		r.problem(n.Line, syntaxRemedy, "matcher.tool: %w", err)
		return
	}
	if doubt := t.CheckTypo(n.Text, nil); doubt != nil {
		r.block.Warn(n.Line, r.hook.Label(), "check the spelling; names are case-sensitive", "matcher.tool %w", doubt)
	}
	r.hook.Match = n.Text
}

// number reads a whole number with a range and a default.
func (r *reader) number(key string, absent, least, most int) int {
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
		r.problem(n.Line, remedy, "%s %s must be a whole number from %d to %d", key, n.Written, least, most)
		return absent
	}
	return v
}

func (r *reader) async() {
	n := r.member(r.root, "async", yamldoc.Bool, "write true or false")
	r.hook.Async = n != nil && n.Text == "true"
}

// onError reads what the format does not have: there every fault lets the
// action go on.
func (r *reader) onError() {
	n := r.member(r.root, "on_error", yamldoc.Text, "write warn, ignore or block")
	if n == nil {
		return
	}
	policies := []string{"warn", "ignore", "block"}
	i := slices.Index(policies, n.Text)
	switch {
	case i < 0:
		r.problem(n.Line, "write warn, ignore or block", "on_error: %q is unknown%s", n.Text, suggest.Hint(n.Text, policies))
	case n.Text == "block" && r.hook.Async:
		r.hook.OnFault = checkrein.FaultBlock // one of the two is meant: the safer one
		r.problem(n.Line, "remove async, or use warn or ignore", "on_error: block has no effect here: an asynchronous hook cannot block")
	case n.Text == "block" && r.row != nil && !r.row.Can(checkrein.CanDeny):
		r.problem(n.Line, "use warn or ignore", "on_error: block has no effect here: no hook can block %s", r.root.Get("trigger").Text)
	default:
		r.hook.OnFault = checkrein.FaultWarn + checkrein.FaultPolicy(i)
	}
}
