package app

import (
	"context"
	"github.com/checkrein/checkrein/internal/hook/seen"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/guard/binding"
	"github.com/checkrein/checkrein/internal/guard/secretguard"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// grantable lists the events whose denial a grant can lift, because the call or prompt can be repeated.
var grantable = []checkrein.Kind{checkrein.PreToolUse, checkrein.PermissionRequest, checkrein.UserPromptSubmit}

// offerGrant saves a call that was denied or asked about under a handle, by which a person can allow
// it. It returns the block, including secrets, or nil if nothing was blocked.
func (k *Kit) offerGrant(t *turn) *grant.Block {
	if k.unrecorded || t.out.Verdict.Decision < checkrein.Ask || !slices.Contains(grantable, t.event.Kind) || host.Honours(&t.event)&(checkrein.CanDeny|checkrein.CanAsk) == 0 {
		return nil
	}
	b := k.newBlock(t)
	if b == nil || !b.IsLiftable() || k.standing.foreign {
		return b
	}
	kept := redactBlock(&t.out.Event, *b)
	key, err := k.BlockKey()
	if err == nil {
		err = k.grants.SaveBlock(&kept, key)
	}
	if err != nil {
		k.logLine("a block has no handle: " + err.Error())
	}
	b.Handle, b.Digest, b.At, t.out.Handle = kept.Handle, kept.Digest, kept.At, kept.Handle
	k.heedDenial(t, b)
	return b
}

// heedDenial sets a person's denial of b, if there is one. The call is then denied even if its hooks
// would only ask.
func (k *Kit) heedDenial(t *turn, b *grant.Block) {
	if b.Handle == "" {
		return
	}
	a, err := k.grants.AnswerTo(b)
	if err != nil {
		k.logLine("answers: " + err.Error())
	}
	if a == nil || a.Decision != grant.AnswerDeny {
		return
	}
	v := &t.out.Verdict
	if v.Decision == checkrein.Ask && host.Honours(&t.event)&checkrein.CanDeny != 0 {
		v.Decision, b.Decision = checkrein.Deny, checkrein.Deny.String()
	}
	b.Refused = a
	v.Reason = strings.TrimSpace(refusalText(a) + "\n" + v.Reason)
}

// newBlock returns the block for the outcome of t, or nil if no hook decided it.
func (k *Kit) newBlock(t *turn) *grant.Block {
	ev, out := &t.event, &t.out
	by := blockers(out)
	if len(by) == 0 {
		return nil
	}
	b := &grant.Block{Event: ev.Kind.String(), Host: ev.Host, Session: ev.Session.ID, Agent: ev.Session.Agent, Root: ev.Session.Root, Dir: ev.Session.Dir,
		Shown: lineOfCall(&out.Event), Whole: wholeCall(&out.Event), Decision: out.Verdict.Decision.String(), Unasked: out.Unasked, By: by, Binding: k.bind(&out.Event)}
	if ev.Tool != nil {
		b.Tool, b.Call, b.Stated = ev.Tool.Name, ev.Tool.CallID, statedReason(&out.Event)
		if effect := k.effectKey(t); effect != "" {
			b.Denied = shortDigest(effect)
		}
	}
	return b
}

// blockers returns the deciders that blocked the call, followed by those that would ask about it next,
// because a person who allows a call wants to allow it completely.
func blockers(out *engine.Outcome) []grant.Decider {
	most := checkrein.Ask
	for i := range out.Steps {
		if v := out.Steps[i].Verdict; v != nil {
			most = max(most, v.Decision)
		}
	}
	var by, then []grant.Decider
	for i := range out.Steps {
		s := &out.Steps[i]
		switch {
		case s.Verdict == nil || s.Verdict.Decision < checkrein.Ask:
		case s.Verdict.Decision == most:
			by = append(by, newDecider(s))
		default:
			if d := newDecider(s); d.Final == "" && !d.Program {
				then = append(then, d)
			}
		}
	}
	return append(by, then...)
}

// redactorFor returns a redactor for texts of ev that are saved or shown. It reuses the secrets that
// the guards have already found.
func redactorFor(ev *checkrein.Event) secret.Redactor {
	return secret.Redactor{Memory: secretguard.Memory(seen.ForEvent(ev))}
}

// redactBlock returns a copy of b without secrets, to be saved.
func redactBlock(ev *checkrein.Event, b grant.Block) grant.Block {
	redact := redactorFor(ev)
	b.By, b.Deeds = slices.Clone(b.By), slices.Clone(b.Deeds)
	for i := range b.By {
		b.By[i].Reason, b.By[i].Also = redact.MaskText(b.By[i].Reason), redact.MaskText(b.By[i].Also)
	}
	for i := range b.Deeds {
		b.Deeds[i].Reason = redact.MaskText(b.Deeds[i].Reason)
	}
	return b
}

// digestIfSecret returns words, or a digest of them if they may contain a secret. The result is only
// compared, and never shown.
func digestIfSecret(ev *checkrein.Event, words string) string {
	if words == "" || redactorFor(ev).MaskText(words) == words {
		return words
	}
	return "digest " + shortDigest(words)
}

// maxWhole is how many bytes of a whole call are shown before the user allows it.
const maxWhole = 16 << 10

// wholeCall returns the whole call without secrets, or "" if the line that lineOfCall returns has all
// of it. Arguments other than the command may change where or with which permissions it runs.
func wholeCall(ev *checkrein.Event) string {
	t := ev.Tool
	text := ev.Text
	if t != nil {
		text = t.Name + " " + string(t.Input)
		if list := t.Commands(); len(list) == 1 && binding.IsSingleCommand(t) {
			if text = list[0]; len(text) <= maxShown && !strings.Contains(text, "\n") {
				return ""
			}
		}
	}
	text = redactorFor(ev).MaskText(text) // before it is shortened, because part of a secret would not be found
	if len(text) <= maxWhole {
		return text
	}
	return clip(text, maxWhole) + "\n(not shown: " + strconv.Itoa(len(text)-maxWhole) + " bytes more)"
}

// maxShown is how many bytes of a call one line shows.
const maxShown = 300

// lineOfCall returns the call in one line of at most maxShown bytes, without secrets.
func lineOfCall(ev *checkrein.Event) string {
	t := ev.Tool
	if t == nil {
		return "this prompt"
	}
	text := t.Name
	if list := t.Commands(); len(list) > 0 {
		text = list[0]
	} else if paths := t.Paths(); len(paths) > 0 {
		text += " " + paths[0]
	}
	if text == "" {
		return "this call"
	}
	text = visible.EscapeLine(strings.Join(strings.Fields(text), " "))
	return clip(redactorFor(ev).MaskText(text), maxShown) // redact first, because part of a secret would not be found
}

// reasonMembers are the members in which agents say why they run a command.
var reasonMembers = [...]string{"description", "justification", "explanation"}

// statedReason returns the reason that the agent itself gives for a command, without secrets, or "".
func statedReason(ev *checkrein.Event) string {
	if len(ev.Tool.Commands()) == 0 {
		return "" // in other tools, these are arguments
	}
	for _, name := range reasonMembers {
		if text := rawjson.GetText(ev.Tool.Input, name); text != "" {
			return clip(redactorFor(ev).MaskText(visible.EscapeLine(text)), maxShown)
		}
	}
	return ""
}

// clip returns text, truncated to most bytes with an ellipsis if it is longer.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " …"
}

// WouldBlock returns the block that the call in ev would meet now, or nil if it would pass. It runs
// only builtins and rules, which start no programs.
func (k *Kit) WouldBlock(ctx context.Context, ev checkrein.Event) *grant.Block {
	t := &turn{pick: func(h *checkrein.Hook) bool { return h.Run == "builtin" || h.Run == "rule" }}
	k.decide(ctx, t, ev, nil)
	if t.out.Verdict.Decision < checkrein.Ask {
		return nil
	}
	b := k.newBlock(t)
	if b == nil {
		return nil
	}
	kept := redactBlock(&t.out.Event, *b)
	return &kept
}
