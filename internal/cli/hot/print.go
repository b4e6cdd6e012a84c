package hot

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// A page collects the text that eval prints for people. It is written with a single call, so that a
// partial verdict is never taken for a complete one.
type page struct {
	strings.Builder
	screen *term.Screen
	reason string // the reason of the verdict, once it is on the page
}

// paint returns text with the escape sequences of style.
func (p *page) paint(style term.Style, text string) string {
	return p.screen.Render(term.T(style, text))
}

// printHook adds the line that names a hook, its type and its origin.
func (p *page) printHook(place string, h *checkrein.Hook) {
	fmt.Fprintf(p, "%s  %s %s  %s\n", place, h.Run, p.paint(term.Name, strconv.Quote(h.Label())), p.paint(term.Faint, originText(h)))
}

// originText returns the scope of h and, if it comes from a file, the place in it.
func originText(h *checkrein.Hook) string {
	scope, place := h.From.Scope.String(), h.From.String()
	switch {
	case h.Implied && h.From.File == "":
		return "on by default"
	case scope == place:
		return scope
	}
	return scope + "  " + place
}

// decisionStyle returns the style in which a decision is printed.
func decisionStyle(d checkrein.Decision) term.Style {
	switch d {
	case checkrein.Deny:
		return term.Bad
	case checkrein.Ask:
		return term.Warn
	}
	return term.Good
}

// printOutcomes prints outcomes, as JSON with --json, and returns the exit code. If there are several,
// each is labelled with its event, and each is a line in JSON.
func printOutcomes(env console.Env, f *evalFlags, outs ...engine.Outcome) int {
	b := page{screen: newScreen(env, f.colour)}
	for i := range outs {
		out, event := &outs[i], ""
		if len(outs) > 1 {
			event = out.Event.Kind.String()
		}
		if f.json {
			b.Write(jsonLine(event, out.JSON(f.explain)))
			continue
		}
		if event != "" {
			b.WriteString(strings.Repeat("\n", min(i, 1)) + b.paint(term.Title, event) + "\n")
		}
		printVerdict(&b, out, f.explain)
		if f.explain {
			b.WriteString("\n")
			printSteps(&b, out.AllSteps(), out.Why)
		}
	}
	return writeStdout(env, []byte(b.String()))
}

// jsonLine returns a JSON object as a line. If event is not "", it becomes the first member.
func jsonLine(event string, object []byte) []byte {
	if event == "" {
		return append(object, '\n')
	}
	line := fmt.Appendf(nil, `{"event":%q`, event)
	if len(object) > len("{}") {
		line = append(line, ',')
	}
	return append(append(line, object[1:]...), '\n')
}

// writeStdout writes text to stdout and returns the exit code. A failed write is an error, since a
// caller must not take silence for consent.
func writeStdout(env console.Env, text []byte) int {
	if _, err := env.Stdout.Write(text); err != nil {
		return printError(env, console.Bug, "the verdict could not be written: %v", err)
	}
	return console.Done
}

// wasClosed reports whether w is a stream that may have been closed when the process started. For such
// a stream, the runtime opens the null device for reading and writing. Some programs open it like that
// to discard output; shells open it for writing only.
func wasClosed(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&fs.ModeCharDevice == 0 {
		return false
	}
	if null, err := os.Stat(os.DevNull); err != nil || !os.SameFile(info, null) {
		return false
	}
	_, err = f.Read(make([]byte, 1))
	return err == io.EOF
}

// headline returns the decision in words and, if no enforced hook decided, what follows from that.
func headline(out *engine.Outcome) (word, why string) {
	switch v := &out.Verdict; {
	case v.Decision != checkrein.NoOpinion:
		return v.Decision.String(), ""
	case isStricter(out.Shadow, v):
		return "would " + out.Shadow.Decision.String(), ": not enforced (shadow mode), so the agent decides"
	case slices.ContainsFunc(out.Steps, func(s engine.Step) bool { return s.Lifted != nil }):
		return "no decision", ": allowed by a grant, so the agent decides"
	}
	return "no decision", ": no hook objects, so the agent decides"
}

