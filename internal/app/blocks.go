package app

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/guard/binding"
	"github.com/checkrein/checkrein/internal/guard/secretguard"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// remedied are the events of which a denial has a remedy: what they are about can
// come again.
var remedied = []checkrein.Kind{checkrein.PreToolUse, checkrein.PermissionRequest, checkrein.UserPromptSubmit}

// offerGrant keeps a denial or an ask under a handle, by which a person can allow it. It
// returns what it is made of, secrets included; nil when nothing was blocked.
func (k *Kit) offerGrant(t *turn) *grant.Block {
	if t.out.Verdict.Decision < checkrein.Ask || !slices.Contains(remedied, t.event.Kind) || host.Honours(&t.event)&(checkrein.CanDeny|checkrein.CanAsk) == 0 {
		return nil
	}
	b := k.blockOf(t)
	if b == nil || !b.Liftable() || k.standing.foreign {
		return b
	}
	kept := hide(&t.out.Event, *b)
	key, err := k.ledger.Key()
	if err == nil {
		handles := key.Derive(ledger.LabelHandles)
		err = k.grants.Keep(&kept, handles[:])
	}
	if err != nil {
		k.note("a block has no handle: " + err.Error())
	}
	b.Handle, t.out.Handle = kept.Handle, kept.Handle
	return b
}

// blockOf is what is kept of a block; nil when no hook decided it.
func (k *Kit) blockOf(t *turn) *grant.Block {
	ev, out := &t.event, &t.out
	by := blockers(out)
	if len(by) == 0 {
		return nil
	}
	b := &grant.Block{Event: ev.Kind.String(), Host: ev.Host, Session: ev.Session.ID, Agent: ev.Session.Agent, Root: ev.Session.Root, Dir: ev.Session.Dir,
		Shown: showLine(&out.Event), Whole: showWhole(&out.Event), Decision: out.Verdict.Decision.String(), Unasked: out.Unasked, By: by, Binding: k.bind(&out.Event)}
	if ev.Tool != nil {
		b.Tool, b.Call = ev.Tool.Name, ev.Tool.CallID
		if effect := k.effectOf(t); effect != "" {
			b.Denied = digest(effect)
		}
	}
	return b
}

// blockers are those who decided what the outcome came to, and behind them those who
// would ask then: a person who allows a call means to be done with it.
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
			by = append(by, decider(s))
		default:
			if d := decider(s); d.Final == "" && !d.Program {
				then = append(then, d)
			}
		}
	}
	return append(by, then...)
}

// masker takes the secrets out of what is kept of an event, or told about it. What the
// guards have searched it does not search again.
func masker(ev *checkrein.Event) secret.Redactor {
	return secret.Redactor{Memory: secretguard.Searched(ev.Seen)}
}

// hide is a block as it is kept: without secrets.
func hide(ev *checkrein.Event, b grant.Block) grant.Block {
	redact := masker(ev)
	b.By, b.Deeds = slices.Clone(b.By), slices.Clone(b.Deeds)
	for i := range b.By {
		b.By[i].Reason, b.By[i].Also = redact.Text(b.By[i].Reason), redact.Text(b.By[i].Also)
	}
	for i := range b.Deeds {
		b.Deeds[i].Reason = redact.Text(b.Deeds[i].Reason)
	}
	return b
}

// hideText is a text by its digest where it may hold a secret: it is compared, and
// never shown.
func hideText(ev *checkrein.Event, words string) string {
	if words == "" || masker(ev).Text(words) == words {
		return words
	}
	return "digest " + digest(words)
}

// maxWhole is how much of a call people are shown before they let it pass.
const maxWhole = 16 << 10

// showWhole returns all of a call where one line does not show it, without its secrets; "" = it
// does. Arguments beside the command may say where it runs, or with what rights.
func showWhole(ev *checkrein.Event) string {
	t := ev.Tool
	text := ev.Text
	if t != nil {
		text = t.Name + " " + string(t.Input)
		if list := t.Commands(); len(list) == 1 && binding.OneCommand(t) {
			if text = list[0]; len(text) <= maxShown && !strings.Contains(text, "\n") {
				return ""
			}
		}
	}
	text = masker(ev).Text(text) // cut first, half a secret would not be known
	if len(text) <= maxWhole {
		return text
	}
	return clip(text, maxWhole) + "\n(not shown: " + strconv.Itoa(len(text)-maxWhole) + " bytes more)"
}

// maxShown is how much of a call people are shown.
const maxShown = 300

// showLine returns a call in one line, for people, without its secrets.
func showLine(ev *checkrein.Event) string {
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
	text = visible.Line(strings.Join(strings.Fields(text), " "))
	return clip(masker(ev).Text(text), maxShown) // cut first, half a secret would not be known
}

func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " …"
}

// WouldBlock returns how a call would be blocked now, by hooks that need no program to
// be run; nil when it would not.
func (k *Kit) WouldBlock(ctx context.Context, ev checkrein.Event) *grant.Block {
	t := &turn{pick: func(h *checkrein.Hook) bool { return h.Run == "builtin" || h.Run == "rule" }}
	k.decide(ctx, t, ev, nil)
	if t.out.Verdict.Decision < checkrein.Ask {
		return nil
	}
	b := k.blockOf(t)
	if b == nil {
		return nil
	}
	kept := hide(&t.out.Event, *b)
	return &kept
}
