package kit

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/internal/grant"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/mask"
)

// say makes a block's reason: who, what, why and what next, for the person and for
// the model.
func say(ev *checkrein.Event, out *engine.Outcome, b *grant.Block) string {
	asks := out.Verdict.Decision == checkrein.Ask
	verb := "checkrein blocked "
	if asks {
		verb = "checkrein asks about "
	}
	var t strings.Builder
	t.WriteString(verb + clipped(mask.Conservative{}.Text(b.Shown), 120) + because(b))
	if b.Unasked != "" {
		t.WriteString(" " + strings.ToUpper(b.Unasked[:1]) + b.Unasked[1:] + ", so no person was asked and it is denied.")
	}
	t.WriteString(" " + next(ev, b, asks))
	if asks || ev.Tool == nil {
		return t.String()
	}
	t.WriteString("\nDo not look for another way to do the same: say what you wanted to do and why, or go on with something else.")
	if fine := instead(out); fine != "" {
		t.WriteString(" What would be fine: " + fine + ".")
	}
	return t.String()
}

// telling is an encoder that tells hosts more than the reason, which is what the
// record has.
func telling(encode Encoder) Encoder {
	return func(outs []engine.Outcome) checkrein.Reply {
		told := slices.Clone(outs)
		for i := range told {
			if told[i].Told != "" {
				told[i].Verdict.Reason = told[i].Told
			}
		}
		return encode(told)
	}
}

// because says why: in the same line if there is one short reason, else a line each.
func because(b *grant.Block) string {
	if len(b.By) == 1 && !strings.Contains(strings.TrimSpace(b.By[0].Reason), "\n") {
		return ": " + sentence(&b.By[0])
	}
	text := ":"
	for i := range b.By {
		text += "\n- " + sentence(&b.By[i])
	}
	return text + "\n"
}

func sentence(d *grant.Decider) string {
	reason := strings.TrimRight(strings.TrimSpace(d.Reason), ".")
	if reason == "" {
		reason = "no reason was given"
	}
	text := reason + " [" + d.Name() + "]"
	if d.Also != "" {
		text += "; also " + d.Also
	}
	return text + "."
}

// next says what a person can do about it.
func next(ev *checkrein.Event, b *grant.Block, asks bool) string {
	for i := range b.By {
		switch final := b.By[i].Final; final {
		case "":
		case finalFault:
			return "A hook that guards this could not answer, so it stays closed; to see what is wrong: checkrein doctor"
		case finalManaged:
			return "The administrator of this machine decided it, and no grant of yours lifts it."
		default:
			return "No grant lifts this, because it is checkrein's " + final + ": a person can do it by hand" + where(ev) + "."
		}
	}
	if b.Handle == "" {
		return "A person can do it by hand" + where(ev) + "."
	}
	if asks {
		return "Not to be asked again in this session: " + b.Command("--session") + where(ev)
	}
	return "A person can allow it" + where(ev) + ": " + b.Command("")
}

// where says in which terminal a person is not taken for the agent.
func where(ev *checkrein.Event) string {
	h, ok := host.Named(ev.Host)
	switch {
	case !ok:
		return ""
	case h.Editor:
		return " in a terminal outside " + h.Title + " (those inside its window count as the agent's)"
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