// isStricter reports whether shadow, a verdict that is not enforced, would ask about or deny what the
// enforced verdict does not. A nil shadow is never stricter.
func isStricter(shadow, enforced *checkrein.Verdict) bool {
	return shadow != nil && shadow.Decision >= checkrein.Ask && shadow.Decision > enforced.Decision
}

// printVerdict adds the verdict to the page. If all is set, it includes metadata, which mostly repeats
// the verdict for programs.
func printVerdict(b *page, out *engine.Outcome, all bool) {
	v := &out.Verdict
	word, why := headline(out)
	b.WriteString(b.paint(decisionStyle(v.Decision), word) + why + "\n")
	for i := range out.Steps {
		if s := &out.Steps[i]; s.Lifted != nil {
			printItem(b, "lifted", s.Hook.Label()+" would "+s.Lifted.Decision.String()+"; grant "+s.Lifted.Grant+" lifts it (eval does not use up the grant)")
		}
	}
	printItem(b, "reason", v.Reason)
	b.reason = v.Reason
	if isStricter(out.Shadow, v) {
		label := "reason"
		if v.Decision != checkrein.NoOpinion {
			label = "would " + out.Shadow.Decision.String()
		}
		printItem(b, label, cmp.Or(out.Shadow.Reason, "no reason was given"))
		b.reason += out.Shadow.Reason
	}
	printItem(b, "input becomes", string(v.Input))
	printItem(b, "output becomes", string(v.Output))
	printItem(b, "messages become", string(v.Messages))
	for _, c := range v.Context {
		printItem(b, "context", c)
	}
	for _, n := range v.Notice {
		printItem(b, "notice", n)
	}
	if out.Redo != nil {
		printItem(b, "go on", fmt.Sprintf("attempt %d of %d", out.Redo.Attempt, out.Redo.Limit))
	}
	if v.Halt {
		printItem(b, "halt", "the turn ends")
	}
	printItem(b, "summary", v.Summary)
	for _, k := range slices.Sorted(maps.Keys(v.Metadata)) {
		if all {
			printItem(b, "metadata", k+"="+v.Metadata[k])
		}
	}
	for _, d := range out.Dropped {
		if !all && d.Effect == "metadata" {
			continue
		}
		printItem(b, "dropped", strings.TrimPrefix(d.Hook+": ", ": ")+d.Effect+": "+d.Why)
	}
}

// printItem adds a labelled value to the page, with further lines indented below it. It adds nothing
// if value is "".
func printItem(b *page, label, value string) {
	if value == "" {
		return
	}
	value = strings.ReplaceAll(strings.TrimRight(visible.EscapeText(value), "\n"), "\n", "\n      ")
	fmt.Fprintf(b, "  %s %s\n", b.paint(term.Faint, label+":"), value)
}

// printSteps adds every step to the page, then the hooks that did not match.
func printSteps(b *page, steps []engine.Step, whys []engine.Why) {
	if len(steps) == 0 {
		b.WriteString("no hook matches\n")
	}
	shown := make([]bool, len(whys))
	for i := range steps {
		var why *engine.Why
		for j := range whys {
			if whys[j].Hook.ID == steps[i].Hook.ID && whys[j].Hook.From == steps[i].Hook.From {
				why, shown[j] = &whys[j], true
			}
		}
		printStep(b, &steps[i], why)
	}
	for j := range whys {
		if w := &whys[j]; !shown[j] && !w.Holds { // a hook that holds without a step duplicates another one
			b.printHook("not asked", w.Hook)
			printParts(b, w.Parts, "  ")
		}
	}
}

