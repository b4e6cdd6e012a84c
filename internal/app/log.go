package app

import (
	"fmt"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// log writes a line about an outcome that matters to people: one with an effect, a fault, or no
// record. The ledger has everything; the log is for reading with tail.
func (k *Kit) log(call *Call, ev *checkrein.Event, out *engine.Outcome, seq uint64) {
	faults := faultTexts(out.AllSteps())
	if !hasWeightyEffects(&out.Verdict) && len(faults) == 0 && call.Fault == "" && (seq != 0 || k.unrecorded) {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-5s %s", out.Verdict.Decision, ev.Kind)
	if ev.Host != "" {
		fmt.Fprintf(&b, " of %s", ev.Host)
	}
	if ev.Tool != nil {
		fmt.Fprintf(&b, " %s", ev.Tool.Name)
	}
	if words := out.Verdict.Effects().Words(); len(words) > 0 {
		fmt.Fprintf(&b, " [%s]", strings.Join(words, " "))
	}
	if r := out.Verdict.Reason; r != "" {
		fmt.Fprintf(&b, ": %s", r)
	}
	for _, f := range faults {
		fmt.Fprintf(&b, "; fault in %s", f)
	}
	if call.Fault != "" {
		fmt.Fprintf(&b, "; the event could not be read: %s", call.Fault)
	}
	if k.unrecorded {
		k.logLine(b.String())
		return
	}
	if seq > 0 {
		fmt.Fprintf(&b, " (checkrein explain %d)", seq)
	} else {
		b.WriteString(" (NOT RECORDED)")
	}
	k.logLine(b.String())
}

// faultTexts returns a line with the reason for each hook that could not answer, unless its faults are
// ignored.
func faultTexts(steps []engine.Step) []string {
	var out []string
	for i := range steps {
		if s := &steps[i]; s.Fault != nil && s.Hook.OnFault != checkrein.FaultIgnore {
			out = append(out, fmt.Sprintf("%s: %v", s.Hook.Label(), s.Fault))
		}
	}
	return out
}

// maxLogLine is the maximum length of a line in the log, in bytes.
const maxLogLine = 2 << 10

// logLine appends a line to the log, without secrets. Failures are ignored, since there is nowhere
// else to report them.
func (k *Kit) logLine(text string) {
	text = secret.Redactor{}.MaskText(visible.EscapeLine(text))
	if len(text) > maxLogLine {
		text = strings.ToValidUTF8(text[:maxLogLine], "") + "…"
	}
	if k.logTo != nil {
		k.logTo(text)
		return
	}
	_ = k.state.OpenLog(state.LogFile).Append([]byte(k.now().UTC().Format(time.RFC3339) + " " + text))
}
