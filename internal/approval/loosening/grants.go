package loosening

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// grantItem is the start of an item that says what a grant lets pass, as JSON.
const grantItem = "grant="

// granted is what of a grant widens or narrows it.
type granted struct {
	Call  string          `json:"call,omitempty"`
	Tool  string          `json:"tool,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
	Rules []string        `json:"rules,omitempty"`
	In    string          `json:"in,omitempty"`
	Until string          `json:"until,omitempty"`
}

func ofGrant(g *setting.Grant) string {
	item := granted{g.Call, g.Tool, g.Input, slices.Sorted(slices.Values(g.Rules)), g.In, g.Until}
	b, err := json.Marshal(&item)
	if err != nil { // so that no other covers it
		b = []byte(g.From.String())
	}
	return grantItem + string(b)
}

// grantOf reads what ofGrant wrote.
func grantOf(item string) (granted, bool) {
	var g granted
	text, ok := strings.CutPrefix(item, grantItem)
	return g, ok && json.Unmarshal([]byte(text), &g) == nil
}

// covers reports whether a grant lets pass at least what another one does.
func (g *granted) covers(o *granted) bool {
	same := g.Call == o.Call && g.Tool == o.Tool && (len(g.Input)+len(o.Input) == 0 || rawjson.Same(g.Input, o.Input))
	rules := slices.Equal(g.Rules, o.Rules) // without any, a program's decision is not lifted
	if len(g.Rules) > 0 && len(o.Rules) > 0 {
		rules = !slices.ContainsFunc(o.Rules, func(name string) bool { return !slices.Contains(g.Rules, name) })
	}
	return same && rules && (g.In == "" || g.In == o.In) && (g.Until == "" || o.Until != "" && o.Until <= g.Until)
}

func grantCovered(by []string, g *granted) bool {
	return slices.ContainsFunc(by, func(b string) bool { have, ok := grantOf(b); return ok && have.covers(g) })
}

// restrictGrants is what both the grants of a file and the accepted ones let pass.
func restrictGrants(list []setting.Grant, accepted []string) []setting.Grant {
	var out []setting.Grant
	for _, g := range list {
		if g.From.Scope != checkrein.ScopeUser || covered(accepted, ofGrant(&g)) {
			out = append(out, g)
			continue
		}
		mine, _ := grantOf(ofGrant(&g))
		for _, item := range accepted {
			if old, ok := grantOf(item); ok && mine.covers(&old) {
				narrower := g
				narrower.Rules, narrower.In, narrower.Until = old.Rules, old.In, old.Until
				out = append(out, narrower)
			}
		}
	}
	return out
}

// words describes a grant for people.
func (g *granted) words() string {
	text := "grant " + g.Call
	if g.Call == "" {
		text += g.Tool + " " + string(g.Input)
	}
	if len(g.Rules) > 0 {
		text += " [" + strings.Join(g.Rules, ", ") + "]"
	}
	if g.In != "" {
		text += " in " + g.In
	}
	if g.Until != "" {
		text += " until " + g.Until
	}
	return text
}
