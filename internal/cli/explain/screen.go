package explain

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/guard/secretguard"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/packset"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/term"
)

// print prints the answer, what happened, what the user did, and how to change the outcome.
func (s *explanation) print(out *report.Report, r *record.Record) {
	s.printAnswer(out, r)
	if s.Policy != nil {
		s.Policy.print(out)
	}
	s.printCourse(out, r)
	if len(s.Person) > 0 {
		out.BeginSection("What the user did")
		for _, text := range s.Person {
			out.Point(1, text)
		}
	}
	s.printChanges(out, r)
	out.Blank()
	id := strconv.FormatUint(r.Seq, 10)
	out.Text(0, 0, term.T(term.Faint, "record "+id+"; for details, run "), term.Command("checkrein explain "+id+" -v"))
}

// printAnswer prints the outcome, the call and the rules, then the reason and what lets the call pass.
func (s *explanation) printAnswer(out *report.Report, r *record.Record) {
	spans := []term.Span{term.T(outcomeStyle(r), out.ShortenPaths(s.summary.outcome)), term.P("  "), term.Code(term.Strong, s.summary.call)}
	if len(s.summary.rules) > 0 {
		spans = append(spans, term.T(term.Faint, "  ·  "), term.T(term.Name, strings.Join(s.summary.rules, ", ")))
	}
	out.Text(0, 8, spans...)
	for _, line := range s.summary.lines {
		out.Text(0, 2, term.P(out.ShortenPaths(line)))
	}
	for _, v := range Deciders(r) {
		out.NoteReason(v.Why)
		if v.Step != nil {
			out.NoteReason(base.OneLine(v.Step.Fault))
		}
	}
	switch way := s.summary.way; {
	case way.command != "":
		out.Text(0, 2, term.P(way.text+": "), term.Command(way.command))
	case way.text != "":
		out.Text(0, 2, term.P(way.text))
	}
}

