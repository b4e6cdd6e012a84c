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

// runAll runs hooks: each once, and programs once more with a text that is hard to parse.
func (d *doctor) runAll(ctx context.Context, hooks []*checkrein.Hook) {
	if d.Scratch == "" {
		return
	}
	var todo []*checkrein.Hook
	seen := map[string]bool{}
	for _, h := range hooks {
		key := approval.EventName(h) + "\x00" + approval.DefinitionHex(h)
		if d.shouldRun(h) && !seen[key] {
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
		if ctx.Err() != nil || !d.runOne(ctx, h) {
			d.report.Interrupted = true
			return
		}
	}
}

// shouldRun reports whether a hook is to be run. Hooks that only log would log events that did not
// happen, and a model costs money.
func (d *doctor) shouldRun(h *checkrein.Hook) bool {
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

// runOne runs a hook like a real run, except that its approval was already checked, its memory is
// discarded, and nothing is recorded. It returns false if the caller cancelled.
func (d *doctor) runOne(ctx context.Context, h *checkrein.Hook) bool {
	alone := *h
	alone.From.Approval, alone.Async, alone.Chain = false, false, ""
	ev := NewEvent(h, d.Scratch, d.Kit.Root())
	if d.Payload != nil {
		ev = *d.Payload
		ev.Session.Root = d.Kit.Root()
		if ev.Session.Dir == "" {
			ev.Session.Dir = d.Scratch
		}
	}
	k, err := d.kitWith(alone)
	// A harmless event does not meet conditions on harm. The hook runs anyway, to see whether
	// it can; a rule has nothing but its condition.
	d.aside = err == nil && d.Payload == nil && h.Run != "rule" && !matches(k, ev)
	if d.aside {
		alone.Match, alone.If, alone.Args, alone.Search = "", nil, "", ""
		k, err = d.kitWith(alone)
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
		d.addRun(h, &out)
		if out.Steps[0].Fault == nil {
			return d.checkReading(ctx, k, h, ev)
		}
	}
	return true
}

// kitWith returns a kit with one hook, which saves nothing.
func (d *doctor) kitWith(h checkrein.Hook) (*app.Kit, error) {
	return app.Open(app.Options{NoConfig: true, Hooks: []checkrein.Hook{h}, Handlers: d.Handlers, Dir: d.Scratch,
		State: filepath.Join(d.Scratch, "state"), Environ: d.Environ, Program: d.Program, Now: d.Now, Managed: app.NoManaged})
}

// matches reports whether the hook of a kit handles an event.
func matches(k *app.Kit, ev checkrein.Event) bool {
	steps := k.Plan(ev)
	return len(steps) > 0 && !steps[0].Unmet
}

// addRun adds a run and the findings about it.
func (d *doctor) addRun(h *checkrein.Hook, out *engine.Outcome) {
	s := &out.Steps[0]
	ran := Run{Hook: h.Label(), Event: approval.EventName(h), Origin: h.From.String(), Shows: approval.RunText(h), Took: s.Took, Said: "failed", Aside: d.aside}
	if s.Fault == nil && s.Answer != nil {
		ran.Said = s.Answer.Decision.String()
		d.checkAnswer(h, out)
	} else if s.Fault != nil {
		d.addFault(h, s.Fault)
	} else {
		ran.Said = checkrein.NoOpinion.String() // its condition is not met
	}
	d.report.Ran = append(d.report.Ran, ran)
	if s.Fault == nil && s.Took > cmp.Or(d.Slow, slow) && !h.Async && checkrein.ContractOf(h.On).Layer == "tool" {
		d.find("slow", h, Finding{Message: message.New(fmt.Sprintf("it took %s, and every tool call waits for it", s.Took.Round(10*time.Millisecond)))})
	}
}

// slow is the longest acceptable time for a hook on tool calls.
const slow = 3 * time.Second

// addFault adds a finding about a hook that could not answer.
func (d *doctor) addFault(h *checkrein.Hook, err error) {
	f := Finding{Message: message.New(err.Error() + consequence(h))}
	if h.OnFault == checkrein.FaultIgnore && !checkrein.ContractOf(h.On).Closed {
		f.Level = Warn
	}
	if row := faultCheck(err); d.aside && row == "exit-code" {
		d.find(row, h, Finding{Level: Warn, Message: message.New(err.Error()+", for a harmless call that its condition excludes", message.Run("checkrein doctor --payload FILE", "to try it with a call that it is meant for"))})
		return
	}
	d.find(faultCheck(err), h, f)
}

// faultCheck returns the id of the check for a fault.
func faultCheck(err error) string {
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

// checkAnswer adds findings about a hook's answer.
func (d *doctor) checkAnswer(h *checkrein.Hook, out *engine.Outcome) {
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
	if line := missingLine(s.Answer.Log); line != "" && h.Run == "command" {
		d.find("missing", h, Finding{Level: levelFor(h), Message: message.New("something it needs is missing, but it continues without it: "+line, message.Do("install what is missing"), message.Do("make the script fail when a command fails (set -e)"))})
	}
	var lost []string
	for _, l := range out.Dropped {
		if l.Effect == "ask" && s.Answer.Decision == checkrein.Ask && row.Can(checkrein.CanDeny) {
			continue // tightened, not lost
		}
		lost = append(lost, l.Effect)
	}
	if len(lost) > 0 {
		f := Finding{Level: lostLevel(lost), Message: message.New(fmt.Sprintf("%s cannot do what the hook asks for: %s", row.Name, strings.Join(lost, ", ")))}
		if h.On == checkrein.PostToolUse || h.On == checkrein.PostToolUseFailure {
			f.Message = f.With(message.Do("replace output on tool_response_transform"))
		}
		d.find("event-cannot", h, f)
	}
	d.checkHonoured(h, &s.Answer.Verdict)
	if s.Answer.Decision == checkrein.Deny && d.Payload == nil {
		d.checkDenial(h, s.Answer.Reason)
	}
	if lang, ok := dialect.Lookup(h.Dialect); ok && d.Payload == nil && !d.aside && slices.Contains(lang.Form.RemindOn, h.On) &&
		rawjson.CheckObject(s.Answer.Raw) == nil && rawjson.GetText(s.Answer.Raw, "decision") == "block" {
		d.addBlockedResult(h, "it blocks a harmless result; the model is told, but the output stays unchanged")
	}
}

// addBlockedResult adds a finding about a hook that refuses a tool's output.
func (d *doctor) addBlockedResult(h *checkrein.Hook, what string) {
	if on := d.replacingHosts(); len(on) > 0 {
		what += "; " + joinAnd(on) + " can replace it on tool_response_transform"
	}
	d.find("block-is-no-replacement", h, Finding{Message: message.New(what)})
}

// checkDenial adds findings about a hook that refuses a harmless event.
func (d *doctor) checkDenial(h *checkrein.Hook, reason string) {
	row := checkrein.ContractOf(h.On)
	switch {
	case h.Run == "command" && containsAny(reason, "can't open file", "cannot open", "Can't open", "No such file or directory", "Cannot find module"):
		// Interpreters and shells exit with 2 in this case, which counts as a denial.
		d.find("missing", h, Finding{Message: message.New("its interpreter could not read it and exited with 2, which counts as a denial: " + reason)})
	case h.Run == "command" && containsAny(reason, "syntax error", "Syntax error", "arithmetic expression", "division by"):
		d.find("exit-code", h, Finding{Message: message.New("its shell gave up and exited with 2, which counts as a denial: " + reason)})
	case d.aside: // it may refuse the calls that it is meant for
	case h.On == checkrein.PostToolUse:
		d.addBlockedResult(h, "it blocks a harmless result; that ends the run, but the output stays unchanged")
	case h.On == checkrein.PreCompact || h.On == checkrein.BeforeCompaction:
		d.find("overflow-veto", h, Finding{})
	case row.Closed:
		d.find("denies-harmless", h, Finding{Message: message.New("it refuses even a harmless " + row.Name + ": " + reason)})
	}
}

// containsAny reports whether a text contains one of the others.
func containsAny(text string, any ...string) bool {
	return slices.ContainsFunc(any, func(s string) bool { return strings.Contains(text, s) })
}

// missingLine returns the line in which a shell or an interpreter reports a missing program or module,
// or "" if there is none.
func missingLine(log string) string {
	for line := range strings.Lines(log) {
		if containsAny(line, "command not found", ": not found", "ModuleNotFoundError", "Cannot find module") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// firstLine returns the first line of b, quoted and shortened.
func firstLine(b []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(b)), "\n")
	if r := []rune(line); len(r) > 80 {
		line = string(r[:79]) + "…"
	}
	return strconv.Quote(line)
}

// hardText is a harmless text with the characters that scripts break JSON with: a newline, a tab,
// quotes and backslashes.
const hardText = harmless + "\n\t\"two\" 'words' \\n \\c end"

// insertHardText puts hardText into an event, and reports whether it has a place for it.
func insertHardText(ev *checkrein.Event) bool {
	inner := rawjson.Quote(hardText)
	inner = inner[1 : len(inner)-1]
	found := false
	swap := func(val []byte) []byte {
		found = found || bytes.Contains(val, []byte(harmless))
		return bytes.ReplaceAll(val, []byte(harmless), inner)
	}
	if ev.Text == harmless {
		ev.Text, found = hardText, true
	}
	ev.Messages = swap(ev.Messages)
	if ev.Tool != nil {
		t := *ev.Tool
		t.Input, t.Output = swap(t.Input), swap(t.Output)
		ev.Tool = &t
	}
	return found
}

// checkReading runs a program once more, with a text from which a careless script makes broken JSON.
// It returns false if the caller cancelled.
func (d *doctor) checkReading(ctx context.Context, k *app.Kit, h *checkrein.Hook, ev checkrein.Event) bool {
	if h.Run != "command" || d.Payload != nil || !insertHardText(&ev) {
		return true
	}
	out := k.Decide(ctx, ev)
	if out.Canceled {
		return false
	}
	if len(out.Steps) == 1 && out.Steps[0].Skipped == "" && out.Steps[0].Answer != nil {
		if what := misreadEvidence(&out.Steps[0]); what != "" {
			d.find("broken-json", h, Finding{Level: levelFor(h), Message: message.New("when a string contains a newline, a tab, a quote or a backslash, " + what)})
		}
	}
	return true
}

// misreadEvidence returns how a run shows that the hook misread its payload, or "" if it does not.
func misreadEvidence(s *engine.Step) string {
	line := answer.FindReadError(s.Answer.Log)
	switch {
	case line != "":
		return "it cannot read its payload: " + line
	case s.Answer.Decision == checkrein.Deny && answer.FindReadError(s.Answer.Reason) != "":
		// jq exits with 2 in this case, which counts as a denial.
		return "it cannot read its payload, which counts as a denial: " + s.Answer.Reason
	case errors.Is(s.Fault, answer.ErrMisread), s.Fault != nil:
		return "it fails: " + s.Fault.Error()
	case isMangled(string(s.Answer.Raw)) || isMangled(s.Answer.Log) || isMangled(s.Answer.Reason):
		return "it prints its payload as invalid JSON"
	}
	return ""
}

// isMangled reports whether a text contains a payload with expanded escapes: a newline within a
// string.
func isMangled(text string) bool {
	at := strings.Index(text, harmless+"\n\t")
	if at < 0 {
		return false
	}
	line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
	return strings.HasPrefix(line, `{"`) && strings.Contains(line, "checkrein-doctor")
}
