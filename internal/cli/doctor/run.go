package doctor

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/hook/answer"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/hook/handler/fallback"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// run runs hooks: each once, and programs once more with a text that is hard to read.
func (d *doctor) run(ctx context.Context, hooks []*checkrein.Hook) {
	if d.Scratch == "" {
		return
	}
	var todo []*checkrein.Hook
	seen := map[string]bool{}
	for _, h := range hooks {
		key := approval.EventOf(h) + "\x00" + approval.Definition(h)
		if d.runs(h) && !seen[key] {
			seen[key] = true
			todo = append(todo, h)
		}
	}
	if d.Announce != nil && len(todo) > 0 {
		d.Announce(todo)
	}
	for i, h := range todo {
		if d.Progress != nil {
			d.Progress(int64(i), int64(len(todo)))
		}
		if ctx.Err() != nil || !d.one(ctx, h) {
			d.report.Interrupted = true
			return
		}
	}
}

// runs reports whether a hook is to be run. What only writes down what happened
// would write down what did not happen, and a model costs money.
func (d *doctor) runs(h *checkrein.Hook) bool {
	switch {
	case d.Payload != nil && d.Payload.Kind != h.On, d.Idle != nil && d.Idle(h):
		return false
	case h.Run == "model", h.Run == fallback.Name:
		d.find("not-run", h, Finding{Message: message.New("doctor does not call the model, because that costs money", message.Run("checkrein eval", "to test it yourself"))})
		return false
	case h.Run == "builtin":
		args, _ := rawjson.Get(h.With, "args")
		file := false
		rawjson.Elements(args, func(_ int, v []byte) bool {
			s, _ := rawjson.Text(v)
			file = file || strings.HasPrefix(s, "path=")
			return true
		})
		return !file
	}
	return true
}

// one runs a hook as a real run does, but for its approval, which was looked at,
// what it remembers, which is thrown away, and the record, which is not written.
// It returns false when the caller gave up.
func (d *doctor) one(ctx context.Context, h *checkrein.Hook) bool {
	alone := *h
	alone.From.Approval, alone.Async, alone.Chain = false, false, ""
	ev := Event(h, d.Scratch, d.Kit.Root())
	if d.Payload != nil {
		ev = *d.Payload
		ev.Session.Root = d.Kit.Root()
		if ev.Session.Dir == "" {
			ev.Session.Dir = d.Scratch
		}
	}
	k, err := d.with(alone)
	// A harmless event meets no condition on harm. The hook runs all the same, to see
	// whether it can; a rule is nothing but its condition.
	d.aside = err == nil && d.Payload == nil && h.Run != "rule" && !hears(k, ev)
	if d.aside {
		alone.Match, alone.If, alone.Args, alone.Search = "", nil, "", ""
		k, err = d.with(alone)
	}
	if err != nil {
		d.find("failed", h, Finding{Message: message.Of(err)})
		return true
	}
	out := k.Decide(ctx, ev)
	if out.Canceled {
		return false
	}
	if len(out.Steps) == 1 && out.Steps[0].Skipped == "" && (!out.Steps[0].Unmet || d.Payload == nil) {
		d.judge(h, &out)
		if out.Steps[0].Fault == nil {
			return d.reads(ctx, k, h, ev)
		}
	}
	return true
}

// with is a kit with one hook, which keeps nothing.
func (d *doctor) with(h checkrein.Hook) (*app.Kit, error) {
	return app.Open(app.Options{NoConfig: true, Hooks: []checkrein.Hook{h}, Handlers: d.Handlers, Dir: d.Scratch,
		State: filepath.Join(d.Scratch, "state"), Environ: d.Environ, Program: d.Program, Now: d.Now, Managed: app.NoManaged})
}

// hears reports whether the hook of a kit would be asked about an event.
func hears(k *app.Kit, ev checkrein.Event) bool {
	steps := k.Plan(ev)
	return len(steps) > 0 && !steps[0].Unmet
}

// judge looks at what a run came to.
func (d *doctor) judge(h *checkrein.Hook, out *engine.Outcome) {
	s := &out.Steps[0]
	ran := Ran{Hook: h.Label(), Event: approval.EventOf(h), Origin: h.From.String(), Shows: approval.Shows(h), Took: s.Took, Said: "failed", Aside: d.aside}
	if s.Fault == nil && s.Answer != nil {
		ran.Said = s.Answer.Decision.String()
		d.answer(h, out)
	} else if s.Fault != nil {
		d.fault(h, s.Fault)
	} else {
		ran.Said = checkrein.NoOpinion.String() // its condition does not hold
	}
	d.report.Ran = append(d.report.Ran, ran)
	if s.Fault == nil && s.Took > cmp.Or(d.Slow, slow) && !h.Async && checkrein.ContractOf(h.On).Layer == checkrein.ToolCall {
		d.find("slow", h, Finding{Message: message.New(fmt.Sprintf("it took %s, and every tool call waits for it", s.Took.Round(10*time.Millisecond)))})
	}
}

