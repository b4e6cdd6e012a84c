package hot

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/trust"
	"github.com/checkrein/checkrein/kit"
)

// show writes an outcome, as JSON or for people. Those of several rows say which
// event each is of, and are a line each in JSON.
func show(env console.Env, f *evalFlags, outs ...engine.Outcome) int {
	var b strings.Builder
	for i := range outs {
		out, event := &outs[i], ""
		if len(outs) > 1 {
			event = out.Event.Kind.String()
		}
		if f.json {
			b.Write(named(event, out.JSON(f.explain)))
			continue
		}
		if event != "" {
			b.WriteString(strings.Repeat("\n", min(i, 1)) + event + "\n")
		}
		verdict(&b, out)
		if f.explain {
			b.WriteString("\n")
			explain(&b, out.Steps)
		}
	}
	return write(env, []byte(b.String()))
}

// named is an object as a line, with the event in front unless it is "".
func named(event string, object []byte) []byte {
	if event == "" {
		return append(object, '\n')
	}
	line := fmt.Appendf(nil, `{"event":%q`, event)
	if len(object) > len("{}") {
		line = append(line, ',')
	}
	return append(append(line, object[1:]...), '\n')
}

// write prints a result. Whoever called must not take silence for consent.
func write(env console.Env, text []byte) int {
	if _, err := env.Stdout.Write(text); err != nil {
		return fail(env, console.Bug, "the verdict could not be written: %v", err)
	}
	return console.Done
}

// verdict writes what was decided, for people.
func verdict(b *strings.Builder, out *engine.Outcome) {
	v := &out.Verdict
	fmt.Fprintf(b, "%s", v.Decision)
	lifted := slices.ContainsFunc(out.Steps, func(s engine.Step) bool { return s.Lifted != nil })
	switch {
	case v.Decision == checkrein.NoOpinion && lifted:
		b.WriteString(": a grant lets it pass, the host decides")
	case v.Decision == checkrein.NoOpinion:
		b.WriteString(": no hook objects, the host decides")
	}
	b.WriteString("\n")
	for i := range out.Steps {
		if s := &out.Steps[i]; s.Lifted != nil {
			item(b, "lifted", s.Hook.Label()+" would "+s.Lifted.Decision.String()+"; grant "+s.Lifted.Grant+" lifts it, and is not used up by this")
		}
	}
	item(b, "reason", v.Reason)
	item(b, "input becomes", string(v.Input))
	item(b, "output becomes", string(v.Output))
	item(b, "messages become", string(v.Messages))
	for _, c := range v.Context {
		item(b, "context", c)
	}
	for _, n := range v.Notice {
		item(b, "notice", n)
	}
	if out.Redo != nil {
		item(b, "go on", fmt.Sprintf("attempt %d of %d", out.Redo.Attempt, out.Redo.Limit))
	}
	if v.Halt {
		item(b, "halt", "the turn ends")
	}
	item(b, "summary", v.Summary)
	for _, k := range slices.Sorted(maps.Keys(v.Metadata)) {
		item(b, "metadata", k+"="+v.Metadata[k])
	}
	for _, d := range out.Dropped {
		item(b, "dropped", strings.TrimPrefix(d.Hook+": ", ": ")+d.Effect+": "+d.Why)
	}
}

// item writes one labelled value; further lines are indented below it.
func item(b *strings.Builder, label, value string) {
	if value == "" {
		return
	}
	value = strings.ReplaceAll(strings.TrimRight(trust.Visible(value), "\n"), "\n", "\n      ")
	fmt.Fprintf(b, "  %s: %s\n", label, value)
}

// explain writes every step, for people.
func explain(b *strings.Builder, steps []engine.Step) {
	if len(steps) == 0 {
		b.WriteString("no hook matches\n")
		return
	}
	for i := range steps {
		step(b, &steps[i])
	}
}

func step(b *strings.Builder, s *engine.Step) {
	h := s.Hook
	place := "beside"
	if s.Stage > 0 {
		place = fmt.Sprintf("stage %d", s.Stage)
	}
	fmt.Fprintf(b, "%s  %s %q  %s  %s\n", place, h.Run, h.Label(), h.From.Scope, h.From)
	for _, o := range h.Also {
		item(b, "also", o.String())
	}
	item(b, "match", h.Match)
	item(b, "skipped", s.Skipped)
	switch {
	case s.Unmet:
		item(b, "condition", "did not hold")
	case s.Detached:
		item(b, "async", "started")
	case s.Took > 0:
		item(b, "took", s.Took.String())
	}
	if s.Fault != nil {
		item(b, "fault", s.Fault.Error())
	}
	if s.Answer != nil {
		item(b, "answer", string(s.Answer.Raw))
	}
	if v := s.Verdict; v != nil {
		item(b, "effects", strings.Join(v.Effects().Words(), ", "))
		item(b, "reason", v.Reason)
	}
	if l := s.Lifted; l != nil {
		item(b, "lifted", l.Decision.String()+" by grant "+l.Grant+": "+l.Reason)
	}
	if s.Rejudged {
		item(b, "judged again", "the subject was rewritten after it had judged")
	}
	if s.Stale {
		item(b, "stale", "the subject was rewritten after it had answered")
	}
	for _, d := range s.Dropped {
		item(b, "dropped", d.Effect+": "+d.Why)
	}
	if s.Answer != nil {
		item(b, "ignored", strings.Join(s.Answer.Ignored, ", "))
		item(b, "log", s.Answer.Log)
	}
}

// printPlan writes what would run.
func printPlan(env console.Env, f *evalFlags, k *kit.Kit, events []checkrein.Event) int {
	var b strings.Builder
	for i := range events {
		ev, steps := &events[i], k.Plan(events[i])
		if f.json {
			body := engine.StepsJSON(steps, true)
			if body == nil {
				body = []byte("[]")
			}
			fmt.Fprintf(&b, "{\"event\":%q,\"steps\":%s}\n", ev.Kind, body)
			continue
		}
		fmt.Fprintf(&b, "%s: %d hooks\n", ev.Kind, len(steps))
		if len(steps) > 0 {
			explain(&b, steps)
		}
	}
	return write(env, []byte(b.String()))
}
