package test

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
)

// A coverageOf is what the cases of a file reached in its policy. It is safe for concurrent use.
type coverageOf struct {
	mu    sync.Mutex
	hooks []*hookCoverage
	packs map[string]bool // whether a pack that the policy adjusts decided
	order []string        // the names of the packs
}

// A hookCoverage is what cases reached in a hook.
type hookCoverage struct {
	hook    *checkrein.Hook
	reached bool // it would run
	parts   []*partCoverage
}

// A partCoverage is which values a part of a condition had.
type partCoverage struct {
	path, text   string
	held, failed bool
}

// A gap is something in a policy that no case reached.
type gap struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
	Hook string `json:"hook,omitempty"`
	Pack string `json:"pack,omitempty"`
	Part string `json:"part,omitempty"` // of the hook's condition
	What string `json:"what"`           // not_reached, never_true or never_false
}

// newCoverage returns the coverage of a policy of which nothing has been reached.
func newCoverage(p *policy) *coverageOf {
	c := &coverageOf{packs: map[string]bool{}, order: p.packs}
	for i := range p.hooks {
		if h := &p.hooks[i]; !h.Implied && h.From.File != "" {
			c.hooks = append(c.hooks, &hookCoverage{hook: h})
		}
	}
	return c
}

// add adds what an event reached.
func (c *coverageOf) add(whys []engine.Why) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range whys {
		w := &whys[i]
		at := slices.IndexFunc(c.hooks, func(h *hookCoverage) bool {
			return h.hook.ID == w.Hook.ID && h.hook.On == w.Hook.On && h.hook.From == w.Hook.From
		})
		if at < 0 || w.Err != nil {
			continue
		}
		h := c.hooks[at]
		h.reached = h.reached || w.Holds
		h.addParts("", slices.DeleteFunc(slices.Clone(w.Parts), func(p engine.Part) bool { return p.Name == "event" || p.Name == "matcher" }))
	}
}

// addParts adds the results of the parts below path.
func (h *hookCoverage) addParts(path string, parts []engine.Part) {
	for i := range parts {
		part := &parts[i]
		at := fmt.Sprintf("%s.%d", path, i)
		n := slices.IndexFunc(h.parts, func(p *partCoverage) bool { return p.path == at })
		if n < 0 {
			n = len(h.parts)
			text := strings.TrimSpace(part.Name + " " + part.Op + " " + strings.Join(part.Want, ", "))
			h.parts = append(h.parts, &partCoverage{path: at, text: text})
		}
		h.parts[n].held = h.parts[n].held || part.Holds
		h.parts[n].failed = h.parts[n].failed || !part.Holds
		h.addParts(at, part.Parts)
	}
}

// addRules adds the packs by whose rules d was decided.
func (c *coverageOf) addRules(d *decision) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, rule := range d.rules() {
		pack, _, _ := strings.Cut(rule, "/")
		c.packs[pack] = true
	}
}

// gaps returns what no case reached.
func (c *coverageOf) gaps(policy string) []gap {
	out := []gap{}
	for _, h := range c.hooks {
		g := gap{File: h.hook.From.File, Line: h.hook.From.Line, Hook: h.hook.Label(), What: "not_reached"}
		if !h.reached {
			out = append(out, g)
		}
		for _, p := range h.parts {
			g.Part = p.text
			switch {
			case !p.held && h.reached || !p.held && strings.Count(p.path, ".") > 1:
				g.What = "never_true"
			case !p.failed:
				g.What = "never_false"
			default:
				continue
			}
			out = append(out, g)
		}
	}
	for _, name := range c.order {
		if !c.packs[name] {
			out = append(out, gap{File: policy, Pack: name, What: "not_reached"})
		}
	}
	return out
}

// text returns the gap as a sentence.
func (g *gap) text() string {
	switch {
	case g.Pack != "":
		return fmt.Sprintf("no case is decided by the pack %s, which the policy adjusts", g.Pack)
	case g.Part == "":
		return fmt.Sprintf("no case reaches the hook %q", g.Hook)
	case g.What == "never_true":
		return fmt.Sprintf("in the hook %q, no case meets the condition %s", g.Hook, g.Part)
	}
	return fmt.Sprintf("in the hook %q, every case meets the condition %s", g.Hook, g.Part)
}