// slow is what nobody should wait for at every tool call.
const slow = 3 * time.Second

// fault reports why a hook could not answer.
func (d *doctor) fault(h *checkrein.Hook, err error) {
	f := Finding{Message: message.New(err.Error() + consequence(h))}
	if h.OnFault == checkrein.FaultIgnore && !checkrein.ContractOf(h.On).Closed {
		f.Level = Warn
	}
	if row := faultRow(err); d.aside && row == "exit-code" {
		d.find(row, h, Finding{Level: Warn, Message: message.New(err.Error()+", for a harmless call that its condition excludes", message.Run("checkrein doctor --payload FILE", "to try it with a call that it is meant for"))})
		return
	}
	d.find(faultRow(err), h, f)
}

func faultRow(err error) string {
	var start *process.StartError
	var exit *answer.ExitError
	var unreadable *answer.UnreadableError
	var late interface{ Timeout() bool }
	switch isExit := errors.As(err, &exit); {
	case errors.Is(err, answer.ErrMisread):
		return "broken-json"
	case errors.Is(err, answer.ErrNoReader):
		return "missing"
	case errors.Is(err, syscall.ENOEXEC), errors.Is(err, fs.ErrPermission), isExit && exit.Code == 126:
		return "not-executable"
	case errors.As(err, &start), isExit && exit.Code == 127:
		return "missing"
	case isExit:
		return "exit-code"
	case errors.As(err, &late) && late.Timeout():
		return "timed-out"
	case errors.As(err, &unreadable):
		return "bad-json"
	}
	return "failed"
}

// answer looks at what a hook said.
func (d *doctor) answer(h *checkrein.Hook, out *engine.Outcome) {
	s := &out.Steps[0]
	row := checkrein.ContractOf(h.On)
	for _, word := range s.Answer.Ignored {
		if word == "plain text" {
			f := Finding{Message: message.New(fmt.Sprintf("it printed plain text instead of JSON, which has no effect on %s: %s", row.Name, firstLine(s.Answer.Raw)))}
			if row.Closed {
				f.Level = Error
			}
			d.find("not-json", h, f)
			continue
		}
		d.find("ignored", h, Finding{Message: message.New(fmt.Sprintf("%s in its answer has no effect on %s", word, row.Name))})
	}
	if line := lacking(s.Answer.Log); line != "" && h.Run == "command" {
		d.find("missing", h, Finding{Level: byGuard(h), Message: message.New("something it needs is missing, but it continues without it: "+line, message.Do("install what is missing"), message.Do("make the script fail when a command fails (set -e)"))})
	}
	var lost []string
	for _, l := range out.Dropped {
		if l.Effect == "ask" && s.Answer.Decision == checkrein.Ask && row.Can(checkrein.CanDeny) {
			continue // which is tightened, not lost
		}
		lost = append(lost, l.Effect)
	}
	if len(lost) > 0 {
		f := Finding{Level: weakens(lost), Message: message.New(fmt.Sprintf("%s cannot do what the hook asks for: %s", row.Name, strings.Join(lost, ", ")))}
		if h.On == checkrein.PostToolUse || h.On == checkrein.PostToolUseFailure {
			f.Message = f.With(message.Do("replace output on tool_response_transform"))
		}
		d.find("event-cannot", h, f)
	}
	d.unheeded(h, &s.Answer.Verdict)
	if s.Answer.Decision == checkrein.Deny && d.Payload == nil {
		d.denied(h, s.Answer.Reason)
	}
	if lang, ok := dialect.Named(h.Dialect); ok && d.Payload == nil && !d.aside && slices.Contains(lang.Form.RemindOn, h.On) &&
		rawjson.CheckObject(s.Answer.Raw) == nil && rawjson.GetText(s.Answer.Raw, "decision") == "block" {
		d.blocksResult(h, "it blocks a harmless result; the model is told, but the output stays unchanged")
	}
}

// blocksResult looks at a hook that refuses what a tool returned.
func (d *doctor) blocksResult(h *checkrein.Hook, what string) {
	if on := d.replacing(); len(on) > 0 {
		what += "; " + and(on) + " can replace it on tool_response_transform"
	}
	d.find("block-is-no-replacement", h, Finding{Message: message.New(what)})
}