// printParts adds a line for each part of a condition that shows whether it holds. It omits the event
// if that matched.
func printParts(b *page, list []engine.Part, indent string) {
	for i := range list {
		p := &list[i]
		if p.Name == "event" && p.Holds {
			continue
		}
		mark := term.Mark(term.Good)
		if !p.Holds {
			mark = term.Mark(term.Bad)
		}
		fmt.Fprintf(b, "%s%s\n", indent, b.screen.Render(mark, term.P(" "+p.Text())))
		if p.Fix != "" {
			fmt.Fprintf(b, "%s    %s\n", indent, visible.EscapeLine(p.Fix))
		}
		printParts(b, p.Parts, indent+"  ")
	}
}

// printStep adds one step to the page, with the parts of its condition if why is not nil.
func printStep(b *page, s *engine.Step, why *engine.Why) {
	h := s.Hook
	place := "beside"
	if s.Stage > 0 {
		place = fmt.Sprintf("stage %d", s.Stage)
	}
	b.printHook(place, h)
	for _, o := range h.Also {
		printItem(b, "also", o.String())
	}
	if why != nil {
		printParts(b, why.Parts, "  ")
	} else {
		printItem(b, "match", h.Match)
	}
	printItem(b, "skipped", s.Skipped)
	if h.Shadow {
		printItem(b, "mode", "shadow")
	}
	switch {
	case s.Unmet:
		printItem(b, "condition", "not met")
	case s.Detached:
		printItem(b, "async", "started")
	case s.Took > 0:
		printItem(b, "took", s.Took.String())
	}
	if s.Fault != nil {
		printItem(b, "fault", s.Fault.Error())
	}
	if s.Answer != nil {
		printItem(b, "answer", string(s.Answer.Raw))
		if s.Answer.Usage != nil {
			printItem(b, "asked", s.Answer.Usage.String())
		}
	}
	if s.Verdict != nil {
		printStepVerdict(b, s.Verdict)
	}
	if l := s.Lifted; l != nil {
		printItem(b, "lifted", l.Decision.String()+" by grant "+l.Grant+": "+l.Reason)
	}
	if p := s.Passed; p != nil {
		printItem(b, "passed over", "ask by "+p.By+": "+p.Reason)
	}
	if s.Rejudged {
		printItem(b, "judged again", "the call was rewritten after this hook had judged it")
	}
	if s.Stale {
		printItem(b, "stale", "the call was rewritten after this hook had answered")
	}
	for _, d := range s.Dropped {
		printItem(b, "dropped", d.Effect+": "+d.Why)
	}
	if s.Answer != nil {
		printItem(b, "ignored", strings.Join(s.Answer.Ignored, ", "))
		printItem(b, "log", s.Answer.Log)
	}
}

// printStepVerdict adds the verdict of one hook to the page.
func printStepVerdict(b *page, v *checkrein.Verdict) {
	for i := range v.Because {
		if c := &v.Because[i]; c.Rule != "" {
			printItem(b, "rule", strings.TrimSpace(c.Rule+": "+strings.Join([]string{c.Kind, c.On, strings.Join(c.Paths, " "), strings.Join(c.Hosts, " ")}, " ")))
		}
	}
	printItem(b, "effects", strings.Join(v.Effects().Words(), ", "))
	if reason := v.Reason; reason != "" && strings.Contains(b.reason, reason) {
		printItem(b, "reason", "as above")
	} else {
		printItem(b, "reason", reason)
	}
}

// pluralSuffix returns "s" unless n is 1.
func pluralSuffix(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// printPlan prints which hooks would run for each event, and returns the exit code.
func printPlan(env console.Env, f *evalFlags, k *app.Kit, events []checkrein.Event) int {
	b := page{screen: newScreen(env, f.colour)}
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
		fmt.Fprintf(&b, "%s: %d hook%s\n", ev.Kind, len(steps), pluralSuffix(len(steps)))
		if len(steps) > 0 {
			printSteps(&b, steps, k.Explain(*ev, nil))
		}
	}
	return writeStdout(env, []byte(b.String()))
}
