package secretguard

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// messageTools lists tools that send text without an outbound event, so that their arguments must be
// checked.
var messageTools = [...]string{"send_to_telegram", "send_to_wechat", "send_message"}

// A loss describes irreversible effects that the guard blocks: those of a category with at least the
// impact from. Other destructive commands are normal work for some users, who would turn off a guard
// that blocks them.
type loss struct {
	category shell.Category
	from     shell.Impact
	words    string // the command begins with these words; "" matches any command
}

// irreversible lists the effects that the guard blocks by default.
var irreversible = [...]loss{
	{shell.FSDelete, shell.ImpactHigh, ""},
	{shell.FSSecureDelete, shell.ImpactHigh, ""},
	{shell.FSOverwrite, shell.ImpactHigh, ""},
	{shell.BlockDevice, shell.ImpactLow, ""},
	{shell.ProcBomb, shell.ImpactLow, ""},
	{shell.FSPermissions, shell.ImpactMedium, "chmod"},
	{shell.GitDiscard, shell.ImpactLow, "git reset --hard origin/"},
	{shell.ExfilSecret, shell.ImpactLow, ""},
}

// A secretGuard is the guard for several events, with the user's settings.
type secretGuard struct {
	tools    []string // further message tools
	block    []string // further categories and pack.rule names
	allow    []string // categories and pack.rule names that are not blocked
	patterns []pattern
}

// A pattern is a user-defined rule for secrets.
type pattern struct {
	name string
	expr *regexp.Regexp
}

// NewSecretGuard returns the builtin that guards several events at once: it keeps secrets out of
// prompts, replies and messages, and blocks irreversible commands.
func NewSecretGuard(args []string) (builtin.Func, error) {
	var g secretGuard
	for _, arg := range args {
		key, val, ok := strings.Cut(arg, "=")
		if !ok || val == "" {
			return nil, fmt.Errorf("argument %q: must be message_tool=NAME, block=CATEGORY, allow=CATEGORY or pattern=NAME:REGEX", arg)
		}
		switch key {
		case "message_tool":
			if _, err := path.Match(val, ""); err != nil {
				return nil, fmt.Errorf("message_tool %q: %w", val, err)
			}
			g.tools = append(g.tools, val)
		case "block":
			g.block = append(g.block, val)
		case "allow":
			g.allow = append(g.allow, val)
		case "pattern":
			name, expr, ok := strings.Cut(val, ":")
			if !ok || name == "" {
				return nil, fmt.Errorf("pattern %q: must be pattern=NAME:REGEX", val)
			}
			re, err := regexp.Compile(expr)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, match.Explain(expr, err, "rewrite the pattern without it"))
			}
			g.patterns = append(g.patterns, pattern{name, re})
		default:
			return nil, fmt.Errorf("argument %q is unknown: must be one of message_tool, block, allow, pattern", arg)
		}
	}
	return g.handle, nil
}

// handle returns the guard's verdict for an event.
func (g *secretGuard) handle(_ context.Context, call builtin.Call) (checkrein.Verdict, error) {
	ev := &call.Event
	switch ev.Kind {
	case checkrein.UserPromptSubmit, checkrein.UserFollowupSubmit:
		return g.judgePrompt(ev, ev.Text), nil
	case checkrein.UserSteeringMessagesSubmit:
		var list []string
		rawjson.Elements(ev.Detail("steering_messages"), func(_ int, v []byte) bool {
			text, _ := rawjson.Text(v)
			list = append(list, text)
			return true
		})
		return g.judgePrompt(ev, strings.Join(list, "\n")), nil
	case checkrein.PreToolUse, checkrein.PermissionRequest:
		if g.isMessageTool(ev.Tool) {
			return g.redactOutgoing(ev), nil
		}
		return g.judgeCommand(&call), nil
	case checkrein.ToolResponseTransform:
		return g.redactOutput(ev), nil
	case checkrein.OnResponseEnd:
		v, _ := redactSubject(ev, g.newCleaner(ev), nil)
		return v, nil
	case checkrein.OnOutboundMessage:
		return g.redactOutgoing(ev), nil
	}
	return checkrein.Verdict{}, nil
}

