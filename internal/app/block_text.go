package app

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/guard/selfprotect"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// blockText returns what a host is told of a block, for the person and for the model. Its
// first line has who, what, why and what next, because that may be all that is shown.
func blockText(ev *checkrein.Event, out *engine.Outcome, b *grant.Block) string {
	asks := out.Verdict.Decision == checkrein.Ask
	verb := "checkrein blocked "
	if asks {
		verb = "checkrein asks about "
	}
	first := b.By[0].Decision
	by := slices.DeleteFunc(slices.Clone(b.By), func(d grant.Decider) bool { return d.Decision != first }) // who only asks is of no matter yet
	slices.SortStableFunc(by, func(a, b grant.Decider) int { return finality(&b) - finality(&a) })
	hardest := by[0]
	slices.SortStableFunc(by, func(a, b grant.Decider) int { return aside(&a) - aside(&b) })
	lines := []string{verb + clip(b.Shown, 120) + ": " + because(ev, by)}
	if b.Unasked != "" {
		lines[0] += " " + b.Unasked + ", so the user was not asked and this is denied."
	}
	lines[0] += " " + next(ev, out, b, &hardest)
	for i := range by {
		if full := strings.TrimSpace(visible.Text(by[i].Reason)); strings.TrimRight(full, ". ") != brief(ev, full) {
			lines = append(lines, label(&by[i])+" says:", full)
		}
	}
	if asks || ev.Tool == nil {
		return strings.Join(lines, "\n")
	}
	last := "Do not look for another way to do the same: say what you wanted to do and why, or go on with something else."
	if fine := instead(out); fine != "" {
		last += " What you may do instead: " + fine + "."
	}
	return strings.Join(append(lines, last), "\n")
}

// withText returns an encoder that puts the text of a block in place of the reason, which
// is what the record has.
func withText(encode Encoder) Encoder {
	return func(outs []engine.Outcome) wire.Reply {
		told := slices.Clone(outs)
		for i := range told {
			if told[i].Told != "" {
				told[i].Verdict.Reason = told[i].Told
			}
		}
		return encode(told)
	}
}

// finality puts those first whom no grant lifts, the hardest of them before all: what
// is next depends on them.
func finality(d *grant.Decider) int {
	switch d.Final {
	case "":
		return 0
	case finalFault:
		return 1
	case finalManaged:
		return 2
	}
	return 3
}

// aside puts those last for whom checkrein itself only lies in what is lost: a person
// hears of the loss first.
func aside(d *grant.Decider) int {
	if d.Final == selfprotect.FinalWithin {
		return 1
	}
	return 0
}

// maxBecause is how many deciders the first line names.
const maxBecause = 3

// because returns why, in one line.
func because(ev *checkrein.Event, by []grant.Decider) string {
	var reasons []string
	names := map[string][]string{} // those of the deciders, by reason
	add := func(reason string, name ...string) {
		if !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
		names[reason] = append(names[reason], name...)
	}
	for i := range by[:min(len(by), maxBecause)] {
		d := &by[i]
		add(cmp.Or(brief(ev, visible.Text(d.Reason)), "no reason was given"), label(d))
		if also := brief(ev, visible.Text(d.Also)); also != "" {
			add(also)
		}
	}
	for i, reason := range reasons {
		if list := names[reason]; len(list) > 0 {
			reasons[i] += " [" + strings.Join(list, ", ") + "]"
		}
	}
	if left := len(by) - maxBecause; left > 0 {
		reasons = append(reasons, strconv.Itoa(left)+" more")
	}
	if len(reasons) == 1 {
		return reasons[0] + "."
	}
	return reasons[0] + ". Also: " + strings.Join(reasons[1:], "; ") + "."
}

// maxBrief is how much of one reason the first line has.
const maxBrief = 240

