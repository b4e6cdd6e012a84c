package native

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// GrantKeys lists the keys of a grant.
var GrantKeys = [...]string{"call", "tool", "input", "rules", "in", "until", "reason"}

// maxGrants limits the grants of a file, because each of them is compared with every blocked call.
const maxGrants = 100

const grantRemedy = "write grants: [{call: git push --force origin gh-pages, reason: the release job publishes the site}]"

// readGrants reads the calls that a file permits. A grant with a mistake is ignored, because the
// mistake may be in what limits it.
func readGrants(b *grammar.Block, n *yamldoc.Node) []setting.Grant {
	if n.IsNull() {
		return nil
	}
	if n.Kind != yamldoc.List {
		b.AddError(n.Line, "", grantRemedy, "grants is %s, not a list", n.Kind)
		return nil
	}
	var out []setting.Grant
	for i, item := range n.Items {
		if i == maxGrants {
			b.AddError(item.Line, "", "split the file, or write your own rule instead", "there are more than %d grants: from this one on they are ignored", maxGrants)
			break
		}
		if g, ok := readGrant(b, item); ok {
			out = append(out, g)
		}
	}
	return out
}

// readGrant reads one grant. If it has mistakes, they are added to b and readGrant returns false.
func readGrant(b *grammar.Block, n *yamldoc.Node) (setting.Grant, bool) {
	g := setting.Grant{From: checkrein.Origin{File: b.File, Line: n.Line}}
	if n.Kind != yamldoc.Map {
		b.AddError(n.Line, "", grantRemedy, "a grant is %s, not a mapping", n.Kind)
		return g, false
	}
	ok := true
	wrong := func(at *yamldoc.Node, remedy, format string, args ...any) {
		b.AddError(at.Line, "", remedy, format+", so the grant is ignored", args...)
		ok = false
	}
	b.AddUnknownKeys(n, "a grant", GrantKeys[:]...)
	if slices.ContainsFunc(n.Pairs, func(p yamldoc.Pair) bool { return !slices.Contains(GrantKeys[:], p.Key) }) {
		ok = false
	}
	text := func(key string) string {
		v := n.Get(key)
		switch {
		case v.IsNull():
			return ""
		case v.Kind == yamldoc.Map || v.Kind == yamldoc.List:
			wrong(v, "write a string", "%s in this grant is %s, not a string", key, v.Kind)
			return ""
		case strings.TrimSpace(v.ScalarText()) == "":
			wrong(v, "write a string, or leave it out", "%s in this grant is empty", key)
		}
		return v.ScalarText()
	}
	g.Call, g.Tool, g.In, g.Reason = strings.TrimSpace(text("call")), text("tool"), text("in"), text("reason")
	switch input := n.Get("input"); {
	case g.Call != "" && (g.Tool != "" || !input.IsNull()):
		wrong(n, "keep either call, or tool and input", "this grant has both call and tool")
	case g.Call == "" && (g.Tool == "" || input.IsNull()):
		wrong(n, "write call: with a shell command, or tool: and input:", "this grant has neither call nor both tool and input")
	case !input.IsNull() && input.Kind != yamldoc.Map:
		wrong(input, "write the tool's arguments, such as {path: a.txt}", "input in this grant is %s, not a mapping", input.Kind)
	case !input.IsNull():
		g.Input = input.JSON()
	}
	if g.Reason == "" {
		wrong(n, "add one, such as reason: the release job publishes the site", "this grant has no reason")
	}
	if g.In != "" && !filepath.IsAbs(g.In) && !strings.HasPrefix(g.In, "~/") {
		wrong(n.Get("in"), "write an absolute path, or one that starts with ~/", "in: %q is a relative path", g.In)
	}
	if until := text("until"); until != "" {
		if g.Until = grammar.ParseEnd(until); g.Until == "" {
			wrong(n.Get("until"), "write a date such as 2031-12-24, or a time such as 2031-12-24T18:00:00Z", "until in this grant is not a valid date or time: %q", until)
		}
	}
	if v := n.Get("rules"); !v.IsNull() {
		if g.Rules = textList(v); len(g.Rules) == 0 || slices.ContainsFunc(g.Rules, func(s string) bool { return strings.TrimSpace(s) == "" }) {
			wrong(v, "write rules: [git/push-force], or leave it out", "rules in this grant is empty or contains an empty name")
		}
	}
	return g, ok
}

// WriteGrants returns list as YAML, or "" if it is empty.
func WriteGrants(list []setting.Grant) string {
	if len(list) == 0 {
		return ""
	}
	var out strings.Builder
	out.WriteString("grants:\n")
	for i := range list {
		g := &list[i]
		lead := "  - "
		item := func(key, text string) {
			if text != "" {
				out.WriteString(lead + key + ": " + text + "\n")
				lead = "    "
			}
		}
		item("call", formatText(g.Call))
		item("tool", formatText(g.Tool))
		item("input", string(g.Input)) // JSON is valid YAML
		if len(g.Rules) > 0 {
			names := make([]string, len(g.Rules))
			for j, name := range g.Rules {
				names[j] = formatText(name)
			}
			item("rules", "["+strings.Join(names, ", ")+"]")
		}
		item("in", formatText(g.In))
		item("until", formatText(g.Until))
		item("reason", formatText(g.Reason))
	}
	return out.String()
}

// formatText returns text as YAML. It is quoted unless it consists of plain words, as most commands
// do.
func formatText(text string) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	first, _, _ := strings.Cut(text, " ")
	words := text != "" && strings.Contains(letters, text[:1]) && strings.Trim(text, letters+"0123456789 -_./=+@") == "" && strings.TrimSpace(text) == text
	if words && (first != text || strings.Contains(text, "/")) { // a single word may be a YAML keyword such as yes
		return text
	}
	if text == "" {
		return ""
	}
	return string(rawjson.Quote(text))
}