// denied looks at a hook that refuses what does no harm.
func (d *doctor) denied(h *checkrein.Hook, reason string) {
	row := checkrein.ContractOf(h.On)
	switch {
	case h.Run == "command" && says(reason, "can't open file", "cannot open", "Can't open", "No such file or directory", "Cannot find module"):
		// Interpreters and shells exit with 2 for this, which passes for a denial.
		d.find("missing", h, Finding{Message: message.New("its interpreter could not read it and exited with 2, which counts as a denial: " + reason)})
	case h.Run == "command" && says(reason, "syntax error", "Syntax error", "arithmetic expression", "division by"):
		d.find("exit-code", h, Finding{Message: message.New("its shell gave up and exited with 2, which counts as a denial: " + reason)})
	case d.aside: // it may well refuse what it is for
	case h.On == checkrein.PostToolUse:
		d.blocksResult(h, "it blocks a harmless result; that ends the run, but the output stays unchanged")
	case h.On == checkrein.PreCompact || h.On == checkrein.BeforeCompaction:
		d.find("overflow-veto", h, Finding{})
	case row.Closed:
		d.find("denies-harmless", h, Finding{Message: message.New("it refuses even a harmless " + row.Name + ": " + reason)})
	}
}

// says reports whether a text has one of these in it.
func says(text string, any ...string) bool {
	return slices.ContainsFunc(any, func(s string) bool { return strings.Contains(text, s) })
}

// lacking is the line in which a shell or an interpreter says that it did not
// find something, "" = there is none.
func lacking(log string) string {
	for line := range strings.Lines(log) {
		if says(line, "command not found", ": not found", "ModuleNotFoundError", "Cannot find module") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

func firstLine(b []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(b)), "\n")
	if r := []rune(line); len(r) > 80 {
		line = string(r[:79]) + "…"
	}
	return strconv.Quote(line)
}

// rough is a harmless text with what scripts break JSON by: a newline, a tab, quotes
// and backslashes.
const rough = harmless + "\n\t\"two\" 'words' \\n \\c end"

// roughen puts the rough text into an event, and reports whether it has a place for it.
func roughen(ev *checkrein.Event) bool {
	inner := rawjson.Quote(rough)
	inner = inner[1 : len(inner)-1]
	found := false
	swap := func(val []byte) []byte {
		found = found || bytes.Contains(val, []byte(harmless))
		return bytes.ReplaceAll(val, []byte(harmless), inner)
	}
	if ev.Text == harmless {
		ev.Text, found = rough, true
	}
	ev.Messages = swap(ev.Messages)
	if ev.Tool != nil {
		t := *ev.Tool
		t.Input, t.Output = swap(t.Input), swap(t.Output)
		ev.Tool = &t
	}
	return found
}

// reads runs a program once more, with a text in the payload that a careless script
// makes broken JSON of. It returns false when the caller gave up.
func (d *doctor) reads(ctx context.Context, k *app.Kit, h *checkrein.Hook, ev checkrein.Event) bool {
	if h.Run != "command" || d.Payload != nil || !roughen(&ev) {
		return true
	}
	out := k.Decide(ctx, ev)
	if out.Canceled {
		return false
	}
	if len(out.Steps) == 1 && out.Steps[0].Skipped == "" && out.Steps[0].Answer != nil {
		if what := misreads(&out.Steps[0]); what != "" {
			d.find("broken-json", h, Finding{Level: byGuard(h), Message: message.New("when a string contains a newline, a tab, a quote or a backslash, " + what)})
		}
	}
	return true
}

// misreads returns by what a run shows that the hook read something else than its payload,
// "" = by nothing.
func misreads(s *engine.Step) string {
	line := answer.FindReadError(s.Answer.Log)
	switch {
	case line != "":
		return "it cannot read its payload: " + line
	case s.Answer.Decision == checkrein.Deny && answer.FindReadError(s.Answer.Reason) != "":
		// jq exits with 2 for this, which passes for a denial.
		return "it cannot read its payload, which counts as a denial: " + s.Answer.Reason
	case errors.Is(s.Fault, answer.ErrMisread), s.Fault != nil:
		return "it fails: " + s.Fault.Error()
	case mangled(string(s.Answer.Raw)) || mangled(s.Answer.Log) || mangled(s.Answer.Reason):
		return "it prints its payload as invalid JSON"
	}
	return ""
}

// mangled reports whether a text has a payload in it whose escapes were expanded: the
// newline stands within a string.
func mangled(text string) bool {
	at := strings.Index(text, harmless+"\n\t")
	if at < 0 {
		return false
	}
	line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
	return strings.HasPrefix(line, `{"`) && strings.Contains(line, "checkrein-doctor")
}
