package lint

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// checkPackAllow finds exemptions in packs that are rules or commands, although only path globs have
// an effect.
func (p *pass) checkPackAllow() {
	for _, f := range p.files {
		for _, item := range listItems(f.root.Get("packs")) {
			name := item.Get("name").ScalarText()
			if name == "" || item.Get("rules") != nil || name == "security_guard" || name == "pii" {
				continue
			}
			for _, n := range listItems(item.Get("allow")) {
				rule := n.Text
				if !strings.HasPrefix(rule, name+"/") {
					rule = name + "/" + rule
				}
				switch {
				case slices.Contains(p.Rules, rule):
					p.addFinding(f.path, "", n, "to allow one call, run checkrein allow, or write grants: [{call: …, rules: ["+rule+"], reason: …}]", "a pack's allow takes path globs; %q is a rule, so it has no effect", n.Text)
				case strings.Contains(n.Text, " ") && !strings.ContainsAny(n.Text[:1], "/.~*"):
					p.addFinding(f.path, "", n, "to allow a call, write grants: [{call: "+n.Text+", reason: …}]", "a pack's allow takes path globs; %q is a command, so it has no effect", n.Text)
				}
			}
		}
	}
}

func (p *pass) checkPackOff() {
	for _, f := range p.files {
		for _, item := range listItems(f.root.Get("packs")) {
			if off := item.Get("off"); off.ScalarText() == "true" && len(item.Pairs) > 2 {
				p.addFinding(f.path, "", off, "remove off: true, or the other keys", "the pack %s is off, so its other settings have no effect", item.Get("name").ScalarText())
			}
		}
	}
}

// checkRuleNames finds grants and shadow modes for rules that do not exist.
func (p *pass) checkRuleNames() {
	names := slices.Clone(p.Rules)
	for i := range p.Hooks {
		names = append(names, p.Hooks[i].Label())
	}
	for _, f := range p.files {
		for _, item := range listItems(f.root.Get("grants")) {
			for _, n := range listItems(item.Get("rules")) {
				p.checkRuleName(f.path, n, n.Text, "rule or hook", names)
			}
		}
		for _, item := range listItems(f.root.Get("packs")) {
			pack := item.Get("name").ScalarText() + "/"
			if !slices.ContainsFunc(p.Rules, func(rule string) bool { return strings.HasPrefix(rule, pack) }) {
				continue // the loader reports it
			}
			for _, n := range listItems(item.Get("shadow")) {
				p.checkRuleName(f.path, n, pack+strings.TrimPrefix(n.Text, pack), "rule", p.Rules)
			}
		}
	}
}

// checkRuleName finds the name of a rule in a file that is not among names. what says what it may name.
func (p *pass) checkRuleName(path string, n *yamldoc.Node, name, what string, names []string) {
	if p.Rules == nil || n.Kind != yamldoc.Text || slices.Contains(names, name) {
		return
	}
	hint := suggest.Hint(name, names)
	for _, r := range p.Rules {
		if _, short, _ := strings.Cut(r, "/"); short == name {
			hint = fmt.Sprintf(", did you mean %q?", r)
		}
	}
	p.addFinding(path, "", n, "to list a pack's rules, run checkrein packs PACK", "unknown %s %q%s", what, name, hint)
}

// checkPastDates finds grants and shadow periods, of a file, a pack or a hook, that have expired.
func (p *pass) checkPastDates() {
	for _, f := range p.files {
		if n := f.root.Get("shadow"); !n.IsNull() && p.isPast(n.ScalarText()) {
			p.addFinding(f.path, "", n, "remove it", "shadow ended on %s", n.ScalarText())
		}
		p.checkPastTrial(f.path, "", f.root)
		for _, item := range listItems(f.root.Get("packs")) {
			p.checkPastTrial(f.path, "", item)
		}
		for _, item := range listItems(f.root.Get("grants")) {
			if n := item.Get("until"); !n.IsNull() && p.isPast(n.ScalarText()) {
				p.addFinding(f.path, "", n, "remove the grant, or give it a later until:", "the grant expired on %s and allows nothing", n.ScalarText())
			}
		}
	}
	for i := range p.entries {
		e := &p.entries[i]
		p.checkPastTrial(e.path, e.label, e.node)
	}
}

// checkPastTrial finds shadow mode with an end that has passed in n, which is a file, a pack or the hook
// called hook.
func (p *pass) checkPastTrial(path, hook string, n *yamldoc.Node) {
	if until := n.Get("until"); !until.IsNull() && p.isPast(until.ScalarText()) {
		p.addFinding(path, hook, until, "remove until and what sets shadow mode, or set a later until", "shadow mode ended on %s: the decisions count again", until.ScalarText())
	}
}

// isPast reports whether text is a time in the past, or a day that is over.
func (p *pass) isPast(text string) bool {
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return p.Now.After(t.AddDate(0, 0, 1))
	}
	t, err := time.Parse(time.RFC3339, text)
	return err == nil && p.Now.After(t)
}

