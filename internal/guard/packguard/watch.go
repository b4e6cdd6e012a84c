package packguard

import (
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/hook/packset"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Watch is a hook of packs to look at: what it says is what the hook decides.
type Watch struct{ guards []guard }

// Watching reads a hook that guards by packs; nil when it is another one.
func Watching(h *checkrein.Hook) (*Watch, error) {
	if h.Run != "builtin" || rawjson.GetText(h.With, "name") != "packs" {
		return nil, nil
	}
	args, err := builtin.ParseArgs(h.With)
	if err != nil {
		return nil, err
	}
	guards, err := readGuards(args)
	return &Watch{guards}, err
}

// WatchingParts is the watch that a hook with these parts would be.
func WatchingParts(parts []packset.Part) (*Watch, error) {
	if len(parts) == 0 {
		return &Watch{}, nil
	}
	guards, err := readGuards(packset.Args(parts))
	return &Watch{guards}, err
}

// On reports whether the hook guards a pack.
func (w *Watch) On(pack string) bool {
	return slices.ContainsFunc(w.guards, func(g guard) bool { return g.means(pack) && !g.None() })
}

// About is what the hook decides about an effect that touches no path.
func (w *Watch) About(e *shell.Effect) checkrein.Decision {
	var out checkrein.Decision
	for i := range w.guards {
		out = max(out, w.guards[i].about(e, &shell.Place{}))
	}
	return out
}

// Own are the packs of a person's own that the hook brings.
func (w *Watch) Own() []*shell.RuleSet {
	var out []*shell.RuleSet
	for i := range w.guards {
		if p := w.guards[i].custom; p != nil {
			out = append(out, p)
		}
	}
	return out
}

// Parts are what the hook does about a pack.
func (w *Watch) Parts(pack string) []packset.Part {
	var out []packset.Part
	for i := range w.guards {
		if g := &w.guards[i]; g.means(pack) {
			out = append(out, g.Part)
		}
	}
	return out
}

// KeyOf is the key of a pack's policy that an effect comes under.
func KeyOf(e *shell.Effect) string { return setting.PackKeys[keyOf(e)] }
