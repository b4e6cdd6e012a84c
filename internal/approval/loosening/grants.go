package loosening

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// grantItem is the prefix of an item that holds a grant as JSON.
const grantItem = "grant="

// A grantScope holds the fields of a grant that widen or narrow it.
type grantScope struct {
	Call  string          `json:"call,omitempty"`
	Tool  string          `json:"tool,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
	Rules []string        `json:"rules,omitempty"`
	In    string          `json:"in,omitempty"`
	Until string          `json:"until,omitempty"`
}

// encodeGrant returns the item for g.
func encodeGrant(g *setting.Grant) string {
	item := grantScope{g.Call, g.Tool, g.Input, slices.Sorted(slices.Values(g.Rules)), g.In, g.Until}
	b, err := json.Marshal(&item)
	if err != nil { // so that no other covers it
		b = []byte(g.From.String())
	}
	return grantItem + string(b)
}

// decodeGrant decodes item, which encodeGrant returned. It reports false for other items.
func decodeGrant(item string) (grantScope, bool) {
	var g grantScope
	text, ok := strings.CutPrefix(item, grantItem)
	return g, ok && json.Unmarshal([]byte(text), &g) == nil
}

// IsGrant reports whether item is a grant.
func IsGrant(item string) bool { return strings.HasPrefix(item, grantItem) }

// includes reports whether g allows at least what o does.
func (g *grantScope) includes(o *grantScope) bool {
	same := g.Call == o.Call && g.Tool == o.Tool && (len(g.Input)+len(o.Input) == 0 || rawjson.EqualForEveryReader(g.Input, o.Input))
	rules := slices.Equal(g.Rules, o.Rules) // a grant without rules does not lift a program's decision
	if len(g.Rules) > 0 && len(o.Rules) > 0 {
		rules = !slices.ContainsFunc(o.Rules, func(name string) bool { return !slices.Contains(g.Rules, name) })
	}
	return same && rules && (g.In == "" || g.In == o.In) && (g.Until == "" || o.Until != "" && o.Until <= g.Until)
}

// isGrantCovered reports whether one of the items in by allows at least what g does.
func isGrantCovered(by []string, g *grantScope) bool {
	return slices.ContainsFunc(by, func(b string) bool { have, ok := decodeGrant(b); return ok && have.includes(g) })
}

// restrictGrants returns the grants in list, with those of the user's own file restricted to what
// accepted allows.
func restrictGrants(list []setting.Grant, accepted []string) []setting.Grant {
	var out []setting.Grant
	for _, g := range list {
		if g.From.Scope != checkrein.ScopeUser || isCovered(accepted, encodeGrant(&g)) {
			out = append(out, g)
			continue
		}
		mine, _ := decodeGrant(encodeGrant(&g))
		for _, item := range accepted {
			if old, ok := decodeGrant(item); ok && mine.includes(&old) {
				narrower := g
				narrower.Rules, narrower.In, narrower.Until = old.Rules, old.In, old.Until
				out = append(out, narrower)
			}
		}
	}
	return out
}

// describe returns a description of g for display.
func (g *grantScope) describe() string {
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
