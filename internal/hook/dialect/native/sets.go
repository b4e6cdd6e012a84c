package native

import (
	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// A packSet is a pack that is on only if a file names it. It runs a builtin on several events.
type packSet struct {
	name, builtin string
	about         string // a description that is short enough for a table
	on            []checkrein.Kind
	lists         []listKey // the keys that its entry may have
}

// A listKey is a key whose value is a list, or a mapping from names, and the prefix of the builtin's
// argument for each item.
type listKey struct{ key, arg string }

var packSets = []packSet{
	{name: "pii", about: "masks e-mail addresses and phone, card and account numbers", builtin: "pii_redactor", on: []checkrein.Kind{checkrein.ToolResponseTransform, checkrein.OnResponseEnd, checkrein.OnOutboundMessage}, lists: []listKey{{"kinds", ""}}},
	{name: "security_guard", about: "hides pasted secrets from the model and blocks leaks", builtin: "secret_guard", on: []checkrein.Kind{checkrein.UserPromptSubmit, checkrein.PreToolUse, checkrein.ToolResponseTransform, checkrein.OnResponseEnd, checkrein.OnOutboundMessage},
		lists: []listKey{{"message_tools", "message_tool="}, {"block", "block="}, {"allow", "allow="}, {"patterns", "pattern="}}},
}

// addSetHooks adds the hooks of the packSet name, as item configures it. It returns false if there is
// no such packSet.
func addSetHooks(b *grammar.Block, item *yamldoc.Node, name string) bool {
	for i := range packSets {
		s := &packSets[i]
		if s.name != name {
			continue
		}
		args := s.readArgs(b, item)
		if isPackOff(b, item, name) {
			return true
		}
		for _, kind := range s.on {
			setShadow(b.AddBuiltin(kind, item.Line, s.builtin, args...), b, item)
		}
		return true
	}
	return false
}

// readArgs returns the builtin's arguments for item, and adds a mistake for each unknown key.
func (s *packSet) readArgs(b *grammar.Block, item *yamldoc.Node) []string {
	if item.Kind != yamldoc.Map {
		return nil
	}
	keys := []string{"name", "off", "mode", "until"}
	var args []string
	for _, l := range s.lists {
		keys = append(keys, l.key)
		switch val := item.Get(l.key); {
		case val.IsNull():
		case val.Kind == yamldoc.List:
			for _, v := range val.Items {
				args = append(args, l.arg+v.ScalarText())
			}
		case val.Kind == yamldoc.Map:
			for _, m := range val.Pairs {
				args = append(args, l.arg+m.Key+":"+m.Value.ScalarText())
			}
		default:
			args = append(args, l.arg+val.ScalarText())
		}
	}
	b.AddUnknownKeysLost(item, "the pack "+s.name, keys...)
	return args
}

// A Set is a pack that is on only if a file names it.
type Set struct {
	Name, Builtin string
	About         string // short enough for a table
	On            []checkrein.Kind
}

// Sets returns the packs that are on only if a file names them.
func Sets() []Set {
	var out []Set
	for _, s := range packSets {
		out = append(out, Set{Name: s.name, Builtin: s.builtin, About: s.about, On: s.on})
	}
	return out
}
