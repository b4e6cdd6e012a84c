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

// log writes a line about an outcome that a person may ask about later.
// Everything is in the ledger; the log is to be read with tail.
func (k *Kit) log(call *Call, ev *checkrein.Event, out *engine.Outcome, seq uint64) {
	faults := faulty(out.Steps)
	if !mustLast(&out.Verdict) && len(faults) == 0 && call.Fault == "" && seq != 0 {
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
	if seq > 0 {
		fmt.Fprintf(&b, " (checkrein explain %d)", seq)
	} else {
		b.WriteString(" (NOT RECORDED)")
	}
	k.note(b.String())
}

// faulty returns which hooks could not answer, and why.
func faulty(steps []engine.Step) []string {
	var out []string
	for i := range steps {
		if s := &steps[i]; s.Fault != nil && s.Hook.OnFault != checkrein.FaultIgnore {
			out = append(out, fmt.Sprintf("%s: %v", s.Hook.Label(), s.Fault))
		}
	}
	return out
}

// maxNote bounds a line of the log.
const maxNote = 2 << 10

// note adds a line to the log. One that cannot be written is lost: there is
// nowhere else to say it.
func (k *Kit) note(text string) {
	text = secret.Redactor{}.Text(visible.Line(text))
	if len(text) > maxNote {
		text = strings.ToValidUTF8(text[:maxNote], "") + "…"
	}
	_ = k.state.Log(state.LogFile).Append([]byte(k.now().UTC().Format(time.RFC3339) + " " + text))
}
