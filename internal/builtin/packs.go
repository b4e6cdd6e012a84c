package builtin

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/match"
	"github.com/checkrein/checkrein/internal/rawjson"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/shell/packs"
	"github.com/checkrein/checkrein/internal/suggest"
)

// A guard is a pack that is switched on, and what it does about effects: as the
// rows of their categories say, but for what a person set.
type guard struct {
	name   string
	by     [4]choice      // by radius: low, medium, high, unknown
	leak   choice         // for what leaves the machine
	allow  []string       // paths that it does not guard
	custom *shell.RuleSet // a person's own
}

// A choice is a decision that a person made, or did not.
type choice struct {
	made bool
	is   checkrein.Decision
}

// newPacks switches packs on. An argument is the name of a pack, NAME.KEY=VALUE
// for its policy, or a pack of one's own as JSON.
func newPacks(args []string) (Func, error) {
	guards, err := readGuards(args)
	if err != nil {
		return nil, err
	}
	var own []*shell.RuleSet
	for i := range guards {
		if p := guards[i].custom; p != nil {
			own = append(own, p)
		}
	}
	return func(_ context.Context, call Call) (checkrein.Verdict, error) {
		return guardCall(&call, guards, own), nil
	}, nil
}

func readGuards(args []string) ([]guard, error) {
	var out []guard
	for _, arg := range args {
		if strings.HasPrefix(arg, "{") {
			p, err := packs.Parse([]byte(arg))
			if err != nil {
				return nil, err
			}
			out = append(out, guard{name: p.Name(), custom: p})
			continue
		}
		name, setting, isSetting := strings.Cut(arg, ".")
		i := slices.IndexFunc(out, func(g guard) bool { return g.name == name })
		switch {
		case isSetting && i < 0:
			return nil, fmt.Errorf("%s comes before the pack %s itself", arg, name)
		case isSetting:
			if err := out[i].set(setting); err != nil {
				return nil, fmt.Errorf("pack %s: %w", name, err)
			}
		case i >= 0:
			return nil, fmt.Errorf("pack %s is named twice", name)
		default:
			if _, ok := shell.PackNamed(name); !ok {
				return nil, fmt.Errorf("unknown pack %q%s", name, suggest.Hint(name, shell.PackNames()))
			}
			out = append(out, guard{name: name})
		}
	}
	if len(out) == 0 {
		return nil, errors.New("it needs the name of a pack")
	}
	return out, nil
}

// set reads KEY=VALUE.
func (g *guard) set(setting string) error {
	key, val, _ := strings.Cut(setting, "=")
	if key == "allow" {
		g.allow = append(g.allow, val)
		return nil
	}
	d, ok := checkrein.ParseDecision(val)
	if !ok || d == checkrein.Allow {
		return fmt.Errorf("%s is %q: write none, ask or deny", key, val)
	}
	c := choice{true, d}
	switch key {
	case "low":
		g.by[shell.RadiusLow] = c
	case "medium":
		g.by[shell.RadiusMedium] = c
	case "high":
		g.by[shell.RadiusHigh] = c
	case "unknown":
		g.by[shell.RadiusUnknown] = c
	case "exfiltration":
		g.leak = c
	default:
		return fmt.Errorf("%s is unknown: write low, medium, high, unknown, exfiltration or allow", key)
	}
	return nil
}

// about says what a guard makes of an effect.
func (g *guard) about(e *shell.Effect, p *shell.Place) checkrein.Decision {
	row := e.Row()
	if row.PackName() != g.name || !counts(e, row) || g.allows(e, p) {
		return checkrein.NoOpinion
	}
	c := g.by[e.Radius]
	if e.Label == shell.Exfiltration {
		c = g.leak
	}
	if c.made {
		return c.is
	}
	return usual(e, row)
}

// counts reports whether an effect is one that guards are for: it loses or sends
// something, may do so far away, or its category is asked for whatever it comes to.
func counts(e *shell.Effect, row *shell.Row) bool {
	return e.Label >= shell.Destructive || e.Label != shell.Safe && (e.Radius == shell.RadiusHigh || row.Policy == shell.AskFor || row.Policy == shell.Refuse)
}

// usual is what is decided about an effect unless a person says otherwise.
func usual(e *shell.Effect, row *shell.Row) checkrein.Decision {
	switch row.Policy {
	case shell.Pass:
		return checkrein.NoOpinion
	case shell.AskFor:
		return max(checkrein.Ask, byRadius(e))
	case shell.Refuse:
		return checkrein.Deny
	}
	return byRadius(e)
}

func byRadius(e *shell.Effect) checkrein.Decision {
	switch {
	case e.Label == shell.Exfiltration:
		return checkrein.Deny
	case e.Label == shell.Destructive && e.Radius == shell.RadiusHigh:
		return checkrein.Deny
	case e.Label == shell.Destructive && e.Radius != shell.RadiusLow, e.Radius == shell.RadiusHigh:
		return checkrein.Ask
	}
	return checkrein.NoOpinion
}

// allows reports whether all that an effect touches is exempt.
func (g *guard) allows(e *shell.Effect, p *shell.Place) bool {
	if len(g.allow) == 0 || len(e.Paths) == 0 || len(e.Hosts) > 0 {
		return false
	}
	return !slices.ContainsFunc(e.Paths, func(path string) bool {
		return !slices.ContainsFunc(g.allow, func(pattern string) bool { return within(pattern, path, p) })
	})
}

// within reports whether a path fits a pattern; relative ones are the project's.
func within(pattern, path string, p *shell.Place) bool {
	return match.PathGlob(absolute(pattern, p), absolute(path, p))
}

func absolute(path string, p *shell.Place) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && p.Home != "" {
		return filepath.Join(p.Home, rest)
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	base := p.Root
	if base == "" {
		base = p.Dir
	}
	return filepath.Join(base, path)
}

// guardCall judges a call once for all packs.
func guardCall(call *Call, guards []guard, own []*shell.RuleSet) checkrein.Verdict {
	if call.Event.Kind != checkrein.PreToolUse {
		return checkrein.Verdict{}
	}
	all, _ := judgeAll(&call.Event, call.ground(), own)
	var out checkrein.Verdict
	for i := range all {
		guardPart(&out, &all[i], guards)
	}
	return out
}

// guardPart makes the verdict stricter by what one part of a call does.
func guardPart(out *checkrein.Verdict, j *judged, guards []guard) {
	for i := range j.report.Effects {
		e := &j.report.Effects[i]
		for k := range guards {
			d := guards[k].about(e, &j.place)
			if d <= out.Decision {
				continue
			}
			*out = checkrein.Verdict{Decision: d, Reason: blocked(e.Reason, j.command), Metadata: metadata(e.Radius.String(), e.Row().Name, e.Reason)}
			out.Metadata["pack"] = guards[k].name
			if d == checkrein.Ask {
				out.Reason = e.Reason + ": " + j.command
			}
		}
	}
}

// CheckSamples holds the packs of a person's own that a hook brings against their
// samples.
func CheckSamples(h *checkrein.Hook) error {
	if h.Run != "builtin" || h.Broken != "" || rawjson.GetText(h.With, "name") != "packs" {
		return nil
	}
	args, err := readArgs(h.With)
	if err != nil {
		return nil // which whoever builds the hook says, as of what follows
	}
	guards, err := readGuards(args)
	if err != nil {
		return nil
	}
	var errs []error
	for i := range guards {
		if p := guards[i].custom; p != nil {
			errs = append(errs, classify.CheckSamples(p))
		}
	}
	return errors.Join(errs...)
}
