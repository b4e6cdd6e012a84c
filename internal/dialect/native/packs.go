package native

import (
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/grammar"
	"github.com/checkrein/checkrein/internal/rawjson"
	"github.com/checkrein/checkrein/internal/yamldoc"
)

// packPolicy are the keys with which a pack's usual policy is changed.
var packPolicy = []string{"low", "medium", "high", "unknown", "exfiltration"}

// packs reads the ready-made guards that a file switches on: one hook for all
// that judge commands, and those of the sets. It reports whether the file says anything about packs, since that
// replaces the default set.
func packs(b *grammar.Block, n *yamldoc.Node) bool {
	if n.IsNull() {
		return false
	}
	if n.Kind != yamldoc.List {
		b.Lose(n.Line, "write a list of names, [] for none", "packs is %s", n.Kind)
		return true
	}
	var args []string
	for _, item := range n.Items {
		if !readSet(b, item) {
			args = append(args, pack(b, item)...)
		}
	}
	if len(args) > 0 {
		b.Builtin(checkrein.PreToolUse, n.Line, "packs", args...)
	}
	return true
}

// pack reads one item: a name, a name with another policy, or a pack of one's own
// with its rules.
func pack(b *grammar.Block, item *yamldoc.Node) []string {
	if item.Kind == yamldoc.Text && item.Text != "" {
		return []string{item.Text}
	}
	name := item.Get("name").Plain()
	if item.Kind != yamldoc.Map || name == "" {
		b.Lose(item.Line, "write a name, or {name: git, medium: none}", "a pack is %s without a name", item.Kind)
		return nil
	}
	b.Keys(item, "the pack "+name, slices.Concat([]string{"name", "allow", "about", "rules"}, packPolicy)...)
	args := []string{name}
	if rules := item.Get("rules"); !rules.IsNull() {
		o := rawjson.Object{'{'}
		o.Text("name", name)
		o.Text("about", item.Get("about").Plain())
		o.Raw("rules", rules.JSON())
		args[0] = string(append(o, '}'))
	}
	for _, key := range packPolicy {
		if v := item.Get(key); !v.IsNull() {
			args = append(args, name+"."+key+"="+v.Plain())
		}
	}
	if allow := item.Get("allow"); !allow.IsNull() {
		globs := []*yamldoc.Node{allow}
		if allow.Kind == yamldoc.List {
			globs = allow.Items
		}
		for _, glob := range globs {
			args = append(args, name+".allow="+glob.Plain())
		}
	}
	return args
}