// brief is a reason in one line, without a full stop.
func brief(ev *checkrein.Event, reason string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(reason), "\n")
	line = strings.TrimSpace(line)
	if len(line) > maxBrief { // cut first, half a secret would not be known
		line = masker(ev).Text(line)
	}
	if strings.TrimSpace(rest) != "" {
		return clip(strings.TrimRight(line, ":. "), maxBrief) + " …"
	}
	return clip(strings.TrimRight(line, ". "), maxBrief)
}

// label is a decider's name, as people see it.
func label(d *grant.Decider) string { return visible.Line(d.Name()) }

// next returns what a person can do about it. What the hardest decider is decides.
func next(ev *checkrein.Event, out *engine.Outcome, b *grant.Block, hardest *grant.Decider) string {
	switch hardest.Final {
	case "":
	case finalFault:
		return mend(ev, out)
	case finalManaged:
		return "This machine's administrator decides that in " + hardest.File + ", and no grant can lift it: ask the administrator."
	case selfprotect.FinalWithin: // to do that by hand is no advice
		return "No grant can allow this call, because it also reaches checkrein's own files. Name only the files that are meant, without checkrein's own."
	case selfprotect.FinalTranscript:
		return "No grant can allow this call, because transcripts show what agents did. A person can do it by hand" + where(ev) + "."
	default:
		return "No grant can allow this call, because it would change or control checkrein itself. A person can do it by hand" + where(ev) + "."
	}
	if b.Handle == "" {
		return "A person can do it by hand" + where(ev) + "."
	}
	switch {
	case out.Verdict.Decision == checkrein.Ask:
		return "To stop being asked in this session, run" + where(ev) + ": " + b.Command("--session")
	case ev.Tool == nil:
		return "A person can allow it" + where(ev) + " and send it again: " + b.Command("")
	}
	return "A person can allow it" + where(ev) + ": " + b.Command("")
}

// mend returns how to get a hook to answer again.
func mend(ev *checkrein.Event, out *engine.Outcome) string {
	for i := range out.Steps {
		s := &out.Steps[i]
		switch {
		case s.Fault == nil || s.Verdict == nil || s.Verdict.Decision < checkrein.Ask:
		case strings.Contains(s.Fault.Error(), "checkrein hooks approve"): // the reason has the whole command
			return "It stays blocked until a person approves the hook" + where(ev) + "."
		case errors.Is(s.Fault, engine.ErrChanged):
			return "It stays blocked until a person looks at the change and approves it" + where(ev) + ": " + approval.Remedy("approve", s.Hook.Label())
		case showsMistake(s.Hook) && correct(s.Hook.From) != "":
			return "It stays blocked until it is corrected: " + correct(s.Hook.From) + ". To see the line, run checkrein validate"
		case showsMistake(s.Hook):
			return "It stays blocked until the user corrects the file. To see the line, run checkrein validate"
		case correct(s.Hook.From) != "":
			return "It stays blocked until it is corrected: " + correct(s.Hook.From) + ". To see what is wrong, run checkrein hooks doctor"
		case s.Hook.From.File != "":
			return "It stays blocked until the user fixes it in " + s.Hook.From.String() + ". To see what is wrong, run checkrein hooks doctor"
		}
	}
	return "It stays blocked until the user fixes it. To see what is wrong, run checkrein doctor"
}

// where describes in which terminal a person is not taken for the agent.
func where(ev *checkrein.Event) string {
	h, ok := host.Named(ev.Host)
	switch {
	case !ok:
		return ""
	case h.Editor:
		return " in a terminal outside " + h.Title + "'s window (terminals in it count as the agent's)"
	}
	return " in another terminal"
}

// instead is what would be fine, where the one who decided knows it.
func instead(out *engine.Outcome) string {
	for i := range out.Steps {
		if s := &out.Steps[i]; s.Verdict != nil && s.Verdict.Decision >= checkrein.Ask && s.Hook.Run == "builtin" && s.Verdict.Metadata["instead"] != "" {
			return strings.TrimRight(s.Verdict.Metadata["instead"], ".")
		}
	}
	return ""
}
