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
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// blockText returns the text about a block that the host shows to the user and to the model. Its first
// line has the call, the reason and the remedy, because some hosts show only that line.
func blockText(ev *checkrein.Event, out *engine.Outcome, b *grant.Block) string {
	asks := out.Verdict.Decision == checkrein.Ask
	verb := "checkrein blocked "
	if asks {
		verb = "checkrein asks about "
	}
	first := b.By[0].Decision
	by := slices.DeleteFunc(slices.Clone(b.By), func(d grant.Decider) bool { return d.Decision != first }) // if some deny, drop those that only ask
	slices.SortStableFunc(by, func(a, b grant.Decider) int { return finalityRank(&b) - finalityRank(&a) })
	hardest := by[0]
	slices.SortStableFunc(by, func(a, b grant.Decider) int { return displayRank(&a) - displayRank(&b) })
	lines := []string{verb + clip(b.Shown, 120) + ": " + reasonLine(ev, by)}
	if b.Unasked != "" {
		lines[0] += " " + b.Unasked + ", so the user was not asked and this is denied."
	}
	lines[0] += " " + nextStep(ev, out, b, &hardest)
	for i := range by {
		if full := strings.TrimSpace(visible.EscapeText(by[i].Reason)); strings.TrimRight(full, ". ") != firstReasonLine(ev, full) {
			lines = append(lines, deciderName(&by[i])+" says:", full)
		}
	}
	if asks || ev.Tool == nil {
		return strings.Join(lines, "\n")
	}
	last := "Do not look for another way to do the same: say what you wanted to do and why, or go on with something else."
	if fine := alternative(out); fine != "" {
		last += " What you may do instead: " + fine + "."
	}
	return strings.Join(append(lines, last), "\n")
}

// withHostReason returns an encoder that replaces the reason of a block, which is for the record, with
// the text for the host.
func withHostReason(encode Encoder) Encoder {
	return func(outs []engine.Outcome) wire.Reply {
		shown := slices.Clone(outs)
		for i := range shown {
			if shown[i].HostReason != "" {
				shown[i].Verdict.Reason = shown[i].HostReason
			}
		}
		return encode(shown)
	}
}

// finalityRank returns how firmly d blocks: 0 if a grant can lift its decision, and more the harder it
// is to change. The remedy depends on the firmest decider.
func finalityRank(d *grant.Decider) int {
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

// displayRank returns 1 for a decider that blocks a call because checkrein's files are among those
// that would be lost, and 0 for others. The text names the loss of other files first.
func displayRank(d *grant.Decider) int {
	if d.Final == selfprotect.FinalWithin {
		return 1
	}
	return 0
}

// maxDecidersNamed is how many deciders the first line names.
const maxDecidersNamed = 3

// reasonLine returns the reasons of the deciders in one line, each with the names of its deciders.
func reasonLine(ev *checkrein.Event, by []grant.Decider) string {
	var reasons []string
	names := map[string][]string{} // the names of the deciders, by reason
	add := func(reason string, name ...string) {
		if !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
		names[reason] = append(names[reason], name...)
	}
	for i := range by[:min(len(by), maxDecidersNamed)] {
		d := &by[i]
		add(cmp.Or(firstReasonLine(ev, visible.EscapeText(d.Reason)), "no reason was given"), deciderName(d))
		if also := firstReasonLine(ev, visible.EscapeText(d.Also)); also != "" {
			add(also)
		}
	}
	for i, reason := range reasons {
		if list := names[reason]; len(list) > 0 {
			reasons[i] += " [" + strings.Join(list, ", ") + "]"
		}
	}
	if left := len(by) - maxDecidersNamed; left > 0 {
		reasons = append(reasons, strconv.Itoa(left)+" more")
	}
	if len(reasons) == 1 {
		return reasons[0] + "."
	}
	return reasons[0] + ". Also: " + strings.Join(reasons[1:], "; ") + "."
}

// maxReasonLine is how many bytes of a single reason the first line has.
const maxReasonLine = 240

// firstReasonLine returns the first line of a reason, shortened and without the full stop. If more
// lines follow, it ends with an ellipsis.
func firstReasonLine(ev *checkrein.Event, reason string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(reason), "\n")
	line = strings.TrimSpace(line)
	if len(line) > maxReasonLine { // redact first, because part of a secret would not be found
		line = redactorFor(ev).MaskText(line)
	}
	if strings.TrimSpace(rest) != "" {
		return clip(strings.TrimRight(line, ":. "), maxReasonLine) + " …"
	}
	return clip(strings.TrimRight(line, ". "), maxReasonLine)
}

// deciderName returns the name of d for display.
func deciderName(d *grant.Decider) string { return visible.EscapeLine(d.Name()) }