// newCleaner returns a cleaner for ev that also redacts matches of the user's patterns.
func (g *secretGuard) newCleaner(ev *checkrein.Event) *secret.Cleaner {
	c := NewCleaner(ev)
	c.Also = g.findPatterns
	return &c
}

// findPatterns appends the matches of the user's patterns to dst.
func (g *secretGuard) findPatterns(dst []secret.Finding, text string) []secret.Finding {
	for _, p := range g.patterns {
		for _, at := range p.expr.FindAllStringIndex(text, -1) {
			if at[1] > at[0] {
				dst = append(dst, secret.Finding{Rule: p.name, Kind: secret.Secrets, Start: at[0], End: at[1]})
			}
		}
	}
	return dst
}

// judgePrompt denies the prompt text if it contains a secret.
func (g *secretGuard) judgePrompt(ev *checkrein.Event, text string) checkrein.Verdict {
	var names []string
	for _, f := range g.newCleaner(ev).Find(text) {
		if !secret.ReliesOnName(f.Rule) && !slices.Contains(names, f.Rule) {
			names = append(names, f.Rule)
		}
	}
	if len(names) == 0 {
		return checkrein.Verdict{}
	}
	which := strings.Join(names, ", ")
	return builtin.SetRule(checkrein.Verdict{Decision: checkrein.Deny,
		Reason: "This message contains a secret (" + which + "), so it was not sent. Remove the secret, and rotate it if others have seen it."},
		"secrets/prompt", "the message contains a secret ("+which+")")
}

// judgeCommand denies calls with commands that are irreversible or send credentials away.
func (g *secretGuard) judgeCommand(call *builtin.Call) checkrein.Verdict {
	all, _ := study.JudgeAll(&call.Event, study.NewCallEnv(call), nil)
	for i := range all {
		for k := range all[i].Report.Effects {
			if e := &all[i].Report.Effects[k]; g.blocksEffect(e) {
				v := builtin.SetRule(checkrein.Verdict{Decision: checkrein.Deny, Reason: builtin.BlockedReason(e.Reason, all[i].Command), Metadata: builtin.Metadata(e.Impact.String(), e.Row().Name, "")}, e.RuleName(), e.Reason)
				v.Because = builtin.AddCause(nil, e)
				if fine := e.Alternative(); fine != "" {
					v.Metadata["instead"] = fine
				}
				return v
			}
		}
	}
	return checkrein.Verdict{}
}

// blocksEffect reports whether the guard blocks the effect e.
func (g *secretGuard) blocksEffect(e *shell.Effect) bool {
	named := func(list []string) bool {
		row := e.Row()
		return slices.Contains(list, row.Name) || slices.Contains(list, row.PackName()+"."+e.Rule)
	}
	if named(g.allow) {
		return false
	}
	if named(g.block) {
		return true
	}
	if e.Label < shell.Destructive {
		return false
	}
	return slices.ContainsFunc(irreversible[:], func(l loss) bool {
		return l.category == e.Category && e.Impact.Weight() >= l.from.Weight() && strings.HasPrefix(e.Words, l.words)
	})
}

// isMessageTool reports whether a tool sends messages.
func (g *secretGuard) isMessageTool(t *checkrein.Tool) bool {
	if t == nil {
		return false
	}
	name := t.Name
	if at := max(strings.LastIndex(name, "__")+1, strings.LastIndexByte(name, '/')); at > 0 {
		name = strings.TrimLeft(name[at:], "_/") // without the name of the MCP server
	}
	return slices.Contains(messageTools[:], name) || slices.ContainsFunc(g.tools, func(glob string) bool { return matchGlob(glob, name) || matchGlob(glob, t.Name) })
}

