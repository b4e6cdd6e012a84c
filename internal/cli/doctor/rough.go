package doctor

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/internal/hook/answer"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/kit"
)

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
func (d *doctor) reads(ctx context.Context, k *kit.Kit, h *checkrein.Hook, ev checkrein.Event) bool {
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

// misreads says by what a run shows that the hook read something else than its payload,
// "" = by nothing.
func misreads(s *engine.Step) string {
	line := answer.Misread(s.Answer.Log)
	switch {
	case line != "":
		return "it cannot read its payload: " + line
	case s.Answer.Decision == checkrein.Deny && answer.Misread(s.Answer.Reason) != "":
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