// deciderNames returns the names of the rules and hooks in list, without duplicates.
func deciderNames(list []contribution) []string {
	var out []string
	for _, v := range list {
		if v.Step == nil {
			continue
		}
		for _, name := range append([]string{v.Step.Decider()}, otherRules(v.Step)...) {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// sentence returns what the hook contributed. If named is set, a reason begins with the name of the
// rule or hook.
func (v *contribution) sentence(named bool) string {
	switch {
	case v.Step == nil:
		return toSentence("checkrein could not evaluate the event: " + v.Why)
	case !v.Decides():
		return v.Step.Hook + " " + EffectWords(v.Step) + "."
	case v.Step.Lifted != nil:
		return toSentence(strings.TrimPrefix(v.Why+"; ", "; ") + "grant " + v.Step.Lifted.Grant + " let it pass")
	case v.Why == "":
		return v.Step.Hook + " gave no reason."
	case named:
		return v.Step.Decider() + ": " + v.Why + "."
	}
	return toSentence(v.Why)
}

// toSentence returns text with a capital first letter, unless it begins with a path or a name, and
// with a full stop.
func toSentence(text string) string {
	first, n := utf8.DecodeRuneInString(text)
	if n == 0 {
		return ""
	}
	if word, _, _ := strings.Cut(text, " "); !strings.ContainsAny(word, "/_.:-") { // leave a path or a name as it is
		text = string(unicode.ToUpper(first)) + text[n:]
	}
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

// EffectWords returns what s did in addition to deciding, in words.
func EffectWords(s *record.Step) string { return effectWords(s, otherEffects(s)) }

// effectWords returns these effects of s in words.
func effectWords(s *record.Step, effects []string) string {
	var out []string
	for _, effect := range effects {
		words, known := effectVerbs[effect]
		if !known {
			words = "asked for " + effect
		}
		if s.Type == "builtin" && strings.HasPrefix(effect, "rewrite_") {
			words = strings.Replace(words, "changed", "redacted", 1)
		}
		out = append(out, words)
	}
	return strings.Join(out, ", ")
}

// effectVerbs describes effects in the past tense.
var effectVerbs = map[string]string{
	"rewrite_input": "changed the input", "rewrite_output": "changed the output", "rewrite_messages": "changed the messages",
	"context": "gave the model context", "redo": "sent the agent back to work", "halt": "ended the turn", "summary": "wrote the summary",
}

// DecisionStyle returns the style in which a decision is printed.
func DecisionStyle(word string) term.Style {
	switch word {
	case checkrein.Deny.String():
		return term.Bad
	case checkrein.Ask.String():
		return term.Warn
	case checkrein.Allow.String():
		return term.Good
	}
	return term.Plain
}

// outcomeStyle returns the style in which the outcome of a record is printed.
func outcomeStyle(r *record.Record) term.Style {
	switch {
	case r.Shadow:
		return term.Warn
	case record.Decides(r.Decision):
		return DecisionStyle(r.Decision)
	case records.HasEffect(r, records.NotableEffects):
		return term.Warn
	case len(records.LiftedSteps(r)) > 0:
		return term.Good
	}
	return term.Strong
}

// printCourse prints what happened: when, which agent made which call, what each hook answered, and
// the reply to the host.
func (s *explanation) printCourse(out *report.Report, r *record.Record) {
	out.BeginSection("What happened")
	when := out.FormatClock(r.Time)
	if ago := out.Ago(r.Time); !strings.HasPrefix(when, ago) { // for older times, Ago returns the date
		when = ago + ", " + when
	}
	out.Item("when", when)
	who := r.Host
	if r.Agent != "" {
		who += " (" + r.Agent + ")"
	}
	if r.Session != "" {
		who += ", session " + r.Session
	}
	out.Item("agent", who)
	out.Code("in", r.Dir)
	out.Item("event", eventText(r))
	if r.Tool == nil {
		out.Item("text", fullCall(r))
	} else {
		out.Code("call", fullCall(r))
	}
	out.Item("packs off", strings.Join(r.Off, ", "))
	out.Item("held back", strings.Join(r.Held, ", "))
	if len(r.Plan) == 0 {
		out.Item("hooks", "no hook applies to this event")
	}
	var silent []string
	for i := range r.Plan {
		if step := &r.Plan[i]; step.Outcome == "silent" {
			silent = append(silent, step.Hook)
		} else {
			s.printStep(out, r, step)
		}
	}
	printHooks(out, "no objection from", silent)
	printHooks(out, "conditions not met, so they did not run", r.Unmet)
	if r.More > 0 {
		out.Text(2, 4, term.Mark(term.Plain), term.P(" "+term.FormatCount(r.More, "more hook")+", not listed in the record"))
	}
	if r.Canceled {
		out.Text(2, 4, term.Mark(term.Warn), term.P(" "+r.Host+" gave up before all hooks had answered"))
	}
	s.printReply(out, r)
}

// eventText returns when the event of r is sent, with its name in parentheses.
func eventText(r *record.Record) string {
	text := r.Event
	if kind, ok := hookfile.KindOf(r.Event); ok {
		text = checkrein.ContractOf(kind).When
	}
	name := r.Native
	if name == "" {
		name = r.Event
	}
	if name != text {
		text += " (" + name + ")"
	}
	return text
}

// fullCall returns the name of the tool with the whole command, path or input of the call. Without a
// tool, it returns the text of the event.
func fullCall(r *record.Record) string {
	if r.Tool == nil {
		if r.Subject != nil {
			return records.PartText(r.Subject.Text)
		}
		return ""
	}
	what := r.CallText()
	if what == "" && r.Subject != nil {
		what = records.PartText(r.Subject.Input)
	}
	return strings.TrimSpace(r.Tool.Name + "  " + what)
}

// printHooks prints a line with what and the names of hooks, if there are any.
func printHooks(out *report.Report, what string, hooks []string) {
	if len(hooks) > 0 {
		out.Text(2, 4, term.Mark(term.Plain), term.T(term.Faint, " "+what+": "+strings.Join(hooks, ", ")))
	}
}

// printStep prints what one hook answered, and its file.
func (s *explanation) printStep(out *report.Report, r *record.Record, step *record.Step) {
	style, text := stepText(step, out.ReasonUnlessShown)
	if step.Outcome == "fault" {
		text += faultText(step)
		if step.Decision == "deny" {
			style = term.Bad
		}
	}
	spans := []term.Span{term.Mark(style), term.P(" "), term.T(term.Strong, step.Hook), term.P(" " + out.ShortenPaths(text))}
	if step.Spent != nil {
		spans = append(spans, term.P("; it asked the model "+step.Spent.String()))
	}
	if file := StepFile(step); file != "" {
		spans = append(spans, term.T(term.Faint, "  ("+out.ShortPath(file)+")"))
	}
	out.Text(2, 4, spans...)
}

// stepText returns what the hook of s did, to follow its name, and the style of its mark. because
// returns prefix and reason, or a shorter text if the reason was shown before.
func stepText(s *record.Step, because func(prefix, reason string) string) (term.Style, string) {
	switch s.Outcome {
	case "answered":
		return answeredText(s, because)
	case "silent":
		return term.Plain, "had no objection"
	case "fault":
		return term.Warn, "could not answer" + because(": ", base.OneLine(s.Fault))
	case "lifted":
		return term.Good, "would have " + decidedText(s.Lifted.Decision) + ", but grant " + s.Lifted.Grant + " lifted that" + because(": ", stepReason(s, s.Lifted.Reason))
	case "skipped", "unapproved":
		return term.Warn, "did not run" + because(": ", base.OneLine(s.Skipped))
	case "passed":
		return term.Plain, "wanted the user to be asked, because something is unknown, but " + s.Passed.By + " allowed that" + because(": ", base.OneLine(s.Passed.Reason))
	case "detached":
		return term.Plain, "ran in the background, so it could not decide"
	}
	return term.Plain, s.Outcome
}

// answeredText is stepText for a hook that answered.
func answeredText(s *record.Step, because func(prefix, reason string) string) (term.Style, string) {
	deeds := EffectWords(s)
	switch {
	case !record.Decides(s.Decision) && deeds == "":
		return term.Plain, "answered without a decision"
	case !record.Decides(s.Decision):
		return term.Warn, deeds
	}
	text := map[string]string{"deny": "denied it", "ask": "wanted the user to be asked", "allow": "allowed it"}[s.Decision]
	if s.Shadow {
		text = "would have " + decidedText(s.Decision) + " (shadow mode)"
		if s.Scope == checkrein.ScopeManaged.String() {
			text = strings.TrimSuffix(text, ")") + ", set by the administrator)"
		}
	}
	if why := stepReason(s, s.Reason); why != "" {
		text += because(": ", why)
	}
	if deeds != "" {
		text += "; it " + deeds
	}
	return DecisionStyle(s.Decision), text
}

// faultText returns whether the fault of a hook blocks the call, as the end of a sentence.
func faultText(s *record.Step) string {
	if s.Decision == "deny" {
		return "; that blocks here"
	}
	return "; that does not block here"
}

// printReply prints the reply that the host got, whether the user approved, and which effects were
// lost.
func (s *explanation) printReply(out *report.Report, r *record.Record) {
	text, why := "nothing, so "+r.Host+" decides by its own rules", ""
	switch {
	case r.Reply == nil:
		text = "" // the record of another event of the same call has the reply
	case r.Shadow:
		text = "nothing: checkrein only recorded the decision (shadow mode, or paused), so nothing was stopped"
	case r.Decision == "deny":
		text, why = "to deny it", replyText(r.Reply)
	case r.Decision == "ask":
		text, why = "to ask the user", replyText(r.Reply)
	case r.Decision == "allow":
		text = "to allow it without asking"
	case records.HasEffect(r, records.ChangingEffects):
		text = "to continue with the changed content"
	case len(r.Effects) > 0:
		text = strings.Join(r.Effects, ", ")
	}
	if out.Repeats(why) {
		text, why = text+", with the reason above", ""
	}
	out.Item("told", text)
	if why != "" {
		for _, line := range report.Lines(records.Clip(why)) {
			out.Text(2+report.LabelWidth, 2+report.LabelWidth, term.T(term.Faint, out.ShortenPaths(line)))
		}
	}
	if r.Decision == "ask" && r.Reply != nil && !r.Shadow {
		answered := "unknown: no later record shows whether the user approved it"
		if s.now.ran > 0 {
			answered = "the tool ran afterwards (record " + strconv.FormatUint(s.now.ran, 10) + ")"
		}
		out.Item("answer", answered)
	}
	if redo := r.Redo; redo != nil {
		out.Item("go on", "attempt "+term.FormatNumber(redo.Attempt)+" of "+term.FormatNumber(redo.Limit))
	}
	for _, c := range lostEffects(r) {
		out.Item("but", c)
	}
	if r.Answer == "contained" {
		out.Item("ran", "behind walls: checkrein walls shows what they permit")
	}
	for _, id := range r.Saved {
		out.Item("saved", "what the call could lose was saved first: checkrein undo "+id+" takes it back")
	}
	for _, n := range r.Notices {
		out.Item("notice", n)
	}
}

// replyText returns the text of a reply that people can read, which is the longest string in it.
func replyText(reply *record.Reply) string {
	if reply.Stdout == nil || len(reply.Stdout.JSON) == 0 {
		if reply.Stderr != nil && reply.Stderr.Text != "" {
			return reply.Stderr.Text
		}
		return records.PartText(reply.Stdout)
	}
	longest := ""
	var look func(val []byte)
	look = func(val []byte) {
		if text, ok := rawjson.Text(val); ok && len(text) > len(longest) {
			longest = text
		}
		if rawjson.Kind(val) == '{' {
			rawjson.Each(val, func(_ string, val []byte) bool { look(val); return true })
		}
	}
	look(reply.Stdout.JSON)
	return longest
}

// printChanges prints what the user can do so that the next such event ends differently.
func (s *explanation) printChanges(out *report.Report, r *record.Record) {
	out.BeginSection("To change it")
	if len(s.Change) == 0 {
		out.Point(1, "the record does not show who decided")
	}
	said := map[string]bool{} // print each note once
	for i := range s.Change {
		c := &s.Change[i]
		out.Text(2, 4, s.changeTitle(out, r, c)...)
		out.AddRemedies(4, c.Remedies...)
		for _, note := range c.Note {
			if !said[note] {
				out.StyledPoint(3, term.Faint, note)
			}
			said[note] = true
		}
	}
}

// changeTitle returns the name of the hook or rule that c is about and where it comes from, or the
// reason if c is not about a hook.
func (s *explanation) changeTitle(out *report.Report, r *record.Record, c *change) []term.Span {
	i := slices.IndexFunc(r.Plan, func(step record.Step) bool {
		return step.Hook == c.Hook && stepEffects(r, &step, s.Merge.Decision) == c.Why
	})
	switch {
	case c.Hook == "":
		return []term.Span{term.P(out.ShortenPaths(c.Why))}
	case i < 0: // the hook did not decide
		why := c.Why
		if c.Fault != "" {
			why = "could not answer" + out.ReasonUnlessShown(": ", c.Fault)
		}
		return []term.Span{term.T(term.Name, c.Hook), term.P(" " + out.ShortenPaths(why))}
	}
	from := ""
	switch file := StepFile(&r.Plan[i]); {
	case file != "":
		from = "  " + out.ShortPath(file)
	case packOf(&r.Plan[i]) != "":
		from = "  on by default (pack " + packOf(&r.Plan[i]) + ")"
	case r.Plan[i].Type == "builtin":
		from = "  always on"
	}
	return []term.Span{term.T(term.Name, r.Plan[i].Decider()), term.P(from)}
}

// packOf returns the pack of the builtin hook in s, or "" if it has none.
func packOf(s *record.Step) string {
	if s.Pack == "" && s.Hook == secretguard.GuardSecrets {
		return packset.Secrets
	}
	return s.Pack
}