// Timeouts outside these limits are probably mistakes.
const (
	maxPlausible = 15 * time.Minute
	minPlausible = 50 * time.Millisecond
)

// checkTimeouts finds timeouts that are probably in the wrong unit.
func (p *pass) checkTimeouts() {
	for i := range p.Hooks {
		h := &p.Hooks[i]
		at := &yamldoc.Node{Line: h.From.Line}
		if e := p.findEntry(h); e != nil && e.node.Get("timeout") != nil {
			at = e.node.Get("timeout")
		}
		switch {
		case h.Implied:
		case h.Timeout > maxPlausible:
			remedy := "timeouts are in seconds"
			if s := h.Timeout / 1000; s >= time.Second && h.Timeout%time.Second == 0 {
				remedy += fmt.Sprintf(": write %g if you mean %d ms", s.Seconds(), int(h.Timeout.Seconds()))
			}
			p.addFinding(h.From.File, h.Label(), at, remedy, "a timeout of %g s is %s", h.Timeout.Seconds(), formatLong(h.Timeout))
		case h.Timeout > 0 && h.Timeout < minPlausible && h.Run != "rule" && h.Run != "builtin":
			p.addFinding(h.From.File, h.Label(), at, "write seconds: 5, or 5s", "a timeout of %s is shorter than most programs take to start", h.Timeout)
		}
	}
	for i := range p.entries {
		e := &p.entries[i]
		if n := e.node.Get("timeout"); n != nil && n.Text == "0" {
			p.addEntryFinding(e, n, "leave it out, or write the number of seconds that the hook may take", "a timeout of 0 means the default, 60 s")
		}
	}
}

// formatLong returns d in minutes or hours, so that it is obvious that it is too long.
func formatLong(d time.Duration) string {
	if d < 2*time.Hour {
		return fmt.Sprintf("%.0f minutes", d.Minutes())
	}
	return fmt.Sprintf("%.1f hours", d.Hours())
}

// findEntry returns the entry of h, or nil if it is not in the files.
func (p *pass) findEntry(h *checkrein.Hook) *entry {
	for i := range p.entries {
		if e := &p.entries[i]; e.path == h.From.File && e.node.Line == h.From.Line {
			return e
		}
	}
	return nil
}

// checkOneWord finds lists such as ["make test"], whose only item is a command line and not a program.
func (p *pass) checkOneWord() {
	for i := range p.entries {
		e := &p.entries[i]
		if n := e.node.Get("command"); n != nil && n.Kind == yamldoc.List && len(n.Items) == 1 && strings.Contains(n.Items[0].Text, " ") && !strings.Contains(n.Items[0].Text, "/") {
			p.addEntryFinding(e, n.Items[0], "write ["+strings.Join(strings.Fields(n.Items[0].Text), ", ")+"], or the command without brackets", "a list is a program and its arguments, but there is no program named %q", n.Items[0].Text)
		}
	}
}

// checkTilde finds ~ and variables in commands that are lists, where no shell expands them.
func (p *pass) checkTilde() {
	for i := range p.entries {
		e := &p.entries[i]
		n := e.node.Get("command")
		if n == nil || n.Kind != yamldoc.List {
			continue
		}
		for _, item := range n.Items {
			if strings.HasPrefix(item.Text, "~/") || strings.HasPrefix(item.Text, "$") && !strings.HasPrefix(item.Text, "${env.") {
				p.addEntryFinding(e, item, "write ${env.HOME}"+strings.TrimPrefix(item.Text, "~")+", or one string instead of the list", "a list runs without a shell, so %s is not expanded", item.Text[:1])
				break
			}
		}
	}
}

func (p *pass) checkBuiltins() {
	for i := range p.entries {
		e := &p.entries[i]
		if n := e.node.Get("command"); n != nil && n.Kind == yamldoc.Text && e.node.Get("type") == nil && slices.Contains(p.Builtins, n.Text) {
			p.addEntryFinding(e, n, "add type: builtin", "%s is a builtin, but without a type checkrein runs a program with that name", n.Text)
		}
	}
}

// checkUnset finds ${env.NAME} for variables that are not set.
func (p *pass) checkUnset() {
	for i := range p.entries {
		e := &p.entries[i]
		for _, key := range []string{"env", "headers"} {
			for _, pair := range e.node.Get(key).Members() {
				rest := pair.Value.ScalarText()
				for {
					_, after, ok := strings.Cut(rest, "${env.")
					name, more, closed := strings.Cut(after, "}")
					if !ok || !closed {
						break
					}
					if _, set := p.Getenv(name); !set {
						p.addEntryFinding(e, pair.Value, "set it in the environment that starts the agent", "the environment variable %s is not set here", name)
					}
					rest = more
				}
			}
		}
	}
}
