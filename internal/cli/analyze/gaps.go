package analyze

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/packs"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/shell"
)

// A gap is something that the policy does not judge on a host, or a decision that the host ignores.
type gap struct {
	Host  string `json:"host"`
	Kind  string `json:"kind"` // event, effect, decision, silent or build
	Event string `json:"event,omitempty"`
	What  string `json:"what"`
}

// gaps returns what the policy does not judge on the host name.
func (q *query) gaps(ctx context.Context, p *policy, name string) []gap {
	h, _ := host.Find(name) // q.check has found it
	fired := firedKinds(h)
	var out []gap
	for _, row := range checkrein.Contracts() {
		hooks := judges(p, row.Kind, name)
		honours, fires := fired[row.Kind]
		switch {
		case !fires && len(hooks) > 0 && row.Kind != checkrein.Other:
			own := slices.DeleteFunc(hooks, func(h *checkrein.Hook) bool { return h.On != row.Kind })
			if names := ownNames(own); names != "" {
				out = append(out, gap{name, "silent", row.Name, h.Title + " does not fire " + row.Name + ": " + names + " never runs there"})
			}
		case fires && honours&checkrein.CanDeny != 0 && len(hooks) == 0:
			out = append(out, gap{name, "event", row.Name, "no hook judges " + row.Name + " (" + row.When + "), which could be denied"})
		case fires:
			out = append(out, ignoredDecisions(h, &row, hooks, honours)...)
		}
	}
	if _, ok := fired[checkrein.PreToolUse]; ok {
		out = append(out, q.effectGaps(ctx, p, name)...)
	}
	return append(out, q.buildGaps(h)...)
}

// firedKinds returns the kinds of events that the host fires, with the effects that it honours.
func firedKinds(h *wire.Host) map[checkrein.Kind]checkrein.Effect {
	out := map[checkrein.Kind]checkrein.Effect{}
	for i := range h.Events {
		for _, r := range h.Events[i].Rows {
			out[r.Kind] |= r.Honours
		}
	}
	return out
}

// judges returns the hooks on events of the kind that may deny or ask on the host. Those on tool calls
// also judge requests for permission.
func judges(p *policy, kind checkrein.Kind, name string) (out []*checkrein.Hook) {
	for i := range p.Hooks {
		h := &p.Hooks[i]
		on := h.On == kind || kind == checkrein.PermissionRequest && h.On == checkrein.PreToolUse && !h.Exact
		if on && !h.Async && match.MayRunOn(h, name) && (h.Run == "rule" || slices.Contains(raises(h), checkrein.Deny)) {
			out = append(out, h)
		}
	}
	return out
}

// ownNames returns the labels of those hooks that a file declares.
func ownNames(hooks []*checkrein.Hook) string {
	var out []string
	for _, h := range hooks {
		if !h.Implied && !slices.Contains(out, h.Label()) {
			out = append(out, h.Label())
		}
	}
	return strings.Join(out, ", ")
}

// ignoredDecisions returns the decisions of rules on the row that the host does not honour.
func ignoredDecisions(h *wire.Host, row *checkrein.Contract, hooks []*checkrein.Hook, honours checkrein.Effect) (out []gap) {
	for _, one := range []struct {
		decision string
		effect   checkrein.Effect
		instead  string
	}{{"allow", checkrein.CanAllow, "the decision has no effect there"}, {"ask", checkrein.CanAsk, "the call is denied instead"}} {
		if !row.Can(one.effect) || honours&one.effect != 0 {
			continue
		}
		var rules []*checkrein.Hook
		for _, r := range hooks {
			if r.Run == "rule" && ruleDecision(r) == one.decision {
				rules = append(rules, r)
			}
		}
		if names := ownNames(rules); names != "" {
			out = append(out, gap{h.Name, "decision", row.Name, h.Title + " cannot " + one.decision + " on " + row.Name + ": of " + names + ", " + one.instead})
		}
	}
	return out
}

// effectGaps returns the categories of effects that are not safe and about which no pack and no rule
// decides.
func (q *query) effectGaps(ctx context.Context, p *policy, name string) (out []gap) {
	for _, h := range judges(p, checkrein.PreToolUse, name) {
		if h.Run == "rule" && len(h.If) == 0 && h.Match == "" && ruleDecision(h) != "allow" && ruleDecision(h) != "none" {
			return nil // it decides about every call
		}
	}
	catalog := packs.NewCatalog(ctx, q.env, p.kit)
	var idle []string // packs that decide about nothing
	for _, pack := range shell.PackNames() {
		var names []string
		unsafe := 0
		for _, c := range catalog.Categories(pack) {
			if c.Label == shell.Safe.String() {
				continue
			}
			unsafe++
			decides := c.Decision != "none" || slices.ContainsFunc(slices.Collect(maps.Values(c.Decides)), func(d string) bool { return d != "none" })
			if !decides && !testsEffect(p, c.Name) {
				names = append(names, c.Name)
			}
		}
		switch {
		case len(names) == 0:
		case len(names) == unsafe:
			idle = append(idle, pack)
		default:
			out = append(out, gap{name, "effect", checkrein.PreToolUse.String(), "no pack and no rule decides about these effects of the pack " + pack + ": " + strings.Join(names, ", ")})
		}
	}
	if len(idle) > 0 {
		out = append(out, gap{name, "effect", checkrein.PreToolUse.String(), "no pack and no rule decides about any effect of the packs " + strings.Join(idle, ", ")})
	}
	return out
}

// testsEffect reports whether a rule that asks or denies has a condition that names the category.
func testsEffect(p *policy, category string) bool {
	return slices.ContainsFunc(p.Hooks, func(h checkrein.Hook) bool {
		d := ruleDecision(&h)
		return h.Run == "rule" && (d == "ask" || d == "deny") && strings.Contains(string(h.If), `"`+category+`"`)
	})
}

// buildGaps returns what the installed build of the host was seen to ignore.
func (q *query) buildGaps(h *wire.Host) (out []gap) {
	dir, err := base.StateDir(q.env)
	if err != nil {
		return nil // without a state directory, nothing was proven
	}
	book := base.Capabilities(q.env, dir)
	known, err := book.LoadDoubts(h.Name)
	if err != nil || len(known.Builds) == 0 {
		return nil
	}
	now, _ := capability.InspectProgram(known.Program.Path) // a missing program counts as a different build
	at := known.StandingOf(now)
	for _, d := range at.AllDoubts() {
		out = append(out, gap{h.Name, "build", "", "the installed build of " + h.Title + " " + d.Why})
	}
	return out
}