// nextStep returns a sentence about what a person can do about the block b, which depends on hardest,
// the firmest decider.
func nextStep(ev *checkrein.Event, out *engine.Outcome, b *grant.Block, hardest *grant.Decider) string {
	switch hardest.Final {
	case "":
	case finalFault:
		return faultRemedy(ev, out)
	case finalManaged:
		if who := config.FleetAdministrator(hardest.File); who != "" {
			return "Y" + who[1:] + " decides that in " + hardest.File + ", and no grant can lift it: ask the administrator."
		}
		return "This machine's administrator decides that in " + hardest.File + ", and no grant can lift it: ask the administrator."
	case selfprotect.FinalWithin: // do not suggest to do this by hand
		return "No grant can allow this call, because it also reaches checkrein's own files. Name only the files that are meant, without checkrein's own."
	case selfprotect.FinalTranscript:
		return "No grant can allow this call, because transcripts show what agents did. A person can do it by hand" + inWhichTerminal(ev) + "."
	default:
		return "No grant can allow this call, because it would change or control checkrein itself. A person can do it by hand" + inWhichTerminal(ev) + "."
	}
	if b.Handle == "" {
		return "A person can do it by hand" + inWhichTerminal(ev) + "."
	}
	if b.Refused != nil {
		return refusalText(b.Refused)
	}
	switch {
	case out.Verdict.Decision == checkrein.Ask:
		return "To stop being asked in this session, run" + inWhichTerminal(ev) + ": " + b.AllowCommand("--session")
	case ev.Tool == nil:
		return "A person can allow it" + inWhichTerminal(ev) + " and send it again: " + b.AllowCommand("")
	}
	return "A person can allow it" + inWhichTerminal(ev) + ": " + b.AllowCommand("")
}

// refusalText returns a sentence about a person's denial of a call, with the words for the agent.
func refusalText(a *grant.Answer) string {
	text := "A person (" + visible.EscapeLine(a.By) + ") denied this call"
	if words := strings.TrimSpace(visible.EscapeLine(a.Words)); words != "" {
		return text + ": " + clip(words, maxReasonLine)
	}
	return text + "."
}

// faultRemedy returns a sentence about how to make the hook that blocks with a fault answer again.
func faultRemedy(ev *checkrein.Event, out *engine.Outcome) string {
	for i := range out.Steps {
		s := &out.Steps[i]
		switch {
		case s.Fault == nil || s.Verdict == nil || s.Verdict.Decision < checkrein.Ask:
		case strings.Contains(s.Fault.Error(), "checkrein hooks approve"): // the reason has the command
			return "It stays blocked until a person approves the hook" + inWhichTerminal(ev) + "."
		case errors.Is(s.Fault, engine.ErrChanged):
			return "It stays blocked until a person looks at the change and approves it" + inWhichTerminal(ev) + ": " + approval.RemedyCommand("approve", s.Hook.Label())
		case validateShows(s.Hook) && askAdministrator(s.Hook.From) != "":
			return "It stays blocked until it is corrected: " + askAdministrator(s.Hook.From) + ". To see the line, run checkrein validate"
		case validateShows(s.Hook):
			return "It stays blocked until the user corrects the file. To see the line, run checkrein validate"
		case askAdministrator(s.Hook.From) != "":
			return "It stays blocked until it is corrected: " + askAdministrator(s.Hook.From) + ". To see what is wrong, run checkrein hooks doctor"
		case s.Hook.From.File != "":
			return "It stays blocked until the user fixes it in " + s.Hook.From.String() + ". To see what is wrong, run checkrein hooks doctor"
		}
	}
	return "It stays blocked until the user fixes this. To see what is wrong, run checkrein doctor"
}

// inWhichTerminal returns a phrase that says in which terminal a command of the user does not count as
// the agent's, or "" if the host is unknown.
func inWhichTerminal(ev *checkrein.Event) string {
	h, ok := host.Find(ev.Host)
	switch {
	case !ok:
		return ""
	case h.IsEditor:
		return " in a terminal outside " + h.Title + "'s window (terminals in it count as the agent's)"
	}
	return " in another terminal"
}

// alternative returns what the agent may do instead of the blocked call, or "" if the guard that
// blocked it does not suggest anything.
func alternative(out *engine.Outcome) string {
	for i := range out.Steps {
		if s := &out.Steps[i]; s.Verdict != nil && s.Verdict.Decision >= checkrein.Ask && s.Hook.Run == "builtin" && s.Verdict.Metadata["instead"] != "" {
			return strings.TrimRight(s.Verdict.Metadata["instead"], ".")
		}
	}
	return ""
}
