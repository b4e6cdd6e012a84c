package native

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// readPacks reads a file's settings for the builtin packs. Which packs are on depends on the settings
// of all files. User-defined packs, and packs that are on only if a file names them, become hooks of
// the file instead.
func readPacks(b *grammar.Block, n *yamldoc.Node) []setting.Pack {
	if n.IsNull() {
		return nil
	}
	if n.Kind != yamldoc.List {
		b.AddError(n.Line, "", "write a list, such as packs: [git, {name: secrets, high: ask}], or [] for none", "packs is %s, not a list, so it is ignored", n.Kind)
		return nil
	}
	if len(n.Items) == 0 {
		return []setting.Pack{{Off: true, From: checkrein.Origin{File: b.File, Line: n.Line}}}
	}
	var out []setting.Pack
	for _, item := range n.Items {
		s, ok := readPack(b, item)
		switch {
		case !ok:
		case slices.ContainsFunc(out, func(o setting.Pack) bool { return o.Name == s.Name }):
			b.AddError(item.Line, "", "keep only one entry", "the pack %s is listed twice, so both entries are ignored", s.Name)
			i := slices.IndexFunc(out, func(o setting.Pack) bool { return o.Name == s.Name })
			out[i] = setting.Pack{Name: s.Name, From: out[i].From}
		default:
			out = append(out, s)
		}
	}
	return out
}

// readPack reads one entry of packs: a name, or a mapping with a name and a policy. It returns false
// if the entry is invalid or became a hook of the file.
func readPack(b *grammar.Block, item *yamldoc.Node) (setting.Pack, bool) {
	s := setting.Pack{Name: item.ScalarText(), From: checkrein.Origin{File: b.File, Line: item.Line}}
	if item.Kind == yamldoc.Map {
		s.Name = item.Get("name").ScalarText()
	}
	if (item.Kind != yamldoc.Map && item.Kind != yamldoc.Text) || s.Name == "" {
		b.AddError(item.Line, "", "write a name, or {name: git, medium: none}", "an entry of packs is %s without a name", item.Kind)
		return s, false
	}
	if addSetHooks(b, item, s.Name) {
		return s, false
	}
	if item.Kind == yamldoc.Text {
		return s, true
	}
	b.AddUnknownKeys(item, "the pack "+s.Name, slices.Concat([]string{"name", "off", "allow", "about", "rules", "mode", "shadow", "until"}, setting.PackKeys[:])...)
	s.Off = isPackOff(b, item, s.Name)
	s.Allow = textList(item.Get("allow"))
	readPackShadow(b, item, &s)
	for _, key := range setting.PackKeys {
		v := item.Get(key)
		if v.IsNull() {
			continue
		}
		d, ok := hookfile.ParseDecision(v.ScalarText())
		if !ok || d == checkrein.Allow {
			b.AddError(v.Line, "", "use none, ask or deny", "pack %s: %s cannot be %q", s.Name, key, v.ScalarText())
			continue
		}
		s.By = append(s.By, setting.PackDecision{Key: key, Is: d})
	}
	rules := item.Get("rules")
	if rules.IsNull() {
		return s, true
	}
	if !s.Off {
		addUserPack(b, item, rules, &s)
	}
	return s, false
}

// addUserPack adds a hook for s, a user-defined pack with the given rules.
func addUserPack(b *grammar.Block, item, rules *yamldoc.Node, s *setting.Pack) {
	o := rawjson.Object{'{'}
	o.Text("name", s.Name)
	o.Text("about", item.Get("about").ScalarText())
	o.Raw("rules", rules.JSON())
	args := []string{string(append(o, '}'))}
	for _, by := range s.By {
		args = append(args, s.Name+"."+by.Key+"="+by.Is.String())
	}
	for _, glob := range s.Allow {
		args = append(args, s.Name+".allow="+glob)
	}
	setShadow(b.AddBuiltin(checkrein.PreToolUse, item.Line, "packs", args...), b, item)
}

// readPackShadow reads which rules of the pack s are in shadow mode, and until when.
func readPackShadow(b *grammar.Block, item *yamldoc.Node, s *setting.Pack) {
	rules := item.Get("shadow")
	for _, rule := range textList(rules) {
		if rule = strings.TrimPrefix(rule, s.Name+"/"); rule == "" || strings.ContainsAny(rule, "/=*") {
			b.AddError(rules.Line, "", "write shadow: [push-force]", "pack %s: shadow: %q is not the name of a rule", s.Name, rule)
			continue
		}
		s.Shadow = append(s.Shadow, rule)
	}
	if b.ReadMode(item.Get("mode")) == grammar.Shadow {
		s.Shadow = []string{setting.EveryRule}
	}
	if s.Until = b.ReadUntil(item.Get("until")); s.Until != "" && s.Shadow == nil {
		b.Warn(item.Get("until").Line, "", "add mode: shadow, or remove it", "pack %s: until has no effect without mode: shadow", s.Name)
	}
	if s.Shadow != nil && s.Off {
		b.Warn(item.Line, "", "remove one of them", "pack %s is off, so shadow mode has no effect", s.Name)
	}
	if !rules.IsNull() && !item.Get("rules").IsNull() {
		b.AddError(rules.Line, "", "write mode: shadow, which applies to the whole pack", "pack %s: single rules of your own packs cannot be in shadow mode", s.Name)
	}
}

// setShadow puts h, the hook of a pack, into shadow mode if item does.
func setShadow(h *checkrein.Hook, b *grammar.Block, item *yamldoc.Node) {
	if mode := b.ReadMode(item.Get("mode")); mode != "" {
		h.Shadow = mode == grammar.Shadow
	}
	if until := b.ReadUntil(item.Get("until")); until != "" {
		h.ShadowUntil = until
	}
}

// isPackOff reports whether item switches the pack name off.
func isPackOff(b *grammar.Block, item *yamldoc.Node, name string) bool {
	n := item.Get("off")
	if n.IsNull() {
		return false
	}
	if n.Kind != yamldoc.Bool {
		b.AddError(n.Line, "", "write true or false", "pack %s: off is %s, not a boolean", name, n.Kind)
	}
	return n.Kind == yamldoc.Bool && n.Text == "true"
}

// textList returns the strings of n, which may be a list or a single value.
func textList(n *yamldoc.Node) []string {
	if n.IsNull() {
		return nil
	}
	if n.Kind != yamldoc.List {
		return []string{n.ScalarText()}
	}
	var out []string
	for _, item := range n.Items {
		out = append(out, item.ScalarText())
	}
	return out
}
