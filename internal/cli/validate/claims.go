package validate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/guard"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
)

// An unmet is what a hook wants of a host that the host does not do.
type unmet struct {
	hook    *checkrein.Hook
	effect  string // "" = the event itself
	what    string
	choices string
}

// A hostBuild is a host as it is on this machine.
type hostBuild struct {
	*wire.Host
	at capability.Standing
}

// hostOn finds a host by name, with what was proven of it here.
func hostOn(env *console.Env, name string) (hostBuild, error) {
	h, ok := host.Named(name)
	if !ok {
		return hostBuild{}, fmt.Errorf("--host: unknown agent %q%s", name, suggest.HintOr(name, host.Names(), "use one of "+strings.Join(host.Names(), ", ")))
	}
	m, err := base.Machine(env)
	if err != nil {
		return hostBuild{}, err
	}
	at, _ := m.Standing(name) // what does not count is said by status; the shipped rows count
	return hostBuild{h, at}, nil
}

// basis says by what the host is judged.
func (b *hostBuild) basis() string {
	if b.at.State == capability.Proven {
		return fmt.Sprintf("%s %s, as proven on this machine", b.Title, b.at.Version)
	}
	return fmt.Sprintf("%s by what comes with checkrein, taken from %s (%s)", b.Title, b.Version, b.at.Why)
}

// honours is what the host does with verdicts on a row of the events that install wires;
// false = it never fires the row.
func (b *hostBuild) honours(k checkrein.Kind) (checkrein.Effect, bool) {
	var e checkrein.Effect
	fires := false
	for i := range b.Events {
		for _, r := range b.Events[i].Rows {
			if r.Kind == k && b.Events[i].Wired {
				e, fires = e|r.Honours, true
			}
		}
	}
	return e, fires
}

// seen says what the installed build was seen to do with an effect; "" = nothing else
// than it should.
func (b *hostBuild) seen(k checkrein.Kind, e checkrein.Effect) string {
	for _, d := range b.at.Doubted() {
		if f, _ := capability.FactOf(d.Row); f.Kind == k && d.Effect&e != 0 {
			return fmt.Sprintf("%s %s %s on %s", b.Title, b.at.Version, d.Why, d.When.Local().Format(time.DateOnly))
		}
	}
	return ""
}

// claimsOf lists what hooks want of a host that it does not do.
func claimsOf(b *hostBuild, hooks []checkrein.Hook) []unmet {
	var out []unmet
	for i := range hooks {
		h := &hooks[i]
		if h.Implied || h.Broken != "" || h.On == checkrein.Other || slices.Contains(fromGit, h.On) || !match.MayRunOn(h, b.Name) {
			continue
		}
		row := checkrein.ContractOf(h.On)
		honours, fires := b.honours(h.On)
		if !fires {
			out = append(out, unmet{h, "", fmt.Sprintf("%s never fires %s, so the hook never runs there", b.Title, row.Name), b.elsewhere(h.On)})
			continue
		}
		wanted := wantedBy(h) & row.Effects
		for _, c := range choices {
			if wanted&c.effect == 0 {
				continue
			}
			why := b.seen(h.On, c.effect)
			if honours&c.effect == 0 && (c.effect != checkrein.CanDeny || honours&checkrein.CanRedo == 0) {
				why = fmt.Sprintf("%s cannot %s on %s", b.Title, c.what, row.Name)
			}
			if why != "" {
				out = append(out, unmet{h, c.effect.Words()[0], why, c.choices})
			}
		}
	}
	return out
}

// fromGit are events that come from no host.
var fromGit = []checkrein.Kind{checkrein.PreCommit, checkrein.PrePush, checkrein.Scrub}

// choices are the ways out where a host does not honour an effect.
var choices = []struct {
	effect        checkrein.Effect
	what, choices string
}{
	{checkrein.CanAsk, "ask the user", "tighten: decision: deny, which is what happens there; drop: remove the rule; another layer: let the agent's own permissions ask"},
	{checkrein.CanAllow, "be told that a call is allowed", "tighten: leave it to the agent, decision: none; drop: remove the rule; another layer: allow it in the agent's own permissions"},
	{checkrein.CanDeny, "be denied", "tighten: deny earlier, on pre_tool_use or user_prompt_submit; drop: remove the hook; another layer: checkrein git install, or a sandbox"},
	{checkrein.CanRewriteInput, "run a rewritten call", "tighten: deny the call; drop: remove the patch; another layer: checkrein run, or a program of your own in PATH"},
	{checkrein.CanRewriteOutput, "replace an output", "tighten: deny the call on pre_tool_use; drop: remove the hook; another layer: rewrite the call so that the tool itself prints less, or checkrein run"},
	{checkrein.CanAddContext, "give the model more context", "tighten: add it on another event that the agent honours; drop: remove it; another layer: a file that the agent reads, such as AGENTS.md"},
}

// elsewhere are the ways out where a host never fires an event.
func (b *hostBuild) elsewhere(k checkrein.Kind) string {
	tighten := "tighten: use an event that it fires (checkrein docs " + b.Name + ")"
	for i := range b.Events {
		if e := &b.Events[i]; slices.ContainsFunc(e.Rows, func(r wire.Row) bool { return r.Kind == k }) {
			tighten = "tighten: checkrein install " + b.Name + " --event " + e.Native
		}
	}
	return tighten + "; drop: remove the hook; another layer: checkrein git install, or checkrein run, which fires every event"
}

// wantedBy is what a hook surely wants of whoever fires its event, as far as its text
// tells: what a program may answer is for doctor to find out.
func wantedBy(h *checkrein.Hook) checkrein.Effect {
	row := checkrein.ContractOf(h.On)
	var e checkrein.Effect
	switch h.Run {
	case "rule":
		decision, _ := checkrein.ParseDecision(rawjson.GetText(h.With, "decision"))
		v := checkrein.Verdict{Decision: decision}
		e = v.Effects()
		if _, ok := rawjson.Get(h.With, "patch"); ok {
			e |= checkrein.CanRewriteInput
		}
		if rawjson.GetText(h.With, "context") != "" {
			e |= checkrein.CanAddContext
		}
		return e
	case "builtin":
		b, ok := guard.Named(rawjson.GetText(h.With, "name"))
		if ok && b.Traits.Rewrites {
			e = checkrein.CanRewriteInput | checkrein.CanRewriteOutput
		}
		if ok && b.Traits.Refuses {
			e |= checkrein.CanDeny
		}
	}
	if (h.Gate || row.Closed) && !h.Async && e == 0 {
		e |= checkrein.CanDeny
	}
	return e
}