// matchGlob reports whether name matches glob.
func matchGlob(glob, name string) bool {
	ok, err := path.Match(glob, name)
	return ok && err == nil
}

// redactOutgoing returns a verdict that redacts keys in an outgoing message, or denies the message if
// it contains a seed phrase.
func (g *secretGuard) redactOutgoing(ev *checkrein.Event) checkrein.Verdict {
	c := g.newCleaner(ev)
	seed := false
	c.Keep = func(rule, _ string) bool {
		seed = seed || rule == secret.SeedPhrase
		return false
	}
	v, _ := redactSubject(ev, c, nil)
	if seed {
		return builtin.SetRule(checkrein.Verdict{Decision: checkrein.Deny, Reason: "The message contains a seed phrase, so it was not sent: anyone who reads it controls the wallet."},
			"secrets/seed-phrase", "the message contains a seed phrase; anyone who reads it controls the wallet")
	}
	return v
}

// redactOutput returns a verdict that redacts secrets in a tool's output, with a warning to the model
// in case the host cannot replace the output.
func (g *secretGuard) redactOutput(ev *checkrein.Event) checkrein.Verdict {
	if ev.Tool == nil {
		return checkrein.Verdict{}
	}
	var names []string
	c := g.newCleaner(ev)
	c.Keep = func(rule, _ string) bool {
		if !slices.Contains(names, rule) {
			names = append(names, rule)
		}
		return false
	}
	v, n := redactSubject(ev, c, nil)
	if n == 0 {
		return checkrein.Verdict{}
	}
	kinds := strings.Join(names, ", ")
	note := "[security] This output contained a secret (" + kinds + "). If you have seen it, do not repeat it, write it to files or send it anywhere."
	if rawjson.Kind(v.Output) == '"' {
		v.Append = note
	} else {
		v.Output = addNote(v.Output, note)
	}
	v.Notice = []string{"the output of " + ev.Tool.Name + " contained a secret (" + kinds + ")"}
	return v
}

// addNote adds note to out, an output that is not a string, if its structure has a place for it.
// Otherwise it returns out unchanged, because hosts reject other structures and would show the
// original output.
func addNote(out []byte, note string) []byte {
	if rawjson.Kind(out) == '[' {
		return appendTextBlock(out, note)
	}
	for _, key := range [...]string{"stdout", "content", "result", "output", "text"} {
		val, ok := rawjson.Get(out, key)
		if !ok {
			continue
		}
		if s, isText := rawjson.Text(val); isText {
			if s = strings.TrimSuffix(s, "\n"); s != "" {
				s += "\n"
			}
			return setMember(out, key, rawjson.Quote(s+note))
		}
		return setMember(out, key, appendTextBlock(val, note))
	}
	if file, ok := rawjson.Get(out, "file"); ok && rawjson.Kind(file) == '{' && rawjson.GetText(file, "content") != "" {
		return setMember(out, "file", addNote(file, note))
	}
	return out
}

// appendTextBlock appends a text block with note to list, if that is a list of content blocks.
func appendTextBlock(list []byte, note string) []byte {
	first, ok := rawjson.Lookup(list, "0", "type")
	if !ok || rawjson.Kind(list) != '[' || rawjson.Kind(first) != '"' {
		return list
	}
	end := bytes.LastIndexByte(list, ']')
	out := append(slices.Clone(list[:end]), `,{"type":"text","text":`...)
	return append(append(out, rawjson.Quote(note)...), "}]"...)
}

// setMember returns the JSON object obj with key set to val, or obj itself if that fails.
func setMember(obj []byte, key string, val []byte) []byte {
	patch := rawjson.Object{'{'}
	patch.Raw(key, val)
	patch.Close()
	out, err := rawjson.Patch(obj, patch)
	if err != nil {
		return obj
	}
	return out
}
