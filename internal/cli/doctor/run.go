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

// runAll runs each hook once, and programs a second time with text that is hard to parse.
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

// shouldRun reports whether h is to be run. Hooks that only write to a file are not, since they would
// log events that did not happen, and models are not, since they cost money.
func (d *doctor) shouldRun(h *checkrein.Hook) bool {
	switch {
	case d.Payload != nil && d.Payload.Kind != h.On, d.Idle != nil && d.Idle(h):
		return false
	case h.Run == "model", h.Run == fallback.Name:
		d.addFinding("not-run", h, Finding{Message: message.New("doctor does not call the model, because that costs money", message.Run("checkrein eval", "to test it yourself"))})
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

// runOne runs h like a real run, except that its approval was already checked, its memory is
// discarded, and nothing is recorded. It returns false if ctx was cancelled.
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
	// A harmless event does not meet conditions that look for harm. The hook is run without them,
	// to see whether it can run. A rule consists of its condition only.
	d.aside = err == nil && d.Payload == nil && h.Run != "rule" && !hookMatches(k, ev)
	if d.aside {
		alone.Match, alone.If, alone.Args, alone.Search = "", nil, "", ""
		k, err = d.kitWith(alone)
	}
	if err != nil {
		d.addFinding("failed", h, Finding{Message: message.FromError(err)})
		return true
	}
	out := k.Decide(ctx, ev)
	if out.Canceled {
		return false
	}
	if len(out.Steps) == 1 && out.Steps[0].Skipped == "" && (!out.Steps[0].Unmet || d.Payload == nil) {
		d.addRun(h, &out)
		if out.Steps[0].Fault == nil {
			return d.checkParsing(ctx, k, h, ev)
		}
	}
	return true
}

// kitWith returns a kit whose only hook is h. Its state is in the scratch directory.
func (d *doctor) kitWith(h checkrein.Hook) (*app.Kit, error) {
	return app.Open(app.Options{NoConfig: true, Hooks: []checkrein.Hook{h}, Handlers: d.Handlers, Dir: d.Scratch,
		State: filepath.Join(d.Scratch, "state"), Environ: d.Environ, Program: d.Program, Now: d.Now, Managed: app.NoManaged})
}

// hookMatches reports whether the only hook of k handles ev.
func hookMatches(k *app.Kit, ev checkrein.Event) bool {
	steps := k.Plan(ev)
	return len(steps) > 0 && !steps[0].Unmet
}

// addRun adds the run of h with the outcome out to the report, and findings about it.
func (d *doctor) addRun(h *checkrein.Hook, out *engine.Outcome) {
	s := &out.Steps[0]
	ran := Run{Hook: h.Label(), Event: approval.EventName(h), Origin: h.From.String(), Shows: approval.RunText(h), Took: s.Took, Said: "failed", Aside: d.aside}
	if s.Fault == nil && s.Answer != nil {
		ran.Said = s.Answer.Decision.String()
		d.checkAnswer(h, out)
	} else if s.Fault != nil {
		d.addFault(h, s.Fault)
	} else {
		ran.Said = checkrein.NoOpinion.String() // the hook's condition is not met
	}
	d.report.Ran = append(d.report.Ran, ran)
	if s.Fault == nil && s.Took > cmp.Or(d.Slow, defaultSlow) && !h.Async && checkrein.ContractOf(h.On).Layer == "tool" {
		d.addFinding("slow", h, Finding{Message: message.New(fmt.Sprintf("it took %s, and every tool call waits for it", s.Took.Round(10*time.Millisecond)))})
	}
}

// defaultSlow is the longest acceptable time for a hook on tool calls if Options.Slow is 0.
const defaultSlow = 3 * time.Second

// addFault adds a finding that h could not answer because of err.
func (d *doctor) addFault(h *checkrein.Hook, err error) {
	f := Finding{Message: message.New(err.Error() + faultConsequence(h))}
	if h.OnFault == checkrein.FaultIgnore && !checkrein.ContractOf(h.On).Closed {
		f.Level = Warn
	}
	if row := checkOfFault(err); d.aside && row == "exit-code" {
		d.addFinding(row, h, Finding{Level: Warn, Message: message.New(err.Error()+", for a harmless call that its condition excludes", message.Run("checkrein doctor --payload FILE", "to try it with a call that it is meant for"))})
		return
	}
	d.addFinding(checkOfFault(err), h, f)
}

// checkOfFault returns the id of the check that a hook's fault belongs to.
func checkOfFault(err error) string {
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

// checkAnswer adds findings about the answer of h: ignored parts, lost effects, and denials of a
// harmless event.
func (d *doctor) checkAnswer(h *checkrein.Hook, out *engine.Outcome) {
	s := &out.Steps[0]
	row := checkrein.ContractOf(h.On)
	for _, word := range s.Answer.Ignored {
		if word == "plain text" {
			f := Finding{Message: message.New(fmt.Sprintf("it printed plain text instead of JSON, which has no effect on %s: %s", row.Name, firstLine(s.Answer.Raw)))}
			if row.Closed {
				f.Level = Error
			}
			d.addFinding("not-json", h, f)
			continue
		}
		d.addFinding("ignored", h, Finding{Message: message.New(fmt.Sprintf("%s in its answer has no effect on %s", word, row.Name))})
	}
	if line := missingLine(s.Answer.Log); line != "" && h.Run == "command" {
		d.addFinding("missing", h, Finding{Level: breakageLevel(h), Message: message.New("something it needs is missing, but it continues without it: "+line, message.Do("install what is missing"), message.Do("make the script fail when a command fails (set -e)"))})
	}
	var lost []string
	for _, l := range out.Dropped {
		if l.Effect == "ask" && s.Answer.Decision == checkrein.Ask && row.Can(checkrein.CanDeny) {
			continue // the ask became a denial, so it is not lost
		}
		lost = append(lost, l.Effect)
	}
	if len(lost) > 0 {
		f := Finding{Level: lostLevel(lost), Message: message.New(fmt.Sprintf("%s cannot do what the hook asks for: %s", row.Name, strings.Join(lost, ", ")))}
		if h.On == checkrein.PostToolUse || h.On == checkrein.PostToolUseFailure {
			f.Message = f.With(message.Do("replace output on tool_response_transform"))
		}
		d.addFinding("event-cannot", h, f)
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

// addBlockedResult adds a finding that h blocks a tool's output, which replaces nothing, and names
// hosts on which output can be replaced.
func (d *doctor) addBlockedResult(h *checkrein.Hook, what string) {
	if on := d.outputReplacingHosts(); len(on) > 0 {
		what += "; " + joinAnd(on) + " can replace it on tool_response_transform"
	}
	d.addFinding("block-is-no-replacement", h, Finding{Message: message.New(what)})
}

// checkDenial adds a finding about h, which refused a harmless event with this reason, unless the
// event was not meant for it.
func (d *doctor) checkDenial(h *checkrein.Hook, reason string) {
	row := checkrein.ContractOf(h.On)
	switch {
	case h.Run == "command" && containsAny(reason, "can't open file", "cannot open", "Can't open", "No such file or directory", "Cannot find module"):
		// Interpreters and shells exit with 2 if they cannot read the script.
		d.addFinding("missing", h, Finding{Message: message.New("its interpreter could not read it and exited with 2, which counts as a denial: " + reason)})
	case h.Run == "command" && containsAny(reason, "syntax error", "Syntax error", "arithmetic expression", "division by"):
		d.addFinding("exit-code", h, Finding{Message: message.New("its shell failed and exited with 2, which counts as a denial: " + reason)})
	case d.aside: // it may refuse the calls that it is meant for
	case h.On == checkrein.PostToolUse:
		d.addBlockedResult(h, "it blocks a harmless result; that ends the run, but the output stays unchanged")
	case h.On == checkrein.PreCompact || h.On == checkrein.BeforeCompaction:
		d.addFinding("overflow-veto", h, Finding{})
	case row.Closed:
		d.addFinding("denies-harmless", h, Finding{Message: message.New("it refuses even a harmless " + row.Name + ": " + reason)})
	}
}

// containsAny reports whether text contains at least one of the others.
func containsAny(text string, any ...string) bool {
	return slices.ContainsFunc(any, func(s string) bool { return strings.Contains(text, s) })
}

// missingLine returns the line of log in which a shell or an interpreter reports a missing program or
// module, or "" if there is none.
func missingLine(log string) string {
	for line := range strings.Lines(log) {
		if containsAny(line, "command not found", ": not found", "ModuleNotFoundError", "Cannot find module") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// firstLine returns the first line of b, quoted and shortened to 80 characters.
func firstLine(b []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(b)), "\n")
	if r := []rune(line); len(r) > 80 {
		line = string(r[:79]) + "…"
	}
	return strconv.Quote(line)
}

// hardText is harmless text with the characters that careless scripts break JSON with: a newline, a
// tab, quotes and backslashes.
const hardText = harmlessText + "\n\t\"two\" 'words' \\n \\c end"

// insertHardText replaces harmlessText in ev with hardText, and reports whether ev contained it.
func insertHardText(ev *checkrein.Event) bool {
	inner := rawjson.Quote(hardText)
	inner = inner[1 : len(inner)-1]
	found := false
	swap := func(val []byte) []byte {
		found = found || bytes.Contains(val, []byte(harmlessText))
		return bytes.ReplaceAll(val, []byte(harmlessText), inner)
	}
	if ev.Text == harmlessText {
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

// checkParsing runs a program once more, with text that careless scripts turn into broken JSON, and
// adds a finding if it misreads the payload. It returns false if ctx was cancelled.
func (d *doctor) checkParsing(ctx context.Context, k *app.Kit, h *checkrein.Hook, ev checkrein.Event) bool {
	if h.Run != "command" || d.Payload != nil || !insertHardText(&ev) {
		return true
	}
	out := k.Decide(ctx, ev)
	if out.Canceled {
		return false
	}
	if len(out.Steps) == 1 && out.Steps[0].Skipped == "" && out.Steps[0].Answer != nil {
		if what := misreadEvidence(&out.Steps[0]); what != "" {
			d.addFinding("broken-json", h, Finding{Level: breakageLevel(h), Message: message.New("when a string contains a newline, a tab, a quote or a backslash, " + what)})
		}
	}
	return true
}

// misreadEvidence returns how s shows that the hook misread its payload, or "" if it does not.
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

// isMangled reports whether text contains a payload whose escapes were expanded, so that there is a
// newline within a string.
func isMangled(text string) bool {
	at := strings.Index(text, harmlessText+"\n\t")
	if at < 0 {
		return false
	}
	line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
	return strings.HasPrefix(line, `{"`) && strings.Contains(line, "checkrein-doctor")
}
